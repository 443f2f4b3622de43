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
mod solver;
mod sparse_system;
mod stepper;

pub(crate) use contacts::{ContactEquations, Contacts, VelocityMap};
pub(crate) use missed::GapWatch;
pub(crate) use stepper::{ContactStepper, with_contacts};

pub use crate::scheme::{AfterImpact, ContactOptions, InitialAcceleration};
pub use crate::step::ContactRecord;

use crate::newton::largest;

/// By this part of what is rounding at the start may closed contacts open on the way and stay closed: far more than a
/// projection of coordinates moves a gap by, far less than motion does in a step.
const OPENED: f64 = 1e-2;
/// Normal velocities below this part of one plus the largest velocity are those of a contact that stays closed.
const AT_REST: f64 = 1e-9;

/// What normal velocities of contacts that stay closed may be by rounding.
pub(crate) fn rest(v: &[f64]) -> f64 {
    AT_REST * (1.0 + largest(v))
}
