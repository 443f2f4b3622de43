//! The linear systems of the pieces of a path: from one piece to the next, the columns of one contact change.
//!
//! The matrix of one piece is factorized. With the change C of the columns E of a contact, the matrix of the next piece
//! is `M + C Eᵀ = M (I + Z Eᵀ)` with `Z = M⁻¹ C`, and the inverse of the second factor is `I − Z (I + Eᵀ Z)⁻¹ Eᵀ`. The
//! right-hand sides are those of all pieces, so that one such factor takes each solution to that of the next piece
//! (product form of the inverse, Dantzig and Orchard-Hays 1954). Solutions that do not satisfy the equations, and a
//! limit on the number of factors, lead to a new factorization.

use super::couplings::{Block3, Vector, times};
use super::problem::{ContactRows, Problem, Terms};
use super::sparse_system::SparseSystem;
use crate::linear_solver::{Singular, larger};
use crate::prelude::*;

/// Number of changes after which the matrix is factorized again.
const CHANGES: usize = 32;
/// Number of contacts that may differ between the last piece of a path and the first one of the next.
const CHANGES_AT_START: usize = 16;
/// Largest residual of accepted solutions, relative to solution and right-hand side.
const RESIDUAL_LIMIT: f64 = 1e-11;
/// Corrections of a solution before the matrix is factorized instead.
const REFINEMENTS: usize = 2;
/// Rows of a contact in the plane.
const ROWS: usize = 2;

/// The columns Z of one factor `I + Z Eᵀ`, one after the other.
#[derive(Clone)]
struct Change {
    /// First of its rows.
    first: usize,
    /// `(I + Eᵀ Z)⁻¹`.
    inverse: [[f64; ROWS]; ROWS],
    columns: Vec<f64>,
}

/// A system for contacts in the plane, without terms L.
#[derive(Clone, Default)]
pub(super) struct PieceSystem {
    /// Terms of the present piece, and memory for those of the next path.
    terms: Vec<Terms>,
    next: Vec<Terms>,
    is_factorized: bool,
    /// Factors; those beyond `count` are memory for later ones.
    changes: Vec<Change>,
    count: usize,
    /// Solutions for both right-hand sides.
    pub(super) solutions: [Vec<f64>; 2],
    /// Impulses of contacts on either solution.
    forces: Vec<[Vector; 2]>,
    residuals: [Vec<f64>; 2],
}

impl PieceSystem {
    /// Forgets the matrix: the problem or its system has changed.
    pub(super) fn reset(&mut self) {
        self.is_factorized = false;
    }

    /// Solves for the first piece of a path; without a new factorization, where it differs little from the last piece of
    /// the path before.
    pub(super) fn start(
        &mut self,
        problem: &Problem,
        system: &mut SparseSystem,
        terms: impl Iterator<Item = Terms>,
        rhs: [&[f64]; 2],
    ) -> Result<(), Singular> {
        self.next.clear();
        self.next.extend(terms);
        let differing = self.terms.iter().zip(&self.next).filter(|(before, next)| before != next).count();
        let is_near = self.is_factorized && differing <= CHANGES_AT_START.min(CHANGES - self.count);
        if is_near && self.start_from_last(problem, system, rhs).is_some() {
            return Ok(());
        }
        self.terms.clone_from(&self.next);
        self.renew(problem, system, rhs)
    }

    fn start_from_last(&mut self, problem: &Problem, system: &mut SparseSystem, rhs: [&[f64]; 2]) -> Option<()> {
        for contact in 0..self.next.len() {
            if self.terms[contact] != self.next[contact] {
                let before = core::mem::replace(&mut self.terms[contact], self.next[contact]);
                self.add(problem, system, contact, &before)?;
            }
        }
        for (solution, rhs) in self.solutions.iter_mut().zip(rhs) {
            solution.copy_from_slice(rhs);
            system.solve_untested(solution);
            apply(&self.changes[..self.count], solution);
        }
        self.refine(problem, system, rhs).then_some(())
    }

    /// Solves for the piece on which a contact has other terms.
    pub(super) fn change(
        &mut self,
        problem: &Problem,
        system: &mut SparseSystem,
        (contact, terms): (usize, Terms),
        rhs: [&[f64]; 2],
    ) -> Result<(), Singular> {
        let before = core::mem::replace(&mut self.terms[contact], terms);
        let is_solved = self.count < CHANGES && self.add(problem, system, contact, &before).is_some() && {
            let (changes, solutions) = (&self.changes[self.count - 1..self.count], &mut self.solutions);
            solutions.iter_mut().for_each(|solution| apply(changes, solution));
            self.refine(problem, system, rhs)
        };
        if is_solved { Ok(()) } else { self.renew(problem, system, rhs) }
    }

    /// Factorizes the matrix of the present terms, and solves.
    fn renew(&mut self, problem: &Problem, system: &mut SparseSystem, rhs: [&[f64]; 2]) -> Result<(), Singular> {
        (self.count, self.is_factorized) = (0, false);
        system.factor(problem, 0.0, &self.terms)?;
        self.is_factorized = true;
        for (solution, rhs) in self.solutions.iter_mut().zip(rhs) {
            solution.clear();
            solution.extend_from_slice(rhs);
            system.solve(solution);
        }
        Ok(())
    }

    /// Adds the factor for the change of a contact's terms; none if it is nearly singular.
    fn add(&mut self, problem: &Problem, system: &mut SparseSystem, contact: usize, before: &Terms) -> Option<()> {
        let (n, rows, terms) = (problem.size(), problem.contacts[contact].all(), &self.terms[contact]);
        if self.changes.len() == self.count {
            self.changes.push(Change { first: 0, inverse: Default::default(), columns: Vec::new() });
        }
        let (earlier, rest) = self.changes.split_at_mut(self.count);
        let change = rest.first_mut()?;
        change.first = rows.start;
        change.columns.clear();
        change.columns.resize(ROWS * n, 0.0);
        let (right, own) = (difference(&terms.right, &before.right), difference(&terms.own, &before.own));
        for (index, column) in change.columns.chunks_exact_mut(n).enumerate().take(rows.len()) {
            let forces = right.map(|row| row[index]);
            for &(on, _) in problem.couplings().row(contact) {
                let Some(block) = problem.couplings().block(on, contact) else { continue };
                for (row, slip) in problem.contacts[on].all().zip(times(block, &forces)) {
                    column[row] = slip;
                }
            }
            for (row, own) in rows.clone().zip(own) {
                column[row] += own[index];
            }
            system.solve_untested(column);
            apply(earlier, column);
        }
        let entry = |row: usize, column: usize| {
            let unit = if row == column { 1.0 } else { 0.0 };
            unit + if row < rows.len() { change.columns[column * n + rows.start + row] } else { 0.0 }
        };
        change.inverse = inverse([[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]])?;
        self.count += 1;
        Some(())
    }

    /// Corrects the solutions until they satisfy the equations of the present terms; `false` if they do not.
    fn refine(&mut self, problem: &Problem, system: &mut SparseSystem, rhs: [&[f64]; 2]) -> bool {
        for _ in 0..=REFINEMENTS {
            self.compute_residuals(problem, rhs);
            let mut are_accurate = true;
            for ((solution, residual), rhs) in self.solutions.iter_mut().zip(&mut self.residuals).zip(rhs) {
                let size = largest(residual);
                if size <= RESIDUAL_LIMIT * (largest(solution) + largest(rhs)) {
                    continue;
                }
                if !size.is_finite() {
                    return false;
                }
                are_accurate = false;
                system.solve_untested(residual);
                apply(&self.changes[..self.count], residual);
                solution.iter_mut().zip(residual).for_each(|(entry, correction)| *entry += *correction);
            }
            if are_accurate {
                return true;
            }
        }
        false
    }

    /// Both residuals in one pass over the couplings.
    fn compute_residuals(&mut self, problem: &Problem, rhs: [&[f64]; 2]) {
        let Self { solutions, forces, residuals, terms, .. } = self;
        let forces_of = |contact: &ContactRows, right: &Block3| {
            solutions.each_ref().map(|solution| times(right, &contact.part(solution)))
        };
        forces.clear();
        forces.extend(problem.contacts.iter().zip(&*terms).map(|(contact, terms)| forces_of(contact, &terms.right)));
        residuals.iter_mut().for_each(Vec::clear);
        for (on, (contact, terms)) in problem.contacts.iter().zip(&*terms).enumerate() {
            let mut slips = [[0.0; ROWS]; 2];
            for (from, block) in problem.couplings().row(on) {
                for (slips, forces) in slips.iter_mut().zip(&forces[*from]) {
                    for (slip, row) in slips.iter_mut().zip(block) {
                        *slip += row[0] * forces[0] + row[1] * forces[1];
                    }
                }
            }
            for (index, (residual, slips)) in residuals.iter_mut().zip(slips).enumerate() {
                let own = times(&terms.own, &contact.part(&solutions[index]));
                residual.extend(contact.all().enumerate().map(|(k, row)| rhs[index][row] - slips[k] - own[k]));
            }
        }
    }
}

/// Applies the inverses of factors to a vector, the first one first.
fn apply(changes: &[Change], vector: &mut [f64]) {
    for Change { first, inverse, columns } in changes {
        let (n, first) = (vector.len(), *first);
        // A contact without friction has one row; in the second one its inverse is that of the identity and Z is zero.
        let given = [vector[first], vector.get(first + 1).copied().unwrap_or(0.0)];
        let [a, b] = inverse.map(|row| row[0] * given[0] + row[1] * given[1]);
        let (one, two) = columns.split_at(n);
        for ((entry, one), two) in vector.iter_mut().zip(one).zip(two) {
            *entry -= one * a + two * b;
        }
    }
}

/// The largest size of an entry; NaN if there is one.
fn largest(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |largest, &x| larger(largest, x))
}

fn difference(a: &Block3, b: &Block3) -> Block3 {
    let mut difference = *a;
    for (a, b) in difference.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *a -= b;
    }
    difference
}

/// None where pivots are lost in rounding.
fn inverse(matrix: [[f64; ROWS]; ROWS]) -> Option<[[f64; ROWS]; ROWS]> {
    let [[a, b], [c, d]] = matrix;
    let determinant = a * d - b * c;
    let is_regular = determinant.abs() > f64::EPSILON.sqrt() * (a * d).abs().max((b * c).abs());
    is_regular.then(|| [[d, -b], [-c, a]].map(|row| row.map(|entry| entry / determinant)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nonsmooth::couplings::IDENTITY;
    use crate::random::Random;

    const CONTACTS: usize = 60;

    /// Contacts in a row, each coupled with its neighbours; every fifth has no friction.
    fn row_of_contacts(random: &mut Random) -> Problem {
        let mut problem = Problem::default();
        (0..CONTACTS).for_each(|index| problem.push(usize::from(index % 5 != 0), 0.5));
        problem.allocate();
        let contacts = problem.contacts.clone();
        for (on, contact) in contacts.iter().enumerate() {
            for (from, other) in contacts.iter().enumerate().filter(|(from, _)| on.abs_diff(*from) <= 2) {
                for row in contact.all() {
                    for column in other.all() {
                        let own = if row == column { 2.0 } else { 0.0 };
                        problem.add_entry(row, column, own + if on == from { 0.0 } else { 0.4 * random.next() });
                    }
                }
            }
        }
        problem
    }

    fn terms(random: &mut Random) -> Terms {
        let mut right = if random.next() > 0.0 { IDENTITY } else { Block3::default() };
        right[1][0] = random.next();
        let own = difference(&IDENTITY, &right);
        Terms { left: IDENTITY, right, own }
    }

    /// Solutions after changes, also of contacts that have changed before, over the limit that leads to a new
    /// factorization, and into the first piece of another path, are those of the matrix itself.
    #[test]
    fn solutions_after_changes_are_those_of_the_matrix() {
        let mut random = Random(1);
        let problem = row_of_contacts(&mut random);
        let n = problem.size();
        let (mut system, mut other) = (SparseSystem::default(), SparseSystem::default());
        system.prepare(&problem);
        other.prepare(&problem);
        let mut pieces = PieceSystem::default();
        let mut now: Vec<Terms> = (0..CONTACTS).map(|_| terms(&mut random)).collect();
        let mut most = 0;
        for _ in 0..4 {
            let rhs: [Vec<f64>; 2] = [0, 1].map(|_| (0..n).map(|_| random.next()).collect());
            let rhs = [rhs[0].as_slice(), rhs[1].as_slice()];
            pieces.start(&problem, &mut system, now.iter().copied(), rhs).expect("a regular matrix");
            for step in 0..21 {
                let contact = (17 * step + step * step) % CONTACTS;
                now[contact] = terms(&mut random);
                pieces.change(&problem, &mut system, (contact, now[contact]), rhs).expect("a regular matrix");
                most = most.max(pieces.count);
                other.factor(&problem, 0.0, &now).expect("a regular matrix");
                for (found, rhs) in pieces.solutions.iter().zip(rhs) {
                    let mut expected = rhs.to_vec();
                    other.solve(&mut expected);
                    let size = largest(&expected);
                    let error = found.iter().zip(&expected).fold(0.0_f64, |error, (a, b)| error.max((a - b).abs()));
                    assert!(error <= 1e-11 * size, "{error} of {size} after {} changes", pieces.count);
                }
            }
            // A few contacts begin the next path elsewhere.
            (0..3).for_each(|contact| now[7 * contact] = terms(&mut random));
        }
        assert_eq!(most, CHANGES);
    }

    #[test]
    fn an_undefined_entry_is_the_largest() {
        assert_eq!(largest(&[1.0, -3.0, 2.0]), 3.0);
        assert!([[f64::NAN, 1.0], [1.0, f64::NAN]].iter().all(|vector| largest(vector).is_nan()));
    }

    /// A contact whose columns vanish makes the matrix singular, which is said; afterwards the system starts anew.
    #[test]
    fn singular_pieces_are_refused() {
        let mut random = Random(2);
        let problem = row_of_contacts(&mut random);
        let rhs = vec![1.0; problem.size()];
        let mut system = SparseSystem::default();
        system.prepare(&problem);
        let mut pieces = PieceSystem::default();
        let now: Vec<Terms> = (0..CONTACTS).map(|_| terms(&mut random)).collect();
        let start = |pieces: &mut PieceSystem, system: &mut SparseSystem| {
            pieces.start(&problem, system, now.iter().copied(), [&rhs, &rhs])
        };
        start(&mut pieces, &mut system).expect("a regular matrix");
        let singular = Terms { left: IDENTITY, right: Block3::default(), own: Block3::default() };
        assert_eq!(pieces.change(&problem, &mut system, (7, singular), [&rhs, &rhs]), Err(Singular));
        start(&mut pieces, &mut system).expect("a regular matrix");
    }
}
