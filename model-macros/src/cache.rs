//! Code of models that this compiler has compiled before, kept in the target folder.
//!
//! Rust expands every macro of a crate again whenever anything in the crate has changed; a model that has not changed
//! is only read. An entry holds its source and its code behind a hash of both and of the compiler: what was damaged,
//! altered or left by another compiler is compiled again and replaced. The hash guards against accidents; whoever may
//! write below the target folder may replace the macro itself, so the folder and its files must belong to the user, and
//! only regular files are opened. Nothing here can fail: without a readable or writable folder, models are compiled each
//! time.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;

/// What tells this compiler from others, by the build script.
const COMPILER: &str = env!("HAMEL_COMPILER");

pub(crate) struct Cache<'a> {
    folder: &'a Path,
}

impl Cache<'_> {
    pub(crate) fn new(folder: &Path) -> Cache<'_> {
        Cache { folder }
    }

    /// The code of the model with this source.
    pub(crate) fn read(&self, source: &str) -> Option<String> {
        let owner = self.owner()?;
        let path = self.file(source);
        // Whoever opens a pipe waits until somebody writes to it.
        let about = fs::symlink_metadata(&path).ok()?;
        if !about.is_file() || user(&about) != owner {
            return None;
        }
        let mut text = String::new();
        File::open(path).ok()?.take(about.len()).read_to_string(&mut text).ok()?;
        let (hash, text) = text.split_once('\n')?;
        let code = text.strip_prefix(&head(source))?;
        (hash == hash_of(source, code)).then(|| code.to_owned())
    }

    pub(crate) fn write(&self, source: &str, code: &str) {
        if self.owner().is_none() {
            return;
        }
        // Other processes read a whole file or none.
        let file = self.file(source);
        let unfinished = file.with_extension(process::id().to_string());
        if written(&unfinished, &text(source, code)).and_then(|()| fs::rename(&unfinished, file)).is_err() {
            let _ = fs::remove_file(unfinished);
        }
    }

    fn file(&self, source: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        self.folder.join(format!("{:016x}", hasher.finish()))
    }

    /// The user whose folder it is; `None` unless it is a folder of this user that nobody else can write to.
    fn owner(&self) -> Option<u32> {
        let about =
            fs::symlink_metadata(self.folder).ok().filter(|about| about.is_dir() && !is_open_to_others(about))?;
        let owner = user(&about);
        // Where the system does not say who this process belongs to, the owner of the folder has to do.
        let own = fs::metadata("/proc/self").map_or(owner, |process| user(&process));
        (owner == own).then_some(owner)
    }
}

/// Writes a new file: nothing that is there already is opened, be it a link or a pipe.
fn written(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

#[cfg(unix)]
fn user(about: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(about)
}

#[cfg(unix)]
fn is_open_to_others(about: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(about) & 0o022 != 0
}

#[cfg(not(unix))]
fn user(_: &Metadata) -> u32 {
    0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Metadata) -> bool {
    false
}

/// What a file holds.
fn text(source: &str, code: &str) -> String {
    format!("{}\n{}{code}", hash_of(source, code), head(source))
}

fn hash_of(source: &str, code: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (COMPILER, source, code).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What stands before the code, after the hash.
fn head(source: &str) -> String {
    format!("{}\n{source}\n", source.len())
}

#[cfg(test)]
mod tests;
