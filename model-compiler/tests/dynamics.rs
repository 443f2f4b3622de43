//! Functions on request agree with one another and with the slopes of dual numbers, whichever way they were derived.

use crate::common::random::noise;
use hamel_compiler::derive::{Block, Equations, FunctionRole, Kernel, Role, derive};
use hamel_compiler::expr::{Binary, Dual, Operations, Scalar, evaluate};
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;
use hamel_compiler::rotations::RotationKind;

/// Bodies and joints; `{}` is a body of its own inertia.
const MODELS: [(&str, &str); 11] = [
    (
        "arm with bent axes",
        "body a {0} body b {1} body c {2} body d {3}
         joint i: revolute(ground at [0.1, 0, 0.3] m, a);
         joint j: revolute(a at [0.2, -0.1, 0.3] m rotated rotation_x(90 deg), b at [0, 0.1, 0] m);
         joint k: revolute(b at [0.4, 0.1, 0.05] m rotated rotation_y(0.4 rad), c);
         joint l: revolute(c at [0, 0.2, -0.1] m rotated rotation_x(-90 deg), d) { rotor_inertia: 0.4 kg m^2 }",
    ),
    (
        "branched trunk",
        "body a {0} body b {1} body c {2} body d {3}
         joint i: free(ground, a at [0.1, 0.2, 0] m);
         joint j: revolute(a at [0.2, -0.1, 0.3] m rotated rotation_x(90 deg), b);
         joint k: revolute(a at [-0.2, 0.1, 0.05] m, c);
         joint l: prismatic(c at [0, 0.2, -0.1] m rotated rotation_y(90 deg), d) { rotor_inertia: 2 kg }
         force s: spring_damper(b at [0.1, 0, 0] m, d) { stiffness: 3 N/m, damping: 0.2 N s/m, free_length: 0.1 m }",
    ),
    (
        "ball on a slide",
        "body a {0} body b {1} body c {2}
         joint i: prismatic(ground rotated rotation_x(0.3 rad), a);
         joint j: spherical(a at [0.2, 0, 0.1] m, b at [0, 0, 0.3] m);
         joint k: revolute(b at [0, 0.2, 0] m, c);",
    ),
    (
        "columns that turn",
        "body a {0} body b {1}
         joint i: universal(ground, a);
         joint j: revolute(a at [0.2, -0.1, 0.3] m, b);",
    ),
    (
        "angles moved by velocities in body axes",
        "coordinates joint(euler_zyx);
         body a {0} body b {1}
         joint i: free(ground, a);
         joint j: revolute(a at [0.2, -0.1, 0.3] m, b);",
    ),
    (
        "symbolic arm",
        "param l = 0.4 m; param m = 2 kg;
         body a { mass: m, center_of_mass: [l / 2, 0, 0], inertia: diag(0.1, 0.2, 0.3) kg m^2 } body b {1}
         joint i: revolute(ground, a) { axis: [0, 1, 0], rotor_inertia: m * l^2 }
         joint j: revolute(a at [l, 0, 0], b) { axis: [1, 0, 0] }
         torque t: -0.3 N m s/rad * j.velocity on j;",
    ),
    (
        "hull with a fin in a current",
        "body hull {
             mass: 3 kg, center_of_mass: [0.1, 0, -0.05] m, inertia: diag(0.2, 0.3, 0.25) kg m^2,
             added_mass: {
                 force: [[1, 0.1, 0], [0.1, 2, 0], [0, 0, 3]] kg, moment: diag(0.1, 0.2, 0.4) kg m^2,
                 coupling: [[0, 0.1, 0], [-0.2, 0, 0.3], [0, 0.1, 0]] kg m, current: [0.3, -0.1, 0.2] m/s,
             },
         }
         body fin {
             mass: 1 kg, inertia: diag(0.1, 0.2, 0.15) kg m^2,
             added_mass: { force: diag(0.1, 0.5, 0.7) kg, moment: diag(0, 0.1, 0.1) kg m^2 },
         }
         joint i: free(ground, hull);
         joint j: revolute(hull at [-0.5, 0, 0.1] m, fin at [0.2, 0, 0] m);",
    ),
    (
        "raft in the plane",
        "planar;
         body raft {
             mass: 3 kg, center_of_mass: [0.1, -0.05] m, inertia: 0.2 kg m^2,
             added_mass: { force: [[1, 0.1], [0.1, 2]] kg, coupling: [0.2, -0.3] kg m, moment: 0.4 kg m^2, velocity: yaw_only },
         }
         body arm {p}
         joint i: free(ground, raft);
         joint j: revolute(raft at [0.3, 0] m, arm at [0, 0.2] m);",
    ),
    // Long enough for articulated bodies to be shorter than the factors of M.
    (
        "long chain in the plane",
        "planar; for k in 0..12 { body a[k] {p} }
         joint first: revolute(ground, a[0] at [0, 0.3] m);
         for k in 1..11 { joint i[k]: revolute(a[k - 1] at [0.1, 0.2] m, a[k] at [0, 0.3] m) { rotor_inertia: 0.2 kg m^2 } }
         joint last: prismatic(a[10] at [0.1, 0.2] m rotated 0.3 rad, a[11]);
         force s: spring_damper(a[2], a[8]) { stiffness: 3 N/m, damping: 0.2 N s/m, free_length: 0.1 m }
         torque t: -0.3 N m s/rad * i[3].velocity on i[3];",
    ),
    (
        "long chain in space",
        "for k in 0..7 { body a[k] {1} }
         joint first: free(ground, a[0] at [0.1, 0.2, 0] m);
         for k in 1..4 { joint i[k]: spherical(a[k - 1] at [0.2, 0, 0.1] m, a[k] at [0, 0, 0.3] m); }
         for k in 4..7 { joint i[k]: cylindrical(a[k - 1] at [0.2, 0, 0.1] m rotated rotation_x(0.4 rad), a[k]); }",
    ),
    (
        "crane in the plane",
        "planar; body a {p} body b {p} body c {p}
         joint i: prismatic(ground, a);
         joint j: revolute(a at [0.1, 0.2] m, b at [0, 0.3] m);
         joint k: prismatic(b at [0.3, 0.1] m, c);",
    ),
];

const ALL: &str = "provide nonlinear_effects, inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives,
    forward_dynamics_derivatives, inverse_dynamics_second_derivatives;";

fn equations(items: &str) -> Equations {
    let mut items = items.replace("{p}", "{ mass: 0.7 kg, center_of_mass: [0.1, -0.2] m, inertia: 0.3 kg m^2 }");
    for i in 0..4 {
        let body = format!(
            "{{ mass: {} kg, center_of_mass: [0.1, {}, -0.2] m,
               inertia: [[0.5, 0.02, 0.1], [0.02, 0.7, {}], [0.1, {}, 0.4]] kg m^2 }}",
            1 + i,
            0.1 * f64::from(i),
            0.03 * f64::from(i),
            0.03 * f64::from(i)
        );
        items = items.replace(&format!("{{{i}}}"), &body);
    }
    let coordinates = if items.contains("coordinates") { "" } else { "coordinates joint;" };
    let gravity = match items {
        _ if items.contains("gravity") => "",
        _ if items.contains("planar") => "gravity [0.5, -9.81] m/s^2;",
        _ => "gravity [0.5, 1, -9.81] m/s^2;",
    };
    let text = format!("pub model M {{ {coordinates} {gravity} {items} {ALL} }}");
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"));
    derive(&resolve(&description).unwrap_or_else(|error| panic!("{error}")))
}

/// One instant; entry by entry with slopes, if they are asked for.
#[derive(Clone)]
struct Point {
    q: Vec<Dual>,
    v: Vec<Dual>,
    a: Vec<Dual>,
    tau: Vec<Dual>,
}

fn values(kernel: &Kernel, point: &Point) -> Vec<Dual> {
    let mut values = vec![Dual::constant(0.0); kernel.graph.symbols().len()];
    let inputs = &kernel.inputs;
    let parameters: Vec<Dual> = (0..inputs.parameters.len()).map(|i| Dual::constant(0.4 + 0.3 * i as f64)).collect();
    let runs = [
        (&inputs.parameters, &parameters),
        (&inputs.q, &point.q),
        (&inputs.v, &point.v),
        (&inputs.a, &point.a),
        (&inputs.tau, &point.tau),
        (&inputs.w, &point.tau),
    ];
    for (symbols, given) in runs {
        for (symbol, value) in symbols.iter().zip(given) {
            values[symbol.index()] = value.clone();
        }
    }
    values
}

/// A result of a function, dense and row by row.
fn result(kernel: &Kernel, function: FunctionRole, role: Role, point: &Point) -> Vec<Vec<Dual>> {
    let function = kernel.functions.iter().find(|known| known.role == function).expect("it was asked for");
    let output = function.outputs.iter().find(|output| output.role == role).expect("the function has it");
    let roots: Vec<_> = output.entries.iter().map(|entry| entry.value).collect();
    let mut dense = vec![vec![Dual::constant(0.0); output.shape.1]; output.shape.0];
    for (entry, value) in output.entries.iter().zip(evaluate(&kernel.graph, &roots, &values(kernel, point))) {
        dense[entry.row][entry.column] = value;
    }
    dense
}

fn vector(kernel: &Kernel, function: FunctionRole, role: Role, point: &Point) -> Vec<Dual> {
    result(kernel, function, role, point).into_iter().flatten().collect()
}

/// A point with unit Euler parameters, and the columns of N(q) there, written by hand.
fn point(equations: &Equations, seed: usize) -> (Point, Vec<Vec<f64>>) {
    let layout = &equations.layout;
    let (nq, nv) = (layout.coordinates.len(), layout.velocities.len());
    let numbers = |n: usize, salt: usize| (0..n).map(|i| noise(1000 * seed + 100 * salt + i)).collect::<Vec<f64>>();
    let mut q = numbers(nq, 0);
    let mut columns = vec![vec![0.0; nq]; nv];
    let (mut i, mut j) = (0, 0);
    for block in &layout.blocks {
        let (size, rates) = match *block {
            Block::Vector(n) => (n, n),
            Block::EulerParameters => (4, 4),
            Block::Rotation(kind) => (kind.coordinates().len(), 3),
            Block::Pose(kind) => (3 + kind.coordinates().len(), 6),
        };
        if let Block::Pose(RotationKind::EulerZyx) = block {
            let angles = [q[i + 3], q[i + 4], q[i + 5]];
            let [(s1, c1), (s2, c2), (s3, c3)] = angles.map(f64::sin_cos);
            let axes = [
                [c3 * c2, c3 * s2 * s1 - s3 * c1, c3 * s2 * c1 + s3 * s1],
                [s3 * c2, s3 * s2 * s1 + c3 * c1, s3 * s2 * c1 - c3 * s1],
                [-s2, c2 * s1, c2 * c1],
            ];
            let rates = [[1.0, s1 * s2 / c2, c1 * s2 / c2], [0.0, c1, -s1], [0.0, s1 / c2, c1 / c2]];
            for (axis, k) in (0..3).flat_map(|axis| (0..3).map(move |k| (axis, k))) {
                columns[j + axis][i + k] = axes[k][axis];
                columns[j + 3 + axis][i + 3 + k] = rates[k][axis];
            }
        } else if matches!(block, Block::Rotation(_) | Block::Pose(_)) {
            let (first, turn) = (i + size - 4, j + rates - 3);
            let norm = q[first..first + 4].iter().map(|e| e * e).sum::<f64>().sqrt();
            q[first..first + 4].iter_mut().for_each(|e| *e /= norm);
            let e = [q[first], q[first + 1], q[first + 2], q[first + 3]];
            let l = [[-e[1], e[0], e[3], -e[2]], [-e[2], -e[3], e[0], e[1]], [-e[3], e[2], -e[1], e[0]]];
            for axis in 0..3 {
                (0..4).for_each(|k| columns[turn + axis][first + k] = 0.5 * l[axis][k]);
            }
            if matches!(block, Block::Pose(_)) {
                // The turned unit vectors: u + 2 e0 (e × u) + 2 e × (e × u).
                let cross = |a: [f64; 3], b: [f64; 3]| {
                    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
                };
                for axis in 0..3 {
                    let mut unit = [0.0; 3];
                    unit[axis] = 1.0;
                    let once = cross([e[1], e[2], e[3]], unit);
                    let twice = cross([e[1], e[2], e[3]], once);
                    (0..3).for_each(|k| columns[j + axis][i + k] = unit[k] + 2.0 * (e[0] * once[k] + twice[k]));
                }
            }
        } else {
            (0..size).for_each(|k| columns[j + k][i + k] = 1.0);
        }
        (i, j) = (i + size, j + rates);
    }
    let constants = |values: Vec<f64>| values.into_iter().map(Dual::constant).collect::<Vec<_>>();
    let at = Point {
        q: constants(q),
        v: constants(numbers(nv, 1)),
        a: constants(numbers(nv, 2)),
        tau: constants(numbers(nv, 3)),
    };
    (at, columns)
}

fn with_slopes(values: &[Dual], slope: impl Fn(usize, usize) -> f64, n: usize) -> Vec<Dual> {
    let slopes = |i: usize| (0..n).map(|k| slope(i, k)).collect();
    values.iter().enumerate().map(|(i, value)| Dual::with_slopes(value.value, slopes(i))).collect()
}

fn assert_slopes(what: &str, found: &[Vec<Dual>], of: &[Dual]) {
    let largest = found.iter().flatten().fold(1.0_f64, |largest, value| largest.max(value.value.abs()));
    for (i, row) in found.iter().enumerate() {
        for (k, value) in row.iter().enumerate() {
            let error = (value.value - of[i].slope(k)).abs() / largest;
            assert!(error < 1e-12, "{what}[{i}][{k}]: {} instead of {}", value.value, of[i].slope(k));
        }
    }
}

#[test]
fn derivatives_are_the_slopes() {
    use FunctionRole as F;
    let unit = |i: usize, k: usize| if i == k { 1.0 } else { 0.0 };
    for (name, items) in MODELS {
        let equations = equations(items);
        let kernel = &equations.kernels[0];
        let nv = equations.layout.velocities.len();
        for seed in 0..3 {
            let (at, columns) = point(&equations, seed);
            let moved = Point { q: with_slopes(&at.q, |i, k| columns[k][i], nv), ..at.clone() };
            let faster = Point { v: with_slopes(&at.v, unit, nv), ..at.clone() };
            let pulled = Point { a: with_slopes(&at.a, unit, nv), ..at.clone() };
            let pushed = Point { tau: with_slopes(&at.tau, unit, nv), ..at.clone() };

            let cases = [
                (F::InverseDynamicsDerivatives, Role::ForceByPosition, F::InverseDynamics, Role::Force, &moved),
                (F::InverseDynamicsDerivatives, Role::ForceByVelocity, F::InverseDynamics, Role::Force, &faster),
                (F::InverseDynamicsDerivatives, Role::MassMatrix, F::InverseDynamics, Role::Force, &pulled),
                (F::Linearization, Role::Stiffness, F::Residual, Role::Residual, &moved),
                (F::Linearization, Role::Damping, F::Residual, Role::Residual, &faster),
                (
                    F::ForwardDynamicsDerivatives,
                    Role::AccelerationByPosition,
                    F::ForwardDynamics,
                    Role::Acceleration,
                    &moved,
                ),
                (
                    F::ForwardDynamicsDerivatives,
                    Role::AccelerationByVelocity,
                    F::ForwardDynamics,
                    Role::Acceleration,
                    &faster,
                ),
                (
                    F::ForwardDynamicsDerivatives,
                    Role::InverseMassMatrix,
                    F::ForwardDynamics,
                    Role::Acceleration,
                    &pushed,
                ),
            ];
            for (function, role, of, value, at_slopes) in cases {
                let found = result(kernel, function, role, &at);
                assert_slopes(&format!("{name}: {role:?}"), &found, &vector(kernel, of, value, at_slopes));
            }
            let blocks = [
                (Role::ForceByPositions, Role::ForceByPosition, &moved),
                (Role::ForceByPositionAndVelocity, Role::ForceByPosition, &faster),
                (Role::ForceByVelocities, Role::ForceByVelocity, &faster),
                (Role::ForceByPositionAndAcceleration, Role::ForceByPosition, &pulled),
            ];
            for (role, first, at_slopes) in blocks {
                let found = result(kernel, F::InverseDynamicsSecondDerivatives, role, &at);
                let first = result(kernel, F::InverseDynamicsDerivatives, first, at_slopes);
                let weighted = |column: usize| {
                    let terms = first.iter().zip(&at.tau).map(|(row, w)| row[column].binary(Binary::Mul, w));
                    terms.reduce(|sum, term| sum.binary(Binary::Add, &term)).expect("a velocity")
                };
                let weighted: Vec<Dual> = (0..nv).map(weighted).collect();
                assert_slopes(&format!("{name}: {role:?}"), &found, &weighted);
            }
        }
    }
}

#[test]
fn forward_dynamics_inverts_inverse_dynamics() {
    for (name, items) in MODELS {
        let equations = equations(items);
        let kernel = &equations.kernels[0];
        let (mut at, _) = point(&equations, 7);
        let tau = at.tau.clone();
        at.a = vector(kernel, FunctionRole::ForwardDynamics, Role::Acceleration, &at);
        let back = vector(kernel, FunctionRole::InverseDynamics, Role::Force, &at);
        for (found, given) in back.iter().zip(&tau) {
            assert!((found.value - given.value).abs() < 1e-12, "{name}: {} instead of {}", found.value, given.value);
        }
        let effects = vector(kernel, FunctionRole::NonlinearEffects, Role::NonlinearEffects, &at);
        at.a.fill(Dual::from_f64(0.0));
        let at_rest = vector(kernel, FunctionRole::InverseDynamics, Role::Force, &at);
        for (effect, force) in effects.iter().zip(&at_rest) {
            assert!((effect.value - force.value).abs() < 1e-12, "{name}: {} and {}", effect.value, force.value);
        }
    }
}

/// A rotor moves as a flywheel that a gear turns, here one of its own weight: on the ground, because one on a body would
/// also feel how that turns.
#[test]
fn rotors_move_as_flywheels_behind_gears() {
    let arm = "body a {0} joint i: revolute(ground at [0.1, 0, 0.3] m, a) { coordinate: x, @ }
        body b {1} joint k: prismatic(a at [0.1, 0.2, 0.3] m rotated rotation_x(0.5 rad), b) { follows: i, ratio: 0.4 m, # }";
    let wheels = "body u { mass: 2 kg, inertia: diag(0.03, 0.04, 0.05) kg m^2 }
        joint j: revolute(ground rotated rotation_x(90 deg), u) { follows: i, ratio: 3 }
        body w { mass: 5 kg, inertia: diag(1, 1, 1) kg m^2 }
        joint l: prismatic(ground rotated rotation_y(90 deg), w) { follows: i, ratio: 0.4 m }";
    let rotor = arm.replace('@', "rotor_inertia: 9 * (0.05 kg m^2)").replace('#', "rotor_inertia: 5 kg");
    let plain = arm.replace(", @", "").replace(", #", "");
    // Sliding along x the second has no weight, but for the sideways part of gravity.
    let [geared, rotor] =
        [format!("{plain} {wheels} gravity [0, 1, -9.81] m/s^2;"), format!("{rotor} gravity [0, 1, -9.81] m/s^2;")]
            .map(|items| equations(&items));
    let kernels = [&geared.kernels[0], &rotor.kernels[0]];
    for seed in 0..5 {
        let (at, _) = point(&geared, seed);
        for (function, role) in [
            (FunctionRole::NonlinearEffects, Role::NonlinearEffects),
            (FunctionRole::InverseDynamics, Role::Force),
            (FunctionRole::ForwardDynamics, Role::Acceleration),
            (FunctionRole::Energy, Role::KineticEnergy),
            (FunctionRole::InverseDynamicsDerivatives, Role::ForceByPosition),
            (FunctionRole::InverseDynamicsDerivatives, Role::MassMatrix),
            (FunctionRole::ForwardDynamicsDerivatives, Role::AccelerationByVelocity),
        ] {
            let [expected, found] = kernels.map(|kernel| vector(kernel, function, role, &at)[0].value);
            assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{role:?}: {found} and {expected}");
        }
    }
}

/// A weight on a fixed joint moves and costs as if the body had been written with it.
#[test]
fn weights_on_fixed_joints_cost_nothing() {
    let arm = "body a {0} joint i: revolute(ground at [0.1, 0, 0.3] m, a);
        joint j: revolute(a at [0.2, -0.1, 0.3] m rotated rotation_x(90 deg), b at [0, 0.1, 0] m);";
    let weight = "body b {1} body w { mass: 0.5 kg, inertia: diag(0.01, 0.02, 0.03) kg m^2 }
        joint f: fixed(b at [0.2, -0.1, 0.3] m rotated rotation_x(90 deg), w);";
    let together = "body b {
        mass: 2.5 kg, center_of_mass: [0.12, 0.06, -0.1] m,
        inertia: [[0.66, 0.01, 0.11], [0.01, 0.895, 0.085], [0.11, 0.085, 0.485]] kg m^2 about origin,
    }";
    let [fixed, merged] = [weight, together].map(|b| equations(&format!("{arm} {b}")));
    let kernels = [&fixed.kernels[0], &merged.kernels[0]];
    let functions = [
        (FunctionRole::NonlinearEffects, Role::NonlinearEffects),
        (FunctionRole::InverseDynamics, Role::Force),
        (FunctionRole::ForwardDynamics, Role::Acceleration),
    ];
    for (function, role) in functions {
        let counts = kernels.map(|kernel| {
            let function = kernel.functions.iter().find(|known| known.role == function).expect("it was asked for");
            let outputs = function.outputs.iter().flat_map(|output| &output.entries);
            Operations::of(&kernel.graph, &outputs.map(|entry| entry.value).collect::<Vec<_>>()).weight()
        });
        assert!(counts[0] <= counts[1] && counts[1] > 0, "{function:?}: {counts:?}");
        for seed in 0..5 {
            let (point, _) = point(&fixed, seed);
            let [found, expected] = kernels.map(|kernel| vector(kernel, function, role, &point));
            assert_eq!(expected.len(), 2);
            for (found, expected) in found.iter().zip(&expected) {
                let deviation = (found.value - expected.value).abs();
                assert!(deviation < 1e-12 * expected.value.abs().max(1.0), "{function:?}: {deviation:e}");
            }
        }
    }
}
