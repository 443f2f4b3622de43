//! What steps do to small changes: linear maps that schemes write ([`StepMap`]) and that are evaluated forwards for
//! sensitivities, and backwards for gradients.

mod blocks;
mod bundle;
mod contact_derivatives;
mod contact_terms;
mod map;
mod play;
mod system;
mod terms;

pub(crate) use blocks::{Blocks, addition, backwards, location, rate, retraction, solution, transport};
pub(crate) use bundle::{Bundle, add_full, add_matrix};
pub(crate) use contact_derivatives::ContactDerivatives;
pub(crate) use contact_terms::{ALIKE, constraint_span};
pub use map::StepMap;
pub(crate) use map::{
    Acted, BeforeImpact, Closing, Instant, LinearEquations, Moving, Operations, Point, Projected, Register, STATE,
    Struck, Sum, Target, Turn, Zero, multiples,
};
pub(crate) use play::{NoSlope, Outside, Player};
pub(crate) use terms::Wanted;
