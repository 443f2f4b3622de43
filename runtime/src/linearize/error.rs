//! Why a model cannot be linearised.

use thiserror::Error;

use crate::equilibrium::EquilibriumError;
use crate::model::{ParameterError, UnknownChannel};
use crate::prelude::*;
use crate::step::StepError;

/// Why a model cannot be linearised, or what was found of its linearisation cannot be evaluated.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LinearizeError {
    /// Parameters that are physically impossible.
    #[error(transparent)]
    BadModel(#[from] ParameterError),
    /// A state of another size, that breaks constraints, or where accelerations do not exist.
    #[error(transparent)]
    State(#[from] StepError),
    /// No equilibrium was found.
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    /// The model was not asked for derivatives of its constraints, inputs or outputs.
    #[error("{model} lacks derivatives that a linearisation needs; write `provide linearization;` in its text")]
    NotProvided {
        /// Name of the model.
        model: String,
    },
    /// Something in the derivatives is not finite.
    #[error("{model}: derivatives at t = {t} s are not finite; the model is singular in this state")]
    NotFinite {
        /// Name of the model.
        model: String,
        /// Time, s.
        t: f64,
    },
    /// A contact is closed, whose forces have no derivative.
    #[error(
        "{model}: contact `{contact}` is closed, and its forces have no derivatives; write a constraint in its place, or linearise where it is open"
    )]
    ClosedContact {
        /// Name of the model.
        model: String,
        /// Name of the contact.
        contact: String,
    },
    /// Constraints that follow from others in this configuration alone, where the independent motions branch.
    #[error(
        "{model}: constraint `{constraint}` depends on others in this configuration alone, so that motions branch here; linearise beside it"
    )]
    SingularConfiguration {
        /// Name of the model.
        model: String,
        /// Name of the constraint.
        constraint: String,
    },
    /// A constraint moves what is to rest.
    #[error("{model}: constraint `{constraint}` moves at {rate:.3e} in SI units; linearise about a steady motion")]
    Driven {
        /// Name of the model.
        model: String,
        /// Name of the constraint.
        constraint: String,
        /// Its rate.
        rate: f64,
    },
    /// The state belongs to no steady motion, because a velocity changes.
    #[error(
        "{model}: no steady motion, because `{velocity}` changes at {rate:.3e} in SI units; choose initial conditions of a steady motion, or linearise about the state"
    )]
    Accelerated {
        /// Name of the model.
        model: String,
        /// Name of the velocity that changes most.
        velocity: String,
        /// Its acceleration, beside that of a steady motion.
        rate: f64,
    },
    /// The equations change along the motion, although velocities stay.
    #[error(
        "{model}: no steady motion, because {what} changes along it; the coordinates that grow must be such that nothing depends on them, so try joint coordinates, or linearise about the state"
    )]
    Changing {
        /// Name of the model.
        model: String,
        /// What changes.
        what: String,
    },
    /// The motion does not return after its period.
    #[error(
        "{model}: the motion does not return after {period} s, because {what} has changed by {change:.3e} in SI units; start on a periodic motion and give its period"
    )]
    NotPeriodic {
        /// Name of the model.
        model: String,
        /// The period, s.
        period: f64,
        /// What has changed most, a velocity where one has.
        what: String,
        /// By how much.
        change: f64,
    },
    /// A period that is no positive number.
    #[error("expected a positive period, found {period} s")]
    BadPeriod {
        /// The period, s.
        period: f64,
    },
    /// A motion over a period that stays on a border between formulas, or leaves it at no instant of its own.
    #[error(
        "{model}: at t = {t} s the motion stays on a border between formulas, as that of `sign(v)` where a body sticks, touches \
         it, or crosses several at once, and small departures have no derivative; let the formula go over within a distance"
    )]
    Border {
        /// Name of the model.
        model: String,
        /// When, s.
        t: f64,
    },
    /// The variational equations need more steps than are allowed.
    #[error(
        "{model}: the monodromy matrix still changes by {change:.3e} with {steps} steps; allow a larger tolerance, or the motion is too stiff for explicit steps"
    )]
    TooManySteps {
        /// Name of the model.
        model: String,
        /// Steps of the last attempt.
        steps: usize,
        /// Relative change of the matrix in the last attempt.
        change: f64,
    },
    /// An input or output that the model does not have.
    #[error(transparent)]
    Unknown(#[from] UnknownChannel),
    /// The iteration for eigenvalues did not end.
    #[error("{model}: the eigenvalues of {size} states were not found; some entry of the matrices is not finite")]
    NoEigenvalues {
        /// Name of the model.
        model: String,
        /// Number of states.
        size: usize,
    },
}
