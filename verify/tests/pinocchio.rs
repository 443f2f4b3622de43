//! The functions of imported trees have the values that Pinocchio computes, at a hundred states each.
//!
//! The values come from `benches/peers/pinocchio_values.py` and stand in `data/pinocchio`; nothing but the description of
//! the trees is common to the two computations. What runs here are the simplified, scheduled statements.

use std::path::PathBuf;

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::resolve::Provided;
use hamel_compiler::schedule::interpret::{Interpreter, Point};
use hamel_import::urdf;
use serde::Deserialize;

/// Largest deviation, relative to the largest value of the same vector or matrix.
const TOLERANCE: f64 = 1e-12;

/// The contents of the data.
#[derive(Deserialize)]
struct Index {
    states: usize,
    quantities: Vec<String>,
    trees: Vec<Tree>,
}

#[derive(Deserialize)]
struct Tree {
    name: String,
    is_floating: bool,
    /// In the order of Pinocchio's coordinates, after those of a free base.
    joints: Vec<String>,
}

/// What is compared: the function, its output, its name in the data.
const COMPARED: [(FunctionRole, Role, &str); 10] = [
    (FunctionRole::MassMatrix, Role::MassMatrix, "mass_matrix"),
    (FunctionRole::NonlinearEffects, Role::NonlinearEffects, "nonlinear_effects"),
    (FunctionRole::InverseDynamics, Role::Force, "inverse_dynamics"),
    (FunctionRole::ForwardDynamics, Role::Acceleration, "forward_dynamics"),
    (FunctionRole::InverseDynamicsDerivatives, Role::ForceByPosition, "inverse_dynamics_dq"),
    (FunctionRole::InverseDynamicsDerivatives, Role::ForceByVelocity, "inverse_dynamics_dv"),
    (FunctionRole::InverseDynamicsDerivatives, Role::MassMatrix, "mass_matrix"),
    (FunctionRole::ForwardDynamicsDerivatives, Role::AccelerationByPosition, "forward_dynamics_dq"),
    (FunctionRole::ForwardDynamicsDerivatives, Role::AccelerationByVelocity, "forward_dynamics_dv"),
    (FunctionRole::ForwardDynamicsDerivatives, Role::InverseMassMatrix, "forward_dynamics_dtau"),
];

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

#[test]
fn a_double_pendulum() {
    compare("double_pendulum");
}

#[test]
fn an_arm_with_six_axes() {
    compare("arm6");
}

#[test]
fn an_arm_with_seven_axes() {
    compare("arm7");
}

#[test]
fn a_quadruped() {
    compare("quadruped");
}

fn compare(name: &str) {
    let index = std::fs::read_to_string(data("pinocchio/index.json")).expect("the index is in the repository");
    let index: Index = serde_json::from_str(&index).expect("the index is written by a script");
    let tree = index.trees.iter().find(|tree| tree.name == name).expect("the tree is in the index");
    let description = std::fs::read_to_string(data(&format!("opcounts/{name}.urdf"))).expect("the tree is described");
    let options = urdf::Options {
        is_floating: tree.is_floating,
        provide: Provided::DYNAMICS.to_vec(),
        ..urdf::Options::default()
    };
    let import = urdf::import(&description, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let stages = import.model.parse().map_err(syn::Error::from).and_then(hamel_compiler::stages);
    let stages = stages.unwrap_or_else(|error| panic!("{name}: {error}"));
    let interpreter: Interpreter<f64> = Interpreter::new(&stages.simplified, &stages.schedule, Vec::new());

    let layout = &stages.simplified.layout;
    let places = Places {
        q: layout.coordinates.iter().map(|channel| tree.place(&channel.name, 7)).collect(),
        v: layout.velocities.iter().map(|channel| tree.place(&channel.name, 6)).collect(),
    };
    let bytes = std::fs::read(data(&format!("pinocchio/{name}.f64"))).expect("the values are in the repository");
    let values: Vec<f64> =
        bytes.chunks_exact(8).map(|chunk| f64::from_le_bytes(chunk.try_into().expect("8"))).collect();
    assert_eq!(values.len() % index.states, 0);
    for (state, values) in values.chunks_exact(values.len() / index.states).enumerate() {
        let record = Record::new(&index.quantities, values, &places);
        let point = Point {
            t: 0.0,
            inputs: Vec::new(),
            q: record.vector("q", &places.q),
            v: record.vector("v", &places.v),
            a: record.vector("a", &places.v),
            lambda: Vec::new(),
            tau: record.vector("tau", &places.v),
        };
        for (function, role, quantity) in COMPARED {
            let results = interpreter.evaluate(function, &point);
            let found = results.into_iter().find(|(known, _)| *known == role);
            let found = found.unwrap_or_else(|| panic!("{name} has no {quantity}")).1.values;
            let expected = record.of_velocities(quantity, &places.v);
            assert_eq!(found.len(), expected.len(), "{name}: {quantity}");
            let scale = expected.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
            for (found, expected) in found.iter().zip(&expected) {
                let deviation = (found - expected).abs() / scale;
                assert!(
                    deviation < TOLERANCE,
                    "{name}, state {state}, {quantity}: {found} and {expected}, {deviation:e}"
                );
            }
        }
    }
}

/// Places of the compiler's coordinates and velocities among Pinocchio's.
struct Places {
    q: Vec<usize>,
    v: Vec<usize>,
}

impl Tree {
    /// Where Pinocchio has a coordinate or a velocity, with so many of them for a free base.
    fn place(&self, channel: &str, of_base: usize) -> usize {
        let (joint, component) = channel.split_once('.').expect("a channel is a component of a joint");
        if let Some(place) = self.joints.iter().position(|known| known == joint) {
            return place + if self.is_floating { of_base } else { 0 };
        }
        // Pinocchio has the vector of a quaternion before its scalar, and angular after linear velocities.
        let components: &[&str] = match of_base {
            7 => &["x", "y", "z", "e1", "e2", "e3", "e0"],
            _ => &["v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"],
        };
        let place = components.iter().position(|known| *known == component);
        place.unwrap_or_else(|| panic!("unknown component `{channel}`"))
    }
}

/// One state with all values there.
struct Record<'a> {
    quantities: Vec<(&'a str, &'a [f64])>,
}

impl<'a> Record<'a> {
    fn new(names: &'a [String], mut values: &'a [f64], places: &Places) -> Self {
        let (nq, nv) = (places.q.len(), places.v.len());
        let mut quantities = Vec::new();
        for name in names {
            let length = match name.as_str() {
                "q" => nq,
                "v" | "a" | "tau" | "nonlinear_effects" | "inverse_dynamics" | "forward_dynamics" => nv,
                "mass_matrix" | "forward_dynamics_dtau" => nv * (nv + 1) / 2,
                _ => nv * nv,
            };
            let (quantity, rest) = values.split_at(length);
            quantities.push((name.as_str(), quantity));
            values = rest;
        }
        assert!(values.is_empty(), "a state has more values than the index says");
        Self { quantities }
    }

    fn get(&self, name: &str) -> &'a [f64] {
        self.quantities.iter().find(|(known, _)| *known == name).expect("the quantity is in the index").1
    }

    /// A vector in the compiler's order.
    fn vector(&self, name: &str, places: &[usize]) -> Vec<f64> {
        let values = self.get(name);
        places.iter().map(|&place| values[place]).collect()
    }

    /// A vector, or a matrix row by row, in the compiler's order of velocities.
    fn of_velocities(&self, name: &str, places: &[usize]) -> Vec<f64> {
        let (values, n) = (self.get(name), places.len());
        let entry = |i: usize, j: usize| match values.len() == n * n {
            true => values[i * n + j],
            // The upper triangle of a symmetric matrix, row by row.
            false => {
                let (i, j) = (i.min(j), i.max(j));
                values[i * n - i * (i + 1) / 2 + j]
            }
        };
        match values.len() == n {
            true => self.vector(name, places),
            false => places.iter().flat_map(|&i| places.iter().map(move |&j| entry(i, j))).collect(),
        }
    }
}
