//! Sparse linear systems of contact problems, block by block, for Newton's method, the interior-point method and paths.

use super::problem::{Problem, Terms};
use crate::linear_solver::{LinearSolver, Singular};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

#[derive(Clone, Default)]
pub(super) struct SparseSystem {
    solver: Option<LinearSolver>,
    /// Number of tangents of each contact of the prepared pattern, and the pairs of contacts that are coupled.
    tangents: Vec<usize>,
    meetings: Vec<(usize, usize)>,
    /// Indices of the entries of all blocks among the values, block by block in rows.
    places: Vec<usize>,
    values: Vec<f64>,
}

impl SparseSystem {
    /// Prepares the sparsity pattern of a problem: entries where contacts are coupled.
    pub(super) fn prepare(&mut self, problem: &Problem) {
        let contacts = &problem.contacts;
        let meetings =
            || (0..contacts.len()).flat_map(|on| problem.couplings().row(on).iter().map(move |&(from, _)| (on, from)));
        let tangents = || contacts.iter().map(|contact| contact.tangents);
        if tangents().eq(self.tangents.iter().copied()) && meetings().eq(self.meetings.iter().copied()) {
            return;
        }
        self.tangents.clear();
        self.tangents.extend(tangents());
        self.meetings.clear();
        self.meetings.extend(meetings());
        let entries = || {
            self.meetings.iter().flat_map(|&(on, from)| {
                contacts[on].all().flat_map(move |row| contacts[from].all().map(move |column| (row, column)))
            })
        };
        let pattern = SparsityPattern::from_entries(problem.size(), problem.size(), entries());
        self.places.clear();
        self.places.extend(entries().filter_map(|(row, column)| pattern.slot(row, column)));
        self.values.resize(pattern.nnz(), 0.0);
        self.solver = Some(LinearSolver::new(pattern));
    }

    /// Factorizes `L G R + D` of the prepared problem, with this added to its diagonal.
    pub(super) fn factor(&mut self, problem: &Problem, damping: f64, terms: &[Terms]) -> Result<(), Singular> {
        let solver = self.solver.as_mut().ok_or(Singular)?;
        let mut places = self.places.iter();
        problem.assemble(terms, |row, column, entry| {
            if let Some(&place) = places.next() {
                self.values[place] = entry + if row == column { damping } else { 0.0 };
            }
        });
        solver.factor(&self.values)
    }

    /// Replaces a right-hand side by the solution for the matrix factorized last, without testing it.
    pub(super) fn solve_untested(&mut self, rhs: &mut [f64]) {
        if let Some(solver) = &mut self.solver {
            solver.solve_untested(rhs);
        }
    }

    /// Replaces a right-hand side by the solution for the matrix factorized last.
    pub(super) fn solve(&mut self, rhs: &mut [f64]) {
        if let Some(solver) = &mut self.solver {
            solver.solve(rhs);
        }
    }
}
