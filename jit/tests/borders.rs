//! Borders that the state crosses, at which formulas give way to others: what runs say and find of them, and periodic motions
//! over them.

use std::f64::consts::PI;

use hamel::linearize::{Doubt, LinearizeError, monodromy};
use hamel::nalgebra::{Complex, Matrix2};
use hamel::{About, Caution, Run, Simulation, initial_state, linearize, schemes};
use hamel_jit::{JitModel, Level};

use crate::common::random::Random;

/// A body on a rail with this force.
fn body(force: &str, more: &str) -> JitModel {
    let text = format!(
        "model Body {{
            planar;
            coordinates joint;
            {more}
            body b {{ mass: 1.3 kg, inertia: 1 kg m^2 }}
            joint s: prismatic(ground, b);
            let x = s.displacement;
            let v = s.velocity;
            force f: {force} on s;
        }}"
    );
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn end(run: &Run, column: &str) -> f64 {
    run.trajectory.column(column).unwrap().next_back().unwrap()
}

fn is_said(run: &Run) -> bool {
    run.cautions.iter().any(|caution| matches!(caution, Caution::JumpedAtBorder { .. }))
}

/// A wall that pushes back with a constant force: the speed comes back. Steps that are chosen find it, however thin it is;
/// equal ones say that they lose their order.
#[test]
fn walls_are_not_passed_over() {
    let mut random = Random(5);
    for depth in [2.0, 0.05, 2e-3, 1e-5] {
        for _ in 0..4 {
            let speed = 0.9 + 0.3 * random.next();
            // It would stop 1.3 times the energy.
            let force = 1.3 * 0.5 * 1.3 * speed * speed / depth;
            let wall = body(
                &format!("if x > 0.5 m {{ if x < {} m {{ -{force} N }} else {{ 0 N }} }} else {{ 0 N }}", 0.5 + depth),
                &format!("initial s.velocity = {speed} m/s;"),
            );
            let until = 0.5 / speed + 2.0 * speed * 1.3 / force + 0.7;
            for name in ["esdirk325", "dormand_prince", "radau_iia5", "generalized_alpha"] {
                let scheme = schemes::by_name(name, &[]).unwrap();
                let start = || initial_state(&wall).unwrap();
                let run = Simulation::new(&wall, &*scheme).tolerance(1e-8).until(until).run(start());
                run.outcome.as_ref().unwrap();
                let [x, v] = ["s.displacement", "velocity(s.displacement)"].map(|column| end(&run, column));
                let what = format!("{name}, {depth}, {speed}: {x}, {v}");
                assert!((v + speed).abs() < 1e-4 && (x - 0.5 + 0.7 * speed).abs() < 1e-4, "{what}");
                assert!(!is_said(&run), "{what}");
                let run = Simulation::new(&wall, &*scheme).step(1e-3).until(until).run(start());
                assert!(run.outcome.is_err() || is_said(&run), "{what}: {:?}", run.cautions);
            }
        }
    }
}

/// A pulse whose times no formula tells, shorter than the steps would be.
#[test]
fn pulses_are_not_passed_over() {
    let scheme = schemes::by_name("esdirk325", &[]).unwrap();
    for width in [1e-2, 1e-4] {
        for condition in
            [format!("(time - 0.71 s)^2 < ({width} s / 2)^2"), format!("abs(time - 0.71 s) < {width} s / 2")]
        {
            let pulse = body(&format!("if {condition} {{ 2.6 N s / ({width} s) }} else {{ 0 N }}"), "");
            let run = Simulation::new(&pulse, &*scheme).tolerance(1e-8).until(2.0).run(initial_state(&pulse).unwrap());
            run.outcome.as_ref().unwrap();
            let v = end(&run, "velocity(s.displacement)");
            assert!((v - 2.0).abs() < 1e-5, "{condition}: {v}");
        }
    }
}

/// A body that dry friction holds: stages of explicit steps cross the border, and ends of steps do not, so that it creeps.
#[test]
fn bodies_that_creep_are_said() {
    for name in ["runge_kutta", "dormand_prince"] {
        let model = body("3 N - 5 N * sign(v)", "initial s.velocity = 1 m/s;");
        let scheme = schemes::by_name(name, &[]).unwrap();
        let run = Simulation::new(&model, &*scheme).step(1e-3).until(2.0).run(initial_state(&model).unwrap());
        assert!(run.outcome.is_err() || is_said(&run), "{name}: {:?}", run.cautions);
    }
}

/// What only bends costs equal steps no caution.
#[test]
fn kinks_are_no_jumps() {
    let start = "initial s.displacement = 0.3 m;";
    for (force, jumps) in [
        ("if x > 0 m { -40 N/m * x } else { -90 N/m * x }", false),
        ("-40 N/m * x - 3 N/m * abs(x)", false),
        ("-40 N/m * x - 3 N * sign(x)", true),
        ("-40 N/m * x - 0.3 N * sign(v)", true),
    ] {
        let model = body(force, start);
        let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
        let run = Simulation::new(&model, &*scheme).step(1e-3).until(1.0).run(initial_state(&model).unwrap());
        run.outcome.as_ref().unwrap();
        assert_eq!(is_said(&run), jumps, "{force}: {:?}", run.cautions);
    }
}

/// Motions over borders: oscillators that are linear piece by piece, from closed forms.
#[test]
fn periodic_motions_over_borders_have_multipliers() {
    // Free oscillations return: ones, and departures along them do not grow. The period of a stiffness with a constant force
    // to the middle: four times the way from the turning point.
    let (mass, stiffness, turning) = (1.3_f64, 40.0_f64, 0.3_f64);
    let rate = (stiffness / mass).sqrt();
    for force in [1.0, 6.0, 20.0] {
        let away = force / stiffness;
        let quarter = (away / (turning + away)).acos() / rate;
        let relay = |start: f64| {
            body(
                &format!("-{stiffness} N/m * x - {force} N * sign(x)"),
                &format!("provide linearization; initial s.displacement = {start} m;"),
            )
        };
        let model = relay(turning);
        let found = monodromy(&model, &initial_state(&model).unwrap(), 4.0 * quarter, 1e-9).unwrap();
        // The period by the turning point, d/dx 4 acos(a / (x + a)) / ω.
        let ratio = away / (turning + away);
        let by_turning = 4.0 / rate * ratio / (turning + away) / (1.0 - ratio * ratio).sqrt();
        let pull = (stiffness * turning + force) / mass;
        let expected = Matrix2::new(1.0, 0.0, pull * by_turning, 1.0);
        let deviation = (&found.matrix - expected).amax() / expected.amax();
        assert!(deviation < 1e-8, "{force}: {} {expected}", found.matrix);
        // From another instant of the same motion.
        let mut later = initial_state(&model).unwrap();
        let t = 0.37 * quarter;
        later.q[0] = (turning + away) * (rate * t).cos() - away;
        later.v[0] = -(turning + away) * rate * (rate * t).sin();
        for multiplier in monodromy(&model, &later, 4.0 * quarter, 1e-9).unwrap().multipliers().unwrap() {
            assert!((multiplier - Complex::new(1.0, 0.0)).norm() < 1e-3, "{multiplier}");
        }
    }

    // Meissner's equation: a stiffness that jumps with time.
    let turn = |stiffness: f64, t: f64| {
        let rate = (stiffness / mass).sqrt();
        let (sine, cosine) = (rate * t).sin_cos();
        Matrix2::new(cosine, sine / rate, -rate * sine, cosine)
    };
    let meissner = body(
        "-(40 N/m + 25 N/m * sign(cos(3 rad/s * time))) * x",
        "provide linearization; initial s.displacement = 0 m;",
    );
    let found = monodromy(&meissner, &initial_state(&meissner).unwrap(), 2.0 * PI / 3.0, 1e-10).unwrap();
    let (stiff, soft) = (turn(65.0, PI / 6.0), turn(15.0, PI / 3.0));
    assert!((&found.matrix - stiff * soft * stiff).amax() < 1e-9, "{}", found.matrix);

    // A stiffness on one side, another on the other.
    let bilinear = body(
        "if x > 0 m { -40 N/m * x } else { -90 N/m * x }",
        "provide linearization; initial s.displacement = 0.3 m;",
    );
    let period = PI * ((mass / 40.0).sqrt() + (mass / 90.0).sqrt());
    let found = monodromy(&bilinear, &initial_state(&bilinear).unwrap(), period, 1e-10).unwrap();
    assert!((&found.matrix - Matrix2::identity()).amax() < 1e-8, "{}", found.matrix);
}

/// A body that sticks has no multipliers.
#[test]
fn what_sticks_has_no_multipliers() {
    let model = body("3 N * sin(2 rad/s * time) - 2 N * sign(v)", "provide linearization;");
    let found = monodromy(&model, &initial_state(&model).unwrap(), PI, 1e-8);
    assert!(matches!(found, Err(LinearizeError::Border { .. } | LinearizeError::NotPeriodic { .. })), "{found:?}");
}

/// Matrices at a jump or a kink are those of one side, which is said; smooth forces are none.
#[test]
fn linearisation_says_where_it_is_one_sided() {
    let said = |force: &str, along: &str| {
        let model = body(force, "provide linearization;");
        let found = linearize(&model, &initial_state(&model).unwrap(), About::State).unwrap();
        let sides: Vec<&Doubt> = found.doubts.iter().filter(|doubt| matches!(doubt, Doubt::OneSide { .. })).collect();
        match along {
            "" => assert!(sides.is_empty(), "{force}: {sides:?}"),
            along => assert_eq!(sides, [&Doubt::OneSide { along: along.to_owned() }], "{force}"),
        }
    };
    let (place, speed) = ("s.displacement", "velocity(s.displacement)");
    said("if x > 0 m { -40 N/m * x } else { -90 N/m * x }", place);
    said("-40 N/m * x - 3 N * sign(x)", place);
    said("-40 N/m * x - 3 N * sign(v)", speed);
    said("-40 N/m * x - 3 N/m * abs(x)", place);
    said("-40 N/m * x - 3 N * sqrt(abs(v / 1 m * 1 s)) * sign(v)", speed);
    said("-40 N/m * x - 3 N * (v / 1 m * 1 s) * abs(v / 1 m * 1 s)", "");
    said("-40 N/m * x - 3 N * tanh(v / 1 m * 1 s)", "");
    said("-4e6 N/m * (x - 1 m) + 4e6 N/m * (x / (1 m))^2 * x - 4e6 N", "");
    said("-1e5 N/m^3 * x^3 - 40 N/m * (x^2 / 1 m)", "");
}
