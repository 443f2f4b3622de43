//! The legend below a plot.

use std::fmt::Write;

use super::marker::{Look, looks};
use super::{UNIT, WIDTH, escaped, key};
use crate::report::{Figure, Style};

const ROW: i32 = 22 * UNIT;
/// Where the first column begins, and where names begin in it.
const LEFT: i32 = 70 * UNIT;
const NAME: i32 = 38 * UNIT;
/// Names and their columns.
const SHORT: usize = 28;
const COLUMN: i32 = 220 * UNIT;

/// The entries of a legend: names of curves with their looks; none for a single curve.
pub(super) fn entries(figure: &Figure) -> Vec<(&str, Style, Look)> {
    let entries = figure.curves.iter().zip(looks(&figure.curves));
    let entries = entries.map(|(curve, look)| (curve.name.as_str(), curve.style, look));
    let entries: Vec<_> = entries.filter(|(_, style, _)| *style != Style::Name).collect();
    if entries.len() < 2 { Vec::new() } else { entries }
}

/// The legend as rows of as many columns as fit, with its height.
pub(super) fn legend(figure: &Figure, top: i32) -> (String, i32) {
    let entries = entries(figure);
    let is_short = entries.iter().all(|(name, ..)| name.chars().count() <= SHORT);
    let columns = if is_short { ((WIDTH - LEFT) / COLUMN).max(1) as usize } else { 1 };
    let mut text = String::new();
    for (index, &(name, style, look)) in entries.iter().enumerate() {
        let (row, column) = ((index / columns) as i32, (index % columns) as i32);
        let (x, y) = (LEFT + COLUMN * column, top + row * ROW + ROW / 2);
        let name = escaped(name);
        let _ = write!(
            text,
            "<g transform=\"translate({x} {y})\">{}<text x=\"{NAME}\" y=\"{}\">{name}</text></g>",
            key(style, look),
            4 * UNIT
        );
    }
    (text, entries.len().div_ceil(columns) as i32 * ROW)
}
