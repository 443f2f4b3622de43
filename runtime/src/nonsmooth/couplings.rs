//! Which rows of a contact problem act on which: G without its zeros, and linear systems of the same pattern.
//!
//! Few contacts share a body, so that G is sparse where contacts are many.

use super::problem::Problem;
use crate::linear_solver::{LinearSolver, Singular};
use crate::sparsity::OwnedPattern;

#[derive(Default)]
pub(super) struct Couplings {
    /// Entries of G that are not zero, row by row.
    row_starts: Vec<usize>,
    columns: Vec<usize>,
    entries: Vec<f64>,
    /// The pattern of the problem that was read last, and the values of its matrix.
    system: Option<(OwnedPattern, LinearSolver)>,
    values: Vec<f64>,
}

impl Couplings {
    /// Makes room for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.row_starts.reserve(rows + 1);
        self.columns.reserve(rows * rows);
        self.entries.reserve(rows * rows);
    }

    /// Keeps the entries of a problem, and prepares matrices with entries in all rows and columns of contacts that G
    /// couples.
    pub(super) fn read(&mut self, problem: &Problem) {
        self.row_starts.clear();
        self.columns.clear();
        self.entries.clear();
        for row in 0..problem.size() {
            self.row_starts.push(self.columns.len());
            for (column, &entry) in problem.row(row).iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
                self.columns.push(column);
                self.entries.push(entry);
            }
        }
        self.row_starts.push(self.columns.len());

        let n = problem.size();
        let pattern = OwnedPattern::from_entries(n, n, self.meetings(problem));
        if self.system.as_ref().is_none_or(|(last, _)| *last != pattern) {
            self.system = Some((pattern.clone(), LinearSolver::from_pattern(pattern)));
        }
    }

    /// Rows and columns of contacts that act on each other, or on themselves.
    fn meetings(&self, problem: &Problem) -> Vec<(usize, usize)> {
        let mut contact_of = vec![0; problem.size()];
        for (index, contact) in problem.contacts.iter().enumerate() {
            contact_of[contact.all()].fill(index);
        }
        let mut meetings = Vec::new();
        for (index, contact) in problem.contacts.iter().enumerate() {
            let acting = contact.all().flat_map(|row| self.row(row).map(|(column, _)| contact_of[column]));
            let mut others: Vec<usize> = acting.chain([index]).collect();
            others.sort_unstable();
            others.dedup();
            for other in others {
                let columns = problem.contacts[other].all();
                meetings.extend(contact.all().flat_map(|row| columns.clone().map(move |column| (row, column))));
            }
        }
        meetings
    }

    /// The entries of a row, with their columns.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.row_starts[row]..self.row_starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(self.entries[range].iter().copied())
    }

    /// A row of G times a vector.
    pub(super) fn times(&self, row: usize, vector: &[f64]) -> f64 {
        self.row(row).map(|(column, entry)| entry * vector[column]).sum()
    }

    /// Factorizes a matrix of the prepared pattern.
    pub(super) fn factor(&mut self, entry: impl Fn(usize, usize) -> f64) -> Result<(), Singular> {
        let (pattern, solver) = self.system.as_mut().ok_or(Singular)?;
        self.values.clear();
        self.values.extend(pattern.entries().map(|(row, column)| entry(row, column)));
        solver.factor(&self.values)
    }

    /// Replaces a right-hand side by the solution for the matrix factorized last.
    pub(super) fn solve(&mut self, rhs: &mut [f64]) {
        if let Some((_, solver)) = &mut self.system {
            solver.solve(rhs);
        }
    }
}
