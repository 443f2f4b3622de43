//! Provenance of results: program, tools and machine of a run.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::expected::{Fixed, fixed};

/// The data needed to repeat a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of this package.
    #[serde(deserialize_with = "fixed")]
    pub version: Fixed,
    /// Commit of the sources, with a mark if they were changed since; `unknown` outside of the repository.
    pub commit: String,
    /// Compiler that built the program.
    pub compiler: String,
    /// Processor architecture and operating system.
    pub target: String,
    /// `release` or `dev`, by the presence of debug assertions.
    #[serde(deserialize_with = "fixed")]
    pub profile: Fixed,
    /// Processors available to the program.
    pub processors: usize,
    /// The command as typed.
    pub command: String,
    /// The runs whose results these are, where they were merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<Provenance>,
}

impl Provenance {
    /// That of the running program.
    pub fn of_this_run() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: commit(Path::new(env!("CARGO_MANIFEST_DIR"))),
            compiler: env!("HAMEL_RUSTC").to_owned(),
            target: format!("{}, {}", std::env::consts::ARCH, std::env::consts::OS),
            profile: if cfg!(debug_assertions) { "dev" } else { "release" },
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            command: command(),
            merged: Vec::new(),
        }
    }
}

fn commit(sources: &Path) -> String {
    let git = |arguments: &[&str]| answer(Command::new("git").arg("-C").arg(sources).args(arguments));
    match (git(&["rev-parse", "--short=12", "HEAD"]), git(&["status", "--porcelain", "--untracked-files=no"])) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit} with local changes"),
        _ => unknown(),
    }
}

/// The output of a tool, if it exists and succeeds.
fn answer(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command line, with the program's name instead of its path.
pub fn command() -> String {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let program = words.next().and_then(|path| Some(Path::new(&path).file_stem()?.to_string_lossy().into_owned()));
    program.into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

fn unknown() -> String {
    "unknown".into()
}
