//! Forces in models, in joint and in absolute coordinates.

use hamel_compiler::Stages;
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::{Dual, ExprId, Graph, Stage, evaluate};
use hamel_compiler::forces::{FieldKind, FieldShape, Force, Target};
use hamel_compiler::rotations::RotationKind;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::space::Space;

use super::{assert_close, positive, signed, spaces};
use crate::common::random::Random;

/// A model of two bodies and a force of this kind between them, or of one on a hinge; every number is a parameter.
fn model(force: &dyn Force, space: Space, coordinates: &str) -> Stages {
    let mut parameters = String::new();
    let mut parameter = |value: &str, unit: &str| {
        let name = format!("p{}", parameters.lines().count());
        parameters += &format!("param {name} = {value} {unit};\n");
        name
    };
    let is_planar = space == Space::Planar;
    let vector = if is_planar { "[1, 2]" } else { "[1, 2, 3]" };
    let mut end = |body: &str| {
        let point = parameter(vector, "m");
        let axes = match (force.target(), space) {
            (Target::Frames, Space::Planar) => format!(" rotated {}", parameter("1", "rad")),
            (Target::Frames, Space::Spatial) => {
                let [a, b] = [(); 2].map(|()| parameter("1", "rad"));
                format!(" rotated rotation_z({a}) * rotation_x({b})")
            }
            _ => String::new(),
        };
        format!("{body} at {point}{axes}")
    };
    let ends = match force.target() {
        Target::Coordinate => "a_motion".to_owned(),
        _ => format!("{}, {}", end("a"), end("b")),
    };
    let mut field = |field: &FieldKind| {
        let value = match field.shape {
            FieldShape::Vector => vector,
            FieldShape::Axial if !is_planar => vector,
            _ => "1",
        };
        let unit = if field.unit == "*" { "N m" } else { field.unit };
        format!("{}: {}", field.name, parameter(value, unit))
    };
    let fields: Vec<String> = force.fields().iter().map(&mut field).collect();
    let joint = if force.target() == Target::Coordinate { "revolute" } else { "free" };
    let (planar, inertia) = if is_planar { ("planar;", "1") } else { ("", "diag(1, 1.1, 1.2)") };
    let text = format!(
        "model M {{ {planar} coordinates {coordinates};
            {parameters}
            body a {{ mass: 1 kg, inertia: {inertia} kg m^2 }}
            body b {{ mass: 1 kg, inertia: {inertia} kg m^2 }}
            joint a_motion: {joint}(ground, a);
            joint b_motion: {joint}(ground, b);
            force s: {}({ends}) {{ {} }}
        }}",
        force.keyword(),
        fields.join(", ")
    );
    stages(&text)
}

pub(super) fn stages(text: &str) -> Stages {
    let tokens = text.parse().expect("the model lexes");
    hamel_compiler::stages(tokens).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// One state of free bodies, with velocities in their own axes, in joint and in absolute coordinates.
struct Free {
    q: Vec<f64>,
    /// Along which force and power are compared, and derivatives taken.
    directions: [Vec<f64>; 2],
}

impl Free {
    fn new(space: Space, bodies: usize, random: &mut Random) -> Free {
        let mut q = Vec::new();
        for _ in 0..bodies {
            let mut own: Vec<f64> = (0..if space == Space::Planar { 3 } else { 7 }).map(|_| signed(random)).collect();
            if space == Space::Spatial {
                let norm = own[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
                own[3..].iter_mut().for_each(|x| *x /= norm);
            }
            q.extend(own);
        }
        let n = bodies * if space == Space::Planar { 3 } else { 6 };
        let directions = [(); 2].map(|()| (0..n).map(|_| signed(random)).collect());
        Free { q, directions }
    }

    /// q̇ of velocities in body axes, which are the velocities in absolute coordinates.
    fn rates(&self, space: Space, v: &[f64]) -> Vec<f64> {
        if space == Space::Planar {
            return v.to_vec();
        }
        let mut rates = Vec::new();
        for (q, v) in self.q.chunks(7).zip(v.chunks(6)) {
            let mut graph = Graph::new();
            let symbols: Vec<ExprId> = (0..4).map(|i| graph.symbol(&format!("e{i}"), Stage::Position)).collect();
            let kind = RotationKind::EulerParameters;
            let rows = kind.matrix(&mut graph, &symbols).map(Vec::from).to_vec();
            let map = kind.velocity_map(&mut graph, &symbols);
            let mut apply = |rows: &[Vec<ExprId>], v: &[f64]| {
                for row in rows {
                    let row: Vec<f64> = evaluate(&graph, row, &q[3..]);
                    rates.push(dot(&row, v));
                }
            };
            apply(&rows, &v[..3]);
            apply(&map, &v[3..]);
        }
        rates
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn point(stages: &Stages, q: Vec<f64>, v: Vec<f64>) -> Point<f64> {
    let n = v.len();
    let lambda = vec![0.0; stages.simplified.layout.constraints.len()];
    Point { t: 0.3, inputs: Vec::new(), q, v, a: vec![0.0; n], lambda, tau: Vec::new() }
}

/// Work along a direction, potential energy and power.
fn seen(stages: &Stages, parameters: Vec<f64>, at: &Point<f64>, direction: &[f64]) -> [f64; 3] {
    let plain = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, parameters);
    let one = |function, role| plain.output(function, role, at, (1, 1)).values[0];
    let n = at.v.len();
    let force = plain.output(FunctionRole::AppliedForce, Role::AppliedForce, at, (n, 1)).values;
    [dot(&force, direction), one(FunctionRole::Energy, Role::PotentialEnergy), one(FunctionRole::Power, Role::Power)]
}

/// The derivatives of r along a direction of the coordinates and of the velocities, against dual numbers.
fn assert_linearization(what: &str, stages: &Stages, parameters: Vec<f64>, at: &Point<f64>, rates: &[f64], v: &[f64]) {
    let n = v.len();
    let plain = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, parameters.clone());
    let lifted = parameters.iter().map(|&value| Dual::constant(value)).collect();
    let dual = Interpreter::<Dual>::new(&stages.simplified, &stages.schedule, lifted);
    let constant = |values: &[f64]| values.iter().map(|&value| Dual::constant(value)).collect::<Vec<_>>();
    let moving = |values: &[f64], rates: &[f64]| -> Vec<Dual> {
        values.iter().zip(rates).map(|(&value, &rate)| Dual::with_slopes(value, vec![rate])).collect()
    };
    let fixed = Point {
        t: Dual::constant(at.t),
        inputs: Vec::new(),
        q: constant(&at.q),
        v: constant(&at.v),
        a: constant(&at.a),
        lambda: constant(&at.lambda),
        tau: Vec::new(),
    };
    let by_position = Point { q: moving(&at.q, rates), ..fixed.clone() };
    let by_velocity = Point { v: moving(&at.v, v), ..fixed };
    for (role, along) in [(Role::Stiffness, by_position), (Role::Damping, by_velocity)] {
        let matrix = plain.output(FunctionRole::Linearization, role, at, (n, n)).values;
        let (exact, _) = dual.residual(&along);
        for (row, exact) in matrix.chunks(n).zip(exact) {
            assert_close(&format!("{what}: {role:?}"), dot(row, v), exact.slope(0), 1e-9);
        }
    }
}

#[test]
fn joint_and_absolute_coordinates_know_one_force() {
    for (force, space) in spaces() {
        let what = format!("{} in {space:?}", force.keyword());
        let joint = model(force, space, "joint");
        let absolute = (force.target() != Target::Coordinate).then(|| model(force, space, "absolute"));
        let count = defaults::<f64>(&joint.schedule).len();
        for seed in 0..5 {
            let mut random = Random(seed);
            let parameters: Vec<f64> = (0..count).map(|_| positive(&mut random)).collect();
            let Some(absolute) = &absolute else {
                let [q, v, w] = [(); 3].map(|()| vec![signed(&mut random), signed(&mut random)]);
                assert_linearization(&what, &joint, parameters, &point(&joint, q, v), &w, &w);
                continue;
            };
            let state = Free::new(space, 2, &mut random);
            let [v, w] = &state.directions;
            let [v_absolute, w_absolute] = [v, w].map(|along| state.rates(space, along));
            let in_joint = point(&joint, state.q.clone(), v.clone());
            let in_absolute = point(absolute, state.q.clone(), v_absolute);
            let first = seen(&joint, parameters.clone(), &in_joint, w);
            let second = seen(absolute, parameters.clone(), &in_absolute, &w_absolute);
            for (one, other) in first.into_iter().zip(second) {
                assert_close(&what, one, other, 1e-11);
            }
            assert_linearization(&what, &joint, parameters.clone(), &in_joint, &w_absolute, w);
            assert_linearization(&what, absolute, parameters, &in_absolute, &w_absolute, &w_absolute);
        }
    }
}
