//! Where a model's description comes from: this program, or a file with one or more.

use std::path::{Path, PathBuf};

use hamel_compiler::Stages;
use hamel_compiler::file::{self, FileError, Source};

use crate::failure::Failure;

/// The model to which a verb applies.
#[derive(clap::Args)]
pub(crate) struct Choice {
    /// Name of a model, see `hamel list`, or a file: Rust with `multibody!` calls, or FILE.model with the text
    /// between their braces.
    #[arg(value_name = "MODEL|FILE")]
    what: PathBuf,
    /// Which model of a file that has several.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

impl Choice {
    /// Compiles the model.
    pub(crate) fn stages(&self) -> Result<Stages, Failure> {
        let path = self.what.as_path();
        let source = match path.to_str().filter(|_| path.extension().is_none()) {
            Some(name) => own(name)?,
            None => self.of_file(path)?,
        };
        hamel_compiler::stages(source.tokens).map_err(|error| FileError::model(path, error).into())
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
fn own(name: &str) -> Result<Source, Failure> {
    let names = hamel_models::ALL.iter().map(|entry| entry.name);
    let entry = hamel_models::find(name).ok_or_else(|| Failure::unknown("model", name, names))?;
    // Without parameters to set there are no unknown names, and the source of a compiled model consists of tokens.
    let model = (entry.build)(&[]).map_err(|error| Failure::Usage(error.to_string()))?;
    let tokens = model.describe().source.parse().map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(Source { name: name.to_owned(), tokens })
}
