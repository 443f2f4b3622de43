//! The one Newton loop of every implicit scheme, its tolerances and its failures.
//!
//! A scheme supplies residual, exact matrix and correction; the loop runs until the correction is at round-off level.
//! Constraints on positions reach it divided by `β h²`, as accelerations, so that the conditioning does not depend
//! on the step size.

use crate::linear_solver::LinearSolver;
use crate::model::Model;
use crate::scheme::{StepError, StepStats};

/// When an iteration has converged.
///
/// A correction counts relative to what it corrects: it is converged at `relative · size + absolute`.
/// The correction of the coordinates must reach this; that of the velocities too, except where rounding of the
/// coordinates, divided by the step size, forbids it: then coordinates must be a hundred times better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative to the largest coordinate or velocity.
    pub relative: f64,
    /// In units of coordinates and velocities.
    pub absolute: f64,
    /// Iterations before the step fails.
    pub max_iterations: u32,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { relative: 1e-12, absolute: 1e-16, max_iterations: 25 }
    }
}

/// A correction that no longer shrinks has met round-off; it is accepted up to this multiple of the tolerance.
const STALLED: f64 = 100.0;
/// Size of the last correction where it is bent, in units of the tolerance.
const BENT: f64 = 1e-2;
/// How much better than the tolerance coordinates must be where velocities cannot reach it.
const COORDINATES_ONLY: f64 = 100.0;

impl Tolerance {
    /// Size of a correction in units of the tolerance; converged at one.
    ///
    /// All arguments are largest absolute values: of the corrections of q and v, and of q and v themselves.
    pub fn measure(&self, dq: f64, dv: f64, q: f64, v: f64) -> f64 {
        let coordinates = dq / (self.relative * q + self.absolute);
        let velocities = dv / (self.relative * v + self.absolute);
        coordinates.max(velocities.min(COORDINATES_ONLY * coordinates))
    }
}

/// The equations of one step, at the current iterate.
pub(crate) trait Equations {
    /// Residual, `[n]`.
    fn residual(&mut self, out: &mut [f64]);
    /// Derivative of the residual by the unknowns, values of the solver's pattern.
    fn matrix(&mut self, out: &mut [f64]);
    /// Subtracts a correction from the unknowns and measures it, see [`Tolerance::measure`].
    fn correct(&mut self, correction: &[f64], tolerance: &Tolerance) -> f64;
}

/// Newton's method with its workspace.
pub(crate) struct Newton {
    tolerance: Tolerance,
    solver: LinearSolver,
    matrix: Vec<f64>,
    residual: Vec<f64>,
}

impl Newton {
    pub(crate) fn new(solver: LinearSolver, tolerance: Tolerance) -> Self {
        let (nnz, n) = (solver.nnz(), solver.size());
        Self { tolerance, solver, matrix: vec![0.0; nnz], residual: vec![0.0; n] }
    }

    /// Leaves constraints out of the equations from now on, see [`Stepper::leave_out`](crate::Stepper::leave_out).
    pub(crate) fn leave_out(&mut self, model: &dyn Model, constraints: &[usize]) {
        self.solver.leave_out(&unknowns_of(model, constraints, self.solver.size()));
    }

    /// Iterates from the current iterate of `equations` to their solution.
    ///
    /// `t` and `scheme` name the step in errors; nothing is allocated otherwise.
    pub(crate) fn solve(
        &mut self,
        equations: &mut dyn Equations,
        t: f64,
        scheme: &str,
    ) -> Result<StepStats, StepError> {
        self.solve_bent(equations, t, scheme, |_, _, _| Ok(false))
    }

    /// [`Newton::solve`] with corrections that are bent before they are made.
    ///
    /// `bend` gets the equations, the solver with their matrix, and the correction, and says whether it changed it.
    /// What it imposes holds for the iterate before the correction, so that iterations go on until that is the last.
    pub(crate) fn solve_bent<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        t: f64,
        scheme: &str,
        mut bend: impl FnMut(&E, &mut LinearSolver, &mut [f64]) -> Result<bool, StepError>,
    ) -> Result<StepStats, StepError> {
        let mut stats = StepStats::default();
        let (mut size, mut residual) = (f64::INFINITY, 0.0);
        for iteration in 0..self.tolerance.max_iterations {
            equations.residual(&mut self.residual);
            equations.matrix(&mut self.matrix);
            if !is_finite(&self.residual) || !is_finite(&self.matrix) {
                return Err(StepError::NotFinite { t, scheme: scheme.to_owned(), iteration });
            }
            residual = largest(&self.residual);
            if self.solver.factor(&self.matrix).is_err() {
                return Err(StepError::Singular { t, scheme: scheme.to_owned(), iteration, residual });
            }
            stats.factorizations += 1;
            self.solver.solve(&mut self.residual);
            let is_bent = bend(equations, &mut self.solver, &mut self.residual)?;

            let previous = std::mem::replace(&mut size, equations.correct(&self.residual, &self.tolerance));
            stats.newton_iterations += 1;
            let is_done = match is_bent {
                false => size <= 1.0 || is_last(size, previous),
                true => size <= BENT || is_stalled(size, previous),
            };
            if is_done {
                return Ok(stats);
            }
        }
        let iteration = self.tolerance.max_iterations;
        Err(StepError::NotConverged { t, scheme: scheme.to_owned(), iteration, residual })
    }
}

/// Places of the multipliers of constraints among this many unknowns, where a and λ of one stage follow each other.
pub(crate) fn unknowns_of(model: &dyn Model, constraints: &[usize], size: usize) -> Vec<usize> {
    let dims = model.dims();
    let stage = (dims.nv + dims.nc).max(1);
    let stages = (0..size / stage).map(|index| index * stage + dims.nv);
    stages.flat_map(|first| constraints.iter().map(move |constraint| first + constraint)).collect()
}

/// Whether corrections no longer shrink.
fn is_stalled(size: f64, previous: f64) -> bool {
    size / previous > 0.5 && size <= STALLED
}

/// Whether the error after a correction of this size is within the tolerance, judged by the rate of convergence.
fn is_last(size: f64, previous: f64) -> bool {
    if previous.is_infinite() {
        return false; // One correction says nothing about the rate.
    }
    let rate = size / previous;
    // The remaining corrections of a linearly converging iteration sum to this; Newton's are smaller still.
    let remaining = size * rate / (1.0 - rate);
    (rate < 1.0 && remaining <= 1.0) || is_stalled(size, previous)
}

fn is_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// Largest absolute value.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

/// A value below this is taken for zero: products of a few such values are subnormal.
const VANISHING: f64 = 1e-75;

/// Sets to zero what numerical damping has made too small to matter. A motion that nothing excites shrinks by a factor a
/// step until its numbers are subnormal, and processors compute with those a hundred times slower.
pub(crate) fn drop_vanishing(values: &mut [f64]) {
    for value in values.iter_mut().filter(|value| value.abs() < VANISHING) {
        *value = 0.0;
    }
}

/// Compares the matrix at the current iterate, moved off any solution, with central differences.
#[cfg(test)]
pub(crate) fn assert_matrix_is_exact(
    equations: &mut dyn Equations,
    pattern: &crate::sparsity::OwnedPattern,
    what: &str,
) {
    let n = pattern.columns;
    let tolerance = Tolerance::default();
    let offset: Vec<f64> = (0..n).map(|i| -(1.0 + i as f64).sin()).collect();
    equations.correct(&offset, &tolerance);
    let mut values = vec![0.0; pattern.nnz()];
    equations.matrix(&mut values);
    let mut exact = nalgebra::DMatrix::zeros(n, n);
    for ((row, column), value) in pattern.entries().zip(&values) {
        exact[(row, column)] = *value;
    }
    let h = 1e-4;
    for column in 0..n {
        let mut moved = |size: f64| {
            let mut correction = vec![0.0; n];
            correction[column] = -size;
            equations.correct(&correction, &tolerance);
            let mut residual = vec![0.0; n];
            equations.residual(&mut residual);
            correction[column] = size;
            equations.correct(&correction, &tolerance);
            residual
        };
        let (plus, minus) = (moved(h), moved(-h));
        for row in 0..n {
            let error = (exact[(row, column)] - (plus[row] - minus[row]) / (2.0 * h)).abs();
            assert!(error < 1e-6 * (1.0 + exact.amax()), "{what}: ({row}, {column}) by {error:e}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparsity::OwnedPattern;

    /// One equation in one unknown, f and its derivative.
    struct Scalar {
        x: f64,
        f: fn(f64) -> f64,
        derivative: fn(f64) -> f64,
    }

    impl Equations for Scalar {
        fn residual(&mut self, out: &mut [f64]) {
            out[0] = (self.f)(self.x);
        }
        fn matrix(&mut self, out: &mut [f64]) {
            out[0] = (self.derivative)(self.x);
        }
        fn correct(&mut self, correction: &[f64], tolerance: &Tolerance) -> f64 {
            self.x -= correction[0];
            tolerance.measure(correction[0].abs(), correction[0].abs(), self.x.abs(), self.x.abs())
        }
    }

    fn solve(mut equations: Scalar) -> (f64, Result<StepStats, StepError>) {
        let solver = LinearSolver::from_pattern(OwnedPattern::from_entries(1, 1, [(0, 0)]));
        let result = Newton::new(solver, Tolerance::default()).solve(&mut equations, 2.0, "test");
        (equations.x, result)
    }

    #[test]
    fn converges_to_round_off() {
        let (x, result) = solve(Scalar { x: 1.0, f: |x| x * x - 2.0, derivative: |x| 2.0 * x });
        assert!((x - 2.0_f64.sqrt()).abs() < 4.0 * f64::EPSILON);
        assert!(result.unwrap().newton_iterations <= 6);
    }

    #[test]
    fn an_equation_without_solution_does_not_converge() {
        let (_, result) = solve(Scalar { x: 3.0, f: |x| x * x + 1.0, derivative: |x| 2.0 * x });
        let Err(StepError::NotConverged { t, iteration, residual, .. }) = result else { panic!("{result:?}") };
        assert_eq!((t, iteration), (2.0, 25));
        assert!(residual >= 1.0);
    }

    #[test]
    fn slow_convergence_is_not_taken_for_convergence() {
        // A derivative wrong by a factor of ten converges linearly, by a tenth each time: too slow to be accepted.
        let (_, result) = solve(Scalar { x: 1.0, f: |x| x - 2.0, derivative: |_| 10.0 });
        assert!(matches!(result, Err(StepError::NotConverged { .. })), "{result:?}");
    }

    #[test]
    fn singular_and_undefined_equations_are_told_apart() {
        let (_, result) = solve(Scalar { x: 0.0, f: |x| x * x + 1.0, derivative: |x| 2.0 * x });
        assert!(matches!(result, Err(StepError::Singular { iteration: 0, .. })), "{result:?}");
        let (_, result) = solve(Scalar { x: -1.0, f: |x| x.sqrt(), derivative: |_| 1.0 });
        assert!(matches!(result, Err(StepError::NotFinite { iteration: 0, .. })), "{result:?}");
    }
}
