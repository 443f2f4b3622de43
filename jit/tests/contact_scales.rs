//! What happens at a contact does not depend on what is far away, or fast, elsewhere.

use hamel::{Caution, Model, Options, Run, Scheme, Simulation, initial_state, schemes};
use hamel_jit::{JitModel, Level};

fn model(text: &str) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(model: &JitModel, scheme: &dyn Scheme, (dt, until): (f64, f64), follow_impacts: bool) -> Run {
    let mut options = Options::default();
    options.contacts.follow_impacts = follow_impacts;
    let start = initial_state(model).unwrap();
    Simulation::new(model, scheme).options(options).step(dt).until(until).run(start)
}

/// The last value of an output, of a run that succeeds.
fn last(run: &Run, name: &str, what: &str) -> f64 {
    run.outcome.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
    run.trajectory.column(name).unwrap().next_back().unwrap()
}

/// A ball a little above the ground falls, wherever that is, and wherever other bodies are.
#[test]
fn a_gap_is_open_however_large_coordinates_are() {
    for (x, height, other) in [(5e5, 0.0, 0.0), (0.0, 1.7374e6, 0.0), (0.0, 0.0, 1e7), (-3e6, 2e6, -4e6)] {
        let text = format!(
            "model Far {{
                planar;
                coordinates joint;
                gravity [0, -9.81] m/s^2;
                body ball {{ mass: 1 kg, inertia: 0.01 kg m^2 }}
                body elsewhere {{ mass: 1 kg, inertia: 0.01 kg m^2 }}
                joint f: free(ground, ball);
                joint g: free(ground, elsewhere);
                contact floor: point_on_line(ball, ground at [0, {height}] m) {{ restitution: 0.8 }}
                initial f.y = {height} m + 5 mm;
                initial f.x = {x} m;
                initial g.y = {other} m;
                output rise = ball.position.y - {height} m;
            }}"
        );
        let far = model(&text);
        for name in ["bathe", "moreau", "half_explicit", "radau_iia5"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let what = format!("{name}, {x}, {height}, {other}");
            let rise = last(&run(&far, &*scheme, (1e-4, 0.02), false), "rise", &what);
            // Coordinates of a thousand kilometres are known to 10⁻¹⁰ m, and moreau and its like have the first order.
            assert!((rise - (5e-3 - 0.5 * 9.81 * 4e-4)).abs() < 2e-5, "{what}: {rise}");
        }
    }
}

/// Bounces end where they become ever faster, beside the first ones, and not beside the velocities of what spins or slides.
#[test]
fn bounces_do_not_know_how_fast_others_are() {
    let (height, restitution, gravity, until) = (5e-3_f64, 0.8_f64, 9.81_f64, 0.2_f64);
    // The bounces until the end, in closed form.
    let (mut t, mut speed) = ((2.0 * height / gravity).sqrt(), (2.0 * gravity * height).sqrt() * restitution);
    while t + 2.0 * speed / gravity < until {
        (t, speed) = (t + 2.0 * speed / gravity, speed * restitution);
    }
    let expected = speed * (until - t) - 0.5 * gravity * (until - t).powi(2);
    for (spin, slide) in [(0.0, 0.0), (1e4, 0.0), (0.0, 3e3)] {
        let text = format!(
            "model Spin {{
                planar;
                coordinates joint;
                gravity [0, -9.81] m/s^2;
                body ball {{ mass: 1 kg, inertia: 0.01 kg m^2 }}
                body rotor {{ mass: 1 kg, inertia: 0.01 kg m^2 }}
                joint f: free(ground, ball);
                joint axle: revolute(ground at [5, 5] m, rotor);
                contact floor: point_on_line(ball, ground) {{ restitution: {restitution} }}
                initial f.y = {height} m;
                initial ball.velocity = [{slide}, 0] m/s;
                initial axle.angle.velocity = {spin} rad/s;
                output y = ball.position.y;
            }}"
        );
        let ball = model(&text);
        for name in ["bathe", "newmark", "half_explicit", "radau_iia5"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let what = format!("{name}, {spin}, {slide}");
            let y = last(&run(&ball, &*scheme, (1e-3, until), true), "y", &what);
            assert!((y - expected).abs() < 1e-7, "{what}: {y} instead of {expected}");
        }
    }
}

/// A body that lies on a corner turns about it, by schemes for which gaps are those of corrected coordinates.
#[test]
fn bodies_that_lie_are_accepted_in_absolute_coordinates() {
    let text = "model Standing {
        coordinates absolute;
        body b { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }
        contact c: point_on_plane(b at [0, 0, -0.5] m, ground) { }
        initial b.position = [0, 0, 0.5] m;
        initial b.angular_velocity = [0, 0, 3] rad/s;
        output z = b.position.z;
        output turn = b.angular_velocity.z;
    }";
    let standing = model(text);
    for name in ["moreau", "half_explicit", "bathe"] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let run = run(&standing, &*scheme, (5e-3, 0.2), false);
        let (z, turn) = (last(&run, "z", name), last(&run, "turn", name));
        // The first two have the first order.
        assert!((z - 0.5).abs() < 1e-7 && (turn - 3.0).abs() < 2e-2, "{name}: {z}, {turn}");
    }
}

/// A box that drops flat: some of its corners carry the impact, and the others are not passed.
#[test]
fn corners_beside_an_impact_are_not_passed() {
    let text = "model Flat {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body b { mass: 1 kg, inertia: 0.02 kg m^2 }
        joint f: free(ground, b);
        for (k, x) in [(0, -1), (1, 0), (2, 1)] {
            contact c[k]: point_on_line(b at [0.2 m * x, -0.1 m], ground) { restitution: 0.6 }
        }
        initial f.y = 0.3 m;
        output y = b.position.y;
    }";
    let flat = model(text);
    let (fall, speed) = ((0.4_f64 / 9.81).sqrt(), 0.6 * (0.4_f64 * 9.81).sqrt());
    let expected = 0.1 + speed * (0.3 - fall) - 0.5 * 9.81 * (0.3 - fall).powi(2);
    for (name, follows) in [("bathe", true), ("radau_iia5", true), ("moreau", false), ("half_explicit", false)] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let run = run(&flat, &*scheme, (5e-3, 0.3), follows);
        let y = last(&run, "y", name);
        assert!((y - expected).abs() < if follows { 1e-9 } else { 2e-2 }, "{name}: {y}, {expected}");
        let passed = run.cautions.iter().find(|caution| matches!(caution, Caution::Passed { .. }));
        assert_eq!(passed, None, "{name}");
    }
    assert_eq!(flat.describe().contacts.len(), 3);
}

/// A ball that starts so little above the floor that it is taken for resting on it, and one that does not.
#[test]
fn contacts_that_are_taken_for_closed_are_said() {
    for (height, is_said) in [(0.0, false), (1e-10, false), (5e-9, true), (2e-8, false)] {
        let ball = model(&format!(
            "model Ball {{
                planar;
                coordinates joint;
                gravity [-9.81, 0] m/s^2;
                body b {{ mass: 1e-9 kg, inertia: 1e-20 kg m^2 }}
                joint s: prismatic(ground, b);
                contact floor {{ gap: b.position.x, restitution: 0.5 }}
                initial b.position.x = {height:e} m;
            }}"
        ));
        let scheme = schemes::by_name("moreau", &[]).unwrap();
        let run = run(&ball, &*scheme, (1e-6, 1e-4), false);
        let said =
            run.cautions.iter().any(|caution| matches!(caution, Caution::Taken { contact, .. } if contact == "floor"));
        assert_eq!(said, is_said, "{height}: {:?}", run.cautions);
    }
}
