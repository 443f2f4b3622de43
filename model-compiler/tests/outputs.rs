//! Outputs: what is a rate is the slope of what it is the rate of, other axes show the same vector, and momenta and energies
//! are the sums that define them; in joint and in absolute coordinates, in space and in the plane.

use hamel_compiler::derive::{Equations, FunctionRole, Role, derive};
use hamel_compiler::expr::Dual;
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::schedule;

/// As derived: what simplification makes of it is compared there.
fn equations(text: &str) -> Equations {
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"));
    derive(&resolve(&description).unwrap_or_else(|error| panic!("{error}")))
}

/// Values and slopes of the outputs along a motion, by name.
struct Outputs {
    names: Vec<String>,
    values: Vec<Dual>,
}

impl Outputs {
    /// At a state without symmetry; Euler parameters begin at the places of `turns`, and keep their norm.
    fn new(equations: &Equations, turns: &[usize]) -> Self {
        let layout = &equations.layout;
        let (nq, nv) = (layout.coordinates.len(), layout.velocities.len());
        assert_eq!(nq, nv, "these models move by q̇ = v");
        let random = |phase: f64| (0..nv).map(|i| (phase + 1.7 * i as f64).sin()).collect::<Vec<_>>();
        let (mut q, mut v, mut a) = (random(0.4), random(1.1), random(2.3));
        for &first in turns {
            let e = first..first + 4;
            let along = |x: &[f64], y: &[f64]| e.clone().map(|i| x[i] * y[i]).sum::<f64>();
            let norm = along(&q, &q).sqrt();
            e.clone().for_each(|i| q[i] /= norm);
            let excess = along(&q, &v);
            e.clone().for_each(|i| v[i] -= excess * q[i]);
            let excess = along(&q, &a) + along(&v, &v);
            e.clone().for_each(|i| a[i] -= excess * q[i]);
        }
        let moving = |values: &[f64], rates: &[f64]| -> Vec<Dual> {
            values.iter().zip(rates).map(|(&value, &rate)| Dual::with_slopes(value, vec![rate])).collect()
        };
        let point = Point {
            t: Dual::with_slopes(0.3, vec![1.0]),
            inputs: Vec::new(),
            q: moving(&q, &v),
            v: moving(&v, &a),
            a: a.iter().map(|&value| Dual::constant(value)).collect(),
            lambda: vec![Dual::constant(0.7); layout.constraints.len()],
            tau: Vec::new(),
        };
        let schedule = schedule(equations, equations);
        let interpreter = Interpreter::<Dual>::new(equations, &schedule, defaults(&schedule));
        let shape = (layout.outputs.len(), 1);
        let values = interpreter.output(FunctionRole::Outputs, Role::Outputs, &point, shape).values;
        Self { names: layout.outputs.iter().map(|channel| channel.name.clone()).collect(), values }
    }

    fn of(&self, name: &str) -> Vec<Dual> {
        let is_component = |known: &str| {
            known.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.trim_matches(['x', 'y', 'z']) == "_")
        };
        let all = self.names.iter().zip(&self.values).filter(|(known, _)| is_component(known));
        let found: Vec<Dual> = all.map(|(_, value)| value.clone()).collect();
        assert!(!found.is_empty(), "{name} is none of {:?}", self.names);
        found
    }

    fn values(&self, name: &str) -> Vec<f64> {
        self.of(name).iter().map(|value| value.value).collect()
    }

    fn slopes(&self, name: &str) -> Vec<f64> {
        self.of(name).iter().map(|value| value.slope(0)).collect()
    }
}

fn assert_near(what: &str, found: &[f64], expected: &[f64]) {
    let is_near = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(is_near, "{what}: {found:?} instead of {expected:?}");
}

fn cross(a: &[f64], b: &[f64]) -> Vec<f64> {
    (0..3).map(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A matrix, row by row, or its transpose, times a vector.
fn times(matrix: &[f64], x: &[f64], is_transposed: bool) -> Vec<f64> {
    let n = x.len();
    let entry = |i: usize, k: usize| if is_transposed { matrix[n * k + i] } else { matrix[n * i + k] };
    (0..n).map(|i| (0..n).map(|k| entry(i, k) * x[k]).sum()).collect()
}

#[test]
fn motions_in_space_are_the_same_in_all_axes() {
    for (coordinates, turns) in [("joint", vec![]), ("absolute", vec![3, 10])] {
        let equations = equations(&format!(
            "model M {{
                coordinates {coordinates}; gravity [0.3, 0, -9.81] m/s^2;
                body a {{ mass: 2 kg, center_of_mass: [0.1, 0, 0.2] m, inertia: diag(0.1, 0.2, 0.3) kg m^2 }}
                body b {{ mass: 1.5 kg, center_of_mass: [0, -0.2, 0.1] m, inertia: diag(0.3, 0.1, 0.2) kg m^2 }}
                joint i: revolute(ground at [0.1, 0.2, 0] m rotated rotation_x(0.3 rad), a);
                joint j: revolute(a at [0.2, -0.1, 0.3] m rotated rotation_y(1.2 rad), b at [0, 0.1, 0] m);
                marker tip: b at [0.3, -0.2, 0.1] m;
                marker of_a: a at [0.1, 0, 0.2] m;
                marker of_b: b at [0, -0.2, 0.1] m;
                output position = tip.position; output velocity = tip.velocity; output acceleration = tip.acceleration;
                output omega = b.angular_velocity; output alpha = b.angular_acceleration;
                output position_in_a = tip.position in a; output velocity_in_a = tip.velocity in a;
                output velocity_in_b = tip.velocity in b; output acceleration_in_b = tip.acceleration in b;
                output omega_in_a = b.angular_velocity in a; output omega_in_b = b.angular_velocity in b;
                output alpha_in_a = b.angular_acceleration in a; output alpha_in_b = b.angular_acceleration in b;
                output turn_a = a.rotation; output turn_b = b.rotation; output omega_a = a.angular_velocity;
                output center_a = of_a.position; output center_b = of_b.position;
                output moving_a = of_a.velocity; output moving_b = of_b.velocity;
                output momentum = model.momentum; output angular_momentum = model.angular_momentum;
                output kinetic = model.kinetic_energy; output potential = model.potential_energy;
            }}"
        ));
        let outputs = Outputs::new(&equations, &turns);
        let values = |name: &str| outputs.values(name);
        for (quantity, rate) in [("position", "velocity"), ("velocity", "acceleration"), ("omega", "alpha")] {
            assert_near(&format!("{coordinates}: {quantity}"), &outputs.slopes(quantity), &values(rate));
        }
        let (turn_a, turn_b, omega) = (values("turn_a"), values("turn_b"), values("omega"));
        for column in 0..3 {
            let of = |matrix: &[f64]| [matrix[column], matrix[3 + column], matrix[6 + column]];
            let slope = of(&outputs.slopes("turn_b"));
            assert_near(&format!("{coordinates}: turning"), &slope, &cross(&omega, &of(&turn_b)));
        }
        for (quantity, axes) in [
            ("position", "a"),
            ("velocity", "a"),
            ("velocity", "b"),
            ("acceleration", "b"),
            ("omega", "a"),
            ("omega", "b"),
            ("alpha", "a"),
            ("alpha", "b"),
        ] {
            let turn = if axes == "a" { &turn_a } else { &turn_b };
            let expected = times(turn, &values(quantity), true);
            assert_near(
                &format!("{coordinates}: {quantity} in {axes}"),
                &values(&format!("{quantity}_in_{axes}")),
                &expected,
            );
        }
        let (omega_a, inertias) = (values("omega_a"), [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2]]);
        let bodies = [("a", 2.0, &turn_a, &omega_a), ("b", 1.5, &turn_b, &omega)];
        let (mut momentum, mut moment, mut kinetic, mut potential) = ([0.0; 3], [0.0; 3], 0.0, 0.0);
        for ((name, mass, turn, omega), inertia) in bodies.into_iter().zip(inertias) {
            let (r, v) = (values(&format!("center_{name}")), values(&format!("moving_{name}")));
            let own = times(turn, omega, true);
            let spin: Vec<f64> = own.iter().zip(inertia).map(|(w, j)| w * j).collect();
            let (arm, turned) = (cross(&r, &v), times(turn, &spin, false));
            for i in 0..3 {
                momentum[i] += mass * v[i];
                moment[i] += mass * arm[i] + turned[i];
            }
            kinetic += 0.5 * (mass * dot(&v, &v) + dot(&own, &spin));
            potential -= mass * dot(&[0.3, 0.0, -9.81], &r);
        }
        assert_near(&format!("{coordinates}: momentum"), &values("momentum"), &momentum);
        assert_near(&format!("{coordinates}: angular momentum"), &values("angular_momentum"), &moment);
        assert_near(&format!("{coordinates}: energy"), &values("kinetic"), &[kinetic]);
        assert_near(&format!("{coordinates}: energy"), &values("potential"), &[potential]);
    }
}

#[test]
fn motions_in_the_plane_are_the_same_in_all_axes() {
    for coordinates in ["joint", "absolute"] {
        let equations = equations(&format!(
            "model M {{
                planar; coordinates {coordinates}; gravity [0.3, -9.81] m/s^2;
                body a {{ mass: 2 kg, center_of_mass: [0.1, 0.2] m, inertia: 0.3 kg m^2 }}
                body b {{ mass: 1.5 kg, center_of_mass: [0, -0.2] m, inertia: 0.2 kg m^2 }}
                joint i: revolute(ground at [0.1, 0.2] m, a);
                joint j: revolute(a at [0.2, -0.1] m, b at [0, 0.1] m);
                marker tip: b at [0.3, -0.2] m; marker of_a: a at [0.1, 0.2] m; marker of_b: b at [0, -0.2] m;
                output position = tip.position; output velocity = tip.velocity; output acceleration = tip.acceleration;
                output angle = b.angle; output omega = b.angular_velocity; output alpha = b.angular_acceleration;
                output velocity_in_a = tip.velocity in a; output velocity_in_b = tip.velocity in b;
                output angle_a = a.angle; output omega_a = a.angular_velocity;
                output center_a = of_a.position; output center_b = of_b.position;
                output moving_a = of_a.velocity; output moving_b = of_b.velocity;
                output momentum = model.momentum; output angular_momentum = model.angular_momentum;
                output kinetic = model.kinetic_energy;
            }}"
        ));
        let outputs = Outputs::new(&equations, &[]);
        let values = |name: &str| outputs.values(name);
        let rates = [("position", "velocity"), ("velocity", "acceleration"), ("angle", "omega"), ("omega", "alpha")];
        for (quantity, rate) in rates {
            assert_near(&format!("{coordinates}: {quantity}"), &outputs.slopes(quantity), &values(rate));
        }
        for (axes, angle) in [("a", "angle_a"), ("b", "angle")] {
            let (s, c) = values(angle)[0].sin_cos();
            let expected = times(&[c, -s, s, c], &values("velocity"), true);
            assert_near(&format!("{coordinates}: in {axes}"), &values(&format!("velocity_in_{axes}")), &expected);
        }
        let (mut momentum, mut moment, mut kinetic) = ([0.0; 2], 0.0, 0.0);
        for (name, mass, inertia, omega) in [("a", 2.0, 0.3, values("omega_a")[0]), ("b", 1.5, 0.2, values("omega")[0])]
        {
            let (r, v) = (values(&format!("center_{name}")), values(&format!("moving_{name}")));
            momentum = [momentum[0] + mass * v[0], momentum[1] + mass * v[1]];
            moment += mass * (r[0] * v[1] - r[1] * v[0]) + inertia * omega;
            kinetic += 0.5 * (mass * dot(&v, &v) + inertia * omega * omega);
        }
        assert_near(&format!("{coordinates}: momentum"), &values("momentum"), &momentum);
        assert_near(&format!("{coordinates}: angular momentum"), &values("angular_momentum"), &[moment]);
        assert_near(&format!("{coordinates}: energy"), &values("kinetic"), &[kinetic]);
    }
}

/// Angles and their rates are said to be such, other numbers without unit and rates of them are not.
#[test]
fn units_of_outputs_tell_angles_from_numbers() {
    let equations = equations(
        "model M {
            planar; body a { mass: 2 kg, inertia: 0.3 kg m^2 } joint i: free(ground, a);
            output angle = a.angle; output twice = 2 * a.angle + 0.1 rad; output rate = a.angular_velocity;
            output rise = a.angular_acceleration; output share = a.position.x / (2 m);
            output slowness = a.velocity.x / (2 m); output bend = a.acceleration.x / (2 m); output place = a.position;
            output speed = a.velocity;
        }",
    );
    let units = equations.layout.outputs.iter().map(|output| (output.name.as_str(), output.unit.as_str()));
    let expected = [
        ("angle", "rad"),
        ("twice", "rad"),
        ("rate", "rad/s"),
        ("rise", "rad/s^2"),
        ("share", "1"),
        ("slowness", "1/s"),
        ("bend", "1/s^2"),
        ("place_x", "m"),
        ("place_y", "m"),
        ("speed_x", "m/s"),
        ("speed_y", "m/s"),
    ];
    assert_eq!(units.collect::<Vec<_>>(), expected);
}
