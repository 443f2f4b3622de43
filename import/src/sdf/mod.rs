//! Robots described in SDFormat, as models in the language of `multibody!`.
//!
//! All models of a file are one model on one ground, and those within others have names with `::`. Poses follow
//! `relative_to`, the frames that are described, placement frames and nested models; frames become markers. A joint with
//! two axes becomes two joints with a frame without mass between them, a joint that would close a loop closes it. What no
//! joint connects with the world stands on it, or moves freely where that is asked for. What has no meaning for the dynamics
//! of rigid bodies (shapes, sensors, plugins) is left out and listed, as is what the language does not have.

mod attributes;
mod frames;
mod joints;
mod looks;
mod masses;
mod places;
mod read;
mod tree;

use crate::robot;
pub use crate::{Error, Errors, Import, Options, Place, Problem, Warning};

/// The gravity of worlds that do not say theirs; models without a world have that of [`crate::urdf::GRAVITY`].
pub const GRAVITY: &str = "[0, 0, -9.8] m/s^2";

/// Translates a description.
///
/// # Errors
/// All that are found: XML that is not well-formed, elements and attributes that are missing or not as SDFormat has them,
/// names that lead nowhere or around in a circle, what is included from other files, joints that the language does not have,
/// shapes whose inertia is not computed, numbers that lead beyond all numbers, and links that would move without mass or
/// with an inertia that no rigid body has.
pub fn import(text: &str, options: &Options) -> Result<Import, Errors> {
    options.refuse_arguments()?;
    let (robot, warnings) = read::read(text, options)?;
    robot.refuse_infinite()?;
    // What moves freely has a joint that says so.
    robot::model(&robot, &Options { is_floating: false, ..options.clone() }, warnings)
}

#[cfg(test)]
mod tests;
