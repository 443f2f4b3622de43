//! Elimination of sparse matrices in lanes, in orders of pivots that they may have in common.

use alloc::sync::Arc;

use crate::lanes::Lanes;
use crate::linear_solver::number::Number;
use crate::linear_solver::panels::Panels;
use crate::linear_solver::sparse::SparseLu;
use crate::pivots::Pivots;
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// So many matrices with the same order of pivots take as long together as one by one.
const FEW: usize = 2;

/// Elimination in orders of pivots that matrices may have in common.
#[derive(Clone)]
pub(super) struct LaneSparse<const N: usize> {
    /// What chooses the orders, and eliminates one by one.
    alone: [Option<Box<SparseLu>>; N],
    /// Which lanes have chosen an order, and which of those below that is, if it has company.
    has_order: [bool; N],
    shared: [Option<usize>; N],
    orders: Vec<Panels<Lanes<N>>>,
    /// Right-hand sides, and their solutions in one of several orders; room for entries of one lane.
    pub(super) given: Vec<Lanes<N>>,
    solution: Vec<Lanes<N>>,
    entries: Vec<f64>,
    unknowns: Vec<f64>,
}

impl<const N: usize> LaneSparse<N> {
    pub(super) fn new(pattern: &SparsityPattern) -> Self {
        let n = pattern.columns;
        let zeros = || vec![Lanes::ZERO; n];
        Self {
            alone: core::array::from_fn(|_| None),
            has_order: [false; N],
            shared: [None; N],
            orders: Vec::new(),
            given: zeros(),
            solution: zeros(),
            entries: vec![0.0; pattern.nnz()],
            unknowns: vec![0.0; n],
        }
    }

    /// Chooses pivots for the matrix of a lane; whether there are any.
    pub(super) fn choose(&mut self, pattern: &SparsityPattern, values: &[Lanes<N>], lane: usize) -> bool {
        let Self { entries, alone, has_order, .. } = self;
        entries.iter_mut().zip(values).for_each(|(to, from)| *to = from.0[lane]);
        let begun = || Box::new(SparseLu::new(pattern.columns));
        has_order[lane] = alone[lane].get_or_insert_with(begun).factor(pattern, entries).is_ok();
        has_order[lane]
    }

    /// Finds out which lanes have the same order, after some have chosen theirs.
    pub(super) fn find_company(&mut self, pattern: &SparsityPattern) {
        let Self { alone, has_order, shared, orders, .. } = self;
        let order = |lane: usize| alone[lane].as_ref().filter(|_| has_order[lane])?.kept_pivots();
        let is_same = |one: &Arc<Pivots>, other: &Arc<Pivots>| {
            Arc::ptr_eq(one, other) || (&one.columns, &one.row_position) == (&other.columns, &other.row_position)
        };
        *shared = [None; N];
        let mut kept: Vec<Panels<Lanes<N>>> = Vec::new();
        for lane in 0..N {
            let (Some(own), None) = (order(lane), shared[lane]) else { continue };
            let company: Vec<usize> =
                (lane..N).filter(|&other| order(other).is_some_and(|other| is_same(other, own))).collect();
            if company.len() <= FEW {
                continue;
            }
            company.into_iter().for_each(|other| shared[other] = Some(kept.len()));
            let known = orders.iter().position(|panels| is_same(panels.pivots(), own));
            kept.push(match known {
                Some(known) => orders.swap_remove(known),
                None => Panels::new(pattern, Arc::clone(own)),
            });
        }
        *orders = kept;
    }

    /// Eliminates with the pivots at hand; where they are large enough. Of lanes that have no company those that are wanted.
    #[inline(always)]
    pub(super) fn factor(&mut self, values: &[Lanes<N>], wanted: [bool; N]) -> [bool; N] {
        let Self { shared, orders, alone, has_order, entries, .. } = self;
        let mut usable = [false; N];
        for (order, panels) in orders.iter_mut().enumerate() {
            let of_order = panels.factor(values).0;
            for lane in 0..N {
                usable[lane] |= of_order[lane] && shared[lane] == Some(order);
            }
        }
        for lane in 0..N {
            let (true, None, Some(alone)) = (has_order[lane], shared[lane], &mut alone[lane]) else { continue };
            if wanted[lane] {
                entries.iter_mut().zip(values).for_each(|(to, from)| *to = from.0[lane]);
                usable[lane] = alone.refactor(entries);
            }
        }
        usable
    }

    /// Solves for right-hand sides that stand in `given` too.
    #[inline(always)]
    pub(super) fn solve(&mut self, rhs: &mut [Lanes<N>]) {
        let Self { shared, orders, alone, has_order, given, solution, unknowns, .. } = self;
        if let [panels] = orders.as_mut_slice() {
            panels.solve(rhs);
        } else {
            for (order, panels) in orders.iter_mut().enumerate() {
                solution.copy_from_slice(given);
                panels.solve(solution);
                for (to, from) in rhs.iter_mut().zip(&*solution) {
                    for lane in 0..N {
                        to.0[lane] = if shared[lane] == Some(order) { from.0[lane] } else { to.0[lane] };
                    }
                }
            }
        }
        for lane in 0..N {
            let (true, None, Some(alone)) = (has_order[lane], shared[lane], &mut alone[lane]) else { continue };
            unknowns.iter_mut().zip(&*given).for_each(|(to, from)| *to = from.0[lane]);
            alone.substitute(unknowns);
            rhs.iter_mut().zip(&*unknowns).for_each(|(to, from)| to.0[lane] = *from);
        }
    }
}
