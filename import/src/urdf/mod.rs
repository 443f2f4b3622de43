//! Robots described in URDF, as models in the language of `multibody!`.
//!
//! [`read`] turns XML into a [`robot::Robot`], [`placement`] finds out which link moves with which body, [`merge`] adds up
//! what each body weighs, [`mimic`] finds the joints that follow others, and [`write`] prints the model. Links on fixed
//! joints are part of the body that carries them and remain as markers. Numbers keep the digits they were written with,
//! unless they are sums over several links or stand behind a long chain of fixed joints, which is multiplied out. Names
//! are any text, and appear in the model as names of the language and, escaped, in comments. What has no meaning for the dynamics of rigid
//! bodies (shapes, limits, transmissions, tags of simulators) is left out and listed as [`Warning`]s; what cannot be
//! translated is an [`Error`] with its place. Macros of xacro are to be expanded before.

mod error;
mod limits;
mod merge;
mod mimic;
mod names;
mod number;
mod placement;
mod places;
mod pose;
mod read;
mod robot;
mod write;

use hamel_compiler::resolve::Provided;

pub use error::{Error, Place, Problem, Warning};

/// The gravity of every model: descriptions do not say it.
pub const GRAVITY: &str = "[0, 0, -9.81] m/s^2";

/// What a description does not say.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The root link moves freely; otherwise it is the ground.
    pub is_floating: bool,
    /// Functions that the model is to provide.
    pub provide: Vec<Provided>,
    /// Angles whose digits are those of a right angle, such as 1.5708, mean what they say and not the right angle.
    pub exact_angles: bool,
}

/// A translated description.
#[derive(Clone, Debug)]
pub struct Import {
    /// The model, as it stands inside `multibody!`.
    pub model: String,
    /// What was left out or decided, in the order of the description.
    pub warnings: Vec<Warning>,
}

/// Translates a description.
///
/// # Errors
/// XML that is not well-formed, descriptions beyond the size of robots, elements and attributes that are missing or not as URDF has them, links and joints that
/// do not form a tree, and links that would move without mass or with an inertia that no rigid body has.
pub fn import(text: &str, options: &Options) -> Result<Import, Error> {
    let (robot, mut warnings) = read::read(text, options.exact_angles)?;
    let placement = placement::place(&robot, options)?;
    let poses = pose::poses(&robot, &placement)?;
    let inertials = merge::merge(&robot, &placement, &poses)?;
    let followed = mimic::followed(&robot)?;
    let model = write::write(&robot, &placement, &poses, &inertials, &options.provide, &followed, &mut warnings);
    warnings.sort_by_key(|warning| warning.place);
    Ok(Import { model, warnings })
}

#[cfg(test)]
mod tests;
