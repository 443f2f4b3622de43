//! Models that were compiled before, kept in a folder.
//!
//! Rust expands every macro of a crate again whenever anything in the crate has changed, and the command line starts
//! anew with every run; a model that has not changed is only read. An entry holds its source and what was made of it
//! behind a hash of both and of the compiler: what was damaged, altered or left by another compiler is compiled again and
//! replaced. The hash guards against accidents; whoever may write to the folder may replace programs of this user too,
//! so the folder and its files must belong to the user, and only regular files are opened. Nothing here can fail:
//! without a readable or writable folder, models are compiled each time.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;

/// A folder of models.
#[derive(Clone, Copy, Debug)]
pub struct Cache<'a> {
    folder: &'a Path,
    /// What tells this compiler from others.
    compiler: &'a str,
}

impl Cache<'_> {
    /// What this compiler has made, in a folder that exists.
    pub fn new<'a>(folder: &'a Path, compiler: &'a str) -> Cache<'a> {
        Cache { folder, compiler }
    }

    /// What was made of this source.
    pub fn read(&self, source: &str) -> Option<Vec<u8>> {
        let owner = self.owner()?;
        let path = self.file(source);
        // Whoever opens a pipe waits until somebody writes to it.
        let about = fs::symlink_metadata(&path).ok()?;
        if !about.is_file() || user(&about) != owner {
            return None;
        }
        let mut content = Vec::new();
        File::open(path).ok()?.take(about.len()).read_to_end(&mut content).ok()?;
        let (hash, rest) = content.split_at_checked(HASH)?;
        let made = rest.strip_prefix(head(source).as_bytes())?;
        (hash == self.hash_of(source, made).as_bytes()).then(|| made.to_vec())
    }

    /// Keeps what was made of a source.
    pub fn write(&self, source: &str, made: &[u8]) {
        if self.owner().is_none() {
            return;
        }
        // Other processes read a whole file or none.
        let file = self.file(source);
        let unfinished = file.with_extension(process::id().to_string());
        if written(&unfinished, &self.content(source, made)).and_then(|()| fs::rename(&unfinished, file)).is_err() {
            let _ = fs::remove_file(unfinished);
        }
    }

    /// Removes all but so many entries, those first that were written first. Other files are left alone.
    pub fn shorten(&self, most: usize) {
        if self.owner().is_none() {
            return;
        }
        let entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
        let of_entry = |entry: fs::DirEntry| {
            let is_entry = entry.file_name().to_str().is_some_and(is_hash) && entry.file_type().ok()?.is_file();
            is_entry.then_some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        };
        let mut entries: Vec<_> = entries.filter_map(of_entry).collect();
        entries.sort();
        let surplus = entries.len().saturating_sub(most);
        for (_, path) in &entries[..surplus] {
            let _ = fs::remove_file(path);
        }
    }

    /// What a file holds.
    fn content(&self, source: &str, made: &[u8]) -> Vec<u8> {
        [self.hash_of(source, made).as_bytes(), head(source).as_bytes(), made].concat()
    }

    fn hash_of(&self, source: &str, made: &[u8]) -> String {
        let mut hasher = DefaultHasher::new();
        (self.compiler, source, made).hash(&mut hasher);
        written_out(hasher)
    }

    fn file(&self, source: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        self.folder.join(written_out(hasher))
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
fn written(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
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

/// Digits of a hash.
const HASH: usize = 16;

fn written_out(hasher: DefaultHasher) -> String {
    format!("{:0HASH$x}", hasher.finish())
}

fn is_hash(name: &str) -> bool {
    name.len() == HASH && name.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// What stands between the hash and what was made.
fn head(source: &str) -> String {
    format!("\n{}\n{source}\n", source.len())
}

#[cfg(test)]
mod tests;
