//! Robots of many kinds move as Pinocchio, MuJoCo and Drake say; `benches/peers/robot_values.py`, `benches/peers/mjcf.py` and
//! `benches/peers/sdf.py` have recorded what they say.

use std::path::{Path, PathBuf};

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::resolve::Provided;
use hamel_compiler::schedule::interpret::{Interpreter, Point};
use hamel_compiler::simplify::Limits;
use hamel_compiler::{Stages, parallel};
use hamel_import::{Format, Import, Options, PinocchioJoint, urdf};

/// Largest difference from another program, relative to the largest entry.
const TOLERANCE: f64 = 1e-11;

/// The descriptions of a folder.
fn descriptions(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|known| known == ending));
    paths.sort();
    paths
}

fn doubles(path: &Path) -> Option<Vec<f64>> {
    let bytes = std::fs::read(path).ok()?;
    Some(bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes"))).collect())
}

/// The joint of a channel, and which of its components it is.
fn joint<'a>(import: &'a Import, channel: &'a str) -> (&'a PinocchioJoint, &'a str) {
    let (name, component) = channel.rsplit_once('.').expect("a component of a joint");
    let joint = import.pinocchio.iter().find(|joint| joint.name == name);
    (joint.unwrap_or_else(|| panic!("{channel} is not in Pinocchio")), component)
}

/// A coordinate by Pinocchio's.
fn coordinate(import: &Import, channel: &str, q: &[f64]) -> f64 {
    let (joint, component) = joint(import, channel);
    let q = &q[joint.q.clone()];
    match q.len() {
        1 => q[0],
        2 => q[1].atan2(q[0]),
        _ => {
            let order = ["x", "y", "z", "e1", "e2", "e3", "e0"];
            q[order.iter().position(|known| *known == component).expect("a coordinate of a free joint")]
        }
    }
}

/// Where Pinocchio has a velocity.
fn velocity(import: &Import, channel: &str) -> usize {
    let (joint, component) = joint(import, channel);
    let order = ["v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"];
    joint.v.start + order.iter().position(|known| *known == component).unwrap_or(0)
}

/// The largest relative difference.
fn deviation(found: impl Iterator<Item = f64>, expected: impl Iterator<Item = f64> + Clone) -> f64 {
    let size = expected.clone().fold(0.0_f64, |size, value| size.max(value.abs()));
    let size = if size > 0.0 { size } else { 1.0 };
    found.zip(expected).fold(0.0, |most, (found, expected)| {
        let difference = (found - expected).abs() / size;
        if difference > most || difference.is_nan() { difference } else { most }
    })
}

/// The equations of a robot.
fn compiled(import: &Import, path: &Path) -> Stages {
    let stages = hamel_compiler::stages_within(import.tokens().expect("tokens"), &Limits::least());
    stages.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Holds mass matrix and nonlinear effects against those of another program.
fn assert_same(
    model: &Interpreter<f64>,
    point: &Point<f64>,
    mass: impl Iterator<Item = f64> + Clone,
    effects: impl Iterator<Item = f64> + Clone,
    path: &Path,
) {
    let of_mass = deviation(model.mass_matrix(&point.q).values.into_iter(), mass);
    let found = model.evaluate(FunctionRole::NonlinearEffects, point);
    let found = found.into_iter().find(|(role, _)| *role == Role::NonlinearEffects).expect("effects").1.values;
    let of_effects = deviation(found.into_iter(), effects);
    let path = path.display();
    assert!(of_mass < TOLERANCE && of_effects < TOLERANCE, "{path}: {of_mass:e} of M, {of_effects:e} of the effects");
}

/// Compares a robot with what is recorded; how many states there are.
fn compare(path: &Path, is_floating: bool) -> usize {
    let base = if is_floating { "floating" } else { "fixed" };
    let Some(recorded) = doubles(&path.with_extension(format!("{base}.f64"))) else { return 0 };
    let provide = vec![Provided::NonlinearEffects];
    let options = Options { is_floating, provide, exact_angles: true, ..Options::default() };
    let text = std::fs::read_to_string(path).expect("a description");
    let import = urdf::import(&text, &options).unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
    let stages = compiled(&import, path);
    let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, Vec::new());
    let layout = &stages.simplified.layout;
    let last = import.pinocchio.last().expect("a joint that moves");
    let (nq, nv) = (last.q.end, last.v.end);
    assert_eq!(layout.velocities.len(), nv, "{}", path.display());
    let places: Vec<usize> = layout.velocities.iter().map(|channel| velocity(&import, &channel.name)).collect();
    let size = nq + nv + nv * (nv + 1) / 2 + nv;
    assert!(recorded.len().is_multiple_of(size) && !recorded.is_empty(), "{} of {base}", path.display());
    for state in recorded.chunks_exact(size) {
        let (q, rest) = state.split_at(nq);
        let (v, rest) = rest.split_at(nv);
        let (mass, effects) = rest.split_at(nv * (nv + 1) / 2);
        let point = Point {
            t: 0.0,
            inputs: Vec::new(),
            q: layout.coordinates.iter().map(|channel| coordinate(&import, &channel.name, q)).collect(),
            v: places.iter().map(|&place| v[place]).collect(),
            a: vec![0.0; nv],
            lambda: Vec::new(),
            tau: vec![0.0; nv],
        };
        let upper = |i: usize, j: usize| {
            let (row, column) = (i.min(j), i.max(j));
            mass[row * nv - row * row.saturating_sub(1) / 2 + column - row]
        };
        let expected = places.iter().flat_map(|&i| places.iter().map(move |&j| (i, j))).map(|(i, j)| upper(i, j));
        let expected_effects = places.iter().map(|&place| effects[place]);
        assert_same(&model, &point, expected, expected_effects, path);
    }
    recorded.len() / size
}

#[test]
fn robots_move_as_pinocchio_says() {
    let paths = descriptions("robots", "urdf");
    assert!(paths.len() >= 12, "{} robots", paths.len());
    let cases: Vec<(&PathBuf, bool)> = paths.iter().flat_map(|path| [(path, false), (path, true)]).collect();
    let count: usize = parallel::map(&cases, |&(path, is_floating)| compare(path, is_floating)).into_iter().sum();
    assert!(count >= 4 * paths.len() - 4, "{count} states of {} robots", paths.len());
}

/// Random trees with all kinds of joints, several in one body, and with shapes, classes, frames, springs and actuators.
#[test]
fn robots_move_as_mujoco_says() {
    compare_all("mujoco", Format::Mjcf, "xml");
}

/// Random trees with all kinds of joints, in versions 1.5 to 1.11, with frames, models within models, joints that lead back,
/// joints that follow others, and inertias of shapes.
#[test]
fn robots_move_as_drake_says() {
    compare_all("drake", Format::Sdf, "sdf");
}

/// Compares the robots of a folder with the values that stand beside them.
fn compare_all(folder: &str, format: Format, ending: &str) {
    let paths = descriptions(folder, ending);
    assert!(paths.len() >= 6, "{} robots", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a description");
        let provide = vec![Provided::NonlinearEffects];
        let options = Options { is_floating: format == Format::Sdf, provide, ..Options::default() };
        let import = format.import(&text, &options).unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
        let stages = compiled(&import, &path);
        let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, Vec::new());
        let layout = &stages.simplified.layout;
        let recorded = std::fs::read_to_string(path.with_extension("values")).expect("values");
        let mut lines = recorded.lines();
        for channels in [&layout.coordinates, &layout.velocities] {
            let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
            assert_eq!(lines.next(), Some(names.join(" ").as_str()), "{}", path.display());
        }
        let (nq, nv) = (layout.coordinates.len(), layout.velocities.len());
        let mut states = 0;
        for line in lines {
            let values: Vec<f64> = line.split_whitespace().map(|value| value.parse().expect("a number")).collect();
            assert_eq!(values.len(), nq + nv + nv * nv + nv, "{}", path.display());
            let (q, rest) = values.split_at(nq);
            let (v, rest) = rest.split_at(nv);
            let (mass, effects) = rest.split_at(nv * nv);
            let point = Point {
                t: 0.0,
                inputs: vec![0.0; layout.inputs.len()],
                q: q.to_vec(),
                v: v.to_vec(),
                a: vec![0.0; nv],
                lambda: Vec::new(),
                tau: vec![0.0; nv],
            };
            assert_same(&model, &point, mass.iter().copied(), effects.iter().copied(), &path);
            states += 1;
        }
        assert!(states >= 2, "{}", path.display());
    }
}
