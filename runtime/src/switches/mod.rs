//! The times at which a model's formulas give way to others, as `if time < t1` says, and tables of inputs change: where steps
//! end, which of them a run passes within a step, and which parameters move them.

mod at_borders;
mod crossed;
mod crossings;
mod functions;
mod jumping;
mod moved;
mod passed;
mod times;

pub(crate) use self::at_borders::AtBorders;
pub(crate) use self::crossed::{Crossed, jump_between};
pub(crate) use self::crossings::{CrossingWithin, Crossings};
pub(crate) use self::functions::SwitchingFunctions;
pub(crate) use self::jumping::{Jumping, JumpingRates};
pub(crate) use self::moved::Moved;
pub(crate) use self::passed::Switched;
pub use self::times::next_switching_time;
pub(crate) use self::times::{Times, aside};

/// A time so close to the end of a step, relative to its length, is its end.
const ROUNDING: f64 = 1e-6;
