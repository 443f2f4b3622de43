#![doc = include_str!("../README.md")]
#![allow(unsafe_code, reason = "machine code is called; each block says why it may")]

mod call;
mod description;
mod error;
mod image;
mod memory;
mod model;
mod program;
mod translate;

use std::sync::Arc;

use hamel_compiler::Stages;

pub use error::Error;
pub use model::JitModel;

use image::Image;
use program::Program;

/// How much work the code generator puts into machine code. The digits of its results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// As little as possible.
    AtOnce,
    /// As much as it knows.
    #[default]
    Optimised,
}

/// Compiles the equations of a model to machine code.
///
/// # Errors
/// If there is no code generator for this processor, or it refuses a function, or the operating system does not allow
/// machine code in memory.
///
/// # Examples
/// ```
/// use hamel::{Model, State};
///
/// let text = "model Oscillator {
///     planar;
///     coordinates joint;
///     param stiffness = 4 N/m;
///     body block { mass: 1 kg, inertia: 1 kg m^2 }
///     joint rail: prismatic(ground, block);
///     force spring: spring(ground, block) { stiffness: stiffness }
/// }";
/// let stages = hamel_compiler::stages(text.parse()?)?;
/// let mut model = hamel_jit::compile(&stages, hamel_jit::Level::Optimised)?;
/// model.set(&[("stiffness", 9.0)])?;
///
/// let mut force = [0.0];
/// model.applied_force(0.0, &[0.5], &[0.0], &mut force);
/// assert_eq!(force, [-4.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compile(stages: &Stages, level: Level) -> Result<JitModel, Error> {
    let program = Program::new(Image::new(stages, level)?)?;
    Ok(JitModel::new(Arc::new(program)))
}
