use super::*;

const SOURCE: &str = "model Pendulum { }";
const CODE: &[u8] = b"const GRAVITY: f64 = -9.81;";
const COMPILER: &str = "this compiler";

/// A folder as the build script makes it.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn code_is_read_as_it_was_written() {
    let folder = folder();
    let cache = Cache::new(folder.path(), COMPILER);
    assert_eq!(cache.read(SOURCE), None);
    cache.write(SOURCE, CODE);
    cache.write("model Other { }", b"struct Other;");
    assert_eq!(cache.read(SOURCE).as_deref(), Some(CODE));
    cache.write(SOURCE, b"");
    assert_eq!(cache.read(SOURCE).as_deref(), Some(b"".as_slice()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// Whatever byte is altered or cut off: the entry is not taken, and a new one takes its place.
#[test]
fn an_entry_that_was_altered_is_replaced() {
    let folder = folder();
    let cache = Cache::new(folder.path(), COMPILER);
    let whole = cache.content(SOURCE, CODE);
    let mut others: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
    others.extend((0..whole.len()).map(|place| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        bytes
    }));
    others.push(String::from_utf8(whole.clone()).unwrap().replace("-9.81", "-1.62").into());
    others.push(cache.content("model Pendulum { a }", CODE));
    others.push([&whole, b" ".as_slice()].concat());
    for other in others {
        fs::write(cache.file(SOURCE), &other).unwrap();
        assert_eq!(cache.read(SOURCE), None, "{}", String::from_utf8_lossy(&other));
    }
    cache.write(SOURCE, CODE);
    assert_eq!(cache.read(SOURCE).as_deref(), Some(CODE));
}

#[test]
fn code_of_another_compiler_is_not_taken() {
    let folder = folder();
    let cache = Cache::new(folder.path(), COMPILER);
    Cache::new(folder.path(), "another compiler").write(SOURCE, CODE);
    assert!(cache.file(SOURCE).exists());
    assert_eq!(cache.read(SOURCE), None);
}

#[test]
fn a_folder_that_cannot_be_written_does_no_harm() {
    let folder = folder();
    let missing = folder.path().join("missing");
    assert_eq!(Cache::new(&missing, COMPILER).read(SOURCE), None);
    Cache::new(&missing, COMPILER).write(SOURCE, CODE);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // A folder in the place of an entry.
    let cache = Cache::new(folder.path(), COMPILER);
    fs::create_dir(cache.file(SOURCE)).unwrap();
    cache.write(SOURCE, CODE);
    assert_eq!(cache.read(SOURCE), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_oldest_entries_are_removed_first() {
    let folder = folder();
    let cache = Cache::new(folder.path(), COMPILER);
    let source = |k: u64| format!("model Number{k} {{ }}");
    for k in 0..5 {
        cache.write(&source(k), CODE);
        let file = OpenOptions::new().append(true).open(cache.file(&source(k))).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(100 + k)).unwrap();
    }
    let theirs = ["letter.txt", "0123456789abcde", "0123456789abcdeF"].map(|name| folder.path().join(name));
    theirs.iter().for_each(|path| fs::write(path, "not an entry").unwrap());
    cache.shorten(2);
    assert!(theirs.iter().all(|path| path.exists()), "other files are left alone");
    assert_eq!((0..5).map(|k| cache.read(&source(k)).is_some()).collect::<Vec<_>>(), [false, false, false, true, true]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// A pipe would be waited for without end, a link leads anywhere.
    #[test]
    fn only_regular_files_are_opened() {
        let (folder, elsewhere) = (folder(), folder());
        let cache = Cache::new(folder.path(), COMPILER);
        pipe(&cache.file(SOURCE));
        assert_eq!(cache.read(SOURCE), None);
        cache.write(SOURCE, CODE);
        assert_eq!(cache.read(SOURCE).as_deref(), Some(CODE));

        let theirs = elsewhere.path().join("theirs");
        fs::rename(cache.file(SOURCE), &theirs).unwrap();
        symlink(&theirs, cache.file(SOURCE)).unwrap();
        assert_eq!(cache.read(SOURCE), None);
        cache.write(SOURCE, b"");
        assert_eq!(fs::read(&theirs).unwrap(), cache.content(SOURCE, CODE));
        assert_eq!(cache.read(SOURCE).as_deref(), Some(b"".as_slice()));
    }

    #[test]
    fn what_stands_where_an_entry_is_prepared_is_not_opened() {
        let (folder, elsewhere) = (folder(), folder());
        let cache = Cache::new(folder.path(), COMPILER);
        let theirs = elsewhere.path().join("theirs");
        fs::write(&theirs, "theirs").unwrap();
        symlink(&theirs, cache.file(SOURCE).with_extension(process::id().to_string())).unwrap();
        cache.write(SOURCE, CODE);
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
        pipe(&cache.file(SOURCE).with_extension(process::id().to_string()));
        cache.write(SOURCE, CODE);
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        let (folder, elsewhere) = (folder(), folder());
        let cache = Cache::new(folder.path(), COMPILER);
        cache.write(SOURCE, CODE);
        for (mode, is_read) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false)] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(cache.read(SOURCE).is_some(), is_read, "{mode:o}");
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let link = elsewhere.path().join("link");
        symlink(folder.path(), &link).unwrap();
        assert_eq!(Cache::new(&link, COMPILER).read(SOURCE), None);
    }

    /// What a child of this program does: it writes entries until it is stopped. Without a folder, nothing.
    #[test]
    fn writer() {
        let Some(folder) = std::env::var_os("FOLDER_OF_A_WRITER") else { return };
        let cache = Cache::new(Path::new(&folder), COMPILER);
        // Should nobody stop it, it ends.
        (0..100_000).for_each(|k| cache.write(&source(k), &long(k)));
    }

    fn source(k: usize) -> String {
        format!("model Number{} {{ }}", k % 8)
    }

    fn long(k: usize) -> Vec<u8> {
        format!("const NUMBER: usize = {};", k % 8).repeat(10_000).into()
    }

    /// Whether this program ignores SIGINT, and with it those that it starts: shells start programs in the background so.
    fn is_interrupt_ignored() -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> 1 & 1 == 1)
    }

    /// Several programs write the same entries and are stopped anywhere: what is read is whole.
    #[test]
    fn stopped_writers_leave_whole_entries() {
        let folder = folder();
        let cache = Cache::new(folder.path(), COMPILER);
        for signal in ["KILL", "TERM", "INT", "KILL"] {
            if signal == "INT" && is_interrupt_ignored() {
                println!("cache      two writers, SIGINT              skipped: ignored by what started the tests");
                continue;
            }
            let start = || {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["--exact", "cache::tests::unix::writer"]).env("FOLDER_OF_A_WRITER", folder.path());
                command.stdout(std::process::Stdio::null()).spawn().unwrap()
            };
            let mut writers = [start(), start()];
            // Each has begun: its unfinished file has been seen.
            for writer in &writers {
                let unfinished = cache.file(&source(0)).with_extension(writer.id().to_string());
                while !unfinished.exists() && (0..8).any(|k| !cache.file(&source(k)).exists()) {
                    std::thread::yield_now();
                }
            }
            for writer in &mut writers {
                assert!(
                    Command::new("kill")
                        .args([&format!("-{signal}"), &writer.id().to_string()])
                        .status()
                        .unwrap()
                        .success()
                );
                assert!(writer.wait().unwrap().code().is_none());
            }
            let whole = (0..8).filter(|&k| cache.read(&source(k)).is_some_and(|code| code == long(k))).count();
            let there = (0..8).filter(|&k| cache.file(&source(k)).exists()).count();
            assert_eq!(whole, there);
            println!("cache      two writers, SIG{signal:<17} {whole} of 8 entries there, all whole");
        }
        (0..8).for_each(|k| cache.write(&source(k), CODE));
        assert!((0..8).all(|k| cache.read(&source(k)).as_deref() == Some(CODE)));
    }

    /// On a full disk there is the entry from before, or none; on a protected one that from before.
    #[test]
    fn full_and_protected_disks_do_no_harm() {
        let disk = folder();
        let mount = |options: &str| {
            let mut command = Command::new("mount");
            command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(disk.path()).stderr(std::process::Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        if !mount("size=64k,mode=700") {
            println!("cache      full and read-only disks           skipped: no right to mount");
            return;
        }
        let cache = Cache::new(disk.path(), COMPILER);
        cache.write(SOURCE, CODE);
        cache.write(SOURCE, &long(0));
        cache.write(&source(0), &long(0));
        let after_full = (cache.read(SOURCE), cache.read(&source(0)), fs::read_dir(disk.path()).unwrap().count());
        let is_protected = mount("remount,ro");
        cache.write(SOURCE, b"");
        let after_protected = cache.read(SOURCE);
        assert!(Command::new("umount").arg(disk.path()).status().unwrap().success());
        assert_eq!(after_full, (Some(CODE.to_vec()), None, 1));
        assert!(is_protected);
        assert_eq!(after_protected.as_deref(), Some(CODE));
        println!("cache      full and read-only disks           entry as before, no new one");
    }
}
