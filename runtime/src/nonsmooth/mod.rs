//! Nonsmooth mechanics: contacts that close and open, impacts, friction, over any base scheme. [rezaei, Fig. 4]
//!
//! In a step the contacts that were closed at its beginning push so that velocities at its end obey the laws of contact
//! and friction; the base scheme solves its own equations with their forces. Where a contact has closed within the step,
//! an impact follows: velocities jump by Newton's law, coordinates stay. What is solved is in `problem` and `solver`,
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

use crate::model::{Model, State};
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

/// Contacts that are closed by more than rounding in a state, and how deep, each in its own unit.
pub fn penetrations(model: &dyn Model, state: &State) -> Vec<(&'static str, f64)> {
    let contacts = model.describe().contacts;
    let mut gaps = vec![0.0; contacts.len()];
    model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
    let rounding = 1e-12 * (1.0 + state.q.amax());
    let deep = contacts.iter().zip(gaps).filter(|(_, gap)| *gap < -rounding);
    deep.map(|(contact, gap)| (contact.name, -gap)).collect()
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
