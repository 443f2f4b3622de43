//! Elimination of several matrices of one pattern at once, each in a lane, with the digits that each has alone.
//!
//! Full matrices exchange rows lane by lane. Of sparse ones each chooses its order of pivots as it would alone; those with
//! the same order are eliminated together, if they are enough, and the others one by one.

mod dense;
mod sparse;

use core::ops::BitAnd;

use self::dense::LaneDense;
use self::sparse::LaneSparse;
use super::number::Number;
use super::scales::{MOST, ScaledBy, Scales, TRIED};
use super::sparse::RESIDUAL_LIMIT;
use super::{LARGEST, is_full, is_regular};
use crate::lanes::Lanes;
use crate::prelude::*;
use crate::real::Real;
use crate::sparsity::SparsityPattern;

/// For which lanes something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask<const N: usize>(pub(crate) [bool; N]);

impl<const N: usize> BitAnd for Mask<N> {
    type Output = Self;

    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] &= other.0[i];
        }
        self
    }
}

impl<const N: usize> Mask<N> {
    #[inline(always)]
    pub(crate) fn of(holds: impl Fn(usize) -> bool) -> Self {
        let mut mask = Mask([false; N]);
        for i in 0..N {
            mask.0[i] = holds(i);
        }
        mask
    }

    #[inline(always)]
    pub(crate) fn is_anywhere(self) -> bool {
        self.0.iter().fold(false, |any, holds| any | holds)
    }
}

impl<const N: usize> Number for Lanes<N> {
    const ZERO: Self = Lanes([0.0; N]);
    type Where = Mask<N>;
    const EVERYWHERE: Mask<N> = Mask([true; N]);

    #[inline(always)]
    fn is_anywhere(holds: Mask<N>) -> bool {
        holds.is_anywhere()
    }

    #[inline(always)]
    fn is_at_most(self, bound: f64) -> Mask<N> {
        Mask::of(
            #[inline(always)]
            |i| self.0[i].abs() <= bound,
        )
    }

    #[inline(always)]
    fn is_regular(self, n: usize) -> Mask<N> {
        Mask::of(
            #[inline(always)]
            |i| is_regular(self.0[i], n),
        )
    }
}

/// A solver for as many matrices of one pattern as there are lanes.
#[derive(Clone)]
pub(crate) struct LaneSolver<const N: usize> {
    pattern: SparsityPattern,
    row_scales: Vec<Lanes<N>>,
    column_scales: Vec<Lanes<N>>,
    scales: Vec<Lanes<N>>,
    is_scaled: [bool; N],
    /// The scaled matrices.
    values: Vec<Lanes<N>>,
    method: Method<N>,
    /// Room for a right-hand side, and for what is left of it.
    rhs: Vec<Lanes<N>>,
    rest: Vec<Lanes<N>>,
    /// Room for the entries of one lane and their scales.
    entries: Vec<f64>,
    of_lane: Scales,
}

#[derive(Clone)]
enum Method<const N: usize> {
    Dense(LaneDense<N>),
    Sparse(Box<LaneSparse<N>>),
}

impl<const N: usize> LaneSolver<N> {
    pub(crate) fn new(pattern: SparsityPattern) -> Self {
        let (n, nnz) = (pattern.columns, pattern.nnz());
        let method = match is_full(&pattern) {
            true => Method::Dense(LaneDense::new(&pattern)),
            false => Method::Sparse(Box::new(LaneSparse::new(&pattern))),
        };
        let ones = |n: usize| vec![Lanes([1.0; N]); n];
        Self {
            row_scales: ones(n),
            column_scales: ones(n),
            scales: ones(nnz),
            is_scaled: [false; N],
            values: vec![Lanes::ZERO; nnz],
            method,
            rhs: vec![Lanes::ZERO; n],
            rest: vec![Lanes::ZERO; n],
            entries: vec![0.0; nnz],
            of_lane: Scales::new(&pattern, &[]),
            pattern,
        }
    }

    /// Number of unknowns of a lane.
    pub(crate) fn size(&self) -> usize {
        self.pattern.columns
    }

    /// Number of entries of a lane.
    pub(crate) fn nnz(&self) -> usize {
        self.pattern.nnz()
    }

    /// Factorizes the matrices of the lanes that are wanted; the other lanes repeat what they had, from the values that they
    /// still have. For which of those that are wanted it has succeeded.
    pub(crate) fn factor(&mut self, given: &[[f64; N]], wanted: [bool; N]) -> [bool; N] {
        // Scales and pivots of an earlier matrix serve while entries are small with them, and pivots large enough.
        let mut is_kept: [bool; N] = core::array::from_fn(|lane| wanted[lane] && self.is_scaled[lane]);
        let is_small = pulp::Arch::new().dispatch(Scale { solver: self, given });
        for lane in 0..N {
            is_kept[lane] &= is_small[lane];
        }
        let mut is_regular = is_kept;
        if is_kept.contains(&true) {
            let usable = pulp::Arch::new().dispatch(Factor { solver: self, wanted });
            for lane in 0..N {
                is_regular[lane] &= usable[lane];
            }
        }
        for by in TRIED {
            let again: [bool; N] = core::array::from_fn(|lane| {
                wanted[lane] && !is_regular[lane] && self.rescale(by, given, lane) && self.scale_lane(given, lane)
            });
            if !again.contains(&true) {
                continue;
            }
            is_regular = self.factor_anew(again, is_regular);
        }
        is_regular
    }

    /// Factorizes all scaled matrices, with new pivots of some lanes; which of those and of the ones before are regular.
    fn factor_anew(&mut self, again: [bool; N], before: [bool; N]) -> [bool; N] {
        let mut has_pivots: [bool; N] = core::array::from_fn(|lane| again[lane] || before[lane]);
        if let Method::Sparse(sparse) = &mut self.method {
            for lane in (0..N).filter(|&lane| again[lane]) {
                has_pivots[lane] = sparse.choose(&self.pattern, &self.values, lane);
            }
            sparse.find_company(&self.pattern);
        }
        let usable = pulp::Arch::new().dispatch(Factor { solver: self, wanted: [true; N] });
        core::array::from_fn(|lane| has_pivots[lane] && usable[lane])
    }

    /// Finds scales for the matrix of a lane; whether there are any of this kind.
    fn rescale(&mut self, by: ScaledBy, given: &[[f64; N]], lane: usize) -> bool {
        let Self { pattern, entries, of_lane, .. } = self;
        entries.iter_mut().zip(given).for_each(|(to, from)| *to = from[lane]);
        self.is_scaled[lane] = of_lane.find(by, pattern, entries).is_ok();
        if self.is_scaled[lane] {
            let set = |to: &mut [Lanes<N>], from: &[f64]| {
                to.iter_mut().zip(from).for_each(|(to, from)| to.0[lane] = *from);
            };
            set(&mut self.row_scales, &of_lane.rows);
            set(&mut self.column_scales, &of_lane.columns);
            for (scale, (row, column)) in self.scales.iter_mut().zip(pattern.entries()) {
                scale.0[lane] = of_lane.rows[row] * of_lane.columns[column];
            }
        }
        self.is_scaled[lane]
    }

    /// Scales the matrix of one lane; whether its entries are numbers of about one at most.
    fn scale_lane(&mut self, given: &[[f64; N]], lane: usize) -> bool {
        let mut is_small = true;
        for ((scaled, value), scale) in self.values.iter_mut().zip(given).zip(&self.scales) {
            scaled.0[lane] = value[lane] * scale.0[lane];
            is_small &= (scaled.0[lane].abs() <= LARGEST) & (value[lane].abs() <= MOST);
        }
        is_small
    }

    /// Replaces right-hand sides by solutions. Those of some lanes are tested, as elimination with kept pivots loses accuracy
    /// silently, and other pivots chosen where they do not satisfy the equations; for which lanes they do.
    pub(crate) fn solve(&mut self, rhs: &mut [[f64; N]], is_tested: [bool; N]) -> [bool; N] {
        let any_is_tested = is_tested.contains(&true);
        let mut accurate = pulp::Arch::new().dispatch(Solve { solver: self, rhs, is_tested: any_is_tested });
        let Self { pattern, values, method: Method::Sparse(sparse), column_scales, .. } = self else { return accurate };
        let again: [bool; N] = core::array::from_fn(|lane| is_tested[lane] && !accurate[lane]);
        if !again.contains(&true) {
            return accurate;
        }
        for lane in (0..N).filter(|&lane| again[lane]) {
            accurate[lane] = sparse.choose(pattern, values, lane);
        }
        sparse.find_company(pattern);
        sparse.factor(values, [true; N]);
        let mut solution = sparse.given.clone();
        sparse.solve(&mut solution);
        for ((to, from), scale) in rhs.iter_mut().zip(&solution).zip(&*column_scales) {
            for lane in (0..N).filter(|&lane| again[lane]) {
                to[lane] = from.0[lane] * scale.0[lane];
            }
        }
        accurate
    }

    /// `out = |A| x` for given values of the pattern.
    pub(crate) fn absolute_product(&self, values: &[[f64; N]], x: &[[f64; N]], out: &mut [[f64; N]]) {
        out.fill([0.0; N]);
        for ((row, column), value) in self.pattern.entries().zip(values) {
            for lane in 0..N {
                out[row][lane] += value[lane].abs() * x[column][lane];
            }
        }
    }
}

struct Scale<'a, const N: usize> {
    solver: &'a mut LaneSolver<N>,
    given: &'a [[f64; N]],
}

impl<const N: usize> pulp::NullaryFnOnce for Scale<'_, N> {
    type Output = [bool; N];

    #[inline(always)]
    fn call(self) -> [bool; N] {
        let Self { solver: LaneSolver { values, scales, .. }, given } = self;
        let mut is_small = Lanes::<N>::EVERYWHERE;
        for ((scaled, value), scale) in values.iter_mut().zip(given).zip(&*scales) {
            let value = Lanes(*value);
            *scaled = value * *scale;
            is_small = is_small & scaled.is_at_most(LARGEST) & value.is_at_most(MOST);
        }
        is_small.0
    }
}

struct Factor<'a, const N: usize> {
    solver: &'a mut LaneSolver<N>,
    wanted: [bool; N],
}

impl<const N: usize> pulp::NullaryFnOnce for Factor<'_, N> {
    type Output = [bool; N];

    #[inline(always)]
    fn call(self) -> [bool; N] {
        let LaneSolver { values, method, .. } = self.solver;
        match method {
            Method::Dense(lu) => lu.factor(values).0,
            Method::Sparse(lu) => lu.factor(values, self.wanted),
        }
    }
}

struct Solve<'a, const N: usize> {
    solver: &'a mut LaneSolver<N>,
    rhs: &'a mut [[f64; N]],
    is_tested: bool,
}

impl<const N: usize> pulp::NullaryFnOnce for Solve<'_, N> {
    type Output = [bool; N];

    #[inline(always)]
    fn call(self) -> [bool; N] {
        let Self { solver, rhs: given, is_tested } = self;
        let LaneSolver { pattern, row_scales, column_scales, values, method, rhs, rest, .. } = solver;
        for ((entry, given), scale) in rhs.iter_mut().zip(&*given).zip(&*row_scales) {
            *entry = Lanes(*given) * *scale;
        }
        let mut accurate = [true; N];
        match method {
            Method::Dense(lu) => lu.solve(rhs),
            Method::Sparse(lu) => {
                lu.given.copy_from_slice(rhs);
                lu.solve(rhs);
                if is_tested {
                    rest.copy_from_slice(&lu.given);
                    accurate = is_accurate(pattern, values, rest, rhs);
                }
            }
        }
        for ((given, entry), scale) in given.iter_mut().zip(&*rhs).zip(&*column_scales) {
            *given = (*entry * *scale).0;
        }
        accurate
    }
}

/// The test of [`SparseLu`]; what is left of the right-hand sides replaces them.
#[inline(always)]
fn is_accurate<const N: usize>(
    pattern: &SparsityPattern,
    values: &[Lanes<N>],
    given: &mut [Lanes<N>],
    solution: &[Lanes<N>],
) -> [bool; N] {
    let size = |vector: &[Lanes<N>]| vector.iter().fold(Lanes::<N>::ZERO, |largest, x| largest.max(x.abs()));
    let of_given = size(given);
    for (column, x) in solution.iter().enumerate() {
        let slots = pattern.column(column);
        for (&row, value) in pattern.row_indices()[slots.clone()].iter().zip(&values[slots]) {
            given[row as usize] = given[row as usize] - *value * *x;
        }
    }
    let (left, of_solution) = (size(given), size(solution));
    core::array::from_fn(|lane| left.0[lane] <= RESIDUAL_LIMIT * (of_solution.0[lane] + of_given.0[lane]))
}
