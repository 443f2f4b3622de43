//! Figures as SVG.
//!
//! Drawn on a canvas three times as large as shown, because plotters rounds coordinates to whole units. The colours are
//! those of Okabe and Ito, which colour-blind readers can distinguish; curves also differ in their markers. Figures
//! with many curves are larger.

mod legend;
mod marker;
mod scale;

use std::error::Error;

use hamel_compiler::escape::line;
use legend::Legend;
use marker::Look;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use scale::{Scale, TICKS};

use crate::number;
use crate::report::{Curve, Figure, Slope, Style};

/// Units of the canvas per shown pixel.
const ZOOM: i32 = 3;
/// Width and height of the plot with its axes, for up to `CROWD` curves and for more.
const SIZE: (i32, i32) = (560 * ZOOM, 350 * ZOOM);
const LARGE: (i32, i32) = (760 * ZOOM, 560 * ZOOM);
const CROWD: usize = 12;
const FONT: &str = "Helvetica, Arial, sans-serif";

const INK: RGBColor = RGBColor(34, 34, 34);
const FAINT: RGBColor = RGBColor(120, 120, 120);

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// The figure as a self-contained SVG document.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(figure: &Figure) -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut document = String::new();
    let (width, plot_height) = if figure.curves.len() > CROWD { LARGE } else { SIZE };
    let legend = Legend::new(figure, width);
    let height = plot_height + legend.height();
    {
        let canvas = SVGBackend::with_string(&mut document, (width as u32, height as u32)).into_drawing_area();
        canvas.fill(&WHITE)?;
        let (plot, below) = canvas.split_vertically(plot_height);
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
        for (curve, look) in figure.curves.iter().zip(marker::looks(&figure.curves)) {
            draw_curve(&mut chart, curve, look, &x, &y)?;
        }
        legend.draw(&below)?;
        canvas.present()?;
    }
    // Scales with its container; the viewBox keeps the proportions.
    let fixed = format!("width=\"{width}\" height=\"{height}\"");
    Ok(document.replacen(&fixed, &format!("width=\"{}\" height=\"{}\"", width / ZOOM, height / ZOOM), 1))
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
        .x_desc(line(&figure.x.description()))
        .y_desc(line(&figure.y.description()))
        .draw()?;
    Ok(())
}

/// The pieces of a curve that lie in the shown range, cut where they leave it.
fn runs_inside(curve: &Curve, x: &Scale, y: &Scale) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut last_end = None;
    for pair in curve.points.windows(2) {
        let place = |(px, py): (f64, f64)| [x.fraction(px), y.fraction(py)];
        let Some((from, to)) = part_inside(place(pair[0]), place(pair[1])) else {
            last_end = None;
            continue;
        };
        let at = |part: f64, end: (f64, f64)| match part {
            0.0 | 1.0 => end,
            part => {
                let [[ax, ay], [bx, by]] = [place(pair[0]), place(pair[1])];
                (x.value(ax + part * (bx - ax)), y.value(ay + part * (by - ay)))
            }
        };
        // A segment that begins where the previous one ended continues the same piece.
        match runs.last_mut() {
            Some(run) if from == 0.0 && last_end == Some(1.0) => run.push(at(to, pair[1])),
            _ => runs.push(vec![at(from, pair[0]), at(to, pair[1])]),
        }
        last_end = Some(to);
    }
    runs
}

/// Which part of the segment between two places lies in the unit square, if any.
fn part_inside(a: [f64; 2], b: [f64; 2]) -> Option<(f64, f64)> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        let change = b[k] - a[k];
        if !change.is_finite() || (change == 0.0 && !(0.0..=1.0).contains(&a[k])) {
            return None;
        }
        if change != 0.0 {
            let crossings = [-a[k] / change, (1.0 - a[k]) / change];
            from = from.max(crossings[0].min(crossings[1]));
            to = to.min(crossings[0].max(crossings[1]));
        }
    }
    (from < to).then_some((from, to))
}

fn draw_curve(
    chart: &mut Chart,
    curve: &Curve,
    look: Look,
    x: &Scale,
    y: &Scale,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let stroke = look.color.stroke_width(2 * ZOOM as u32);
    if matches!(curve.style, Style::Line | Style::LineAndMarkers | Style::Dashed) {
        for run in runs_inside(curve, x, y) {
            if curve.style == Style::Dashed {
                chart.draw_series(DashedLineSeries::new(run, 7 * ZOOM as u32, 5 * ZOOM as u32, stroke))?;
            } else {
                chart.draw_series(LineSeries::new(run, stroke))?;
            }
        }
    }
    let inside = || curve.points.iter().copied().filter(|&(px, py)| x.contains(px) && y.contains(py));
    match curve.style {
        Style::Markers | Style::LineAndMarkers => {
            let at_origin = (0, 0);
            chart
                .draw_series(inside().map(|at| {
                    EmptyElement::at(at) + marker::body(look, at_origin) + marker::outline(look, at_origin)
                }))?;
        }
        Style::Name => {
            let style = (FONT, 16 * ZOOM).into_font().color(&INK).pos(Pos::new(HPos::Center, VPos::Center));
            // With a background, whatever is below.
            let ground = || Rectangle::new([(-8 * ZOOM, -9 * ZOOM), (8 * ZOOM, 9 * ZOOM)], WHITE.filled());
            let name = || Text::new(line(&curve.name), (0, 0), style.clone());
            chart.draw_series(inside().map(|at| EmptyElement::at(at) + ground() + name()))?;
        }
        Style::Line | Style::Dashed => {}
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

    /// Any character in a name leaves the picture valid XML.
    #[test]
    fn any_name_leaves_a_picture_well_formed() {
        let controls = (0..0xa0).chain(0x2028..=0x202e).chain(0x2066..=0x2069).filter_map(char::from_u32);
        let name = controls.collect::<String>() + "]]></text></svg><!-- &amp; \u{feff}";
        let mut hostile = figure();
        for curve in &mut hostile.curves {
            curve.name.clone_from(&name);
        }
        hostile.curves.push(Curve::new(name.clone(), Style::Name, vec![(1e-3, 1e-2)]));
        (hostile.x.label, hostile.y.label) = (name.clone(), name);
        let document = svg(&hostile).unwrap();
        let tags = roxmltree::Document::parse(&document).unwrap_or_else(|error| panic!("{error}"));
        assert!(tags.descendants().filter_map(|node| node.text()).any(|text| text.contains("</svg><!-- &amp; ")));
        assert!(!document.contains(['\u{202e}', '\u{2066}', '\u{2028}', '\u{feff}', '\u{85}']));
    }

    #[test]
    fn a_figure_without_points_is_still_drawn() {
        let empty = Figure { curves: vec![Curve::new("none", Style::Line, vec![])], slopes: vec![], ..figure() };
        assert!(svg(&empty).unwrap().contains("</svg>"));
    }

    #[test]
    fn curves_are_cut_where_they_leave_the_range() {
        let mut figure = figure();
        figure.curves.truncate(1);
        figure.curves[0].points.insert(0, (1e-2, 1e1));
        figure.y = figure.y.within(1e-3, 1e-1);
        let scale =
            |axis: &Axis, pick: fn(&(f64, f64)) -> f64| Scale::new(axis, figure.curves[0].points.iter().map(pick));
        let runs = runs_inside(&figure.curves[0], &scale(&figure.x, |p| p.0), &scale(&figure.y, |p| p.1));
        let expected = [(10f64.powf(-8.0 / 3.0), 1e-1), (1e-3, 1e-2), (10f64.powf(-3.5), 1e-3)];
        assert_eq!(runs.len(), 1);
        for ((x, y), expected) in runs[0].iter().zip(expected) {
            assert!((x / expected.0 - 1.0).abs() < 1e-12 && (y / expected.1 - 1.0).abs() < 1e-12, "{runs:?}");
        }
    }

    #[test]
    fn a_name_stands_at_its_point_and_not_in_the_legend() {
        let mut figure = figure();
        figure.curves.push(Curve::new("E", Style::Name, vec![(1e-4, 1e-3)]));
        assert_eq!(svg(&figure).unwrap().matches("\nE\n").count(), 1);
    }
}
