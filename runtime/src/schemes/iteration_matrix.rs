//! The matrix of Newton's method where a step moves the state in more than the model's own directions.
//!
//! A model gives `[ca M + cv D + cq K, −Gᵀ; G, 0]`, exact when coordinates and velocities follow their accelerations
//! by constant factors. Rotations and the modified velocity formulas add products of some columns of K, D or G with
//! small dense blocks. Their places are found once; without such blocks the model writes the matrix directly.

use core::ops::Range;

use crate::model::{Model, State};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// Largest number of velocities in a block that is corrected.
const MAX_BLOCK: usize = 6;
/// Place of an entry that does not exist.
const NONE: u32 = u32::MAX;

/// A matrix of the model whose columns are corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// ∂r/∂v.
    Damping,
    /// (∂r/∂q) N.
    Stiffness,
    /// G.
    ConstraintJacobian,
}

/// A correction that a scheme will ask for.
pub(super) enum Correction {
    /// These columns of a matrix, times a dense block.
    Columns(Source, Range<usize>),
    /// A dense block on the diagonal.
    Diagonal(Range<usize>),
}

#[derive(Clone)]
pub(super) struct IterationMatrix {
    pattern: SparsityPattern,
    /// Place of each of the model's entries; empty when the patterns are equal.
    model_places: Vec<u32>,
    model_values: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    constraint_jacobian: Vec<f64>,
    places: Vec<Places>,
}

/// Where one correction reads and writes.
#[derive(Clone)]
enum Places {
    Columns(Source, Vec<RowPlaces>),
    Diagonal([[u32; MAX_BLOCK]; MAX_BLOCK]),
}

/// One row of a block of columns.
#[derive(Clone)]
struct RowPlaces {
    from: [u32; MAX_BLOCK],
    to: [u32; MAX_BLOCK],
}

impl IterationMatrix {
    /// `on_positions`: how many constraints, from the first, see how coordinates move.
    pub(super) fn new(model: &dyn Model, corrections: &[Correction], on_positions: usize) -> Self {
        let info = model.describe();
        let nv = model.dims().nv;
        let source = |source| source_pattern(model, source);

        if corrections.is_empty() {
            return Self {
                pattern: info.iteration_matrix.clone(),
                model_places: Vec::new(),
                model_values: Vec::new(),
                damping: Vec::new(),
                stiffness: Vec::new(),
                constraint_jacobian: Vec::new(),
                places: Vec::new(),
            };
        }
        let n = info.iteration_matrix.columns;
        let mut entries: Vec<(usize, usize)> = info.iteration_matrix.entries().collect();
        for correction in corrections {
            match correction {
                Correction::Columns(kind, columns) => {
                    let rows = rows_of(model, *kind, columns.clone(), on_positions);
                    let shift = first_row(*kind, nv);
                    entries.extend(rows.iter().flat_map(|&row| columns.clone().map(move |c| (row + shift, c))));
                }
                Correction::Diagonal(block) => {
                    entries.extend(block.clone().flat_map(|row| block.clone().map(move |c| (row, c))));
                }
            }
        }
        let pattern = SparsityPattern::from_entries(n, n, entries);
        let place = |row, column| pattern.slot(row, column).map_or(NONE, |slot| slot as u32);

        let places = corrections.iter().map(|correction| match correction {
            Correction::Columns(kind, columns) => {
                let from = source(*kind);
                let shift = first_row(*kind, nv);
                let rows = rows_of(model, *kind, columns.clone(), on_positions).into_iter().map(|row| {
                    let mut places = RowPlaces { from: [NONE; MAX_BLOCK], to: [NONE; MAX_BLOCK] };
                    for (k, column) in columns.clone().enumerate() {
                        places.from[k] = from.slot(row, column).map_or(NONE, |slot| slot as u32);
                        places.to[k] = place(row + shift, column);
                    }
                    places
                });
                Places::Columns(*kind, rows.collect())
            }
            Correction::Diagonal(block) => {
                let mut places = [[NONE; MAX_BLOCK]; MAX_BLOCK];
                for (i, row) in block.clone().enumerate() {
                    for (k, column) in block.clone().enumerate() {
                        places[i][k] = place(row, column);
                    }
                }
                Places::Diagonal(places)
            }
        });
        let places: Vec<Places> = places.collect();

        let is_needed = |kind| corrections.iter().any(|c| matches!(c, Correction::Columns(k, _) if *k == kind));
        let buffer = |kind| vec![0.0; if is_needed(kind) { source(kind).nnz() } else { 0 }];
        let model_places: Vec<u32> = info.iteration_matrix.entries().map(|(row, column)| place(row, column)).collect();
        Self {
            model_values: vec![0.0; model_places.len()],
            model_places,
            damping: buffer(Source::Damping),
            stiffness: buffer(Source::Stiffness),
            constraint_jacobian: buffer(Source::ConstraintJacobian),
            places,
            pattern,
        }
    }

    pub(super) fn pattern(&self) -> &SparsityPattern {
        &self.pattern
    }

    /// Writes the model's matrix; corrections are added to it afterwards.
    pub(super) fn begin(&mut self, model: &dyn Model, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        if self.places.is_empty() {
            return model.iteration_matrix(state, ca, cv, cq, values);
        }
        model.iteration_matrix(state, ca, cv, cq, &mut self.model_values);
        values.fill(0.0);
        for (&place, &value) in self.model_places.iter().zip(&self.model_values) {
            values[place as usize] = value;
        }
        if !self.damping.is_empty() {
            model.damping(state, &mut self.damping);
        }
        if !self.stiffness.is_empty() {
            model.stiffness(state, &mut self.stiffness);
        }
        if !self.constraint_jacobian.is_empty() {
            model.constraint_jacobian(state.t, state.q.as_slice(), &mut self.constraint_jacobian);
        }
    }

    /// Adds `factor` times the dense block, or the columns times the block, for the correction of this index.
    ///
    /// Entries of the block beyond the size of the correction are not read.
    pub(super) fn add(&self, correction: usize, factor: f64, block: impl Fn(usize, usize) -> f64, values: &mut [f64]) {
        match &self.places[correction] {
            Places::Columns(kind, rows) => {
                let source = match kind {
                    Source::Damping => &self.damping,
                    Source::Stiffness => &self.stiffness,
                    Source::ConstraintJacobian => &self.constraint_jacobian,
                };
                for row in rows {
                    for (column, &to) in row.to.iter().enumerate().filter(|(_, to)| **to != NONE) {
                        let present = row.from.iter().enumerate().filter(|(_, from)| **from != NONE);
                        let sum: f64 = present.map(|(k, &from)| source[from as usize] * block(k, column)).sum();
                        values[to as usize] += factor * sum;
                    }
                }
            }
            Places::Diagonal(places) => {
                for (row, places) in places.iter().enumerate() {
                    for (column, &to) in places.iter().enumerate().filter(|(_, to)| **to != NONE) {
                        values[to as usize] += factor * block(row, column);
                    }
                }
            }
        }
    }
}

fn source_pattern(model: &dyn Model, source: Source) -> &SparsityPattern {
    let info = model.describe();
    match source {
        Source::Damping => &info.damping,
        Source::Stiffness => &info.stiffness,
        Source::ConstraintJacobian => &info.constraint_jacobian,
    }
}

/// Row of the iteration matrix at which a matrix of the model begins.
fn first_row(source: Source, nv: usize) -> usize {
    if source == Source::ConstraintJacobian { nv } else { 0 }
}

/// Rows with an entry in one of these columns. Constraints on velocities do not see how coordinates move.
fn rows_of(model: &dyn Model, source: Source, columns: Range<usize>, on_positions: usize) -> Vec<usize> {
    let pattern = source_pattern(model, source);
    let n_rows = match source {
        Source::ConstraintJacobian => on_positions,
        Source::Damping | Source::Stiffness => pattern.rows,
    };
    let is_meant = |&(row, column): &(usize, usize)| columns.contains(&column) && row < n_rows;
    let mut rows: Vec<usize> = pattern.entries().filter(is_meant).map(|(row, _)| row).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
