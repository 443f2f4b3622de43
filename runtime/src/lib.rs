//! Multibody dynamics from a macro: models, integration schemes, trajectories.
//!
//! A [`Model`] gives the terms of `M a + h = f + Gᵀ λ`, `g = 0`; [`initial_state`] finds where it starts, a [`Scheme`]
//! steps it, [`simulate`] records its motion. The modules stand in the order in which they are best read.
//! Models are written with the macro `multibody!`, or by hand. Not here: the compiler behind the macro.

#![forbid(unsafe_code)]

#[cfg(feature = "simd")]
pub mod lanes;
pub mod model;
pub mod real;
pub mod signal;
mod sine_cosine;
pub mod sparsity;

mod admissible;
mod chart;
pub mod configuration;
mod constrained;
mod contact_settings;
mod random;
mod redundancy;
mod residuals;
pub mod rotation;
mod rows;
mod start;

pub mod linear_solver;
pub mod scheme;
mod step;
pub mod tables;

mod acceleration;
pub mod newton;
mod sign_changes;
mod singularity;

pub mod nonsmooth;

pub mod adaptive;
pub mod consistent;
pub mod equilibrium;
pub mod linear_analysis;
pub mod marine;
pub mod modal;
pub mod schemes;
pub mod trajectory;
mod undefined;
mod watchers;

#[doc(hidden)]
pub mod generated;
mod runs;

pub use consistent::{consistent_acceleration, initial_state};
pub use equilibrium::{Equilibrium, EquilibriumError, equilibrium};
pub use model::{
    Attitude, Block, Channel, ContactInfo, ContactLaw, Dims, Energy, FunctionInfo, Model, ModelInfo, ParameterError,
    State, UnknownParameter,
};
pub use real::Real;
pub use redundancy::{least_norm_multipliers, redundant_constraints};
pub use scheme::{ConstraintLevel, Drift, Options, Predictor, RotationReference, Scheme, Stepper};
pub use signal::Signal;
pub use sparsity::SparsityPattern;
pub use step::{Cause, StepError, StepStats};
pub use trajectory::{Caution, Run, Trajectory, simulate, simulate_with};
pub use undefined::explain_not_finite;
pub use watchers::Watchers;

// Models written by hand for the tests name this crate as a user would.
#[cfg(test)]
extern crate self as hamel;

#[cfg(feature = "macros")]
pub use hamel_macros::multibody;
