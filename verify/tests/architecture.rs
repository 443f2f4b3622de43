//! What the documents say about the repository is true.

use std::path::{Path, PathBuf};

const CRATES: [&str; 12] = [
    "model-compiler",
    "model-macros",
    "runtime",
    "jit",
    "models",
    "mesh",
    "import",
    "report",
    "verify",
    "cli",
    "xla",
    "benches",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every Rust file of the workspace's crates.
fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = CRATES.map(|name| root().join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The documents for readers of the sources: beside the crates, and all pages under `docs/`.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benches/README.md"]
            .map(PathBuf::from)
            .into();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 10, "the pages are found: {found:?}");
    found
}

/// A document without its blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Paths in backticks that begin with a folder of the repository, as they stand in a document.
fn paths(text: &str) -> Vec<String> {
    let is_path = |word: &&str| {
        let mut folders = CRATES.iter().copied().chain(["docs", ".ci"]);
        folders.any(|name| *word == name || word.starts_with(&format!("{name}/")))
    };
    let without_arguments = |word: &str| word.split(' ').next().unwrap_or_default().to_owned();
    prose(text).split('`').skip(1).step_by(2).filter(is_path).map(without_arguments).collect()
}

/// Targets of links to files of the repository.
fn links(text: &str) -> Vec<String> {
    let targets = prose(text);
    let targets = targets.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.starts_with("http"));
    files.filter_map(|target| target.split('#').next()).filter(|file| !file.is_empty()).map(str::to_owned).collect()
}

/// Paragraphs, with their lines joined: what blank lines, headings, tables, tags and items of lists separate.
fn paragraphs(text: &str) -> Vec<String> {
    let is_item = |line: &str| {
        let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        line.starts_with("- ") || line.starts_with("* ") || number.len() < line.len() && number.starts_with(". ")
    };
    let mut found = vec![String::new()];
    for line in text.split("```").step_by(2).flat_map(|part| part.lines().chain([""])).map(str::trim) {
        let is_text = !line.is_empty() && !line.starts_with(['#', '|', '<']);
        if !is_text || is_item(line) {
            found.push(String::new());
        }
        if let Some(paragraph) = found.last_mut().filter(|_| is_text) {
            *paragraph += line;
            paragraph.push(' ');
        }
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found
}

#[test]
fn paths_in_the_documents_exist() {
    for document in documents() {
        let paths = paths(&read(&document));
        assert!(paths.len() > 20 || document != Path::new("ARCHITECTURE.md"), "the architecture names paths");
        for path in paths {
            assert!(root().join(&path).exists(), "{} names `{path}`, which does not exist", document.display());
        }
    }
}

#[test]
fn links_in_the_documents_exist() {
    for document in documents() {
        let links = links(&read(&document));
        assert!(links.len() > 3 || document != Path::new("README.md"), "the readme has links");
        let folder = root().join(document.parent().unwrap());
        for link in links {
            assert!(folder.join(&link).exists(), "{} links to {link}, which does not exist", document.display());
        }
    }
}

/// Every page under `docs` is a chapter of the book; those of messages are listed when it is built.
#[test]
fn every_page_is_in_the_summary_of_the_book() {
    let summary = links(&read("docs/SUMMARY.md"));
    for document in documents() {
        let Ok(page) = document.strip_prefix("docs") else { continue };
        if page.starts_with("errors") || page == Path::new("SUMMARY.md") {
            continue;
        }
        let is_listed = summary.iter().any(|link| Path::new(link) == page);
        assert!(is_listed, "docs/SUMMARY.md does not list {}", page.display());
    }
}

/// Most words of a paragraph that a reader takes in at once.
const LONGEST_PARAGRAPH: usize = 120;

#[test]
fn paragraphs_of_the_documents_are_short() {
    for document in documents() {
        for paragraph in paragraphs(&read(&document)) {
            let words = paragraph.split_whitespace().count();
            assert!(words <= LONGEST_PARAGRAPH, "{}: {words} words: {paragraph}", document.display());
        }
    }
}

#[test]
fn paragraphs_end_at_blank_lines_lists_tables_and_code() {
    let text =
        "# head\none\ntwo\n\nthree\n- four\n  five\n12. six\n| cell |\nseven\n```text\ncode\n\n```\neight 9. nine";
    let found: Vec<String> = paragraphs(text).iter().map(|paragraph| paragraph.trim().to_owned()).collect();
    assert_eq!(found, ["one two", "three", "- four five", "12. six", "seven", "eight 9. nine"]);
}

/// The runtime stays free of the compiler: it names no crate of ours but the macro that it re-exports.
#[test]
fn the_runtime_knows_nothing_of_the_compiler() {
    let manifest = read("runtime/Cargo.toml");
    let ours: Vec<&str> = manifest
        .lines()
        .take_while(|line| *line != "[dev-dependencies]")
        .filter(|line| line.starts_with("hamel"))
        .filter_map(|line| line.split([' ', '.', '=']).next())
        .collect();
    assert_eq!(ours, ["hamel-macros"]);
}

/// `[key, …]` in a comment names a source that SOURCES.md describes.
#[test]
fn every_source_key_has_an_entry() {
    let sources_text = read("SOURCES.md");
    let keys: Vec<&str> = sources_text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |").map(|(key, _)| key))
        .collect();
    assert!(["simo", "rezaei", "sherif", "zhang", "ship"].iter().all(|key| keys.contains(key)), "{keys:?}");
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        for reference in text.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
            let Some((key, place)) = reference.split_once(", ") else { continue };
            let cites = ["Eq", "Sect", "Fig", "Table"].iter().any(|word| place.starts_with(word));
            let is_word = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase());
            if cites && is_word {
                assert!(keys.contains(&key), "{}: [{reference}] has no entry in SOURCES.md", path.display());
            }
        }
    }
}

/// Every file of a registry's folder is in its list.
#[test]
fn registry_folders_are_listed() {
    for folder in ["model-compiler/src/joints", "model-compiler/src/forces", "runtime/src/schemes", "models/src"] {
        let list = ["mod.rs", "lib.rs"].iter().find(|file| root().join(folder).join(file).exists()).unwrap();
        let list = read(Path::new(folder).join(list));
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if !["mod", "lib"].contains(&name.as_str()) {
                assert!(list.contains(&name), "{folder}/{name}.rs is not in the folder's list");
            }
        }
    }
}

/// Editors colour every word of the language.
#[test]
fn the_grammar_for_editors_knows_all_words() {
    let grammar = read("editors/vscode/syntaxes/hamel.tmLanguage.json");
    let known: Vec<&str> = grammar.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let keywords = read("model-compiler/src/parse/keywords.rs");
    let listed = keywords.split('"').skip(1).step_by(2).filter(|word| *word != "gen").map(str::to_owned);
    let joints = hamel_compiler::joints::ALL.iter().map(|joint| joint.keyword().to_owned());
    let forces = hamel_compiler::forces::ALL.iter().map(|force| force.keyword().to_owned());
    let shapes = hamel_compiler::solids::ALL.iter().map(|solid| solid.keyword.to_owned());
    for word in listed.chain(joints).chain(forces).chain(shapes) {
        assert!(word.split_whitespace().all(|part| known.contains(&part)), "{word}");
    }
}
