//! The linear system of a path's pieces: factorized for one piece, then changed contact by contact.
//!
//! A path that crosses a boundary changes the columns of one contact. With A₀ factorized and the changes ΔC of some
//! columns, A = A₀ + ΔC Eᵀ has the solution `x = x₀ − Z u`, where `Z = A₀⁻¹ ΔC` and `(I + Eᵀ Z) u = Eᵀ x₀` (Sherman,
//! Morrison and Woodbury). A crossing costs one or two substitutions instead of a factorization.

use super::couplings::{Block3, times};
use super::problem::{Problem, Terms};
use super::sparse_system::SparseSystem;

/// Largest number of changed columns; beyond it, the small system and the products with Z cost as much as a factorization.
const MOST_COLUMNS: usize = 24;
/// Pivots of the small system below this fraction of its largest entry leave too few digits.
const LEAST_PIVOT: f64 = 1e-6;

/// The factorized system with its changes, and what it solves: the start of a path and its rate.
#[derive(Default)]
pub(super) struct ChangedSystem {
    /// Whether A₀ is factorized and the changes are known.
    is_usable: bool,
    /// Terms of A₀.
    terms: Vec<Terms>,
    /// Parameter of the path, y and its rate, as A₀ gives them.
    t: f64,
    y: Vec<f64>,
    rate: Vec<f64>,
    /// The changed columns, and Z, column by column.
    columns: Vec<usize>,
    changes: Vec<f64>,
    /// I + Eᵀ Z, row by row, and right-hand sides of the small system.
    small: Vec<f64>,
    sides: Vec<[f64; 2]>,
}

impl ChangedSystem {
    /// Reserves memory for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.terms.reserve(rows);
        self.y.reserve(rows);
        self.rate.reserve(rows);
        self.columns.reserve(MOST_COLUMNS);
        self.changes.reserve(rows * MOST_COLUMNS);
        self.small.reserve(MOST_COLUMNS * MOST_COLUMNS);
        self.sides.reserve(MOST_COLUMNS);
    }

    /// Whether the solutions are those of a factorization, without changes.
    pub(super) fn is_unchanged(&self) -> bool {
        self.is_usable && self.columns.is_empty()
    }

    /// The next solution needs a factorization.
    pub(super) fn forget(&mut self) {
        self.is_usable = false;
    }

    /// Stores the terms that were factorized, and the solutions at this t.
    pub(super) fn store(&mut self, terms: &[Terms], t: f64, y: &[f64], rate: &[f64]) {
        self.terms.clear();
        self.terms.extend_from_slice(terms);
        for (stored, values) in [(&mut self.y, y), (&mut self.rate, rate)] {
            stored.clear();
            stored.extend_from_slice(values);
        }
        self.t = t;
        self.columns.clear();
        self.changes.clear();
        self.is_usable = true;
    }

    /// Changes the terms of a contact, whose L stays the identity.
    pub(super) fn change(&mut self, problem: &Problem, system: &mut SparseSystem, index: usize, terms: &Terms) {
        if !self.is_usable {
            return;
        }
        let (n, contact) = (problem.size(), problem.contacts[index]);
        while let Some(at) = self.columns.iter().position(|column| contact.all().contains(column)) {
            self.columns.remove(at);
            self.changes.drain(at * n..(at + 1) * n);
        }
        let [right, own] = [(&terms.right, &self.terms[index].right), (&terms.own, &self.terms[index].own)]
            .map(|(new, old)| difference(new, old));
        for (l, column) in contact.all().enumerate() {
            let [right, own] = [right, own].map(|block| block.map(|row| row[l]));
            if right.into_iter().chain(own).all(|entry| entry == 0.0) {
                continue;
            }
            if self.columns.len() == MOST_COLUMNS {
                self.is_usable = false;
                return;
            }
            let start = self.changes.len();
            self.changes.resize(start + n, 0.0);
            let change = &mut self.changes[start..];
            // Contacts that act on each other do so mutually.
            for &(on, _) in problem.couplings().row(index) {
                let rows = problem.contacts[on].all();
                let entries = problem.couplings().block(on, index).map_or([0.0; 3], |block| times(block, &right));
                rows.zip(entries).for_each(|(row, entry)| change[row] = entry);
            }
            contact.all().zip(own).for_each(|(row, entry)| change[row] += entry);
            system.solve(change);
            self.columns.push(column);
        }
    }

    /// Computes y for this t, and its rate; `false` if a factorization is needed.
    pub(super) fn solve(&mut self, t: f64, y: &mut [f64], rate: &mut [f64]) -> bool {
        if !self.is_usable {
            return false;
        }
        rate.copy_from_slice(&self.rate);
        for ((y, stored), rate) in y.iter_mut().zip(&self.y).zip(&self.rate) {
            *y = stored + (self.t - t) * rate;
        }
        if !self.solve_small(y, rate) {
            self.is_usable = false;
            return false;
        }
        for (change, [of_y, of_rate]) in self.changes.chunks_exact(y.len().max(1)).zip(&self.sides) {
            for ((y, rate), change) in y.iter_mut().zip(&mut *rate).zip(change) {
                *y -= of_y * change;
                *rate -= of_rate * change;
            }
        }
        true
    }

    /// Computes u of both solutions by elimination with exchange of rows; `false` if digits are lost.
    fn solve_small(&mut self, y: &[f64], rate: &[f64]) -> bool {
        let (n, count) = (y.len(), self.columns.len());
        self.small.clear();
        self.sides.clear();
        for (k, &row) in self.columns.iter().enumerate() {
            let entry = |l: usize| self.changes[l * n + row] + if l == k { 1.0 } else { 0.0 };
            self.small.extend((0..count).map(entry));
            self.sides.push([y[row], rate[row]]);
        }
        let least = LEAST_PIVOT * self.small.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        for k in 0..count {
            let size = |row: usize| self.small[row * count + k].abs();
            let pivot = (k..count).fold(k, |best, row| if size(row) > size(best) { row } else { best });
            if size(pivot).is_nan() || size(pivot) < least {
                return false;
            }
            if pivot != k {
                (0..count).for_each(|l| self.small.swap(k * count + l, pivot * count + l));
                self.sides.swap(k, pivot);
            }
            for row in k + 1..count {
                let factor = self.small[row * count + k] / self.small[k * count + k];
                for l in k..count {
                    self.small[row * count + l] -= factor * self.small[k * count + l];
                }
                for side in 0..2 {
                    self.sides[row][side] -= factor * self.sides[k][side];
                }
            }
        }
        for k in (0..count).rev() {
            for side in 0..2 {
                let known: f64 = (k + 1..count).map(|l| self.small[k * count + l] * self.sides[l][side]).sum();
                self.sides[k][side] = (self.sides[k][side] - known) / self.small[k * count + k];
            }
        }
        true
    }
}

fn difference(new: &Block3, old: &Block3) -> Block3 {
    let mut difference = *new;
    difference.as_flattened_mut().iter_mut().zip(old.as_flattened()).for_each(|(entry, old)| *entry -= old);
    difference
}

#[cfg(test)]
mod tests {
    use super::super::couplings::IDENTITY;
    use super::*;

    /// Three discs side by side: whatever is changed, and back, the solutions are those of a factorization.
    #[test]
    fn changed_columns_give_what_a_factorization_gives() {
        let mut problem = Problem::default();
        (0..3).for_each(|_| problem.push(1, 0.5));
        problem.allocate();
        for (row, column, value) in [
            (0, 0, 2.0),
            (1, 1, 3.0),
            (0, 2, -0.7),
            (1, 3, 0.4),
            (2, 2, 2.5),
            (3, 3, 1.5),
            (2, 4, -0.6),
            (4, 4, 2.0),
            (5, 5, 1.0),
            (0, 1, 0.3),
        ] {
            problem.add_entry(row, column, value);
            if row != column {
                problem.add_entry(column, row, value);
            }
        }
        let open = Terms { left: IDENTITY, right: Block3::default(), own: IDENTITY };
        let stick = Terms { left: IDENTITY, right: IDENTITY, own: Block3::default() };
        let mut slide = open;
        (slide.right[0][0], slide.right[1][0], slide.own[0][0], slide.own[1][0]) = (1.0, 0.5, 0.0, -0.5);
        let (residual, start) = ([1.0, -2.0, 0.5, 3.0, -1.0, 0.25], [0.3, 0.1, -0.4, 0.2, 0.9, -0.8]);
        let mut system = SparseSystem::default();
        system.prepare(&problem);
        let mut terms = [stick, open, stick];
        system.factor(&problem, 0.0, &terms).expect("a regular matrix");
        let (mut y, mut rate) = (start, residual);
        system.solve(&mut y);
        system.solve(&mut rate);
        let mut changed = ChangedSystem::default();
        changed.store(&terms, 1.0, &y, &rate);
        let mut other = SparseSystem::default();
        other.prepare(&problem);
        for (index, new) in [(0, slide), (1, stick), (2, open), (0, stick), (1, slide), (1, open), (2, stick)] {
            terms[index] = new;
            changed.change(&problem, &mut system, index, &new);
            let (mut y, mut rate) = ([0.0; 6], [0.0; 6]);
            assert!(changed.solve(0.25, &mut y, &mut rate));
            other.factor(&problem, 0.0, &terms).expect("a regular matrix");
            let (mut direct, mut of_rate) = ([0.0; 6], residual);
            direct.iter_mut().zip(start).zip(residual).for_each(|((y, start), rate)| *y = start + 0.75 * rate);
            other.solve(&mut direct);
            other.solve(&mut of_rate);
            for (found, expected) in y.iter().chain(&rate).zip(direct.iter().chain(&of_rate)) {
                assert!((found - expected).abs() < 1e-13, "{index}: {found} instead of {expected}");
            }
        }
        assert!(changed.is_unchanged());
    }
}
