//! The content of a folder: `manifest.json`, written last, with the size and the hash of every file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use hamel_compiler::file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Its name in the folder.
pub const MANIFEST: &str = "manifest.json";

/// The content of a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program that writes such files.
    pub program: String,
    /// Whether the set of files is complete.
    pub state: State,
    /// The command that wrote here last.
    pub command: String,
    /// The request of an interrupted command, which must be repeated to resume it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// Files by their paths in the folder, with `/` between names.
    pub files: BTreeMap<String, Entry>,
}

/// Whether the set of files is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// All files are present.
    Complete,
    /// Writing has begun and not finished: each file is complete, but some may be missing or from the previous command.
    Unfinished,
}

/// What a command computes, and by which program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Hash of the executable: another one may compute something else.
    pub program: String,
    /// What is computed.
    pub parts: Vec<String>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// In bytes.
    pub size: u64,
    /// SHA-256 of its content, as `sha256sum` prints it.
    pub sha256: String,
    /// The command that wrote it.
    pub command: String,
}

impl Manifest {
    /// The manifest of an empty folder.
    pub(super) fn new(command: String) -> Self {
        let (program, state) = (program(), State::Complete);
        Self { program, state, command, request: None, files: BTreeMap::new() }
    }

    /// Reads the manifest of a folder; `None` if there is none or it was not written by this program.
    pub fn read(folder: &Path) -> Option<Self> {
        let path = folder.join(MANIFEST);
        path.symlink_metadata().ok().filter(|about| about.is_file())?;
        let manifest: Self = serde_json::from_str(&file::text(path).ok()?).ok()?;
        manifest.program.starts_with("hamel ").then_some(manifest)
    }

    /// The paths of the files that differ from the manifest.
    pub fn mismatches(&self, folder: &Path) -> Vec<&str> {
        let is_wrong = |(path, entry): &(&String, &Entry)| !entry.is_of(&folder.join(path));
        self.files.iter().filter(is_wrong).map(|(path, _)| path.as_str()).collect()
    }
}

impl Entry {
    /// Whether there is a file with this size and hash.
    pub fn is_of(&self, path: &Path) -> bool {
        let about = path.symlink_metadata();
        about.is_ok_and(|about| about.is_file() && about.len() == self.size)
            && hash_of(path).is_ok_and(|hash| hash == self.sha256)
    }
}

fn program() -> String {
    format!("hamel {}", env!("CARGO_PKG_VERSION"))
}

/// The hash of a file's content.
pub fn hash_of(path: &Path) -> io::Result<String> {
    let mut hashing = Hashing::new(io::sink());
    io::copy(&mut File::open(path)?, &mut hashing)?;
    Ok(hashing.finish().1)
}

/// A writer that counts and hashes the bytes written through it.
pub(super) struct Hashing<W> {
    out: W,
    size: u64,
    hash: Sha256,
}

impl<W> Hashing<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, size: 0, hash: Sha256::new() }
    }

    /// Size and hash.
    pub(super) fn finish(self) -> (u64, String) {
        let digits = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        (self.size, digits)
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
