//! Models that were compiled before, kept between runs of a program.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use hamel_compiler::schedule::methods::Factor;
use hamel_compiler::schedule::requirements::Requirement;
use serde::{Deserialize, Serialize};

use crate::image::Image;
use crate::translate::Processor;

/// Models of a user that are kept; beyond that, those that were kept first are forgotten.
const MOST_MODELS: usize = 200;

/// A folder with models that were compiled before.
///
/// What is read there is machine code, which runs with all rights of the program. The folder must therefore belong to the
/// user, and nobody else may write to it; otherwise nothing is read or written. An entry says which text, program and
/// processor it is for, and is taken only if it is whole.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    maker: Maker,
}

/// What has compiled the models of a cache, and is not to run those of another.
#[derive(Clone, Debug)]
enum Maker {
    /// The program that runs.
    Program,
    /// The shared library with this content.
    Library(u64),
}

impl Cache {
    /// The folder `hamel` below the folder that the system has for what users' programs keep, made where it is missing;
    /// `None` where there is no such folder.
    pub fn of_user() -> Option<Cache> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = |below: &str| variable("HOME").map(|home| home.join(below));
        let folder = if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            home("Library/Caches")
        } else {
            variable("XDG_CACHE_HOME").or_else(|| home(".cache"))
        };
        let folder = folder?.join("hamel");
        made(&folder).ok()?;
        Some(Cache::in_folder(folder))
    }

    /// This folder, which should exist.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: folder.into(), maker: Maker::Program }
    }

    /// The same folder for a compiler that is in a shared library, such as an extension of an interpreter: what the program
    /// is says nothing of it. The file of the library is read to tell it from others.
    ///
    /// # Errors
    /// When the library cannot be read.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let folder = tempfile::tempdir()?;
    /// let library = std::env::current_exe()?;
    /// assert!(hamel_jit::Cache::in_folder(folder.path()).of_library(&library).is_ok());
    /// assert!(hamel_jit::Cache::in_folder(folder.path()).of_library(folder.path()).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_library(self, library: &Path) -> std::io::Result<Cache> {
        let mut hasher = DefaultHasher::new();
        // Its time of modification may be that of another: archives of packages have the same one for all files.
        fs::read(library)?.hash(&mut hasher);
        Ok(Cache { maker: Maker::Library(hasher.finish()), ..self })
    }

    /// The model with this text, if it was compiled before.
    pub(crate) fn read(&self, text: &str, work: &str, processor: &Processor) -> Option<Image> {
        let compiler = self.compiler(work, processor)?;
        let content = hamel_compiler::cache::Cache::new(&self.folder, &compiler).read(text)?;
        // How long the code is, the code, the rest.
        let (len, rest) = content.split_first_chunk()?;
        let (code, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        let image: Image = postcard::from_bytes(rest).ok()?;
        Some(Image { code: code.to_owned(), ..image })
    }

    /// Keeps a model.
    pub(crate) fn write(&self, text: &str, work: &str, processor: &Processor, image: &Image) {
        let Some(compiler) = self.compiler(work, processor) else { return };
        let mut content = (image.code.len() as u64).to_le_bytes().to_vec();
        content.extend(&image.code);
        if let Ok(content) = postcard::to_extend(image, content) {
            let cache = hamel_compiler::cache::Cache::new(&self.folder, &compiler);
            cache.write(text, &content);
            cache.shorten(MOST_MODELS);
        }
    }

    /// What tells this compiler, on this processor and with this work, from others.
    fn compiler(&self, work: &str, processor: &Processor) -> Option<String> {
        let maker = match self.maker {
            Maker::Program => {
                let about = fs::metadata(std::env::current_exe().ok()?).ok()?;
                let modified = about.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
                format!("{} {}", about.len(), modified.as_nanos())
            }
            Maker::Library(hash) => format!("library {hash:016x}"),
        };
        Some(format!("{} {maker} {work} {}", env!("CARGO_PKG_VERSION"), processor.name()))
    }
}

#[cfg(unix)]
fn made(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn made(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

/// How a [`Factor`] is kept.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Factor")]
pub(crate) enum FactorAsKept {
    One,
    MinusOne,
    Argument(usize),
}

/// How a [`Requirement`] is kept.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Requirement")]
enum RequirementAsKept {
    Body { name: String },
    Positive { what: String, expected: String },
    Symmetric { what: String },
    TotalMass { of: String },
}

/// How lists of them are kept.
pub(crate) mod requirements {
    use hamel_compiler::schedule::requirements::Requirement;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::RequirementAsKept;

    #[derive(Serialize, Deserialize)]
    struct Kept(#[serde(with = "RequirementAsKept")] Requirement);

    pub(crate) fn serialize<S: Serializer>(list: &[Requirement], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(list.iter().cloned().map(Kept))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Requirement>, D::Error> {
        Ok(Vec::<Kept>::deserialize(from)?.into_iter().map(|Kept(requirement)| requirement).collect())
    }
}
