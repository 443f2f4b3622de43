//! Nonsmooth mechanics: contacts that close and open, impacts, friction, over any base scheme. [rezaei, Fig. 4]
//!
//! In a step the contacts that were closed at its beginning push so that velocities at its end obey the laws of contact
//! and friction; the base scheme solves its own equations with their forces. Where a contact has closed within the step,
//! an impact follows: velocities jump by Newton's law, coordinates stay. Of contacts that were closed before, none
//! approaches at the end of a step; what a step begins with has to be like that, and where the first one is not, because
//! closed contacts approach at the start, an impact comes before it. What is solved is in `problem` and `solver`,
//! how a model's contacts come to it in `contacts`; the base schemes stand where all schemes do.
//! Laws hold to round-off, but where dozens of redundant contacts in space collide at once; [`ContactRecord::violation`]
//! says how well.
//! Not here: the instant of an impact within a step, which no scheme of this kind looks for.

mod contacts;
mod couplings;
mod elimination;
mod interior_point;
mod missed;
mod path;
mod problem;
pub(crate) mod random;
mod solver;
mod sparse_system;
mod stepper;

pub use contacts::ContactRecord;
pub(crate) use contacts::{Contacts, Motion, Moving};
pub(crate) use missed::Watch;
pub(crate) use stepper::{Base, over};

use crate::model::Model;
use crate::newton::largest;
use crate::residuals::is_length;
use crate::scheme::{Scheme, StepError};

/// What schemes for contacts leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactOptions {
    /// Accelerations with which the motion begins, and goes on where they are not carried over.
    pub initial_acceleration: InitialAcceleration,
    /// What becomes of accelerations in an impact.
    pub after_impact: AfterImpact,
}

/// Accelerations of a state whose contacts may be closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialAcceleration {
    /// Those of the initial state, without contact forces. [rezaei, Eqs. 25, 62, 83]
    #[default]
    Free,
    /// Those with the forces of closed contacts.
    Consistent,
}

/// What becomes of accelerations in an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterImpact {
    /// They stay as they were before. [rezaei, Fig. 4]
    #[default]
    Carried,
    /// They are found anew, as [`InitialAcceleration`] says.
    Renewed,
}

/// Gaps of a start below this part of one plus the largest coordinate that is a length are rounding: a hundred times what
/// assembly leaves of initial conditions.
const TOUCHING: f64 = 1e-8;
/// By this part of what is rounding at the start may closed contacts open on the way and stay closed: far more than a
/// projection of coordinates moves a gap by, far less than motion does in a step.
const OPENED: f64 = 1e-2;
/// Normal velocities below this part of one plus the largest velocity are those of a contact that stays closed.
const AT_REST: f64 = 1e-9;

/// What gaps of contacts that are closed at the start may be by rounding, each in its own unit.
pub(crate) fn rounding_of_gaps(model: &dyn Model, q: &[f64]) -> f64 {
    let lengths = model.describe().coordinates.iter().zip(q).filter(|(channel, _)| is_length(channel.unit));
    TOUCHING * (1.0 + lengths.fold(0.0, |largest: f64, (_, q)| largest.max(q.abs())))
}

/// What normal velocities of contacts that stay closed may be by rounding.
pub(crate) fn rest(v: &[f64]) -> f64 {
    AT_REST * (1.0 + largest(v))
}

/// Refuses models with contacts.
pub(crate) fn refuse(scheme: &dyn Scheme, model: &dyn Model) -> Result<(), StepError> {
    let info = model.describe();
    if info.contacts.is_empty() {
        return Ok(());
    }
    let reason = "it has contacts, which this scheme cannot carry; \
                  generalized_alpha, bathe, ed_alpha, half_explicit, moreau and others can";
    Err(StepError::Undefined { scheme: scheme.name(), model: info.name, reason })
}
