//! A handful of models through rustc itself: that spans arrive, and that several errors are reported at once. All other
//! messages are tested in the compiler, without rustc.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "ui/pendulum.rs"]
mod pendulum;
#[path = "ui/variants.rs"]
mod variants;

#[test]
fn models_compile_and_run() {
    pendulum::main();
    variants::main();
}

#[test]
fn errors_point_at_the_wrong_tokens() {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    std::fs::create_dir_all(&work).unwrap();
    let library = library(&deps, &work);
    for case in ["two_mistakes", "massless_body", "out_of_reach_constraint"] {
        let source = format!("tests/ui/{case}.rs");
        let output = compiled(&source, &deps, &library, &work);
        assert!(!output.status.success(), "{case} compiled");
        let found = String::from_utf8_lossy(&output.stderr);
        let found: String = found
            .lines()
            .take_while(|line| !line.starts_with("error: aborting"))
            .flat_map(|line| [line, "\n"])
            .collect();
        let expected = std::fs::read_to_string(format!("tests/ui/{case}.stderr")).unwrap();
        assert_eq!(found.trim_end(), expected.trim_end(), "{case}");
    }
}

fn compiled(source: &str, deps: &Path, library: &Path, work: &Path) -> Output {
    let name = Path::new(source).file_stem().unwrap().to_str().unwrap();
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--edition", "2024", "--emit=metadata", "--crate-name", name, source, "--out-dir"]).arg(work);
    command.arg("-L").arg(format!("dependency={}", deps.display()));
    command.arg("--extern").arg(format!("hamel={}", library.display())).output().unwrap()
}

/// The library of this package with its macro: of those that cargo has built here, with other features or earlier, the
/// newest that programs compile with.
fn library(deps: &Path, work: &Path) -> PathBuf {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libhamel-") && name.ends_with(".rlib")
    };
    let mut known: Vec<PathBuf> =
        std::fs::read_dir(deps).unwrap().map(|entry| entry.unwrap().path()).filter(is_library).collect();
    known.sort_by_key(|path| std::cmp::Reverse(path.metadata().unwrap().modified().unwrap()));
    let compiles = |library: &PathBuf| compiled("tests/ui/pendulum.rs", deps, library, work).status.success();
    known.into_iter().find(compiles).expect("cargo has built this package for its tests")
}
