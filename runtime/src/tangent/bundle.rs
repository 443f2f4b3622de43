//! Vectors side by side, one for each direction of change or for each result whose slope is wanted.

use nalgebra::DMatrix;

use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// Vectors of one length; what they say of one entry stands together, so that matrices are applied to all at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bundle {
    width: usize,
    values: Vec<f64>,
}

impl Bundle {
    /// So many vectors of zeros.
    pub(crate) fn zeros(len: usize, width: usize) -> Self {
        Self { width, values: vec![0.0; len * width] }
    }

    /// Becomes so many vectors of zeros, in the memory at hand.
    pub(crate) fn begin(&mut self, len: usize, width: usize) {
        self.width = width;
        self.values.clear();
        self.values.resize(len * width, 0.0);
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.copy_from_slice(&other.values, other.width);
    }

    pub(crate) fn copy_from_slice(&mut self, values: &[f64], width: usize) {
        self.width = width;
        self.values.clear();
        self.values.extend_from_slice(values);
    }

    /// Number of vectors.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Length of each.
    pub(crate) fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// Entry by entry those of all vectors.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// So many entries of all vectors, from one on.
    pub(crate) fn entries(&self, first: usize, count: usize) -> &[f64] {
        &self.values[first * self.width..][..count * self.width]
    }

    pub(crate) fn entries_mut(&mut self, first: usize, count: usize) -> &mut [f64] {
        &mut self.values[first * self.width..][..count * self.width]
    }

    /// One vector.
    pub(crate) fn vector(&self, place: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().copied().skip(place).step_by(self.width.max(1))
    }

    /// Adds to one vector.
    pub(crate) fn add_to(&mut self, place: usize, vector: &[f64]) {
        let width = self.width.max(1);
        self.values.iter_mut().skip(place).step_by(width).zip(vector).for_each(|(sum, value)| *sum += value);
    }

    /// Writes the vectors as the columns of a matrix.
    pub(crate) fn write_columns(&self, matrix: &mut DMatrix<f64>) {
        debug_assert_eq!(matrix.len(), self.values.len(), "a matrix of this size");
        let rows = matrix.nrows();
        let out = matrix.as_mut_slice();
        for (row, entries) in self.values.chunks_exact(self.width.max(1)).enumerate() {
            entries.iter().enumerate().for_each(|(column, value)| out[column * rows + row] = *value);
        }
    }
}

/// `out += factor x`
#[inline]
pub(super) fn add_scaled(factor: f64, x: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(x).for_each(|(out, x)| *out += factor * x);
}

/// `out += factor A x`, or with Aᵀ, for a sparse matrix and so many vectors.
pub(super) fn add_sparse(
    (pattern, values): (&SparsityPattern, &[f64]),
    factor: f64,
    is_transposed: bool,
    (x, width): (&[f64], usize),
    out: &mut [f64],
) {
    for column in 0..pattern.columns {
        let slots = pattern.column(column);
        let rows = &pattern.row_indices()[slots.clone()];
        for (&row, value) in rows.iter().zip(&values[slots]) {
            let (to, from) = if is_transposed { (column, row as usize) } else { (row as usize, column) };
            add_entry(factor * value, (x, from), (out, to), width);
        }
    }
}

/// `out += factor A x`, or with Aᵀ, for a full matrix given row by row and so many vectors.
pub(crate) fn add_full(
    (values, columns): (&[f64], usize),
    factor: f64,
    is_transposed: bool,
    (x, width): (&[f64], usize),
    out: &mut [f64],
) {
    if columns == 0 {
        return;
    }
    for (row, entries) in values.chunks_exact(columns).enumerate() {
        if is_transposed && width == 1 {
            add_scaled(factor * x[row], entries, out);
            continue;
        }
        for (column, value) in entries.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let (to, from) = if is_transposed { (column, row) } else { (row, column) };
            add_entry(factor * value, (x, from), (out, to), width);
        }
    }
}

/// The same for a matrix, whose columns are the rows of its transpose.
pub(crate) fn add_matrix(matrix: &DMatrix<f64>, factor: f64, is_transposed: bool, x: (&[f64], usize), out: &mut [f64]) {
    add_full((matrix.as_slice(), matrix.nrows()), factor, !is_transposed, x, out);
}

#[inline]
fn add_entry(factor: f64, (x, from): (&[f64], usize), (out, to): (&mut [f64], usize), width: usize) {
    match width {
        1 => out[to] += factor * x[from],
        _ => add_scaled(factor, &x[from * width..][..width], &mut out[to * width..][..width]),
    }
}
