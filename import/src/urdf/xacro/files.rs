//! Files of xacro: `include`, and `$(find …)`, `$(arg …)` and `$(dirname)`.

use std::path::{Path, PathBuf, absolute};
use std::{fs, io};

use hamel_compiler::escape::excerpt;

use super::source::{Element, File};
use super::{Expander, Out};
use crate::error::{Error, Errors};
use crate::{limits, xml};

/// Files at most, each as often as it is included.
const FILES: usize = 1000;

impl Expander<'_> {
    /// What `$(…)` stands for.
    pub(super) fn command(&mut self, text: &str, file: usize) -> Result<String, String> {
        let mut words = text.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("arg"), Some(name), None) => match self.arguments.get(name) {
                Some(value) => {
                    self.declared.insert(name.to_owned());
                    Ok(value.clone())
                }
                None => {
                    Err(format!("the argument `{0}` has no value: give one, with `--arg {0}=VALUE`", excerpt(name)))
                }
            },
            (Some("find"), Some(package), None) => match self.package(package) {
                Some(folder) => Ok(folder.to_string_lossy().into_owned()),
                None => Err(format!(
                    "it is not known where the package `{0}` is: say so, with `--package {0}=DIR`",
                    excerpt(package)
                )),
            },
            (Some("dirname"), None, None) => {
                // Nothing before the slash that follows would be the root.
                let folder = &self.folders[file];
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                Ok(folder.to_string_lossy().into_owned())
            }
            _ => Err(format!("`$({})` is not read: expected `arg NAME`, `find PACKAGE` or `dirname`", excerpt(text))),
        }
    }

    /// The folder of a package: as it is given, or one of this name above the description or beside one that is.
    fn package(&self, name: &str) -> Option<PathBuf> {
        let search = self.search?;
        if let Some((_, folder)) = search.packages.iter().find(|(known, _)| known == name) {
            return absolute(folder).ok();
        }
        let folder = if search.folder == Path::new("") { Path::new(".") } else { &search.folder };
        let folder = absolute(folder).ok()?;
        let own = |above: &Path| above.file_name().is_some_and(|file| file == name).then(|| above.to_owned());
        folder.ancestors().find_map(|above| own(above).or(Some(above.join(name)).filter(|beside| beside.is_dir())))
    }

    pub(super) fn include(&mut self, element: &Element, out: &mut Out) -> Result<(), Errors> {
        let written = self.needed(element, "filename")?;
        let name = self.value(element, written)?.text();
        if element.attribute("ns").is_some() {
            return Err(self.wrong(element, "`ns` of an `xacro:include` is not read".to_owned()));
        }
        let is_optional = match element.attribute("optional") {
            Some(written) => self.value(element, written)?.condition().map_err(|why| self.wrong(element, why))?,
            None => false,
        };
        let unread = |why: String| format!("`{}` is not included: {why}", excerpt(&name));
        if self.search.is_none() {
            return Err(self.wrong(element, unread("it is not known where files are".to_owned())));
        }
        if name.contains(['*', '?', '[']) {
            return Err(self.wrong(element, unread("patterns are not read".to_owned())));
        }
        if self.files.len() > FILES {
            let help = "files that include each other need a condition that ends it";
            return Err(self.error(element, xml::too_many("included files", self.files.len(), FILES, help)).into());
        }
        let path = self.folders[element.file].join(&name);
        let text = match read(&path) {
            Ok(text) => text,
            Err(error) if is_optional && error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.wrong(element, unread(error.to_string()))),
        };
        let index = self.files.len();
        let first = |errors: Errors| unread(errors.iter().next().map(Error::to_string).unwrap_or_default());
        let document = xml::document(&text, limits::NESTING).map_err(|errors| self.wrong(element, first(errors)))?;
        let root = Element::of(&text, &document, index);
        // Of files that others include, the place where the first one does.
        let included_at = if element.file == 0 { element.at } else { self.files[element.file].included_at };
        self.files.push(File { name: Some(excerpt(&name)), included_at });
        self.folders.push(path.parent().unwrap_or(Path::new("")).to_owned());
        self.children(&root, out)
    }
}

fn read(path: &Path) -> io::Result<String> {
    let found = fs::metadata(path)?;
    if !found.is_file() || found.len() > limits::BYTES as u64 {
        return Err(io::Error::other(format!("expected a file of at most {} bytes", limits::BYTES)));
    }
    fs::read_to_string(path)
}
