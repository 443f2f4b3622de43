#![doc = include_str!("../README.md")]
#![allow(unsafe_code, reason = "machine code is called; each block says why it may")]

mod cache;
mod call;
mod description;
mod error;
mod image;
mod kept;
mod lanes;
mod memory;
mod model;
mod places;
mod program;
mod settings;
mod translate;

use std::sync::Arc;

use hamel_compiler::Stages;
use hamel_compiler::simplify::Limits;
use proc_macro2::TokenStream;

pub use cache::Cache;
pub use call::LANES;
pub use description::ProvidedFunction;
pub use error::{Error, ModelError};
pub use lanes::JitLanes;
pub use model::{Instant, JitModel};
pub use settings::{
    SettingError, function_of_time, in_si, quantity, with_derivatives, with_functions, with_initial, with_linearization,
};

use image::{Image, LaneCode};
use program::Program;
use translate::Processor;

/// How much work is put into a model before it runs.
///
/// The digits of machine code are those of the equations that it is made of, at both levels; the equations of both are
/// simplified differently by [`model`], so that these round differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// As little as possible.
    AtOnce,
    /// As much as in generated code.
    #[default]
    Optimised,
}

impl Level {
    /// How much the equations are simplified.
    pub fn limits(self) -> Limits {
        match self {
            Level::AtOnce => Limits::at_once(),
            Level::Optimised => Limits::default(),
        }
    }
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
    made(Image::new(stages, &Processor::new(level)?, LaneCode::None)?)
}

/// The same with code for [`LANES`] instances at once, which takes a third longer, see
/// [`InLanes`](hamel::together::InLanes).
///
/// # Errors
/// As [`compile`].
///
/// # Examples
/// ```
/// use hamel::schemes::RungeKutta;
/// use hamel::simulation::together;
/// use hamel::{Simulation, initial_state};
///
/// let text = "model Oscillator {
///     planar;
///     coordinates joint;
///     param stiffness = 4 N/m;
///     body block { mass: 1 kg, inertia: 1 kg m^2 }
///     joint rail: prismatic(ground, block);
///     force spring: spring(ground, block) { stiffness: stiffness }
///     initial rail.displacement = 1 m;
/// }";
/// let stages = hamel_compiler::stages(text.parse()?)?;
/// let model = hamel_jit::compile_in_lanes(&stages, hamel_jit::Level::Optimised)?;
/// let mut instances: Vec<_> = (0..8).map(|_| model.another()).collect();
/// for (k, instance) in instances.iter_mut().enumerate() {
///     instance.set(&[("stiffness", 1.0 + k as f64)])?;
/// }
/// let mut runs = Vec::new();
/// for instance in &instances {
///     let simulation = Simulation::new(instance, &RungeKutta).step(1e-3).until(1.0);
///     runs.push((instance, simulation, initial_state(instance)?));
/// }
/// for (k, run) in together::<_, { hamel_jit::LANES }>(runs).into_iter().enumerate() {
///     let end = run.trajectory.column("rail.displacement")?.next_back();
///     assert!(end.is_some_and(|end| (end - (1.0 + k as f64).sqrt().cos()).abs() < 1e-10));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compile_in_lanes(stages: &Stages, level: Level) -> Result<JitModel, Error> {
    made(Image::new(stages, &Processor::new(level)?, LaneCode::Made)?)
}

/// Compiles a model from its text, or takes from a cache what was compiled before.
///
/// # Errors
/// If the text is no model, or [`compile`] fails.
///
/// # Examples
/// ```
/// use hamel::Model;
/// use hamel_jit::Level;
///
/// let text = "model Pendulum {
///     planar;
///     coordinates joint;
///     gravity [0, -9.81] m/s^2;
///     body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
///     joint hinge: revolute(ground, rod at [0, 0.5] m);
/// }";
/// let model = hamel_jit::model(text.parse()?, Level::AtOnce, None)?;
/// assert_eq!(model.describe().coordinates[0].name, "hinge.angle");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn model(text: TokenStream, level: Level, cache: Option<&Cache>) -> Result<JitModel, ModelError> {
    found(text, level, cache, LaneCode::None)
}

/// The same with code for [`LANES`] instances at once, as [`compile_in_lanes`] makes it.
///
/// # Errors
/// As [`model`].
pub fn model_in_lanes(text: TokenStream, level: Level, cache: Option<&Cache>) -> Result<JitModel, ModelError> {
    found(text, level, cache, LaneCode::Made)
}

fn found(text: TokenStream, level: Level, cache: Option<&Cache>, lanes: LaneCode) -> Result<JitModel, ModelError> {
    // Before anything is done with them.
    hamel_compiler::parse::measure(&text)?;
    let (source, processor) = (text.to_string(), Processor::new(level)?);
    let work = format!("{level:?} {lanes:?}");
    if let Some(image) = cache.and_then(|cache| cache.read(&source, &work, &processor)) {
        return Ok(made(image)?);
    }
    let model = made(Image::new(&hamel_compiler::stages_within(text, &level.limits())?, &processor, lanes)?)?;
    if let Some(cache) = cache {
        // Kept with the description, so that later runs need not search for them.
        hamel::consistent::find_pivots(&model);
        cache.write(&source, &work, &processor, &model.program().image);
    }
    Ok(model)
}

fn made(image: Image) -> Result<JitModel, Error> {
    Ok(JitModel::new(Arc::new(Program::new(image)?)))
}
