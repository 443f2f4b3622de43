//! What happens to files of this program and of others.

use super::*;

fn open(path: &Path) -> Folder {
    Folder::open(path, "hamel test", false).unwrap()
}

/// Writes files of these names and contents, and ends.
fn write(path: &Path, files: &[(&str, &str)]) -> Result<(), FolderError> {
    let mut folder = Folder::open(path, "hamel test", false)?;
    files.iter().try_for_each(|(name, text)| folder.stage(name, |out| out.write_all(text.as_bytes())))?;
    folder.commit()?;
    folder.finish()
}

fn names(path: &Path) -> Vec<String> {
    let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != LOCK).collect();
    names.sort();
    names
}

fn request(program: &str, parts: &[&str]) -> Request {
    Request { program: program.to_owned(), parts: parts.iter().map(|&part| part.to_owned()).collect() }
}

#[test]
fn the_manifest_lists_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/folder");
    write(&path, &[("a.csv", "1\n"), ("sub/b.csv", "")]).unwrap();
    assert_eq!(names(&path), ["a.csv", MANIFEST, "sub"]);
    let manifest = Manifest::read(&path).unwrap();
    assert_eq!((manifest.state, manifest.mismatches(&path)), (State::Complete, Vec::new()));
    let entry = &manifest.files["a.csv"];
    // As `sha256sum` has it.
    assert_eq!(entry.sha256, "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865");
    assert_eq!((entry.size, entry.command.as_str()), (2, "hamel test"));
    // Files of two commands stand beside each other.
    write(&path, &[("c.csv", "3\n")]).unwrap();
    assert_eq!(Manifest::read(&path).unwrap().files.keys().collect::<Vec<_>>(), ["a.csv", "c.csv", "sub/b.csv"]);
    fs::write(path.join("a.csv"), "2\n").unwrap();
    assert_eq!(Manifest::read(&path).unwrap().mismatches(&path), ["a.csv"]);
}

#[test]
fn what_others_have_written_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for foreign in ["report.html", ".writable", MANIFEST] {
        fs::write(path.join(foreign), "theirs").unwrap();
        assert!(matches!(write(path, &[("a.csv", "1\n")]), Err(FolderError::Foreign(_))), "{foreign}");
        // Not even a lock is left in a folder that is not ours.
        assert_eq!(names(path), [foreign]);
        assert!(!path.join(LOCK).exists());
        fs::remove_file(path.join(foreign)).unwrap();
    }
    // In a folder of ours, too.
    write(path, &[("a.csv", "1\n"), ("sub/b.csv", "2\n")]).unwrap();
    fs::write(path.join("report.html"), "theirs").unwrap();
    fs::write(path.join("sub/notes.txt"), "theirs").unwrap();
    let folder = open(path);
    assert!(matches!(folder.check(["report.html"]), Err(FolderError::Foreign(_))));
    assert!(matches!(folder.check(["sub"]), Err(FolderError::Foreign(_))));
    folder.check(["a.csv", "new"]).unwrap();
    drop(folder);
    let error = write(path, &[("a.csv", "3\n"), ("report.html", "ours")]).unwrap_err();
    assert!(
        error.to_string().contains("report.html` is not of hamel") && error.to_string().contains("--force"),
        "{error}"
    );
    // Nothing was replaced, nothing is left over.
    assert_eq!(fs::read_to_string(path.join("a.csv")).unwrap(), "1\n");
    assert_eq!(names(path), ["a.csv", MANIFEST, "report.html", "sub"]);
    assert_eq!(Manifest::read(path).unwrap().state, State::Complete);

    let mut folder = Folder::open(path, "hamel test", true).unwrap();
    folder.stage("report.html", |out| out.write_all(b"ours")).unwrap();
    folder.commit().and_then(|()| folder.finish()).unwrap();
    assert_eq!(fs::read_to_string(path.join("report.html")).unwrap(), "ours");
    assert_eq!(fs::read_to_string(path.join("sub/notes.txt")).unwrap(), "theirs");
}

#[test]
fn what_a_user_has_changed_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    write(path, &[("a.csv", "1\n")]).unwrap();
    fs::write(path.join("a.csv"), "1 and a note\n").unwrap();
    let error = write(path, &[("a.csv", "2\n")]).unwrap_err();
    assert!(matches!(&error, FolderError::Changed(changed) if changed.ends_with("a.csv")), "{error}");
    assert_eq!(fs::read_to_string(path.join("a.csv")).unwrap(), "1 and a note\n");
}

#[test]
fn one_program_writes_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let folder = open(directory.path());
    let error = write(directory.path(), &[("a.csv", "1\n")]).unwrap_err();
    assert!(matches!(error, FolderError::Locked(_)), "{error}");
    drop(folder);
    write(directory.path(), &[("a.csv", "1\n")]).unwrap();
}

/// A program may be killed anywhere: here it forgets what it holds instead of ending.
#[test]
fn a_killed_program_is_followed_by_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let killed = |folder: Folder| {
        let Folder { staged, _lock, .. } = folder;
        staged.into_iter().for_each(|staged| drop(staged.file.keep().unwrap()));
    };
    // While it computes, or writes beside.
    killed(open(path));
    let mut folder = open(path);
    folder.stage("a.csv", |out| out.write_all(b"half")).unwrap();
    folder.stage("sub/b.csv", |out| out.write_all(b"half")).unwrap();
    killed(folder);
    assert!(names(path).iter().all(|name| name == "sub" || file::is_unfinished(name.as_ref())), "{:?}", names(path));
    write(path, &[("a.csv", "1\n")]).unwrap();
    assert_eq!((names(path), names(&path.join("sub")).len()), (["a.csv", MANIFEST, "sub"].map(String::from).into(), 0));
    // After files were moved, before the manifest says that all are there.
    let mut folder = open(path);
    folder.stage("a.csv", |out| out.write_all(b"2\n")).unwrap();
    folder.stage("new.csv", |out| out.write_all(b"2\n")).unwrap();
    folder.commit().unwrap();
    killed(folder);
    assert_eq!(Manifest::read(path).unwrap().state, State::Unfinished);
    write(path, &[("a.csv", "3\n"), ("new.csv", "3\n")]).unwrap();
    assert_eq!(Manifest::read(path).unwrap().state, State::Complete);
}

#[test]
fn a_file_that_cannot_be_written_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    write(path, &[("a.csv", "1\n")]).unwrap();
    let before = fs::read_to_string(path.join(MANIFEST)).unwrap();
    let mut folder = open(path);
    folder.stage("a.csv", |out| out.write_all(b"2\n")).unwrap();
    let full = |out: &mut dyn Write| {
        out.write_all(b"half")?;
        Err(io::ErrorKind::StorageFull.into())
    };
    let error = folder.stage("b.csv", full).unwrap_err();
    assert!(matches!(&error, FolderError::File { path, .. } if path.ends_with("b.csv")), "{error}");
    drop(folder);
    assert_eq!(names(path), ["a.csv", MANIFEST]);
    assert_eq!(fs::read_to_string(path.join("a.csv")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(path.join(MANIFEST)).unwrap(), before);
}

#[test]
fn an_interrupted_command_is_resumed_if_it_is_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let asked = request("this", &["x", "y"]);
    assert!(matches!(open(path).resume(&asked), Err(FolderError::NotResumable { .. })));
    let mut folder = open(path);
    folder.begin(asked.clone()).unwrap();
    folder.stage("x/a.csv", |out| out.write_all(b"1\n")).unwrap();
    folder.stage_result("x", b"of x").unwrap();
    folder.commit().unwrap();
    drop(folder);

    let reason = |request| open(path).resume(&request).unwrap_err().to_string();
    assert!(reason(request("that", &["x", "y"])).contains("another build"));
    assert!(reason(request("this", &["x"])).contains("other experiments"));
    assert_eq!(open(path).resume(&asked).unwrap(), [b"of x".to_vec()]);
    // Beginning anew would lose it.
    let error = open(path).begin(asked.clone()).unwrap_err();
    assert!(matches!(error, FolderError::Interrupted { parts: 1, .. }), "{error}");
    // What is damaged is computed again.
    fs::write(path.join(RESULTS).join("x"), "of y").unwrap();
    assert!(open(path).resume(&asked).unwrap().is_empty());

    let mut folder = open(path);
    folder.resume(&asked).unwrap();
    folder.stage_result("y", b"of y").unwrap();
    folder.commit().and_then(|()| folder.finish()).unwrap();
    assert_eq!(names(path), [MANIFEST, "x"]);
    assert_eq!(Manifest::read(path).unwrap().files.keys().collect::<Vec<_>>(), ["x/a.csv"]);
    assert!(reason(asked.clone()).contains("no command was interrupted"));
    open(path).begin(asked).unwrap();
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn links_are_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (directory.path().join("ours"), directory.path().join("elsewhere"));
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("a.csv"), "theirs").unwrap();
        write(&path, &[("b.csv", "1\n")]).unwrap();
        symlink(elsewhere.join("a.csv"), path.join("a.csv")).unwrap();
        symlink(&elsewhere, path.join("sub")).unwrap();
        for name in ["a.csv", "sub/a.csv"] {
            assert!(matches!(write(&path, &[(name, "ours")]), Err(FolderError::Foreign(_))), "{name}");
        }
        let mut folder = Folder::open(&path, "hamel test", true).unwrap();
        assert!(matches!(folder.stage("sub/a.csv", |_| Ok(())), Err(FolderError::Foreign(_))));
        folder.stage("a.csv", |out| out.write_all(b"ours")).unwrap();
        folder.commit().and_then(|()| folder.finish()).unwrap();
        assert_eq!(fs::read_to_string(elsewhere.join("a.csv")).unwrap(), "theirs");
        assert_eq!(fs::read_to_string(path.join("a.csv")).unwrap(), "ours");
    }

    /// Whoever opens a pipe waits until somebody writes to it.
    #[test]
    fn pipes_are_not_opened() {
        let directory = tempfile::tempdir().unwrap();
        for name in [LOCK, MANIFEST, "a.csv"] {
            let path = directory.path().join(format!("of {name}"));
            fs::create_dir(&path).unwrap();
            assert!(Command::new("mkfifo").arg(path.join(name)).status().unwrap().success());
            assert!(write(&path, &[("a.csv", "1\n")]).is_err(), "{name}");
        }
    }

    /// A process that is being started shares all open files until its program is loaded.
    #[test]
    fn a_shared_open_file_does_not_keep_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::open(directory.path(), "hamel test", false).unwrap();
        let _shared = folder._lock.0.try_clone().unwrap();
        folder.finish().unwrap();
        write(directory.path(), &[("a.csv", "1\n")]).unwrap();
    }

    #[test]
    fn paths_are_any_bytes() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(OsStr::from_bytes(b"caf\xe9"));
        write(&path, &[("a.csv", "1\n")]).unwrap();
        fs::write(path.join(OsStr::from_bytes(b"\xff")), "theirs").unwrap();
        write(&path, &[("a.csv", "2\n")]).unwrap();
    }
}
