//! Elimination of several matrices of one pattern at once, each in a lane, with the digits that each has alone.
//!
//! Full matrices exchange rows lane by lane. Of sparse ones each chooses its order of pivots as it would alone; those with
//! the same order, which are all as a rule, are eliminated together, and what has too rare an order has no solution here.

use std::ops::BitAnd;
use std::sync::Arc;

use super::dense::product;
use super::number::Number;
use super::panels::Panels;
use super::sparse::{RESIDUAL_LIMIT, SparseLu};
use super::{FULL, LARGEST, MOST, find_scales, is_regular};
use crate::lanes::Lanes;
use crate::real::Real;
use crate::sparsity::SparsityPattern;

/// Orders of pivots side by side: each takes as long as one alone.
const MOST_ORDERS: usize = 2;

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
    /// Room for the entries, rows, columns and scales of one lane.
    room: [Vec<f64>; 4],
}

enum Method<const N: usize> {
    Dense(LaneDense<N>),
    Sparse(Box<LaneSparse<N>>),
}

/// Elimination in orders of pivots that matrices have in common.
struct LaneSparse<const N: usize> {
    /// What chooses the orders, and which one each lane has chosen.
    alone: [Option<Box<SparseLu>>; N],
    chosen: [Option<usize>; N],
    orders: Vec<LaneOrder<N>>,
    /// Right-hand sides, and their solutions in one of several orders.
    given: Vec<Lanes<N>>,
    solution: Vec<Lanes<N>>,
}

/// An order of pivots, and factors.
struct LaneOrder<const N: usize> {
    panels: Panels<Lanes<N>>,
}

impl<const N: usize> LaneSolver<N> {
    pub(crate) fn new(pattern: SparsityPattern) -> Self {
        let (n, nnz) = (pattern.columns, pattern.nnz());
        let method = match FULL * nnz >= n * n {
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
            room: [nnz, n, n, nnz].map(|n| vec![0.0; n]),
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
        let mut is_kept: [bool; N] = std::array::from_fn(|lane| wanted[lane] && self.is_scaled[lane]);
        let is_small = pulp::Arch::new().dispatch(Scale { solver: self, given });
        for lane in 0..N {
            is_kept[lane] &= is_small[lane];
        }
        let mut is_regular = is_kept;
        if is_kept.contains(&true) {
            let usable = pulp::Arch::new().dispatch(Factor { solver: self });
            for lane in 0..N {
                is_regular[lane] &= usable[lane];
            }
        }
        if is_regular == wanted {
            return is_regular;
        }
        for lane in 0..N {
            if wanted[lane] == is_regular[lane] {
                continue;
            }
            is_regular[lane] = self.rescale(given, lane) && self.scale_lane(given, lane);
            if let (true, Method::Sparse(sparse)) = (is_regular[lane], &mut self.method) {
                is_regular[lane] = sparse.choose(&self.pattern, &self.values, lane);
            }
        }
        let usable = pulp::Arch::new().dispatch(Factor { solver: self });
        std::array::from_fn(|lane| is_regular[lane] && usable[lane])
    }

    /// Finds scales for the matrix of a lane; whether there are any.
    fn rescale(&mut self, given: &[[f64; N]], lane: usize) -> bool {
        let Self { pattern, room: [values, rows, columns, scales], .. } = self;
        values.iter_mut().zip(given).for_each(|(to, from)| *to = from[lane]);
        self.is_scaled[lane] = find_scales(pattern, values, rows, columns, |slot, scale| scales[slot] = scale).is_ok();
        if self.is_scaled[lane] {
            let set = |to: &mut [Lanes<N>], from: &[f64]| {
                to.iter_mut().zip(from).for_each(|(to, from)| to.0[lane] = *from);
            };
            set(&mut self.row_scales, rows);
            set(&mut self.column_scales, columns);
            set(&mut self.scales, scales);
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
        let again: [bool; N] = std::array::from_fn(|lane| is_tested[lane] && !accurate[lane]);
        if !again.contains(&true) {
            return accurate;
        }
        for lane in (0..N).filter(|&lane| again[lane]) {
            accurate[lane] = sparse.choose(pattern, values, lane);
        }
        sparse.factor(values);
        let LaneSparse { orders, chosen, given, solution, .. } = &mut **sparse;
        for lane in (0..N).filter(|&lane| again[lane]) {
            let Some(order) = chosen[lane] else { continue };
            solution.copy_from_slice(given);
            orders[order].panels.solve(solution);
            for ((to, from), scale) in rhs.iter_mut().zip(&*solution).zip(&*column_scales) {
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
}

impl<const N: usize> pulp::NullaryFnOnce for Factor<'_, N> {
    type Output = [bool; N];

    #[inline(always)]
    fn call(self) -> [bool; N] {
        let LaneSolver { values, method, .. } = self.solver;
        match method {
            Method::Dense(lu) => lu.factor(values).0,
            Method::Sparse(lu) => lu.factor(values),
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
                if is_tested || !lu.has_one_order() {
                    lu.given.copy_from_slice(rhs);
                }
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
    std::array::from_fn(|lane| left.0[lane] <= RESIDUAL_LIMIT * (of_solution.0[lane] + of_given.0[lane]))
}

impl<const N: usize> LaneSparse<N> {
    fn new(pattern: &SparsityPattern) -> Self {
        let zeros = || vec![Lanes::ZERO; pattern.columns];
        Self {
            alone: std::array::from_fn(|_| None),
            chosen: [None; N],
            orders: Vec::new(),
            given: zeros(),
            solution: zeros(),
        }
    }

    /// Chooses pivots for the matrix of a lane; whether there are any.
    fn choose(&mut self, pattern: &SparsityPattern, values: &[Lanes<N>], lane: usize) -> bool {
        let values: Vec<f64> = values.iter().map(|value| value.0[lane]).collect();
        let begun = || Box::new(SparseLu::new(pattern.columns));
        let alone = self.alone[lane].get_or_insert_with(begun);
        self.chosen[lane] = None;
        if alone.factor(pattern, &values).is_err() {
            return false;
        }
        let Some(pivots) = alone.kept_pivots() else { return false };
        let is_same = |order: &LaneOrder<N>| {
            let known = order.panels.pivots();
            known.columns == pivots.columns && known.row_position == pivots.row_position
        };
        let known = self.orders.iter().position(is_same);
        // One that no lane has any more makes room.
        let unused = || (0..MOST_ORDERS).find(|&order| !self.chosen.contains(&Some(order)));
        let Some(chosen) = known.or_else(unused) else { return false };
        if known.is_none() {
            let order = LaneOrder { panels: Panels::new(pattern, Arc::clone(pivots)) };
            match self.orders.get_mut(chosen) {
                Some(unused) => *unused = order,
                None => self.orders.push(order),
            }
        }
        self.chosen[lane] = Some(chosen);
        true
    }

    /// Whether all lanes that have an order have the same one.
    fn has_one_order(&self) -> bool {
        let mut chosen = self.chosen.iter().flatten();
        let first = chosen.next();
        chosen.all(|order| Some(order) == first)
    }

    #[inline(always)]
    fn factor(&mut self, values: &[Lanes<N>]) -> [bool; N] {
        let Self { chosen, orders, .. } = self;
        let mut usable = [false; N];
        for (order, LaneOrder { panels, .. }) in orders.iter_mut().enumerate() {
            if !chosen.contains(&Some(order)) {
                continue;
            }
            let of_order = panels.factor(values).0;
            for lane in 0..N {
                usable[lane] |= of_order[lane] && chosen[lane] == Some(order);
            }
        }
        usable
    }

    /// With several orders, right-hand sides stand in `given` too.
    #[inline(always)]
    fn solve(&mut self, rhs: &mut [Lanes<N>]) {
        let is_one = self.has_one_order();
        let Self { chosen, orders, given, solution, .. } = self;
        for (order, LaneOrder { panels, .. }) in orders.iter_mut().enumerate() {
            if !chosen.contains(&Some(order)) {
                continue;
            }
            if is_one {
                return panels.solve(rhs);
            }
            solution.copy_from_slice(given);
            panels.solve(solution);
            for (to, from) in rhs.iter_mut().zip(&*solution) {
                for lane in 0..N {
                    to.0[lane] = if chosen[lane] == Some(order) { from.0[lane] } else { to.0[lane] };
                }
            }
        }
    }
}

/// [`DenseLu`](super::dense::DenseLu) of each lane.
struct LaneDense<const N: usize> {
    n: usize,
    places: Vec<u32>,
    factors: Vec<Lanes<N>>,
    inverse_pivots: Vec<Lanes<N>>,
    /// The row of each lane that is exchanged with row k.
    exchanges: Vec<[u32; N]>,
}

impl<const N: usize> LaneDense<N> {
    fn new(pattern: &SparsityPattern) -> Self {
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
    fn factor(&mut self, values: &[Lanes<N>]) -> Mask<N> {
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
                let is_none: [bool; N] = std::array::from_fn(|lane| row[k].0[lane] == 0.0);
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
    fn solve(&self, rhs: &mut [Lanes<N>]) {
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
        row.iter_mut().zip(other).for_each(|(a, b)| std::mem::swap(&mut a.0[lane], &mut b.0[lane]));
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
