//! Runs whose impacts take place where contacts close: motions of the order of their schemes, against closed forms.

use hamel::gradient::Differentiated;
use hamel::nonsmooth::ContactOptions;
use hamel::{ConstraintLevel, Model, Options, Run, Simulation, StepError, initial_state, schemes};
use hamel_jit::{JitModel, Level};

/// A ball that bounces in air, which slows it down in proportion to its velocity.
const BALL: &str = "model Ball {
    planar;
    COORDINATES
    param drag = 2 N s/m;
    gravity [0, -9.81] m/s^2;
    body ball { mass: 1 kg, inertia: 0.01 kg m^2 }
    joint rail: prismatic(ground rotated 90 deg, ball rotated 90 deg);
    force drag: [0 N, -drag * ball.velocity.y] on ball;
    contact floor { gap: ball.position.y, restitution: 0.7 }
    initial ball.position.y = 0.3 m;
    initial ball.velocity.y = 0.4 m/s;
    output y = ball.position.y;
    output v = ball.velocity.y;
}";

/// The same beside a block that rests and slides on the floor.
const BESIDE: &str = "
    body block { mass: 2 kg, inertia: 0.1 kg m^2 }
    joint free: free(ground, block);
    contact left: point_on_line(block at [-0.1, -0.1] m, ground) { friction: 0.2 }
    contact right: point_on_line(block at [0.1, -0.1] m, ground) { friction: 0.2 }
    force push: [1.5 N, 0 N] on block at [0, -0.1] m;
    initial block.position = [1 m, 0.1 m];
    initial block.angle = 0;
    initial block.velocity = [1.4, 0] m/s;
    initial block.angular_velocity = 0;
    output x = block.position.x;
}";

fn model(text: &str) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn in_coordinates(kind: &str) -> String {
    BALL.replace("COORDINATES", &format!("coordinates {kind};"))
}

/// Height and velocity at a time, and the number of impacts.
fn exact(until: f64) -> ([f64; 2], u64) {
    let (g, k) = (9.81, 2.0);
    let (mut start, mut y, mut v, mut impacts) = (0.0_f64, 0.3, 0.4, 0);
    loop {
        // v + g / k decays.
        let at = |t: f64| {
            let (fast, decay) = (v + g / k, (-k * t).exp());
            [y + fast / k * (1.0 - decay) - g / k * t, fast * decay - g / k]
        };
        // Behind the top.
        let top = ((v + g / k) / (g / k)).ln() / k;
        let (mut low, mut high) = (top.max(0.0), top.max(0.0) + 1.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if at(middle)[0] > 0.0 { low = middle } else { high = middle }
        }
        if start + high > until {
            return (at(until - start), impacts);
        }
        (start, y, v) = (start + high, 0.0, -0.7 * at(high)[1]);
        impacts += 1;
    }
}

fn run(model: &JitModel, scheme: &str, dt: f64, until: f64, follow_impacts: bool) -> Run {
    let contacts = ContactOptions { follow_impacts, ..ContactOptions::default() };
    let options = Options { contacts, constraint_level: Some(ConstraintLevel::Velocity), ..Options::default() };
    let scheme = schemes::by_name(scheme, &[]).unwrap();
    let start = initial_state(model).unwrap();
    Simulation::new(model, &*scheme).options(options).step(dt).until(until).run(start)
}

fn last(run: &Run, column: &str) -> f64 {
    run.trajectory.column(column).unwrap().next_back().unwrap()
}

/// Errors shrink as the schemes promise, where they shrink in proportion to the step otherwise.
#[test]
fn motions_keep_the_order_of_their_schemes() {
    let until = 0.9;
    let (state, impacts) = exact(until);
    assert!(impacts > 1, "{impacts} impacts");
    for kind in ["joint", "absolute"] {
        let model = model(&in_coordinates(kind));
        let mut known = 0;
        for entry in schemes::entries() {
            let order = entry.scheme(&[]).unwrap().order();
            let missed = |dt: f64| {
                let run = run(&model, entry.name, dt, until, true);
                run.outcome.as_ref().map_err(StepError::clone)?;
                assert_eq!(last(&run, "impacts"), impacts as f64, "{}", entry.name);
                let missed = ["y", "v"].iter().zip(state).map(|(column, exact)| (last(&run, column) - exact).abs());
                Ok::<f64, StepError>(missed.fold(0.0, f64::max))
            };
            let (coarse, fine) = match (missed(6e-3), missed(3e-3)) {
                (Ok(coarse), Ok(fine)) => (coarse, fine),
                (Err(StepError::Undefined { .. }), _) => continue,
                (Err(error), _) | (_, Err(error)) => panic!("{}: {error}", entry.name),
            };
            known += 1;
            let measured = (coarse / fine).log2();
            let is_exact = fine < 1e-9;
            assert!(
                is_exact || measured > f64::from(order.min(2)) - 0.4,
                "{kind}, {}: {coarse:e}, {fine:e}",
                entry.name
            );
            assert!(order < 2 || fine < 1e-3, "{kind}, {}: {fine:e}", entry.name);
        }
        assert!(known > 12, "{known} schemes");
        // At the ends of steps.
        let run = run(&model, "radau_iia5", 3e-3, until, false);
        assert!((last(&run, "v") - state[1]).abs() > 1e-3);
    }
}

/// A ball that falls without drag meets the floor at the ends of steps, up to rounding, or next to them.
#[test]
fn impacts_may_fall_on_the_ends_of_steps() {
    let text = in_coordinates("joint").replace("drag = 2", "drag = 0").replace("9.81", "10");
    let model =
        model(&text.replace("position.y = 0.3 m", "position.y = 5 m").replace("velocity.y = 0.4", "velocity.y = 0"));
    for entry in schemes::entries() {
        for dt in [1e-3, 2e-3, 5e-3, 0.01, 1.0 / 128.0] {
            let run = run(&model, entry.name, dt, 2.0, true);
            match &run.outcome {
                Err(StepError::Undefined { .. }) => continue,
                other => assert!(other.is_ok(), "{}, {dt}: {other:?}", entry.name),
            }
            // Up with 0.7 of 10 m/s for a second.
            let (y, v) = (last(&run, "y"), last(&run, "v"));
            let order = entry.scheme(&[]).unwrap().order();
            let bound = if order < 2 { 10.0 * dt } else { 1e-9 };
            assert!((y - 2.0).abs() < bound && (v + 3.0).abs() < bound, "{}, {dt}: {y}, {v}", entry.name);
            assert_eq!(last(&run, "impacts"), 1.0, "{}, {dt}", entry.name);
        }
    }
}

/// Energy is accounted for, and what rests goes on as it did.
#[test]
fn other_contacts_go_on() {
    let text = in_coordinates("joint").trim_end().trim_end_matches('}').to_owned() + BESIDE;
    let in_air = model(&text);
    let (state, _) = exact(0.9);
    for name in ["bathe", "generalized_alpha", "radau_iia5"] {
        let run = run(&in_air, name, 3e-3, 0.9, true);
        run.outcome.as_ref().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!((last(&run, "y") - state[0]).abs() < 1e-4, "{name}");
        // Friction less the push.
        let slowed = 0.2 * 9.81 - 0.75;
        assert!(
            (last(&run, "x") - (1.0 + 1.4 * 0.9 - 0.5 * slowed * 0.81)).abs() < 1e-6,
            "{name}: {}",
            last(&run, "x")
        );
    }
    // Without drag, whose power jumps within steps.
    let model = model(&text.replace("drag = 2", "drag = 0"));
    let run = run(&model, "bathe", 3e-3, 0.9, true);
    assert!(run.cautions.is_empty(), "{:?}", run.cautions);
    let balance = run.trajectory.column("energy_balance").unwrap().fold(0.0_f64, |most, value| most.max(value.abs()));
    assert!(balance < 1e-9, "{balance}");
}

/// Bounces become ever faster, and end.
#[test]
fn a_ball_comes_to_rest() {
    let model = model(&in_coordinates("joint").replace("drag = 2", "drag = 0"));
    // Of the first flight and those after it.
    let (g, e, impact) = (9.81_f64, 0.7, (0.4_f64 * 0.4 + 2.0 * 9.81 * 0.3).sqrt());
    let rest = (0.4 + impact) / g + 2.0 * impact / g * e / (1.0 - e);
    for (until, is_at_rest) in [(rest - 0.01, false), (rest + 0.01, true)] {
        let run = run(&model, "bathe", 5e-3, until, true);
        run.outcome.as_ref().unwrap();
        let (y, v) = (last(&run, "y"), last(&run, "v"));
        assert_eq!(v.abs() < 1e-3 && y.abs() < 1e-6, is_at_rest, "{until}: {y}, {v}");
    }
}

/// The same on a floor elsewhere, where gaps have rounding.
#[test]
fn a_ball_comes_to_rest_on_any_floor() {
    for floor in ["0.1", "-7.3", "123.4"] {
        let text =
            in_coordinates("joint").replace("gap: ball.position.y", &format!("gap: ball.position.y - {floor} m"));
        let model = model(&text.replace("ball.position.y = 0.3 m", &format!("ball.position.y = {floor} m + 0.3 m")));
        for name in ["bathe", "generalized_alpha", "radau_iia5"] {
            let run = run(&model, name, 5e-3, 4.0, true);
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{floor}, {name}: {error}"));
            let missed = (last(&run, "y") - floor.parse::<f64>().unwrap()).abs();
            assert!(last(&run, "v").abs() < 1e-3 && missed < 1e-6, "{floor}, {name}: {missed}");
        }
    }
}

/// What is left of a step behind an impact may be as short as it likes. Schemes that have coordinates satisfy the constraints
/// leave velocities that do not, by something that a short rest must not take for an acceleration: arms that spin evenly on
/// a hinge, and tops, go on as they did, far from the ball and with it.
#[test]
fn an_impact_may_be_close_to_an_end_of_a_step() {
    let text = "model Beside {
        coordinates absolute;
        gravity [0, 0, -9.81] m/s^2;
        param height = 0.1 m;
        body top { mass: 1 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 }
        body arm { mass: 2 kg, inertia: diag(0.1, 0.2, 0.3) kg m^2 }
        joint hinge: revolute(ground at [5, 0, 1] m, arm at [0.3, 0, 0] m) { axis: [0, 0, 1] }
        contact floor: point_on_plane(top, ground) { restitution: 0.8 }
        initial top.position.z = height;
        initial top.angular_velocity = [3, 8, -5] rad/s;
        initial arm.angular_velocity = [0, 0, 12] rad/s;
        output z = top.position.z;
        output turn = top.angular_velocity;
        output swing = arm.angular_velocity.z;
        differentiate all;
    }";
    let mut beside = model(text);
    let (dt, until) = (1e-2, 0.2_f64);
    let options = Options {
        contacts: ContactOptions { follow_impacts: true, ..ContactOptions::default() },
        ..Options::default()
    };
    for name in ["bathe", "newmark", "hht", "generalized_alpha", "radau_iia5", "half_explicit"] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let mut missed = |part: f64, with_slopes: bool| {
            // The ball meets the floor this part of a step before its end, or after its beginning.
            let fall = 14.0 * dt - part * dt;
            beside.set(&[("height", 0.5 * 9.81 * fall * fall)]).unwrap();
            let mut found = [0.0; 5];
            if with_slopes {
                let motion = Differentiated::new(&beside, &*scheme).step(dt).until(until);
                motion.states(&mut |state| beside.outputs(state, &mut found)).unwrap();
            } else {
                let simulation = Simulation::new(&beside, &*scheme).options(options).step(dt).until(until);
                let run = simulation.run(initial_state(&beside).unwrap());
                run.outcome.as_ref().unwrap_or_else(|error| panic!("{name}, {part:e}: {error}"));
                found = ["z", "turn_x", "turn_y", "turn_z", "swing"].map(|column| last(&run, column));
            }
            let since = until - fall;
            let z = 0.8 * 9.81 * fall * since - 0.5 * 9.81 * since * since;
            let missed =
                found.iter().zip([z, 3.0, 8.0, -5.0, 12.0]).map(|(found, exact)| (found - exact).abs() / exact.abs());
            missed.fold(0.0, f64::max)
        };
        for with_slopes in [false, true] {
            let between = missed(0.5, with_slopes);
            for part in [1e-3, 1e-5, 1e-6, 1e-7, 1e-8, -1e-3, -1e-5, -1e-7] {
                let close = missed(part, with_slopes);
                assert!(close < 8.0 * between + 1e-9, "{name}, {part:e}: {close:e} instead of {between:e}");
            }
        }
    }
}

#[test]
fn schemes_whose_impacts_are_a_part_of_their_steps_refuse() {
    let error = run(&model(&in_coordinates("joint")), "moreau", 1e-3, 0.1, true).outcome.unwrap_err();
    assert!(matches!(&error, StepError::Undefined { reason, .. } if reason.contains("follow_impacts")), "{error}");
}

/// What rests on two feet, or slides on them, begins with the forces that it has.
#[test]
fn bodies_begin_at_rest_on_their_feet() {
    let text = "model Feet {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body table { mass: 2 kg, inertia: 0.1 kg m^2 }
        joint free: free(ground, table);
        contact left: point_on_line(table at [-0.1, 0] m, ground) { friction: 0.3 }
        contact right: point_on_line(table at [0.2, 0] m, ground) { friction: 0.3 }
        initial free.x.velocity = SPEED m/s;
        output x = table.position.x;
        output y = table.position.y;
    }";
    for speed in ["0", "1.5"] {
        let model = model(&text.replace("SPEED", speed));
        let speed: f64 = speed.parse().unwrap();
        for name in ["generalized_alpha", "hht", "bathe", "radau_iia5"] {
            let run = run(&model, name, 1e-3, 0.2, true);
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{speed}, {name}: {error}"));
            let expected = speed * 0.2 - 0.5 * 0.3 * 9.81 * 0.04 * f64::from(u8::from(speed > 0.0));
            let (x, y) = (last(&run, "x"), last(&run, "y"));
            assert!((x - expected).abs() < 1e-6 && y.abs() < 1e-9, "{speed}, {name}: {x}, {expected}, {y}");
            // Both feet together carry the weight; HHT begins with forces of before the start, and settles within steps.
            let first = if name == "hht" { 12 } else { 1 };
            let forces = ["left", "right"].map(|foot| {
                let column = format!("normal_force({foot})");
                run.trajectory.column(&column).unwrap().skip(first).collect::<Vec<f64>>()
            });
            let is_weight = |(left, right): (&f64, &f64)| (left + right - 2.0 * 9.81).abs() < 1e-6;
            assert!(forces[0].iter().zip(&forces[1]).all(is_weight), "{speed}, {name}: {forces:?}");
        }
    }
}
