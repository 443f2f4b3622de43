//! What users are told: every file in `fail/` shows one mistake, and no input whatsoever makes the front end panic.

use std::fs;
use std::path::Path;

use hamel_compiler::{parse, resolve};
use proc_macro2::TokenStream;

/// The errors of a model, each as `line:column: message`; the column counts from 1.
fn diagnose(text: &str) -> String {
    let error = match text.parse::<TokenStream>() {
        Ok(tokens) => parse::parse(tokens).and_then(|description| resolve::resolve(&description)).err(),
        Err(error) => return format!("does not lex: {error}"),
    };
    let lines = error.into_iter().flatten().map(|error| {
        let start = error.span().start();
        format!("{}:{}: {error}", start.line, start.column + 1)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_mistake_has_its_message() {
    insta::glob!("fail/*.model", |path| {
        let text = read(path);
        let messages = diagnose(&text);
        assert!(!messages.is_empty(), "{} is accepted", path.display());
        insta::with_settings!({ description => text, omit_expression => true }, {
            insta::assert_snapshot!(messages);
        });
    });
}

#[test]
fn every_valid_model_is_accepted() {
    for path in models("pass") {
        assert_eq!(diagnose(&read(&path)), "", "{}", path.display());
    }
}

fn models(folder: &str) -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "model"));
    paths.sort();
    assert!(!paths.is_empty(), "{} has no models", folder.display());
    paths
}
