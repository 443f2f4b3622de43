//! What an integration scheme is: a way to start a stepper on a model.

use nalgebra::DMatrix;

use crate::constrained::Constrained;
use crate::contact_settings::Settings;
use crate::linear_analysis::Oscillator;
use crate::model::{Model, State};
use crate::newton::Tolerance;
use crate::start::check_start;
use crate::step::ContactRecord;
use crate::tables::Tableau;
use crate::watchers::Watchers;

pub use crate::step::{Cause, StepError, StepStats};

/// Where constraints on coordinates are imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ConstraintLevel {
    /// `g(t, q) = 0`: a differential-algebraic system of index 3.
    Position,
    /// `G v + ∂g/∂t = 0`: of index 2; the coordinates drift off the constraints.
    Velocity,
}

/// The orientation to which the rotations of a step are relative, see [zhang, Sect. 2.4].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Drift {
    /// After every step coordinates and velocities are projected back onto the constraints, in the metric of M.
    #[default]
    Removed,
    /// It stays, as in the published schemes.
    Kept,
}

/// What a user may choose for every scheme alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
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
    /// What ends a run that means nothing, in a [`Simulation`](crate::Simulation).
    pub watchers: Watchers,
}

/// What schemes for contacts leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ContactOptions {
    /// Accelerations with which the motion begins, and goes on where they are not carried over.
    pub initial_acceleration: InitialAcceleration,
    /// What becomes of accelerations in an impact.
    pub after_impact: AfterImpact,
    /// Tolerances and limits of the contact solver, which are open to studies of these only.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub settings: Settings,
}

/// Accelerations of a state whose contacts may be closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum InitialAcceleration {
    /// Those of the initial state, without contact forces. [rezaei, Eqs. 25, 62, 83]
    #[default]
    Free,
    /// Those with the forces of closed contacts.
    Consistent,
}

/// What becomes of accelerations in an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AfterImpact {
    /// They stay as they were before. [rezaei, Fig. 4]
    #[default]
    Carried,
    /// They are found anew, as [`InitialAcceleration`] says.
    Renewed,
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
    /// Whether it estimates the error of a step, so that a tolerance can choose the steps, see [`crate::adaptive`].
    fn estimates_errors(&self) -> bool {
        self.tableau().is_some_and(|tableau| tableau.embedded.is_some())
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
    /// Goes on from the current state after forces have jumped, as by an input that a controller has set: with the
    /// accelerations and multipliers of `next`, and without what the scheme has kept of steps before. Schemes that keep
    /// nothing have nothing to do.
    fn resume(&mut self, _next: &State) {}
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
