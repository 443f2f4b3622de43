//! Values over a grid of two variables, as colours, with their scale beside it.

use std::fmt::Write;

use super::{Frame, HEIGHT, STYLE, UNIT, WIDTH, axes, escaped};
use crate::plot::scale::Scale;
use crate::report::{Axis, Curve, Figure, Style};

/// What the scale of colours takes at the right.
const ROOM: i32 = 110 * UNIT;
const BAR: i32 = 16 * UNIT;
/// Colours from the least value to the largest: of monotonous lightness, so that prints in grey and colour-blind readers
/// see the order. [van der Walt, Smith, viridis, 2015], at eight equal distances.
const COLOURS: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// Values over a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Values of x in ascending order, at least two.
    pub columns: Vec<f64>,
    /// Values of y in ascending order, at least two.
    pub rows: Vec<f64>,
    /// What is shown as colour.
    pub value: Axis,
    /// `(x, y, value)` at places of the grid; those without value stay empty.
    pub points: Vec<(f64, f64, f64)>,
}

/// The map as a self-contained SVG document.
pub fn heat_map(map: &HeatMap) -> String {
    let [columns, rows] =
        [(&map.columns, &map.x), (&map.rows, &map.y)].map(|(values, axis)| borders(values, axis.is_log));
    let whole = |borders: &[f64], axis: &Axis| axis.clone().within(borders[0], borders[borders.len() - 1]);
    let (x_axis, y_axis) = (whole(&columns, &map.x), whole(&rows, &map.y));
    let [x, y] = [&x_axis, &y_axis].map(|axis| Scale::new(axis, std::iter::empty()));
    let corners = Curve::new("", Style::Line, Vec::new());
    let figure = Figure {
        slug: String::new(),
        title: String::new(),
        caption: String::new(),
        x: x_axis,
        y: y_axis,
        curves: vec![corners],
        slopes: Vec::new(),
    };
    let frame = Frame::new(&figure);
    let finite = || map.points.iter().map(|point| point.2).filter(|value| value.is_finite());
    let (least, largest) =
        finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));

    let mut cells = String::new();
    for &(at_x, at_y, value) in map.points.iter().filter(|point| point.2.is_finite()) {
        let place = |values: &[f64], at: f64| values.iter().position(|&value| value == at);
        let (Some(column), Some(row)) = (place(&map.columns, at_x), place(&map.rows, at_y)) else { continue };
        let [left, right] = [0, 1].map(|side| frame.across(x.fraction(columns[column + side])));
        let [bottom, top] = [0, 1].map(|side| frame.up(y.fraction(rows[row + side])));
        let part = if largest > least { (value - least) / (largest - least) } else { 0.5 };
        let _ = write!(cells, "<path fill=\"{}\" d=\"M{left} {top}H{right}V{bottom}H{left}Z\"/>", colour(part));
    }

    let bar_left = WIDTH + 14 * UNIT;
    let mut bar = String::new();
    let steps = 64;
    let height = |step: i32| frame.bottom - (frame.bottom - frame.top) * step / steps;
    for step in 0..steps {
        let fill = colour((f64::from(step) + 0.5) / f64::from(steps));
        let _ = write!(
            bar,
            "<path fill=\"{fill}\" d=\"M{bar_left} {}h{BAR}V{}h-{BAR}Z\"/>",
            height(step),
            height(step + 1)
        );
    }
    if largest > least {
        let scale = Scale::new(&map.value.clone().within(least, largest), std::iter::empty());
        for tick in scale.ticks() {
            let at = frame.up(scale.fraction(tick)) + 4 * UNIT;
            let _ = write!(bar, "<text x=\"{}\" y=\"{at}\">{}</text>", bar_left + BAR + 5 * UNIT, scale.label(tick));
        }
    } else if least.is_finite() {
        let at = (frame.top + frame.bottom) / 2;
        let number = crate::number::readable(least, 4);
        let _ = write!(bar, "<text x=\"{}\" y=\"{at}\">{number}</text>", bar_left + BAR + 5 * UNIT);
    }
    let (width, height) = (WIDTH + ROOM, HEIGHT + 22 * UNIT);
    let title = escaped(&map.value.description());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {} {width} {height}\" width=\"{}\" height=\"{}\">\
         <style>{STYLE}</style><rect y=\"{}\" width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\
         <text class=\"x\" x=\"{}\" y=\"{}\">{title}</text>{}<g shape-rendering=\"crispEdges\">{cells}{bar}</g></svg>\n",
        -22 * UNIT,
        width / UNIT,
        height / UNIT,
        -22 * UNIT,
        (frame.left + frame.right) / 2,
        -4 * UNIT,
        axes(&figure, &frame, &x, &y),
    )
}

/// Halfway between values, and as far beyond the first and the last one.
fn borders(values: &[f64], is_log: bool) -> Vec<f64> {
    let (to, from): (fn(f64) -> f64, fn(f64) -> f64) = if is_log { (f64::ln, f64::exp) } else { (|x| x, |x| x) };
    let between = values.windows(2).map(|pair| 0.5 * (to(pair[0]) + to(pair[1])));
    let mut borders: Vec<f64> = between.collect();
    if let ([first, .., last], Some(&low), Some(&high)) = (values, borders.first(), borders.last()) {
        borders.insert(0, 2.0 * to(*first) - low);
        borders.push(2.0 * to(*last) - high);
    }
    borders.into_iter().map(from).collect()
}

/// The colour at a part of the scale, from 0 to 1.
fn colour(part: f64) -> String {
    let place = part.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let first = (place as usize).min(COLOURS.len() - 2);
    let weight = place - first as f64;
    let [r, g, b] = [0, 1, 2].map(|k| {
        let [a, b] = [0, 1].map(|next| f64::from(COLOURS[first + next][k]));
        (a + weight * (b - a)).round() as u8
    });
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> HeatMap {
        let (columns, rows) = (vec![1.0, 2.0, 4.0], vec![0.1, 1.0, 10.0]);
        let points = columns.iter().flat_map(|&x| rows.iter().map(move |&y| (x, y, x * y))).collect();
        let value = Axis::linear("a < b", "m");
        HeatMap { x: Axis::linear("length", "m"), y: Axis::log("damping", "N s/m"), columns, rows, value, points }
    }

    #[test]
    fn each_value_has_a_cell_and_the_picture_is_well_formed() {
        let mut map = map();
        map.points[4].2 = f64::NAN;
        let picture = heat_map(&map);
        let document = roxmltree::Document::parse(&picture).unwrap_or_else(|error| panic!("{error}"));
        let cells = document.descendants().filter(|node| node.attribute("fill").is_some_and(|fill| fill.len() == 7));
        // Those of the map and of the scale.
        assert_eq!(cells.count(), 8 + 64);
        assert!(picture.contains("a &lt; b (m)") && picture.contains("length (m)") && picture.contains("10⁻¹"));
        assert!(picture.contains("#440154") && picture.contains("#fde725"), "the least and the largest value");
    }

    #[test]
    fn equal_values_and_none_are_drawn() {
        let mut map = map();
        map.points.iter_mut().for_each(|point| point.2 = 3.0);
        assert!(heat_map(&map).contains(">3<"));
        map.points.clear();
        assert!(heat_map(&map).contains("</svg>"));
    }

    #[test]
    fn borders_stand_between_values() {
        assert_eq!(borders(&[1.0, 2.0, 4.0], false), [0.5, 1.5, 3.0, 5.0]);
        let logarithmic = borders(&[1.0, 100.0], true);
        assert!(logarithmic.iter().zip([0.1, 10.0, 1000.0]).all(|(a, b)| (a / b - 1.0).abs() < 1e-12));
    }
}
