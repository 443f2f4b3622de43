//! Units of sources: they compile without a warning, move as the runtime does whichever way they are used, and no call
//! makes them touch memory that is not theirs.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use hamel::{Model, Simulation, initial_state, schemes};
use hamel_compiler::Stages;
use hamel_fmu::{Contents, ExportError, Stepping, Version, write_sources};
use hamel_jit::{JitModel, Level};
use tempfile::TempDir;

const WARNINGS: [&str; 6] = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wshadow", "-Wno-type-limits"];
const STEP: f64 = 1e-3;
const UNTIL: f64 = 0.05;

struct Unit {
    folder: TempDir,
    model: JitModel,
    /// Names of its variables, in the order of their value references.
    names: Vec<String>,
}

fn contents(text: &str, version: Version) -> Contents {
    Contents {
        text: text.to_owned(),
        version,
        kinds: Vec::new(),
        scheme: "runge_kutta".to_owned(),
        scheme_parameters: Vec::new(),
        stepping: Stepping::Fixed(STEP),
        until: 1.0,
    }
}

fn compiled(text: &str) -> (JitModel, Stages) {
    let stages = hamel_compiler::stages(text.parse().unwrap()).unwrap();
    (hamel_jit::compile(&stages, Level::Optimised).unwrap(), stages)
}

/// Whether programs can be told to watch their memory.
fn sanitizers(folder: &Path) -> &'static [&'static str] {
    const FLAGS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    fs::write(folder.join("probe.c"), "int main(void) { return 0; }\n").unwrap();
    let mut command = Command::new("cc");
    let output = command.current_dir(folder).args(FLAGS).args(["probe.c", "-o", "probe"]).output().unwrap();
    let runs =
        output.status.success() && Command::new(folder.join("probe")).status().is_ok_and(|status| status.success());
    if !runs {
        eprintln!("skipped: sanitizers (this compiler of C has none)");
    }
    if runs { FLAGS } else { &[] }
}

impl Unit {
    /// Exported, unpacked, and compiled with an importer; its memory may be watched.
    fn new(text: &str, version: Version, is_watched: bool) -> Unit {
        let (model, stages) = compiled(text);
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let file = at.join("unit.fmu");
        let settings = write_sources(&model, &stages, &contents(text, version), &file).unwrap();
        zip::ZipArchive::new(File::open(&file).unwrap()).unwrap().extract(at).unwrap();
        let description = fs::read_to_string(at.join("modelDescription.xml")).unwrap();
        let document = roxmltree::Document::parse(&description).unwrap();
        let elements =
            document.descendants().filter(|node| ["Float64", "ScalarVariable"].contains(&node.tag_name().name()));
        let names = elements.map(|node| node.attribute("name").unwrap().to_owned()).collect();
        let (named, build) = (
            if version == Version::Two { "File" } else { "SourceFile" },
            fs::read_to_string(at.join("sources/buildDescription.xml")).unwrap_or(description.clone()),
        );
        let build = roxmltree::Document::parse(&build).unwrap();
        let mut files: Vec<String> = build
            .descendants()
            .filter(|node| node.tag_name().name() == named)
            .map(|node| node.attribute("name").unwrap().to_owned())
            .collect();
        files.sort();
        // Version 2 lists them for each use.
        files.dedup();
        assert_eq!(files.len(), 3);
        let number = if version == Version::Two { 2 } else { 3 };
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources/driver.c");
        let mut command = Command::new("cc");
        // More is seen with more optimisation, which takes longer.
        let optimised = if version == Version::Two { "-O2" } else { "-O1" };
        command.current_dir(at.join("sources")).args(["-std=c99", optimised, "-g", "-ffp-contract=off"]).args(WARNINGS);
        command
            .args(if is_watched { sanitizers(at) } else { &[] })
            .arg(format!("-DVERSION={number}"))
            .arg(format!("-DTOKEN=\"{}\"", settings.token));
        let output = command.args(files).arg(driver).args(["-o", "../driver", "-lm"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Unit { folder, model, names }
    }

    fn place(&self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name} in {:?}", self.names))
    }

    fn called(&self, mode: &str, until: f64, steps: usize, given: &[(&str, f64)]) -> Output {
        self.called_from(0.0, mode, until, steps, given)
    }

    fn called_from(&self, start: f64, mode: &str, until: f64, steps: usize, given: &[(&str, f64)]) -> Output {
        let dims = self.model.dims();
        let first = 1 + self.model.describe().parameters.len() + self.model.describe().inputs.len();
        let numbers = [steps, self.names.len(), first, dims.nq + dims.nv].map(|number| number.to_string());
        let given = given.iter().flat_map(|(name, value)| [self.place(name).to_string(), format!("{value:e}")]);
        let mut command = Command::new(self.folder.path().join("driver"));
        command
            .env("START", start.to_string())
            .arg(mode)
            .arg(until.to_string())
            .args(numbers)
            .args(given)
            .output()
            .unwrap()
    }

    /// All variables at the end of a motion.
    fn moved(&self, mode: &str, steps: usize, given: &[(&str, f64)]) -> Vec<f64> {
        let output = self.called(mode, UNTIL, steps, given);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{mode} of {}: {said}", self.model.describe().name);
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
    }

    /// The columns of a run at its end, by the names of variables.
    fn run(&self, step: f64) -> Vec<(String, f64)> {
        let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
        let simulation = Simulation::new(&self.model, &*scheme).step(step).until(UNTIL).record_every(usize::MAX);
        let run = simulation.run(initial_state(&self.model).unwrap());
        run.outcome.unwrap();
        let last = |name: &str| run.trajectory.column(name).unwrap().next_back().unwrap();
        let info = self.model.describe();
        let channels = info.coordinates.iter().chain(&info.outputs);
        let mut values: Vec<(String, f64)> =
            channels.map(|channel| (channel.name.clone(), last(&channel.name))).collect();
        let multipliers = info.constraints.iter().map(|row| format!("multiplier({})", row.name));
        let named = |name: &str| name.replace('(', ".").replace(')', "").replace("][", ",");
        values.extend(multipliers.map(|name| (named(&name), last(&name))));
        values
    }
}

/// Texts of models that sources are for: trees, constraints, rotations of both kinds, states, outputs of forces, time.
fn texts() -> Vec<(&'static str, String)> {
    let names = ["heavy_top", "heavy_top_joint", "slider_crank_absolute", "sleigh", "driven_pendulum", "ellipsoid"];
    let own = names.map(|name| {
        let model = (hamel_models::find(name).unwrap().build)(&[]).unwrap();
        (name, model.describe().source.clone())
    });
    own.into_iter().chain([("loaded", LOADED.to_owned()), ("free", FREE.to_owned())]).collect()
}

/// Without parameters, inputs and outputs, and with a unit norm that nothing but normalisation keeps.
const FREE: &str = "model Free {
    coordinates joint;
    body disc { mass: 1 kg, inertia: diag(0.1, 0.2, 0.25) kg m^2 }
    joint fly: free(ground, disc);
    initial disc.angular_velocity = [1, 20, 0.5] rad/s;
}";

/// A pendulum whose hinge is moved by a law of time, and one that follows a wall.
const SHAKEN: &str = "model Shaken {
    planar;
    param reach = 0.2 m;
    gravity [0, -9.81] m/s^2;
    body cart { mass: 1 kg, inertia: 0.1 kg m^2 }
    body bob { mass: 1 kg, inertia: 0.1 kg m^2 }
    joint guide: prismatic(ground, cart);
    joint hinge: revolute(cart, bob at [0, 0.5] m);
    constraint shake: cart.position.x == reach * sin(7 rad/s * time);
}";

const LOADED: &str = "model Loaded {
    planar;
    param length = 0.3 m;
    param load = 2 N;
    input drive N m;
    gravity [0, -9.81] m/s^2;
    body crank { mass: 1 kg, inertia: 0.01 kg m^2 }
    body rod { mass: 0.5 kg, inertia: 0.02 kg m^2 }
    body slider { mass: 0.4 kg, inertia: 0.001 kg m^2 }
    joint pivot: revolute(ground, crank at [-0.05, 0] m);
    joint pin: revolute(crank at [0.05, 0] m, rod at [-length, 0]);
    joint wrist: revolute(rod at [length, 0], slider);
    joint guide: prismatic(ground, slider);
    torque motor: drive + 0.1 N m * cos(5 rad/s * time) on crank;
    force push: [-load, 0] on slider;
    state heat W: 3 W/s - heat / 2 s;
    output x = slider.position;
    initial crank.angle = 40 deg;
    initial crank.angular_velocity = 3 rad/s;
}";

#[test]
fn they_move_as_the_runtime_does() {
    for (name, text) in texts() {
        for version in [Version::Two, Version::Three] {
            // The interfaces differ, and not by model.
            if version == Version::Two && !["heavy_top", "free", "loaded"].contains(&name) {
                continue;
            }
            let unit = Unit::new(&text, version, false);
            let [run, fine] = [STEP, STEP / 4.0].map(|step| unit.run(step));
            let steps = (UNTIL / STEP).round() as usize;
            // One step of the unit for each of the importer's, several, and the importer's own.
            for (mode, steps) in [("cs", steps), ("cs", steps / 5), ("me", 4 * steps)] {
                let found = unit.moved(mode, steps, &[]);
                assert!((found[0] - UNTIL).abs() < 1e-12);
                for (variable, expected) in if mode == "cs" { &run } else { &fine } {
                    let value = found[unit.place(variable)];
                    // Multipliers are not those of the end of an importer's step, and steps differ.
                    let tolerance = match (mode, name) {
                        // The program does not know where its drive jumps, at the end of a step.
                        ("cs", "driven_pendulum") => 1e-5,
                        ("cs", _) => 1e-9,
                        _ => 2e-5,
                    };
                    let scale = 1.0 + expected.abs() * if variable.starts_with("multiplier") { 10.0 } else { 1.0 };
                    let is_near = (value - expected).abs() <= tolerance * scale;
                    assert!(is_near, "{name}, {version:?}, {mode}: {variable} is {value}, {expected} by the runtime");
                }
            }
        }
    }
}

#[test]
fn they_go_back_and_on_with_the_same_digits() {
    let unit = Unit::new(LOADED, Version::Three, true);
    assert_eq!(unit.moved("cs", 10, &[]), unit.moved("back", 10, &[]));
}

#[test]
fn a_start_keeps_what_is_given_and_obeys_the_constraints() {
    let unit = Unit::new(LOADED, Version::Three, false);
    let given = [("crank.angle", 1.1), ("length", 0.35), ("drive", 0.7), ("heat", 5.0)];
    let found = unit.called("cs", 0.0, 1, &given);
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let found: Vec<f64> = String::from_utf8(found.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    for (name, value) in given {
        assert!((found[unit.place(name)] - value).abs() < 1e-9, "{name}: {}", found[unit.place(name)]);
    }
    let mut model = compiled(LOADED).0;
    model.set(&[("length".to_owned(), 0.35)]).unwrap();
    let first = unit.place("crank.x");
    let mut residual = vec![0.0; model.dims().nc];
    model.constraint(0.0, &found[first..first + model.dims().nq], &mut residual);
    assert!(residual.iter().all(|value| value.abs() < 1e-12), "{residual:?}");
    // Whether somebody looks in between makes no difference.
    let more = [given.as_slice(), &[("rod.angle_velocity", 0.4)]].concat();
    assert_eq!(unit.moved("look", 10, &more), unit.moved("cs", 10, &more));
    // What contradicts the constraints is refused: the guide is a line.
    let refused = unit.called("cs", 0.0, 1, &[("slider.y", 0.5), ("slider.angle", 0.0), ("crank.angle", 0.2)]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("start"), "{said}");
}

#[test]
fn a_start_at_another_time_obeys_the_constraints_there() {
    let unit = Unit::new(SHAKEN, Version::Three, false);
    for start in [5.0, -2.0] {
        let output = unit.called_from(start, "cs", 0.0, 1, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let output = String::from_utf8(output.stdout).unwrap();
        let found: Vec<f64> = output.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(found[0], start);
        let value = |name: &str| found[unit.place(name)];
        assert!((value("cart.x") - 0.2 * (7.0 * start).sin()).abs() < 1e-12);
        assert!((value("cart.x_velocity") - 1.4 * (7.0 * start).cos()).abs() < 1e-12);
    }
}

#[test]
fn hostile_calls_have_a_status() {
    let units = [LOADED.to_owned(), texts()[1].1.clone()].map(|text| Unit::new(&text, Version::Three, true));
    for unit in &units {
        for seed in 1..=5 {
            let output = unit.called("hostile", f64::from(seed), 2000, &[]);
            let said = String::from_utf8_lossy(&output.stderr);
            let last: Vec<&str> = said.lines().rev().take(10).collect();
            assert!(output.status.success(), "seed {seed}: {last:?}");
        }
    }
}

#[test]
fn what_sources_cannot_do_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("unit.fmu");
    let (model, stages) = compiled(LOADED);
    let refused = |change: fn(&mut Contents)| {
        let mut contents = contents(LOADED, Version::Three);
        change(&mut contents);
        match write_sources(&model, &stages, &contents, &to) {
            Err(ExportError::Kind(what)) => what,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(|contents| contents.scheme = "bathe".to_owned()).contains("`half_explicit`"));
    assert!(refused(|contents| contents.stepping = Stepping::Tolerance(1e-6)).contains("--dt"));
    let ball = (hamel_models::find("bouncing_ball").unwrap().build)(&[]).unwrap();
    let text = ball.describe().source.clone();
    let (model, stages) = compiled(&text);
    let written = write_sources(&model, &stages, &contents(&text, Version::Three), &to);
    assert!(matches!(written, Err(ExportError::Kind(what)) if what.contains("has contacts")) && !to.exists());
}
