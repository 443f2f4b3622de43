//! Contacts that cannot be: what penetrates, jams or is passed within a step is named, and what was computed is kept.

use hamel::schemes::by_name;
use hamel::{StepError, initial_state, simulate};
use hamel_macros::multibody;

multibody! {
    /// A block that is driven into a wall with a strength that nothing bears.
    model Press {
        planar;
        coordinates joint;
        body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block) { coordinate: place }
        drive push: place == 1 m/s * time;
        contact wall { gap: 0.1 m - place }
        contact rear { gap: 1 m + place }
    }
}

multibody! {
    /// A finger that passes a pin once in a turn.
    model Finger {
        planar;
        coordinates joint;
        param rate = 1 rad/s;
        body arm { mass: 1 kg, inertia: 1 kg m^2 }
        joint hinge: revolute(ground, arm) { coordinate: turn }
        contact pin { gap: 0.99 m - (arm at [1 m, 0 m]).position.y }
        initial turn = 1.0708 rad;
        initial turn.velocity = rate;
    }
}

multibody! {
    /// Discs, two of which touch, each on a floor that two contacts stand for.
    model Overlap {
        planar;
        coordinates absolute;
        param radius = 0.1 m;
        param spacing = 0.2 m;
        for k in 0..3 {
            body disc[k] { mass: 1 kg, inertia: 0.005 kg m^2 }
            initial disc[k].position = [k * spacing + k * (k - 1) * 0.1 m, radius];
            contact floor[k]: disc_on_line(disc[k], ground) { radius: radius, friction: 0.3 }
            contact again[k]: disc_on_line(disc[k], ground) { radius: radius, friction: 0.3 }
        }
        gravity [0, -9.81] m/s^2;
        contact pair[0]: disc_on_disc(disc[0], disc[1]) { radii: [radius, radius] }
        contact pair[1]: disc_on_disc(disc[1], disc[2]) { radii: [radius, radius] }
    }
}

const SCHEMES: [&str; 6] = ["moreau", "half_explicit", "generalized_alpha", "bathe", "ed_alpha", "radau_iia3"];

#[test]
fn what_jams_is_named_and_nothing_is_lost() {
    let model = Press::default();
    for name in SCHEMES {
        let scheme = by_name(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = simulate(&model, &*scheme, initial_state(&model).unwrap(), 1e-3, 1.0, 1);
        let error = run.outcome.unwrap_err();
        assert!(matches!(error, StepError::Contact { .. }), "{name}: {error}");
        let text = error.to_string();
        assert!(text.contains("`wall`") && !text.contains("rear") && text.contains("jam"), "{text}");
        assert!((99..=101).contains(&run.trajectory.len()), "{name}: {}", run.trajectory.len());
    }
}

/// A turn and a radian in a step: approaching before it, leaving after it, and open in its middle.
#[test]
fn a_contact_that_is_passed_within_a_step_is_named() {
    let model = Finger::default();
    let step = std::f64::consts::TAU + 1.0;
    for name in SCHEMES {
        let scheme = by_name(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = simulate(&model, &*scheme, initial_state(&model).unwrap(), step, 2.0 * step, 1);
        let Err(StepError::MissedContact { contact, depth, .. }) = run.outcome else {
            panic!("{name}: {:?}", run.outcome)
        };
        assert!(contact == "pin" && depth > 0.5 && run.trajectory.len() == 1, "{name}: {depth}");
        // With a step that sees it the arm comes to rest at the pin.
        let run = simulate(&model, &*scheme, initial_state(&model).unwrap(), 1e-2, 1.0, 1);
        run.outcome.unwrap_or_else(|error| panic!("{error}"));
        let end = run.trajectory.column("gap(pin)").unwrap().last().unwrap();
        assert!(end.abs() < 0.01, "{name}: {end}");
    }
}

/// A start whose discs are in each other is refused by name, and one whose discs touch is held. Contacts that say the same
/// share their forces.
#[test]
fn what_overlaps_is_refused_and_what_touches_is_held() {
    let overlapping = Overlap::new(OverlapParameters { spacing: 0.19, ..OverlapParameters::default() });
    let Err(StepError::Penetration { contact: "pair[0]", gap, unit: "m", .. }) = initial_state(&overlapping) else {
        panic!("{:?}", initial_state(&overlapping))
    };
    assert!((gap + 0.01).abs() < 1e-9, "{gap}");
    let model = Overlap::default();
    let start = initial_state(&model).unwrap();
    for name in SCHEMES {
        let scheme = by_name(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = simulate(&model, &*scheme, start.clone(), 1e-3, 0.1, 1);
        run.outcome.unwrap_or_else(|error| panic!("{error}"));
        let last = |name: &str| run.trajectory.column(name).unwrap().last().unwrap();
        for k in 0..3 {
            let weight = last(&format!("normal_force(floor[{k}])")) + last(&format!("normal_force(again[{k}])"));
            assert!((weight - 9.81).abs() < 1e-6, "{name}: {weight} N");
            assert!(last(&format!("velocity(disc[{k}].x)")).abs() < 1e-9, "{name}");
        }
    }
}
