//! Robots that are described in other formats: `hamel import`, and what all verbs that take them may say of them.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use hamel_compiler::file::{self, FileError, Mistake};
use hamel_compiler::simplify::Limits;
use hamel_import::{Error, Format, Import, Options, Parameters, Visuals};

use crate::failure::Failure;
use crate::screen::{Destination, Screen};

/// Arguments of `hamel import`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The description, URDF, also with macros (.xacro), MuJoCo's MJCF (.xml) or SDFormat (.sdf).
    #[arg(value_name = "ROBOT.urdf|.xacro|.xml|.sdf")]
    file: PathBuf,
    #[command(flatten)]
    robot: Robot,
    /// Functions to provide, e.g. inverse_dynamics,forward_dynamics_derivatives, also of links: jacobian(tool0).
    #[arg(long, value_name = "FUNCTIONS", value_delimiter = ',')]
    provide: Vec<String>,
    #[command(flatten)]
    destination: Destination,
}

/// What the description of a robot does not say.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "Options of robots")]
pub(crate) struct Robot {
    /// Let the root link move freely; otherwise it is the ground.
    #[arg(long)]
    floating: bool,
    /// Take angles such as 1.5708 as they are written; otherwise they are right angles, which cost nothing.
    #[arg(long)]
    exact_angles: bool,
    /// Replace inertias that no rigid body has by the nearest that one has, and say which.
    #[arg(long)]
    repair_inertia: bool,
    /// Make parameters of numbers, to be set and varied: mass (of each body, with what is fixed to it), inertia (with
    /// masses and centres), kinematics (where joints stand), all (with dampings).
    #[arg(long = "parameters", value_name = "GROUPS", value_delimiter = ',', value_parser = PossibleValuesParser::new(Parameters::ALL.map(Parameters::keyword)))]
    groups: Vec<String>,
    /// Keep joints within their limits by contacts.
    #[arg(long)]
    stops: bool,
    /// Where the files of a package are, for meshes such as package://NAME/arm.stl that are not above the description.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    packages: Vec<(String, PathBuf)>,
    /// The value of an argument of a description with macros (xacro).
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = argument)]
    arguments: Vec<(String, String)>,
}

/// `NAME=VALUE`.
fn argument(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected `NAME=VALUE`, an argument and its value")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// `NAME=DIR`.
fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, folder) = text.split_once('=').ok_or("expected `NAME=DIR`, a package and its folder")?;
    if !Path::new(folder).is_dir() {
        return Err(format!("`{folder}` is no folder"));
    }
    Ok((name.to_owned(), folder.into()))
}

impl Robot {
    fn options(&self, path: &Path, model_folder: &Path, provide: &[String]) -> Result<Options, Failure> {
        let (provide, provide_of_links) = hamel_import::functions(provide).map_err(Failure::Usage)?;
        let is_parameter = |group: &Parameters| self.groups.iter().any(|word| word == group.keyword());
        Ok(Options {
            is_floating: self.floating,
            provide,
            provide_of_links,
            exact_angles: self.exact_angles,
            repair_inertia: self.repair_inertia,
            parameters: Parameters::ALL.into_iter().filter(is_parameter).collect(),
            stops: self.stops,
            visuals: Some(Visuals {
                folder: path.parent().unwrap_or(Path::new("")).to_owned(),
                packages: self.packages.clone(),
                model_folder: model_folder.to_owned(),
            }),
            arguments: self.arguments.clone(),
        })
    }

    /// Whether nothing is said.
    fn is_default(&self) -> bool {
        let Robot { floating, exact_angles, repair_inertia, groups, stops, packages, arguments } = self;
        !(*floating || *exact_angles || *repair_inertia || *stops)
            && groups.is_empty()
            && packages.is_empty()
            && arguments.is_empty()
    }

    /// Refuses what is said of a robot for a model that is none.
    pub(crate) fn refuse(&self, path: &Path) -> Result<(), Failure> {
        if self.is_default() {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "`{}` is not the description of a robot, which options of robots are for",
            path.display()
        )))
    }

    /// The model of a robot in the folder of its description; what was left out is written to standard error.
    pub(crate) fn read(&self, path: &Path) -> Result<Import, Failure> {
        self.read_for(path, path.parent().unwrap_or(Path::new("")), &[])
    }

    /// The model of a robot that is to stand in a folder.
    fn read_for(&self, path: &Path, model_folder: &Path, provide: &[String]) -> Result<Import, Failure> {
        let import = self.translated(path, model_folder, provide)?;
        for warning in &import.warnings {
            eprintln!("warning: {}:{warning}", path.display());
        }
        Ok(import)
    }

    fn translated(&self, path: &Path, model_folder: &Path, provide: &[String]) -> Result<Import, Failure> {
        // What has no ending that is known is taken for URDF, whose reader says what it expects.
        let format = Format::of(path).unwrap_or(Format::Urdf);
        let import =
            format.import(&file::text(path)?, &self.options(path, model_folder, provide)?).map_err(|errors| {
                let mistake = |error: &Error| Mistake {
                    line: error.place.line as usize,
                    column: error.place.column as usize,
                    family: None,
                    message: error.message(),
                };
                FileError::Wrong { path: path.to_owned(), mistakes: errors.iter().map(mistake).collect() }
            })?;
        Ok(import)
    }
}

/// Whether a file is the description of a robot.
pub(crate) fn is_robot(path: &Path) -> bool {
    Format::of(path).is_some()
}

/// Prints the model; writes to standard error what was left out, and the errors of the compiler.
pub(crate) fn import(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    screen.direct(&arguments.destination)?;
    let path = &arguments.file;
    // What is printed is taken for a file of the working directory.
    let model_folder = arguments.destination.out.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let import = arguments.robot.read_for(path, model_folder, &arguments.provide)?;
    // A file `.model` holds what stands between the braces of the macro.
    let is_text = arguments.destination.out.as_ref().is_some_and(|out| out.extension().is_some_and(|it| it == "model"));
    if is_text {
        import.model.lines().try_for_each(|line| screen.line(line))?;
    } else {
        screen.line("hamel::multibody! {")?;
        for line in import.model.lines() {
            screen.line(format!("    {line}").trim_end())?;
        }
        screen.line("}")?;
    }
    screen.flush()?;
    // What the compiler has to say stands where the description says it; functions add nothing to that.
    let alone = arguments.robot.translated(path, model_folder, &[])?;
    let checked = alone.tokens().map_err(syn::Error::from);
    let checked = checked.and_then(|tokens| hamel_compiler::stages_within(tokens, &Limits::least()));
    checked.map(drop).map_err(|error| FileError::model(path, error).into())
}
