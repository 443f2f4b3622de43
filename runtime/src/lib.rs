//! Multibody dynamics from a macro: models, integration schemes, trajectories.

pub mod model;
pub mod real;
pub mod scheme;
pub mod sparsity;
