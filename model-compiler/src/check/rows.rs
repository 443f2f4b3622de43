//! Sparse rows: which of them depend on others, and the shortest step that they ask for.
//!
//! L D Lᵀ = G Gᵀ row by row, where the pivot of a row is the square of its distance from the span of the rows before.
//! The work grows with the entries of L, not with the third power of the number of rows. Squares lose half the digits,
//! so the factorisation has twice as many.

use std::collections::BTreeMap;

use crate::expr::DoubleDouble;

/// A row counts as dependent when this part of it, or less, is left beside the others.
const DEPENDENT: f64 = 1e-7;

/// A row shorter than this is rounding: of a constraint that holds whatever the coordinates are.
const ROUNDING: f64 = 1e-11;

/// Columns and values.
pub(super) type Row = BTreeMap<usize, f64>;

/// The factors of G Gᵀ without its dependent rows.
pub(super) struct Factors<'r> {
    rows: &'r [Row],
    /// D; dependent rows have none.
    pivots: Vec<Option<DoubleDouble>>,
    /// L below its diagonal, column by column.
    columns: Vec<Vec<(usize, DoubleDouble)>>,
}

impl<'r> Factors<'r> {
    pub(super) fn new(rows: &'r [Row]) -> Self {
        let mut factors = Factors { rows, pivots: Vec::new(), columns: vec![Vec::new(); rows.len()] };
        let mut by_column: BTreeMap<usize, Vec<(usize, DoubleDouble)>> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            let mut square = zero();
            let mut products: BTreeMap<usize, DoubleDouble> = BTreeMap::new();
            for (&column, &value) in row {
                let value = DoubleDouble::from_f64(value);
                square = square.add(value.mul(value));
                let earlier = by_column.entry(column).or_default();
                for &(other, factor) in &*earlier {
                    let product = products.entry(other).or_insert_with(zero);
                    *product = product.add(value.mul(factor));
                }
                earlier.push((index, value));
            }
            factors.append(index, square, products);
        }
        factors
    }

    /// Eliminates one row, given its products with itself and with the rows before.
    fn append(&mut self, index: usize, square: DoubleDouble, mut products: BTreeMap<usize, DoubleDouble>) {
        let (mut rest, mut multipliers) = (square, Vec::new());
        while let Some((known, product)) = products.pop_first() {
            let Some(pivot) = self.pivots[known] else { continue };
            let multiplier = product.div(pivot);
            rest = rest.sub(product.mul(multiplier));
            for &(later, factor) in &self.columns[known] {
                let entry = products.entry(later).or_insert_with(zero);
                *entry = entry.sub(product.mul(factor));
            }
            multipliers.push((known, multiplier));
        }
        let least = (DEPENDENT * DEPENDENT * square.to_f64()).max(ROUNDING * ROUNDING);
        let is_independent = rest.to_f64() > least;
        self.pivots.push(is_independent.then_some(rest));
        if is_independent {
            multipliers.into_iter().for_each(|(known, multiplier)| self.columns[known].push((index, multiplier)));
        }
    }

    /// For every row whether it depends on rows before it.
    #[cfg(test)]
    fn dependent(&self) -> impl Iterator<Item = bool> + '_ {
        self.pivots.iter().map(Option::is_none)
    }

    /// The shortest step that the independent rows ask for, G δ = −g, of `n` components: δ = −Gᵀ (G Gᵀ)⁻¹ g.
    pub(super) fn minimum_norm_step(&self, g: &[f64], n: usize) -> Vec<f64> {
        let mut y: Vec<DoubleDouble> = g.iter().map(|&g| DoubleDouble::from_f64(-g)).collect();
        for (k, column) in self.columns.iter().enumerate() {
            for &(i, factor) in column {
                y[i] = y[i].sub(factor.mul(y[k]));
            }
        }
        let mut step = vec![0.0; n];
        for (k, pivot) in self.pivots.iter().enumerate().rev() {
            let Some(pivot) = *pivot else { continue };
            let below = |sum: DoubleDouble, &(i, factor): &(usize, DoubleDouble)| sum.sub(factor.mul(y[i]));
            y[k] = self.columns[k].iter().fold(y[k].div(pivot), below);
            let part = y[k].to_f64();
            self.rows[k].iter().for_each(|(&column, value)| step[column] += part * value);
        }
        step
    }
}

fn zero() -> DoubleDouble {
    DoubleDouble::from_f64(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f64]) -> Row {
        values.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect()
    }

    #[test]
    fn the_last_of_dependent_rows_is_the_dependent_one() {
        let rows = [&[1.0, 2.0, 0.0], &[0.0, 1.0, 1.0], &[1.0 / 3.0, 1.0, 1.0 / 3.0], &[0.0, 0.0, 5.0]].map(|r| row(r));
        // The third is a third of the first and a third of the second.
        assert_eq!(Factors::new(&rows).dependent().collect::<Vec<_>>(), [false, false, true, false]);
    }

    #[test]
    fn nearly_dependent_rows_are_told_from_dependent_ones() {
        for (distance, is_dependent) in [(1e-6, false), (1e-8, true)] {
            let rows = [row(&[1.0, 0.1]), row(&[1.0, 0.1 + distance])];
            assert_eq!(Factors::new(&rows).dependent().last(), Some(is_dependent), "{distance}");
        }
    }

    #[test]
    fn steps_satisfy_the_rows_and_lie_in_their_span() {
        let rows = [row(&[1.0, 2.0, 0.0, 0.0]), row(&[0.0, 1.0, -1.0, 0.0]), row(&[1.0, 3.0, -1.0, 0.0])];
        let g = [0.5, -0.25, 0.25];
        let step = Factors::new(&rows).minimum_norm_step(&g, 4);
        for (row, g) in rows.iter().zip(g) {
            let residual: f64 = row.iter().map(|(&column, value)| value * step[column]).sum::<f64>() + g;
            assert!(residual.abs() < 1e-14, "{residual:e}");
        }
        // (2, −1, −1, 0) and the last axis are perpendicular to all rows.
        assert!((2.0 * step[0] - step[1] - step[2]).abs() < 1e-14 && step[3] == 0.0, "{step:?}");
    }
}
