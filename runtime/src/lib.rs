#![doc = include_str!("../README.md")]
//! # What is where
//!
//! A [`Model`] evaluates the terms of `M a + h = f + Gᵀ λ`, `g = 0`; [`initial_state`] computes a consistent start, a
//! [`Scheme`] integrates it, and a [`Simulation`] records its motion in a [`Trajectory`], with events, controllers and
//! step size control. [`equilibrium`](fn@equilibrium) computes static equilibria, [`linearize`](fn@linearize) the motions
//! beside an equilibrium or a steady motion, [`modal`] reduces flexible members to their modes, and [`schemes`] lists every scheme with its order and stability. Models are written with the macro
//! `multibody!`, whose documentation is that of the language, or by hand. The modules are listed in the order in which
//! they should be read.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod once;
mod prelude;

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("without the feature `std`, square roots and sines need the feature `libm`");

#[cfg_attr(not(feature = "simd"), expect(dead_code, reason = "instances need lanes"))]
#[doc(hidden)]
pub mod abreast;
#[cfg(feature = "simd")]
pub mod lanes;
pub mod model;
#[doc(hidden)]
pub mod pivots;
pub mod real;
pub mod signal;
mod sine_cosine;
pub mod sparsity;

mod admissible;
mod chart;
pub mod configuration;
mod contact_settings;
#[cfg(feature = "simd")]
mod instances;
mod joint_limits;
mod known;
mod mass_solution;
mod norms;
mod penetration;
mod random;
mod redundancy;
mod residuals;
pub mod rotation;
mod rows;
mod span;
mod start;
mod switches;

pub mod linear_solver;
pub mod scheme;
mod step;
pub mod tables;
mod tangent;

mod acceleration;
pub mod newton;
mod projection;
mod sign_changes;
mod singularity;
mod skipped;
mod smallness;
mod spelling;

pub mod nonsmooth;

pub mod adaptive;
mod blows;
mod borders;
mod caution;
pub mod consistent;
mod digits;
#[cfg(feature = "std")]
pub mod ensemble;
pub mod equilibrium;
pub mod events;
pub mod forward_dynamics;
pub mod gradient;
pub mod inverse_dynamics;
pub mod linear_analysis;
pub mod linearize;
pub mod marine;
#[cfg(feature = "std")]
pub mod modal;
#[cfg(feature = "parquet")]
mod parquet_file;
mod recorder;
pub mod schemes;
#[cfg(feature = "serde")]
mod serialised;
pub mod simulation;
#[cfg(feature = "simd")]
pub mod together;
pub mod trajectory;
mod undefined;
mod watchers;

#[doc(hidden)]
pub mod generated;
mod runs;

/// Vectors and matrices of states and equations.
pub use nalgebra;

pub use caution::Caution;
pub use consistent::{consistent_acceleration, initial_state, state_with};
pub use equilibrium::{Equilibrium, EquilibriumError, equilibrium};
pub use events::{Direction, Event, Occurrence};
pub use forward_dynamics::ForwardDynamics;
pub use inverse_dynamics::InverseDynamics;
pub use linearize::{About, Linearization, LinearizeError, linearize};
pub use model::{
    Attitude, Block, Channel, ContactInfo, ContactLaw, Dims, Energy, FunctionInfo, JointLimits, Model, ModelInfo,
    ParameterError, State, UnknownChannel, UnknownParameter,
};
pub use projection::Projection;
pub use real::Real;
pub use redundancy::{least_norm_multipliers, redundant_constraints};
pub use scheme::{ConstraintLevel, Drift, Options, Predictor, RotationReference, Scheme, Stepper};
pub use signal::{Held, Signal};
pub use simulation::{Motion, Run, Simulation};
pub use sparsity::SparsityPattern;
pub use step::{Cause, StepError, StepStats};
pub use switches::next_switching_time;
pub use trajectory::{Column, Trajectory, UnknownColumn};
pub use undefined::explain_not_finite;
pub use watchers::Watchers;

// Models written by hand for the tests name this crate as a user would.
#[cfg(test)]
extern crate self as hamel;

#[cfg(feature = "macros")]
pub use hamel_macros::multibody;

/// The Rust of the book's chapters on generated code and on schemes.
#[cfg(doctest)]
#[doc = include_str!("../../docs/book/generated_code.md")]
#[doc = include_str!("../../docs/book/own_scheme.md")]
struct Book;
