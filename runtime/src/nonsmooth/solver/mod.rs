//! Solution of a contact problem: semismooth Newton method, enumeration of active sets, interior-point method, path
//! following and projected Gauss-Seidel sweeps, in this order until one succeeds.
//!
//! Newton's method uses the exact generalized Jacobian, with the derivative of the radius of the friction disc that
//! [rezaei, Eqs. 43, 52] omit; with it most problems need one or two iterations. If it cycles and there are few planar
//! contacts, all combinations of open, sticking and sliding are tried. Otherwise an interior-point method approaches a
//! solution and Newton's method completes it, with sparse matrices if contacts are many. This may fail in a heap whose
//! bodies collide all at once. In the plane, paths of the piecewise linear problem are followed from the best point
//! found; in space, and if paths fail, projected Gauss-Seidel sweeps continue until the laws hold to a loose tolerance.
//! A problem that no method solves may have no solution: contacts with friction can jam.

use super::couplings::{Block3, IDENTITY};
use super::elimination::Elimination;
use super::interior_point::InteriorPoint;
use super::path::{Attempt, Path};
use super::problem::{ContactRows, Problem, Status, Terms, on_disc};
use super::sparse_system::SparseSystem;
use crate::contact_settings::Settings;
use crate::prelude::*;

/// The method that solved a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactMethod {
    Newton,
    Enumeration,
    InteriorPoint,
    Path,
    GaussSeidel,
}

/// Statistics of a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solved {
    pub(super) method: ContactMethod,
    /// Iterations of all methods.
    pub(super) iterations: u32,
    /// Largest violation of the laws, as a relative velocity.
    pub(super) violation: f64,
}

/// Statistics of a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unsolved {
    pub(super) iterations: u32,
    pub(super) violation: f64,
    /// The tolerance that was missed.
    pub(super) tolerance: f64,
}

#[derive(Clone, Default)]
pub(super) struct Solver {
    settings: Settings,
    dense: Elimination,
    sparse: SparseSystem,
    terms: Vec<Terms>,
    /// The right-hand side of a linear system, then the change of Λ.
    rhs: Vec<f64>,
    interior: InteriorPoint,
    path: Path,
    /// The initial guess, the start of an attempt, and the best point found.
    guess: Vec<f64>,
    start: Vec<f64>,
    best: Vec<f64>,
}

impl Solver {
    pub(super) fn new(settings: Settings) -> Self {
        let (interior, path) = (InteriorPoint::new(settings), Path::new(settings));
        Self { settings, interior, path, ..Self::default() }
    }

    /// Reserves memory for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.dense.reserve(rows.min(self.settings.dense));
        self.terms.reserve(rows);
        self.rhs.reserve(rows);
        self.guess.reserve(rows);
        self.start.reserve(rows);
        self.best.reserve(rows);
        self.interior.reserve(rows);
        self.path.reserve(rows);
    }

    /// Finds Λ from the initial guess in the problem; `repeats` if it is the solution of the previous Newton iterate's
    /// problem.
    pub(super) fn solve(&mut self, problem: &mut Problem, repeats: bool) -> Result<Solved, Unsolved> {
        let mut iterations = 0;
        self.guess.clear();
        self.guess.extend_from_slice(problem.unknowns());
        if problem.size() > self.settings.dense {
            self.sparse.prepare(problem);
        }
        let most = if problem.size() < self.settings.many {
            self.settings.newton_iterations
        } else {
            self.settings.finishing_iterations
        };
        if let Some(solved) = self.newton(problem, most, &mut iterations) {
            return Ok(solved);
        }
        let is_enumerated = is_planar(problem) && problem.contacts.len() <= self.settings.enumerated;
        if is_enumerated && let Some(solved) = self.enumerate(problem, &mut iterations) {
            return Ok(solved);
        }
        self.approach(problem, repeats, &mut iterations)
    }

    /// Semismooth Newton method; `None` if it does not converge.
    fn newton(&mut self, problem: &mut Problem, most: u32, iterations: &mut u32) -> Option<Solved> {
        for iteration in 0..=most {
            problem.update_slips();
            let (violation, size) = problem.violation();
            let tolerance = if iteration == most { self.settings.accepted } else { self.settings.exact };
            if violation <= tolerance * size {
                return Some(Solved { method: ContactMethod::Newton, iterations: *iterations, violation });
            }
            if iteration == most || violation.is_nan() {
                break;
            }
            self.clear(problem);
            for contact in &problem.contacts {
                self.linearize(problem, contact, problem.status(contact));
            }
            if !self.solve_system(problem) {
                break;
            }
            for (unknown, change) in problem.unknowns_mut().iter_mut().zip(&self.rhs) {
                *unknown += change;
            }
            *iterations += 1;
        }
        None
    }

    fn clear(&mut self, problem: &Problem) {
        self.terms.clear();
        self.rhs.clear();
        self.rhs.resize(problem.size(), 0.0);
    }

    /// Replaces the right-hand side by the solution of the linear system of all contacts; `false` if it is singular.
    fn solve_system(&mut self, problem: &Problem) -> bool {
        if problem.size() <= self.settings.dense {
            self.dense.set(problem, &self.terms, &self.rhs);
            self.dense.solve(self.settings.pivot_rounding);
            self.rhs.copy_from_slice(&self.dense.rhs);
            return true;
        }
        let is_regular = self.sparse.factor(problem, self.settings.damping, &self.terms).is_ok();
        if is_regular {
            self.sparse.solve(&mut self.rhs);
        }
        is_regular
    }

    /// Adds the linearized rows of the next contact for the change of Λ.
    fn linearize(&mut self, problem: &Problem, contact: &ContactRows, status: Status) {
        let (unknowns, slips) = (contact.part(problem.unknowns()), contact.part(problem.slips()));
        let mut terms = Terms { left: IDENTITY, right: IDENTITY, own: Block3::default() };
        let mut rhs = slips.map(|slip| -slip);
        match status {
            Status::Open => {
                (terms.left, terms.own) = (Block3::default(), IDENTITY);
                rhs = unknowns.map(|unknown| -unknown);
            }
            Status::Stick => {}
            Status::Slide { direction, shrink } => {
                let radius = contact.friction * unknowns[0].max(0.0);
                for k in 0..contact.tangents {
                    rhs[1 + k] = radius * direction[k] - unknowns[1 + k];
                    terms.left[1 + k][1 + k] = 0.0;
                    terms.own[1 + k][1 + k] = 1.0;
                    terms.own[1 + k][0] = -contact.friction * direction[k];
                    if contact.tangents < 2 {
                        continue;
                    }
                    // Curvature of the boundary of the disc: −shrink (I − d dᵀ) (δΛ − G δΛ).
                    for l in 0..2 {
                        let across = if k == l { 1.0 } else { 0.0 } - direction[k] * direction[l];
                        terms.left[1 + k][1 + l] = shrink * across;
                        terms.own[1 + k][1 + l] -= shrink * across;
                    }
                }
            }
        }
        self.terms.push(terms);
        self.rhs[contact.all()].copy_from_slice(&rhs[..=contact.tangents]);
    }

    /// Enumerates the active sets of planar contacts.
    fn enumerate(&mut self, problem: &mut Problem, iterations: &mut u32) -> Option<Solved> {
        let states = |contact: &ContactRows| if contact.tangents == 1 && contact.friction > 0.0 { 4 } else { 2 };
        let combinations: usize = problem.contacts.iter().map(states).product();
        for combination in 0..combinations {
            problem.unknowns_mut().fill(0.0);
            problem.update_slips();
            self.clear(problem);
            let mut rest = combination;
            for contact in &problem.contacts {
                let state = rest % states(contact);
                rest /= states(contact);
                let slide = |sign: f64| Status::Slide { direction: [sign, 0.0], shrink: 0.0 };
                let status = match (states(contact), state) {
                    (_, 0) => Status::Open,
                    (2, _) => slide(0.0),
                    (_, 1) => Status::Stick,
                    (_, 2) => slide(1.0),
                    _ => slide(-1.0),
                };
                self.linearize(problem, contact, status);
            }
            self.solve_system(problem);
            problem.unknowns_mut().copy_from_slice(&self.rhs);
            *iterations += 1;
            problem.update_slips();
            let (violation, size) = problem.violation();
            if violation <= self.settings.accepted * size {
                return Some(Solved { method: ContactMethod::Enumeration, iterations: *iterations, violation });
            }
        }
        None
    }

    /// The interior-point method, completed by Newton's method or, in the plane, by path following; then sweeps until the
    /// tolerance is met.
    fn approach(&mut self, problem: &mut Problem, repeats: bool, iterations: &mut u32) -> Result<Solved, Unsolved> {
        if problem.size() <= self.settings.dense {
            self.sparse.prepare(problem);
        }
        let is_planar = is_planar(problem);
        let accepted = match problem.contacts.len() {
            n if is_planar && n <= self.settings.enumerated => self.settings.accepted,
            _ if problem.size() >= self.settings.many => self.settings.loose,
            _ if is_planar => self.settings.close,
            _ => self.settings.spatial,
        };
        // Path following finds no solutions beyond those of an enumeration.
        let follows_paths = problem.contacts.len() > self.settings.enumerated && is_planar;
        let (mut least, mut futile) = (f64::INFINITY, 0);
        self.best.clone_from(&self.guess);
        for attempt in 0..if follows_paths { self.settings.attempts } else { self.settings.interior_attempts } {
            if attempt < self.settings.interior_attempts {
                self.interior.solve(problem, &mut self.sparse, attempt == 0, iterations);
                self.store_if_best(problem, &mut least);
                self.start.clear();
                self.start.extend_from_slice(problem.unknowns());
                if let Some(solved) = self.newton(problem, self.settings.finishing_iterations, iterations) {
                    return Ok(Solved { method: ContactMethod::InteriorPoint, ..solved });
                }
                problem.unknowns_mut().copy_from_slice(&self.start);
            } else {
                problem.unknowns_mut().copy_from_slice(&self.best);
            }
            if follows_paths {
                let end = self.path.solve(problem, &mut self.sparse, attempt, iterations);
                let violation = self.store_if_best(problem, &mut least);
                match end {
                    Attempt::Solved => {
                        return Ok(Solved { method: ContactMethod::Path, iterations: *iterations, violation });
                    }
                    Attempt::Unsolved => {
                        if let Some(solved) = self.newton(problem, self.settings.finishing_iterations, iterations) {
                            return Ok(Solved { method: ContactMethod::Path, ..solved });
                        }
                        futile = 0;
                    }
                    Attempt::Futile => futile += 1,
                }
                if futile == self.settings.futile_attempts {
                    break;
                }
            }
        }
        problem.unknowns_mut().copy_from_slice(&self.guess);
        problem.update_slips();
        let (violation, size) = problem.violation();
        let is_kept = repeats && violation <= accepted * size && violation <= self.settings.kept * least;
        if !is_kept {
            problem.unknowns_mut().copy_from_slice(&self.best);
        }
        let mut method = ContactMethod::InteriorPoint;
        let (mut looks, mut sweeps) = (0, 0_u32);
        loop {
            problem.update_slips();
            let (violation, size) = problem.violation();
            if violation <= accepted * size {
                return Ok(Solved { method, iterations: *iterations, violation });
            }
            if looks == self.settings.sweep_checks {
                return Err(Unsolved { iterations: *iterations, violation, tolerance: accepted * size });
            }
            method = ContactMethod::GaussSeidel;
            looks += 1;
            for _ in 0..self.settings.sweeps_per_check {
                let part = (1.0 + f64::from(sweeps) / self.settings.relaxed_after).sqrt().recip();
                Self::sweep(problem, part);
                sweeps += 1;
                *iterations += 1;
            }
        }
    }

    /// Stores Λ if its violation is the least so far; returns the violation.
    fn store_if_best(&mut self, problem: &mut Problem, least: &mut f64) -> f64 {
        problem.update_slips();
        let (violation, _) = problem.violation();
        if violation < *least {
            *least = violation;
            self.best.clear();
            self.best.extend_from_slice(problem.unknowns());
        }
        violation
    }

    /// One projected Gauss-Seidel sweep with a relaxation factor: contact by contact, the others fixed.
    fn sweep(problem: &mut Problem, part: f64) {
        for index in 0..problem.contacts.len() {
            let (contact, own) = (problem.contacts[index], problem.couplings().own(index));
            problem.update_slip(index);
            if own[0][0] > 0.0 {
                let normal = problem.unknowns()[contact.normal] - part * problem.slip(contact.normal) / own[0][0];
                problem.unknowns_mut()[contact.normal] = normal.max(0.0);
            }
            if contact.tangents == 0 {
                continue;
            }
            problem.update_slip(index);
            let (unknowns, slips) = (contact.part(problem.unknowns()), contact.part(problem.slips()));
            // One step size for all tangents, because the projection on the disc is isotropic.
            let step = (1..=contact.tangents).map(|k| own[k][k]).fold(0.0, f64::max);
            let target = |k: usize| unknowns[k] - if step > 0.0 { part * slips[k] / step } else { 0.0 };
            let force = on_disc([target(1), target(2)], contact.friction * unknowns[0]);
            problem.unknowns_mut()[contact.tangential()].copy_from_slice(&force[..contact.tangents]);
        }
    }
}

fn is_planar(problem: &Problem) -> bool {
    problem.contacts.iter().all(|contact| contact.tangents < 2)
}

#[cfg(test)]
mod tests;
