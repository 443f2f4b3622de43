//! Solution of a contact problem: semismooth Newton method, enumeration of active sets, interior-point method, path
//! following, projected Gauss-Seidel sweeps, in this order until one succeeds.
//!
//! Newton's method uses the exact generalized Jacobian, with the derivative of the radius of the friction disc that
//! [rezaei, Eqs. 43, 52] omit; with it most problems need one or two iterations. If it cycles and there are few planar
//! contacts, all combinations of open, sticking and sliding are tried. Otherwise an interior-point method approaches a
//! solution and Newton's method completes it, with sparse matrices if contacts are many. This may fail in a heap whose
//! bodies collide all at once. In the plane, paths of the piecewise linear problem are followed from the best point found; in
//! space, and if paths fail, projected Gauss-Seidel sweeps continue until the laws hold to a loose tolerance.
//! A problem that no method solves may have no solution: contacts with friction can jam.

use super::couplings::{Block3, IDENTITY};
use super::elimination::Elimination;
use super::interior_point::InteriorPoint;
use super::path::Path;
use super::problem::{ContactRows, Problem, Status, Terms, on_disc};
use super::sparse_system::SparseSystem;

const NEWTON_ITERATIONS: u32 = 20;
/// Newton iterations if contacts are many, and after another method.
const FINISHING_ITERATIONS: u32 = 8;
/// Largest number of planar contacts whose active sets are enumerated: 4⁴ small systems.
const ENUMERATED: usize = 4;
/// From this number of rows on, Newton's method gets fewer iterations from a remote initial guess, and the loose tolerance
/// applies.
const MANY: usize = 48;
/// Up to this number of rows linear systems are dense, and redundant contacts are found by full pivoting.
const DENSE: usize = 192;
/// Attempts of the interior-point method, and of path following, which continues from the best point found.
const INTERIOR_ATTEMPTS: u32 = 2;
const ATTEMPTS: u32 = 16;
/// Added to the diagonal of sparse systems, which redundant contacts would make singular; further Newton iterations remove
/// its effect.
const DAMPING: f64 = 1e-8;
/// Tolerance of the violation of the laws, relative to the magnitude of the terms from which it is computed: round-off.
const EXACT: f64 = 4.0 * f64::EPSILON;
/// The same after the last iteration: redundant contacts cost digits.
const ACCEPTED: f64 = 1e-13;
/// The same for paths that no longer improve: in a heap that creeps, forces are a million times as large as their resultant,
/// and the last digits would take more than half of the time.
const SETTLED: f64 = 5e-13;
/// The same for more planar contacts than are enumerated: redundant ones between sticking and sliding cost more digits.
const CLOSE: f64 = 1e-9;
/// The same in space, where neither enumeration nor paths complete what the interior-point method has found: for four legs of
/// a table between sticking and sliding, 10⁻⁹ to 10⁻⁸ remains.
const SPATIAL: f64 = 1e-7;
/// The same for many contacts: for the bodies of a heap in space that collide all at once no method may find better. The
/// violation is recorded.
const LOOSE: f64 = 1e-3;
/// Within the Newton iterations of a step the previous solution is reused if its violation is below this multiple of the new
/// one's: with a different loose solution in each iteration, Newton's method would not converge.
const KEPT: f64 = 10.0;
/// Number of checks of the violation during sweeps, and number of sweeps between checks.
const SWEEPS: u32 = 256;
const SWEEPS_AT_ONCE: u32 = 16;
/// Relaxation factor of sweep k: (1 + k / this)^(−½), one half after three times this number. Unrelaxed sweeps end in cycles
/// between sticking and sliding.
const WHOLE: f64 = 64.0;

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

#[derive(Default)]
pub(super) struct Solver {
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
    /// Reserves memory for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.dense.reserve(rows.min(DENSE));
        self.terms.reserve(rows);
        self.rhs.reserve(rows);
        self.guess.reserve(rows);
        self.start.reserve(rows);
        self.best.reserve(rows);
        self.interior.reserve(rows);
        self.path.reserve(rows);
    }

    /// Finds Λ from the initial guess in the problem; `repeats` if it is the solution of the previous Newton iterate's problem.
    pub(super) fn solve(&mut self, problem: &mut Problem, repeats: bool) -> Result<Solved, Unsolved> {
        let mut iterations = 0;
        self.guess.clear();
        self.guess.extend_from_slice(problem.unknowns());
        if problem.size() > DENSE {
            self.sparse.prepare(problem);
        }
        let most = if problem.size() < MANY { NEWTON_ITERATIONS } else { FINISHING_ITERATIONS };
        if let Some(solved) = self.newton(problem, most, &mut iterations) {
            return Ok(solved);
        }
        let is_enumerated = is_planar(problem) && problem.contacts.len() <= ENUMERATED;
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
            let tolerance = if iteration == most { ACCEPTED } else { EXACT };
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
        if problem.size() <= DENSE {
            self.dense.set(problem, &self.terms, &self.rhs);
            self.dense.solve();
            self.rhs.copy_from_slice(&self.dense.rhs);
            return true;
        }
        let is_regular = self.sparse.factor(problem, DAMPING, &self.terms).is_ok();
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
            if violation <= ACCEPTED * size {
                return Some(Solved { method: ContactMethod::Enumeration, iterations: *iterations, violation });
            }
        }
        None
    }

    /// The interior-point method, completed by Newton's method or, in the plane, by path following; then sweeps until the
    /// tolerance is met.
    fn approach(&mut self, problem: &mut Problem, repeats: bool, iterations: &mut u32) -> Result<Solved, Unsolved> {
        if problem.size() <= DENSE {
            self.sparse.prepare(problem);
        }
        let is_planar = is_planar(problem);
        let accepted = match problem.contacts.len() {
            0..=ENUMERATED if is_planar => ACCEPTED,
            _ if problem.size() >= MANY => LOOSE,
            _ if is_planar => CLOSE,
            _ => SPATIAL,
        };
        // Paths find no solution that enumeration has not.
        let follows_paths = problem.contacts.len() > ENUMERATED && is_planar;
        let mut least = f64::INFINITY;
        self.best.clone_from(&self.guess);
        for attempt in 0..if follows_paths { ATTEMPTS } else { INTERIOR_ATTEMPTS } {
            if attempt < INTERIOR_ATTEMPTS {
                self.interior.solve(problem, &mut self.sparse, attempt == 0, iterations);
                self.store_if_best(problem, &mut least);
                self.start.clear();
                self.start.extend_from_slice(problem.unknowns());
                if let Some(solved) = self.newton(problem, FINISHING_ITERATIONS, iterations) {
                    return Ok(Solved { method: ContactMethod::InteriorPoint, ..solved });
                }
                problem.unknowns_mut().copy_from_slice(&self.start);
            } else {
                problem.unknowns_mut().copy_from_slice(&self.best);
            }
            if follows_paths {
                let is_solved = self.path.solve(problem, &mut self.sparse, attempt, [EXACT, SETTLED], iterations);
                let violation = self.store_if_best(problem, &mut least);
                if is_solved {
                    return Ok(Solved { method: ContactMethod::Path, iterations: *iterations, violation });
                }
            }
        }
        problem.unknowns_mut().copy_from_slice(&self.guess);
        problem.update_slips();
        let (violation, size) = problem.violation();
        let is_kept = repeats && violation <= accepted * size && violation <= KEPT * least;
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
            if looks == SWEEPS {
                return Err(Unsolved { iterations: *iterations, violation, tolerance: accepted * size });
            }
            method = ContactMethod::GaussSeidel;
            looks += 1;
            for _ in 0..SWEEPS_AT_ONCE {
                let part = (1.0 + f64::from(sweeps) / WHOLE).sqrt().recip();
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
