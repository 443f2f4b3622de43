//! What models of vessels are usually given or compared by: matrices of the equations in body axes, and the memory of the
//! water as a sum of decaying oscillations, each of which is two states of a model.
//!
//! Not here: forces of water, which models state themselves.

mod matrices;
mod memory;

pub use matrices::{Coriolis, rigid_body_mass_matrix, skew};
pub use memory::{MemoryError, Oscillation, fit, retardation};
