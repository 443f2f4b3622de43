//! Every family of messages has a page in `docs/errors`, whose wrong example gives a message of that family, and whose
//! mended one is a model.
//!
//! With `HAMEL_WRITE_PAGES=1` the messages on the pages are written anew.

use std::path::{Path, PathBuf};

use hamel_compiler::simplify::Limits;
use hamel_compiler::{Family, stages_within};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors")
}

/// The messages of a text, as a file of this name would have them, and the families of the errors.
fn messages(text: &str) -> (String, Vec<Family>) {
    let path = Path::new("example.model");
    let compiled = hamel_compiler::file::models(text, path).and_then(|models| {
        let [model] = models.try_into().unwrap_or_else(|models| panic!("one model: {models:?}"));
        stages_within(model.tokens, &Limits::least())
            .map_err(|error| hamel_compiler::file::FileError::model(path, error))
    });
    match compiled {
        Ok(_) => (String::new(), Vec::new()),
        Err(error) => {
            let text = error.to_string();
            let codes = text.split("error[").skip(1).filter_map(|rest| Family::by_code(rest.split(']').next()?));
            (text.clone(), codes.collect())
        }
    }
}

/// The blocks of code on a page: what stands after the three marks, and the text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

#[test]
fn each_page_shows_its_message_and_how_to_mend_it() {
    let mut wrong_pages = Vec::new();
    for &family in Family::ALL {
        let path = folder().join(format!("{family}.md"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(page.starts_with(&format!("# {family}: ")) && !family.title().is_empty(), "{family}: the title");
        let blocks = blocks(&page);
        let [("model wrong", wrong), ("text", shown), ("model", mended)] = blocks.as_slice() else {
            // No model is known that generated code is wrong for.
            assert!(
                family == Family::Defect && blocks.is_empty(),
                "{family}: a wrong model, its message, a mended one"
            );
            continue;
        };
        let (message, found) = messages(wrong);
        if found.is_empty() || found.iter().any(|&other| other != family) {
            wrong_pages.push(format!("{family}: the wrong example says\n{message}"));
        }
        if std::env::var_os("HAMEL_WRITE_PAGES").is_some() {
            let page = page.replace(&format!("```text\n{shown}```"), &format!("```text\n{message}\n```"));
            std::fs::write(&path, page).unwrap();
        } else if shown.trim_end() != message {
            wrong_pages.push(format!("{family}: HAMEL_WRITE_PAGES=1 writes anew\n{message}"));
        }
        let (message, _) = messages(mended);
        if !message.is_empty() {
            wrong_pages.push(format!("{family}: the mended example says\n{message}"));
        }
    }
    assert!(wrong_pages.is_empty(), "{}", wrong_pages.join("\n"));
}

#[test]
fn there_are_no_other_pages_and_codes_are_in_order() {
    let codes: Vec<&str> = Family::ALL.iter().map(|family| family.code()).collect();
    assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, codes.iter().map(|code| format!("{code}.md")).collect::<Vec<_>>());
}

#[test]
fn messages_are_taken_apart() {
    assert_eq!(Family::of("[H0201] unknown name `mas`"), (Some(Family::UnknownName), "unknown name `mas`"));
    assert_eq!(Family::of("[H9999] text"), (None, "[H9999] text"));
    assert_eq!(Family::of("note: `a` is declared here first"), (None, "note: `a` is declared here first"));
    assert_eq!(Family::by_code("h0602"), Some(Family::MasslessCoordinate));
    assert_eq!(Family::by_code("0602"), None);
}
