//! The command line with arguments at random: documented exit codes, a message where something is wrong, and no file but
//! where files were asked for.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::random::Random;

const VERBS: [&str; 10] =
    ["list", "run", "run", "inspect", "expand", "import", "reproduce", "counts", "closed-forms", "help"];
/// Models that compile in a moment.
const MODELS: [&str; 12] = [
    "pendulum",
    "pendulum_absolute",
    "heavy_top",
    "bouncing_ball",
    "point_pendulum",
    "sleigh",
    "slider_crank",
    "stick_slip",
    "scotch_yoke",
    "rocking_block",
    "forced_oscillator",
    "free_body",
];
const SCHEMES: [&str; 14] = [
    "hht",
    "modified-hht",
    "modified_hht_body_weighted",
    "newmark",
    "generalized_alpha",
    "bathe",
    "rho_bathe",
    "trapezoidal",
    "moreau",
    "half_explicit",
    "mssth4",
    "runge_kutta",
    "newmark_predictor_corrector",
    "hth",
];
const NUMBERS: [&str; 30] = [
    "0",
    "1",
    "-1",
    "0.5",
    "1e-3",
    "1e-2",
    "0.7",
    "1e308",
    "1e400",
    "-1e308",
    "1e-300",
    "5e-324",
    "1e-400",
    "nan",
    "NaN",
    "-nan",
    "inf",
    "-inf",
    "infinity",
    "-0",
    "+1",
    ".5",
    "5.",
    "0x10",
    "1_000",
    "",
    " ",
    "1e",
    "٣",
    "18446744073709551616",
];
/// What stands in the folder of the files, and what does not.
const FILES: [&str; 16] = [
    "files/good.model",
    "files/good.rs",
    "files/two.rs",
    "files/bad.model",
    "files/lexes.not",
    "files/empty.model",
    "files/bytes.model",
    "files/robot.urdf",
    "files/bad.urdf",
    "files/folder.model",
    "files/none.model",
    "files",
    "",
    "/",
    "-",
    "files/pipe.model",
];
const PLACES: [&str; 12] = [
    "out",
    "out/a",
    "out/b/c",
    "out/file.rs",
    "out/../out/d",
    "./out",
    "../beside",
    "files/good.model",
    "files/good.model/below",
    "",
    "out/日本 \u{202e}x\n",
    "out/.hidden",
];
const ASSIGNMENTS: [&str; 16] = [
    "mass=2",
    "mass=-1",
    "mass=0",
    "mass=nan",
    "mass=inf",
    "mass=1e308",
    "mass=1e-308",
    "length=0",
    "length=1e300",
    "friction=nan",
    "restitution=2",
    "mass",
    "=1",
    "=",
    "mass==1",
    "mas=1",
];
const SCHEME_PARAMETERS: [&str; 8] = ["alpha", "rho_infinity", "beta", "gamma", "corrections", "tolerance", "alpa", ""];
const OPTIONS: [&str; 31] = [
    "--json",
    "--markdown",
    "--study",
    "--code",
    "--force",
    "--resume",
    "--floating",
    "--stats",
    "--last-point-rotations",
    "--help",
    "--version",
    "-h",
    "-V",
    "--",
    "--unknown",
    "-x",
    "--dt",
    "--until",
    "--out",
    "--set",
    "--with",
    "--scheme",
    "--as",
    "--term",
    "--only",
    "--cost",
    "--provide",
    "--model",
    "--record",
    "--adaptive",
    "--constraints",
];

/// A place with files to work on, which a case may change.
pub struct Sandbox {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Sandbox {
    /// A new one for this program.
    pub fn new(program: &Path) -> Sandbox {
        let sandbox = Sandbox { folder: tempfile::tempdir().expect("a folder"), program: program.to_owned() };
        sandbox.furnish();
        sandbox
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn furnish(&self) {
        let model = |name: &str| {
            format!(
                "model {name} {{ planar; coordinates joint; param mass = 1 kg; body rod {{ mass: mass, inertia: 1 kg m^2 }} \
                 joint pin: revolute(ground, rod at [0, 1] m); output y = rod.position; }}"
            )
        };
        let called = |name: &str| format!("hamel::multibody! {{ pub {} }}\n", model(name));
        let robot = "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"><inertial><mass value=\"1\"/>\
            <inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\
            <joint name=\"j\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><limit/></joint></robot>";
        let files = self.work().join("files");
        let _ = fs::remove_dir_all(self.work());
        fs::create_dir_all(files.join("folder.model")).expect("a folder");
        let write = |name: &str, content: &[u8]| fs::write(files.join(name), content).expect("a file");
        write("good.model", model("Good").as_bytes());
        write("good.rs", called("Good").as_bytes());
        write("two.rs", [called("First"), called("Second")].concat().as_bytes());
        write("bad.model", model("Bad").replace("planar", "planer").as_bytes());
        write("lexes.not", b"model M { ( ] }");
        write("empty.model", b"");
        write("bytes.model", &[0xff, 0xfe, 0, 1, 2]);
        write("robot.urdf", robot.as_bytes());
        write("bad.urdf", robot.replace("base", "b*/").replacen("b*/", "c", 1).as_bytes());
        let _ = Command::new("mkfifo").arg(files.join("pipe.model")).status();
    }

    /// Files and folders, with what is in the files.
    fn content(&self, of: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![of.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let kind = entry.file_type().ok();
                let is = |what: fn(&fs::FileType) -> bool| kind.as_ref().is_some_and(what);
                if is(fs::FileType::is_dir) {
                    folders.push(entry.path());
                }
                let text = if is(fs::FileType::is_file) { fs::read(entry.path()).ok() } else { None };
                found.insert(entry.path(), text);
            }
        }
        found
    }

    /// Runs the command with this number: how it ended, or the law that is broken.
    pub fn run(&self, seed: u64) -> Result<String, String> {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x7f4a_7c15_9e37_79b9);
        random.below(2);
        let Arguments { list, places } = arguments(&mut random);
        let files = self.work().join("files");
        let before = self.content(self.folder.path());
        // A gigabyte of memory is all that it gets.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 1048576; exec \"$0\" \"$@\""]).arg(&self.program).args(&list);
        // Compiled models are kept neither in the user's folder nor in one that is compared.
        command.env("XDG_CACHE_HOME", std::env::temp_dir().join("hamel_fuzz_inputs"));
        command.current_dir(self.work()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.output().map_err(|error| error.to_string())?;
        let code = output.status.code();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let broken = |law: &str| Err(format!("{law}: {list:?} ends with {code:?}\n{said}"));
        let Some(code @ 0..=4) = code else { return broken("exit code") };
        if said.contains("panicked") || said.contains("RUST_BACKTRACE") {
            return broken("panic");
        }
        // A verdict stands on standard output.
        if code != 0 && said.trim().is_empty() && (code != 1 || output.stdout.is_empty()) {
            return broken("no message");
        }
        if said.chars().any(|letter| letter.is_control() && !"\n\t".contains(letter)) {
            return broken("hidden characters");
        }
        let places: Vec<PathBuf> = places.iter().map(|place| plain(&self.work().join(place))).collect();
        let after = self.content(self.folder.path());
        let is_changed = |path: &&PathBuf| before.get(*path) != after.get(*path);
        let changed: Vec<&PathBuf> = before.keys().chain(after.keys()).filter(is_changed).collect();
        // Folders on the way to a place are made.
        let is_allowed = |path: &Path| {
            places.iter().any(|place| path.starts_with(place) || path.is_dir() && place.starts_with(path))
        };
        if let Some(path) = changed.iter().find(|path| !is_allowed(path)) {
            return broken(&format!("{} was written", path.display()));
        }
        self.clear(&mut random, changed.iter().all(|path| !path.starts_with(&files)));
        Ok(format!("code {code}"))
    }

    /// Removes what was written, most of the time.
    fn clear(&self, random: &mut Random, is_unchanged: bool) {
        let _ = fs::remove_dir_all(self.folder.path().join("beside"));
        if !is_unchanged {
            self.furnish();
        } else if random.below(3) > 0 {
            for entry in fs::read_dir(self.work()).into_iter().flatten().flatten() {
                if entry.file_name() != "files" {
                    let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
                }
            }
        }
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

struct Arguments {
    list: Vec<OsString>,
    /// Where files may be written.
    places: Vec<OsString>,
}

/// Arguments that ask for no more than a moment of work.
fn arguments(random: &mut Random) -> Arguments {
    let verb = one_of(random, &VERBS);
    let mut list: Vec<OsString> = Vec::new();
    // How rarely a value is hostile.
    let one_in = [3, 10, 30][random.below(3)];
    let mut add = |parts: &[&str]| list.extend(parts.iter().map(OsString::from));
    let hostile = |random: &mut Random| random.below(one_in) == 0;
    // A verb that stands for itself would ask for all that it can do.
    if random.below(30) > 0 || verb == "help" {
        add(&[verb]);
    }
    let model = |random: &mut Random| if hostile(random) { one_of(random, &FILES) } else { one_of(random, &MODELS) };
    match verb {
        "list" => add(&[one_of(random, &["models", "schemes", "experiments", "", "model"])]),
        "run" => {
            add(&[model(random), "--scheme", one_of(random, &SCHEMES)]);
            let is_hostile = hostile(random);
            let (dt, until) = duration(random, is_hostile);
            add(&["--dt", &dt, "--until", &until]);
            for (option, one_in) in
                [("--max-residual", 12), ("--max-energy-gain", 12), ("--newton-tolerance", 8), ("--record", 8)]
            {
                if random.below(one_in) == 0 {
                    add(&[option, one_of(random, &NUMBERS)]);
                }
            }
            if random.below(3) == 0 {
                add(&["--set", one_of(random, &ASSIGNMENTS)]);
            }
            while random.below(3) == 0 {
                let parameter = one_of(random, &SCHEME_PARAMETERS);
                add(&["--with", &format!("{parameter}={}", one_of(random, &NUMBERS))]);
            }
            if random.below(6) == 0 {
                add(&["--constraints", one_of(random, &["position", "velocity", "both"])]);
            }
        }
        "inspect" | "expand" => {
            let what = if random.below(2) == 0 { one_of(random, &FILES) } else { model(random) };
            add(&[what]);
            if random.below(3) == 0 {
                add(&["--model", one_of(random, &["First", "Second", "Third", "", "Good"])]);
            }
            if verb == "inspect" && random.below(2) == 0 {
                add(&["--as", one_of(random, &["rust", "dot", "svg", "c", "c-header", "latex", "text", "pdf"])]);
            }
            if verb == "inspect" && random.below(3) == 0 {
                add(&[
                    "--term",
                    one_of(
                        random,
                        &["mass_matrix", "residual", "iteration_matrix", "forward_dynamics", "energy", "", "mas"],
                    ),
                ]);
            }
        }
        "import" => {
            add(&[one_of(random, &FILES)]);
            if random.below(3) == 0 {
                add(&[
                    "--provide",
                    one_of(random, &["inverse_dynamics", "inverse_dynamics,forward_dynamics", ",", "", "mass"]),
                ]);
            }
        }
        "reproduce" => {
            let experiment = if hostile(random) { "" } else { "sherif/single_axis_rotation" };
            add(&["--only", [experiment, "no", "sherif/", "/", "sherif/single_axis_rotation/"][random.below(5)]]);
            if random.below(4) == 0 {
                add(&[one_of(random, &["sherif", "sherrif", "", "simo"])]);
            }
        }
        "counts" => add(&["--only", one_of(random, &["HT_M", "none", "ht_m"])]),
        "closed-forms" => {
            add(&["--only", one_of(random, &["ball/", "none"]), "--scheme", one_of(random, &["bathe", "none"])])
        }
        _ => add(&[one_of(random, &VERBS)]),
    }
    let mut places: Vec<OsString> = vec!["run".into(), "results".into()];
    if random.below(2) == 0 {
        let mut place = OsString::from(one_of(random, &PLACES));
        if random.below(20) == 0 {
            place = OsStr::new("out/").to_owned();
            place.push("long".repeat(20 + random.below(60)));
        }
        list.push("--out".into());
        list.push(place.clone());
        places.push(place);
    }
    while random.below(3) == 0 {
        let option = one_of(random, &OPTIONS);
        // Options whose values decide about work or places have been given theirs.
        let is_free =
            !["--study", "--cost", "--dt", "--until", "--out", "--only", "--adaptive", "--scheme"].contains(&option);
        if is_free || hostile(random) && !["--study", "--out", "--until", "--only"].contains(&option) {
            let place = random.below(list.len() + 1);
            list.insert(place, option.into());
        }
    }
    if hostile(random) && !list.is_empty() {
        let (from, to) = (random.below(list.len()), random.below(list.len()));
        if !is_place(&list, from)
            && !is_place(&list, to)
            && verb != "reproduce"
            && verb != "counts"
            && verb != "closed-forms"
        {
            list.swap(from, to);
        }
    }
    Arguments { list, places }
}

fn one_of<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len())]
}

/// Whether a word is the value of `--out`, the option itself, or what might become one or the other.
fn is_place(list: &[OsString], index: usize) -> bool {
    let is_out = |index: usize| list.get(index).is_some_and(|word| word == "--out");
    is_out(index) || index > 0 && is_out(index - 1)
}

/// A step and an end, of few steps or refused.
fn duration(random: &mut Random, is_hostile: bool) -> (String, String) {
    if is_hostile {
        let values = ["0", "-1", "nan", "inf", "1e-300", "x", "", "1e308", "1e400"];
        let (dt, until) =
            (one_of(random, &values), one_of(random, &["0", "-1", "nan", "inf", "1", "1e308", "", "1e9"]));
        return (dt.to_owned(), until.to_owned());
    }
    let dt = *random.pick(&[1e-3, 1e-2, 1e-6, 0.1, 10.0]);
    (format!("{dt}"), format!("{}", dt * (1 + random.below(20)) as f64 * [1.0, 0.7][random.below(2)]))
}
