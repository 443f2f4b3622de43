//! Writes units: archives with description, library, text and settings.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hamel::linearize::first_order;
use hamel::{Model, StepError, initial_state};
use hamel_compiler::file::{self, FileError};
use hamel_jit::JitModel;
use sha2::{Digest, Sha256};
use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::description::Description;
use crate::settings::{Kind, SETTINGS, Settings, Stepping, TEXT, Version};
use crate::variables::Variables;

/// What a unit is made of.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The text of the model.
    pub text: String,
    /// Version of the interface.
    pub version: Version,
    /// How it is to be used; all kinds that the model permits, if there is none.
    pub kinds: Vec<Kind>,
    /// Name of the scheme by which it integrates by itself.
    pub scheme: String,
    /// Parameters of the scheme.
    pub scheme_parameters: Vec<(String, f64)>,
    /// Its steps.
    pub stepping: Stepping,
    /// End of the motion that importers compute where nobody asks for another, s.
    pub until: f64,
}

/// Why a unit cannot be written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The model has no start, or the scheme does not exist or does not take the model.
    #[error(transparent)]
    Start(#[from] StepError),
    /// A use that the model does not permit.
    #[error("{0}")]
    Kind(String),
    /// The library that units contain is not there.
    #[error(
        "cannot read the library that units contain, `{}`: {source}\nhelp: `cargo build --release -p hamel-fmu` makes it, below target/release; name another place with --library",
        path.display()
    )]
    Library {
        /// Where it was expected.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// The processor or the system has no name in the interface.
    #[error("the interface has no name for this system, {} on {}", std::env::consts::OS, std::env::consts::ARCH)]
    System,
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The folder of the libraries of this system.
pub(crate) fn platform(version: Version) -> Option<String> {
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    let os = match os {
        "linux" | "windows" => os,
        "macos" => "darwin",
        _ => return None,
    };
    match version {
        Version::Three => Some(format!("{arch}-{os}")),
        Version::Two if arch == "x86_64" => Some(format!("{}64", if os == "windows" { "win" } else { os })),
        // Version 2 has names for these processors alone; tools use those of version 3.
        Version::Two => Some(format!("{arch}-{os}")),
    }
}

/// Writes a unit of a model, which [`hamel_jit::model`] has made of the same text, whole or not at all; the settings that
/// it has.
///
/// Values of parameters that were set are those with which instances begin. `library` is this crate as a shared library.
/// The same contents give the same bytes.
///
/// # Errors
/// A model that has no start, a use that it does not permit, and files.
pub fn write(model: &JitModel, contents: &Contents, library: &Path, to: &Path) -> Result<Settings, ExportError> {
    let state = initial_state(model)?;
    let given: Vec<(&str, f64)> =
        contents.scheme_parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    // The scheme exists, and takes the model.
    hamel::schemes::by_name(&contents.scheme, &given)?.start(model, state.clone())?;
    let info = model.describe();
    let kinds = kinds(&contents.kinds);
    let mut settings = Settings {
        identifier: identifier(&info.name),
        token: String::new(),
        version: contents.version,
        // Those of a motion with contacts would lack their forces.
        derivatives: kinds.contains(&Kind::ModelExchange)
            && info.contacts.is_empty()
            && first_order(model, &mut state.clone()).is_ok(),
        kinds,
        scheme: contents.scheme.clone(),
        scheme_parameters: contents.scheme_parameters.clone(),
        stepping: contents.stepping.clone(),
        parameters: info
            .parameters
            .iter()
            .map(|channel| channel.name.clone())
            .zip(model.parameters().iter().copied())
            .collect(),
    };
    settings.token = token(contents, &settings);
    let variables = Variables::of(model, &settings.kinds);
    let description = Description {
        info,
        settings: &settings,
        variables: &variables,
        parameters: model.parameters(),
        state: &state,
        until: contents.until,
        sources: &[],
    };
    let code = fs::read(library).map_err(|source| ExportError::Library { path: library.to_owned(), source })?;
    let place = platform(contents.version).ok_or(ExportError::System)?;
    let binary = format!("binaries/{place}/{}.{}", settings.identifier, std::env::consts::DLL_EXTENSION);
    let resource = |name: &str| format!("resources/{name}");
    let entries: [(String, Vec<u8>); 4] = [
        ("modelDescription.xml".to_owned(), description.text().into_bytes()),
        (resource(TEXT), contents.text.clone().into_bytes()),
        (resource(SETTINGS), settings.json()),
        (binary, code),
    ];
    file::write(to, |out| archive(out, &entries))?;
    Ok(settings)
}

/// The uses that are asked for, or both.
pub(crate) fn kinds(asked: &[Kind]) -> Vec<Kind> {
    match asked {
        [] => vec![Kind::ModelExchange, Kind::CoSimulation],
        kinds => kinds.to_vec(),
    }
}

pub(crate) fn archive(out: &mut File, entries: &[(String, Vec<u8>)]) -> io::Result<()> {
    let mut archive = ZipWriter::new(out);
    for (name, content) in entries {
        // The same time for all, so that the same contents give the same bytes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(if name.starts_with("binaries/") { 0o755 } else { 0o644 });
        archive.start_file(name, options)?;
        archive.write_all(content)?;
    }
    archive.finish()?;
    Ok(())
}

/// A name as an identifier of C.
pub(crate) fn identifier(name: &str) -> String {
    let ascii = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(ascii).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// What tells the unit from others: a hash of all that its results depend on.
pub(crate) fn token(contents: &Contents, settings: &Settings) -> String {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(&contents.text);
    hash.update(format!("{settings:?}"));
    let hex: String = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{{{}-{}-{}-{}-{}}}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
