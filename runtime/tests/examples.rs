//! Every example runs to its end, where it has checked what it shows.

use std::path::Path;
use std::process::Command;

#[test]
fn all_examples_run() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let test = std::env::current_exe().unwrap();
    // target/…/deps/examples-… beside target/…/examples.
    let programs = test.parent().and_then(Path::parent).unwrap().join("examples");
    let mut names: Vec<String> = std::fs::read_dir(sources)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        // A folder is a package with a test of its own.
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let program = programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        assert!(
            program.is_file(),
            "`cargo test --test tests` does not build examples; run `cargo build --examples` before"
        );
        let output = Command::new(program).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
    }
}
