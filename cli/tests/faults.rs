//! What is left when programs are stopped, disks are full, folders cannot be written to, or two write at once.
//!
//! Prints a table: `cargo test -p hamel-cli --test tests faults:: -- --nocapture`. `FAULT_MOMENTS=100` stops programs at
//! more moments. Which moment it is that a signal meets depends on the machine; what must hold does not. Small disks need
//! the right to mount them; without it their rows say so.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use hamel_report::folder::{MANIFEST, Manifest, State};

const RUN: [&str; 11] = [
    "run",
    "heavy_top",
    "--scheme",
    "modified-hht",
    "--with",
    "alpha=-0.2",
    "--dt",
    "1e-3",
    "--until",
    "0.3",
    "--record=1",
];
const REPRODUCE: [&str; 3] = ["reproduce", "--only", "sherif/single_axis_rotation"];

fn hamel(arguments: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hamel"));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.args(arguments).arg("--out").arg(out).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(arguments: &[&str], out: &Path) -> Output {
    hamel(arguments, out).output().expect("the binary was built for this test")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn assert_ends_well(output: &Output, what: &str) {
    assert_eq!(output.status.code(), Some(0), "{what}: {}", errors(output));
}

/// How many moments of a program are tried with each signal.
fn moments() -> u32 {
    std::env::var("FAULT_MOMENTS").ok().and_then(|number| number.parse().ok()).unwrap_or(3)
}

fn row(verb: &str, fault: &str, found: &str) {
    println!("{verb:<10} {fault:<34} {found}");
}

/// The files of a folder and of those in it, without locks and what is kept to go on from.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        match entry.path().is_dir() {
            true if name != ".hamel-results" => found.extend(files(&entry.path())),
            false if name != ".hamel.lock" => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

fn is_unfinished(path: &Path) -> bool {
    hamel_compiler::file::is_unfinished(path.file_name().unwrap())
}

/// Every file is whole; the manifest says that all are there only if all are there. What it says.
fn assert_valid(folder: &Path, what: &str) -> Option<State> {
    let files: Vec<PathBuf> = files(folder).into_iter().filter(|path| !is_unfinished(path)).collect();
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let is_whole = match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => {
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                text.ends_with('\n') && reader.records().all(|record| record.is_ok())
            }
            Some("json") => serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            Some("svg") => roxmltree::Document::parse(&text).is_ok(),
            Some("html") => text.trim_end().ends_with("</html>"),
            _ => false,
        };
        assert!(is_whole, "{what}: {} is not whole", path.display());
    }
    let manifest = Manifest::read(folder);
    let Some(manifest) = manifest else {
        assert!(files.is_empty(), "{what}: files and no manifest: {files:?}");
        return None;
    };
    if manifest.state == State::Complete {
        assert_eq!(manifest.mismatches(folder), Vec::<&str>::new(), "{what}");
        for path in files.iter().filter(|path| !path.ends_with(MANIFEST)) {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
            assert!(manifest.files.contains_key(name), "{what}: {name} is not in the manifest");
        }
    }
    Some(manifest.state)
}

fn assert_complete(folder: &Path, what: &str) {
    assert_eq!(assert_valid(folder, what), Some(State::Complete), "{what}");
    let left: Vec<PathBuf> = files(folder).into_iter().filter(|path| is_unfinished(path)).collect();
    assert!(left.is_empty() && !folder.join(".hamel-results").exists(), "{what}: {left:?}");
}

/// Starts a program and sends it a signal after a part of the time that it takes. Whether it met it.
fn stopped(command: Command, signal: &str, after: Duration) -> bool {
    stopped_when(command, signal, |_| std::thread::sleep(after))
}

/// The same once another thing has happened, for which the last argument waits.
fn stopped_when(mut command: Command, signal: &str, wait: impl FnOnce(&mut Child)) -> bool {
    let mut child = command.spawn().unwrap();
    wait(&mut child);
    let _ = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).stderr(Stdio::null()).status();
    // A reader, lest the pipe be full.
    drop(child.stdout.take());
    child.wait().unwrap().code().is_none()
}

/// How long an undisturbed program takes, on which moments are spread.
fn time_of(arguments: &[&str]) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    assert_ends_well(&output(arguments, &folder.path().join("out")), "undisturbed");
    begin.elapsed()
}

/// Stopped at moments of their time, over what an earlier one has left, programs leave what is valid; the next one ends
/// well, by going on where that is offered.
#[test]
fn signals() {
    for arguments in [RUN.as_slice(), &REPRODUCE] {
        let time = time_of(arguments);
        for signal in ["KILL", "TERM", "INT"] {
            let (mut met, mut resumed, mut states) = (0, 0, [0; 3]);
            for moment in 0..moments() {
                let folder = tempfile::tempdir().unwrap();
                let out = folder.path().join("out");
                for round in 0..2 {
                    let what = format!("{} after SIG{signal} at moment {moment}.{round}", arguments[0]);
                    met += u32::from(stopped(hamel(arguments, &out), signal, time * (moment + 1) / (moments() + 1)));
                    states[match assert_valid(&out, &what) {
                        None => 0,
                        Some(State::Unfinished) => 1,
                        Some(State::Complete) => 2,
                    }] += 1;
                    let mut next = output(arguments, &out);
                    if errors(&next).contains("--resume") {
                        resumed += 1;
                        next = output(&[arguments, &["--resume"]].concat(), &out);
                    }
                    assert_ends_well(&next, &what);
                    assert_complete(&out, &what);
                }
            }
            let [nothing, unfinished, complete] = states;
            row(
                arguments[0],
                &format!("SIG{signal}"),
                &format!(
                    "{met} of {} met it: {nothing} nothing, {unfinished} unfinished, {complete} complete; {resumed} resumed",
                    2 * moments()
                ),
            );
        }
    }
}

/// Ctrl-C ends a run; what it has computed is written, whole.
#[test]
fn an_interrupted_run_writes_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = ["run", "heavy_top", "--scheme", "hht", "--dt", "1e-6", "--until", "1000", "--record", "1000"];
    let mut child = hamel(&run, &out).spawn().unwrap();
    // The handler is there when the folder is.
    while !out.join(".hamel.lock").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("cancelled at t ="), "{}", errors(&output));
    assert_complete(&out, "interrupted");
    let table = fs::read_to_string(out.join("heavy_top.csv")).unwrap();
    assert!(table.lines().count() > 2 && table.ends_with('\n'), "{} lines", table.lines().count());
}

/// What an interrupted run has ended is not computed again, and the report is that of one that was not interrupted.
#[test]
fn a_resumed_report_is_that_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    assert_ends_well(&output(&REPRODUCE, &whole), "undisturbed");
    // Stopped as soon as there is a result.
    let mut child = hamel(&REPRODUCE, &parts).spawn().unwrap();
    let is_one_there = || fs::read_dir(parts.join(".hamel-results")).is_ok_and(|mut results| results.next().is_some());
    while !is_one_there() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let state = assert_valid(&parts, "stopped at the first result");
    let again = output(&[&REPRODUCE[..], &["--resume"]].concat(), &parts);
    if state == Some(State::Unfinished) {
        assert_ends_well(&again, "resumed");
        assert!(String::from_utf8_lossy(&again.stdout).contains(" experiments are there"));
    } else {
        assert!(errors(&again).contains("no command was interrupted there"), "{}", errors(&again));
        assert_ends_well(&output(&REPRODUCE, &parts), "begun anew");
    }
    assert_complete(&parts, "resumed");
    for path in
        files(&whole).iter().filter(|path| path.extension().is_some_and(|ending| ending == "csv" || ending == "svg"))
    {
        let name = path.strip_prefix(&whole).unwrap();
        assert_eq!(fs::read(path).unwrap(), fs::read(parts.join(name)).unwrap(), "{}", name.display());
    }
}

/// A small disk, gone when it is dropped; none without the right to mount it.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new(kilobytes: u32) -> Option<Disk> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"]).arg(folder.path());
        let status = command.stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success()).then_some(Disk(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills it up.
    fn fill(&self) {
        let mut file = File::create(self.path().join("full")).unwrap();
        let _ = std::io::copy(&mut File::open("/dev/zero").unwrap(), &mut file);
    }

    fn protect(&self) {
        let status = Command::new("mount").args(["-o", "remount,ro"]).arg(self.path()).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn full_disks() {
    for arguments in [RUN.as_slice(), &REPRODUCE] {
        let (mut codes, mut tried) = (Vec::new(), 0);
        for kilobytes in [4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 8192] {
            let Some(disk) = Disk::new(kilobytes) else { break };
            let out = disk.path().join("out");
            let what = format!("{} on a disk of {kilobytes} kB", arguments[0]);
            let ended = output(arguments, &out);
            let code = ended.status.code().expect("not by a signal");
            assert!([0, 2, 4].contains(&code), "{what}: {code}\n{}", errors(&ended));
            assert_eq!(code != 0, errors(&ended).contains("No space left on device"), "{what}: {}", errors(&ended));
            let state = assert_valid(&out, &what);
            assert_eq!(code == 0, state == Some(State::Complete), "{what}");
            assert!(files(&out).iter().all(|path| !is_unfinished(path)), "{what}");
            codes.push(format!("{kilobytes}: {code}"));
            tried += 1;
        }
        let found = if tried == 0 { "skipped: no right to mount".to_owned() } else { codes.join(", ") };
        row(arguments[0], "disks of some kB, exit codes", &found);
    }
}

/// What was there before a disk became full, or protected, is there after it.
#[test]
fn results_outlive_full_and_protected_disks() {
    for arguments in [RUN.as_slice(), &REPRODUCE] {
        for fault in ["full", "read-only"] {
            let Some(disk) = Disk::new(8192) else {
                row(arguments[0], fault, "skipped: no right to mount");
                continue;
            };
            let (out, what) = (disk.path().join("out"), format!("{}, {fault}", arguments[0]));
            assert_ends_well(&output(arguments, &out), &what);
            let before: Vec<_> = files(&out).into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
            if fault == "full" {
                disk.fill()
            } else {
                disk.protect()
            }
            let ended = output(arguments, &out);
            assert!([2, 4].contains(&ended.status.code().unwrap()), "{what}: {}", errors(&ended));
            assert!(errors(&ended).contains("cannot write"), "{what}: {}", errors(&ended));
            assert_complete(&out, &what);
            assert!(before.iter().all(|(content, path)| fs::read(path).unwrap() == *content), "{what}");
            let code = ended.status.code().unwrap();
            row(arguments[0], &format!("{fault} under results"), &format!("exit code {code}, results as before"));
        }
    }
}

#[test]
fn several_writers() {
    for arguments in [RUN.as_slice(), &REPRODUCE] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let all: Vec<_> = (0..4).map(|_| hamel(arguments, &out).spawn().unwrap()).collect();
        let all: Vec<Output> = all.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        let refused = all.iter().filter(|ended| {
            let message = errors(ended);
            let is_refused = ended.status.code() == Some(2) && message.contains("is being written by another hamel");
            assert!(is_refused || ended.status.success(), "{message}");
            is_refused
        });
        let refused = refused.count();
        assert!(refused < all.len());
        assert_complete(&out, "several writers");
        row(arguments[0], "four writers", &format!("{} wrote, {refused} refused", all.len() - refused));
    }
}

/// A description whose model takes a while to print.
fn robot(folder: &Path) -> PathBuf {
    let link = |k: usize| {
        format!(
            "<link name=\"l{k}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" \
             izz=\"1\"/></inertial></link><joint name=\"j{k}\" type=\"continuous\"><parent link=\"l0\"/><child link=\"l{k}\"/></joint>"
        )
    };
    let path = folder.join("robot.urdf");
    let links: String = (1..500).map(link).collect();
    fs::write(&path, format!("<robot name=\"r\"><link name=\"l0\"/>{links}</robot>")).unwrap();
    path
}

/// An imported model is whole or not there.
#[test]
fn imports() {
    let folder = tempfile::tempdir().unwrap();
    let robot = robot(folder.path());
    let arguments = ["import", robot.to_str().unwrap(), "--force"];
    let out = folder.path().join("whole.rs");
    let begin = Instant::now();
    assert_ends_well(&output(&arguments, &out), "import");
    let (time, whole) = (begin.elapsed(), fs::read(&out).unwrap());
    for signal in ["KILL", "TERM", "INT"] {
        let (mut met, mut there) = (0, 0);
        for moment in 0..moments() {
            let out = folder.path().join(format!("{signal}{moment}.rs"));
            met += u32::from(stopped(hamel(&arguments, &out), signal, time * (moment + 1) / (moments() + 1)));
            there += u32::from(out.exists());
            assert!(!out.exists() || fs::read(&out).unwrap() == whole, "SIG{signal} at moment {moment}");
        }
        let all = moments();
        row(
            "import",
            &format!("SIG{signal}"),
            &format!("{met} of {all} met it: {there} whole files, others not there"),
        );
    }
    for fault in ["full", "read-only"] {
        let Some(disk) = Disk::new(1024) else {
            row("import", fault, "skipped: no right to mount");
            continue;
        };
        let out = disk.path().join("out.rs");
        assert_ends_well(&output(&arguments, &out), fault);
        if fault == "full" {
            disk.fill()
        } else {
            disk.protect()
        }
        for out in [out.clone(), disk.path().join("new.rs")] {
            let ended = output(&arguments, &out);
            assert_eq!(ended.status.code(), Some(4), "{fault}: {}", errors(&ended));
            assert!(errors(&ended).contains("cannot write"), "{fault}: {}", errors(&ended));
        }
        assert_eq!(fs::read(out).unwrap(), whole, "{fault}");
        assert!(!disk.path().join("new.rs").exists() && !files(disk.path()).iter().any(|path| is_unfinished(path)));
        row("import", fault, "exit code 4, file as before, no new one");
    }
    // Standard output may be a file on a full disk.
    let mut command = Command::new(env!("CARGO_BIN_EXE_hamel"));
    command.args(&arguments[..2]).stdout(File::create("/dev/full").unwrap()).stderr(Stdio::piped());
    let ended = command.output().unwrap();
    assert_eq!(ended.status.code(), Some(4), "{}", errors(&ended));
    row("import", "standard output is full", "exit code 4");

    let out = folder.path().join("several.rs");
    let all: Vec<_> = (0..4).map(|_| hamel(&arguments, &out).spawn().unwrap()).collect();
    for child in all {
        assert_ends_well(&child.wait_with_output().unwrap(), "several writers");
    }
    assert_eq!(fs::read(out).unwrap(), whole);
    row("import", "four writers", "all wrote, one whole file");
}

const PENDULUM: &str = "model Pendulum {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    param mass = 1 kg;
    param damping = 0.1 N m s;
    body rod { mass: mass, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground, rod at [0, 0.5] m);
    force brake: torsion_spring(hinge) { stiffness: 0 N m, damping: damping }
    initial hinge.angle = 60 deg;
}";

/// A sweep of a hundred cases, of which one in five has an impossible mass.
fn sweep(folder: &Path) -> Vec<String> {
    let model = folder.join("pendulum.model");
    fs::write(&model, PENDULUM).unwrap();
    let words = "--vary mass=-1..3:5 --vary damping=0..1:20 --until 20 --scheme bathe --dt 1e-3 --outputs hinge.angle.max,energy.range --no-figures";
    ["sweep", model.to_str().unwrap()].into_iter().chain(words.split(' ')).map(str::to_owned).collect()
}

fn run_sweep(arguments: &[String], out: &Path) -> Output {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    output(&arguments, out)
}

/// The exit code of a sweep in which so many cases failed.
fn failed(cases: i32) -> Option<i32> {
    Some(10 + cases)
}

/// How many lines of a file have been written.
fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap_or_default().matches('\n').count()
}

/// Killed again and again when some more cases have ended, a sweep computes each case once, and ends as if nothing had
/// happened.
#[test]
fn a_killed_sweep_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = sweep(folder.path());
    let whole = folder.path().join("whole.csv");
    let ended = run_sweep(&arguments, &whole);
    assert_eq!(ended.status.code(), failed(40), "{}", errors(&ended));
    for signal in ["KILL", "TERM", "INT"] {
        let out = folder.path().join(format!("{signal}.csv"));
        let journal = folder.path().join(format!("{signal}.csv.journal"));
        let (mut met, mut kept) = (0, 0);
        for _ in 0..6 {
            let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
            met += u32::from(stopped_when(hamel(&words, &out), signal, |child| {
                while lines(&journal) <= kept && child.try_wait().unwrap().is_none() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }));
            let now = lines(&journal);
            assert!(now >= kept || out.exists(), "nothing that was kept is lost");
            kept = now;
        }
        if !out.exists() {
            let ended = run_sweep(&arguments, &out);
            assert_eq!(ended.status.code(), failed(40), "SIG{signal}: {}", errors(&ended));
        }
        assert_eq!(fs::read(&out).unwrap(), fs::read(&whole).unwrap(), "SIG{signal}");
        assert!(!journal.exists());
        row("sweep", &format!("SIG{signal}, six times"), &format!("{met} met it, {kept} lines kept, same table"));
    }
}

/// What has ended before a disk is full is kept; with room again the sweep goes on.
#[test]
fn a_sweep_outlives_a_full_disk() {
    let Some(disk) = Disk::new(64) else {
        row("sweep", "full", "skipped: no right to mount");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = sweep(folder.path());
    let whole = folder.path().join("whole.csv");
    run_sweep(&arguments, &whole);
    let out = disk.path().join("sweep.csv");
    let mut codes = Vec::new();
    // Ever more room: for the description alone, for some cases, for all but the table.
    for kilobytes in [60, 56, 52, 44, 32] {
        fs::write(disk.path().join("other"), vec![0; kilobytes << 10]).unwrap();
        let ended = run_sweep(&arguments, &out);
        let code = ended.status.code().unwrap();
        codes.push(format!("{kilobytes}: {code}"));
        if code != 4 {
            assert_eq!(Some(code), failed(40), "{}", errors(&ended));
            break;
        }
        assert!(errors(&ended).contains("cannot write") && errors(&ended).contains("goes on"), "{}", errors(&ended));
        assert!(!out.exists());
    }
    fs::remove_file(disk.path().join("other")).unwrap();
    run_sweep(&arguments, &out);
    assert_eq!(fs::read(&out).unwrap(), fs::read(&whole).unwrap());
    row("sweep", "a disk that others fill, exit codes", &codes.join(", "));
}

/// The same where files may not become large, which needs no right: a part of a line may have been written when no more is.
#[test]
fn a_sweep_outlives_a_limit_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = sweep(folder.path());
    let (whole, out) = (folder.path().join("whole.csv"), folder.path().join("out.csv"));
    run_sweep(&arguments, &whole);
    let mut kept = 0;
    for blocks in [1, 4, 5, 8] {
        let limited = Command::new("sh")
            .args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_hamel"))
            .args(&arguments)
            .arg("--out")
            .arg(&out)
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .output()
            .unwrap();
        assert_eq!(limited.status.code(), Some(4), "{blocks}: {}", errors(&limited));
        assert!(errors(&limited).contains("out.csv.journal"), "{}", errors(&limited));
        assert!(!out.exists());
        kept = lines(&folder.path().join("out.csv.journal"));
    }
    run_sweep(&arguments, &out);
    assert_eq!(fs::read(&out).unwrap(), fs::read(&whole).unwrap());
    row("sweep", "a limit of files, four times", &format!("{kept} lines kept, same table"));
}

#[test]
fn several_sweeps_into_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = sweep(folder.path());
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let out = folder.path().join("out.csv");
    let all: Vec<_> = (0..3).map(|_| hamel(&words, &out).spawn().unwrap()).collect();
    let mut refused = 0;
    for child in all {
        let ended = child.wait_with_output().unwrap();
        let is_refused = ended.status.code() == Some(2) && errors(&ended).contains("is being written by another hamel");
        assert!(is_refused || ended.status.code() == failed(40), "{}", errors(&ended));
        refused += u32::from(is_refused);
    }
    assert!(refused < 3);
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text.lines().count(), 101);
    row("sweep", "three writers", &format!("{} wrote, {refused} refused", 3 - refused));
}
