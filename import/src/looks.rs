//! What links look like: solids and meshes of files, which no equation depends on.
//!
//! Whatever is wrong with them is no mistake of the description, whose dynamics are the same without: it is left out, with
//! a warning of each kind.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf, absolute};

use crate::error::Place;
use crate::robot::pose::Pose;
use crate::shape::Shape;

/// How the files of meshes are found, and how the model names them.
///
/// `package://NAME/…` and `model://NAME/…` start at the folder given for NAME, else at a folder of that name above the
/// description or beside one that is above it; other paths start at the description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visuals {
    /// The folder of the description.
    pub folder: PathBuf,
    /// Folders of packages by their names.
    pub packages: Vec<(String, PathBuf)>,
    /// The folder of the model, where its paths start; files that have nothing but the root in common with it keep their
    /// whole paths.
    pub model_folder: PathBuf,
}

/// Something that a link looks like.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) place: Place,
    /// Index of the link.
    pub(crate) link: usize,
    /// Where it stands in the link.
    pub(crate) pose: Pose,
    pub(crate) form: Form,
    /// Red, green and blue.
    pub(crate) color: Option<[f64; 3]>,
    /// A shape for contacts, which stands for one that is seen where that cannot be read.
    pub(crate) is_collision: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    Solid(Shape),
    /// As it is written, and how long a unit of the file is along its axes, m.
    Mesh(String, [f64; 3]),
}

/// So many finite numbers; in descriptions of what is only seen, whatever else is written means none.
pub(crate) fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    numbers?.try_into().ok().filter(|numbers: &[f64; N]| numbers.iter().all(|number| number.is_finite()))
}

/// Red, green and blue of a colour with four parts.
pub(crate) fn color(text: &str) -> Option<[f64; 3]> {
    let [red, green, blue, _] = numbers::<4>(text).or_else(|| {
        let [red, green, blue] = numbers::<3>(text)?;
        Some([red, green, blue, 1.0])
    })?;
    Some([red, green, blue].map(|part| part.clamp(0.0, 1.0)))
}

impl Visuals {
    /// The file that is meant, if there is one.
    pub(crate) fn find(&self, written: &str) -> Option<PathBuf> {
        let folder = absolute(if self.folder == Path::new("") { Path::new(".") } else { &self.folder }).ok()?;
        let in_package = written.strip_prefix("package://").or(written.strip_prefix("model://"));
        let candidates: Vec<PathBuf> = match in_package.and_then(|rest| rest.split_once('/')) {
            Some((name, rest)) => {
                let given =
                    self.packages.iter().filter(|(known, _)| known == name).map(|(_, folder)| folder.join(rest));
                let above = folder.ancestors().flat_map(|above| {
                    let own = (above.file_name() == Some(OsStr::new(name))).then(|| above.join(rest));
                    own.into_iter().chain([above.join(name).join(rest)])
                });
                given.chain(above).collect()
            }
            None => vec![folder.join(written.strip_prefix("file://").unwrap_or(written))],
        };
        candidates.into_iter().find(|path| path.is_file())
    }

    /// The path by which the model names a file.
    pub(crate) fn named(&self, file: &Path) -> String {
        let whole =
            |path: &Path| fs::canonicalize(path).or_else(|_| absolute(path)).unwrap_or_else(|_| path.to_owned());
        let model_folder = if self.model_folder == Path::new("") { Path::new(".") } else { &self.model_folder };
        let (file, from) = (whole(file), whole(model_folder));
        let (file_parts, from_parts): (Vec<Component>, Vec<Component>) =
            (file.components().collect(), from.components().collect());
        let common = file_parts.iter().zip(&from_parts).take_while(|(a, b)| a == b).count();
        let is_near = file_parts[..common].iter().any(|part| matches!(part, Component::Normal(_)));
        if !is_near {
            return file.to_string_lossy().into_owned();
        }
        let up = from_parts[common..].iter().map(|_| "..".to_owned());
        let down = file_parts[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
        up.chain(down).collect::<Vec<_>>().join("/")
    }
}
