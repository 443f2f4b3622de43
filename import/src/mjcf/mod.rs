//! Robots described in MuJoCo's MJCF, as models in the language of `multibody!`.
//!
//! Bodies with several joints become frames without mass between these. A coordinate is counted from the reference
//! position, where a joint has one; a free joint moves with its velocities in the axes of the body. Constraints and limits
//! are those of rigid mechanisms, where MuJoCo has stiff springs. What has no meaning for the dynamics of rigid bodies
//! (shapes without mass, sensors, settings of the solver) is left out and listed, as is what the language does not have:
//! tendons, friction in joints, the inertia of rotors (`armature`) and limits of joints with several coordinates.

mod actuators;
mod attributes;
mod classes;
mod compiler;
mod drives;
mod equality;
mod include;
mod joints;
mod looks;
mod masses;
mod meshes;
mod options;
mod orientation;
mod principal;
mod read;
mod replicate;

use crate::robot;
pub use crate::{Error, Errors, Import, Options, Place, Problem, Warning};

/// Translates a description.
///
/// # Errors
/// All that are found: XML that is not well-formed, elements and attributes that are missing or not as MJCF has them, what
/// MuJoCo expands before it compiles (`attach`, `composite`, and `include` where [`Options::visuals`] does not say
/// where files are), shapes and meshes whose inertia is not computed,
/// numbers that lead beyond all numbers, and bodies that would move without mass or with an inertia that no rigid body has.
pub fn import(text: &str, options: &Options) -> Result<Import, Errors> {
    options.refuse_arguments()?;
    let (robot, warnings) = read::read(text, options.visuals.as_ref())?;
    if options.is_floating {
        let what = "the bodies of MJCF say themselves what moves freely".to_owned();
        let help = "leave out `--floating`, or give a body a `freejoint`";
        return Err(Problem::Unsupported { what, help }.at(robot.place).into());
    }
    robot.refuse_infinite()?;
    robot::model(&robot, options, warnings)
}

#[cfg(test)]
mod tests;
