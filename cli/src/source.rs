//! Where a model's description comes from: this program, or a file with one or more.

use std::path::{Path, PathBuf};

use hamel_animate::Meshes;
use hamel_compiler::Stages;
use hamel_compiler::file::{self, FileError, Source};
use hamel_import::PinocchioJoint;

use crate::failure::Failure;
use crate::import::{self, Robot};
use crate::own;

/// The model to which a verb applies.
#[derive(clap::Args)]
pub(crate) struct Choice {
    /// Name of a model, see `hamel list`, or a file: Rust with `multibody!` calls, FILE.model with the text between
    /// their braces, or the description of a robot, URDF, MJCF (.xml) or SDFormat (.sdf).
    #[arg(value_name = "MODEL|FILE")]
    what: PathBuf,
    /// Which model of a file that has several.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    robot: Robot,
}

/// The models of a verb that takes several.
#[derive(clap::Args)]
pub(crate) struct Choices {
    /// Names of models, see `hamel list`, or files: Rust with `multibody!` calls, FILE.model with the text between their
    /// braces, or the descriptions of robots, URDF, MJCF (.xml) or SDFormat (.sdf). The motions of several are drawn in the same plots.
    #[arg(value_name = "MODEL|FILE", required = true)]
    what: Vec<PathBuf>,
    /// Which model of a file that has several.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    robot: Robot,
}

impl Choices {
    /// These models or files.
    pub(crate) fn new(what: Vec<PathBuf>, model: Option<String>, robot: Robot) -> Choices {
        Choices { what, model, robot }
    }

    /// Each of them.
    pub(crate) fn each(&self) -> Vec<Choice> {
        let choice = |what: &PathBuf| Choice {
            what: what.clone(),
            model: self.model.clone(),
            // Of several, the robots are meant.
            robot: if self.what.len() > 1 && !import::is_robot(what) { Robot::default() } else { self.robot.clone() },
        };
        self.what.iter().map(choice).collect()
    }
}

impl Choice {
    /// Compiles the model; of a robot also where Pinocchio has its joints.
    pub(crate) fn with_pinocchio(&self) -> Result<(Stages, Vec<PinocchioJoint>), Failure> {
        let (source, joints) = match import::is_robot(&self.what) {
            true => self.of_robot()?,
            false => (self.source()?, Vec::new()),
        };
        let stages = hamel_compiler::stages(source.tokens).map_err(|error| FileError::model(self.path(), error))?;
        Ok((stages, joints))
    }

    /// Compiles the model.
    pub(crate) fn stages(&self) -> Result<Stages, Failure> {
        hamel_compiler::stages(self.source()?.tokens).map_err(|error| FileError::model(self.path(), error).into())
    }

    /// The files of meshes that the model may name, which are beside its own file.
    pub(crate) fn meshes(&self) -> Meshes {
        let folder = match self.own() {
            Some(_) => Path::new(""),
            None => self.what.parent().unwrap_or(Path::new("")),
        };
        // Results may be moved, and looked at from elsewhere.
        Meshes::beside(std::path::absolute(folder.join(".")).unwrap_or_else(|_| folder.to_owned()))
    }

    /// The name or the file.
    pub(crate) fn path(&self) -> &Path {
        &self.what
    }

    /// The name, if it is a model of this program.
    pub(crate) fn own(&self) -> Option<&str> {
        let is_name = self.what.extension().is_none() && self.what.components().count() == 1 && !self.what.is_dir();
        self.what.to_str().filter(|_| is_name)
    }

    /// The text of the model.
    pub(crate) fn source(&self) -> Result<Source, Failure> {
        if import::is_robot(&self.what) {
            return self.of_robot().map(|(source, _)| source);
        }
        self.robot.refuse(&self.what)?;
        match self.own() {
            Some(name) => source_of(name),
            None => self.of_file(&self.what),
        }
    }

    fn of_robot(&self) -> Result<(Source, Vec<PinocchioJoint>), Failure> {
        let import = self.robot.read(&self.what)?;
        let tokens = import.tokens().map_err(|error| FileError::model(&self.what, error.into()))?;
        let words = tokens.clone().into_iter().map(|token| token.to_string());
        let name = words.skip_while(|word| word != "model").nth(1).unwrap_or_default();
        Ok((Source { name, tokens }, import.pinocchio))
    }

    fn of_file(&self, path: &Path) -> Result<Source, Failure> {
        let mut models = file::read(path)?;
        if let Some(name) = &self.model {
            return match models.iter().position(|model| model.name == *name) {
                Some(index) => Ok(models.swap_remove(index)),
                None => Err(Failure::unknown("model", name, models.iter().map(|model| model.name.as_str()))),
            };
        }
        let names: Vec<String> = models.iter().map(|model| format!("  {}", model.name)).collect();
        match models.pop() {
            Some(only) if models.is_empty() => Ok(only),
            _ => Err(Failure::Usage(format!(
                "`{}` has {} models:\n{}\nhelp: choose one with --model NAME",
                path.display(),
                names.len(),
                names.join("\n")
            ))),
        }
    }
}

/// The source of a model of this program.
fn source_of(name: &str) -> Result<Source, Failure> {
    let model = own::build(name, &[])?;
    // The source of a compiled model consists of tokens.
    let tokens = model.describe().source.parse().map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(Source { name: name.to_owned(), tokens })
}
