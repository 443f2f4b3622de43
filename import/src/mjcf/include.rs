//! `include`: the elements of another file in the place of the element, as MuJoCo reads them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use hamel_compiler::escape::excerpt;
use roxmltree::Node;

use super::read::NESTING;
use crate::error::{Error, Errors, Problem};
use crate::limits;
use crate::places::{Inserted, Places, Whole};
use crate::xml;

/// Files that include each other at most.
const FILES: usize = 1000;

/// Puts in the place of every `include` what stands in its file. Paths start at the folder of the first description, as
/// MuJoCo has it, and a file is included once.
pub(super) fn expand(text: &str, folder: &Path) -> Result<Whole, Errors> {
    expanded(text, folder, &mut HashSet::new())
}

/// The same for one file; places are those of the first description alone.
fn expanded(text: &str, folder: &Path, known: &mut HashSet<PathBuf>) -> Result<Whole, Errors> {
    let document = xml::document(text, NESTING)?;
    let places = Places::new(text);
    let mut whole = Whole { text: String::with_capacity(text.len()), inserted: Vec::new() };
    let (mut from, mut errors) = (0, Vec::new());
    for node in document.descendants().filter(|node| node.has_tag_name("include")) {
        let range = node.range();
        // One within another, whose place is gone.
        if range.start < from {
            continue;
        }
        match included(node, folder, known) {
            Ok(inner) => {
                whole.text.push_str(&text[from..range.start]);
                let begin = whole.text.len();
                whole.text.push_str(&inner);
                let (file, part) = (node.attribute("file").unwrap_or_default(), begin..whole.text.len());
                whole.inserted.push(Inserted { part, stands_for: range.clone(), file: Some(excerpt(file)) });
                from = range.end;
            }
            Err(problem) => errors.push(problem.at(places.of(range.start))),
        }
        if whole.text.len() > limits::BYTES {
            let help = "leave out what is not about links and joints";
            let problem = xml::too_many("bytes", whole.text.len(), limits::BYTES, help);
            errors.push(problem.at(places.of(range.start)));
            break;
        }
    }
    whole.text.push_str(&text[from..]);
    Errors::of(errors).map(|()| whole)
}

/// What stands in the file that an element names.
fn included(node: Node, folder: &Path, known: &mut HashSet<PathBuf>) -> Result<String, Problem> {
    let Some(file) = node.attribute("file") else {
        return Err(Problem::MissingAttribute { element: "include".to_owned(), missing: "file" });
    };
    let unread = |why: String| Problem::Unsupported {
        what: format!("`{}` is not included: {why}", excerpt(file)),
        help: "paths start at the folder of the description",
    };
    let path = folder.join(file);
    let whole = fs::canonicalize(&path).map_err(|error| unread(error.to_string()))?;
    if !known.insert(whole.clone()) {
        return Err(unread("it is included twice".to_owned()));
    }
    if known.len() > FILES {
        return Err(unread(format!("expected at most {FILES} files")));
    }
    let size = fs::metadata(&whole).map_err(|error| unread(error.to_string()))?;
    if !size.is_file() || size.len() > limits::BYTES as u64 {
        return Err(unread(format!("expected a file of at most {} bytes", limits::BYTES)));
    }
    let text = fs::read_to_string(&whole).map_err(|error| unread(error.to_string()))?;
    let first = |errors: Errors| {
        let first = errors.iter().next().map(Error::to_string);
        unread(first.unwrap_or_default())
    };
    let inner = expanded(&text, folder, known).map_err(first)?;
    let document = xml::document(&inner.text, NESTING).map_err(first)?;
    let root = document.root_element();
    Ok(match (root.first_child(), root.last_child()) {
        (Some(first), Some(last)) => inner.text[first.range().start..last.range().end].to_owned(),
        _ => String::new(),
    })
}
