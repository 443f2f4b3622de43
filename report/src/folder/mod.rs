//! A folder with a set of results.
//!
//! It is locked while it is written to. Files are written beside their places and moved there when all of them are
//! complete. Before that the manifest states that they are being replaced, and at the end that all are present.
//! Whatever ends the program leaves complete files, and a manifest that tells whether the set is complete. Files that
//! the manifest does not list, or that differ from it, belong to someone else and are kept, unless the folder is opened
//! by force.

mod manifest;
#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use hamel_compiler::file;
use manifest::Hashing;
pub use manifest::{Entry, MANIFEST, Manifest, Request, State, hash_of};
use thiserror::Error;

/// The lock of the program that writes.
const LOCK: &str = ".hamel.lock";
/// Results of parts of an unfinished command; nothing else is stored there.
const RESULTS: &str = ".hamel-results";

/// Why a folder cannot be written to.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The file system refused.
    #[error("cannot write `{}`: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Another program is writing to it.
    #[error("`{}` is being written by another hamel\nhelp: wait for it, or choose another folder with --out", .0.display())]
    Locked(PathBuf),
    /// There are files that this program has not written.
    #[error(
        "`{}` is not of hamel, according to `{MANIFEST}`\n\
         help: choose another folder with --out, or let files be replaced with --force", .0.display()
    )]
    Foreign(PathBuf),
    /// A file that this program wrote was changed.
    #[error("`{}` was changed after hamel wrote it\nhelp: move it away, or let it be replaced with --force", .0.display())]
    Changed(PathBuf),
    /// It contains results of an interrupted command.
    #[error(
        "`{}` holds {parts} results of this command, which was interrupted\n\
         help: go on from them with --resume, or begin anew with --force", path.display()
    )]
    Interrupted {
        /// The folder.
        path: PathBuf,
        /// How many parts of it are computed.
        parts: usize,
    },
    /// There is nothing to resume.
    #[error("cannot resume in `{}`: {reason}\nhelp: begin anew without --resume", path.display())]
    NotResumable {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
}

impl FolderError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::File { path: path.to_owned(), source }
    }
}

/// A folder to which no other program writes.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    manifest: Manifest,
    staged: Vec<Staged>,
    is_forced: bool,
    // Dropped last: unfinished files are removed before.
    _lock: Lock,
}

/// The lock of a folder; whatever ends the program unlocks it.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    /// Closing alone does not unlock while a process that another thread is starting still shares the open file.
    fn drop(&mut self) {
        // A failure leaves the lock to the closing of the file.
        let _ = self.0.unlock();
    }
}

/// A complete file beside its place.
#[derive(Debug)]
struct Staged {
    name: String,
    entry: Entry,
    file: tempfile::NamedTempFile,
}

impl Folder {
    /// Makes and locks a folder, and makes sure that files can be written to it; `command` is what will write them.
    ///
    /// # Errors
    /// When another program writes to it, when it holds files and no manifest, unless `is_forced`, and when the file
    /// system refuses.
    pub fn open(path: &Path, command: &str, is_forced: bool) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(FolderError::file(path))?;
        // Nothing is written into a folder that is not ours, not even a lock.
        ours(path, is_forced)?;
        let lock = lock(path)?;
        let manifest = ours(path, is_forced)?.unwrap_or_else(|| Manifest::new(command.to_owned()));
        sweep(path).map_err(FolderError::file(path))?;
        file::unfinished(path.join(MANIFEST)).map_err(FolderError::file(path))?;
        Ok(Self { path: path.to_owned(), manifest, staged: Vec::new(), is_forced, _lock: lock }.of(command))
    }

    fn of(mut self, command: &str) -> Self {
        command.clone_into(&mut self.manifest.command);
        self
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses names of files and folders in this folder that exist and were not written by this program.
    ///
    /// # Errors
    /// The first of them, unless the folder was opened by force.
    pub fn check<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<(), FolderError> {
        if self.is_forced {
            return Ok(());
        }
        names.into_iter().try_for_each(|name| self.check_one(name))
    }

    /// The other command that wrote one of these files, which would be replaced.
    pub fn written_before<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<&str> {
        let mut entries = names.into_iter().filter_map(|name| self.manifest.files.get(name));
        entries.find(|entry| entry.command != self.manifest.command).map(|entry| entry.command.as_str())
    }

    fn check_one(&self, name: &str) -> Result<(), FolderError> {
        let path = self.path.join(name);
        let about = match path.symlink_metadata() {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(FolderError::file(&path)(error)),
        };
        if about.is_dir() {
            for child in fs::read_dir(&path).map_err(FolderError::file(&path))? {
                let child = child.map_err(FolderError::file(&path))?.file_name();
                let Some(child) = child.to_str() else { return Err(FolderError::Foreign(path.join(child))) };
                self.check_one(&format!("{name}/{child}"))?;
            }
            return Ok(());
        }
        match self.manifest.files.get(name) {
            None => Err(FolderError::Foreign(path)),
            // While files are replaced, each is the old or the new one.
            Some(entry) if self.manifest.state == State::Unfinished || entry.is_of(&path) => Ok(()),
            Some(_) => Err(FolderError::Changed(path)),
        }
    }

    /// Writes a file beside its place; nothing is replaced before [`Folder::commit`].
    ///
    /// # Errors
    /// When the file system refuses, as on a full disk; nothing is left of the file.
    pub fn stage(
        &mut self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FolderError> {
        let path = self.path.join(name);
        self.make_parents(name)?;
        let write = || {
            let mut file = file::unfinished(&path)?;
            let mut hashing = Hashing::new(BufWriter::new(file.as_file_mut()));
            content(&mut hashing)?;
            hashing.flush()?;
            let (size, sha256) = hashing.finish();
            // A full disk may be detected only here.
            file.as_file().sync_all()?;
            Ok((file, size, sha256))
        };
        let (file, size, sha256) = write().map_err(FolderError::file(&path))?;
        let entry = Entry { size, sha256, command: self.manifest.command.clone() };
        self.staged.push(Staged { name: name.to_owned(), entry, file });
        Ok(())
    }

    /// Creates the parent folders of a file; they must be folders, not links.
    fn make_parents(&self, name: &str) -> Result<(), FolderError> {
        let mut path = self.path.clone();
        let names: Vec<&str> = name.split('/').collect();
        for part in &names[..names.len() - 1] {
            path.push(part);
            match path.symlink_metadata() {
                Ok(about) if about.is_dir() => {}
                Ok(_) => return Err(FolderError::Foreign(path)),
                Err(_) => fs::create_dir(&path).map_err(FolderError::file(&path))?,
            }
        }
        Ok(())
    }

    /// Moves staged files to their places. The folder is unfinished from now on.
    ///
    /// # Errors
    /// When a file of someone else is in the way, or the file system refuses.
    pub fn commit(&mut self) -> Result<(), FolderError> {
        self.check(self.staged.iter().map(|staged| staged.name.as_str()))?;
        self.manifest.state = State::Unfinished;
        let entries = self.staged.iter().map(|staged| (staged.name.clone(), staged.entry.clone()));
        self.manifest.files.extend(entries);
        self.write_manifest()?;
        for staged in self.staged.drain(..) {
            let path = self.path.join(staged.name);
            staged.file.persist(&path).map_err(|error| FolderError::File { path, source: error.error })?;
        }
        Ok(())
    }

    /// States that all files are present.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn finish(mut self) -> Result<(), FolderError> {
        self.manifest.state = State::Complete;
        self.manifest.request = None;
        self.manifest.files.retain(|name, _| !is_result(name));
        self.write_manifest()?;
        self.drop_results()
    }

    /// Begins a command of several parts, whose results are stored until all of them are present.
    ///
    /// # Errors
    /// When results of the same request exist, unless the folder was opened by force.
    pub fn begin(&mut self, request: Request) -> Result<(), FolderError> {
        let parts = self.manifest.files.keys().filter(|name| is_result(name)).count();
        if parts > 0 && self.manifest.request.as_ref() == Some(&request) && !self.is_forced {
            return Err(FolderError::Interrupted { path: self.path.clone(), parts });
        }
        self.manifest.files.retain(|name, _| !is_result(name));
        self.drop_results()?;
        self.manifest.request = Some(request);
        Ok(())
    }

    /// The results of the parts that an interrupted command of the same request has finished, in the order of their
    /// names.
    ///
    /// # Errors
    /// When there is no such command, or its request was different.
    pub fn resume(&mut self, request: &Request) -> Result<Vec<Vec<u8>>, FolderError> {
        let refused = |reason| Err(FolderError::NotResumable { path: self.path.clone(), reason });
        match &self.manifest.request {
            None => return refused("no command was interrupted there"),
            Some(begun) if begun.program != request.program => {
                return refused("it was begun by another build of hamel, which may compute something else");
            }
            Some(begun) if begun.parts != request.parts => return refused("it was begun with other experiments"),
            Some(_) => {}
        }
        let kept = self.manifest.files.iter().filter(|(name, _)| is_result(name));
        let read = kept.filter_map(|(name, entry)| {
            let path = self.path.join(name);
            // Results that are incomplete or damaged are computed again.
            entry.is_of(&path).then(|| fs::read(path).ok()).flatten()
        });
        Ok(read.collect())
    }

    /// Stages the result of a part.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn stage_result(&mut self, part: &str, result: &[u8]) -> Result<(), FolderError> {
        self.stage(&format!("{RESULTS}/{part}"), |out| out.write_all(result))
    }

    fn drop_results(&self) -> Result<(), FolderError> {
        let results = self.path.join(RESULTS);
        match results.symlink_metadata() {
            Ok(about) if about.is_dir() => fs::remove_dir_all(&results).map_err(FolderError::file(&results)),
            _ => Ok(()),
        }
    }

    fn write_manifest(&self) -> Result<(), FolderError> {
        let path = self.path.join(MANIFEST);
        let failed = |error: io::Error| FolderError::File { path: path.clone(), source: error };
        let text = serde_json::to_string_pretty(&self.manifest).map_err(|error| failed(error.into()))? + "\n";
        let mut file = file::unfinished(&path).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

fn is_result(name: &str) -> bool {
    name.strip_prefix(RESULTS).is_some_and(|rest| rest.starts_with('/'))
}

/// The manifest of a folder, which must have one or be empty, unless it is opened by force.
fn ours(path: &Path, is_forced: bool) -> Result<Option<Manifest>, FolderError> {
    let manifest = Manifest::read(path);
    if manifest.is_some() || is_forced {
        return Ok(manifest);
    }
    let mut entries: Vec<fs::DirEntry> =
        fs::read_dir(path).and_then(Iterator::collect).map_err(FolderError::file(path))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    match entries.iter().find(|entry| !is_leftover(entry)) {
        Some(foreign) => Err(FolderError::Foreign(foreign.path())),
        None => Ok(None),
    }
}

/// Whether this may be a leftover of a command that was killed before it had a result.
fn is_leftover(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let is_empty = || {
        let mut inner = fs::read_dir(entry.path()).into_iter().flatten();
        inner.all(|inner| inner.is_ok_and(|inner| file::is_unfinished(&inner.file_name())))
    };
    match entry.file_type() {
        Ok(kind) if kind.is_dir() => name == RESULTS || is_empty(),
        Ok(kind) => kind.is_file() && (name == LOCK || file::is_unfinished(&name)),
        Err(_) => false,
    }
}

fn lock(folder: &Path) -> Result<Lock, FolderError> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).or_else(|error| {
        // A link or a pipe in its place is not opened.
        match path.symlink_metadata() {
            Ok(about) if about.is_file() => OpenOptions::new().read(true).write(true).open(&path),
            _ => Err(error),
        }
    });
    let file = file.map_err(FolderError::file(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(FolderError::Locked(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(FolderError::file(&path)(error)),
    }
}

/// Removes leftovers of programs that were killed while writing.
fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            for inner in fs::read_dir(entry.path())?.filter_map(Result::ok) {
                remove_unfinished(&inner)?;
            }
        } else {
            remove_unfinished(&entry)?;
        }
    }
    Ok(())
}

fn remove_unfinished(entry: &fs::DirEntry) -> io::Result<()> {
    match entry.file_type()?.is_file() && file::is_unfinished(&entry.file_name()) {
        true => fs::remove_file(entry.path()),
        false => Ok(()),
    }
}
