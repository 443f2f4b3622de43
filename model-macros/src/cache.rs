//! Code of models that this compiler has compiled before, kept in the target folder.
//!
//! Rust expands every macro of a crate again whenever anything in the crate has changed; a model that has not changed
//! is only read. A file holds the source beside the code, so that it is never taken for another model, and the folder
//! is emptied when the compiler changes (`build.rs`). Nothing here can fail: without a readable or writable folder, models
//! are compiled each time.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process;

pub(crate) struct Cache<'a> {
    folder: &'a Path,
}

impl Cache<'_> {
    pub(crate) fn new(folder: &Path) -> Cache<'_> {
        Cache { folder }
    }

    /// The code of the model with this source.
    pub(crate) fn read(&self, source: &str) -> Option<String> {
        let mut text = fs::read_to_string(self.file(source)).ok()?;
        let code = text.strip_prefix(&head(source))?.len();
        Some(text.split_off(text.len() - code))
    }

    pub(crate) fn write(&self, source: &str, code: &str) {
        // Other processes read a whole file or none.
        let file = self.file(source);
        let unfinished = file.with_extension(process::id().to_string());
        if fs::write(&unfinished, head(source) + code).and_then(|()| fs::rename(&unfinished, file)).is_err() {
            let _ = fs::remove_file(unfinished);
        }
    }

    fn file(&self, source: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        self.folder.join(format!("{:016x}", hasher.finish()))
    }
}

/// What stands before the code.
fn head(source: &str) -> String {
    format!("{}\n{source}\n", source.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "model Pendulum { }";

    #[test]
    fn code_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        assert_eq!(cache.read(SOURCE), None);
        cache.write(SOURCE, "struct Pendulum;");
        cache.write("model Other { }", "struct Other;");
        assert_eq!(cache.read(SOURCE).as_deref(), Some("struct Pendulum;"));
        cache.write(SOURCE, "");
        assert_eq!(cache.read(SOURCE).as_deref(), Some(""));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn code_of_another_source_or_half_a_file_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        for text in [head("model Pendulum { a }") + "struct Pendulum;", head(SOURCE)[..10].to_string()] {
            fs::write(cache.file(SOURCE), text).unwrap();
            assert_eq!(cache.read(SOURCE), None);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(&folder.path().join("missing")).read(SOURCE);
        assert_eq!(cache, None);
        Cache::new(&folder.path().join("missing")).write(SOURCE, "struct Pendulum;");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
