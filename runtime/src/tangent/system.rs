//! Systems of linear equations that a program of additions assembles in the same order each time, by their shapes.

use super::bundle::Bundle;
use crate::linear_solver::{LinearSolver, Singular};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// A matrix, or its transpose, and its factors. The places of entries are found the first time and kept.
pub(super) struct System {
    is_transposed: bool,
    size: usize,
    left_out: Vec<usize>,
    /// The first time: entries in the order in which they came.
    entries: Vec<(usize, usize, f64)>,
    known: Option<Known>,
}

/// What decides the places of entries in a system.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Shape {
    instants: usize,
    levels: [u8; 2],
    left_out: Vec<usize>,
    /// Which of the maps from A are zero; of a projection what it is of.
    pub(super) zeros: Vec<bool>,
}

impl Shape {
    /// So many instants, none of a projection, with constraints at these levels; what is zero follows.
    pub(super) fn begin(&mut self, instants: usize, levels: [u8; 2], left_out: &[usize]) {
        (self.instants, self.levels) = (instants, levels);
        self.left_out.clear();
        self.left_out.extend_from_slice(left_out);
        self.zeros.clear();
    }
}

/// The systems of a player, one for each shape: there are few.
#[derive(Default)]
pub(super) struct Systems {
    /// Those that are in use are not here.
    all: Vec<(Shape, Option<System>)>,
    /// The shape that is sought.
    sought: Shape,
}

impl Systems {
    /// The system of a shape, with its place, to be put back.
    pub(super) fn take(&mut self, fill: impl FnOnce(&mut Shape), new: impl FnOnce() -> System) -> (usize, System) {
        fill(&mut self.sought);
        let known = self.all.iter().position(|(shape, _)| *shape == self.sought);
        let place = known.unwrap_or_else(|| {
            self.all.push((self.sought.clone(), None));
            self.all.len() - 1
        });
        (place, self.all[place].1.take().unwrap_or_else(new))
    }

    pub(super) fn put_back(&mut self, place: usize, system: System) {
        self.all[place].1 = Some(system);
    }

    /// Replaces each column by the solution for the matrix that was factorized last.
    pub(super) fn solve(&mut self, place: usize, rhs: &mut Bundle) {
        self.all[place].1.iter_mut().for_each(|system| system.solve(rhs));
    }
}

struct Known {
    slots: Vec<u32>,
    next: usize,
    values: Vec<f64>,
    solver: LinearSolver,
}

impl System {
    pub(super) fn new(size: usize, is_transposed: bool, left_out: Vec<usize>) -> Self {
        Self { is_transposed, size, left_out, entries: Vec::new(), known: None }
    }

    pub(super) fn begin(&mut self) {
        if let Some(known) = &mut self.known {
            known.values.fill(0.0);
            known.next = 0;
        }
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        match &mut self.known {
            Some(known) => {
                known.values[known.slots[known.next] as usize] += value;
                known.next += 1;
            }
            None => {
                let (row, column) = if self.is_transposed { (column, row) } else { (row, column) };
                self.entries.push((row, column, value));
            }
        }
    }

    pub(super) fn factor(&mut self) -> Result<(), Singular> {
        let known = self.known.get_or_insert_with(|| {
            let places = self.entries.iter().map(|&(row, column, _)| (row, column));
            let diagonal = (0..self.size).map(|i| (i, i));
            let pattern = SparsityPattern::from_entries(self.size, self.size, places.chain(diagonal));
            let slot = |&(row, column, _): &(usize, usize, f64)| pattern.slot(row, column).unwrap_or_default() as u32;
            let slots: Vec<u32> = self.entries.iter().map(slot).collect();
            let mut values = vec![0.0; pattern.nnz()];
            for (slot, entry) in slots.iter().zip(self.entries.drain(..)) {
                values[*slot as usize] += entry.2;
            }
            let mut solver = LinearSolver::new(pattern);
            solver.leave_out(&self.left_out);
            Known { next: slots.len(), slots, values, solver }
        });
        debug_assert_eq!(known.next, known.slots.len(), "the same entries each time");
        known.solver.factor(&known.values)
    }

    /// Replaces each vector by the solution.
    pub(super) fn solve(&mut self, rhs: &mut Bundle) {
        if let Some(known) = &mut self.known {
            let width = rhs.width();
            known.solver.solve_several(rhs.values_mut(), width);
        }
    }
}
