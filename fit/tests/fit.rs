//! Fits of parameters to measurements with known answers, and to ones that allow none.

use hamel::schemes::RungeKutta;
use hamel::{Model, Simulation, initial_state};
use hamel_fit::{Doubt, Fit, FitError, Fitted, Free, Measurements};
use hamel_jit::JitModel;

use crate::common::{Noise, OSCILLATOR, measured, model, with};

/// A chain of three links in space, with motors.
const ARM: &str = "model Arm {
    coordinates joint;
    gravity [0, 0, -9.81] m/s^2;
    param m1 = 3 kg;
    param m2 = 2 kg;
    param m3 = 1 kg;
    param i1 = 0.08 kg m^2;
    param i2 = 0.05 kg m^2;
    param i3 = 0.02 kg m^2;
    param friction = 0.3 N m s;
    body upper { mass: m1, inertia: diag(i1, i1, 0.01 kg m^2), center_of_mass: [0.02, 0, -0.2] m }
    body fore { mass: m2, inertia: diag(i2, i2, 0.008 kg m^2), center_of_mass: [0, 0.01, -0.15] m }
    body hand { mass: m3, inertia: diag(i3, i3, 0.004 kg m^2), center_of_mass: [0.01, 0, -0.1] m }
    joint shoulder: revolute(ground axis [0, 1, 0], upper axis [0, 1, 0]);
    joint elbow: revolute(upper at [0, 0, -0.4] m axis [1, 0, 0], fore axis [1, 0, 0]);
    joint wrist: revolute(fore at [0, 0, -0.3] m axis [0, 1, 0], hand axis [0, 1, 0]);
    torque first: [0 N m, (8 N m) * sin(3 rad/s * time) - friction * shoulder.angle.velocity, 0 N m] on upper;
    torque second: [(4 N m) * sin(5 rad/s * time), 0 N m, 0 N m] on fore in fore;
    torque third: [0 N m, (0.8 N m) * cos(7 rad/s * time), 0 N m] on hand in hand;
    output first = shoulder.angle;
    output second = elbow.angle;
    output third = wrist.angle;
}";

/// A ball that bounces.
const BALL: &str = "model Ball {
    planar;
    coordinates joint;
    param restitution = 0.75;
    param height = 0.57 m;
    param g = 9.6 m/s^2;
    gravity [0, -g];
    body ball { mass: 0.2 kg, inertia: 1e-4 kg m^2 }
    joint rail: prismatic(ground rotated 90 deg, ball rotated 90 deg);
    contact floor { gap: ball.position.y, restitution: restitution }
    initial ball.position.y = height;
    initial ball.velocity.y = 0;
    output y = ball.position.y;
}";

fn fitted(model: &JitModel, measured: &Measurements, free: Vec<Free>) -> Result<Fitted, FitError> {
    let family = |values: &[(&str, f64)]| with(model, values);
    Fit::new(&family, &RungeKutta, measured, free)?.step(0.01).run()
}

#[test]
fn what_was_simulated_is_found_again() {
    let model = model(OSCILLATOR);
    let measured = measured(&model, &["x", "speed"], 60, 0.02, 0.0, 1);
    let free = vec![Free::at("stiffness", 80.0), Free::at("damping", 0.0), Free::at("start", 0.1)];
    let found = fitted(&model, &measured, free).unwrap();
    for (parameter, exact) in found.parameters.iter().zip([50.0, 0.6, 0.3]) {
        // The measurements were computed with other steps.
        assert!((parameter.value / exact - 1.0).abs() < 1e-5, "{parameter:?}");
    }
    assert_eq!(found.parameters[0].unit, "N/m");
    assert_eq!(found.doubts, [Doubt::NoNoise]);
}

#[test]
fn gaps_are_left_out_and_columns_weighted_by_their_noise() {
    let model = model(OSCILLATOR);
    let measured = measured(&model, &["x", "speed"], 200, 0.02, 0.01, 7);
    let table: String = measured
        .times()
        .iter()
        .enumerate()
        .map(|(row, t)| {
            let [x, speed] = [0, 1].map(|column| measured.columns()[column].values[row].unwrap());
            // A column with ten times the noise, and nothing in every third row of the other.
            let x = if row % 3 == 0 { String::new() } else { x.to_string() };
            format!("{t},{x},{}\n", speed + 0.1 * ((row * 37 % 101) as f64 / 50.0 - 1.0))
        })
        .collect();
    let measured = Measurements::read(&format!("time,x [m],speed [m/s]\n{table}"), model.describe()).unwrap();
    let found = fitted(&model, &measured, vec![Free::at("stiffness", 60.0), Free::at("damping", 0.1)]).unwrap();
    assert!((found.parameters[0].value - 50.0).abs() < 3.0 * found.parameters[0].error, "{found:?}");
    let [x, speed] = [0, 1].map(|column| found.columns[column].deviation);
    assert!((x / 0.01 - 1.0).abs() < 0.2 && speed > 0.04 && speed < 0.08, "{x} {speed}");
}

/// Standard errors are what their name says: over many repetitions, estimates lie around the exact values as a normal
/// distribution does.
#[test]
fn standard_errors_are_those_of_repetitions() {
    let model = model(OSCILLATOR);
    let exact = [50.0, 0.6, 0.3];
    let (mut within, mut square, mut count, mut doubted) = (0, 0.0, 0.0, 0);
    for seed in 0..100 {
        let measured = measured(&model, &["x"], 50, 0.03, 0.01, 1000 + seed);
        let free = vec![Free::at("stiffness", 45.0), Free::at("damping", 1.0), Free::at("start", 0.25)];
        let found = fitted(&model, &measured, free).unwrap();
        doubted += found.doubts.len();
        let off: Vec<f64> =
            found.parameters.iter().zip(exact).map(|(found, exact)| (found.value - exact) / found.error).collect();
        within += usize::from(off.iter().all(|off| off.abs() < 3.0));
        square += off.iter().map(|off| off * off).sum::<f64>();
        count += off.len() as f64;
    }
    assert_eq!(doubted, 0);
    assert!(within >= 95, "{within} of 100 within three standard errors");
    // The mean square of 300 numbers of unit variance, to three of its own standard errors.
    assert!((square / count - 1.0).abs() < 3.0 * (2.0_f64 / count).sqrt() + 0.1, "{}", square / count);
}

#[test]
fn an_arm_is_identified() {
    let model = model(ARM);
    let measured = measured(&model, &["first", "second", "third"], 80, 0.01, 1e-3, 3);
    let exact = [("m2", 2.0), ("m3", 1.0), ("i2", 0.05), ("i3", 0.02), ("friction", 0.3)];
    let free = exact.iter().map(|(name, value)| Free::at(*name, value * 1.2).within(1e-3, 10.0)).collect();
    let found = fitted(&model, &measured, free).unwrap();
    assert!(found.doubts.is_empty(), "{found:?}");
    for (found, (_, exact)) in found.parameters.iter().zip(exact) {
        let off = (found.value - exact).abs();
        assert!(off < 4.0 * found.error && found.error < 0.1 * exact, "{found:?}");
    }
}

/// `benches/peers/identification.py` does this a hundred times.
#[test]
fn an_arm_with_seven_joints_is_identified() {
    let model = model(include_str!("../examples/arm.model"));
    let outputs = ["q1", "q2", "q3", "q4", "q5", "q6", "q7"];
    let names: Vec<String> =
        std::iter::once("i1".to_owned()).chain((2..8).flat_map(|i| [format!("m{i}"), format!("i{i}")])).collect();
    let exact = |name: &str| {
        let info = model.describe();
        model.parameters()[info.parameters.iter().position(|parameter| parameter.name == name).unwrap()]
    };
    let (mut within, mut count, mut square) = (0, 0, 0.0);
    for seed in 0..4 {
        let measured = measured(&model, &outputs, 150, 0.02, 1e-3, 20 + seed);
        let free = names.iter().map(|name| Free::at(name, 1.15 * exact(name))).collect();
        let family = |values: &[(&str, f64)]| with(&model, values);
        let found = Fit::new(&family, &RungeKutta, &measured, free).unwrap().step(5e-3).run().unwrap();
        for parameter in &found.parameters {
            let off = (parameter.value - exact(&parameter.name)) / parameter.error;
            within += usize::from(off.abs() < 3.0);
            count += 1;
            square += off * off;
        }
    }
    // Of 52 numbers with unit variance, one beyond three of its deviations is found in 13 of 100 trials.
    let mean = square / f64::from(count);
    assert!(count - within as i32 <= 1 && (mean - 1.0).abs() < 0.6, "{within} of {count}, {mean}");
}

/// Height of a ball that is dropped and bounces, in closed form.
fn bouncing([e, h, g]: [f64; 3], t: f64) -> f64 {
    let (mut start, mut v) = (-(2.0 * h / g).sqrt(), (2.0 * g * h).sqrt());
    while t - start > 2.0 * v / g {
        start += 2.0 * v / g;
        v *= e;
    }
    v * (t - start) - 0.5 * g * (t - start).powi(2)
}

/// A fit of a bouncing ball to that with noise.
fn fit_of_bounces(exact: [f64; 3], free: Vec<Free>) -> Result<Fitted, FitError> {
    let mut noisy = Noise(5);
    let mut table = String::from("t [s],y [m]\n");
    for k in 0..=120 {
        let t = 0.0125 * f64::from(k);
        table += &format!("{t},{}\n", bouncing(exact, t) + 2e-3 * noisy.next());
    }
    let model = model(BALL);
    let measured = Measurements::read(&table, model.describe()).unwrap();
    let (scheme, options) = hamel::gradient::suitable_scheme(&model);
    let scheme = hamel::schemes::by_name(scheme, &[]).unwrap();
    let family = |values: &[(&str, f64)]| with(&model, values);
    Fit::new(&family, &*scheme, &measured, free)?.options(options).step(5e-3).run()
}

/// The instants of impacts, which change from trial to trial, say most of it.
#[test]
fn a_bouncing_ball_is_identified() {
    let exact = [("restitution", 0.83), ("height", 0.61), ("g", 9.81)];
    let model = model(BALL);
    let free = ["restitution", "height", "g"].map(|name| Free::at(name, model.parameter(name).unwrap()));
    let found = fit_of_bounces(exact.map(|(_, value)| value), free.to_vec()).unwrap();
    assert!(found.doubts.is_empty(), "{found:?}");
    for (parameter, (name, value)) in found.parameters.iter().zip(exact) {
        let missed = (parameter.value - value).abs();
        assert!(missed < 3.0 * parameter.error && missed < 1e-2 * value, "{name}: {parameter:?}");
    }
}

/// A search that leads to values which the model refuses says which and why, and within bounds ends at one.
/// When a force sets in, and dry friction, from a table of the motion.
#[test]
fn times_of_forces_and_dry_friction_are_identified() {
    let exact = [0.9, 6.0, 0.5];
    let text = "model Cart {
        planar;
        coordinates joint;
        param late = 0.9 s;
        param push = 6 N;
        param friction = 0.5 N;
        body cart { mass: 2 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, cart);
        force begun: (if time < late { 0 N } else { push }) on rail;
        force dry: -friction * sign(rail.velocity) on rail;
        force spring: (-40 N/m) * rail.displacement on rail;
        initial rail.displacement = 0.5 m;
        initial rail.velocity = 0 m/s;
        output x = rail.displacement;
    }";
    let cart = model(text);
    let measured = measured(&cart, &["x"], 100, 0.02, 2e-3, 5);
    let free = vec![Free::at("late", 0.7), Free::at("push", 5.0), Free::at("friction", 0.8)];
    let found = fitted(&cart, &measured, free).unwrap();
    for (parameter, exact) in found.parameters.iter().zip(exact) {
        let missed = (parameter.value - exact).abs();
        assert!(missed < 4.0 * parameter.error && missed < 0.05 * exact, "{parameter:?}");
    }
}

#[test]
fn values_that_the_model_refuses_are_named() {
    let growing = [1.2, 0.61, 9.81];
    for free in [Free::at("restitution", 0.9), Free::at("restitution", 0.5).within(0.0, f64::INFINITY)] {
        let found = fit_of_bounces(growing, vec![free]);
        let said = match &found {
            Ok(found) => found.doubts.iter().find(|doubt| matches!(doubt, Doubt::Edge { .. })).unwrap().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(said.contains("restitution = 1.") && said.contains("give bounds"), "{said}");
    }
    let found = fit_of_bounces(growing, vec![Free::at("restitution", 0.9).within(0.0, 1.0)]).unwrap();
    assert!(found.parameters[0].is_at_bound, "{found:?}");
}

#[test]
fn what_the_measurements_do_not_tell_is_said() {
    let model = model(OSCILLATOR);
    let measured = measured(&model, &["x"], 60, 0.02, 1e-3, 5);
    // The motion depends on ratios to the mass alone.
    let free = vec![Free::at("mass", 2.2), Free::at("stiffness", 60.0), Free::at("damping", 0.5)];
    let found = fitted(&model, &measured, free).unwrap();
    let doubt = found.doubts.iter().find(|doubt| matches!(doubt, Doubt::Undetermined { .. }));
    let Some(Doubt::Undetermined { parameters }) = doubt else { panic!("{:?}", found.doubts) };
    assert!(parameters.contains(&"mass".to_owned()) && parameters.contains(&"stiffness".to_owned()), "{parameters:?}");
    assert!(found.parameters[0].error.is_infinite());
    let ratio = found.parameters[1].value / found.parameters[0].value;
    assert!((ratio / 25.0 - 1.0).abs() < 0.01, "{ratio}");
}

/// Of two springs side by side the sum alone is told, however small one of them is beside the other: what is found of either
/// follows from where the search began.
#[test]
fn a_small_part_of_what_is_not_told_is_said() {
    let text = OSCILLATOR.replace("stiffness: stiffness,", "stiffness: stiffness + aside,");
    let model = model(&text.replace("param damping", "param aside = 1 N/m; param damping"));
    let measured = measured(&model, &["x"], 60, 0.02, 1e-3, 5);
    for aside in [0.005, 0.5, 2.0, 20.0] {
        let free = vec![Free::at("stiffness", 51.0 - aside), Free::at("aside", aside), Free::at("damping", 0.5)];
        let found = fitted(&model, &measured, free).unwrap();
        let errors: Vec<bool> = found.parameters.iter().map(|parameter| parameter.error.is_finite()).collect();
        // So small a spring is less than the error of the sum.
        let is_told = aside < 0.1;
        assert_eq!(errors, [is_told, false, true], "{aside}: {found:?}");
        let sum = found.parameters[0].value + found.parameters[1].value;
        assert!((sum / 51.0 - 1.0).abs() < 0.01, "{sum}");
    }
}

/// A robot has no outputs: its angles and their rates are what is measured.
#[test]
fn coordinates_and_velocities_are_measured_too() {
    let model = model(&format!("{}}}", &ARM[..ARM.find("    output").unwrap()]));
    let run = Simulation::new(&model, &RungeKutta).step(1e-3).until(0.5).record_every(10);
    let mut table = Vec::new();
    run.run(initial_state(&model).unwrap()).trajectory.write_csv(&mut table).unwrap();
    let names = ["shoulder.angle", "velocity(elbow.angle)", "wrist.angle"].map(str::to_owned);
    let table = String::from_utf8(table).unwrap();
    let measured = Measurements::read_columns(&table, model.describe(), &names).unwrap();
    let found = fitted(&model, &measured, vec![Free::at("m2", 2.3), Free::at("friction", 0.2)]).unwrap();
    for (found, exact) in found.parameters.iter().zip([2.0, 0.3]) {
        assert!((found.value - exact).abs() < 1e-6 * exact, "{found:?}");
    }
    // In the order of the table.
    assert_eq!(found.columns[2].unit, "rad/s");
    // The attitude of a free body has no rate among the velocities.
    let top = self::model(
        "model Top { coordinates joint; param m = 1 kg; body top { mass: m, inertia: diag(1, 1, 2) kg m^2 } joint pivot: spherical(ground, top at [0, 0, -1] m); }",
    );
    let error = Measurements::read("t,pivot.e0\n0,1\n", top.describe()).unwrap_err();
    assert!(matches!(error, FitError::UnknownOutput { .. }), "{error}");
}

#[test]
fn a_single_parameter_that_changes_less_than_rounding_is_not_determined() {
    let text = "param shade = 1 m; output faint = rail.displacement + 1e-15 * shade; output unused";
    let model = model(&OSCILLATOR.replace("output unused", text));
    let measured = measured(&model, &["faint"], 60, 0.02, 1e-3, 5);
    let found = fitted(&model, &measured, vec![Free::at("shade", 1.0)]).unwrap();
    let is_told = |doubt: &Doubt| matches!(doubt, Doubt::Undetermined { parameters } if parameters == &["shade"]);
    assert!(found.doubts.iter().any(is_told) && found.parameters[0].error.is_infinite(), "{found:?}");
}

/// Measurements of a motion with friction, from which the model has none to find; and a minimum in the wrong place, where
/// the frequency is another.
#[test]
fn what_is_left_and_is_no_noise_is_said() {
    let model = model(OSCILLATOR);
    let measured = measured(&model, &["x"], 100, 0.03, 1e-3, 9);
    let alike = |found: &Fitted| match found.doubts.as_slice() {
        [Doubt::NotNoise { output, correlation }]
        | [Doubt::Unexplained { .. }, Doubt::NotNoise { output, correlation }] => output == "x" && *correlation > 0.5,
        _ => false,
    };
    let family = |values: &[(&str, f64)]| with(&model, &[&[("damping", 0.0)], values].concat());
    let wrong = Fit::new(&family, &RungeKutta, &measured, vec![Free::at("stiffness", 50.0)]).unwrap();
    let wrong = wrong.step(0.01).run().unwrap();
    assert!(alike(&wrong), "{wrong:?}");
    let far = fitted(&model, &measured, vec![Free::at("stiffness", 400.0)]).unwrap();
    assert!((far.parameters[0].value - 50.0).abs() > 50.0 && alike(&far), "{far:?}");
    let near = fitted(&model, &measured, vec![Free::at("stiffness", 60.0)]).unwrap();
    assert!((near.parameters[0].value - 50.0).abs() < 0.5 && near.doubts.is_empty(), "{near:?}");
}

/// Minima in wrong places are doubted however few the measurements are, and at whatever times; right ones seldom are.
#[test]
fn wrong_minima_of_sparse_measurements_are_doubted() {
    let model = model(&OSCILLATOR.replace("damping = 0.6", "damping = 0.1"));
    let (decay, turn) = (0.025_f64, (25.0_f64 - 0.025 * 0.025).sqrt());
    let (mut wrong, mut right, mut doubted) = (0, 0, 0);
    for (count, seed) in [(12, 1), (40, 3)] {
        let mut noisy = Noise(seed);
        let mut times: Vec<f64> = (0..count).map(|_| 0.1 + 9.9 * noisy.uniform()).collect();
        times.sort_by(f64::total_cmp);
        let row = |t: &f64| {
            let x = 0.3 * (-decay * t).exp() * ((turn * t).cos() + decay / turn * (turn * t).sin());
            format!("{t},{}\n", x + 3e-3 * noisy.next())
        };
        let table: String = times.iter().map(row).collect();
        let measured = Measurements::read(&format!("t,x\n{table}"), model.describe()).unwrap();
        for given in [false, true] {
            let measured = measured.clone();
            let measured = if given { measured.with_deviation("x", 3e-3).unwrap() } else { measured };
            for start in [15.0, 35.0, 49.0, 80.0] {
                let free = ["stiffness", "damping", "start"].map(|name| {
                    let value = if name == "stiffness" { start } else { model.parameter(name).unwrap() };
                    Free::at(name, value).within(0.0, 1000.0)
                });
                let Ok(found) = fitted(&model, &measured, free.to_vec()) else { continue };
                let is_doubted = !found.doubts.is_empty();
                if (found.parameters[0].value - 50.0).abs() > 2.5 {
                    wrong += 1;
                    assert!(is_doubted, "{count} times from {start}: {:?}", found.parameters);
                } else {
                    right += 1;
                    doubted += usize::from(is_doubted);
                }
            }
        }
    }
    assert!(wrong > 4 && right > 4 && doubted == 0, "{wrong} wrong, {right} right, {doubted} of these doubted");
}

/// A ratio is known, and next to nothing besides: standard errors are no bounds then.
#[test]
fn parameters_that_are_hardly_told_apart_are_named() {
    let text = "output faint = rail.displacement + 2e-4 m/kg * mass; output unused";
    let model = model(&OSCILLATOR.replace("output unused", text));
    let measured = measured(&model, &["x", "faint"], 60, 0.02, 1e-3, 5);
    let all = [("mass", 2.2), ("stiffness", 52.0), ("damping", 0.7)].map(|(name, value)| Free::at(name, value));
    let found = fitted(&model, &measured, all.to_vec()).unwrap();
    let is_told = |doubt: &Doubt| matches!(doubt, Doubt::HardlyDetermined { parameters } if parameters.len() == 3);
    assert!(found.doubts.iter().any(is_told), "{:?} {:?}", found.doubts, found.parameters);
}

/// A value that is none takes the weight of its column, and a search that may not go on says so.
#[test]
fn outliers_and_limits_are_said() {
    let model = model(OSCILLATOR);
    let good = measured(&model, &["x"], 60, 0.02, 1e-3, 5);
    let rows = good.times().iter().zip(&good.columns()[0].values).enumerate();
    let row = |(k, (t, x)): (usize, (&f64, &Option<f64>))| {
        let off = if k == 30 { 0.5 } else { 0.0 };
        format!("{t},{}\n", x.unwrap() + off)
    };
    let table = format!("t,x\n{}", rows.map(row).collect::<String>());
    let measured = Measurements::read(&table, model.describe()).unwrap();
    let free = || vec![Free::at("stiffness", 60.0), Free::at("damping", 0.5)];
    let found = fitted(&model, &measured, free()).unwrap();
    let is_told =
        |doubt: &Doubt| matches!(doubt, Doubt::Outlier { output, deviations } if output == "x" && *deviations > 6.0);
    assert!(found.doubts.iter().any(is_told), "{:?}", found.doubts);
    let family = |values: &[(&str, f64)]| with(&model, values);
    let fit = Fit::new(&family, &RungeKutta, &good, free()).unwrap().step(0.01);
    let found = fit.motions(8).run().unwrap();
    assert!(found.doubts.contains(&Doubt::Motions { most: 8 }) && found.motions < 20, "{found:?}");
    let fit = Fit::new(&family, &RungeKutta, &good, free()).unwrap().step(0.01);
    let found = fit.motions(200).run().unwrap();
    assert!(found.doubts.is_empty() && (found.parameters[0].value - 50.0).abs() < 0.5, "{found:?}");
}

#[test]
fn a_bound_that_holds_is_marked() {
    let model = model(OSCILLATOR);
    let measured = measured(&model, &["x"], 60, 0.02, 1e-3, 5);
    let found = fitted(&model, &measured, vec![Free::at("stiffness", 20.0).within(10.0, 40.0)]).unwrap();
    assert!(found.parameters[0].is_at_bound && (found.parameters[0].value - 40.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn columns_are_chosen_of_a_table_that_has_others() {
    let model = model(OSCILLATOR);
    let read = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Measurements::read_columns("t [s],x [m],energy [J],speed\n0.1,1,2,3\n0.2,4,,6\n", model.describe(), &names)
    };
    assert_eq!(read(&["x"]).unwrap(), Measurements::read("t,x\n0.1,1\n0.2,4\n", model.describe()).unwrap());
    assert_eq!(read(&["speed", "x"]).unwrap().columns().len(), 2);
    let fails = |names: &[&str]| read(names).unwrap_err().to_string();
    assert_eq!(fails(&["x", "spead"]), "measurements: there is no column `spead`");
    assert_eq!(
        fails(&["energy"]),
        "measurements: there is no output, coordinate or velocity `energy`; outputs of the model: `x`, `speed`, `unused`"
    );
    assert!(fails(&["t"]).starts_with("measurements, line 1: expected a column with the name of an output"));
}

#[test]
fn mistakes_are_named() {
    let model = model(OSCILLATOR);
    let info = model.describe();
    let read = |text: &str| Measurements::read(text, info).map(|_| ()).unwrap_err().to_string();
    assert_eq!(read("x\n1\n"), "measurements, line 1: expected a column `t` with times in s");
    assert_eq!(read("t\n1\n"), "measurements, line 1: expected a column with the name of an output beside the times");
    assert_eq!(
        read("t,y\n1,2\n"),
        "measurements: there is no output, coordinate or velocity `y`; outputs of the model: `x`, `speed`, `unused`"
    );
    assert_eq!(read("t,x [mm]\n1,2\n"), "measurements: `x` is in mm, expected m");
    assert_eq!(read("t [ms],x\n1,2\n"), "measurements: `t` is in ms, expected s");
    assert_eq!(read("t,x,x\n1,2,3\n"), "measurements, line 1: `x` occurs twice");
    assert_eq!(read("t,x\n0,1\n1,nan\n"), "measurements, line 3: expected a finite number or nothing, found `nan`");
    assert_eq!(read("t,x\n1,1\n0.5,2\n"), "measurements, line 3: expected a time after 1 s, found 0.5");
    assert!(read("t,x\n1,1,4\n").starts_with("measurements, line 2: "));

    assert_eq!(
        read("t,x\n-1,1\n0.5,2\n"),
        "measurements, line 2: expected a time of at least 0 s, where the motion begins, found -1"
    );
    let few = Measurements::read("t,x\n0.1,0.2\n0.2,\n0.3,0.1\n", info).unwrap();
    let fails = |measured: &Measurements, free: Vec<Free>| fitted(&model, measured, free).unwrap_err().to_string();
    let all = || vec![Free::at("stiffness", 50.0), Free::at("damping", 1.0)];
    assert_eq!(fails(&few, all()), "2 measured numbers for 2 parameters, expected more numbers than parameters");
    let uneven: String = (1..30).map(|k| format!("{k}e-1,0.1,{}\n", if k < 3 { "0.2" } else { "" })).collect();
    let uneven = Measurements::read(&format!("t,x,speed\n{uneven}"), info).unwrap();
    assert!(fails(&uneven, all()).starts_with("2 measured numbers of `speed` for 2 parameters are too few"));
    let enough = measured(&model, &["x"], 20, 0.05, 0.0, 1);
    assert_eq!(
        fails(&enough, vec![Free::at("stiffnes", 1.0)]),
        "there is no parameter `stiffnes` to fit; the model has `mass`, `stiffness`, `damping`, `start`"
    );
    assert_eq!(
        fails(&enough, vec![Free::at("mass", 1.0).within(2.0, 3.0)]),
        "parameter `mass`: expected a start within 2..3, found 1"
    );
    assert_eq!(fails(&enough, [all(), all()].concat()), "parameter `stiffness` is free twice");
    assert_eq!(fails(&enough, Vec::new()), "expected at least one parameter to fit");
    assert!(fails(&enough, vec![Free::at("mass", -1.0)]).starts_with("the parameters at the start are refused"));
    let unused = Measurements::read("t,unused\n0.1,0.2\n0.2,1\n0.3,0.1\n", info).unwrap();
    assert_eq!(fails(&unused, vec![Free::at("mass", 2.0)]), "parameter `mass` changes none of the measured outputs");
    // Squares that no number holds.
    let large = Measurements::read("t,x\n0.1,1e300\n0.2,1e300\n0.3,2e300\n", info).unwrap();
    let small = enough.clone().with_deviation("x", 1e-160).unwrap();
    for measured in [&large, &small] {
        let said = fails(measured, vec![Free::at("stiffness", 50.0)]);
        assert!(said.contains("too large or too small for numbers"), "{said}");
    }
    assert!(enough.clone().with_deviation("x", 0.0).is_err() && enough.with_deviation("y", 1.0).is_err());
}
