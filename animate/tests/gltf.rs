//! Files in glTF hold the motion: points recomputed from nothing but their numbers are those of the trajectory; and the
//! validator of Khronos, where Node has it, finds nothing wrong.

use std::process::Command;

use hamel::schemes::{self, RungeKutta};
use hamel::{Model, Run, Scheme, Simulation, initial_state};
use hamel_animate::{Meshes, Motion, Scene, gltf};
use hamel_jit::{JitModel, Level};
use serde_json::Value;

/// A file, taken apart.
struct File {
    json: Value,
    bytes: Vec<u8>,
    parents: Vec<Option<usize>>,
}

impl File {
    fn read(file: &[u8]) -> File {
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&file[..4], number(4), number(8)), (&b"glTF"[..], 2, file.len()));
        let (length, kind) = (number(12), &file[16..20]);
        assert_eq!((kind, length % 4), (&b"JSON"[..], 0));
        let json: Value = serde_json::from_slice(&file[20..20 + length]).unwrap();
        assert_eq!(&file[24 + length..28 + length], b"BIN\0");
        let nodes = json["nodes"].as_array().unwrap();
        let mut parents = vec![None; nodes.len()];
        for (parent, node) in nodes.iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                parents[child.as_u64().unwrap() as usize] = Some(parent);
            }
        }
        File { bytes: file[28 + length..].to_vec(), json, parents }
    }

    fn named(&self, name: &str) -> usize {
        let nodes = self.json["nodes"].as_array().unwrap();
        nodes.iter().position(|node| node["name"] == name).unwrap_or_else(|| panic!("no node `{name}`"))
    }

    /// The vectors of an accessor of single precision.
    fn vectors(&self, accessor: &Value) -> Vec<Vec<f64>> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        assert_eq!(accessor["componentType"], 5126);
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [offset, length] = ["byteOffset", "byteLength"].map(|name| view[name].as_u64().unwrap() as usize);
        let numbers = self.bytes[offset..offset + length].chunks(4);
        let numbers: Vec<f64> = numbers.map(|four| f32::from_le_bytes(four.try_into().unwrap()).into()).collect();
        let size = numbers.len() / accessor["count"].as_u64().unwrap() as usize;
        numbers.chunks(size).map(<[f64]>::to_vec).collect()
    }

    /// The sampler of a property of a node, if it is animated.
    fn sampler(&self, node: usize, path: &str) -> Option<&Value> {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array()?;
        let channel = channels.iter().find(|one| one["target"]["node"] == node && one["target"]["path"] == path)?;
        Some(&animation["samplers"][channel["sampler"].as_u64()? as usize])
    }

    fn times(&self) -> Vec<f64> {
        self.vectors(&self.json["animations"][0]["samplers"][0]["input"]).concat()
    }

    /// A property of a node at an instant.
    fn property(&self, node: usize, path: &str, instant: usize, default: &[f64]) -> Vec<f64> {
        match self.sampler(node, path) {
            Some(sampler) => self.vectors(&sampler["output"])[instant].clone(),
            None => match self.json["nodes"][node][path].as_array() {
                Some(numbers) => numbers.iter().map(|number| number.as_f64().unwrap()).collect(),
                None => default.to_vec(),
            },
        }
    }

    /// A point of a node, seen from outside of everything.
    fn point(&self, node: usize, instant: usize, point: [f64; 3]) -> [f64; 3] {
        let at = self.property(node, "translation", instant, &[0.0; 3]);
        let turn = self.property(node, "rotation", instant, &[0.0, 0.0, 0.0, 1.0]);
        let size = self.property(node, "scale", instant, &[1.0; 3]);
        let scaled = [0, 1, 2].map(|i| size[i] * point[i]);
        let [x, y, z, w] = turn[..] else { panic!() };
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let twice = cross([x, y, z], scaled).map(|part| 2.0 * part);
        let more = cross([x, y, z], twice);
        let point = [0, 1, 2].map(|i| at[i] + scaled[i] + w * twice[i] + more[i]);
        self.parents[node].map_or(point, |parent| self.point(parent, instant, point))
    }

    /// Instants at which a row was recorded, with the row.
    fn recorded<'r>(&self, run: &'r Run) -> Vec<(usize, &'r [f64])> {
        let rows: Vec<&[f64]> = run.trajectory.rows().collect();
        let near = |t: f64| rows.iter().find(|row| (row[0] - rows[0][0] - t).abs() < 1e-6).copied();
        self.times().into_iter().enumerate().filter_map(|(instant, t)| Some((instant, near(t)?))).collect()
    }
}

fn recorded(text: &str, scheme: &dyn Scheme, (dt, until): (f64, f64)) -> (JitModel, Run) {
    let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}"));
    let run = Simulation::new(&model, scheme).step(dt).until(until).run(initial_state(&model).unwrap());
    run.outcome.as_ref().unwrap_or_else(|error| panic!("{error}"));
    (model, run)
}

fn scene(model: &JitModel, run: &Run, label: &str, meshes: &Meshes) -> Scene {
    let (info, trajectory) = (model.describe(), &run.trajectory);
    Scene::new(&Motion { label, info, parameters: &[], inputs: &[], trajectory, meshes }).unwrap()
}

fn near(found: [f64; 3], expected: [f64; 3], what: &str) {
    let error = (0..3).map(|i| (found[i] - expected[i]).abs()).fold(0.0, f64::max);
    assert!(error < 2e-5, "{what}: {found:?}, not {expected:?}");
}

/// Every kind of solid and connection, a mesh with a mirrored copy, and names that JSON has to escape.
const ARM: &str = "model Arm {
    coordinates joint;
    gravity [0, 0, -9.81] m/s^2;
    body upper {
        mass: 2 kg, inertia: diag(0.1, 0.2, 0.25) kg m^2, center_of_mass: [0.1, 0, -0.2] m,
        shape: sphere(2 cm) at [0.1, 0.2, -0.3] m, shape: box(1 cm, 2 cm, 3 cm), shape: mesh(\"wing.obj\", 1 cm),
        shape: mesh(\"wing.obj\", [-1, 1, 1] cm) rotated rotation_x(90 deg),
    }
    body lower {
        mass: 1 kg, inertia: diag(0.2, 0.2, 0.1) kg m^2,
        shape: cylinder(1 cm, 8 cm) at [0, 0.1, -0.4] m axis [1, 1, 0], shape: cone(1 cm, 2 cm), shape: capsule(1 cm, 3 cm),
        shape: ellipsoid(1 cm, 2 cm, 3 cm), color: [0.2, 0.4, 1],
    }
    body free { mass: 1 kg, inertia: diag(0.1, 0.2, 0.3) kg m^2 }
    joint shoulder: universal(ground at [0, 0, 1] m, upper at [0, 0, 0.3] m);
    joint elbow: revolute(upper at [0, 0, -0.3] m, lower at [0.1, 0, 0.4] m) { axis: [0.6, 0.8, 0] }
    joint loose: free(ground, free);
    force s: spring(ground at [1, 0, 0] m, lower at [0, 0, 0.1] m) { stiffness: 30 N/m }
    force d: spring_damper(upper, free) { stiffness: 20 N/m, damping: 1 N s/m }
    initial upper.angular_velocity = [4, 5, 0] rad/s;
    initial free.angular_velocity = [9, 0.01, 3] rad/s;
    output a = (upper at [0.1, 0.2, -0.3] m).position;
    output b = (lower at [0, 0.1, -0.4] m).position;
    output c = (lower at [0, 0, 0.1] m).position;
    output e = upper.position;
    output f = free.position;
}";

fn wing() -> (tempfile::TempDir, Meshes) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wing.obj"), "v 0 0 0\nv 10 0 0\nv 0 20 5\nf 1 2 3\n").unwrap();
    let meshes = Meshes::beside(folder.path());
    (folder, meshes)
}

#[test]
fn points_of_bodies_are_those_of_the_trajectory() {
    let (_folder, meshes) = wing();
    let (model, run) = recorded(ARM, &RungeKutta, (5e-3, 2.0));
    let file = File::read(&gltf("Arm", &[scene(&model, &run, "arm", &meshes)]).unwrap());
    // Shapes stand at the points whose positions are outputs: the places of their nodes are these points.
    let shape_of = |body: &str, place: usize| {
        let children = &file.json["nodes"][file.named(body)]["children"];
        children[place].as_u64().unwrap() as usize
    };
    let [a, b] = [shape_of("upper", 0), shape_of("lower", 0)];
    let column = |name: &str| run.trajectory.place(name).unwrap();
    let [a_x, b_x, c_x, e_x, f_x] = ["a_x", "b_x", "c_x", "e_x", "f_x"].map(column);
    let spans: Vec<f64> = ["s", "d"]
        .iter()
        .map(|name| {
            let mesh = &file.json["meshes"][file.json["nodes"][file.named(name)]["mesh"].as_u64().unwrap() as usize];
            let bound =
                &file.json["accessors"][mesh["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap() as usize];
            bound["max"][2].as_f64().unwrap()
        })
        .collect();
    let instants = file.recorded(&run);
    assert!(instants.len() > 390, "{}", instants.len());
    for (instant, row) in instants {
        // What is up is y.
        let seen = |column: usize| [row[column], row[column + 2], -row[column + 1]];
        let point = |node: usize, point: [f64; 3]| file.point(node, instant, point);
        near(point(a, [0.0; 3]), seen(a_x), "a");
        near(point(b, [0.0; 3]), seen(b_x), "b");
        near(point(file.named("upper"), [0.1, 0.2, -0.3]), seen(a_x), "a of its body");
        let [s, d] = ["s", "d"].map(|name| file.named(name));
        near(point(s, [0.0; 3]), [1.0, 0.0, 0.0], "the fixed end of the spring");
        // The wire is as thick as its last ring is wide.
        let tip = point(s, [0.0, 0.0, spans[0]]);
        assert!((0..3).map(|i| (tip[i] - seen(c_x)[i]).abs()).fold(0.0, f64::max) < 0.03, "{tip:?} {:?}", seen(c_x));
        near(point(d, [0.0; 3]), seen(e_x), "the first end of the damper");
        near(point(d, [0.0, 0.0, spans[1]]), seen(f_x), "its second end");
    }
    // Rotations are of length 1, and change as little as they can.
    let mut rotations = 0;
    for channel in file.json["animations"][0]["channels"].as_array().unwrap() {
        if channel["target"]["path"] == "rotation" {
            let node = channel["target"]["node"].as_u64().unwrap() as usize;
            let values = file.vectors(&file.sampler(node, "rotation").unwrap()["output"]);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            assert!(values.iter().all(|value| (dot(value, value) - 1.0).abs() < 1e-6));
            assert!(values.windows(2).all(|pair| dot(&pair[0], &pair[1]) > 0.9));
            rotations += 1;
        }
    }
    assert_eq!(rotations, 5, "three bodies and two connections");
    // The mesh and its mirrored copy are stored once.
    let meshes = file.json["meshes"].as_array().unwrap();
    assert_eq!(meshes.iter().filter(|mesh| mesh["name"] == "wing.obj").count(), 1);
}

const BEAM: &str = "model Bench {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    flexible rod: beam_floating_frame {
        length: 1 m, elements: 6, E: 70 GPa, density: 2700 kg/m^3, section: rectangle(10 mm, 20 mm), frame: pinned,
    }
    body wheel { mass: 1 kg, inertia: 0.1 kg m^2 }
    joint pin: revolute(ground, rod.root);
    joint axle: revolute(ground at [0, 2] m, wheel);
    initial axle.angle.velocity = 20 rad/s;
    output tip = rod.tip.position;
    output turn = wheel.angle;
}";

#[test]
fn beams_are_skins_over_their_nodes_and_wheels_turn_over() {
    let scheme = schemes::by_name("bathe", &[]).unwrap();
    let (model, run) = recorded(BEAM, &*scheme, (2e-3, 0.6));
    let file = File::read(&gltf("Bench", &[scene(&model, &run, "bench", &Meshes::default())]).unwrap());
    let node = &file.json["nodes"][file.named("rod")];
    let joints = &file.json["skins"][node["skin"].as_u64().unwrap() as usize]["joints"];
    let last = joints.as_array().unwrap().last().unwrap().as_u64().unwrap() as usize;
    let primitive = &file.json["meshes"][node["mesh"].as_u64().unwrap() as usize]["primitives"][0];
    let positions = file.vectors(&primitive["attributes"]["POSITION"]);
    let half = [positions[0][1].abs(), positions[0][2].abs()];
    assert!(half.iter().all(|edge| *edge > 0.0));
    assert!(positions.iter().all(|at| at[0] == 0.0 && [at[1].abs(), at[2].abs()] == half), "rings across the beam");
    let [x, turn] = ["tip_x", "turn"].map(|name| run.trajectory.place(name).unwrap());
    let instants = file.recorded(&run);
    assert!(instants.len() > 250);
    for (instant, row) in instants {
        near(file.point(last, instant, [0.0; 3]), [row[x], row[x + 1], 0.0], "the tip of the beam");
        let (sin, cos) = row[turn].sin_cos();
        near(file.point(file.named("wheel"), instant, [0.5, 0.0, 0.0]), [0.5 * cos, 2.0 + 0.5 * sin, 0.0], "the wheel");
    }
}

/// Finds whatever the validator has to say, but for what it calls information and hints.
const VALIDATE: &str = "
const validator = require('gltf-validator');
const fs = require('fs');
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1]))).then((report) => {
  console.log(JSON.stringify(report.issues.messages.filter((one) => one.severity < 2)));
});";

#[test]
fn the_validator_of_khronos_finds_nothing_wrong() {
    let known = Command::new("node").args(["-e", "require('gltf-validator')"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: Node does not find gltf-validator; npm install gltf-validator, and name its folder in NODE_PATH"
        );
        return;
    }
    let (folder, meshes) = wing();
    let (arm, arm_run) = recorded(ARM, &RungeKutta, (5e-3, 0.5));
    let scheme = schemes::by_name("bathe", &[]).unwrap();
    let (bench, bench_run) = recorded(BEAM, &*scheme, (2e-3, 0.1));
    let still = "model Still { body \u{fc}ber { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 } joint f: fixed(ground, \u{fc}ber); }";
    let (still, still_run) = recorded(still, &*schemes::by_name("bathe", &[]).unwrap(), (0.1, 0.2));
    let sets = [
        vec![scene(&arm, &arm_run, "first \"\\\u{1}", &meshes), scene(&arm, &arm_run, "second", &meshes)],
        vec![scene(&bench, &bench_run, "bench", &meshes)],
        vec![scene(&still, &still_run, "", &meshes)],
    ];
    for (index, scenes) in sets.iter().enumerate() {
        let path = folder.path().join(format!("{index}.glb"));
        std::fs::write(&path, gltf("<Both> & \"more\"", scenes).unwrap()).unwrap();
        let output = Command::new("node").args(["-e", VALIDATE]).arg(&path).output().unwrap();
        let found = String::from_utf8_lossy(&output.stdout);
        assert_eq!(found.trim(), "[]", "{index}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
