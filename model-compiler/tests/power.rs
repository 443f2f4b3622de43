//! The power of what has no potential, for potentials that depend on time and place: dT/dt + dV/dt = power + v · r along any
//! motion with forces r. What the models of the workspace have is a law there.

use hamel_compiler::Stages;
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::Dual;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};

fn stages(text: &str) -> Stages {
    let tokens = text.parse().expect("the model lexes");
    hamel_compiler::stages(tokens).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The rate of the energy, the power and the work of forces that are left over, at a state without symmetry whose Euler
/// parameters, if there are any, begin at `turn` with their rates in v.
fn rates(stages: &Stages, turn: Option<usize>) -> [f64; 3] {
    let layout = &stages.simplified.layout;
    let (nq, nv) = (layout.coordinates.len(), layout.velocities.len());
    assert_eq!(nq, nv, "these models move by q̇ = v");
    let random = |n: usize, phase: f64| (0..n).map(|i| (phase + 1.7 * i as f64).sin()).collect::<Vec<_>>();
    let (mut q, mut v, a, lambda) =
        (random(nq, 0.4), random(nv, 1.1), random(nv, 2.3), vec![0.0; layout.constraints.len()]);
    if let Some(first) = turn {
        let e = first..first + 4;
        let norm = q[e.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[e.clone()].iter_mut().for_each(|x| *x /= norm);
        let along: f64 = e.clone().map(|i| q[i] * v[i]).sum();
        e.for_each(|i| v[i] -= along * q[i]);
    }
    let inputs = vec![0.7; layout.inputs.len()];
    let point =
        Point { t: 0.3, inputs, q: q.clone(), v: v.clone(), a: a.clone(), lambda: lambda.clone(), tau: Vec::new() };
    let plain = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let (r, _) = plain.residual(&point);
    let power = plain.output(FunctionRole::Power, Role::Power, &point, (1, 1)).values[0];
    let moving = |values: &[f64], rates: &[f64]| -> Vec<Dual> {
        values.iter().zip(rates).map(|(&value, &rate)| Dual::with_slopes(value, vec![rate])).collect()
    };
    let along = Point {
        t: Dual::with_slopes(0.3, vec![1.0]),
        inputs: point.inputs.iter().map(|&input| Dual::constant(input)).collect(),
        q: moving(&q, &v),
        v: moving(&v, &a),
        a: a.iter().map(|&value| Dual::constant(value)).collect(),
        lambda: lambda.iter().map(|&value| Dual::constant(value)).collect(),
        tau: Vec::new(),
    };
    let dual = Interpreter::<Dual>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let rate = |role| dual.output(FunctionRole::Energy, role, &along, (1, 1)).values[0].slope(0);
    let mechanical = nv - layout.states;
    let work = v.iter().zip(&r).take(mechanical).map(|(v, r)| v * r).sum();
    [rate(Role::KineticEnergy) + rate(Role::PotentialEnergy), power, work]
}

fn assert_balance(what: &str, stages: &Stages, turn: Option<usize>) {
    let [rate, power, work] = rates(stages, turn);
    assert!((rate - power - work).abs() < 1e-12 * (1.0 + rate.abs() + work.abs()), "{what}: {rate}, {power}, {work}");
}

/// Whether generated code has a method that knows the power, and whether it is always zero.
fn code(stages: &Stages) -> (bool, bool) {
    let text = stages.code().unwrap().to_string();
    (text.contains("fn power"), text.contains("is_conservative : true"))
}

#[test]
fn elastic_forces_that_change_with_time_and_place() {
    let forces = [
        ("force s: spring(ground at [0.3, 2] m, bob at [0, 0.2] m) { stiffness: 7 N/m, free_length: 0.4 m * cos(time / (1 s)) }", false),
        ("force s: spring(ground at [0.3, 2] m, bob) { stiffness: 7 N/m + 2 N/m * sin(time / (1 s)) }", false),
        (
            "force s: spring_damper(ground at [0.3, 2] m, bob) {
                stiffness: 7 N/m + 2 N/m^2 * bob.position.x, damping: 0.6 N s/m, free_length: 0.2 m + 0.1 * bob.position.y }",
            false,
        ),
        ("force s: damper(ground at [0.3, 2] m, bob) { damping: 0.6 N s/m }", false),
        ("force s: [u, 2 N * sin(time / (1 s))] on bob at [0.1, 0.3] m in bob;", false),
        ("torque s: -0.4 N m s * bob.angular_velocity on bob;", false),
        ("state lag m/s: (bob.velocity.x - lag) / (0.3 s); force s: [-0.5 N s/m * lag, 0 N] on bob;", false),
        ("force s: spring(ground at [0.3, 2] m, bob at [0, 0.2] m) { stiffness: 7 N/m, free_length: 0.4 m }", true),
        (
            "force s: bushing(ground at [0.3, 2] m rotated 0.4 rad, bob at [0, 0.2] m rotated 0.1 rad) {
                stiffness: [7 N/m, 5 N/m + 2 N/m^2 * bob.position.x], damping: [0.3, 0.2] N s/m,
                preload: [2 N, 1 N * sin(time / (1 s))],
                rotational_stiffness: 2 N m/rad * (2 + cos(time / (1 s))), rotational_preload: 0.3 N m * bob.angle }",
            false,
        ),
        (
            "force s: bushing(ground at [0.3, 2] m rotated 0.4 rad, bob) {
                stiffness: [7, 5] N/m, preload: [1, 2] N, rotational_stiffness: 2 N m/rad, rotational_preload: 0.3 N m }",
            true,
        ),
        ("", true),
    ];
    for coordinates in ["joint", "absolute"] {
        for (force, is_conservative) in forces {
            let stages = stages(&format!(
                "model M {{ planar; coordinates {coordinates}; gravity [0, -9.81] m/s^2; input u N;
                    body bob {{ mass: 2 kg, inertia: 0.3 kg m^2, center_of_mass: [0.1, 0.05] m }}
                    joint fly: free(ground, bob);
                    {force}
                }}"
            ));
            assert_balance(&format!("{coordinates}: {force}"), &stages, None);
            assert_eq!(code(&stages), (true, is_conservative), "{coordinates}: {force}");
        }
    }
}

#[test]
fn forces_on_coordinates() {
    for force in [
        "force s: torsion_spring(hinge) {
            stiffness: 3 N m/rad * (2 + cos(time / (1 s))), damping: 0.2 N m s/rad, rest_angle: 0.4 rad * sin(time / (2 s)) }",
        "torque s: -0.3 N m s * hinge.velocity + 0.2 N m * hinge.angle on hinge;",
    ] {
        let stages = stages(&format!(
            "model M {{ planar; coordinates joint; gravity [0, -9.81] m/s^2;
                body bob {{ mass: 2 kg, inertia: 0.3 kg m^2, center_of_mass: [0.1, 0.05] m }}
                joint hinge: revolute(ground, bob);
                {force}
            }}"
        ));
        assert_balance(force, &stages, None);
        assert_eq!(code(&stages), (true, false), "{force}");
    }
}

#[test]
fn currents_in_every_convention() {
    let conventions = [
        ("", true),
        ("current: [0.5, -0.2, 0.1] m/s,", true),
        ("current: [0.5, -0.2, 0.1] m/s * cos(time / (1 s)),", false),
        ("velocity: yaw_only,", false),
        ("current: [0.5, -0.2, 0.1] m/s * cos(time / (1 s)), velocity: blocked,", false),
        (
            "current: [0.5, -0.2, 0.1] m/s, velocity: low_frequency,
            low_frequency_velocity: [0.3 m/s, time * 0.1 m/s^2, 0.2 m/s], low_frequency_yaw_rate: 0.4 rad/s,",
            false,
        ),
    ];
    for (settings, turn) in [("absolute", Some(3)), ("absolute(euler_zyx)", None)] {
        for (convention, is_conservative) in conventions {
            let stages = stages(&format!(
                "model M {{ coordinates {settings}; gravity [0, 0, 9.81] m/s^2;
                    body hull {{ mass: 2 kg, inertia: diag(0.3, 0.4, 0.5) kg m^2, center_of_mass: [0.1, 0.05, 0] m,
                        added_mass: {{ force: diag(1, 2, 3) kg, moment: diag(0.2, 0.3, 0.1) kg m^2, {convention} }} }}
                    joint swim: free(ground, hull);
                }}"
            ));
            assert_balance(&format!("{settings}: {convention}"), &stages, turn);
            assert_eq!(code(&stages), (true, is_conservative), "{settings}: {convention}");
        }
    }
}

/// A potential that depends on an input or a velocity changes at a rate that no function of time, coordinates and
/// velocities knows.
#[test]
fn what_cannot_be_known_is_not_given() {
    for length in ["u", "0.1 s * bob.velocity.x"] {
        let stages = stages(&format!(
            "model M {{ planar; coordinates joint; input u m;
                body bob {{ mass: 2 kg, inertia: 0.3 kg m^2 }}
                joint fly: free(ground, bob);
                force s: spring(ground, bob) {{ stiffness: 7 N/m, free_length: {length} }}
            }}"
        ));
        assert_eq!(code(&stages), (false, false), "{length}");
    }
}
