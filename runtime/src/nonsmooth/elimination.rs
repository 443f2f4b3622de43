//! Gaussian elimination with full pivoting for dense linear systems that may be singular because contacts are redundant,
//! e.g. the fourth leg of a table.
//!
//! Unknowns whose pivot vanishes are set to zero, which gives a solution of a consistent system. The caller must check
//! whether the system was consistent.

use super::problem::{Problem, Terms};

use crate::prelude::*;

#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    size: usize,
    /// Row by row, `[n × n]`.
    matrix: Vec<f64>,
    /// The right-hand side, then the solution, `[n]`.
    pub(super) rhs: Vec<f64>,
    columns: Vec<usize>,
    solution: Vec<f64>,
}

impl Elimination {
    /// Reserves memory for n unknowns.
    pub(super) fn reserve(&mut self, n: usize) {
        self.matrix.reserve(n * n);
        self.rhs.reserve(n);
        self.solution.reserve(n);
        self.columns.reserve(n);
    }

    /// The rows `L G R + D` of a problem, and a right-hand side.
    pub(super) fn set(&mut self, problem: &Problem, terms: &[Terms], rhs: &[f64]) {
        let n = problem.size();
        self.clear(n);
        problem.assemble(terms, |row, column, entry| self.matrix[row * n + column] = entry);
        self.rhs.copy_from_slice(rhs);
    }

    /// Sets a system of zeros.
    fn clear(&mut self, n: usize) {
        self.size = n;
        for (values, length) in [(&mut self.matrix, n * n), (&mut self.rhs, n), (&mut self.solution, n)] {
            values.clear();
            values.resize(length, 0.0);
        }
        self.columns.clear();
        self.columns.extend(0..n);
    }

    /// Replaces the right-hand side by a solution; pivots below `rounding` times the first are round-off.
    pub(super) fn solve(&mut self, rounding: f64) {
        let n = self.size;
        let mut rank = 0;
        let mut first = 0.0;
        while rank < n {
            let (row, column, pivot) = self.largest(rank);
            if rank == 0 {
                first = pivot;
            }
            // This also ends the elimination if the pivot is NaN.
            if pivot.is_nan() || pivot <= rounding * first {
                break;
            }
            self.exchange(rank, row, column);
            self.eliminate(rank);
            rank += 1;
        }
        self.solution.fill(0.0);
        for k in (0..rank).rev() {
            let known: f64 = (k + 1..rank).map(|j| self.matrix[k * n + j] * self.solution[self.columns[j]]).sum();
            self.solution[self.columns[k]] = (self.rhs[k] - known) / self.matrix[k * n + k];
        }
        core::mem::swap(&mut self.rhs, &mut self.solution);
    }

    fn largest(&self, from: usize) -> (usize, usize, f64) {
        let mut best = (from, from, 0.0);
        for row in from..self.size {
            for column in from..self.size {
                let size = self.matrix[row * self.size + column].abs();
                if size > best.2 {
                    best = (row, column, size);
                }
            }
        }
        best
    }

    fn exchange(&mut self, rank: usize, row: usize, column: usize) {
        let n = self.size;
        if row != rank {
            for k in 0..n {
                self.matrix.swap(rank * n + k, row * n + k);
            }
            self.rhs.swap(rank, row);
        }
        if column != rank {
            for k in 0..n {
                self.matrix.swap(k * n + rank, k * n + column);
            }
            self.columns.swap(rank, column);
        }
    }

    fn eliminate(&mut self, rank: usize) {
        let n = self.size;
        let (above, below) = self.matrix.split_at_mut((rank + 1) * n);
        let pivot_row = &above[rank * n..];
        for (k, row) in below.chunks_exact_mut(n).enumerate() {
            let factor = row[rank] / pivot_row[rank];
            if factor == 0.0 {
                continue;
            }
            for (entry, pivot) in row[rank..].iter_mut().zip(&pivot_row[rank..]) {
                *entry -= factor * pivot;
            }
            self.rhs[rank + 1 + k] -= factor * self.rhs[rank];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_and_consistent_singular_systems_are_solved() {
        let mut system = Elimination::default();
        system.clear(3);
        system.matrix.copy_from_slice(&[0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, -1.0]);
        system.rhs.copy_from_slice(&[7.0, 3.0, 0.0]);
        system.solve(1e-13);
        for (found, exact) in system.rhs.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - exact).abs() < 1e-14);
        }
        // The third equation is the sum of the first two.
        system.clear(3);
        let matrix = [2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 3.0, 4.0, 1.0];
        system.matrix.copy_from_slice(&matrix);
        system.rhs.copy_from_slice(&[3.0, 5.0, 8.0]);
        system.solve(1e-13);
        for (row, rhs) in matrix.chunks(3).zip([3.0, 5.0, 8.0]) {
            let value: f64 = row.iter().zip(&system.rhs).map(|(a, x)| a * x).sum();
            assert!((value - rhs).abs() < 1e-13);
        }
    }
}
