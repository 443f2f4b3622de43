//! Nonsmooth mechanics: contacts that close and open, impacts, friction, over any base scheme. [rezaei, Fig. 4]
//!
//! Within a step the forces of the contacts that were closed at its beginning are determined such that the velocities
//! at its end obey the laws of contact and friction; the base scheme solves its own equations under these forces. If a
//! contact has closed within the step, an impact follows at its end: velocities jump by Newton's law of impact,
//! coordinates do not change. No closed contact may approach when a step begins. The end of the previous step ensures
//! this; if closed contacts approach in the initial state, an impact precedes the first step.
//!
//! The contact problem is in `problem`, its solution in `solver`; `contacts` sets it up from a model. The base schemes are
//! in [`crate::schemes`].
//! The laws hold to round-off, except where dozens of redundant contacts in space collide at once;
//! [`ContactRecord::violation`] is the largest violation.
//! An impact takes place at the end of the step, unless [`ContactOptions::follow_impacts`] asks for its instant.

mod closing_time;
mod contacts;
mod couplings;
mod elimination;
mod history;
mod interior_point;
mod missed;
mod path;
mod phases;
mod piece_system;
mod problem;
mod solver;
mod sparse_system;
mod start;
mod stepper;

pub(crate) use closing_time::{ClosingTime, LEAST_PART, StoppingTime};
pub(crate) use contacts::{ContactEquations, Contacts, Loss, VelocityMap};
pub(crate) use missed::GapWatch;
pub(crate) use start::loaded_start;
pub(crate) use stepper::{ContactStepper, with_contacts};

pub use self::phases::Phases;
#[doc(hidden)]
pub use crate::contact_settings::Settings;
pub use crate::scheme::{AfterImpact, ContactOptions, InitialAcceleration};
pub use crate::step::ContactRecord;
