//! Elimination with partial pivoting of full matrices in lanes, each of which exchanges its own rows.

use super::Mask;
use crate::lanes::Lanes;
use crate::linear_solver::dense::product;
use crate::linear_solver::number::Number;
use crate::prelude::*;
use crate::real::Real;
use crate::sparsity::SparsityPattern;

/// [`DenseLu`](crate::linear_solver::dense::DenseLu) of each lane.
#[derive(Clone)]
pub(super) struct LaneDense<const N: usize> {
    n: usize,
    places: Vec<u32>,
    factors: Vec<Lanes<N>>,
    inverse_pivots: Vec<Lanes<N>>,
    /// The row of each lane that is exchanged with row k.
    exchanges: Vec<[u32; N]>,
}

impl<const N: usize> LaneDense<N> {
    pub(super) fn new(pattern: &SparsityPattern) -> Self {
        let n = pattern.columns;
        Self {
            n,
            places: pattern.entries().map(|(row, column)| (row * n + column) as u32).collect(),
            factors: vec![Lanes::ZERO; n * n],
            inverse_pivots: vec![Lanes::ZERO; n],
            exchanges: vec![[0; N]; n],
        }
    }

    #[inline(always)]
    pub(super) fn factor(&mut self, values: &[Lanes<N>]) -> Mask<N> {
        let Self { n, places, factors, inverse_pivots, exchanges } = self;
        let n = *n;
        factors.fill(Lanes::ZERO);
        for (&place, &value) in places.iter().zip(values) {
            factors[place as usize] = value;
        }
        let mut regular = Lanes::<N>::EVERYWHERE;
        for k in 0..n {
            let mut largest = factors[k * n + k].abs();
            let mut rows = [k as u32; N];
            for row in k + 1..n {
                let candidate = factors[row * n + k].abs();
                for lane in 0..N {
                    let is_larger = candidate.0[lane] > largest.0[lane];
                    largest.0[lane] = if is_larger { candidate.0[lane] } else { largest.0[lane] };
                    rows[lane] = if is_larger { row as u32 } else { rows[lane] };
                }
            }
            regular = regular & largest.is_regular(n);
            exchanges[k] = rows;
            let (above, below) = factors.split_at_mut((k + 1) * n);
            let row_k = &mut above[k * n..];
            exchange(row_k, below, &rows, k, n);
            let inverse = Lanes::from_f64(1.0) / row_k[k];
            inverse_pivots[k] = inverse;
            for row in below.chunks_exact_mut(n) {
                // Rows without an entry stay as they are, down to the signs of their zeros.
                let is_none: [bool; N] = core::array::from_fn(|lane| row[k].0[lane] == 0.0);
                if is_none == [true; N] {
                    continue;
                }
                let (has_all, factor) = (is_none == [false; N], row[k] * inverse);
                row[k] = if has_all { factor } else { choose(&is_none, row[k], factor) };
                for (entry, &pivot_entry) in row[k + 1..].iter_mut().zip(&row_k[k + 1..]) {
                    let reduced = *entry - factor * pivot_entry;
                    *entry = if has_all { reduced } else { choose(&is_none, *entry, reduced) };
                }
            }
        }
        regular
    }

    #[inline(always)]
    pub(super) fn solve(&self, rhs: &mut [Lanes<N>]) {
        let n = self.n;
        for (k, rows) in self.exchanges.iter().enumerate() {
            let (above, below) = rhs.split_at_mut(k + 1);
            exchange(&mut above[k..], below, rows, k, 1);
        }
        for k in 1..n {
            let (known, rest) = rhs.split_at_mut(k);
            rest[0] = rest[0] - product(&self.factors[k * n..][..k], known);
        }
        for k in (0..n).rev() {
            let (rest, known) = rhs.split_at_mut(k + 1);
            rest[k] = (rest[k] - product(&self.factors[k * n..][k + 1..n], known)) * self.inverse_pivots[k];
        }
    }
}

/// Exchanges a row, of `n` values, with one of those below it, which may be another in each lane.
#[inline(always)]
fn exchange<const N: usize>(row: &mut [Lanes<N>], below: &mut [Lanes<N>], rows: &[u32; N], k: usize, n: usize) {
    if *rows == [k as u32; N] {
        return;
    }
    for lane in (0..N).filter(|&lane| rows[lane] != k as u32) {
        let other = &mut below[(rows[lane] as usize - k - 1) * n..][..n];
        row.iter_mut().zip(other).for_each(|(a, b)| core::mem::swap(&mut a.0[lane], &mut b.0[lane]));
    }
}

/// `first` in the lanes where something holds, else `second`.
#[inline(always)]
fn choose<const N: usize>(holds: &[bool; N], first: Lanes<N>, second: Lanes<N>) -> Lanes<N> {
    let mut out = second;
    for lane in 0..N {
        out.0[lane] = if holds[lane] { first.0[lane] } else { second.0[lane] };
    }
    out
}
