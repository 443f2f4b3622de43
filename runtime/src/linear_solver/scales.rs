//! Powers of two that scale the rows and columns of a matrix to about one.

use super::{Singular, larger};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// Beyond these bounds the inverse is not a normal number; such a row or column counts as zero or infinite.
const LEAST: f64 = 1e-300;
pub(super) const MOST: f64 = 1e300;

/// Gradients of constraints that are so many times as large as all inertia leave of it less than ten digits.
const WIDE: f64 = 1e6;

/// Factors of the rows and columns of matrices of one pattern.
#[derive(Clone)]
pub(super) struct Scales {
    pub(super) rows: Vec<f64>,
    pub(super) columns: Vec<f64>,
    /// Which unknowns have an entry on the diagonal; the others are multipliers of constraints, or left out.
    has_inertia: Vec<bool>,
}

/// What a matrix is scaled by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScaledBy {
    /// By its inertia, where gradients of constraints are far larger: scaled by its largest entries, `[M, −Gᵀ; G, 0]` of a
    /// mechanism of micrometres, in SI units, has nothing but rounding of M beside G.
    Inertia,
    /// By the largest entries of rows, then of columns.
    Largest,
}

/// In this order they are tried: what only looks like a mechanism of small bodies is scaled by its largest entries.
pub(super) const TRIED: [ScaledBy; 2] = [ScaledBy::Inertia, ScaledBy::Largest];

impl Scales {
    /// For matrices that have nothing but a one on the diagonal in the rows and columns that are left out.
    pub(super) fn new(pattern: &SparsityPattern, left_out: &[usize]) -> Self {
        let n = pattern.columns;
        let mut has_inertia: Vec<bool> = (0..n).map(|place| pattern.slot(place, place).is_some()).collect();
        left_out.iter().for_each(|&place| has_inertia[place] = false);
        Self { rows: vec![1.0; n], columns: vec![1.0; n], has_inertia }
    }

    /// Finds those of a matrix.
    ///
    /// # Errors
    /// [`Singular`] when it has none of this kind.
    pub(super) fn find(&mut self, by: ScaledBy, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        match by {
            ScaledBy::Inertia => self.find_by_inertia(pattern, values),
            ScaledBy::Largest => self.find_by_largest(pattern, values),
        }
    }

    /// Scales rows, then columns, to a largest entry in [1, 2).
    fn find_by_largest(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        self.rows.fill(0.0);
        for (&row, &value) in pattern.row_indices().iter().zip(values) {
            let largest = &mut self.rows[row as usize];
            *largest = larger(*largest, value);
        }
        for scale in &mut self.rows {
            *scale = inverse_power_of_two(*scale)?;
        }
        for (column, column_scale) in self.columns.iter_mut().enumerate() {
            let slots = pattern.column(column);
            let rows = &pattern.row_indices()[slots.clone()];
            let scaled = rows.iter().zip(&values[slots]).map(|(&row, value)| value * self.rows[row as usize]);
            *column_scale = inverse_power_of_two(scaled.fold(0.0, larger))?;
        }
        Ok(())
    }

    /// Scales the diagonal of `M + γ Gᵀ G`, whose parts are as large, to about one, then rows and columns that have nothing
    /// there to a largest entry of about one, and all of it to one of at most two. M alone has nothing along the Euler
    /// parameters of a body.
    fn find_by_inertia(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        let Self { rows, columns, has_inertia } = self;
        let entries = || pattern.entries().zip(values);
        let [mut inertia, mut gradients] = [0.0_f64; 2];
        for ((row, column), &value) in entries() {
            // Rows of constraints have the same entries as their columns.
            match [has_inertia[row], has_inertia[column]] {
                [true, true] => inertia = larger(inertia, value),
                [true, false] => gradients = larger(gradients, value),
                [false, _] => {}
            }
        }
        if !(inertia > 0.0 && gradients > WIDE * inertia) {
            return Err(Singular);
        }
        let share = inertia / gradients / gradients;
        columns.fill(0.0);
        for ((row, column), value) in entries() {
            match [has_inertia[row], has_inertia[column]] {
                [true, true] if row == column => columns[row] += value.abs(),
                [true, false] => columns[row] += share * value * value,
                _ => {}
            }
        }
        for (row, column) in rows.iter_mut().zip(columns.iter_mut()) {
            *column = if *column > 0.0 { inverse_power_of_two(column.sqrt())? } else { 0.0 };
            *row = *column;
        }
        // Those without are negative until both of their scales are known.
        for ((row, column), value) in entries() {
            if rows[row] <= 0.0 && columns[column] > 0.0 {
                rows[row] = rows[row].min(-value.abs() * columns[column]);
            }
        }
        for ((row, column), value) in entries() {
            if columns[column] <= 0.0 && rows[row] > 0.0 {
                columns[column] = columns[column].min(-value.abs() * rows[row]);
            }
        }
        for scale in rows.iter_mut().chain(columns.iter_mut()) {
            if *scale <= 0.0 {
                *scale = if *scale < 0.0 { inverse_power_of_two(-*scale)? } else { 1.0 };
            }
        }
        let largest =
            entries().fold(0.0, |largest, ((row, column), value)| larger(largest, value * rows[row] * columns[column]));
        let all = inverse_power_of_two(largest)?;
        rows.iter_mut().for_each(|scale| *scale *= all);
        Ok(())
    }
}

/// `2^−k` with `2^k ≤ x < 2^(k+1)`; scaling by it makes no rounding error.
fn inverse_power_of_two(x: f64) -> Result<f64, Singular> {
    if !(LEAST..=MOST).contains(&x) {
        return Err(Singular);
    }
    let exponent = x.to_bits() >> 52;
    Ok(f64::from_bits((2046 - exponent) << 52))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_bracket_the_value() {
        for x in [1e-20, 0.3, 1.0, 1.999, 2.0, 7e15] {
            let scaled = x * inverse_power_of_two(x).unwrap();
            assert!((1.0..2.0).contains(&scaled), "{x}");
        }
        assert_eq!(inverse_power_of_two(0.0), Err(Singular));
        assert_eq!(inverse_power_of_two(f64::NAN), Err(Singular));
    }
}
