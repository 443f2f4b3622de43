//! What can be wrong with a file of models.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::Span;

use crate::diagnostics::Family;

/// A mistake and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line, from one.
    pub line: usize,
    /// Column, from one, in characters.
    pub column: usize,
    /// What kind of mistake it is; none of notes about another place, and of what the compiler does not read.
    pub family: Option<Family>,
    /// What is wrong, what was expected, and help in lines of its own.
    pub message: String,
}

impl Mistake {
    pub(super) fn new(span: Span, message: &dyn fmt::Display) -> Mistake {
        let start = span.start();
        // Columns are counted from zero by the parser and from one by editors.
        Mistake::at(start.line, start.column + 1, &message.to_string())
    }

    pub(super) fn at(line: usize, column: usize, text: &str) -> Mistake {
        let (family, message) = Family::of(text);
        Mistake { line, column, family, message: message.to_owned() }
    }
}

/// Why a file gives no models.
///
/// `Debug` prints what `Display` does, because that is what a build script's `main` shows of an error.
pub enum FileError {
    /// The file cannot be read.
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The result cannot be written.
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file has no model.
    Empty {
        /// Which file.
        path: PathBuf,
        /// What was looked for.
        expected: &'static str,
    },
    /// The models have mistakes.
    Wrong {
        /// Which file.
        path: PathBuf,
        /// All that were found, in order.
        mistakes: Vec<Mistake>,
    },
}

impl FileError {
    pub(super) fn read(path: &Path, source: io::Error) -> FileError {
        FileError::Read { path: path.to_owned(), source }
    }

    pub(super) fn write(path: &Path, source: io::Error) -> FileError {
        FileError::Write { path: path.to_owned(), source }
    }

    pub(super) fn empty(path: &Path, is_rust: bool) -> FileError {
        let expected = if is_rust { "`multibody!` call" } else { "`model Name { … }`" };
        FileError::Empty { path: path.to_owned(), expected }
    }

    pub(super) fn wrong(path: &Path, mistakes: Vec<Mistake>) -> FileError {
        FileError::Wrong { path: path.to_owned(), mistakes }
    }

    /// The errors of a model that stands in this file.
    pub fn model(path: &Path, error: syn::Error) -> FileError {
        FileError::wrong(path, error.into_iter().map(|error| Mistake::new(error.span(), &error)).collect())
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Read { path, source } => write!(f, "cannot read `{}`: {source}", path.display()),
            FileError::Write { path, source } => write!(f, "cannot write `{}`: {source}", path.display()),
            FileError::Empty { path, expected } => write!(f, "no {expected} in `{}`", path.display()),
            FileError::Wrong { path, mistakes } => {
                for (index, Mistake { line, column, family, message }) in mistakes.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "\n" };
                    let kind = family.map(|family| format!("error[{family}]: ")).unwrap_or_default();
                    write!(f, "{separator}{}:{line}:{column}: {kind}{message}", path.display())?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Debug for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FileError::Read { source, .. } | FileError::Write { source, .. } => Some(source),
            FileError::Empty { .. } | FileError::Wrong { .. } => None,
        }
    }
}
