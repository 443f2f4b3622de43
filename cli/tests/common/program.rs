//! The program as users call it, in a folder with files.

use std::path::Path;
use std::process::{Command, Output};

/// A new folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}

fn hamel(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hamel"));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).current_dir(folder);
    command.args(arguments.split(' ')).output().expect("the binary was built for this test")
}

/// What is printed by arguments that are right.
pub(crate) fn succeeded(folder: &Path, arguments: &str) -> String {
    let output = hamel(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Arguments that are wrong end with this code and a message with these parts.
pub(crate) fn refused(folder: &Path, arguments: &str, code: i32, parts: &[&str]) {
    let output = hamel(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
    parts.iter().for_each(|part| assert!(said.contains(part), "{arguments}: expected `{part}` in\n{said}"));
}
