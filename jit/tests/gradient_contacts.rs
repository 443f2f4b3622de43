//! Slopes of motions with contacts whose impacts stay in their steps: against extrapolated differences of runs, and gradients against sensitivities.
//!
//! Contacts rest, slide, stick and strike; differences are so small that none does so in another step.

use hamel::gradient::{Differentiated, GradientError};
use hamel::{ConstraintLevel, Model, Options, schemes};

use crate::common::scenes::scene;
use crate::common::slopes::{Course, end, missed, model, options};

/// A ball that falls and bounces several times.
const BALL: &str = "model Ball {
    planar;
    COORDINATES
    param mass = 1.3 kg;
    param g = 9.81 m/s^2;
    param restitution = 0.7;
    param height = 4 mm;
    param drag = 0.3 N s/m;
    gravity [0, -g];
    body ball { mass: mass, inertia: 0.01 kg m^2 }
    joint rail: prismatic(ground rotated 90 deg, ball rotated 90 deg);
    force drag: [0 N, -drag * ball.velocity.y] on ball;
    contact floor { gap: ball.position.y, restitution: restitution }
    initial ball.position.y = height;
    initial ball.velocity.y = -0.1 m/s;
    output y = ball.position.y;
}";

/// A block that strikes the floor, slides on it, and is slowed down.
const BLOCK: &str = "model Block {
    planar;
    COORDINATES
    param mass = 2 kg;
    param friction = 0.4;
    param g = 9.81 m/s^2;
    param push = 1.5 N;
    param speed = 0.6 m/s;
    param slope = 0.05 rad;
    gravity [g * sin(slope), -g * cos(slope)];
    body block { mass: mass, inertia: 0.02 kg m^2 }
    JOINT
    force push: [push, 0 N] on block;
    contact left: point_on_line(block at [-0.1, -0.05] m, ground) { friction: friction, restitution: 0 }
    contact right: point_on_line(block at [0.1, -0.05] m, ground) { friction: friction, restitution: 0 }
    initial block.position = [0 m, 0.05 m];
    initial block.angle = 0;
    initial block.velocity = [speed, 0 m/s];
    initial block.angular_velocity = 0;
    output x = block.position.x;
}";

/// A spinning ball that bounces on a rough floor, slides and rolls.
const SPINNING: &str = "model Spinning {
    COORDINATES
    param mass = 0.6 kg;
    param radius = 0.1 m;
    param friction = 0.2;
    param restitution = 0.6;
    param spin = 30 rad/s;
    param g = 9.81 m/s^2;
    gravity [0, 0, -g];
    body ball { mass: mass, inertia: diag(0.4, 0.5, 0.6) * mass * radius^2 }
    JOINT
    contact floor: ball_on_plane(ball, ground) {
        radius: radius, friction: friction, restitution: restitution, tangential_restitution: 0.1
    }
    initial ball.position = [0 m, 0 m, radius + 0.6 mm];
    initial ball.velocity = [0.4, -0.2, -0.3] m/s;
    initial ball.angular_velocity = [2 rad/s, spin, -3 rad/s] in ball;
    output x = ball.position;
}";

/// A slider-crank with clearance.
const CLEARANCE: &str = "model Clearance {
    planar;
    coordinates joint;
    param l1 = 0.153 m;
    param l2 = 0.306 m;
    param c = 0.001 m;
    param m3 = 0.076 kg;
    param restitution = 0.4;
    param friction = 0.01;
    param drive = 1 N m;
    gravity [0, -9.81] m/s^2;
    body crank { mass: 0.038 kg, inertia: 7.4e-5 kg m^2 }
    body rod { mass: 0.038 kg, inertia: 5.9e-4 kg m^2 }
    body slider { mass: m3, inertia: 2.7e-6 kg m^2 }
    joint o: revolute(ground, crank at [-l1 / 2, 0 m]) { absolute_angle: theta1 }
    joint p: revolute(crank at [l1 / 2, 0 m], rod at [-l2 / 2, 0 m]) { absolute_angle: theta2 }
    joint q: revolute(rod at [l2 / 2, 0 m], slider) { absolute_angle: theta3 }
    torque motor: drive on crank;
    for (i, sx, sy) in [(1, -1, 1), (2, 1, 1), (3, -1, -1), (4, 1, -1)] {
        contact corner[i] {
            gap: 0.025 m + c - sy * (slider at [sx * 0.05 m, sy * 0.025 m]).y,
            slip: (slider at [sx * 0.05 m, sy * 0.025 m]).x,
            restitution: restitution, friction: friction,
        }
    }
    initial theta1 = 0;
    initial theta2 = 0;
    initial theta3 = 0;
    initial theta1.velocity = 150 rad/s;
    initial theta2.velocity = -75 rad/s;
    initial theta3.velocity = 0;
    output x = slider.position;
}";

/// What a course must contain, and how close slopes of motions must be. Those of forces are compared where constraints do
/// not divide the rounding of differences by the square of the step.
struct Law {
    course: Course,
    /// Part of the parameters over which differences are at most.
    part: f64,
    impacts: std::ops::RangeInclusive<u64>,
    motion: f64,
    forces: f64,
}

/// Every scheme and level that carries contacts; how many of them have slopes.
fn check(name: &str, text: &str, law: &Law, only: &[&str]) -> usize {
    let model = model(text);
    let has_constraints = model.dims().nc > 0;
    let mut known = 0;
    for entry in schemes::entries().filter(|entry| only.is_empty() || only.contains(&entry.name)) {
        let scheme = entry.scheme(&[]).unwrap();
        for level in [ConstraintLevel::Position, ConstraintLevel::Velocity, ConstraintLevel::Acceleration] {
            if !has_constraints && level != ConstraintLevel::Position {
                continue;
            }
            let what = format!("{name}, {}, {level:?}", entry.name);
            let options = Options { constraint_level: Some(level), ..options() };
            let missed = match missed(&model, &*scheme, &options, (&law.course, law.part)) {
                Ok(missed) => missed,
                // A scheme without contacts, or one whose forces vanish after a start that knows none of contacts.
                Err(GradientError::Scheme { .. } | GradientError::Motion(_) | GradientError::Contact { .. }) => {
                    continue;
                }
                Err(error) => panic!("{what}: {error}"),
            };
            known += 1;
            let is_rough = has_constraints && level == ConstraintLevel::Position;
            let [motion, forces, gradient] = match is_rough {
                true => [1e3 * law.motion, f64::INFINITY, 1e-8],
                false => [law.motion, law.forces, 1e-11],
            };
            let is_close = missed.motion < motion && missed.forces < forces && missed.gradient < gradient;
            assert!(is_close, "{what}: {missed:?}");
            let impacts = end(&model, &*scheme, &law.course.lengths(), &options).1.last().map_or(0, |last| last.0);
            assert!(law.impacts.contains(&impacts), "{what}: {impacts} impacts");
        }
    }
    known
}

/// One of each kind; all have slopes through the same operations.
const SOME: [&str; 6] = ["hht", "moreau", "half_explicit", "bathe", "ed_alpha", "radau_iia5"];

fn course(step: f64, until: f64) -> Course {
    Course { step, until, instants: Vec::new() }
}

fn in_joint_coordinates(text: &str, joint: &str) -> String {
    text.replace("COORDINATES", "coordinates joint;").replace("JOINT", joint)
}

#[test]
fn bouncing_ball() {
    let law = Law { course: course(1.03e-3, 0.206), part: 1e-3, impacts: 4..=15, motion: 1e-7, forces: 1e-4 };
    assert_eq!(check("ball", &in_joint_coordinates(BALL, ""), &law, &[]), 21);
}

#[test]
fn block_that_rests_and_slides() {
    let law = Law { course: course(2e-3, 0.05), part: 1e-3, impacts: 0..=1, motion: 1e-8, forces: 1e-8 };
    let joint = in_joint_coordinates(BLOCK, "joint free: free(ground, block);");
    assert_eq!(check("block", &joint, &law, &[]), 16);
    let absolute = BLOCK.replace("COORDINATES", "coordinates absolute;").replace("JOINT", "");
    assert_eq!(check("block", &absolute, &law, &[]), 16);
}

#[test]
fn spinning_ball() {
    let law = Law { course: course(1.03e-3, 0.0515), part: 1e-3, impacts: 2..=2, motion: 3e-7, forces: 3e-3 };
    let upright = "initial ball.roll = 0; initial ball.pitch = 0; initial ball.yaw = 0;";
    let absolute = SPINNING.replace("COORDINATES", "coordinates absolute;").replace("JOINT", upright);
    assert_eq!(check("spinning", &absolute, &law, &SOME), 13);
    let joint = in_joint_coordinates(SPINNING, "joint sea: free(ground, ball);");
    assert_eq!(check("spinning", &joint, &law, &SOME), 6);
}

#[test]
fn slider_crank_with_clearance() {
    let law = Law { course: course(2e-5, 7e-3), part: 1e-4, impacts: 1..=9, motion: 3e-5, forces: 1e-2 };
    assert_eq!(check("clearance", CLEARANCE, &law, &SOME), 6);
    // Half a second, over which slopes grow as the motion is unstable, and so does the rounding of differences.
    let law = Law { course: course(2e-4, 0.3), part: 1e-7, impacts: 51..=999, motion: 1e-3, forces: 1e-3 };
    assert_eq!(check("clearance", CLEARANCE, &law, &["moreau", "bathe"]), 2);
}

/// Some bodies rest while others collide elsewhere.
#[test]
fn random_scenes() {
    let law = Law { course: course(1.03e-3, 0.0515), part: 1e-4, impacts: 3..=7, motion: 1e-5, forces: 1e-2 };
    for seed in 0..4 {
        let known = check(&format!("scene {seed}"), &scene(seed), &law, &SOME);
        let levels = if seed.is_multiple_of(3) { 2 } else { 1 };
        assert!(known >= 6 * levels, "{known} in scene {seed}");
    }
}

/// Slopes that do not exist are not given: a block that rests without load on a floor.
#[test]
fn contacts_on_the_verge_have_no_slopes() {
    let text = BLOCK.replace("COORDINATES", "coordinates joint;").replace("JOINT", "joint free: free(ground, block);");
    let model = model(&text.replace("param g = 9.81 m/s^2", "param g = 0 m/s^2"));
    let scheme = schemes::by_name("bathe", &[]).unwrap();
    let motion = Differentiated::new(&model, &*scheme).step(1e-3).until(0.01);
    let error = motion.sensitivities(&[], &mut |_, _| {}).unwrap_err();
    let GradientError::Contact { contact, .. } = &error else { panic!("{error}") };
    assert!(contact.contains("left"), "{error}");
}
