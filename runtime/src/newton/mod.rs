//! Newton's method for all implicit schemes: iteration, tolerances, diagnosis of failures.
//!
//! A scheme supplies residual, exact Jacobian and correction; iterations run until the correction is at round-off level.
//! A matrix that was factorized earlier serves as long as corrections shrink fast enough with it, and until what is left of
//! them is as small as after iterations with the matrix of each iterate, see [`NewtonMatrix`].
//! Constraints on positions are divided by `β h²`, which makes them accelerations, so that the condition number does not
//! depend on the step size.
//! Corrections that no longer decrease are accepted if rounding of the equations explains them, and counted. If iterations
//! do not converge, the error names the probable cause: a jump of the forces, a nearly singular Jacobian, rounding, or a
//! step that is too long.

mod failure;
mod kept;
#[cfg(feature = "simd")]
mod lanes;

use kept::Kept;
#[cfg(feature = "simd")]
use lanes::LaneNewton;

use crate::abreast::ABREAST;
use crate::configuration::joined;
use crate::linear_solver::LinearSolver;
use crate::model::{Block, Model, ModelInfo, State, instances};
use crate::norms::{Lane, is_finite, largest, largest_of_each};
use crate::prelude::*;
use crate::random::Random;
use crate::sparsity::SparsityPattern;
use crate::step::{StepError, StepStats};

/// Convergence criterion of Newton's method.
///
/// A correction has converged below `relative · size + absolute`, where `size` is that of the corrected quantity. This
/// is required of the corrections of coordinates and of velocities. If rounding of the coordinates, divided by the step
/// size, prevents it for velocities, the correction of the coordinates must be a hundred times smaller instead.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Tolerance {
    /// Relative to the largest coordinate or velocity.
    pub relative: f64,
    /// In units of coordinates and velocities.
    pub absolute: f64,
    /// Number of iterations after which the step fails, of those with a matrix of their own; iterations with a matrix that is
    /// kept end where they no longer make progress.
    pub max_iterations: u32,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { relative: 1e-12, absolute: 1e-16, max_iterations: 25 }
    }
}

/// How long a factorized matrix serves in Newton's method.
///
/// # Examples
/// An oscillator has the same matrix in every step.
///
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: 4 N/m }
/// #         initial rail.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::newton::NewtonMatrix;
/// use hamel::{Options, Simulation, initial_state, schemes};
///
/// let model = Oscillator::default();
/// let scheme = schemes::by_name("generalized_alpha", &[])?;
/// let factorizations = |newton_matrix| -> Result<u32, Box<dyn std::error::Error>> {
///     let options = Options { newton_matrix: Some(newton_matrix), ..Options::default() };
///     let run = Simulation::new(&model, &*scheme).options(options).step(0.01).until(1.0).run(initial_state(&model)?);
///     Ok(run.outcome?.factorizations)
/// };
/// assert_eq!(factorizations(NewtonMatrix::Kept)?, 1);
/// assert!(factorizations(NewtonMatrix::EveryIteration)? >= 100);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum NewtonMatrix {
    /// Within a step and from step to step while corrections shrink fast enough; they shrink by a constant factor, and go
    /// on until nothing but rounding is left. In place of a large full matrix, inertia alone serves where that is enough and the
    /// model has [`Model::acceleration`]. With a tolerance wider than the usual one they end earlier: as soon as what a
    /// step leaves of accelerations and multipliers is below that part of them, or 10⁻⁶ of them if it is wider than that.
    /// Schemes carry it from step to step, and multipliers may err by more. Steps with contacts use a matrix for every
    /// iteration. Accelerations and multipliers are less accurate than with the other choice, by about two digits, which
    /// matters where a scheme carries multipliers from step to step, as `hht` does.
    Kept,
    /// For one iteration, as quadratic convergence has it.
    EveryIteration,
}

/// A correction that no longer decreases is at round-off level; it is accepted up to this multiple of the tolerance.
const STALLED: f64 = 100.0;
/// Corrections up to this multiple of the estimated effect of rounding are taken for rounding.
const ROUNDING_MARGIN: f64 = 10.0;
/// The same after the last iteration.
const WANDERING: f64 = 1e3;
/// Corrections above this fraction of coordinates and velocities are never taken for rounding, whatever the condition
/// number.
const MOST_ROUNDING: f64 = 1e-6;
/// If the ratio of successive corrections is above this, they are checked for rounding.
const NO_PROGRESS: f64 = 0.5;
/// Number of random sign patterns by which the effect of rounding is estimated.
const PATTERNS: u64 = 3;
/// Convergence of projected corrections, in units of the tolerance.
const PROJECTED: f64 = 1e-2;
/// Factor by which coordinates must be below the tolerance if velocities cannot reach it.
const COORDINATES_ONLY: f64 = 100.0;
/// Part of the coordinates that counts in the sizes of accelerations, unless constraints on coordinates leave the rounding of
/// these in the accelerations.
const FREE_SHARE: f64 = 1e-3;
/// Multipliers are determined by coordinates and do not return to them; relative to the largest one they may be less
/// accurate by this factor.
const MULTIPLIERS: f64 = 1e5;
/// Sizes of accelerations are at least this fraction of the largest one.
const LEAST_SHARE: f64 = 1e-3;

impl Tolerance {
    /// Size of a correction in units of the tolerance; converged at one.
    ///
    /// All arguments are largest absolute values: of the corrections of q and v, and of q and v themselves.
    /// Infinite if one of them is not finite.
    ///
    /// # Examples
    /// ```
    /// use hamel::newton::Tolerance;
    ///
    /// let tolerance = Tolerance { relative: 1e-6, absolute: 0.0, ..Tolerance::default() };
    /// // Half of the tolerance, for coordinates of 2 and velocities of 10.
    /// assert!((tolerance.measure(1e-6, 5e-6, 2.0, 10.0) - 0.5).abs() < 1e-12);
    /// ```
    pub fn measure(&self, dq: f64, dv: f64, q: f64, v: f64) -> f64 {
        if !is_finite(&[dq, dv, q, v]) {
            return f64::INFINITY;
        }
        let coordinates = dq / (self.relative * q + self.absolute);
        let velocities = dv / (self.relative * v + self.absolute);
        coordinates.max(velocities.min(COORDINATES_ONLY * coordinates))
    }
}

/// The equations of one step, at the current iterate.
pub(crate) trait Equations {
    /// Residual, `[n]`.
    fn residual(&mut self, out: &mut [f64]);
    /// Jacobian of the residual, values of the solver's pattern.
    fn matrix(&mut self, out: &mut [f64]);
    /// The correction that the accelerations of the model itself ask for, `[n]`, as with the matrix of inertia alone; whether
    /// the model knows them, see [`Model::acceleration`].
    fn inertial_correction(&mut self, _out: &mut [f64]) -> bool {
        false
    }
    /// Subtracts a correction from the unknowns.
    fn subtract(&mut self, correction: &[f64]);
    /// Sets the iterate to the first guess of iterations that have a matrix each. They reach far, and from a guess
    /// extrapolated through a singular position they may reach a motion that does not continue the one before.
    /// `lanes`: of which instances.
    fn guess_anew(&mut self, _lanes: &[bool]) {}
    /// Size of a correction relative to the current iterate, see [`Tolerance::measure`].
    fn measure(&self, correction: &[f64], tolerance: &Tolerance, lane: Lane) -> f64;
    /// Magnitude of each unknown, to which its rounding is relative, `[n]`.
    fn sizes(&self, out: &mut [f64]);
    /// Factor of an acceleration in the coordinates of the end of the step.
    fn position_factor(&self) -> f64;
    /// Whether constraints are imposed on coordinates, whose rounding is then found in the accelerations.
    fn is_bound(&self) -> bool;
    /// Size of each unknown to which errors that a kept matrix leaves are relative, `[n]`, with what a wide tolerance adds,
    /// see [`scales_of`].
    fn scales(&self, loose: f64, out: &mut [f64]);
    /// Name of an unknown and its equation, for errors.
    fn name(&self, unknown: usize) -> Unknown;
}

/// An unknown of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unknown {
    /// The acceleration that belongs to a velocity of this name.
    Motion(String),
    /// The multiplier of the constraint of this name.
    Multiplier(String),
}

/// [`Equations::name`] for stages one after the other, in each of which multipliers follow accelerations.
pub(crate) fn unknown_of(model: &dyn Model, unknown: usize) -> Unknown {
    let info = model.describe();
    let nv = info.velocities.len();
    match unknown % (nv + info.constraints.len()) {
        place if place < nv => Unknown::Motion(info.velocities[place].name.clone()),
        place => Unknown::Multiplier(info.constraints[place - nv].name.clone()),
    }
}

/// [`Equations::sizes`] of one stage: accelerations, with coordinates divided by the square of the step, and multipliers.
pub(crate) fn sizes_of(model: &dyn Model, state: &State, position_factor: f64, out: &mut [f64]) {
    let (accelerations, multipliers) = out.split_at_mut(state.v.len());
    match instances(model) {
        (info, 1) => sizes_of_each::<1>(info, state, position_factor, accelerations),
        (info, _) => sizes_of_each::<ABREAST>(info, state, position_factor, accelerations),
    }
    multipliers.iter_mut().zip(&state.lambda).for_each(|(size, lambda)| *size = lambda.abs());
}

/// The sizes of accelerations of so many instances.
fn sizes_of_each<const N: usize>(info: &ModelInfo, state: &State, position_factor: f64, out: &mut [f64]) {
    let [all_q, all_a] = [&state.q, &state.a].map(|values| values.as_slice().as_chunks::<N>().0);
    let out = out.as_chunks_mut::<N>().0;
    for (block, q, v) in joined(&info.blocks) {
        let largest = match block {
            Block::Vector { .. } | Block::Rotation(_) => [1.0; N],
            Block::EulerParameters | Block::Pose(_) => largest_of_each(all_q[q.clone()].as_flattened()),
        };
        for (i, column) in v.enumerate() {
            let own = |i: usize| all_q[q.start + i].map(f64::abs);
            let coordinates = match block {
                // Cosines of small angles are of order one.
                Block::Vector { .. } if info.coordinates[q.start + i].unit == "rad" => own(i).map(|q| q.max(1.0)),
                Block::Vector { .. } => own(i),
                Block::Pose(_) if i >= 3 => [1.0; N],
                Block::EulerParameters | Block::Rotation(_) | Block::Pose(_) => largest,
            };
            for ((size, a), coordinate) in out[column].iter_mut().zip(all_a[column]).zip(coordinates) {
                *size = a.abs() + coordinate / position_factor;
            }
        }
    }
}

/// [`Equations::scales`] of one stage: accelerations with velocities and coordinates, divided by their factors of
/// accelerations; and the largest multiplier. `is_bound`: constraints are imposed on coordinates. `loose`: multiple of
/// accelerations and multipliers themselves below which no size is.
pub(crate) fn scales_of(
    model: &dyn Model,
    state: &State,
    [position, velocity]: [f64; 2],
    is_bound: bool,
    loose: f64,
    out: &mut [f64],
) {
    sizes_of(model, state, position, out);
    let (accelerations, multipliers) = out.split_at_mut(state.v.len());
    let share = if is_bound { 1.0 } else { FREE_SHARE };
    for ((size, a), v) in accelerations.iter_mut().zip(&state.a).zip(&state.v) {
        *size = a.abs() + v.abs() / velocity.abs() + share * (*size - a.abs());
    }
    let (a, lambda) = (state.a.as_slice(), state.lambda.as_slice());
    match instances(model).1 {
        1 => raise::<1>(accelerations, multipliers, lambda),
        _ => raise::<ABREAST>(accelerations, multipliers, lambda),
    }
    if loose > 0.0 {
        match instances(model).1 {
            1 => loosen::<1>(loose, [(accelerations, a), (multipliers, lambda)]),
            _ => loosen::<ABREAST>(loose, [(accelerations, a), (multipliers, lambda)]),
        }
    }
}

/// Raises sizes of so many instances to a multiple of the values themselves, of which those that are small count as a part
/// of the largest.
fn loosen<const N: usize>(loose: f64, parts: [(&mut [f64], &[f64]); 2]) {
    for (sizes, values) in parts {
        let least = largest_of_each::<N>(values).map(|largest| LEAST_SHARE * largest);
        for (sizes, values) in sizes.as_chunks_mut::<N>().0.iter_mut().zip(values.as_chunks::<N>().0) {
            for ((size, value), least) in sizes.iter_mut().zip(values).zip(least) {
                *size = size.max(loose * value.abs().max(least));
            }
        }
    }
}

/// Raises sizes of accelerations of so many instances to a part of the largest; those of multipliers are the largest one.
fn raise<const N: usize>(accelerations: &mut [f64], multipliers: &mut [f64], lambda: &[f64]) {
    let least = largest_of_each::<N>(accelerations).map(|largest| LEAST_SHARE * largest);
    for sizes in accelerations.as_chunks_mut::<N>().0 {
        sizes.iter_mut().zip(least).for_each(|(size, least)| *size = size.max(least));
    }
    let largest = largest_of_each::<N>(lambda).map(|largest| MULTIPLIERS * largest);
    multipliers.as_chunks_mut::<N>().0.fill(largest);
}

/// By what an acceleration exceeds that of the model in the same state; whether the model knows that.
pub(crate) fn excess_of_acceleration(model: &dyn Model, state: &State, out: &mut [f64]) -> bool {
    let State { t, q, v, a, .. } = state;
    let is_known = model.acceleration(*t, q.as_slice(), v.as_slice(), out);
    out.iter_mut().zip(a).for_each(|(out, a)| *out = a - *out);
    is_known
}

/// Newton's method with its workspace.
#[derive(Clone)]
pub(crate) struct Newton {
    tolerance: Tolerance,
    solver: LinearSolver,
    matrix: Vec<f64>,
    residual: Vec<f64>,
    /// Bound of the rounding of each residual, and its effect on the unknowns.
    rounding: Vec<f64>,
    effect: Vec<f64>,
    /// Nothing if each iteration has a matrix of its own.
    kept: Option<Kept>,
    /// Where the equations are those of several instances.
    #[cfg(feature = "simd")]
    lanes: Option<Box<LaneNewton>>,
}

impl Newton {
    /// For steps of a model, which may be several instances, with matrices of this pattern for each.
    pub(crate) fn new(
        model: &dyn Model,
        pattern: &SparsityPattern,
        tolerance: Tolerance,
        matrix: Option<NewtonMatrix>,
    ) -> Self {
        #[cfg(feature = "simd")]
        if let Some((abreast, _)) = model.abreast() {
            let lanes = LaneNewton::new(abreast.clone(), pattern.clone(), tolerance, matrix);
            let nothing = SparsityPattern::default();
            return Self { lanes: Some(Box::new(lanes)), ..Self::of_one(&nothing, tolerance, matrix) };
        }
        debug_assert!(model.abreast().is_none(), "instances abreast need lanes");
        Self::of_one(pattern, tolerance, matrix)
    }

    fn of_one(pattern: &SparsityPattern, tolerance: Tolerance, matrix: Option<NewtonMatrix>) -> Self {
        let solver = LinearSolver::new(pattern.clone());
        let (nnz, n) = (solver.nnz(), solver.size());
        let zeros = || vec![0.0; n];
        Self {
            tolerance,
            solver,
            matrix: vec![0.0; nnz],
            residual: zeros(),
            rounding: zeros(),
            effect: zeros(),
            kept: (matrix == Some(NewtonMatrix::Kept)).then(|| Kept::new(pattern, &tolerance)),
            #[cfg(feature = "simd")]
            lanes: None,
        }
    }

    /// Leaves constraints out of the equations from now on, see [`Stepper::leave_out`](crate::Stepper::leave_out).
    pub(crate) fn leave_out(&mut self, model: &dyn Model, constraints: &[usize]) {
        self.kept.iter_mut().for_each(Kept::forget);
        self.solver.leave_out(&unknowns_of(model, constraints, self.solver.size()));
    }

    /// The constraints that are left out.
    pub(crate) fn left_out(&self, model: &dyn Model) -> Vec<usize> {
        let dims = model.dims();
        let of_first = self.solver.left_out().iter().filter(|&&unknown| unknown < dims.nv + dims.nc);
        of_first.map(|unknown| unknown - dims.nv).collect()
    }

    /// Replaces a right-hand side, `[n]`, by the solution for the matrix that the last solution ended with.
    pub(crate) fn solve_linear(&mut self, rhs: &mut [f64]) {
        self.solver.solve(rhs);
    }

    /// Iterates from the current iterate of `equations` to the solution.
    ///
    /// `t` and `scheme` identify the step in errors, for which alone memory is allocated.
    pub(crate) fn solve(
        &mut self,
        equations: &mut dyn Equations,
        t: f64,
        scheme: &str,
    ) -> Result<StepStats, StepError> {
        #[cfg(feature = "simd")]
        if let Some(lanes) = &mut self.lanes {
            lanes.solve(equations);
            return Ok(StepStats::default());
        }
        let mut stats = StepStats::default();
        if let Some(mut kept) = self.kept.take() {
            let is_solved = self.solve_keeping(&mut kept, equations, &mut stats);
            self.kept = Some(kept);
            if is_solved {
                return Ok(stats);
            }
            equations.guess_anew(&[true]);
        }
        let usual = self.solve_projected(equations, t, scheme, |_, _, _| Ok(false))?;
        self.kept.iter_mut().for_each(|kept| kept.compare_with(usual.newton_iterations));
        stats += usual;
        Ok(stats)
    }

    /// [`Newton::solve`] with corrections projected onto the contact laws.
    ///
    /// `project` gets the equations, the solver with the factorized Jacobian, and the correction; it returns whether it has
    /// changed the correction. The laws hold for the Jacobian of the iterate before the correction, so that the convergence
    /// rate cannot be extrapolated, and iterations continue until the correction itself is small.
    pub(crate) fn solve_projected<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        t: f64,
        scheme: &str,
        mut project: impl FnMut(&E, &mut LinearSolver, &mut [f64]) -> Result<bool, StepError>,
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
                let what = self.singular_motion(equations);
                return Err(StepError::Singular { t, scheme: scheme.to_owned(), iteration, residual, what });
            }
            stats.factorizations += 1;
            self.solver.solve(&mut self.residual);
            let is_projected = project(equations, &mut self.solver, &mut self.residual)?;

            equations.subtract(&self.residual);
            let previous =
                core::mem::replace(&mut size, equations.measure(&self.residual, &self.tolerance, Lane::ONLY));
            stats.newton_iterations += 1;
            let is_done = match is_projected {
                false => is_last(size, previous),
                true => size <= PROJECTED || is_stalled(size, previous),
            };
            if is_done {
                return Ok(stats);
            }
            if size > NO_PROGRESS * previous && size <= self.rounding_allows(equations, ROUNDING_MARGIN) {
                stats.at_rounding += 1;
                return Ok(stats);
            }
        }
        // Near a singular position a solution is determined to the square root of rounding only, and corrections vary
        // within that.
        if size <= self.rounding_allows(equations, WANDERING) {
            stats.at_rounding += 1;
            return Ok(stats);
        }
        let (iteration, cause) = (self.tolerance.max_iterations, self.cause(equations, size));
        Err(StepError::NotConverged { t, scheme: scheme.to_owned(), iteration, residual, cause })
    }

    /// Size of the corrections that rounding of the equations explains with this margin, with the matrix factorized last;
    /// at most [`MOST_ROUNDING`].
    fn rounding_allows<E: Equations + ?Sized>(&mut self, equations: &E, margin: f64) -> f64 {
        let mut largest = 0.0_f64;
        let tolerance = self.tolerance;
        equations.sizes(&mut self.effect);
        self.effects_of_rounding(|effect| largest = largest.max(equations.measure(effect, &tolerance, Lane::ONLY)));
        allowed(&tolerance, largest, margin)
    }

    /// Corrections by random rounding, for unknowns of the sizes in `effect`: each equation is a sum of terms, each with an
    /// error of half a unit in the last place.
    fn effects_of_rounding(&mut self, mut of: impl FnMut(&[f64])) {
        self.solver.absolute_product(&self.matrix, &self.effect, &mut self.rounding);
        for pattern in 0..PATTERNS {
            let mut random = Random(pattern);
            for (effect, rounding) in self.effect.iter_mut().zip(&self.rounding) {
                *effect = 0.5 * f64::EPSILON * rounding.copysign(random.next());
            }
            self.solver.solve_untested(&mut self.effect);
            of(&self.effect);
        }
    }
}

/// Size of corrections that are taken for rounding, which makes some of this size.
fn allowed(tolerance: &Tolerance, largest: f64, margin: f64) -> f64 {
    let most = MOST_ROUNDING / tolerance.relative.max(f64::MIN_POSITIVE);
    if largest.is_finite() { (margin * largest).min(most) } else { 0.0 }
}

/// Indices of the multipliers of constraints among this many unknowns, where a and λ of one stage follow each other.
pub(crate) fn unknowns_of(model: &dyn Model, constraints: &[usize], size: usize) -> Vec<usize> {
    let dims = model.dims();
    let stage = (dims.nv + dims.nc).max(1);
    let stages = (0..size / stage).map(|index| index * stage + dims.nv);
    stages.flat_map(|first| constraints.iter().map(move |constraint| first + constraint)).collect()
}

/// Whether corrections no longer decrease.
fn is_stalled(size: f64, previous: f64) -> bool {
    size / previous > 0.5 && size <= STALLED
}

/// Whether a correction of this size is within the tolerance, or the error after it is, extrapolated with the rate of
/// convergence.
fn is_last(size: f64, previous: f64) -> bool {
    if size <= 1.0 {
        return true;
    }
    if previous.is_infinite() {
        return false; // The rate is unknown after one correction.
    }
    let rate = size / previous;
    // Sum of the remaining corrections for linear convergence, an upper bound for quadratic convergence.
    let remaining = size * rate / (1.0 - rate);
    (rate < 1.0 && remaining <= 1.0) || is_stalled(size, previous)
}

/// Compares the matrix at the current iterate, moved off any solution, with central differences.
#[cfg(test)]
pub(crate) fn assert_matrix_is_exact(
    equations: &mut dyn Equations,
    pattern: &crate::sparsity::SparsityPattern,
    what: &str,
) {
    let n = pattern.columns;
    let offset: Vec<f64> = (0..n).map(|i| -(1.0 + i as f64).sin()).collect();
    equations.subtract(&offset);
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
            equations.subtract(&correction);
            let mut residual = vec![0.0; n];
            equations.residual(&mut residual);
            correction[column] = size;
            equations.subtract(&correction);
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
mod tests;
