//! Runs the tests of the Python package with the extension that cargo has built, where Python, NumPy and pytest are found.

use std::path::{Path, PathBuf};
use std::process::Command;

/// An interpreter that has what the tests need, or what is missing.
fn python() -> Result<PathBuf, String> {
    let name = std::env::var_os("PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let asked = "import sys, numpy, pytest; sys.exit(sys.version_info < (3, 10))";
    match Command::new(&name).args(["-c", asked]).output() {
        Ok(output) if output.status.success() => Ok(name),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().last().unwrap_or("its version is below 3.10");
            Err(format!("{}: {last}", name.display()))
        }
        Err(error) => Err(format!("{}: {error}", name.display())),
    }
}

/// The extension module, which cargo has put beside the tests, or above.
fn extension() -> PathBuf {
    let name = format!("{}_hamel{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let test = std::env::current_exe().expect("a test knows its program");
    let folders = test.ancestors().skip(1).take(2);
    let found = folders.map(|folder| folder.join(&name)).filter(|path| path.is_file());
    let newest = found.max_by_key(|path| path.metadata().and_then(|about| about.modified()).ok());
    newest.unwrap_or_else(|| panic!("{name} is not where cargo puts libraries"))
}

#[test]
fn the_tests_of_the_package_pass() {
    let python = match python() {
        Ok(python) => python,
        Err(missing) => return println!("skipped: {missing}"),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("hamel");
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir(&package).expect("a folder");
    for entry in std::fs::read_dir(own.join("hamel")).expect("the package is there") {
        let path = entry.expect("it can be read").path();
        if path.is_file() {
            std::fs::copy(&path, package.join(path.file_name().expect("a file has a name"))).expect("room for a copy");
        }
    }
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    std::fs::copy(extension(), package.join(format!("_hamel.{ending}"))).expect("room for a copy");
    let output = Command::new(&python)
        .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"])
        .arg(own.join("tests"))
        .current_dir(folder.path())
        .env("PYTHONPATH", folder.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    println!("{said}");
}
