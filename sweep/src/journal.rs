//! Cases that have ended, kept in a file as they end, so that an interrupted sweep goes on where it was.
//!
//! The first line describes the sweep, each further one is a case. A line that was not written to its end, because the
//! program was killed or the disk was full, is removed when the file is opened again. Cautions have no line breaks.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::SweepError;
use crate::table::Outcome;

/// The file of a sweep that is not complete. No other program writes to it meanwhile.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    ended: BTreeMap<u64, Outcome>,
    line: Vec<u8>,
}

/// A case as it stands in a line.
#[derive(Serialize, Deserialize)]
struct Line {
    case: u64,
    outputs: Vec<Number>,
    failure: Option<String>,
    cautions: Vec<String>,
}

/// A number of JSON, or the name of one that is not finite.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Other(String),
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        if value.is_finite() { Number::Finite(value) } else { Number::Other(format!("{value}")) }
    }
}

impl Number {
    fn value(&self) -> Option<f64> {
        match self {
            Number::Finite(value) => Some(*value),
            Number::Other(name) => name.parse().ok(),
        }
    }
}

impl Journal {
    /// Where the journal of a sweep is whose table goes to this file: beside it.
    ///
    /// # Examples
    /// ```
    /// use std::path::Path;
    ///
    /// assert_eq!(hamel_sweep::Journal::beside(Path::new("a/s.csv")), Path::new("a/s.csv.journal"));
    /// ```
    pub fn beside(table: &Path) -> PathBuf {
        let mut name = table.file_name().unwrap_or_default().to_owned();
        name.push(".journal");
        table.with_file_name(name)
    }

    /// Opens the file of a sweep with this description, or begins it.
    ///
    /// # Errors
    /// When another program writes to it, when it belongs to another sweep, and when it cannot be read or written.
    pub fn open(path: &Path, description: &str) -> Result<Journal, SweepError> {
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(path).map_err(SweepError::opening(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(SweepError::new(format!(
                    "`{}` is being written by another hamel\nhelp: wait for it, or choose another file with --out",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(SweepError::writing(path)(error)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(SweepError::reading(path))?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].split(|&byte| byte == b'\n');
        let mut ended = BTreeMap::new();
        let write = |result: std::io::Result<()>| result.map_err(SweepError::writing(path));
        if whole == 0 {
            write(file.set_len(0))?;
            write(file.seek(SeekFrom::Start(0)).map(drop))?;
            write(file.write_all(format!("{description}\n").as_bytes()))?;
        } else {
            if lines.next() != Some(description.as_bytes()) {
                return Err(SweepError::new(format!(
                    "`{}` holds results of another sweep, which was interrupted\nhelp: repeat its command, remove the file, or choose another one with --out",
                    path.display()
                )));
            }
            for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
                let (case, outcome) = read(line).ok_or_else(|| {
                    SweepError::new(format!(
                        "line {} of `{}` is damaged\nhelp: remove this line, and its case is computed again",
                        number + 2,
                        path.display()
                    ))
                })?;
                ended.insert(case, outcome);
            }
            write(file.set_len(whole as u64))?;
            write(file.seek(SeekFrom::End(0)).map(drop))?;
        }
        Ok(Journal { path: path.to_owned(), file, ended, line: Vec::new() })
    }

    /// Cases that have ended.
    pub fn ended(&self) -> &BTreeMap<u64, Outcome> {
        &self.ended
    }

    /// Keeps a case, in place of an earlier result.
    ///
    /// # Errors
    /// When it cannot be written; what was written before is valid.
    pub fn append(&mut self, case: u64, outcome: Outcome) -> Result<(), SweepError> {
        let line = Line {
            case,
            outputs: outcome.outputs.iter().map(|&value| value.into()).collect(),
            failure: outcome.failure.clone(),
            cautions: outcome.cautions.clone(),
        };
        self.line.clear();
        // All of it are texts and finite numbers.
        let _ = serde_json::to_writer(&mut self.line, &line);
        self.line.push(b'\n');
        // At once, so that the kernel has it if the program is killed.
        self.file.write_all(&self.line).map_err(SweepError::writing(&self.path))?;
        self.ended.insert(case, outcome);
        Ok(())
    }

    /// Removes the file, whose cases are in a table now.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn remove(self) -> Result<(), SweepError> {
        fs::remove_file(&self.path).map_err(SweepError::writing(&self.path))
    }
}

fn read(line: &[u8]) -> Option<(u64, Outcome)> {
    let Line { case, outputs, failure, cautions } = serde_json::from_slice(line).ok()?;
    let outputs = outputs.iter().map(Number::value).collect::<Option<_>>()?;
    Some((case, Outcome { outputs, failure, cautions }))
}
