//! `hamel import`: a model from the URDF description of a robot.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use hamel_compiler::file::{self, FileError};
use hamel_compiler::resolve::Provided;
use hamel_import::urdf::{self, Import};

use crate::failure::Failure;
use crate::screen::{Destination, Screen};

/// Arguments of `hamel import`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The URDF description; macros of xacro must be expanded before.
    #[arg(value_name = "ROBOT.urdf")]
    file: PathBuf,
    /// Let the root link move freely; otherwise it is the ground.
    #[arg(long)]
    floating: bool,
    /// Take angles such as 1.5708 as they are written; otherwise they are right angles, which cost nothing.
    #[arg(long)]
    exact_angles: bool,
    /// Functions to provide, e.g. inverse_dynamics,forward_dynamics_derivatives.
    #[arg(long, value_name = "FUNCTIONS", value_delimiter = ',', value_parser = PossibleValuesParser::new(Provided::ALL.map(Provided::keyword)))]
    provide: Vec<String>,
    #[command(flatten)]
    destination: Destination,
}

/// The model of a description; what was left out is written to standard error.
pub(crate) fn read(path: &Path, options: &urdf::Options) -> Result<Import, Failure> {
    let import = urdf::import(&file::text(path)?, options).map_err(|error| wrong(path, &error))?;
    for warning in &import.warnings {
        eprintln!("warning: {}:{warning}", path.display());
    }
    Ok(import)
}

/// An error with its place in a description.
pub(crate) fn wrong(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Usage(format!("{}:{error}", path.display()))
}

/// Prints the model; writes to standard error what was left out, and the errors of the compiler.
pub(crate) fn import(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    screen.direct(&arguments.destination)?;
    let is_asked = |function: &Provided| arguments.provide.iter().any(|word| word == function.keyword());
    let provide = Provided::ALL.into_iter().filter(is_asked).collect();
    let options = urdf::Options { is_floating: arguments.floating, provide, exact_angles: arguments.exact_angles };
    let import = read(&arguments.file, &options)?;
    screen.line("hamel::multibody! {")?;
    for line in import.model.lines() {
        screen.line(format!("    {line}").trim_end())?;
    }
    screen.line("}")?;
    screen.flush()?;
    // A description may contain what no rigid body can have, such as an impossible inertia; the compiler checks that.
    let description = import.model.parse().map_err(syn::Error::from).and_then(hamel_compiler::parse::parse);
    let checked = description.and_then(|description| hamel_compiler::resolve::resolve(&description));
    checked.map(drop).map_err(|error| FileError::model(Path::new("the model"), error).into())
}
