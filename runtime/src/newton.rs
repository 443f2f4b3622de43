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

use crate::configuration::ranges;
use crate::linear_solver::LinearSolver;
use crate::model::{Block, Model, State};
use crate::norms::{is_finite, largest, largest_product};
use crate::random::Random;
use crate::step::{Cause, StepError, StepStats};

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
    /// Number of iterations after which the step fails.
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
    /// Within a step and from step to step while corrections shrink fast enough; they go on until nothing but rounding is
    /// left, whatever the tolerance, since they shrink by a constant factor only. Steps with contacts use a matrix for
    /// every iteration. Accelerations and multipliers are less accurate than with the other choice, by about two digits,
    /// which matters where a scheme carries multipliers from step to step, as `hht` does.
    Kept,
    /// For one iteration, as quadratic convergence has it.
    EveryIteration,
}

/// A correction that no longer decreases is at round-off level; it is accepted up to this multiple of the tolerance.
const STALLED: f64 = 100.0;
/// Corrections up to this multiple of the estimated effect of rounding are taken for rounding.
const ROUNDING_MARGIN: f64 = 10.0;
/// The same after the last iteration, and for naming rounding as the cause of a failure.
const WANDERING: f64 = 1e3;
const NEAR_ROUNDING: f64 = 1e5;
/// Corrections above this fraction of coordinates and velocities are never taken for rounding, whatever the condition
/// number.
const MOST_ROUNDING: f64 = 1e-6;
/// If the ratio of successive corrections is above this, they are checked for rounding.
const NO_PROGRESS: f64 = 0.5;
/// Number of random sign patterns by which the effect of rounding is estimated.
const PATTERNS: u64 = 3;
/// Bisections along the last correction to locate a jump of the residual, and the least fraction of the residual's change
/// that counts as one.
const HALVINGS: u32 = 40;
const JUMP: f64 = 0.05;
/// The equations are nearly singular if a pivot of the scaled matrix is below this.
const NEARLY_SINGULAR: f64 = 1e-9;
/// Number of unknowns of a nearly singular motion that an error names, if they are above this fraction of the largest.
const NAMED: usize = 4;
const NOTABLE: f64 = 0.1;
/// Convergence of projected corrections, in units of the tolerance.
const PROJECTED: f64 = 1e-2;
/// Factor by which coordinates must be below the tolerance if velocities cannot reach it.
const COORDINATES_ONLY: f64 = 100.0;

/// With a kept matrix, the sum of all corrections to come is below this fraction of the unknowns' sizes, see [`scales_of`]: it
/// adds less to coordinates and velocities than their rounding does.
const LEFT: f64 = 1e-16;
/// A correction is also too small to count at this part of what rounding of the equations adds to the unknowns.
const RESOLVED: f64 = 0.2;
/// The sum of all corrections to come is below this part of one that is too small to count: unlike rounding it is alike
/// from step to step, and its effect on coordinates grows with the square of the number of steps.
const SYSTEMATIC: f64 = 0.03;
/// For so many steps what rounding adds is not estimated again while a matrix serves.
const ROUNDING_SERVES: u32 = 64;
/// Part of the coordinates that counts in the sizes of accelerations, unless constraints on coordinates leave the rounding of
/// these in the accelerations.
const FREE_SHARE: f64 = 1e-3;
/// Multipliers are determined by coordinates and do not return to them; relative to the largest one they may be less
/// accurate by this factor.
const MULTIPLIERS: f64 = 1e5;
/// Sizes of accelerations are at least this fraction of the largest one.
const LEAST_SHARE: f64 = 1e-3;
/// Corrections with a kept matrix that shrank by [`FAST`] before and no longer do so are rounding, if they are within this
/// tolerance.
const KEPT_TOLERANCE: Tolerance = Tolerance { relative: 1e-12, absolute: 1e-16, max_iterations: 0 };
const FAST: f64 = 0.05;
/// The first correction consists of what a matrix knows best, so that the second is smaller than those after it would tell.
const LEAST_RATIO: f64 = 0.01;
/// With the matrix of the iterate, all of them shrink alike.
const LEAST_NEW_RATIO: f64 = 1e-5;
/// A matrix is evaluated anew when more corrections than this are foreseen, and for the next step when a step has taken
/// more: with it a step takes two or three, and a factorization costs as much as about three of them.
const MOST_CORRECTIONS: u32 = 4;
/// A matrix does not serve for steps whose factor of accelerations in coordinates differs by more than this fraction.
const OTHER_STEP: f64 = 1e-6;
/// A correction costs half as much as an iteration with a matrix of its own if there are fewer unknowns, and about a third
/// otherwise, by measurements of models from 3 to 288 unknowns.
const FEW_UNKNOWNS: usize = 8;
/// For so many steps at most keeping a matrix is not tried again after it was in vain, twice as many each time.
const LONGEST_PAUSE: u32 = 1 << 10;

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
    /// Subtracts a correction from the unknowns.
    fn subtract(&mut self, correction: &[f64]);
    /// Sets the iterate to the first guess of iterations that have a matrix each. They reach far, and from a guess
    /// extrapolated through a singular position they may reach a motion that does not continue the one before.
    fn guess_anew(&mut self) {}
    /// Size of a correction relative to the current iterate, see [`Tolerance::measure`].
    fn measure(&self, correction: &[f64], tolerance: &Tolerance) -> f64;
    /// Magnitude of each unknown, to which its rounding is relative, `[n]`.
    fn sizes(&self, out: &mut [f64]);
    /// Factor of an acceleration in the coordinates of the end of the step.
    fn position_factor(&self) -> f64;
    /// Whether constraints are imposed on coordinates, whose rounding is then found in the accelerations.
    fn is_bound(&self) -> bool;
    /// Size of each unknown to which errors that a kept matrix leaves are relative, `[n]`, see [`scales_of`].
    fn scales(&self, out: &mut [f64]);
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
    let info = model.describe();
    let (accelerations, multipliers) = out.split_at_mut(state.v.len());
    for (block, q, v) in ranges(&info.blocks) {
        let largest = largest(&state.q.as_slice()[q.clone()]);
        for (i, column) in v.enumerate() {
            let coordinate = match block {
                // Cosines of small angles are of order one.
                Block::Vector { .. } if info.coordinates[q.start + i].unit == "rad" => {
                    state.q[q.start + i].abs().max(1.0)
                }
                Block::Vector { .. } => state.q[q.start + i].abs(),
                Block::EulerParameters => largest,
                Block::Rotation(_) => 1.0,
                Block::Pose(_) => {
                    if i < 3 {
                        largest
                    } else {
                        1.0
                    }
                }
            };
            accelerations[column] = state.a[column].abs() + coordinate / position_factor;
        }
    }
    multipliers.iter_mut().zip(&state.lambda).for_each(|(size, lambda)| *size = lambda.abs());
}

/// [`Equations::scales`] of one stage: accelerations with velocities and coordinates, divided by their factors of
/// accelerations; and the largest multiplier. `is_bound`: constraints are imposed on coordinates.
pub(crate) fn scales_of(
    model: &dyn Model,
    state: &State,
    [position, velocity]: [f64; 2],
    is_bound: bool,
    out: &mut [f64],
) {
    sizes_of(model, state, position, out);
    let (accelerations, multipliers) = out.split_at_mut(state.v.len());
    let share = if is_bound { 1.0 } else { FREE_SHARE };
    for ((size, a), v) in accelerations.iter_mut().zip(&state.a).zip(&state.v) {
        *size = a.abs() + v.abs() / velocity.abs() + share * (*size - a.abs());
    }
    let least = LEAST_SHARE * largest(accelerations);
    accelerations.iter_mut().for_each(|size| *size = size.max(least));
    multipliers.fill(MULTIPLIERS * largest(state.lambda.as_slice()));
}

/// Newton's method with its workspace.
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
}

/// What is known of a matrix that was factorized earlier.
struct Kept {
    /// [`Equations::position_factor`] of the matrix; nothing if it does not serve any more.
    of: Option<f64>,
    /// The largest ratio of two successive corrections with it, at least [`LEAST_RATIO`].
    ratio: f64,
    /// Steps that begin with a new matrix, because an old one did not serve, and how many it will be the next time.
    renewals: u32,
    next_renewals: u32,
    /// Iterations of the last step with a matrix for each of them, and how many were saved lately, at most as many.
    usual: u32,
    saved: f64,
    /// Steps for which nothing is kept, and how many it will be the next time.
    pause: u32,
    next_pause: u32,
    /// Sizes to which corrections are relative, and what rounding of the equations adds to each unknown, if that was asked.
    sizes: Vec<f64>,
    is_bound: bool,
    rounding: Vec<f64>,
    knows_rounding: bool,
    /// Steps since then.
    rounding_age: u32,
    /// Reciprocals of corrections that are too small to count, and the sum of all corrections.
    inverse_units: Vec<f64>,
    sum: Vec<f64>,
}

/// Whether what is left after a correction of this size is too small to count, at this ratio of those to come.
fn is_too_small(size: f64, ratio: f64) -> bool {
    ratio < 1.0 && size * ratio <= SYSTEMATIC * (1.0 - ratio)
}

/// How corrections with one matrix ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// Nothing but rounding is left.
    Solved,
    /// They shrink, but not fast enough.
    Slow,
    /// They grow, or are no numbers.
    Lost,
}

impl Kept {
    /// Begins a step.
    fn begin(&mut self, equations: &dyn Equations) {
        self.sum.fill(0.0);
        self.rounding_age += 1;
        self.knows_rounding &= self.rounding_age < ROUNDING_SERVES;
        equations.scales(&mut self.sizes);
        self.is_bound = equations.is_bound();
        self.find_units();
    }

    fn find_units(&mut self) {
        let left = if self.is_bound { LEFT } else { LEFT / SYSTEMATIC };
        for ((unit, size), rounding) in self.inverse_units.iter_mut().zip(&self.sizes).zip(&self.rounding) {
            // No correction of an unknown without size is small, except zero.
            *unit = (1.0 / (left * size).max(RESOLVED * rounding)).min(f64::MAX);
        }
    }

    /// Size of a correction in units of what does not count.
    fn size(&self, correction: &[f64]) -> f64 {
        largest_product(correction, &self.inverse_units)
    }

    /// As the matrix did not serve.
    fn renew_for_next_steps(&mut self) {
        self.of = None;
        self.renewals = self.next_renewals;
        self.next_renewals = (2 * self.next_renewals).min(LONGEST_PAUSE);
    }

    /// Takes all corrections back.
    fn undo(&mut self, equations: &mut dyn Equations) {
        self.of = None;
        self.sum.iter_mut().for_each(|sum| *sum = -*sum);
        equations.subtract(&self.sum);
        self.sum.fill(0.0);
    }
}

impl Newton {
    pub(crate) fn new(solver: LinearSolver, tolerance: Tolerance, matrix: Option<NewtonMatrix>) -> Self {
        let (nnz, n) = (solver.nnz(), solver.size());
        let zeros = || vec![0.0; n];
        let kept = || Kept {
            of: None,
            ratio: LEAST_RATIO,
            renewals: 0,
            next_renewals: 1,
            usual: 2,
            saved: 0.0,
            pause: 0,
            next_pause: 1,
            sizes: zeros(),
            is_bound: false,
            rounding: zeros(),
            knows_rounding: false,
            rounding_age: 0,
            inverse_units: zeros(),
            sum: zeros(),
        };
        Self {
            tolerance,
            solver,
            matrix: vec![0.0; nnz],
            residual: zeros(),
            rounding: zeros(),
            effect: zeros(),
            kept: (matrix == Some(NewtonMatrix::Kept)).then(kept),
        }
    }

    /// Leaves constraints out of the equations from now on, see [`Stepper::leave_out`](crate::Stepper::leave_out).
    pub(crate) fn leave_out(&mut self, model: &dyn Model, constraints: &[usize]) {
        self.kept.iter_mut().for_each(|kept| kept.of = None);
        self.solver.leave_out(&unknowns_of(model, constraints, self.solver.size()));
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
        let mut stats = StepStats::default();
        if let Some(mut kept) = self.kept.take() {
            let is_solved = self.solve_keeping(&mut kept, equations, &mut stats);
            self.kept = Some(kept);
            if is_solved {
                return Ok(stats);
            }
            equations.guess_anew();
        }
        let usual = self.solve_projected(equations, t, scheme, |_, _, _| Ok(false))?;
        self.kept.iter_mut().for_each(|kept| kept.usual = usual.newton_iterations);
        stats += usual;
        Ok(stats)
    }

    /// Iterates with the matrix that was factorized last while it serves, and with another one when it does not; whether
    /// that was enough. If not, the iterate is what it was before, but for rounding.
    fn solve_keeping(&mut self, kept: &mut Kept, equations: &mut dyn Equations, stats: &mut StepStats) -> bool {
        // Coordinates that do not depend on accelerations do not measure them.
        if kept.pause > 0 || equations.position_factor() == 0.0 {
            (kept.pause, kept.of) = (kept.pause.saturating_sub(1), None);
            return false;
        }
        if kept.renewals > 0 {
            (kept.renewals, kept.of) = (kept.renewals - 1, None);
        }
        kept.begin(equations);
        let factor = equations.position_factor();
        let serves = |of: f64| (factor - of).abs() <= OTHER_STEP * of;
        let mut is_new = !kept.of.is_some_and(serves);
        let is_solved = (!is_new || self.renew(kept, equations, stats))
            && loop {
                match self.correct(kept, equations, stats, is_new) {
                    Ended::Solved => break true,
                    _ if is_new => break false,
                    Ended::Slow => {}
                    Ended::Lost => kept.undo(equations),
                }
                kept.renew_for_next_steps();
                is_new = true;
                if !self.renew(kept, equations, stats) {
                    break false;
                }
            };
        if !is_solved {
            kept.undo(equations);
        }
        if is_solved && !is_new && kept.of.is_some() {
            kept.next_renewals = 1;
        }
        // In vain is also what costs more than a matrix for every iteration, unless the steps before have saved it, or
        // those that follow may.
        let correction = if self.solver.size() < FEW_UNKNOWNS { 0.5 } else { 0.35 };
        let cost =
            correction * f64::from(stats.newton_iterations) + (1.0 - correction) * f64::from(stats.factorizations);
        let usual = f64::from(kept.usual);
        kept.saved = (kept.saved + usual - cost).min(usual);
        if !is_solved || kept.saved < -usual {
            kept.saved = 0.0;
            kept.pause = kept.next_pause;
            kept.next_pause = (2 * kept.next_pause).min(LONGEST_PAUSE);
        } else if cost <= usual {
            kept.next_pause = 1;
        }
        is_solved
    }

    /// Factorizes the matrix of the current iterate; whether it is regular.
    fn renew(&mut self, kept: &mut Kept, equations: &mut dyn Equations, stats: &mut StepStats) -> bool {
        equations.matrix(&mut self.matrix);
        let is_regular = is_finite(&self.matrix) && self.solver.factor(&self.matrix).is_ok();
        stats.factorizations += u32::from(is_regular);
        kept.of = is_regular.then(|| equations.position_factor());
        kept.ratio = LEAST_RATIO;
        kept.rounding.fill(0.0);
        kept.knows_rounding = false;
        kept.find_units();
        is_regular
    }

    /// Corrects until nothing is left or the matrix does not serve.
    fn correct(
        &mut self,
        kept: &mut Kept,
        equations: &mut dyn Equations,
        stats: &mut StepStats,
        is_new: bool,
    ) -> Ended {
        let mut fastest: f64 = 1.0;
        let mut slowest = if is_new { LEAST_NEW_RATIO } else { kept.ratio };
        let mut previous: Option<f64> = None;
        for count in 1.. {
            equations.residual(&mut self.residual);
            if !is_finite(&self.residual) {
                return Ended::Lost;
            }
            self.solver.solve_untested(&mut self.residual);
            let mut size = kept.size(&self.residual);
            // As large as the coordinates themselves, or not a number: taking it back would not lead to where it was.
            if size.is_nan() || size > SYSTEMATIC / LEFT {
                return Ended::Lost;
            }
            equations.subtract(&self.residual);
            kept.sum.iter_mut().zip(&self.residual).for_each(|(sum, correction)| *sum += correction);
            stats.newton_iterations += 1;
            let Some(last) = previous.replace(size) else {
                // The ratio of the last step says enough of a correction that is nothing but rounding.
                if size <= SYSTEMATIC && (is_new || kept.ratio <= NO_PROGRESS) {
                    return Ended::Solved;
                }
                continue;
            };
            let ratio = size / last;
            if !kept.knows_rounding && !is_too_small(size, slowest.max(ratio)) {
                self.find_rounding(kept, equations);
                size = kept.size(&self.residual);
                previous = Some(size);
            }
            let is_within = |margin: f64| kept.knows_rounding && size * RESOLVED <= margin;
            let is_rounding = ratio > NO_PROGRESS
                && (is_within(ROUNDING_MARGIN)
                    || (is_new || fastest <= FAST || is_within(WANDERING))
                        && equations.measure(&self.residual, &KEPT_TOLERANCE) <= 1.0);
            // Corrections within rounding do not tell how fast those before them shrank.
            if !is_rounding && size * RESOLVED > 1.0 {
                kept.ratio = kept.ratio.max(ratio);
                slowest = slowest.max(ratio);
            }
            fastest = fastest.min(ratio);
            let is_solved = is_too_small(size, slowest);
            if is_solved || is_rounding {
                // A tolerance below rounding cannot be met.
                let is_below = self.tolerance.relative < KEPT_TOLERANCE.relative
                    && equations.measure(&self.residual, &self.tolerance) > 1.0;
                stats.at_rounding += u32::from(is_below);
                if count > MOST_CORRECTIONS {
                    kept.renew_for_next_steps();
                }
                return Ended::Solved;
            }
            if ratio >= NO_PROGRESS || count > 2 * MOST_CORRECTIONS {
                return if ratio >= 1.0 { Ended::Lost } else { Ended::Slow };
            }
            let foreseen = || -size.ln() / ratio.ln();
            if !is_new && count > 2 && foreseen() > f64::from(MOST_CORRECTIONS) {
                return Ended::Slow;
            }
        }
        Ended::Slow
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
            let previous = std::mem::replace(&mut size, equations.measure(&self.residual, &self.tolerance));
            stats.newton_iterations += 1;
            let is_done = match is_projected {
                false => size <= 1.0 || is_last(size, previous),
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
        self.effects_of_rounding(|effect| largest = largest.max(equations.measure(effect, &tolerance)));
        let most = MOST_ROUNDING / tolerance.relative.max(f64::MIN_POSITIVE);
        if largest.is_finite() { (margin * largest).min(most) } else { 0.0 }
    }

    /// What rounding of the equations adds to each unknown, with the matrix factorized last.
    fn find_rounding(&mut self, kept: &mut Kept, equations: &dyn Equations) {
        equations.sizes(&mut self.effect);
        // Of coordinates that no constraint holds only a part counts, as in the sizes of corrections.
        self.effect.iter_mut().zip(&kept.sizes).for_each(|(size, most)| *size = size.min(*most));
        kept.rounding.fill(0.0);
        self.effects_of_rounding(|effect| {
            kept.rounding.iter_mut().zip(effect).for_each(|(rounding, effect)| *rounding = rounding.max(effect.abs()));
        });
        (kept.knows_rounding, kept.rounding_age) = (true, 0);
        kept.find_units();
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
            self.solver.solve(&mut self.effect);
            of(&self.effect);
        }
    }

    /// The probable cause why iterations have not converged, from the last iterate.
    fn cause<E: Equations + ?Sized>(&mut self, equations: &mut E, size: f64) -> Cause {
        if let Some(cause) = self.jump(equations) {
            return cause;
        }
        if self.solver.least_pivot() < NEARLY_SINGULAR {
            return Cause::NearlySingular { what: self.singular_motion(equations) };
        }
        let correction = size * self.tolerance.relative;
        if size <= self.rounding_allows(equations, NEAR_ROUNDING) {
            return Cause::Rounding { correction };
        }
        Cause::StepTooLong
    }

    /// A jump of the residual along the last correction, by bisection: an interval that shrinks without its change of the
    /// residual.
    fn jump<E: Equations + ?Sized>(&mut self, equations: &mut E) -> Option<Cause> {
        let n = self.residual.len();
        let correction = self.residual.clone();
        let mut at = 0.0;
        let mut residual_at = |part: f64| {
            let move_by: Vec<f64> = correction.iter().map(|entry| (part - at) * entry).collect();
            equations.subtract(&move_by);
            at = part;
            let mut residual = vec![0.0; n];
            equations.residual(&mut residual);
            is_finite(&residual).then_some(residual)
        };
        let difference = |a: &[f64], b: &[f64]| -> (usize, f64) {
            let changes = a.iter().zip(b).map(|(a, b)| (a - b).abs()).enumerate();
            changes.fold((0, 0.0), |largest, change| if change.1 > largest.1 { change } else { largest })
        };
        // From the iterate before the correction to as far beyond the last one.
        let (mut low, mut high) = (-1.0, 1.0);
        let (mut before, mut after) = (residual_at(low)?, residual_at(high)?);
        let (_, whole) = difference(&before, &after);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let between = residual_at(middle)?;
            if difference(&before, &between).1 > difference(&between, &after).1 {
                (high, after) = (middle, between);
            } else {
                (low, before) = (middle, between);
            }
        }
        residual_at(0.0)?;
        let (equation, jump) = difference(&before, &after);
        if whole == 0.0 || jump < JUMP * whole {
            return None;
        }
        match equations.name(equation) {
            Unknown::Motion(coordinate) => Some(Cause::Jump { coordinate, jump }),
            Unknown::Multiplier(_) => None,
        }
    }

    /// The motions and multipliers that a nearly singular matrix does not determine, by inverse iteration.
    fn singular_motion<E: Equations + ?Sized>(&mut self, equations: &E) -> String {
        let mut random = Random::default();
        self.effect.iter_mut().for_each(|entry| *entry = random.next());
        self.solver.undetermined(&self.matrix, &mut self.effect);
        let mut order: Vec<usize> = (0..self.effect.len()).collect();
        order.sort_by(|&a, &b| self.effect[b].abs().total_cmp(&self.effect[a].abs()));
        let most = order.first().map_or(0.0, |&first| self.effect[first].abs());
        let mut names: Vec<String> = Vec::new();
        for unknown in order.into_iter().filter(|&unknown| self.effect[unknown].abs() > NOTABLE * most) {
            let name = match equations.name(unknown) {
                Unknown::Motion(name) => format!("motion of `{name}`"),
                Unknown::Multiplier(name) => format!("constraint `{name}`"),
            };
            if !names.contains(&name) && names.len() < NAMED {
                names.push(name);
            }
        }
        names.join(", ")
    }
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

/// Whether the error after a correction of this size is within the tolerance, extrapolated with the rate of convergence.
fn is_last(size: f64, previous: f64) -> bool {
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
mod tests {
    use super::*;
    use crate::sparsity::SparsityPattern;

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
        fn subtract(&mut self, correction: &[f64]) {
            self.x -= correction[0];
        }
        fn measure(&self, correction: &[f64], tolerance: &Tolerance) -> f64 {
            tolerance.measure(correction[0].abs(), correction[0].abs(), self.x.abs(), self.x.abs())
        }
        fn sizes(&self, out: &mut [f64]) {
            out[0] = self.x.abs();
        }
        fn position_factor(&self) -> f64 {
            1.0
        }
        fn is_bound(&self) -> bool {
            false
        }
        fn name(&self, _unknown: usize) -> Unknown {
            Unknown::Motion("x".to_owned())
        }
        fn scales(&self, out: &mut [f64]) {
            self.sizes(out);
        }
    }

    fn solve(equations: Scalar) -> (f64, Result<StepStats, StepError>) {
        solve_with(equations, NewtonMatrix::EveryIteration)
    }

    /// Old matrices and those of every iteration lead to the same solution; where there is none, both say so.
    #[test]
    fn kept_matrices_find_the_same_solutions() {
        let cases: [(f64, fn(f64) -> f64, fn(f64) -> f64); 6] = [
            (1.0, |x| x * x - 2.0, |x| 2.0 * x),
            (1.4, |x| x * x - 2.0, |x| 2.0 * x),
            (0.3, |x| x.exp() - 2.0 * x - 0.9, |x| x.exp() - 2.0),
            (5.0, |x| x.tanh() - 0.99, |x| 1.0 / (x.cosh() * x.cosh())),
            (3.0, |x| x * x + 1.0, |x| 2.0 * x),
            (1.0, |x| x - 2.0, |_| 10.0),
        ];
        for (x, f, derivative) in cases {
            let [expected, found] = [NewtonMatrix::EveryIteration, NewtonMatrix::Kept]
                .map(|matrix| solve_with(Scalar { x, f, derivative }, matrix));
            assert_eq!(expected.1.is_ok(), found.1.is_ok(), "{x}: {:?} {:?}", expected.1, found.1);
            if expected.1.is_ok() {
                assert!((expected.0 - found.0).abs() <= 4.0 * f64::EPSILON * expected.0.abs(), "{x}");
            }
        }
    }

    /// A matrix serves from step to step while the root moves slowly, and not when it is far away.
    #[test]
    fn matrices_are_renewed_when_they_do_not_serve() {
        let solver = LinearSolver::new(SparsityPattern::from_entries(1, 1, [(0, 0)]));
        let mut newton = Newton::new(solver, Tolerance::default(), Some(NewtonMatrix::Kept));
        let mut equations = Scalar { x: 2.236_07, f: |x| x * x - 5.0, derivative: |x| 2.0 * x };
        let mut solve = |equations: &mut Scalar| newton.solve(equations, 0.0, "test").unwrap();
        assert_eq!(solve(&mut equations).factorizations, 1);
        equations.f = |x| x * x - 5.000_001;
        assert_eq!(solve(&mut equations).factorizations, 0);
        assert!((equations.x - 5.000_001_f64.sqrt()).abs() <= 4.0 * f64::EPSILON);
        equations.f = |x| x * x - 400.0;
        assert!(solve(&mut equations).factorizations > 0);
        assert!((equations.x - 20.0).abs() <= 40.0 * f64::EPSILON);
    }

    /// Two equations that are nearly the same, at time t: rounding of them moves the solution by ten million times as much.
    struct NearlyDependent {
        x: [f64; 2],
        t: f64,
    }

    impl Equations for NearlyDependent {
        fn residual(&mut self, out: &mut [f64]) {
            let [x, y] = self.x;
            let sum = x + y + 0.1 * x.sin();
            out.copy_from_slice(&[sum - self.t.cos(), sum + 1e-7 * y - self.t.cos() - 1e-7 * self.t.sin()]);
        }
        fn matrix(&mut self, out: &mut [f64]) {
            let by_x = 1.0 + 0.1 * self.x[0].cos();
            out.copy_from_slice(&[by_x, by_x, 1.0, 1.0 + 1e-7]);
        }
        fn subtract(&mut self, correction: &[f64]) {
            self.x.iter_mut().zip(correction).for_each(|(x, change)| *x -= change);
        }
        fn measure(&self, correction: &[f64], tolerance: &Tolerance) -> f64 {
            let (change, size) = (largest(correction), largest(&self.x));
            tolerance.measure(change, change, size, size)
        }
        fn sizes(&self, out: &mut [f64]) {
            out.fill(largest(&self.x));
        }
        fn position_factor(&self) -> f64 {
            1.0
        }
        fn is_bound(&self) -> bool {
            false
        }
        fn scales(&self, out: &mut [f64]) {
            self.sizes(out);
        }
        fn name(&self, _unknown: usize) -> Unknown {
            Unknown::Motion("x".to_owned())
        }
    }

    /// Corrections that are rounding neither renew a matrix nor go on, and come after those that are none.
    #[test]
    fn rounding_is_not_taken_for_a_matrix_that_does_not_serve() {
        let pattern = SparsityPattern::from_entries(2, 2, [(0, 0), (1, 0), (0, 1), (1, 1)]);
        let mut newton = Newton::new(LinearSolver::new(pattern), Tolerance::default(), Some(NewtonMatrix::Kept));
        let mut equations = NearlyDependent { x: [1.0, 0.0], t: 0.0 };
        let mut stats = StepStats::default();
        for step in 1..=1000 {
            equations.t = 1e-4 * f64::from(step);
            stats += newton.solve(&mut equations, 0.0, "test").unwrap();
            let mut residual = [0.0; 2];
            equations.residual(&mut residual);
            let error = (equations.x[1] - equations.t.sin()).abs();
            assert!(error <= 1e-8 && largest(&residual) <= 1e-10, "step {step}: {error:e}, {residual:?}");
        }
        assert!(stats.factorizations <= 20 && stats.newton_iterations <= 3600, "{stats:?}");
    }

    fn solve_with(mut equations: Scalar, matrix: NewtonMatrix) -> (f64, Result<StepStats, StepError>) {
        let solver = LinearSolver::new(SparsityPattern::from_entries(1, 1, [(0, 0)]));
        let result = Newton::new(solver, Tolerance::default(), Some(matrix)).solve(&mut equations, 2.0, "test");
        (equations.x, result)
    }

    #[test]
    fn what_is_not_finite_has_not_converged() {
        let measure = |dq, dv, q, v| Tolerance::default().measure(dq, dv, q, v);
        assert!(measure(0.0, 0.0, 1.0, 1.0) == 0.0);
        for bad in [f64::NAN, f64::INFINITY] {
            let measures = [
                measure(bad, 0.0, 1.0, 1.0),
                measure(0.0, bad, 1.0, 1.0),
                measure(0.0, 0.0, bad, 1.0),
                measure(0.0, 0.0, 1.0, bad),
            ];
            assert_eq!(measures, [f64::INFINITY; 4]);
        }
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

    #[test]
    fn causes_are_told_apart() {
        let cause = |equations| match solve(equations).1 {
            Err(StepError::NotConverged { cause, .. }) => cause,
            other => panic!("{other:?}"),
        };
        // −0.5 ± 1 with a root on neither side: friction that has no equilibrium without sticking.
        let rubbing = Scalar { x: 1.0, f: |x| 0.1 * x - 0.5 + x.signum(), derivative: |_| 0.1 };
        let Cause::Jump { coordinate, jump } = cause(rubbing) else { panic!("a jump") };
        assert!(coordinate == "x" && (jump - 2.0).abs() < 1e-6, "{coordinate} {jump}");
        // No root, and a continuous residual.
        assert_eq!(cause(Scalar { x: 3.0, f: |x| x * x + 1.0, derivative: |x| 2.0 * x }), Cause::StepTooLong);
    }

    #[test]
    fn corrections_end_by_their_rate_or_where_they_stall() {
        // The first says nothing, unless it is within the tolerance already.
        assert!(!is_last(50.0, f64::INFINITY));
        // A tenth of the last each time: 0.9, 0.09, … more than the tolerance and less are left.
        assert!(is_last(8.9, 89.0) && !is_last(9.1, 91.0));
        assert!(is_stalled(60.0, 100.0) && !is_stalled(40.0, 100.0) && !is_stalled(101.0, 102.0));
        assert!(is_last(90.0, 90.0) && is_last(90.0, 60.0) && !is_last(110.0, 60.0));
    }

    /// Equations of a stage are those of motion, then those of multipliers; another stage begins anew.
    #[test]
    fn unknowns_have_names_and_sizes() {
        use crate::schemes::common::Springs;
        let names = ["drive", "rod[0].x", "rod[1].x", "rod[2].x", "end"];
        for stage in 0..2 {
            for (place, expected) in names.into_iter().enumerate() {
                assert!(matches!(unknown_of(&Springs, 6 * stage + place), Unknown::Motion(name) if name == expected));
            }
            assert!(matches!(unknown_of(&Springs, 6 * stage + 5), Unknown::Multiplier(name) if name == "crank"));
        }
        let mut state = Springs::initial();
        (state.q[1], state.a[1], state.a[2], state.lambda[0]) = (-0.5, 3.0, -2.0, -7.0);
        let mut sizes = [f64::NAN; 6];
        sizes_of(&Springs, &state, 0.25, &mut sizes);
        assert_eq!(sizes, [0.0, 5.0, 2.0, 0.0, 0.0, 7.0]);
    }
}
