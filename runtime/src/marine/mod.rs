//! Data of marine vessels: matrices of the equations of motion in body axes, and fluid memory (radiation) as a sum of
//! damped oscillations, each of which is represented by two states of a model.
//!
//! Hydrodynamic forces are part of the models, not of this module.

mod matrices;
mod memory;

pub use matrices::{Coriolis, rigid_body_mass_matrix, skew};
pub use memory::{MemoryError, Oscillation, fit, retardation};
