//! What a unit says of its model, beside the text: in `resources/settings.json`.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The file with the text of the model, and that with its settings, in the folder of resources.
pub(crate) const TEXT: &str = "model.model";
pub(crate) const SETTINGS: &str = "settings.json";

/// How importers use a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The importer integrates: it asks for derivatives of the states.
    ModelExchange,
    /// The unit integrates: it is asked to go on.
    CoSimulation,
}

/// Version of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Version {
    /// FMI 2.0.
    Two,
    /// FMI 3.0.
    Three,
}

/// How a unit integrates by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stepping {
    /// Steps of this length, s; those of an interval of communication are equal if they fit.
    Fixed(f64),
    /// Steps chosen by this relative and absolute tolerance.
    Tolerance(f64),
}

/// What a unit is made with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Name of the shared library, an identifier of C.
    pub identifier: String,
    /// What tells the unit from all others.
    pub token: String,
    /// Version of the interface.
    pub version: Version,
    /// How it can be used.
    pub kinds: Vec<Kind>,
    /// Name of the scheme by which the unit integrates by itself, see `hamel list schemes`.
    pub scheme: String,
    /// Parameters of the scheme.
    pub scheme_parameters: Vec<(String, f64)>,
    /// Its steps.
    pub stepping: Stepping,
    /// Whether the model provides its derivatives.
    pub derivatives: bool,
    /// Parameters of the model, component by component, in SI units.
    pub parameters: Vec<(String, f64)>,
}

impl Settings {
    /// As they are written.
    pub(crate) fn json(&self) -> Vec<u8> {
        // Strings, numbers and lists have a form in JSON.
        serde_json::to_vec_pretty(self).unwrap_or_default()
    }
}

/// Text and settings of a unit that an importer has unpacked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resources {
    pub text: String,
    pub settings: Settings,
}

impl Resources {
    /// Those in a folder.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub(crate) fn read(folder: &Path) -> Result<Resources, String> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
        };
        let settings = serde_json::from_str(&read(SETTINGS)?).map_err(|error| {
            format!("`{}` is not as this library writes it: {error}", folder.join(SETTINGS).display())
        })?;
        Ok(Resources { text: read(TEXT)?, settings })
    }
}
