//! Values of forces as outputs: Newton's and Euler's equations with them, and closed forms.

use hamel::nalgebra::Vector3;
use hamel::{Model, State, consistent_acceleration, initial_state};
use hamel_jit::{JitModel, Level};

use crate::common::outputs::{output, outputs, vector};

/// A ball on everything that can push a body.
fn pushed(formulation: &str, joint: &str) -> String {
    format!(
        "model Pushed {{
    coordinates {formulation};
    gravity [0.3, -0.2, -9.81] m/s^2;
    body ball {{ mass: 2 kg, inertia: diag(0.4, 0.4, 0.4) kg m^2 }}
    body anchor {{ mass: 3 kg, inertia: diag(0.4, 0.5, 0.6) kg m^2 }}
    {joint}
    force line: spring_damper(ball at [0.1, 0.2, -0.3] m, anchor at [1, 0, 0] m) {{
        stiffness: 30 N/m, damping: 4 N s/m, free_length: 0.7 m
    }}
    force strut: spring(ground at [2, 1, 0] m, ball at [0, 0.1, 0] m) {{ stiffness: 20 N/m }}
    force mount: bushing(anchor at [0, 0.4, 0] m, ball at [0.1, 0, 0.2] m) {{
        stiffness: [10, 20, 30] N/m, rotational_stiffness: [1, 2, 3] N m, damping: [0.1, 0.2, 0.3] N s/m
    }}
    force wind: [1 N, 2 N, -3 N * sin(ball.velocity.x / (1 m/s))] on ball at [0, 0.5, 0.1] m from anchor;
    torque twist: [0.1, -0.2, 0.3] N m on ball in ball;
    output a = ball.acceleration;
    output alpha = ball.angular_acceleration;
    output line_force = -line.force;
    output line_arm = (ball at [0.1, 0.2, -0.3] m) - ball.position;
    output line_tension = line.tension;
    output line_span = norm((ball at [0.1, 0.2, -0.3] m) - (anchor at [1, 0, 0] m));
    output line_rate = dot(
        (ball at [0.1, 0.2, -0.3] m).velocity - (anchor at [1, 0, 0] m).velocity,
        (ball at [0.1, 0.2, -0.3] m) - (anchor at [1, 0, 0] m)
    ) / norm((ball at [0.1, 0.2, -0.3] m) - (anchor at [1, 0, 0] m));
    output strut_force = strut.force;
    output strut_arm = (ball at [0, 0.1, 0] m) - ball.position;
    output mount_force = mount.force;
    output mount_arm = (ball at [0.1, 0, 0.2] m) - ball.position;
    output mount_torque = mount.torque;
    output wind_force = wind.force;
    output wind_arm = (ball at [0, 0.5, 0.1] m) - ball.position;
    output twist_torque = twist.torque;
    output wind_z = wind.force.z;
}}"
    )
}

/// A state in motion.
fn moved(model: &JitModel, number: usize) -> State {
    // A sequence that fills the interval evenly.
    let mut count = 100 * number;
    let mut next = || {
        count += 1;
        2.0 * (count as f64 * 0.618_033_988_749_895).fract() - 1.0
    };
    let mut state = initial_state(model).expect("it starts");
    let increment: Vec<f64> = (0..state.v.len()).map(|_| 0.7 * next()).collect();
    let start = state.q.clone();
    hamel::configuration::retract(&model.describe().blocks, start.as_slice(), &increment, state.q.as_mut_slice());
    state.v.iter_mut().for_each(|v| *v = 2.0 * next());
    // Euler parameters have the norm one.
    let parameters: &[usize] = if state.v.len() == 14 { &[3, 10] } else { &[] };
    for &parameters in parameters {
        let unit = state.q.rows(parameters, 4).normalize();
        let rate = state.v.rows(parameters, 4).clone_owned();
        state.v.rows_mut(parameters, 4).copy_from(&(&rate - unit.dot(&rate) * &unit));
        state.q.rows_mut(parameters, 4).copy_from(&unit);
    }
    consistent_acceleration(model, &mut state).expect("nothing is singular");
    state
}

#[test]
fn a_body_accelerates_by_the_forces_that_outputs_give() {
    let joints = "joint a: free(ground, ball); joint b: free(ground, anchor);";
    let chain = "joint a: free(ground, anchor); joint b: free(anchor, ball);";
    for (formulation, joint) in [("joint", joints), ("joint", chain), ("absolute", "")] {
        let text = pushed(formulation, joint);
        let model = hamel_jit::model(text.parse().expect("tokens"), Level::AtOnce, None).expect("it compiles");
        for number in 0..50 {
            let state = moved(&model, number);
            let values = outputs(&model, &state);
            let of = |name: &str| vector(&model, &values, name);
            let pushes = ["line", "strut", "mount", "wind"].map(|name| {
                let force = of(&format!("{name}_force"));
                (force, of(&format!("{name}_arm")).cross(&force))
            });
            let force = pushes.iter().fold(2.0 * Vector3::new(0.3, -0.2, -9.81), |sum, (force, _)| sum + force);
            let torques = of("mount_torque") + of("twist_torque");
            let torque = pushes.iter().fold(torques, |sum, (_, torque)| sum + torque);
            let size = pushes.iter().fold(20.0, |size: f64, (force, _)| size + force.norm());
            let missing: Vector3<f64> = 2.0 * of("a") - force;
            assert!(missing.norm() < 1e-12 * size, "{formulation}: {missing} of {force}");
            let missing: Vector3<f64> = 0.4 * of("alpha") - torque;
            assert!(missing.norm() < 1e-12 * size, "{formulation}: {missing} of {torque}");
            let [tension, span, rate] =
                ["line_tension", "line_span", "line_rate"].map(|name| output(&model, &values, name)[0]);
            let expected = 30.0 * (span - 0.7) + 4.0 * rate;
            assert!((tension - expected).abs() < 1e-12 * size, "{formulation}: {tension} and {expected}");
            assert_eq!(output(&model, &values, "wind_z")[0], of("wind_force").z);
        }
    }
}

/// A wheel with a spring about its hinge, a motor, and a slide with a force along it.
const WHEEL: &str = "model Wheel {
    planar;
    coordinates joint;
    const n = 2;
    body wheel { mass: 1 kg, inertia: 0.3 kg m^2 }
    body sledge { mass: 2 kg, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground, wheel);
    joint slide: prismatic(ground, sledge);
    force rest: torsion_spring(hinge) { stiffness: 2 N m, damping: 0.5 N m s, rest_angle: 20 deg }
    torque motor: -0.3 N m s * hinge.velocity on hinge;
    force pull: 4 N/m * slide.displacement on slide;
    torque brake: 0.2 N m on wheel from sledge;
    for k in 0..n { force line[k]: spring(ground at [k, 1] m, sledge) { stiffness: 3 N/m } }
    output rest = rest.torque;
    output motor = motor.torque;
    output pull = pull.force;
    output brake = brake.torque;
    output second = line[1].force;
    for k in 0..n { output tension[k] = line[k].tension; }
    output inertia = 0.3 kg m^2 * wheel.angular_acceleration;
    output along = 2 kg * sledge.acceleration.x;
}";

#[test]
fn forces_on_coordinates_and_of_arrays_are_closed_forms() {
    let model = hamel_jit::model(WHEEL.parse().expect("tokens"), Level::AtOnce, None).expect("it compiles");
    let units: Vec<&str> = model.describe().outputs.iter().map(|channel| channel.unit.as_str()).collect();
    assert_eq!(units, ["N m", "N m", "N", "N m", "N", "N", "N", "N", "N m", "N"]);
    for number in 0..20 {
        let state = moved(&model, number);
        let values = outputs(&model, &state);
        let of = |name: &str| output(&model, &values, name)[0];
        let (angle, rate, x) = (state.q[0], state.v[0], state.q[1]);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-13, "{found}, {expected}");
        near(of("rest"), -2.0 * (angle - 20_f64.to_radians()) - 0.5 * rate);
        near(of("motor"), -0.3 * rate);
        near(of("pull"), 4.0 * x);
        near(of("brake"), 0.2);
        near(of("inertia"), of("rest") + of("motor") + of("brake"));
        let second = output(&model, &values, "second");
        near(second[0], 3.0 * (1.0 - x));
        near(second[1], 3.0);
        near(of("tension[1]"), 3.0 * (1.0 - x).hypot(1.0));
        near(of("along"), 4.0 * x + 3.0 * (0.0 - x) + second[0]);
    }
}

#[test]
fn forces_on_rates_of_joints_are_torques() {
    let text = "model Top {
        coordinates joint;
        body top { mass: 1 kg, inertia: diag(0.1, 0.1, 0.2) kg m^2 }
        body slide { mass: 1 kg, inertia: diag(0.1, 0.1, 0.2) kg m^2 }
        joint pivot: spherical(ground, top);
        joint rail: prismatic(ground, slide);
        torque drag: -0.3 N m s * pivot.omega_y on pivot.omega_y;
        force push: -2 N/m * rail.displacement on rail;
        output drag = drag.torque;
        output push = push.force;
    }";
    let model = hamel_jit::model(text.parse().expect("tokens"), Level::AtOnce, None).expect("it compiles");
    for number in 0..5 {
        let state = moved(&model, number);
        let values = outputs(&model, &state);
        assert!((values[0] + 0.3 * state.v[1]).abs() < 1e-15 && (values[1] + 2.0 * state.q[4]).abs() < 1e-15);
    }
}

/// An end of a flexible member has axes as the body that it is.
#[test]
fn ends_of_members_give_axes() {
    let values = |axes: &str| {
        let text = format!(
            "model Boom {{
                flexible s: beam_three_node {{ length: 1 m, elements: 2, axial: 2e5 N, shear: [6e4, 6e4] N,
                    torsion: 20 N m^2, bending: [30, 30] N m^2, mass_per_length: 1 kg/m,
                    inertia_per_length: [2e-3, 1e-3, 1e-3] kg m }}
                joint clamp: fixed(ground rotated rotation_y(30 deg), s.root);
                force f: [0.3, -0.2, 1] N on s.tip in {axes};
                initial s.tip.velocity = [1, 2, 3] m/s in {axes};
                output along = (s.tip.velocity in {axes}).x;
                output place = s.tip.position in {axes};
            }}"
        );
        let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
        let state = initial_state(&model).unwrap();
        let mut values = vec![0.0; model.describe().outputs.len()];
        model.outputs(&state, &mut values);
        values.extend(state.a.iter());
        values
    };
    let (of_end, of_node) = (values("s.tip"), values("s[4]"));
    assert!(of_end.iter().any(|value| value.abs() > 0.1));
    assert_eq!(of_end, of_node);
}
