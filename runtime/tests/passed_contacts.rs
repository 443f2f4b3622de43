//! Contacts that are passed within a step are said, and near misses are not.

use hamel::{Caution, Run, Scheme, Simulation, initial_state, schemes};

hamel::multibody! {
    /// A small disc flies at another that rests.
    pub model Discs {
        planar;
        param speed = 30 m/s;
        body a { mass: 2 kg, inertia: 0.01 kg m^2 }
        body b { mass: 1 kg, inertia: 0.01 kg m^2 }
        contact c: disc_on_disc(a, b) { radii: [1 mm, 1 mm], restitution: 0.7 }
        initial b.position = [1, 0] m;
        initial a.velocity = [speed, 0 m/s];
    }
}

hamel::multibody! {
    /// A block on a spring turns before a stop, or bounces from it.
    pub model Stop {
        planar;
        coordinates joint;
        param play = 1 mm;
        body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force spring: spring(ground, block) { stiffness: 400 N/m }
        contact stop { gap: 0.1 m + play - rail.displacement, restitution: 0.8 }
        initial rail.displacement = -0.1 m;
    }
}

hamel::multibody! {
    /// Three discs that touch, of which the first is pushed.
    pub model Row {
        planar;
        coordinates joint;
        for k in 0..3 {
            body b[k] { mass: 1 kg, inertia: 0.004 kg m^2 }
            joint s[k]: prismatic(ground at [0.2 * k, 0] m, b[k]);
        }
        for k in 0..2 {
            contact p[k]: disc_on_disc(b[k], b[k + 1]) { radii: [0.1 m, 0.1 m], restitution: 1 }
        }
        initial s[0].displacement.velocity = 1 m/s;
    }
}

/// Those with contacts that are not compiled for this test.
const SCHEMES: [&str; 6] = ["moreau", "half_explicit", "newmark", "generalized_alpha", "bathe", "esdirk324"];

fn discs(scheme: &dyn Scheme, dt: f64) -> Run {
    let model = Discs::default();
    Simulation::new(&model, scheme).step(dt).until(0.05).run(initial_state(&model).expect("it can be assembled"))
}

fn is_said(run: &Run) -> bool {
    run.cautions.iter().any(|caution| matches!(caution, Caution::Passed { contact, .. } if contact == "c"))
}

/// Momentum and restitution give 13 m/s; where the contact is passed it stays at 30 m/s.
#[test]
fn a_disc_that_is_passed_is_said() {
    for name in SCHEMES {
        let scheme = schemes::by_name(name, &[]).expect("it is one");
        let mut passed = 0;
        // Also steps that end within the other disc, behind its middle, where the gap grows again.
        let behind = [30.0, 50.0, 100.0, 333.0].map(|steps| 1.001 / 30.0 / steps);
        for dt in [2e-3, 1e-3, 7e-4, 5e-4, 3e-4, 1e-4, 5e-5, 2e-5].into_iter().chain(behind) {
            let run = discs(&*scheme, dt);
            assert!(run.outcome.is_ok(), "{name}, {dt}: {:?}", run.outcome);
            let speed = run.trajectory.column("velocity(a.x)").expect("it is one").next_back().expect("a row");
            let has_hit = (speed - 13.0).abs() < 1e-6;
            assert!(has_hit || (speed - 30.0).abs() < 1e-6, "{name}, {dt}: {speed}");
            assert_eq!(is_said(&run), !has_hit, "{name}, {dt}: {speed}, {:?}", run.cautions);
            passed += u32::from(!has_hit);
        }
        assert!(passed > 2, "{name}");
    }
}

/// The disc begins so near that it has passed the other in one of the first steps.
#[test]
fn a_disc_that_is_passed_at_once_is_said() {
    for name in SCHEMES {
        let scheme = schemes::by_name(name, &[]).expect("it is one");
        let mut passed = 0;
        for place in 0..100 {
            let model = Discs::default();
            let mut start = initial_state(&model).expect("it can be assembled");
            start.q[0] = 0.9 + 9.79e-4 * f64::from(place);
            let run = Simulation::new(&model, &*scheme).step(1e-3).until(0.012).run(start);
            assert!(run.outcome.is_ok(), "{name}, {place}: {:?}", run.outcome);
            let speed = run.trajectory.column("velocity(a.x)").expect("it is one").next_back().expect("a row");
            let has_hit = (speed - 13.0).abs() < 1e-6;
            assert_eq!(is_said(&run), !has_hit, "{name}, {place}: {speed}, {:?}", run.cautions);
            passed += u32::from(!has_hit);
        }
        assert!(passed > 50, "{name}: {passed}");
    }
}

/// The block turns 0.1 m from the middle, before the stop or at it.
#[test]
fn near_misses_and_impacts_are_not() {
    for name in SCHEMES {
        let scheme = schemes::by_name(name, &[]).expect("it is one");
        for play in [1e-3, 1e-5, 1e-9, 0.0, -1e-5, -1e-2, -0.05] {
            for dt in [1e-3, 1e-2] {
                let model = Stop::new(StopParameters { play });
                let start = initial_state(&model).expect("it can be assembled");
                let run = Simulation::new(&model, &*scheme).step(dt).until(2.0).run(start);
                assert!(run.outcome.is_ok(), "{name}, {play}, {dt}: {:?}", run.outcome);
                let said = run.cautions.iter().find(|caution| matches!(caution, Caution::Passed { .. }));
                assert_eq!(said, None, "{name}, {play}, {dt}");
            }
        }
    }
}

/// Their gaps are rounding errors that change.
#[test]
fn discs_that_touch_are_not_passed() {
    let model = Row::default();
    for name in SCHEMES {
        let scheme = schemes::by_name(name, &[]).expect("it is one");
        let start = initial_state(&model).expect("it can be assembled");
        let run = Simulation::new(&model, &*scheme).step(1e-4).until(0.5).run(start);
        assert!(
            !run.cautions.iter().any(|caution| matches!(caution, Caution::Passed { .. })),
            "{name}: {:?}",
            run.cautions
        );
    }
}
