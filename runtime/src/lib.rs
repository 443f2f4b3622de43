//! Multibody dynamics from a macro: models, integration schemes, trajectories.

pub mod model;
pub mod real;
pub mod scheme;
pub mod signal;
pub mod sparsity;

pub use model::{Block, Channel, Dims, Energy, FunctionInfo, Model, ModelInfo, State};
pub use real::Real;
pub use scheme::{Scheme, StepError, StepStats, Stepper};
pub use signal::Signal;
pub use sparsity::SparsityPattern;

#[cfg(feature = "macros")]
pub use hamel_macros::multibody;
