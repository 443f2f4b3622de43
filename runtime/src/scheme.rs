//! What an integration scheme is: a way to start a stepper on a model.

use nalgebra::DMatrix;
use thiserror::Error;

use crate::constrained::Constrained;
use crate::linear_analysis::Oscillator;
use crate::model::{Model, ParameterError, State};
use crate::newton::Tolerance;
use crate::nonsmooth::{ContactOptions, ContactRecord};
use crate::start::check_start;
use crate::tables::Tableau;
use crate::watchers::Watchers;

/// Where constraints on coordinates are imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintLevel {
    /// `g(t, q) = 0`: a differential-algebraic system of index 3.
    Position,
    /// `G v + ∂g/∂t = 0`: of index 2; the coordinates drift off the constraints.
    Velocity,
}

/// The orientation to which the rotations of a step are relative, see [zhang, Sect. 2.4].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationReference {
    /// The one at the beginning of the step: every scheme keeps its order.
    #[default]
    StepStart,
    /// The one at the last time point, which is the last stage within a step, as in [zhang, Sect. 2.4]: schemes of fifth
    /// order fall to the fourth.
    LastPoint,
}

/// What first guess of the derivatives Newton's method starts from. [zhang, Eqs. 12-17]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predictor {
    /// Those of the last time point.
    Constant,
    /// From the cubic through the last two time points and their derivatives.
    TwoPoint,
    /// From the quintic through the last three time points and their derivatives.
    ThreePoint,
}

/// What becomes of coordinates that drift off constraints which a scheme imposes on velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drift {
    /// After every step coordinates and velocities are projected back onto the constraints, in the metric of M.
    #[default]
    Removed,
    /// It stays, as in the published schemes.
    Kept,
}

/// What a user may choose for every scheme alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// When Newton's method has converged.
    pub tolerance: Tolerance,
    /// Where constraints on coordinates are imposed; `None` leaves it to the scheme, which prefers positions.
    pub constraint_level: Option<ConstraintLevel>,
    /// What becomes of the drift of coordinates, where constraints are imposed on velocities.
    pub drift: Drift,
    /// What the rotations of a step are relative to, in schemes for first-order equations.
    pub rotation_reference: RotationReference,
    /// The first guess, in schemes for first-order equations; `None` leaves it to the scheme.
    pub predictor: Option<Predictor>,
    /// What schemes for contacts leave open.
    pub contacts: ContactOptions,
    /// What ends a run that means nothing, in [`simulate_with`](crate::simulate_with) and adaptive runs.
    pub watchers: Watchers,
}

/// An integration scheme with its parameters.
pub trait Scheme: Send + Sync {
    /// Name with parameters, e.g. `generalized-α (ρ∞ = 0.6)`.
    fn name(&self) -> String;
    /// Order for smooth problems without constraints.
    fn order(&self) -> u32;
    /// Systems of equations solved in a step, or evaluations of an explicit scheme: what a step costs beside others.
    fn stages(&self) -> u32 {
        1
    }
    /// What a step does to a linear oscillator, in units of the step, see [`crate::linear_analysis`]; `None` where a
    /// step is no linear map.
    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>>;
    /// Its coefficients, where it is a Runge-Kutta scheme.
    fn tableau(&self) -> Option<&Tableau> {
        None
    }
    /// Where it imposes constraints on coordinates unless the options say otherwise.
    fn preferred_level(&self) -> ConstraintLevel {
        ConstraintLevel::Position
    }
    /// Whether it carries models with contacts; the others refuse them.
    fn carries_contacts(&self) -> bool {
        false
    }
    /// What is known to go wrong with these parameters whatever the model.
    fn caution(&self) -> Option<&'static str> {
        None
    }
    /// The stepper alone, from a state that [`Scheme::start_with`] has checked.
    ///
    /// # Errors
    /// [`StepError::Undefined`] when the scheme has no meaning for this kind of model or these options,
    /// [`StepError::BadParameter`] for parameters out of range.
    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError>;

    /// A stepper from a consistent state.
    ///
    /// # Errors
    /// [`StepError::BadState`] for a state that is none of this model: sizes, values that are not finite, constraints on
    /// positions that do not hold; [`StepError::Penetration`] for bodies that penetrate each other; and those of
    /// [`Scheme::stepper`].
    fn start_with<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        check_start(model, &initial)?;
        let stepper = self.stepper(model, initial, options)?;
        if model.dims().nc == 0 {
            return Ok(stepper);
        }
        let level = options.constraint_level.unwrap_or(self.preferred_level());
        let drifts = level == ConstraintLevel::Velocity && options.drift == Drift::Removed;
        Ok(Constrained::around(model, self.name(), stepper, drifts))
    }

    /// [`Scheme::start_with`] the default options.
    ///
    /// # Errors
    /// Those of [`Scheme::start_with`].
    fn start<'m>(&self, model: &'m dyn Model, initial: State) -> Result<Box<dyn Stepper + 'm>, StepError> {
        self.start_with(model, initial, &Options::default())
    }
}

/// A scheme on its way through a motion. After an error the state is the last one that was reached.
pub trait Stepper {
    /// The current state.
    fn state(&self) -> &State;
    /// Advances by `dt`; allocates nothing.
    ///
    /// # Errors
    /// When the step has no solution; the state stays where it was.
    fn step(&mut self, dt: f64) -> Result<StepStats, StepError>;
    /// What contacts have done so far; `None` where no contact is looked at.
    fn contacts(&self) -> Option<&ContactRecord> {
        None
    }
    /// Difference of the last step to an embedded scheme of lower order, where there is one.
    fn error_estimate(&self) -> Option<ErrorEstimate<'_>> {
        None
    }
    /// Leaves constraints out of the equations from now on, because they follow from others: their multipliers stay what
    /// they are. The next call is for all constraints again; `false` where the scheme cannot.
    fn leave_out(&mut self, _constraints: &[usize]) -> bool {
        false
    }
    /// The constraints that are left out.
    fn left_out(&self) -> &[usize] {
        &[]
    }
    /// The current state, whose coordinates and velocities may be corrected by what a step misses them by; `None` where
    /// the scheme cannot take that.
    fn correctable(&mut self) -> Option<&mut State> {
        None
    }
    /// Takes the last step back, once; `false` where the scheme cannot, and the state stays.
    fn retreat(&mut self) -> bool {
        false
    }
}

/// An estimate of the error of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorEstimate<'s> {
    /// Of the coordinates, in the directions of the velocities at the beginning of the step, `[nv]`.
    pub x: &'s [f64],
    /// Of the velocities, `[nv]`.
    pub v: &'s [f64],
    /// Order of the embedded scheme.
    pub order: u32,
}

/// What a step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepStats {
    /// Newton iterations.
    pub newton_iterations: u32,
    /// Matrix factorizations.
    pub factorizations: u32,
    /// Solutions that were accepted where rounding allows no better, beyond the tolerance.
    pub at_rounding: u32,
}

impl std::ops::AddAssign for StepStats {
    fn add_assign(&mut self, other: Self) {
        self.newton_iterations += other.newton_iterations;
        self.factorizations += other.factorizations;
        self.at_rounding += other.at_rounding;
    }
}

impl StepError {
    /// Whether equations had no solution that was found, rather than a user having asked for what is not there.
    pub(crate) fn is_numerical(&self) -> bool {
        matches!(self, Self::NotConverged { .. } | Self::Singular { .. } | Self::NotFinite { .. })
    }
}

/// Why Newton's method did not converge, from what was seen where it ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Nothing else was seen.
    StepTooLong,
    /// The residual jumps within the last correction.
    Jump {
        /// Name of the velocity in whose equation it is.
        coordinate: &'static str,
        /// By how much, N or N m.
        jump: f64,
    },
    /// The equations nearly do not determine what is named.
    NearlySingular {
        /// Motions and constraints.
        what: String,
    },
    /// Corrections no longer shrink because of rounding.
    Rounding {
        /// The last one, relative to coordinates and velocities.
        correction: f64,
    },
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Cause::StepTooLong => f.write_str("try a smaller step"),
            Cause::Jump { coordinate, jump } => write!(
                f,
                "the force on `{coordinate}` jumps by {jump:.3e} within the step, which no smaller step mends: write it as a continuous function (friction, for example, with `tanh(v / v_0)` in place of `sign(v)`) or as a contact"
            ),
            Cause::NearlySingular { what } => write!(
                f,
                "the equations are nearly singular there, undetermined are {what}: a singular position of the mechanism, or bodies almost without inertia"
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
        "{scheme}: singular iteration matrix at t = {t} s in iteration {iteration} (residual {residual:.3e}): undetermined are {what}; a singular position, or a body without inertia?"
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
        input: &'static str,
        /// Its value.
        value: f64,
    },
    /// An angle came to where the angles of a rotation are not unique, or beyond.
    #[error(
        "{coordinate} came to {:.3}° at t = {t} s, from where the next step leads past ±90° or too close to it; these angles are singular there, use Euler parameters",
        angle.to_degrees()
    )]
    SingularAngle {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the coordinate.
        coordinate: &'static str,
        /// Its value there, rad.
        angle: f64,
    },
    /// No contact forces obey the laws of contact and friction.
    #[error(
        "{scheme}: no forces obey the laws of the contacts {contacts} at t = {t} s: violated by {residual:.3e} m/s after {iteration} iterations; they jam, or the step is too large"
    )]
    Contact {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Names of the contacts that miss their laws.
        contacts: String,
        /// Iterations done.
        iteration: u32,
        /// Largest violation, as a relative velocity, m/s.
        residual: f64,
    },
    /// A contact was passed within a step.
    #[error(
        "{scheme}: the step from t = {t} s is too large to see contact `{contact}`, which it closes by {depth:.3e} m; try a smaller one"
    )]
    MissedContact {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Name of the contact.
        contact: &'static str,
        /// How deep it was closed in the step, m.
        depth: f64,
    },
    /// The scheme is not defined for this kind of model.
    #[error("{scheme} is not defined for {model}: {reason}")]
    Undefined {
        /// Name of the scheme.
        scheme: String,
        /// Name of the model.
        model: &'static str,
        /// What is missing.
        reason: &'static str,
    },
    /// No consistent initial state exists near the start.
    #[error("{model} has no consistent initial state: {reason} (residual {residual:.3e})")]
    Inconsistent {
        /// Name of the model.
        model: &'static str,
        /// Which equations are in conflict, by their names.
        reason: String,
        /// Largest residual that is left.
        residual: f64,
    },
    /// Coordinates have left the constraints.
    #[error(
        "{scheme}: constraint `{constraint}` is missed by {residual:.3e} at t = {t} s (lengths are parts of the model's), more than {limit:e}: the motion is no longer that of the model; take a smaller step, or a scheme that damps, unless constraints are in conflict from here on"
    )]
    ConstraintsLost {
        /// Time, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Name of the constraint that is missed most.
        constraint: &'static str,
        /// What is left of it, as a part of the model's length where it is a length.
        residual: f64,
        /// The limit, see [`Watchers`].
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
    /// Energy has come from nowhere.
    #[error(
        "{scheme}: the energy at t = {t} s is {gain:.3e} J above all that forces, drives and contacts have given, of {in_motion:.3e} J in motion: the step is too large for the motion, or the scheme is unstable here; take a smaller step, or a scheme that damps"
    )]
    EnergyGained {
        /// Time, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// The least that has come from nowhere, J.
        gain: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
        /// The limit, a part of it, see [`Watchers`].
        limit: f64,
    },
    /// A state from which the model cannot start.
    #[error("{model} cannot start from this state: {what} is {value:.6e}, expected {expected}")]
    BadState {
        /// Name of the model.
        model: &'static str,
        /// What is wrong, e.g. ``coordinate `top.e0` `` or ``what is left of constraint `pivot[0]` ``.
        what: String,
        /// Its value, in its SI unit.
        value: f64,
        /// What was expected.
        expected: String,
    },
    /// Bodies penetrate each other at the start.
    #[error(
        "{model} cannot start at t = {t} s: contact `{contact}` has a gap of {gap:.6e} {unit}, and bodies do not penetrate each other; move them apart, until no gap is negative"
    )]
    Penetration {
        /// Name of the model.
        model: &'static str,
        /// Time of the start, s.
        t: f64,
        /// Name of the contact that is closed deepest.
        contact: &'static str,
        /// Its gap, negative.
        gap: f64,
        /// SI unit of the gap.
        unit: &'static str,
    },
    /// A function of the user panicked: a signal, an event, or a function that the model provides or calls.
    #[error("{scheme}: a function that was called after t = {t} s panicked: {message}")]
    Panicked {
        /// The last time that was recorded, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// What the panic said.
        message: String,
    },
    /// No mechanical system has the parameters of the model.
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
