//! Results of a step: its cost, the record of contacts, and errors.

use thiserror::Error;

use crate::model::{Model, ParameterError, State};
use crate::norms::is_finite;
use crate::prelude::*;

/// Where constraints on coordinates are imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ConstraintLevel {
    /// `g(t, q) = 0`: a differential-algebraic system of index 3.
    Position,
    /// `G v + ∂g/∂t = 0`: of index 2; the coordinates drift off the constraints.
    Velocity,
    /// `G a + … = 0`: of index 1, as an ordinary differential equation; velocities and coordinates drift off the
    /// constraints. Constraints on velocities stay what they are.
    Acceleration,
}

/// Cost of a step, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepStats {
    /// Newton iterations.
    pub newton_iterations: u32,
    /// Matrix factorizations.
    pub factorizations: u32,
    /// Solutions that were accepted although they miss the tolerance, because rounding permits no better one.
    pub at_rounding: u32,
}

impl core::ops::AddAssign for StepStats {
    fn add_assign(&mut self, other: Self) {
        self.newton_iterations += other.newton_iterations;
        self.factorizations += other.factorizations;
        self.at_rounding += other.at_rounding;
    }
}

/// Forces, impulses and dissipation of contacts since the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRecord {
    /// Gaps at the end of the last step, `[contacts]`.
    pub gaps: Vec<f64>,
    /// Forces at the end of the last step, normal and tangential, as the rows of
    /// [`Model::contact_jacobian`](crate::Model::contact_jacobian).
    pub forces: Vec<f64>,
    /// Impulses of all impacts since the start, by the same rows. With Moreau's rule those of whole steps with an impact.
    pub impulses: Vec<f64>,
    /// Number of instants with an impact, including the start. With Moreau's rule, number of steps in which contacts
    /// act that were open before.
    pub impacts: u64,
    /// Number of impacts whose restitution was reduced, because Newton's law of impact would have added energy: this is
    /// possible with friction. With Moreau's rule, number of such steps.
    pub weakened: u64,
    /// Iterations of the contact solver since the start: linear systems, pieces of paths, and sweeps.
    pub iterations: u64,
    /// Largest violation of the laws of contact since the start, as a relative velocity.
    pub violation: f64,
    /// The largest violation since the start relative to the velocities without contact impulses of the same step, which
    /// is far above rounding where a solution was accepted for want of a better one.
    pub relative_violation: f64,
    /// The deepest penetration since the start, in the unit of the gap; impacts take place at the end of a step.
    pub penetration: f64,
    /// Energy that impacts have dissipated since the start, J; relative to moving obstacles, if there are any.
    /// With Moreau's rule, which does not distinguish impacts from forces, all energy that contacts have dissipated.
    pub loss: f64,
    /// Work of all contact forces and impulses on the bodies since the start, J, of forces by the trapezoidal rule. It
    /// includes the dissipation by friction and impacts, the work of moving obstacles, and that of drives in impacts.
    pub work: f64,
    /// Upper bound of `work`: without the dissipation by friction within steps, which has only first order in the step
    /// size.
    pub(crate) most_work: f64,
    /// The least energy that an impact has dissipated, J; negative by rounding only. With Moreau's rule the least of a
    /// step, from the velocity before or after the change by all other forces, whichever dissipates more.
    pub least_loss: f64,
}

impl ContactRecord {
    /// Replaces all values by those of a record of the same model, without allocation.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.gaps.clone_from(&other.gaps);
        self.forces.clone_from(&other.forces);
        self.impulses.clone_from(&other.impulses);
        let Self { gaps, forces, impulses, .. } = self;
        let [gaps, forces, impulses] = [gaps, forces, impulses].map(core::mem::take);
        *self = Self { gaps, forces, impulses, ..*other };
    }
}

/// Times that are apart by less than this, relative to one second or the time, are the same.
const CLOCK: f64 = 1e-13;

/// Refuses the state of a scheme that is at another time than the end of its step, both in s.
///
/// # Errors
/// [`StepError::Undefined`]
pub(crate) fn check_clock(scheme: &str, model: &dyn Model, end: f64, state: f64) -> Result<(), StepError> {
    if (state - end).abs() <= CLOCK * (1.0 + end.abs()) {
        return Ok(());
    }
    let reason = "its state is at another time than the end of the step: a step advances the time by its length";
    Err(StepError::Undefined { scheme: scheme.to_owned(), model: model.describe().name.clone(), reason })
}

/// The probable cause of a failure of Newton's method, determined from the last iterate.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// None of the other causes was found.
    StepTooLong,
    /// The same, and shorter steps, which were tried, fail too.
    AnyStep,
    /// The residual jumps within the last correction.
    Jump {
        /// Name of the velocity in whose equation it is.
        coordinate: String,
        /// Size of the jump, N or N m.
        jump: f64,
    },
    /// A drive changes its velocity at once, as a blow does.
    Blow {
        /// Name of the drive, or of another constraint that moves.
        constraint: String,
        /// When, s.
        t: f64,
        /// By how much its rate changes there, in its SI unit by second.
        jump: f64,
    },
    /// The Jacobian is nearly singular.
    NearlySingular {
        /// The motions and constraints that it barely determines.
        what: String,
    },
    /// Corrections no longer decrease because of rounding.
    Rounding {
        /// The last correction, relative to coordinates and velocities.
        correction: f64,
    },
}

impl core::fmt::Display for Cause {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        match self {
            Cause::StepTooLong => f.write_str("try a smaller step"),
            Cause::AnyStep => f.write_str(
                "neither does the shortest step: no motion may go on here, as where constraints contradict each other or forces grow \
                 without bound"
            ),
            Cause::Jump { coordinate, jump } => write!(
                f,
                "the force on `{coordinate}` jumps by {jump:.3e} within the step, which no smaller step removes: write it as a continuous function (friction, for example, with `tanh(v / v_0)` in place of `sign(v)`) or as a contact"
            ),
            Cause::Blow { constraint, t, jump } => write!(
                f,
                "the rate of `{constraint}` jumps by {jump:.3e} at t = {t} s, which is a blow that no smaller step removes: let it change within a time"
            ),
            Cause::NearlySingular { what } => write!(
                f,
                "the Jacobian is nearly singular there and hardly determines {what}: a singular position of the mechanism, or bodies almost without inertia"
            ),
            Cause::Rounding { correction } => write!(
                f,
                "corrections stall at {correction:.1e} by rounding: raise the tolerance of Newton's method above that, or scale the model"
            ),
        }
    }
}

/// Why a step failed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StepError {
    /// Newton's method did not reach its tolerance.
    #[error("{scheme} did not converge at t = {t} s: residual {residual:.3e} after {iteration} iterations; {cause}")]
    NotConverged {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Iterations done.
        iteration: u32,
        /// Largest scaled residual.
        residual: f64,
        /// The likely cause.
        cause: Cause,
    },
    /// The iteration matrix is singular.
    #[error(
        "{scheme}: singular iteration matrix at t = {t} s in iteration {iteration} (residual {residual:.3e}), which does not determine {what}: a singular position of the mechanism, or a body without inertia"
    )]
    Singular {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Iteration in which the factorization failed.
        iteration: u32,
        /// Largest scaled residual.
        residual: f64,
        /// What the equations do not determine.
        what: String,
    },
    /// A value became infinite or undefined.
    #[error("{scheme}: the residual is not finite at t = {t} s in iteration {iteration}")]
    NotFinite {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Iteration in which it appeared.
        iteration: u32,
    },
    /// An input is infinite or not a number.
    #[error("input `{input}` is {value} at t = {t} s, expected a finite number")]
    BadInput {
        /// Time at which it is, s.
        t: f64,
        /// Name of the input.
        input: String,
        /// Its value.
        value: f64,
    },
    /// An angle has reached or passed a value at which the angles of a rotation are singular.
    #[error(
        "{coordinate} is {:.3}° at t = {t} s, and the next step leads past ±90° or too close to it, where these angles are singular; use Euler parameters",
        angle.to_degrees()
    )]
    SingularAngle {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the coordinate.
        coordinate: String,
        /// Its value there, rad.
        angle: f64,
    },
    /// The contact problem has no solution, or none was found.
    #[error(
        "{scheme}: no contact forces satisfy the laws of contact and friction in the step from t = {t} s: those of {contacts} are violated by {residual:.3e} m/s after {iteration} iterations; contacts jam, or the step is too long"
    )]
    Contact {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Names of the contacts whose laws are violated.
        contacts: String,
        /// Iterations done.
        iteration: u32,
        /// Largest violation, as a relative velocity, m/s.
        residual: f64,
    },
    /// Between events, accelerations with the contacts that touch need one of them to pull.
    #[error(
        "no accelerations satisfy the laws of contact and friction at t = {t} s: contact `{contact}` would have to pull with {force:.3e}, and opens only by a jump of the velocities that the laws do not tell (Painlevé); use less friction, or a scheme with steps"
    )]
    Painleve {
        /// Time, s.
        t: f64,
        /// Name of the contact.
        contact: String,
        /// The force by which it pulls, N or N m.
        force: f64,
    },
    /// A contact closed and opened again within a step.
    #[error(
        "{scheme}: the step from t = {t} s is too long: within it contact `{contact}` closes to a depth of {depth:.3e} {unit} and opens again unnoticed; take a smaller step"
    )]
    MissedContact {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Name of the contact.
        contact: String,
        /// The depth to which it was closed, in the unit of its gap.
        depth: f64,
        /// The unit of its gap.
        unit: String,
    },
    /// The scheme is not defined for this kind of model.
    #[error("{scheme} is not defined for {model}: {reason}")]
    Undefined {
        /// Name of the scheme.
        scheme: String,
        /// Name of the model.
        model: String,
        /// What is missing.
        reason: &'static str,
    },
    /// No consistent initial state exists near the start.
    #[error("{model} has no consistent initial state: {reason} (residual {residual:.3e})")]
    Inconsistent {
        /// Name of the model.
        model: String,
        /// Which equations are in conflict, by their names.
        reason: String,
        /// Largest residual that is left.
        residual: f64,
    },
    /// A constraint is violated by more than the limit.
    #[error(
        "{scheme}: constraint `{constraint}` is violated by {residual:.3e} at t = {t} s (relative to the lengths of the model, or to the velocities in it), more than {limit:e}: the motion is no longer that of the model; take a smaller step, or a scheme with numerical damping, unless constraints contradict each other from here on"
    )]
    ConstraintsLost {
        /// Time, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Name of the constraint that is violated most.
        constraint: String,
        /// Its residual: relative to the length of the model where it is a length, on velocities to its terms.
        residual: f64,
        /// The limit, see [`Watchers`](crate::Watchers).
        limit: f64,
    },
    /// A value of a state or an output is infinite or not a number.
    #[error("{scheme}: {quantity} is {value} at t = {t} s, expected a finite number")]
    NotFiniteValue {
        /// Time, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// What it is, e.g. ``output `reach` ``.
        quantity: String,
        /// Its value.
        value: f64,
    },
    /// Something in the model has no finite value or derivative.
    #[error("{scheme} at t = {t} s: {what}")]
    NotDefined {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// What it is, the expressions that can be the reason with their places, and the values of the state.
        what: String,
    },
    /// The energy has increased by more than the work of forces, drives and contacts.
    #[error(
        "{scheme}: the energy at t = {t} s is {gain:.3e} J above all that forces, drives and contacts have given, of {in_motion:.3e} J in motion: the step is too large for the motion, or the scheme is unstable here; take a smaller step, or a scheme that damps"
    )]
    EnergyGained {
        /// Time, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Lower bound of the unexplained increase, J.
        gain: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
        /// The limit relative to the energy in motion, see [`Watchers`](crate::Watchers).
        limit: f64,
    },
    /// A state that is not valid for the model.
    #[error("{model} cannot start from this state: {what} is {value:.6e}, expected {expected}")]
    BadState {
        /// Name of the model.
        model: String,
        /// What is wrong, e.g. ``coordinate `top.e0` `` or ``what is left of constraint `pivot[0]` ``.
        what: String,
        /// Its value, in its SI unit.
        value: f64,
        /// What was expected.
        expected: String,
    },
    /// Bodies penetrate each other at the start.
    #[error(
        "{model} cannot start at t = {t} s: contact `{contact}` has a gap of {gap:.6e} {unit}, so that bodies penetrate each other; move them apart until no gap is negative"
    )]
    Penetration {
        /// Name of the model.
        model: String,
        /// Time of the start, s.
        t: f64,
        /// Name of the contact that is closed deepest.
        contact: String,
        /// Its gap, negative.
        gap: f64,
        /// SI unit of the gap.
        unit: String,
    },
    /// A function of the user panicked: a signal, an event, a controller, or a function of a model written by hand.
    #[error("{scheme}: a function that was called after t = {t} s panicked: {message}")]
    Panicked {
        /// The last time that was recorded, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// The message of the panic.
        message: String,
    },
    /// A constraint on positions, such as that of a drive, jumps with time, which no motion follows.
    #[error(
        "{scheme}: constraint `{constraint}` jumps by {jump:.3e} {unit} at t = {t} s, which no motion follows; let what it prescribes be continuous, its rate alone may jump"
    )]
    ConstraintJumps {
        /// When, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Name of the constraint.
        constraint: String,
        /// By how much.
        jump: f64,
        /// The unit of that.
        unit: String,
    },
    /// Step size control makes no headway: too many steps are rejected, or more steps are left than any run can take.
    #[error(
        "{scheme}: steps chosen by a tolerance make no headway at t = {t:e} s: {accepted} were accepted and {rejected} rejected, the next one is of {dt:.3e} s; {reason}"
    )]
    NoHeadway {
        /// Time that was reached, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Length of the next step, s.
        dt: f64,
        /// Number of accepted steps.
        accepted: u64,
        /// Number of rejected steps.
        rejected: u64,
        /// What was found, and what to do.
        reason: &'static str,
    },
    /// The simulation has taken as many steps as it may, see
    /// [`Simulation::max_steps`](crate::Simulation::max_steps).
    #[error(
        "{scheme}: {steps} steps have come to t = {t} s of {until} s, and no more are allowed; allow more, or ask why they are so short"
    )]
    TooManySteps {
        /// The time that was reached, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// The number of steps, accepted and rejected.
        steps: u64,
        /// The time of the end, s.
        until: f64,
    },
    /// The simulation was cancelled, see [`Simulation::cancelled_by`](crate::Simulation::cancelled_by).
    #[error("{scheme}: cancelled at t = {t} s")]
    Cancelled {
        /// The time that was reached, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
    },
    /// The parameters of the model are physically impossible.
    #[error(transparent)]
    BadModel(#[from] ParameterError),
    /// Parameters of the scheme or the step size are out of range.
    #[error("{scheme}: {reason}")]
    BadParameter {
        /// Name of the scheme.
        scheme: String,
        /// What was expected.
        reason: String,
    },
}

impl StepError {
    /// Whether equations could not be solved, as opposed to a request that cannot be met.
    pub(crate) fn is_numerical(&self) -> bool {
        matches!(self, Self::NotConverged { .. } | Self::Singular { .. } | Self::NotFinite { .. })
    }
}

/// Rejects a state at the end of a step that is not finite, which no equation shows for values that none depends on.
pub(crate) fn check_finite(next: &State, start: f64, scheme: &str) -> Result<(), StepError> {
    let State { t, q, v, a, lambda } = next;
    match t.is_finite() && [q, v, a, lambda].into_iter().all(|values| is_finite(values.as_slice())) {
        true => Ok(()),
        false => Err(StepError::NotFinite { t: start, scheme: scheme.to_owned(), iteration: 0 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_steps_add_up() {
        let mut total = StepStats { newton_iterations: 3, factorizations: 2, at_rounding: 1 };
        total += StepStats { newton_iterations: 10, factorizations: 20, at_rounding: 30 };
        assert_eq!(total, StepStats { newton_iterations: 13, factorizations: 22, at_rounding: 31 });
    }
}
