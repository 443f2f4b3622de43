//! What the documents say about the repository is true.

use std::path::{Path, PathBuf};

const CRATES: [&str; 9] =
    ["model-compiler", "model-macros", "runtime", "models", "import", "report", "verify", "cli", "benches"];

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

#[test]
fn paths_in_the_architecture_exist() {
    let text = read("ARCHITECTURE.md");
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let is_path = |word: &&&str| CRATES.iter().any(|name| **word == *name || word.starts_with(&format!("{name}/")));
    let paths: Vec<&&str> = quoted.iter().filter(is_path).collect();
    assert!(paths.len() > 20, "the document names paths");
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names `{path}`, which does not exist");
    }
}

#[test]
fn links_in_the_readme_exist() {
    let text = read("README.md");
    let targets: Vec<&str> = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(targets.len() > 3);
    for target in targets.iter().filter(|target| !target.starts_with("http")) {
        assert!(root().join(target).exists(), "README.md links to {target}, which does not exist");
    }
}

/// The runtime stays free of the compiler: it names no crate of ours but the macro that it re-exports.
#[test]
fn the_runtime_knows_nothing_of_the_compiler() {
    let manifest = read("runtime/Cargo.toml");
    let ours: Vec<&str> = manifest
        .lines()
        .filter(|line| line.starts_with("hamel"))
        .filter_map(|line| line.split([' ', '.', '=']).next())
        .collect();
    assert_eq!(ours, ["hamel-macros"]);
}

/// `[key, …]` in a comment names a source that SOURCES.md describes.
#[test]
fn every_source_key_has_an_entry() {
    let sources_text = read("SOURCES.md");
    for key in ["simo", "rezaei", "sherif", "zhang", "ship", "testset"] {
        assert!(sources_text.contains(&format!("`{key}`")) || sources_text.contains(&format!("[{key}]")), "{key}");
    }
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        for reference in text.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
            let Some((key, place)) = reference.split_once(", ") else { continue };
            let cites = ["Eq", "Sect", "Fig", "Table"].iter().any(|word| place.starts_with(word));
            let is_word = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase());
            if cites && is_word {
                assert!(
                    ["simo", "rezaei", "sherif", "zhang", "ship", "testset"].contains(&key),
                    "{}: [{reference}] has no entry in SOURCES.md",
                    path.display()
                );
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
