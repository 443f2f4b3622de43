//! Fits whose search begins in intervals of the motion.

use hamel_fit::{Doubt, Fit, FitError, Fitted, Free, Measurements};
use hamel_jit::JitModel;

use crate::common::{OSCILLATOR, measured, model, with};

/// Two links that turn over, whose motion grows apart.
const CHAIN: &str = "model Chain {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    param m1 = 1 kg;
    param m2 = 0.7 kg;
    param drag = 0.02 N m s;
    body upper { mass: m1, inertia: 0.02 kg m^2, center_of_mass: [0, -0.25] m }
    body lower { mass: m2, inertia: 0.01 kg m^2, center_of_mass: [0, -0.2] m }
    joint first: revolute(ground, upper);
    joint second: revolute(upper at [0, -0.5] m, lower);
    torque friction: -drag * second.angle.velocity on lower;
    initial first.angle = 120 deg;
    initial second.angle = 40 deg;
    output first = first.angle;
    output second = second.angle;
}";

fn fitted(model: &JitModel, measured: &Measurements, free: Vec<Free>, count: usize) -> Result<Fitted, FitError> {
    let family = |values: &[(&str, f64)]| with(model, values);
    let (scheme, options) = hamel::gradient::suitable_scheme(model);
    let scheme = hamel::schemes::by_name(scheme, &[]).unwrap();
    Fit::new(&family, &*scheme, measured, free)?.options(options).step(0.01).intervals(count).run()
}

fn is_noise(found: &Fitted) -> bool {
    !found.doubts.iter().any(|doubt| matches!(doubt, Doubt::NotNoise { .. }))
}

/// From multiples of the exact values the search in intervals leads to the minimum next to these.
fn finds_from_afar(
    model: &JitModel,
    measured: &Measurements,
    free: &dyn Fn(f64) -> Vec<Free>,
    factors: &[f64],
    count: usize,
) {
    let exact = fitted(model, measured, free(1.0), 1).unwrap();
    assert!(is_noise(&exact), "{exact:?}");
    for &factor in factors {
        let found = fitted(model, measured, free(factor), count).unwrap();
        assert!(is_noise(&found) && found.motions < 200, "{factor}: {} motions, {:?}", found.motions, found.parameters);
        for (found, exact) in found.parameters.iter().zip(&exact.parameters) {
            assert!((found.value - exact.value).abs() < 1e-3 * exact.error, "{factor}: {found:?} {exact:?}");
        }
    }
}

#[test]
fn a_chain_that_turns_over_is_identified_from_afar() {
    let model = model(CHAIN);
    let measured = measured(&model, &["first", "second"], 200, 0.02, 0.02, 50);
    let free = |factor: f64| vec![Free::at("m2", 0.7 * factor), Free::at("drag", 0.02 * factor)];
    let whole = fitted(&model, &measured, free(1.5), 1).unwrap();
    assert!(!is_noise(&whole), "the test asks for nothing: {whole:?}");
    finds_from_afar(&model, &measured, &free, &[0.3, 1.5, 4.0], 20);
}

/// The same with constraints, which move with a parameter: starts are what these leave of them.
#[test]
fn starts_of_intervals_obey_constraints() {
    let text = CHAIN.replace("coordinates joint", "coordinates absolute");
    let text = text
        .replace("at [0, -0.5] m, lower", "at [0 m, -l], lower")
        .replace("param drag", "param l = 0.5 m; param drag");
    let text = text
        .replace("first.angle;", "upper.angle;")
        .replace("second.angle.velocity", "(lower.angular_velocity - upper.angular_velocity)");
    let text = text
        .replace("second.angle;", "lower.angle - upper.angle;")
        .replace("initial second.angle", "initial lower.angle")
        .replace("initial first.angle", "initial upper.angle");
    let model = model(&text);
    let measured = measured(&model, &["first", "second"], 100, 0.02, 0.02, 50);
    let free = |factor: f64| vec![Free::at("m2", 0.7 * factor), Free::at("l", 0.5 + 0.05 * factor)];
    finds_from_afar(&model, &measured, &free, &[4.0], 10);
}

/// A pendulum on a ball joint, which turns over: small changes of its attitude do not add.
#[test]
fn starts_of_intervals_turn() {
    let pendulum = "model Pendulum {
        coordinates joint;
        gravity [0, 0, -9.81] m/s^2;
        param inertia = 0.03 kg m^2;
        param drag = 0.02 N m s;
        param push = 1.5 N;
        body bob { mass: 1 kg, inertia: diag(inertia, 0.05 kg m^2, 0.04 kg m^2), center_of_mass: [0.05, 0, -0.3] m }
        joint ball: spherical(ground, bob);
        marker tip: bob at [0.1, 0, -0.6] m;
        torque friction: -drag * bob.angular_velocity on bob;
        force shaker: [push * sin(3 rad/s * time), 0 N, 0 N] on bob at [0, 0, -0.6] m;
        initial bob.angular_velocity = [7, 3, 5] rad/s;
        output place = tip.position;
    }";
    let model = model(pendulum);
    let measured = measured(&model, &["place_x", "place_y", "place_z"], 100, 0.03, 0.005, 3);
    let names = ["inertia", "drag", "push"];
    let free = |factor: f64| names.map(|name| Free::at(name, factor * model.parameter(name).unwrap())).to_vec();
    finds_from_afar(&model, &measured, &free, &[1.6], 20);
}

#[test]
fn a_wrong_frequency_is_found_by_intervals() {
    let model = model(OSCILLATOR);
    let measured = measured(&model, &["x"], 100, 0.03, 1e-3, 9);
    for start in [4.0, 400.0, 1000.0] {
        let found = fitted(&model, &measured, vec![Free::at("stiffness", start)], 10).unwrap();
        let found = &found.parameters[0];
        assert!((found.value - 50.0).abs() < 3.0 * found.error && found.error < 0.5, "{start}: {found:?}");
    }
}

#[test]
fn what_has_no_intervals_is_named() {
    let model = model(OSCILLATOR);
    let measured = measured(&model, &["x"], 10, 0.1, 1e-3, 9);
    let fails = |count| fitted(&model, &measured, vec![Free::at("stiffness", 60.0)], count).unwrap_err().to_string();
    for count in [0, 11] {
        let text = format!("expected 1 to 10 intervals, of which each has a time of measurements, found {count}");
        assert_eq!(fails(count), text);
    }
    assert!(fitted(&model, &measured, vec![Free::at("stiffness", 60.0)], 10).is_ok());
    let other = fitted(&model, &measured, vec![Free::at("mass", 2.0)], 1).unwrap();
    assert!((other.parameters[0].value / 2.0 - 1.0).abs() < 0.1, "{other:?}");
    let contact = "contact end { gap: rail.displacement + 1 m, restitution: 0.5 } output x";
    let other = self::model(&OSCILLATOR.replace("output x", contact));
    let found = fitted(&other, &measured, vec![Free::at("stiffness", 60.0)], 5).unwrap_err();
    assert_eq!(found, FitError::IntervalsOf { model: "Oscillator".to_owned() });
    assert!(found.to_string().ends_with("fit it in one"), "{found}");
}
