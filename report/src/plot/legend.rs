//! The legend below a plot.

use std::error::Error;

use hamel_compiler::escape::line;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::marker::{self, Look};
use super::{FONT, INK, ZOOM};
use crate::report::{Figure, Style};

const ROW: i32 = 22 * ZOOM;
/// Where the first column begins, and the length of a line.
const LEFT: i32 = 80 * ZOOM;
const LINE: i32 = 30 * ZOOM;
/// Names and their columns.
const SHORT: usize = 28;
const COLUMN: i32 = 220 * ZOOM;

/// The names of the curves in rows, as many columns as fit; none for a single curve.
pub(super) struct Legend<'f> {
    entries: Vec<(&'f str, Style, Look)>,
    columns: usize,
}

impl<'f> Legend<'f> {
    pub(super) fn new(figure: &'f Figure, width: i32) -> Self {
        let entries = figure.curves.iter().zip(marker::looks(&figure.curves));
        let entries = entries.map(|(curve, look)| (curve.name.as_str(), curve.style, look));
        let mut entries: Vec<_> = entries.filter(|(_, style, _)| *style != Style::Name).collect();
        if entries.len() < 2 {
            entries.clear();
        }
        let is_short = entries.iter().all(|(name, ..)| name.chars().count() <= SHORT);
        Self { entries, columns: if is_short { ((width - LEFT) / COLUMN).max(1) as usize } else { 1 } }
    }

    pub(super) fn height(&self) -> i32 {
        self.entries.len().div_ceil(self.columns) as i32 * ROW
    }

    pub(super) fn draw(&self, area: &DrawingArea<SVGBackend, Shift>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let text = (FONT, 13 * ZOOM).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        for (index, &(name, style, look)) in self.entries.iter().enumerate() {
            let (row, column) = ((index / self.columns) as i32, (index % self.columns) as i32);
            let (x, y) = (LEFT + COLUMN * column, row * ROW + ROW / 2 - 4 * ZOOM);
            let stroke = look.color.stroke_width(2 * ZOOM as u32);
            match style {
                Style::Line | Style::LineAndMarkers => area.draw(&PathElement::new([(x, y), (x + LINE, y)], stroke))?,
                Style::Dashed => {
                    for dash in 0..3 {
                        let from = x + dash * 11 * ZOOM;
                        area.draw(&PathElement::new([(from, y), (from + 7 * ZOOM, y)], stroke))?;
                    }
                }
                Style::Markers | Style::Name => {}
            }
            if matches!(style, Style::Markers | Style::LineAndMarkers) {
                area.draw(&marker::body(look, (x + LINE / 2, y)))?;
                area.draw(&marker::outline(look, (x + LINE / 2, y)))?;
            }
            area.draw(&Text::new(line(name), (x + LINE + 8 * ZOOM, y), text.clone()))?;
        }
        Ok(())
    }
}
