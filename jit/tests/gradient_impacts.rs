//! Slopes of motions whose impacts are followed: against closed forms, and against differences of runs with impacts at
//! their instants.

use hamel::gradient::{Changes, GradientError, Impacts, Instant, Slopes};
use hamel::{ConstraintLevel, Options, Scheme, State, schemes};
use hamel_jit::JitModel;

use crate::common::differences::differences;
use crate::common::differentiable::{model, options};
use crate::common::ends::{agrees_with_differences, deviation, differenced, directions, end, motion, slopes_at_end};
use crate::common::scenes::scene;

/// A ball that bounces; FORCE may be a drag, and FLOOR its height.
const BALL: &str = "model Ball {
    planar;
    coordinates joint;
    param mass = 1.3 kg;
    param g = 9.81 m/s^2;
    param restitution = 0.7;
    param height = 0.3 m;
    param speed = 0.4 m/s;
    param drag = 0.3 N s/m;
    param lift = 0.01 m;
    gravity [0, -g];
    body ball { mass: mass, inertia: 0.01 kg m^2 }
    joint rail: prismatic(ground rotated 90 deg, ball rotated 90 deg);
    FORCE
    contact floor { gap: ball.position.y - FLOOR, restitution: restitution }
    initial ball.position.y = height;
    initial ball.velocity.y = speed;
    output y = ball.position.y;
}";

fn ball(force: &str, floor: &str) -> JitModel {
    model(&BALL.replace("FORCE", force).replace("FLOOR", floor))
}

/// A spinning ball that bounces on a rough floor, slides and rolls.
const SPINNING: &str = "model Spinning {
    COORDINATES
    param mass = 0.6 kg;
    param radius = 0.1 m;
    param friction = 0.2;
    param restitution = 0.6;
    param spin = 30 rad/s;
    param g = 9.81 m/s^2;
    param drag = 0.4 N s/m;
    gravity [0, 0, -g];
    body ball { mass: mass, inertia: diag(0.4, 0.5, 0.6) * mass * radius^2 }
    JOINT
    force drag: -drag * ball.velocity on ball;
    contact floor: ball_on_plane(ball, ground) {
        radius: radius, friction: friction, restitution: restitution, tangential_restitution: 0.1
    }
    initial ball.position = [0 m, 0 m, radius + 20 mm];
    initial ball.velocity = [0.4, -0.2, -0.3] m/s;
    initial ball.angular_velocity = [2 rad/s, spin, -3 rad/s] in ball;
    output x = ball.position;
}";

/// A rod on a carriage that is driven to and fro, and strikes a wall.
const CARRIED: &str = "model Carried {
    planar;
    COORDINATES
    param length = 0.8 m;
    param stroke = 0.05 m;
    param rate = 9 rad/s;
    param restitution = 0.5;
    param speed = 3 rad/s;
    gravity [0, -9.81] m/s^2;
    body carriage { mass: 1 kg, inertia: 1 kg m^2 }
    body door { mass: 2 kg, inertia: 2 kg * length^2 / 12 }
    joint rail: prismatic(ground, carriage);
    joint hinge: revolute(carriage, door at [0 m, length / 2]);
    drive feed: carriage.position.x == stroke * sin(rate * time);
    contact stop { gap: 0.3 m - (door at [0 m, -length / 2]).x, restitution: restitution }
    initial door.angle = -0.2 rad;
    initial door.angular_velocity = speed;
    output tip = (door at [0 m, -length / 2]);
}";

/// A rod that swings and strikes a wall with a spring behind it, by which it is thrown back.
const DOOR: &str = "model Door {
    planar;
    COORDINATES
    param length = 0.8 m;
    param mass = 2 kg;
    param stiffness = 400 N/m;
    param restitution = 0.5;
    param speed = 3 rad/s;
    gravity [0, -9.81] m/s^2;
    body door { mass: mass, inertia: mass * length^2 / 12 }
    body wall { mass: 1.5 kg, inertia: 1 kg m^2 }
    joint hinge: revolute(ground, door at [0 m, length / 2]);
    joint rail: prismatic(ground at [0.3, 0] m, wall);
    force spring: spring(ground at [1.3, 0] m, wall) { stiffness: stiffness, free_length: 1 m }
    contact stop { gap: wall.position.x - (door at [0 m, -length / 2]).x, restitution: restitution }
    initial door.angle = -0.2 rad;
    initial door.angular_velocity = speed;
    initial wall.position.x = 0.3 m;
    initial wall.velocity.x = 0;
    output tip = (door at [0 m, -length / 2]);
}";

/// A block that falls and stays where it fell, sliding, while a ball falls beside it.
const STAYS: &str = "model Stays {
    planar;
    coordinates joint;
    param mass = 2 kg;
    param friction = 0.3;
    param speed = 0.8 m/s;
    param fall = 0.02 m;
    param restitution = 0.6;
    gravity [0, -9.81] m/s^2;
    body block { mass: mass, inertia: 0.02 kg m^2 }
    body ball { mass: 1 kg, inertia: 0.02 kg m^2 }
    body sledge { mass: 0.5 kg, inertia: 1 kg m^2 }
    joint along: prismatic(ground, sledge);
    joint up: prismatic(sledge rotated 90 deg, block rotated 90 deg);
    joint rail: prismatic(ground at [0, 1] m rotated 90 deg, ball rotated 90 deg);
    contact floor { gap: block.position.y, slip: block.position.x, friction: friction, restitution: 0 }
    contact below { gap: ball.position.y, restitution: restitution }
    initial block.position = [0 m, fall];
    initial block.velocity = [speed, 0 m/s];
    initial ball.position.y = 0.05 m;
    initial ball.velocity.y = 0;
    output x = block.position.x;
    output y = ball.position.y;
}";

/// Height and velocity of the ball at a time, in the closed form of its parabolas, and the number of impacts.
fn thrown([_, g, restitution, height, speed]: [f64; 5], until: f64) -> (Vec<f64>, usize) {
    let (mut y, mut v, mut t) = (height, speed, 0.0);
    let mut impacts = 0;
    loop {
        let down = (v + (v * v + 2.0 * g * y).sqrt()) / g;
        if t + down > until {
            let left = until - t;
            return (vec![v - g * left, y + v * left - 0.5 * g * left * left], impacts);
        }
        (t, y, v) = (t + down, 0.0, restitution * (g * down - v));
        impacts += 1;
    }
}

/// Every scheme whose impacts follow its steps, by a motion that all of them integrate without error, but for those of
/// first order.
#[test]
fn slopes_of_a_bouncing_ball_are_those_of_its_parabolas() {
    let (until, step) = (1.0, 0.023);
    let model = ball("", "0 m");
    let values = [1.3, 9.81, 0.7, 0.3, 0.4];
    let (state, impacts) = thrown(values, until);
    assert_eq!(impacts, 3);
    let exact: Vec<Vec<f64>> = (0..5)
        .map(|k| {
            let of = |change: f64| {
                let mut values = values;
                values[k] += change;
                thrown(values, until).0
            };
            differences(&of, 1e-3)
        })
        .collect();
    let mut known = 0;
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        let motion = motion(&model, &*scheme, &options(), step, until);
        let found = match slopes_at_end(&motion, &model) {
            Ok(found) => found,
            Err(GradientError::Impact { .. } | GradientError::Scheme { .. } | GradientError::Motion(_)) => continue,
            Err(error) => panic!("{}: {error}", entry.name),
        };
        known += 1;
        let bound = if scheme.order() > 1 { 1e-8 } else { 0.05 };
        let (reached, passed) = end(&motion, &model);
        assert_eq!(passed, impacts, "{}", entry.name);
        let is_reached = reached.iter().zip(&state).all(|(a, b)| (a - b).abs() < bound);
        let missed = deviation(&found[..5], &exact);
        assert!(is_reached && missed < bound, "{}: {reached:?} for {state:?}, slopes miss {missed}", entry.name);
    }
    assert!(known > 15, "{known} schemes");
}

/// What is integrated over time changes with the instants of impacts too.
#[test]
fn gradients_of_integrals_know_the_instants() {
    let until = 1.0;
    let model = ball("", "0 m");
    let values = [1.3, 9.81, 0.7, 0.3, 0.4];
    // ∫ v³ dt, which jumps at impacts, and the height at the end.
    let exact = |values: [f64; 5]| {
        let [_, g, restitution, height, speed] = values;
        let (mut y, mut v, mut t, mut sum) = (height, speed, 0.0, 0.0);
        loop {
            let down = ((v + (v * v + 2.0 * g * y).sqrt()) / g).min(until - t);
            let w: f64 = v - g * down;
            sum += (v.powi(4) - w.powi(4)) / (4.0 * g);
            t += down;
            if t >= until {
                return sum + y + v * down - 0.5 * g * down * down;
            }
            (y, v) = (0.0, -restitution * w);
        }
    };
    let objective = |instant: &Instant, slopes: &mut Slopes| {
        let v = instant.state.v[0];
        slopes.velocity[0] = 3.0 * instant.weight * v * v;
        slopes.outputs[0] = if instant.is_end { 1.0 } else { 0.0 };
        instant.weight * v.powi(3) + slopes.outputs[0] * instant.outputs[0]
    };
    let by = |k: usize| {
        let of = |change: f64| {
            let mut values = values;
            values[k] += change;
            vec![exact(values)]
        };
        differences(&of, 1e-3)[0]
    };
    for name in ["generalized_alpha", "radau_iia5", "bathe", "ed_alpha"] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let missed = |step: f64| {
            let motion = motion(&model, &*scheme, &options(), step, until);
            let gradient = motion.gradient(&objective).unwrap();
            assert_eq!(motion.clone().checkpoints(3).gradient(&objective).unwrap(), gradient, "{name}");
            let deviations = (0..5).map(|k| (gradient.parameters[k] - by(k)).abs());
            [(gradient.value - exact(values)).abs(), deviations.fold(0.0, f64::max)]
        };
        // The trapezoidal rule is of second order.
        let [coarse, fine] = [1e-3, 5e-4].map(missed);
        for (coarse, fine) in coarse.iter().zip(fine) {
            assert!(*coarse < 5e-4 && fine < 0.27 * coarse, "{name}: {coarse}, {fine}");
        }
    }
}

/// Against differences over changes that move impacts through many steps, by schemes of high order and, more widely, by
/// others.
#[test]
fn slopes_agree_with_differences_of_motions() {
    let joint = |text: &str, joint: &str| text.replace("COORDINATES", "coordinates joint;").replace("JOINT", joint);
    let absolute =
        |text: &str, start: &str| text.replace("COORDINATES", "coordinates absolute;").replace("JOINT", start);
    let upright = "initial ball.roll = 0; initial ball.pitch = 0; initial ball.yaw = 0;";
    let drag = "force drag: [0 N, -drag * ball.velocity.y] on ball;";
    let cases = [
        ("ball", ball(drag, "0 m"), 0.9, 2),
        ("driven floor", ball(drag, "lift * sin(9 rad/s * time)"), 0.9, 2),
        ("spinning, joint", model(&joint(SPINNING, "joint sea: free(ground, ball);")), 0.2, 3),
        ("spinning, absolute", model(&absolute(SPINNING, upright)), 0.2, 3),
        ("door, joint", model(&joint(DOOR, "")), 0.5, 1),
        ("door, absolute", model(&absolute(DOOR, "")), 0.5, 1),
        ("driven, joint", model(&joint(CARRIED, "")), 0.5, 1),
        ("driven, absolute", model(&absolute(CARRIED, "")), 0.5, 1),
        ("block that stays", model(STAYS), 0.2, 2),
    ];
    cases.iter().for_each(|(name, model, until, least)| agrees_with_differences(name, model, *until, *least));
}

/// A rod with a bob, held by hinges that are constraints, bounces.
const HELD: &str = "model Held {
    planar;
    coordinates absolute;
    param restitution = 0.5;
    gravity [0, -9.81] m/s^2;
    body rod { mass: 2 kg, inertia: 0.2 kg m^2 }
    body bob { mass: 0.5 kg, inertia: 0.01 kg m^2 }
    joint hinge: revolute(ground at [0, 0.3] m, rod at [-0.5, 0] m);
    joint hook: revolute(rod at [0.3, 0] m, bob at [0, 0.3] m);
    contact stop: point_on_line(rod at [0.5, 0] m, ground) { restitution: restitution }
    initial rod.angle = 0.3 rad;
    initial bob.angle = 0.2 rad;
    output bearing = hinge.force.x;
}";

/// Coordinates stay on the constraints as the instant of an impact moves: the rest of its step, however short, would take
/// what is missing for forces.
#[test]
fn forces_of_joints_behind_impacts() {
    let model = model(HELD);
    let slopes = |scheme: &str| {
        let scheme = schemes::by_name(scheme, &[]).unwrap();
        let course = motion(&model, &*scheme, &options(), 2.5e-3, 0.6);
        let mut found = Vec::new();
        let record = &mut |state: &State, changes: &Changes| found.push((state.t, changes.outputs[(0, 0)]));
        course.sensitivities(&directions(&model), record).unwrap();
        // Behind the second impact, which is 16 microseconds before the end of a step.
        found.retain(|(t, _)| *t > 0.588);
        found
    };
    let expected = slopes("radau_iia5");
    assert_eq!(expected.len(), 5);
    // By differences of motions.
    assert!((expected[4].1 + 23.787).abs() < 1e-2, "{expected:?}");
    for scheme in ["bathe", "rho_bathe", "mssth3", "esdirk325", "generalized_alpha", "hht"] {
        for ((t, found), (at, expected)) in slopes(scheme).into_iter().zip(&expected) {
            assert!(
                (t - at).abs() < 1e-9 && (found - expected).abs() < 0.1 * expected.abs(),
                "{scheme}: {found} at {t}"
            );
        }
    }
}

/// A block that slides on a floor to a wall and back, which the floor has no part in.
const PUCK: &str = "model Puck {
    planar;
    coordinates joint;
    param friction = 0.2;
    param restitution = 0.6;
    param g = 9.81 m/s^2;
    param speed = 3 m/s;
    param tilt = 0;
    gravity [0, -g];
    body block { mass: 0.7 kg, inertia: 0.01 kg m^2 }
    joint way: free(ground, block);
    contact floor: point_on_line(block, ground) { friction: friction }
    contact wall: point_on_line(block, ground at [1, 0] m rotated 90 deg + tilt * 1 rad) { restitution: restitution }
    initial block.velocity.x = speed;
    output x = block.position.x;
}";

#[test]
fn an_impact_leaves_what_is_pressed_together_elsewhere() {
    let until = 0.8;
    let exact = |[friction, restitution, g, speed]: [f64; 4]| {
        let a = friction * g;
        let there = (speed - (speed * speed - 2.0 * a).sqrt()) / a;
        let (back, left) = (restitution * (speed - a * there), until - there);
        vec![-back + a * left, 1.0 - back * left + 0.5 * a * left * left]
    };
    let values = [0.2, 0.6, 9.81, 3.0];
    let model = model(PUCK.replace("param tilt = 0;", "const tilt = 0;").as_str());
    // Bathe's scheme carries accelerations over the impact, behind which friction acts the other way.
    for (name, bound) in [("radau_iia5", 1e-8), ("bathe", 2e-3)] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let motion = motion(&model, &*scheme, &options(), 1e-3, until);
        let found = slopes_at_end(&motion, &model).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (k, found) in found.iter().enumerate() {
            let of = |change: f64| {
                let mut values = values;
                values[k] += change;
                exact(values)
            };
            let expected = differences(&of, 1e-3 * values[k]);
            let place = found.len() - 1;
            for (found, expected) in [(found[0], expected[0]), (found[place], expected[1])] {
                assert!((found - expected).abs() < bound * (1.0 + expected.abs()), "{name}, {k}: {found}, {expected}");
            }
        }
    }
    // A wall that may lean either presses the block to the floor, where friction acts, or lifts it.
    let leaning = self::model(PUCK);
    let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
    let found = slopes_at_end(&motion(&leaning, &*scheme, &options(), 1e-3, until), &leaning);
    assert!(matches!(&found, Err(GradientError::Contact { contact, .. }) if contact.contains("floor")), "{found:?}");
    let without = self::model(&PUCK.replace("friction = 0.2", "friction = 0"));
    slopes_at_end(&motion(&without, &*scheme, &options(), 1e-3, until), &without).unwrap();
}

/// Discs that fall on a floor, on each other and against a wall on a spring; some of them bounce until they rest.
#[test]
fn random_scenes() {
    let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
    let options = Options { constraint_level: Some(ConstraintLevel::Velocity), ..options() };
    let mut most = 0;
    for seed in 0..6 {
        let model = model(&scene(seed));
        let course = |of: &JitModel| end(&motion(of, &*scheme, &options, 1e-3, 0.05), of);
        let found = slopes_at_end(&motion(&model, &*scheme, &options, 1e-3, 0.05), &model);
        let missed = deviation(&found.unwrap(), &differenced(&model, &|of| course(of).0, 1e-4));
        assert!(missed < 3e-5, "scene {seed}: {missed}");
        most = most.max(course(&model).1);
    }
    assert!(most > 10, "{most} impacts");
}

/// Bounces end, wherever the floor is and however much of the velocity comes back.
#[test]
fn bounces_end() {
    for (floor, restitution) in [(0.0, 0.5), (0.1, 0.5), (0.1, 0.9), (-7.3, 0.3), (123.4, 0.7), (0.1, 0.0)] {
        let mut model = ball("", "lift");
        let start = [("lift", floor), ("height", floor + 0.3), ("speed", 0.0), ("restitution", restitution)];
        model.set(&start).unwrap();
        for (name, step) in [("bathe", 1e-2), ("radau_iia5", 1e-3), ("generalized_alpha", 3e-3)] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let until = (0.6_f64 / 9.81).sqrt() * (1.0 + restitution) / (1.0 - restitution) + 0.2;
            let motion = motion(&model, &*scheme, &options(), step, until);
            let state = end(&motion, &model).0;
            assert!(
                state[0].abs() < 1e-3 && (state[1] - floor).abs() < 1e-5,
                "{floor}, {restitution}, {name}: {state:?}"
            );
            slopes_at_end(&motion, &model).unwrap_or_else(|error| panic!("{floor}, {restitution}, {name}: {error}"));
        }
    }
}

/// Gradients have the values of sensitivities.
#[test]
fn gradients_agree_with_sensitivities() {
    let text = SPINNING.replace("COORDINATES", "coordinates joint;").replace("JOINT", "joint sea: free(ground, ball);");
    let level = Some(ConstraintLevel::Velocity);
    let options = Options { constraint_level: level, ..options() };
    let absolute = DOOR.replace("COORDINATES", "coordinates absolute;");
    let shaken =
        SHAKEN.replace("COORDINATES", "coordinates joint;").replace("JOINT", "joint free: free(ground, block);");
    for (model, until) in [(model(&text), 0.2), (model(&absolute), 0.5), (model(STAYS), 0.2), (model(&shaken), 0.5)] {
        for name in ["generalized_alpha", "bathe", "radau_iia5", "hht"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let motion = motion(&model, &*scheme, &options, 2.3e-3, until);
            let sum = |instant: &Instant, slopes: &mut Slopes| {
                let weight = |i: usize| (1.0 + i as f64) * (1.0 + 0.1 * (instant.number % 7) as f64);
                (0..instant.outputs.len()).for_each(|i| slopes.outputs[i] = weight(i));
                instant.outputs.iter().enumerate().map(|(i, y)| weight(i) * y).sum()
            };
            let gradient = motion.gradient(&sum).unwrap();
            assert_eq!(motion.clone().checkpoints(4).gradient(&sum).unwrap(), gradient);
            let (mut number, mut forward) = (0, vec![0.0; gradient.parameters.len()]);
            motion
                .sensitivities(&directions(&model), &mut |_, changes| {
                    let weight = |i: usize| (1.0 + i as f64) * (1.0 + 0.1 * (number % 7) as f64);
                    for (sum, column) in forward.iter_mut().zip(changes.outputs.column_iter()) {
                        *sum += column.iter().enumerate().map(|(i, dy)| weight(i) * dy).sum::<f64>();
                    }
                    number += 1;
                })
                .unwrap();
            let size = forward.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
            for (a, b) in gradient.parameters.iter().zip(&forward) {
                assert!((a - b).abs() < 1e-11 * size, "{name}: {a} for {b}");
            }
        }
    }
}

/// A block that slides up a slope and down again, or stays there.
const HILL: &str = "model Hill {
    SPACE
    coordinates joint;
    param mu = 0.2;
    param speed = 1 m/s;
    param up = 4.905 m/s^2;
    param press = 8.5 m/s^2;
    gravity GRAVITY;
    body block { mass: 1.5 kg, inertia: INERTIA }
    joint free: free(ground, block);
    contact floor: CONTACT(block, ground) { friction: mu }
    START
    output x = block.position.x;
    output speed = block.velocity.x;
}";

const PLANE: [(&str, &str); 5] = [
    ("SPACE", "planar;"),
    ("GRAVITY", "[-up, -press]"),
    ("INERTIA", "0.01 kg m^2"),
    ("CONTACT", "point_on_line"),
    (
        "START",
        "initial block.position = [0, 0] m; initial block.angle = 0; initial block.velocity = [speed, 0 m/s];
         initial block.angular_velocity = 0;",
    ),
];

const SPACE: [(&str, &str); 5] = [
    ("SPACE", ""),
    ("GRAVITY", "[-up, 0 m/s^2, -press]"),
    ("INERTIA", "diag(0.01, 0.02, 0.03) * 1 kg m^2"),
    ("CONTACT", "point_on_plane"),
    (
        "START",
        "initial block.position = [0, 0, 0] m; initial block.roll = 0; initial block.pitch = 0; initial block.yaw = 0;
         initial block.velocity = [speed, 0 m/s, 0 m/s]; initial block.angular_velocity = [0, 0, 0] rad/s;",
    ),
];

fn hill(pieces: &[(&str, &str)]) -> String {
    pieces.iter().fold(HILL.to_owned(), |text, (name, piece)| text.replace(name, piece))
}

/// Sliding that turns round or stops, in closed form: place and velocity.
#[test]
fn sliding_that_ends() {
    let exact = |[mu, speed, up, press]: [f64; 4], until: f64| {
        let [against, along] = [up + mu * press, (up - mu * press).max(0.0)];
        let since = until - speed / against;
        vec![speed * speed / (2.0 * against) - 0.5 * along * since * since, -along * since]
    };
    for pieces in [PLANE, SPACE] {
        for mu in [0.2, 0.7] {
            let mut model = model(&hill(&pieces));
            model.set(&[("mu", mu)]).unwrap();
            let until = 0.41;
            let by = |k: usize| {
                let of = |change: f64| {
                    let mut values = [mu, 1.0, 4.905, 8.5];
                    values[k] += change;
                    exact(values, until)
                };
                differences(&of, 1e-2)
            };
            let exact: Vec<Vec<f64>> = (0..4).map(by).collect();
            let level = Some(ConstraintLevel::Velocity);
            let options = Options { constraint_level: level, ..options() };
            // Most schemes carry accelerations of before the jump over it.
            for (name, bound) in [("radau_iia5", 2e-8), ("bathe", 5e-3), ("generalized_alpha", 5e-3), ("hht", 1e-2)] {
                let scheme = schemes::by_name(name, &[]).unwrap();
                let course = motion(&model, &*scheme, &options, 1e-3, until);
                let found = slopes_at_end(&course, &model).unwrap_or_else(|error| panic!("{mu}, {name}: {error}"));
                let found: Vec<Vec<f64>> = found.iter().map(|all| all[all.len() - 2..].to_vec()).collect();
                let missed = deviation(&found, &exact);
                assert!(missed < bound, "{mu}, {name}: {missed}");
            }
        }
    }
}

/// A block on a spring, on ground that is shaken: it slides one way and the other, and sticks.
const SHAKEN: &str = "model Shaken {
    planar;
    COORDINATES
    param mass = 1.2 kg;
    param mu = 0.25;
    param stiffness = 70 N/m;
    param amplitude = 0.5 m/s;
    param speed = 0.7 m/s;
    gravity [0, -9.81] m/s^2;
    body block { mass: mass, inertia: 0.02 kg m^2 }
    JOINT
    force spring: [-stiffness * block.position.x, 0 N] on block;
    contact floor {
        gap: block.position.y,
        slip: block.velocity.x - amplitude * cos(11 rad/s * time),
        friction: mu
    }
    initial block.position = [0.05, 0] m;
    initial block.angle = 0;
    initial block.velocity = [speed, 0 m/s];
    initial block.angular_velocity = 0;
    output x = block.position.x;
    output slip = block.velocity.x - amplitude * cos(11 rad/s * time);
}";

/// Against differences over changes that move the ends of sliding through steps.
#[test]
fn sliding_on_ground_that_moves() {
    let joint =
        SHAKEN.replace("COORDINATES", "coordinates joint;").replace("JOINT", "joint free: free(ground, block);");
    let absolute = SHAKEN.replace("COORDINATES", "coordinates absolute;").replace("JOINT", "");
    let level = Some(ConstraintLevel::Velocity);
    let options = Options { constraint_level: level, ..options() };
    for model in [model(&joint), model(&absolute)] {
        let scheme = |name: &str| schemes::by_name(name, &[]).unwrap();
        let radau = scheme("radau_iia5");
        let slopes =
            |scheme: &dyn Scheme, step: f64| slopes_at_end(&motion(&model, scheme, &options, step, 0.9), &model);
        // Where sticking ends has an error of the step in the motion itself, which differences over less are differences of.
        let course = |of: &JitModel| end(&motion(of, &*radau, &options, 2.5e-4, 0.9), of).0;
        let differences = differenced(&model, &course, 1e-2);
        let exact = slopes(&*radau, 2.5e-4).unwrap();
        let missed = deviation(&exact, &differences);
        assert!(missed < 2e-4, "{missed}");
        for name in ["bathe", "generalized_alpha", "hht"] {
            let missed = |step: f64| deviation(&slopes(&*scheme(name), step).unwrap(), &exact);
            let [coarse, fine] = [2e-3, 2.5e-4].map(missed);
            println!("{name}: {coarse} {fine}");
            assert!(fine < 1e-2 && fine < 0.3 * coarse, "{name}: {coarse} {fine}");
        }
    }
}

/// Slopes that do not exist are not given.
#[test]
fn motions_without_slopes_say_why() {
    let failed = |of: &JitModel, scheme: &str| {
        let scheme = schemes::by_name(scheme, &[]).unwrap();
        let motion = motion(of, &*scheme, &options(), 1e-3, 0.4);
        slopes_at_end(&motion, of).unwrap_err()
    };
    let error = failed(&ball("", "0 m"), "moreau");
    assert!(matches!(&error, GradientError::Impact { t, .. } if *t > 0.2 && *t < 0.4), "{error}");
    // Two feet that reach the floor together.
    let flat = "model Flat {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body block { mass: 1 kg, inertia: 0.02 kg m^2 }
        joint free: free(ground, block);
        contact left: point_on_line(block at [-0.1, -0.05] m, ground) { restitution: 0.3 }
        contact right: point_on_line(block at [0.1, -0.05] m, ground) { restitution: 0.3 }
        initial block.position = [0 m, 0.1 m];
        initial block.angle = 0;
        initial block.velocity = [0, 0] m/s;
        initial block.angular_velocity = 0;
    }";
    let error = failed(&model(flat), "bathe");
    let GradientError::Simultaneous { contacts, .. } = &error else { panic!("{error}") };
    assert!(contacts.contains("left") && contacts.contains("right"), "{error}");
    // A floor that is turned by a drive.
    let turned = "model Turned {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body ball { mass: 1 kg, inertia: 0.02 kg m^2 }
        joint free: free(ground, ball);
        contact floor { gap: ball.position.y * cos(0.3 rad/s * time) + ball.position.x * sin(0.3 rad/s * time) }
        initial ball.position = [0 m, 0.1 m];
        initial ball.angle = 0;
        initial ball.velocity = [0, 0] m/s;
        initial ball.angular_velocity = 0;
    }";
    let error = failed(&model(turned), "bathe");
    assert!(matches!(&error, GradientError::Scheme { reason, .. } if reason.contains("driven")), "{error}");
    // A stage that passes the end of sliding before the step does.
    let error = failed(&model(&hill(&PLANE)), "esdirk436");
    assert!(
        matches!(&error, GradientError::Scheme { reason, .. } if reason.contains("sticks in one stage")),
        "{error}"
    );
    // At the ends of steps both have slopes.
    let scheme = schemes::by_name("bathe", &[]).unwrap();
    for of in [ball("", "0 m"), model(turned)] {
        let motion = motion(&of, &*scheme, &options(), 1e-3, 0.4).impacts(Impacts::AtEnds);
        slopes_at_end(&motion, &of).unwrap();
    }
}
