//! Files as a person writes them, whole and broken.

use std::path::PathBuf;

use super::*;

const PENDULUM: &str = "\
pub model Pendulum {
    planar;
    coordinates joint;
    param mass = 2 kg;
    gravity [0, -9.81] m/s^2;
    body bob { mass: mass, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground, bob at [0, 1] m);
}
";

/// A file of this name with this text, in a folder of its own.
fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn message(path: &Path) -> String {
    let error = compile_file(path, path.with_extension("out")).unwrap_err();
    error.to_string().replace(&*path.to_string_lossy(), "FILE")
}

#[test]
fn descriptions_and_macro_calls_give_the_same_code() {
    let folder = tempfile::tempdir().unwrap();
    let second = PENDULUM.replace("Pendulum", "Second");
    let descriptions = file(&folder, "two.model", &format!("{PENDULUM}\n/// Doc.\n{second}"));
    let calls = file(
        &folder,
        "two.rs",
        &format!("mod a {{ hamel::multibody! {{ {PENDULUM} }} }}\nmultibody!(/// Doc.\n{second});"),
    );
    for path in [&descriptions, &calls] {
        let names: Vec<String> = read(path).unwrap().into_iter().map(|model| model.name).collect();
        assert_eq!(names, ["Pendulum", "Second"]);
    }
    let out = |path: &Path| {
        let out = path.with_extension(path.extension().unwrap().to_string_lossy().into_owned() + ".out");
        compile_file(path, &out).unwrap();
        let text = std::fs::read_to_string(out).unwrap();
        text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>()
    };
    let code = out(&descriptions);
    assert_eq!(code, out(&calls));
    assert!(syn::parse_str::<syn::File>(&code).is_ok());
    assert_eq!(code.matches("pub struct Second {").count(), 1);
}

#[test]
fn mistakes_of_all_models_are_reported_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let first = PENDULUM.replace("mass: mass", "mass: mas");
    let second = PENDULUM.replace("Pendulum", "Second").replace("2 kg", "2 kgg");
    let path = file(&folder, "two.model", &format!("{first}{second}"));
    let message = message(&path);
    assert!(
        message.starts_with("FILE:6:22: error[H0201]: unknown name `mas`\nhelp: did you mean `mass`?\n"),
        "{message}"
    );
    assert!(message.contains("FILE:12:20: "), "{message}");
    assert!(!path.with_extension("out").exists());
}

#[test]
fn a_missing_brace_is_found_where_it_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let broken = |from: &str, to: &str| message(&file(&folder, "broken.model", &PENDULUM.replace(from, to)));
    assert_eq!(broken("kg m^2 }", "kg m^2"), "FILE:6:14: error[H0102]: `{` is never closed\nhelp: add `}`");
    assert_eq!(broken("-9.81]", "-9.81"), "FILE:5:13: error[H0102]: `[` is never closed\nhelp: add `]`");
    assert_eq!(broken("joint;", "joint; }"), "FILE:8:1: error[H0102]: `}` closes nothing");
    assert_eq!(broken(" m);\n}", " m);"), "FILE:1:20: error[H0102]: `{` is never closed\nhelp: add `}`");
    // Delimiters in comments, strings and characters do not count.
    let rust = "fn f<'a>(s: &'a str) -> bool { s == \"}\\\"}\" || s.contains('}') } // {\n/* { /* */ } */\nfn g() {\n";
    assert_eq!(
        message(&file(&folder, "broken.rs", rust)),
        "FILE:3:8: error[H0102]: `{` is never closed\nhelp: add `}`"
    );
    // The brace that is missing stands in the middle: indentation tells.
    let rust = "mod m {\n    fn f() {\n        if a {\n    }\n}\n";
    assert_eq!(
        message(&file(&folder, "middle.rs", rust)),
        "FILE:3:14: error[H0102]: `{` is never closed\nhelp: add `}`"
    );
}

#[test]
fn characters_of_no_token_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let broken = |from: &str, to: &str| message(&file(&folder, "broken.model", &PENDULUM.replace(from, to)));
    assert_eq!(broken("-9.81]", "-9.81 °]"), "FILE:5:23: error[H0101]: unexpected `°`\nhelp: write `deg`");
    assert_eq!(broken("-9.81]", "−9.81]"), "FILE:5:17: error[H0101]: unexpected `−`\nhelp: write `-`");
    assert_eq!(broken("-9.81]", "-9.81 €]"), "FILE:5:23: error[H0101]: unexpected `€`");
}

#[test]
fn files_without_a_model_say_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(message(&file(&folder, "a.rs", "fn f() {}")), "no `multibody!` call in `FILE`");
    assert_eq!(message(&file(&folder, "a.model", "// nothing\n")), "no `model Name { … }` in `FILE`");
    let missing = folder.path().join("missing.model");
    assert!(message(&missing).starts_with("cannot read `FILE`: "));
    let path = file(&folder, "b.model", PENDULUM);
    let error = compile_file(path, folder.path()).unwrap_err();
    assert!(matches!(error, FileError::Write { .. }), "{error}");
}

#[test]
fn what_has_not_changed_is_not_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.model", PENDULUM);
    let out = folder.path().join("a.rs");
    compile_file(&path, &out).unwrap();
    let read_only = |value| {
        let mut permissions = std::fs::metadata(&out).unwrap().permissions();
        permissions.set_readonly(value);
        std::fs::set_permissions(&out, permissions).unwrap();
    };
    let before = std::fs::metadata(&out).unwrap().modified().unwrap();
    read_only(true);
    compile_file(&path, &out).unwrap();
    assert_eq!(std::fs::metadata(&out).unwrap().modified().unwrap(), before);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.model");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(message(&pipe).starts_with("cannot read `FILE`: expected a regular file"), "{}", message(&pipe));
    assert!(message(folder.path()).starts_with("cannot read `FILE`: expected a regular file"));
    let endless = text("/dev/zero").unwrap_err().to_string();
    assert!(endless.contains("expected a regular file"), "{endless}");
}

#[cfg(unix)]
#[test]
fn paths_are_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"caf\xe9.model"));
    std::fs::write(&path, PENDULUM).unwrap();
    let out = path.with_extension("rs");
    compile_file(&path, &out).unwrap();
    assert!(text(out).unwrap().contains("struct Pendulum"));
}

/// Neither a file that could not be written to its end nor what is beside it is left.
#[test]
fn a_file_is_whole_or_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.rs", "before");
    let error = write(&path, |file| {
        file.write_all(b"half")?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    });
    assert!(matches!(error, Err(FileError::Write { .. })));
    assert_eq!(text(&path).unwrap(), "before");
    write(&path, |file| file.write_all(b"after")).unwrap();
    assert_eq!(text(&path).unwrap(), "after");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (before, link) = (file(&folder, "before", "before"), folder.path().join("out.rs"));
    // As a file that is written in its place: for the user's mask to decide, not for this user alone.
    let usual = std::fs::metadata(&before).unwrap().permissions().mode();
    symlink(&before, &link).unwrap();
    compile_file(file(&folder, "a.model", PENDULUM), &link).unwrap();
    assert!(text(&before).unwrap().contains("Pendulum"));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&before).unwrap().permissions().mode(), usual);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_written_where_it_is() {
    use std::os::unix::fs::FileTypeExt;
    let device = Path::new("/dev/null");
    write(device, |file| file.write_all(b"nothing")).unwrap();
    assert!(std::fs::metadata(device).unwrap().file_type().is_char_device());
}

#[test]
fn files_are_measured_before_they_are_taken_apart() {
    let folder = tempfile::tempdir().unwrap();
    let nested = file(&folder, "nested.model", &format!("model M {{\n{}", "[".repeat(100_000)));
    let expected =
        format!("FILE:2:{}: error[H0105]: expected at most 200 delimiters within each other", limits::NESTING_OF_FILES);
    assert_eq!(message(&nested), expected);
    let long = file(&folder, "long.model", &"let a = 1;\n".repeat(400_000));
    let expected = "FILE:381301:1: error[H0105]: expected at most 4194304 bytes in a file\nhelp: write what is repeated with `for` and `[value; n]`";
    assert_eq!(message(&long), expected);
}
