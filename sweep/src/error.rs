//! Why a sweep cannot be done.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hamel_compiler::file::FileError;

/// Why a sweep cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// It is not described as expected; help may follow in a line of its own.
    #[error("{0}")]
    Wrong(String),
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder for results cannot be made or opened; nothing has begun.
    #[error("cannot write `{}`: {source}", path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is in the way of the results.
    #[error("`{}` exists and {reason}", path.display())]
    Exists {
        /// Which.
        path: PathBuf,
        /// What is known of it.
        reason: &'static str,
    },
    /// Results cannot be written; those that were written before are valid.
    #[error("cannot write `{}`: {source}\nhelp: what was written before is kept; the same command goes on from there", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl SweepError {
    pub(crate) fn new(message: impl Into<String>) -> SweepError {
        SweepError::Wrong(message.into())
    }

    pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> SweepError {
        move |source| SweepError::Read { path: path.to_owned(), source }
    }

    pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> SweepError {
        move |source| SweepError::Write { path: path.to_owned(), source }
    }

    /// Writes a file that is whole or not there.
    pub(crate) fn write_whole(
        path: &Path,
        content: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), SweepError> {
        hamel_compiler::file::write(path, content).map_err(|error| match error {
            FileError::Write { path, source } => SweepError::Write { path, source },
            other => SweepError::new(other.to_string()),
        })
    }

    pub(crate) fn opening(path: &Path) -> impl FnOnce(io::Error) -> SweepError {
        move |source| match (source.kind(), path.parent()) {
            (io::ErrorKind::NotFound, Some(folder)) => {
                SweepError::new(format!("there is no folder `{}` for `{}`", folder.display(), path.display()))
            }
            _ => SweepError::Open { path: path.to_owned(), source },
        }
    }
}
