//! Robots described in URDF, as models in the language of `multibody!`.
//!
//! What has no meaning for the dynamics of rigid bodies (shapes, transmissions, tags of simulators) is left out. Macros
//! of xacro are expanded, as far as they are made of numbers, texts and files that are found.

mod attributes;
mod looks;
mod read;
mod xacro;

use crate::robot;
pub use crate::{Error, Errors, Import, Options, Place, Problem, Warning};

/// The gravity of every model: descriptions do not say it.
pub const GRAVITY: &str = "[0, 0, -9.81] m/s^2";

/// Translates a description.
///
/// # Errors
/// All that are found: XML that is not well-formed, descriptions beyond the size of robots, elements and attributes that
/// are missing or not as URDF has them, links and joints that do not form a tree, and links that would move without mass
/// or with an inertia that no rigid body has.
pub fn import(text: &str, options: &Options) -> Result<Import, Errors> {
    let (robot, warnings) = read::read(text, options)?;
    robot::model(&robot, options, warnings)
}

#[cfg(test)]
mod tests;
