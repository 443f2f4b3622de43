//! How deep bodies penetrate each other, beside how far they move.

use crate::caution::Caution;
use crate::model::Model;
use crate::prelude::*;
use crate::trajectory::Trajectory;

/// Largest penetration without a warning, relative to the largest gap, and to the largest coordinate.
const SHALLOW: f64 = 0.05;
const TOUCHING: f64 = 1e-3;
/// Depths of bodies at rest that are rounding errors, in the unit of the gap.
const ROUNDING: f64 = 1e-12;

/// Extremes of the recorded rows.
pub(crate) struct Extent {
    /// Columns of the depth, the largest so far, of the gaps and of the coordinates.
    depth: Option<usize>,
    gaps: Vec<usize>,
    coordinates: core::ops::RangeInclusive<usize>,
    /// The last depth, the largest gap and the largest coordinate.
    deepest: f64,
    widest: f64,
    farthest: f64,
}

impl Extent {
    pub(crate) fn new(model: &dyn Model, trajectory: &Trajectory) -> Extent {
        let columns = trajectory.columns();
        let gaps = columns.iter().enumerate().filter(|(_, column)| column.name.starts_with("gap("));
        Extent {
            depth: columns.iter().position(|column| column.name == "penetration"),
            gaps: gaps.map(|(place, _)| place).collect(),
            coordinates: 1..=model.dims().nq,
            deepest: 0.0,
            widest: 0.0,
            farthest: 0.0,
        }
    }

    /// Takes a row into account.
    pub(crate) fn pass(&mut self, row: &[f64]) {
        let Some(depth) = self.depth else { return };
        self.deepest = row[depth];
        self.widest = self.gaps.iter().fold(self.widest, |largest, &place| largest.max(row[place].abs()));
        self.farthest = row[self.coordinates.clone()].iter().fold(self.farthest, |largest, q| largest.max(q.abs()));
    }

    /// The deepest penetration, if it is not small relative to the motion.
    pub(crate) fn caution(&self) -> Option<Caution> {
        let &Extent { deepest: depth, widest, farthest, .. } = self;
        let is_deep = depth > SHALLOW * widest && depth > (TOUCHING * farthest).max(ROUNDING);
        is_deep.then_some(Caution::Penetration { depth, widest })
    }
}
