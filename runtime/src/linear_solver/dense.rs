//! Elimination with partial pivoting, in place.
//!
//! nalgebra's LU is not used because it allocates its permutation and its storage at every factorization.

use super::{SIDES, Singular, Work, is_regular};
use crate::prelude::*;
use crate::real::Real;
use crate::sparsity::SparsityPattern;

/// Dense LU factors, L below the diagonal with unit diagonal, by rows.
#[derive(Clone)]
pub(super) struct DenseLu {
    n: usize,
    /// Place of every entry of the pattern in `factors`.
    places: Vec<u32>,
    factors: Vec<f64>,
    inverse_pivots: Vec<f64>,
    /// The row exchanged with row k in elimination step k.
    exchanges: Vec<u32>,
    several: Vec<[f64; SIDES]>,
}

impl DenseLu {
    pub(super) fn new(pattern: &SparsityPattern) -> Self {
        let n = pattern.columns;
        let places = pattern.entries().map(|(row, column)| (row * n + column) as u32).collect();
        let zeros = |n: usize| vec![0.0; n];
        Self { n, places, factors: zeros(n * n), inverse_pivots: zeros(n), exchanges: vec![0; n], several: Vec::new() }
    }

    pub(super) fn work(&self) -> Work {
        let n = self.n as u64;
        Work { entries: n * n, factor: (n * n * n + 2 * n) / 3, solve: n * n }
    }

    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        let n = self.n;
        self.factors.fill(0.0);
        for (&place, &value) in self.places.iter().zip(values) {
            self.factors[place as usize] = value;
        }
        for k in 0..n {
            let (mut pivot_row, mut largest) = (k, self.factors[k * n + k].abs());
            for row in k + 1..n {
                let candidate = self.factors[row * n + k].abs();
                if candidate > largest {
                    (pivot_row, largest) = (row, candidate);
                }
            }
            if !is_regular(largest, n) {
                return Err(Singular);
            }
            self.exchanges[k] = pivot_row as u32;
            let (above, below) = self.factors.split_at_mut((k + 1) * n);
            let row_k = &mut above[k * n..];
            if pivot_row != k {
                let start = (pivot_row - k - 1) * n;
                row_k.swap_with_slice(&mut below[start..start + n]);
            }
            let inverse = 1.0 / row_k[k];
            self.inverse_pivots[k] = inverse;
            for row in below.chunks_exact_mut(n) {
                if row[k] == 0.0 {
                    continue;
                }
                let factor = row[k] * inverse;
                row[k] = factor;
                for (entry, &pivot_entry) in row[k + 1..].iter_mut().zip(&row_k[k + 1..]) {
                    *entry -= factor * pivot_entry;
                }
            }
        }
        Ok(())
    }

    /// The pivots in the order of the columns.
    pub(super) fn pivots(&self) -> Vec<f64> {
        (0..self.n).map(|k| self.factors[k * self.n + k]).collect()
    }

    pub(super) fn solve(&self, rhs: &mut [f64]) {
        let n = self.n;
        for (k, &row) in self.exchanges.iter().enumerate() {
            rhs.swap(k, row as usize);
        }
        for k in 1..n {
            let (known, rest) = rhs.split_at_mut(k);
            rest[0] -= product(&self.factors[k * n..][..k], known);
        }
        for k in (0..n).rev() {
            let (rest, known) = rhs.split_at_mut(k + 1);
            rest[k] = (rest[k] - product(&self.factors[k * n..][k + 1..n], known)) * self.inverse_pivots[k];
        }
    }

    /// The same for so many right-hand sides, whose entries stand together.
    pub(super) fn solve_several(&mut self, rhs: &mut [f64], width: usize) {
        let Self { n, factors, inverse_pivots, exchanges, several, .. } = self;
        let n = *n;
        let product = |factors: &[f64], known: &[[f64; SIDES]]| {
            factors.iter().zip(known).fold([-0.0; SIDES], |sum: [f64; SIDES], (factor, known)| {
                core::array::from_fn(|k| sum[k] + factor * known[k])
            })
        };
        several.resize(n, [0.0; SIDES]);
        for first in (0..width).step_by(SIDES) {
            let count = SIDES.min(width - first);
            for (x, values) in several.iter_mut().zip(rhs.chunks_exact(width)) {
                x[..count].copy_from_slice(&values[first..][..count]);
            }
            for (k, &row) in exchanges.iter().enumerate() {
                several.swap(k, row as usize);
            }
            for k in 1..n {
                let (known, rest) = several.split_at_mut(k);
                let sum = product(&factors[k * n..][..k], known);
                rest[0].iter_mut().zip(sum).for_each(|(rest, sum)| *rest -= sum);
            }
            for k in (0..n).rev() {
                let (rest, known) = several.split_at_mut(k + 1);
                let sum = product(&factors[k * n..][k + 1..n], known);
                rest[k].iter_mut().zip(sum).for_each(|(rest, sum)| *rest = (*rest - sum) * inverse_pivots[k]);
            }
            for (x, values) in several.iter().zip(rhs.chunks_exact_mut(width)) {
                values[first..][..count].copy_from_slice(&x[..count]);
            }
        }
    }
}

/// The scalar product, term by term.
#[inline(always)]
pub(super) fn product<S: Real>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::from_f64(-0.0), |sum, (a, b)| sum + *a * *b)
}
