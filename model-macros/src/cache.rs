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
        let text = fs::read_to_string(self.file(source)).ok()?;
        let (length, text) = text.split_once('\n')?;
        let code = text.strip_prefix(&head(source))?;
        // Half of it might be no code, for which rustc stops.
        (length.parse() == Ok(code.len())).then(|| code.to_owned())
    }

    pub(crate) fn write(&self, source: &str, code: &str) {
        // Other processes read a whole file or none.
        let file = self.file(source);
        let unfinished = file.with_extension(process::id().to_string());
        if fs::write(&unfinished, text(source, code)).and_then(|()| fs::rename(&unfinished, file)).is_err() {
            let _ = fs::remove_file(unfinished);
        }
    }

    fn file(&self, source: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        self.folder.join(format!("{:016x}", hasher.finish()))
    }
}

/// What a file holds.
fn text(source: &str, code: &str) -> String {
    format!("{}\n{}{code}", code.len(), head(source))
}

/// What stands before the code, after its length.
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
        let whole = text(SOURCE, "struct Pendulum;");
        let others = [&text("model Pendulum { a }", "struct Pendulum;"), &whole[..10], &whole[..whole.len() - 4]];
        for other in others {
            fs::write(cache.file(SOURCE), other).unwrap();
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
