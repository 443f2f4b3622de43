//! Runs that fail: what is said of them.

use hamel::simulation::Steps;
use hamel::{Cause, Caution, Simulation, StepError, initial_state, schemes};
use hamel_jit::Level;

/// A drive that begins to turn at once is a blow, at which steps that are chosen become ever shorter where it is not known
/// when: what is said names the drive and the instant.
#[test]
fn drives_that_jump_are_named() {
    let text = "model Jump {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        param start = 0.1 s;
        body a { mass: 1 kg, inertia: 0.02 kg m^2 }
        body b { mass: 2 kg, inertia: 0.05 kg m^2, center_of_mass: [0, -0.3] m }
        joint shaft: revolute(ground, a);
        joint swing: revolute(a at [0.5, 0] m, b);
        drive turn: DRIVE;
    }";
    for (drive, jump) in [
        ("shaft.angle == if (time - start)^3 < 0 s^3 { 0 } else { 2 rad/s * (time - start) }", 2.0),
        // Short steps pass a jump of a velocity.
        ("shaft.angle.velocity == if (time - start)^3 < 0 s^3 { 0 } else { 3 rad/s }", 0.0),
        ("shaft.angle == 0.4 * time / 1 s", 0.0),
    ] {
        let model = hamel_jit::model(text.replace("DRIVE", drive).parse().unwrap(), Level::AtOnce, None).unwrap();
        let mut failed = 0;
        for name in ["esdirk325", "esdirk324", "generalized_alpha", "radau_iia5"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let simulation = Simulation::new(&model, &*scheme).steps(Steps::with_tolerance(1e-6, 0.2)).until(0.2);
            let run = simulation.run(initial_state(&model).unwrap());
            let Err(StepError::NotConverged { cause, .. }) = &run.outcome else { continue };
            failed += 1;
            match cause {
                Cause::Blow { constraint, t, jump: found } => {
                    assert_eq!(constraint, "turn");
                    assert!((t - 0.1).abs() < 1e-9 && (found.abs() - jump).abs() < 1e-9, "{drive}, {name}: {cause}");
                }
                _ => assert_eq!(jump, 0.0, "{drive}, {name}: {cause}"),
            }
        }
        assert_eq!(failed > 0, jump > 0.0, "{drive}");
    }
}

/// So is a floor that begins to rise at once under what rests on it, which schemes pass on unlike each other.
#[test]
fn floors_that_jump_are_named() {
    let text = "model Rising {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body block { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint free: free(ground, block);
        contact floor { gap: block.position.y - (FLOOR) }
        initial block.velocity.x = 40 m/s;
    }";
    let jumps = "if time < 0.1003 s { 0 m } else { 2 m/s * (time - 0.1003 s) }";
    for (floor, jump) in [(jumps, -2.0), ("1 mm * sin(100 rad/s * time)", 0.0), ("0 m", 0.0)] {
        let model = hamel_jit::model(text.replace("FLOOR", floor).parse().unwrap(), Level::AtOnce, None).unwrap();
        for name in ["bathe", "generalized_alpha", "radau_iia5", "moreau"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let run = Simulation::new(&model, &*scheme).step(1e-3).until(0.3).run(initial_state(&model).unwrap());
            let said = run.cautions.iter().find_map(|caution| match caution {
                Caution::Blow { contact, t, jump, count: 1 } if contact == "floor" => Some((*t, *jump)),
                _ => None,
            });
            match said {
                None => assert!(jump == 0.0 || name == "moreau" || run.outcome.is_err(), "{floor}, {name}"),
                Some((t, found)) => {
                    assert!((t - 0.1003).abs() < 1e-12 && (found - jump).abs() < 1e-9, "{floor}, {name}: {t}, {found}");
                }
            }
        }
    }
}

/// A light body that a strong damper brings to its final velocity within the first step has gained no energy from nowhere.
#[test]
fn starts_under_strong_dampers_are_no_failures() {
    let text = "model Damped {
        planar;
        coordinates joint;
        body a { mass: 10 g, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, a);
        force push: 10 N on rail;
        force damper: spring_damper(ground at [-1, 0] m, a) { stiffness: 20 N/m, damping: 40 N s/m, free_length: 1 m }
        output x = rail.displacement;
    }";
    let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
    // x'' + 4000 x' + 2000 x = 1000.
    let root = (2000.0_f64 * 2000.0 - 2000.0).sqrt();
    let (slow, fast) = (-2000.0 + root, -2000.0 - root);
    let exact = 0.5 * (1.0 + (fast * slow.exp() - slow * fast.exp()) / (slow - fast));
    for name in ["generalized_alpha", "hht", "bathe", "esdirk324", "radau_iia5", "trapezoidal"] {
        for dt in [1e-2, 1e-3] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let run = Simulation::new(&model, &*scheme).step(dt).until(1.0).run(initial_state(&model).unwrap());
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{name}, {dt}: {error}"));
            let x = run.trajectory.column("x").unwrap().next_back().unwrap();
            assert!((x - exact).abs() < 2e-3, "{name}, {dt}: {x}, {exact}");
        }
    }
}

/// A block on a spring: steps that are longer than the motion by any factor are one, and eigenvalues that are no numbers no
/// eigenvalues.
#[test]
fn extreme_numbers_are_not_passed_over() {
    let text = "model Block {
        planar;
        coordinates joint;
        param damping = 0.1 N s/m;
        body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force drag: -damping * rail.velocity on rail;
        initial rail.velocity = 1 m/s;
    }";
    let tokens = hamel_jit::with_linearization(text.parse().unwrap());
    let mut model = hamel_jit::model(tokens, Level::AtOnce, None).unwrap();
    for name in ["esdirk325", "runge_kutta", "radau_iia5", "bathe"] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        for dt in [2.0, 1e10, 1e300] {
            let run = Simulation::new(&model, &*scheme).step(dt).until(0.1).run(initial_state(&model).unwrap());
            run.outcome.unwrap();
            let end = run.trajectory.times().next_back().unwrap();
            assert!((end - 0.1).abs() < 1e-15 && run.accepted == 1, "{name}, {dt}: {end}");
        }
    }
    model.set(&[("damping", -1e300)]).unwrap();
    let linear = hamel::linearize(&model, &initial_state(&model).unwrap(), hamel::linearize::About::State).unwrap();
    assert!(linear.eigenvalues().map_or(true, |found| found.iter().all(|value| value.re.is_finite())));
}

/// Dry friction by a sign holds a block at rest by forces that jump again and again: chosen steps become ever shorter there, and
/// the run ends with a word on that.
#[test]
fn runs_that_crawl_end() {
    let text = "model Block {
        planar;
        coordinates joint;
        body block { mass: 2 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force dry: (-3 N) * sign(rail.velocity) on rail;
        force spring: (-50 N/m) * rail.displacement on rail;
        initial rail.velocity = 1 m/s;
    }";
    let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
    let mut said = 0;
    for name in ["esdirk325", "esdirk324", "dormand_prince", "radau_iia5", "generalized_alpha", "bathe"] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let steps = Steps::with_tolerance(1e-6, 100.0);
        let run = Simulation::new(&model, &*scheme).steps(steps).until(100.0).run(initial_state(&model).unwrap());
        let Err(error) = run.outcome else { panic!("{name}") };
        assert!(run.accepted + run.rejected < 300_000, "{name}: {} and {} steps", run.accepted, run.rejected);
        said += usize::from(matches!(error, StepError::NoHeadway { t, .. } if t < 10.0));
    }
    assert!(said > 3, "{said}");
}

/// What changes by micrometres beside metres is named where steps were chosen by a tolerance of micrometres, also a state of
/// first order; what does not move but for errors is not.
#[test]
fn small_motions_beside_large_ones_are_named() {
    let text = "model Beside {
        coordinates COORDINATES;
        gravity [0, -9.81, 0] m/s^2;
        body arm { mass: 1.3 kg, inertia: diag(0.02, 0.03, 0.05) kg m^2, center_of_mass: [0.4, 0, 0] m }
        body tip { mass: 0.3 kg, inertia: diag(0.002, 0.003, 0.001) kg m^2 }
        joint hinge: revolute(ground, arm) { axis: [0, 0, 1] }
        joint slide: prismatic(arm at [0.8, 0, 0] m, tip) { axis: [1, 0, 0] }
        force rod: spring_damper(arm, tip) { stiffness: STIFFNESS, damping: 4000 N s/m, free_length: 0.8 m }
        state lag m: SMALL * (0.1 m + arm.position.y - lag) / 1 s;
        initial arm.angular_velocity = [0, 0, 1.3] rad/s;
    }";
    let run = |coordinates: &str, stiffness: &str, small: &str, tolerance: f64| {
        let text = text.replace("COORDINATES", coordinates).replace("STIFFNESS", stiffness).replace("SMALL", small);
        let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
        let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
        let run = Simulation::new(&model, &*scheme).tolerance(tolerance).until(0.5).run(initial_state(&model).unwrap());
        run.outcome.unwrap();
        let named = run.cautions.iter().filter_map(|caution| match caution {
            Caution::SmallBeside { channel, others, .. } => Some((channel.name.clone(), *others)),
            _ => None,
        });
        named.collect::<Vec<_>>()
    };
    let named = |name: &str| vec![(name.to_owned(), 0)];
    assert_eq!(run("joint", "1e6 N/m", "1", 1e-5), named("slide.displacement"));
    assert_eq!(run("joint", "1e6 N/m", "1", 1e-8), []);
    assert_eq!(run("joint", "200 N/m", "1", 1e-6), []);
    assert_eq!(run("joint", "200 N/m", "1e-6", 1e-6), named("lag"));
    assert_eq!(run("absolute", "200 N/m", "1", 1e-6), []);
}
