//! Figures as SVG.
//!
//! Drawn on a canvas three times as large as shown, because plotters rounds coordinates to whole units. The colours are
//! those of Okabe and Ito, which stay apart for colour-blind readers; curves differ in their markers too.

mod scale;

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::number;
use crate::report::{Curve, Figure, Slope, Style};
use scale::{Scale, TICKS};

/// Units of the canvas per shown pixel.
const ZOOM: i32 = 3;
const WIDTH: i32 = 560 * ZOOM;
const HEIGHT: i32 = 350 * ZOOM;
const LEGEND_ROW: i32 = 22 * ZOOM;
const FONT: &str = "Helvetica, Arial, sans-serif";

const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];
const INK: RGBColor = RGBColor(34, 34, 34);
const FAINT: RGBColor = RGBColor(120, 120, 120);

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// The figure as a self-contained SVG document.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(figure: &Figure) -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut document = String::new();
    let legend = legend_rows(figure);
    let height = HEIGHT + legend * LEGEND_ROW;
    {
        let canvas = SVGBackend::with_string(&mut document, (WIDTH as u32, height as u32)).into_drawing_area();
        canvas.fill(&WHITE)?;
        let (plot, below) = canvas.split_vertically(HEIGHT);
        let x = Scale::new(&figure.x, figure.curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.0)));
        let y = Scale::new(&figure.y, figure.curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.1)));
        let mut chart = ChartBuilder::on(&plot)
            .margin(10 * ZOOM)
            .margin_right(18 * ZOOM)
            .x_label_area_size(44 * ZOOM)
            .y_label_area_size(70 * ZOOM)
            .build_cartesian_2d(x.clone(), y.clone())?;
        draw_axes(&mut chart, figure, &x, &y)?;
        for slope in &figure.slopes {
            draw_slope(&mut chart, slope, &y)?;
        }
        for (index, curve) in figure.curves.iter().enumerate() {
            let inside: Vec<Vec<(f64, f64)>> = runs_inside(curve, &x, &y);
            draw_curve(&mut chart, curve.style, index, &inside)?;
        }
        if legend > 0 {
            draw_legend(&below, figure)?;
        }
        canvas.present()?;
    }
    // Scales with its container; the viewBox keeps the proportions.
    let fixed = format!("width=\"{WIDTH}\" height=\"{height}\"");
    Ok(document.replacen(&fixed, &format!("width=\"{}\" height=\"{}\"", WIDTH / ZOOM, height / ZOOM), 1))
}

fn draw_axes(chart: &mut Chart, figure: &Figure, x: &Scale, y: &Scale) -> Result<(), Box<dyn Error + Send + Sync>> {
    let text = (FONT, 13 * ZOOM).into_font().color(&INK);
    chart
        .configure_mesh()
        .x_labels(TICKS)
        .y_labels(TICKS)
        .max_light_lines(8)
        .bold_line_style(RGBColor(218, 218, 218).stroke_width(ZOOM as u32))
        .light_line_style(RGBColor(240, 240, 240).stroke_width(ZOOM as u32))
        .axis_style(INK.stroke_width(ZOOM as u32))
        .label_style(text.clone())
        .axis_desc_style(text)
        .x_label_formatter(&|value| x.label(*value))
        .y_label_formatter(&|value| y.label(*value))
        .x_desc(figure.x.description())
        .y_desc(figure.y.description())
        .draw()?;
    Ok(())
}

/// The pieces of a curve that lie in the shown range.
fn runs_inside(curve: &Curve, x: &Scale, y: &Scale) -> Vec<Vec<(f64, f64)>> {
    curve
        .points
        .split(|&(px, py)| !(x.contains(px) && y.contains(py)))
        .filter(|run| !run.is_empty())
        .map(<[_]>::to_vec)
        .collect()
}

fn draw_curve(
    chart: &mut Chart,
    style: Style,
    index: usize,
    runs: &[Vec<(f64, f64)>],
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let color = color(index);
    let stroke = color.stroke_width(2 * ZOOM as u32);
    for run in runs {
        let points = run.iter().copied();
        match style {
            Style::Line | Style::LineAndMarkers => {
                chart.draw_series(LineSeries::new(points, stroke))?;
            }
            Style::Dashed => {
                chart.draw_series(DashedLineSeries::new(points, 7 * ZOOM as u32, 5 * ZOOM as u32, stroke))?;
            }
            Style::Markers => {}
        }
        if matches!(style, Style::Markers | Style::LineAndMarkers) {
            chart.draw_series(run.iter().map(|&at| EmptyElement::at(at) + marker(index, (0, 0), color)))?;
        }
    }
    Ok(())
}

/// A line of constant slope with its number at the right end, where it seldom meets a curve.
fn draw_slope(chart: &mut Chart, slope: &Slope, y: &Scale) -> Result<(), Box<dyn Error + Send + Sync>> {
    let line = |x: f64| (x, slope.through.1 * (x / slope.through.0).powf(slope.slope));
    let ends = [line(slope.span.0), line(slope.span.1)];
    if !ends.iter().all(|end| y.contains(end.1)) {
        return Ok(());
    }
    let stroke = FAINT.stroke_width(3 * ZOOM as u32 / 2);
    chart.draw_series(DashedLineSeries::new(ends, 3 * ZOOM as u32, 3 * ZOOM as u32, stroke))?;
    let style = (FONT, 12 * ZOOM).into_font().color(&FAINT).pos(Pos::new(HPos::Left, VPos::Center));
    let label = format!("slope {}", number::readable(slope.slope, 1));
    chart.draw_series([EmptyElement::at(ends[1]) + Text::new(label, (5 * ZOOM, 0), style)])?;
    Ok(())
}

fn color(index: usize) -> RGBColor {
    PALETTE[index % PALETTE.len()]
}

/// The marker of a curve: circle, square, triangle, diamond in turn.
fn marker(index: usize, at: (i32, i32), color: RGBColor) -> Polygon<(i32, i32)> {
    let radius = f64::from(4 * ZOOM);
    let (corners, turn, stretch) = [(24, 0.0, 1.0), (4, 0.125, 1.25), (3, 0.25, 1.35), (4, 0.0, 1.3)][index % 4];
    let corner = |k: i32| {
        let angle = std::f64::consts::TAU * (f64::from(k) / f64::from(corners) + turn);
        let offset = |unit: f64| (radius * stretch * unit).round() as i32;
        (at.0 + offset(angle.cos()), at.1 - offset(angle.sin()))
    };
    Polygon::new((0..corners).map(corner).collect::<Vec<_>>(), color.filled())
}

/// Rows of the legend: two names side by side, none for a single curve.
fn legend_rows(figure: &Figure) -> i32 {
    match figure.curves.len() {
        0 | 1 => 0,
        n if has_long_names(figure) => n as i32,
        n => n.div_ceil(2) as i32,
    }
}

fn has_long_names(figure: &Figure) -> bool {
    figure.curves.iter().any(|curve| curve.name.chars().count() > 26)
}

fn draw_legend(
    area: &DrawingArea<SVGBackend, plotters::coord::Shift>,
    figure: &Figure,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let text = (FONT, 13 * ZOOM).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
    let columns = if has_long_names(figure) { 1 } else { 2 };
    for (index, curve) in figure.curves.iter().enumerate() {
        let (row, column) = ((index / columns) as i32, (index % columns) as i32);
        let (x, y) = ((80 + 236 * column) * ZOOM, row * LEGEND_ROW + LEGEND_ROW / 2 - 4 * ZOOM);
        let (color, length) = (color(index), 30 * ZOOM);
        let stroke = color.stroke_width(2 * ZOOM as u32);
        match curve.style {
            Style::Line | Style::LineAndMarkers => area.draw(&PathElement::new([(x, y), (x + length, y)], stroke))?,
            Style::Dashed => {
                for dash in 0..3 {
                    let from = x + dash * 11 * ZOOM;
                    area.draw(&PathElement::new([(from, y), (from + 7 * ZOOM, y)], stroke))?;
                }
            }
            Style::Markers => {}
        }
        if matches!(curve.style, Style::Markers | Style::LineAndMarkers) {
            area.draw(&marker(index, (x + length / 2, y), color))?;
        }
        area.draw(&Text::new(curve.name.clone(), (x + length + 8 * ZOOM, y), text.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Axis;

    fn figure() -> Figure {
        Figure {
            slug: "fig".into(),
            title: "Errors".into(),
            caption: String::new(),
            x: Axis::log("h", "s"),
            y: Axis::log("e", "rad"),
            curves: vec![
                Curve::new("a < b & c", Style::LineAndMarkers, vec![(1e-3, 1e-2), (1e-4, 1e-4), (1e-5, f64::NAN)]),
                Curve::new("second", Style::Dashed, vec![(1e-3, 2e-2), (1e-5, 2e-4)]),
            ],
            slopes: vec![Slope { slope: 1.0, through: (1e-4, 1e-3), span: (5e-5, 5e-4) }],
        }
    }

    #[test]
    fn names_are_escaped_and_tags_are_closed() {
        let document = svg(&figure()).unwrap();
        assert!(document.contains("a &lt; b &amp; c"), "{document}");
        assert!(document.trim_end().ends_with("</svg>"));
        assert_eq!(document.matches("<text").count(), document.matches("</text>").count());
        assert!(document.contains("10⁻⁴") && document.contains("h (s)") && document.contains("slope 1"));
    }

    #[test]
    fn a_figure_without_points_is_still_drawn() {
        let empty = Figure { curves: vec![Curve::new("none", Style::Line, vec![])], slopes: vec![], ..figure() };
        assert!(svg(&empty).unwrap().contains("</svg>"));
    }

    #[test]
    fn points_outside_the_range_are_left_out() {
        let mut figure = figure();
        figure.curves.truncate(1);
        figure.y = figure.y.within(1e-3, 1e-1);
        let scale =
            |axis: &Axis, pick: fn(&(f64, f64)) -> f64| Scale::new(axis, figure.curves[0].points.iter().map(pick));
        let runs = runs_inside(&figure.curves[0], &scale(&figure.x, |p| p.0), &scale(&figure.y, |p| p.1));
        assert_eq!(runs, vec![vec![(1e-3, 1e-2)]]);
    }
}
