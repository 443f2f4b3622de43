//! Motions with contacts whose course is known: bounces, rolling, sticking and rocking.

use hamel::nonsmooth::ContactRecord;
use hamel::schemes::by_name;
use hamel::{Model, Scheme, State, Stepper, initial_state};
use hamel_macros::multibody;
use hamel_models::rocking_block::RockingBlockParameters;
use hamel_models::rolling_ball::{RollingBallJointParameters, RollingBallParameters};
use hamel_models::{
    BouncingBall, RockingBlock, RollingBall, RollingBallJoint, SliderCrankClearance, SliderCrankClearanceAbsolute,
    StickSlip,
};

const GRAVITY: f64 = 9.81;
/// One of every family that carries contacts.
const SCHEMES: [&str; 5] = ["moreau", "half_explicit", "generalized_alpha", "bathe", "ed_alpha"];

fn scheme(name: &str) -> Box<dyn Scheme> {
    by_name(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Steps up to a time, and shows every state with what contacts have done.
fn run(model: &dyn Model, scheme: &dyn Scheme, dt: f64, until: f64, see: impl FnMut(&State, &ContactRecord)) {
    let start = initial_state(model).unwrap_or_else(|error| panic!("{error}"));
    run_from(model, scheme, start, dt, until, see);
}

/// The same from another state.
fn run_from(
    model: &dyn Model,
    scheme: &dyn Scheme,
    start: State,
    dt: f64,
    until: f64,
    mut see: impl FnMut(&State, &ContactRecord),
) {
    let mut stepper: Box<dyn Stepper> = scheme.start(model, start).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..(until / dt).round() as u64 {
        stepper.step(dt).unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
        see(stepper.state(), stepper.contacts().expect("the scheme looks at contacts"));
    }
}

/// Heights fall by ε² from bounce to bounce, and the last of infinitely many bounces is at √(2 h/g) (1 + ε)/(1 − ε).
#[test]
fn a_ball_bounces_until_it_rests() {
    let model = BouncingBall::default();
    let first = (2.0 / GRAVITY).sqrt();
    for name in SCHEMES {
        let (mut peaks, mut last_motion) = ([0.0_f64; 2], 0.0);
        run(&model, scheme(name).as_ref(), 1e-4, 1.6, |state, _| {
            let height = state.q[0] - 0.1;
            if (first + 0.05..2.0 * first - 0.05).contains(&state.t) {
                peaks[0] = peaks[0].max(height);
            } else if (2.0 * first + 0.05..2.5 * first - 0.05).contains(&state.t) {
                peaks[1] = peaks[1].max(height);
            }
            if state.v[0].abs() > 1e-2 {
                last_motion = state.t;
            }
        });
        // An impact is seen a step late at most, where the ball moves by 4.4e-4 m.
        for (peak, expected) in peaks.into_iter().zip([0.25, 0.0625]) {
            assert!((peak - expected).abs() < 1e-3, "{name}: {peak} instead of {expected}");
        }
        assert!((last_motion - 3.0 * first).abs() < 0.02, "{name}: still at {last_motion} s, {} s", 3.0 * first);
    }
}

/// Sliding, v = v0 − μ g t until 2 v0/(7 μ g); rolling with 5/7 v0 and ω = v/r from then on.
#[test]
fn a_ball_slides_and_then_rolls() {
    let (speed, friction, radius) = (2.0, 0.2, 0.1);
    let rolls = 2.0 * speed / (7.0 * friction * GRAVITY);
    let ball = RollingBall::new(RollingBallParameters { speed, friction, radius, ..Default::default() });
    let parameters = RollingBallJointParameters { speed, friction, radius, ..Default::default() };
    let other = RollingBallJoint::new(parameters);
    let dt = 5e-4;
    // Second order in the angle of a step: the ball turns by up to 14 rad/s.
    let accuracy = speed * 14.0 * dt * 14.0 * dt;
    for (model, name) in [(&ball as &dyn Model, "generalized_alpha"), (&other, "generalized_alpha"), (&other, "bathe")]
    {
        let mut slid = 0.0;
        let mut outputs = [0.0; 9];
        run(model, scheme(name).as_ref(), dt, 0.5, |state, contacts| {
            model.outputs(state, &mut outputs);
            let [vx, vy, _, wx, wy, wz] = outputs[3..] else { unreachable!("nine outputs") };
            let slip = (vx - radius * wy).hypot(vy + radius * wx);
            if slip > 1e-3 {
                slid = state.t;
                let expected = speed - friction * GRAVITY * state.t;
                assert!((vx.hypot(vy) - expected).abs() < accuracy, "{name}: {} instead of {expected}", vx.hypot(vy));
            }
            assert!(wz.abs() < 1e-6 && contacts.violation < 1e-10, "{name}: {wz}, {:e}", contacts.violation);
        });
        assert!((slid - rolls).abs() <= dt, "{name}: slides until {slid} s instead of {rolls} s");
        let rolling = 5.0 / 7.0 * speed;
        let found = [outputs[3], outputs[4], radius * outputs[7], -radius * outputs[6]];
        for (found, expected) in found.into_iter().zip([0.8, 0.6, 0.8, 0.6].map(|part| part * rolling)) {
            assert!((found - expected).abs() < accuracy, "{name}: {found} instead of {expected}");
        }
    }
}

/// Slipping, sticking and swinging as the model's doc has them.
#[test]
fn a_belt_carries_a_block_until_the_spring_is_stronger() {
    let (stiffness, friction, belt): (f64, f64, f64) = (100.0, 0.3, 0.1);
    let (rate, middle) = (stiffness.sqrt(), friction * GRAVITY / stiffness);
    let sticks = (belt / (middle * rate)).asin() / rate;
    let stuck_at = middle * (1.0 - (rate * sticks).cos());
    let slips = sticks + (middle - stuck_at) / belt;
    let expected = |t: f64| match t {
        t if t < sticks => middle * (1.0 - (rate * t).cos()),
        t if t < slips => stuck_at + belt * (t - sticks),
        t => middle + belt / rate * (rate * (t - slips)).sin(),
    };
    let model = StickSlip::default();
    for name in SCHEMES {
        let error = |dt: f64| {
            let mut error: f64 = 0.0;
            run(&model, scheme(name).as_ref(), dt, 0.9, |state, _| {
                error = error.max((state.q[0] - expected(state.t)).abs());
            });
            error
        };
        let [coarse, fine] = [1e-3, 2.5e-4].map(error);
        // Of displacements up to 0.04 m; the instants of change are known to a step.
        assert!(fine < 3e-5 && fine < coarse, "{name}: {coarse:e}, {fine:e}");
    }
}

/// ω⁺/ω⁻ = 1 − 3/2 sin² α at the first change of corners.
#[test]
fn a_rocking_block_loses_what_the_geometry_says() {
    let model = RockingBlock::default();
    let expected = 1.0 - 1.5 / 17.0;
    for name in ["moreau", "half_explicit", "generalized_alpha"] {
        let (mut last, mut ratio, mut impacts) = (0.0, 1.0_f64, 0);
        run(&model, scheme(name).as_ref(), 1e-5, 0.35, |state, contacts| {
            let rate = state.v[2];
            if rate.abs() > 0.1 && rate / last < ratio {
                ratio = rate / last;
            }
            last = rate;
            impacts = contacts.impacts;
        });
        // One step of the motion stands between what is compared.
        assert!((ratio - expected).abs() < 1e-3, "{name}: {ratio} instead of {expected} after {impacts} impacts");
    }
}

/// Half width and half height of the block, and its critical angle, at which its centre stands over a corner.
const BLOCK: [f64; 2] = [0.1, 0.4];

fn critical_angle() -> f64 {
    (BLOCK[0] / BLOCK[1]).atan()
}

/// Every change of corners leaves the part r = (1 − 3/2 sin² α)² of the energy, so that peaks of the tilt obey
/// cos(α − θ) − cos α = rⁿ (cos(α − θ₀) − cos α).
#[test]
fn a_rocking_block_swings_less_from_side_to_side() {
    let (alpha, start) = (critical_angle(), 5_f64.to_radians());
    let kept = (1.0 - 1.5 * alpha.sin().powi(2)).powi(2);
    let model = RockingBlock::default();
    for (name, accuracy) in [("moreau", 2e-3), ("half_explicit", 1e-3), ("generalized_alpha", 1e-3), ("bathe", 1e-3)] {
        let (mut peaks, mut side) = (vec![0.0_f64], 1.0);
        // Instants of impacts are known to a step, and errors add up from peak to peak.
        run(&model, scheme(name).as_ref(), 2.5e-5, 1.5, |state, contacts| {
            let angle = state.q[2];
            if angle * side < 0.0 {
                side = -side;
                peaks.push(0.0);
            }
            let last = peaks.len() - 1;
            peaks[last] = peaks[last].max(angle.abs());
            assert!(contacts.least_loss >= -1e-12, "{name}: {:e} J", contacts.least_loss);
        });
        assert!(peaks.len() >= 5, "{name}: {peaks:?}");
        for (n, peak) in (0..4).zip(&peaks) {
            let height = kept.powi(n) * ((alpha - start).cos() - alpha.cos());
            let expected = alpha - (alpha.cos() + height).acos();
            assert!(
                (peak / expected - 1.0).abs() < accuracy * f64::from(n + 1),
                "{name}: peak {n} is {peak} rad for {expected} rad"
            );
        }
    }
}

/// Turning about a corner with ½ I ω² = m g R (1 − cos α), I = 4/3 m R², the block just reaches its critical angle: with a
/// little more it falls on its side and stays there, with a little less it rocks back.
#[test]
fn a_block_falls_over_when_it_turns_fast_enough() {
    let alpha = critical_angle();
    let reach = BLOCK[0].hypot(BLOCK[1]);
    let critical = (1.5 * GRAVITY * (1.0 - alpha.cos()) / reach).sqrt();
    let model = RockingBlock::new(RockingBlockParameters { tilt: 0.0, ..Default::default() });
    for (name, margin) in [("moreau", 1e-2), ("half_explicit", 2e-3), ("generalized_alpha", 2e-3)] {
        for factor in [1.0 - margin, 1.0 + margin] {
            let mut start = initial_state(&model).unwrap();
            let rate = factor * critical;
            start.v.copy_from_slice(&[-rate * BLOCK[1], rate * BLOCK[0], rate]);
            let (mut largest, mut last, mut speed) = (0.0_f64, 0.0, 0.0);
            run_from(&model, scheme(name).as_ref(), start, 1e-4, 5.0, |state, _| {
                largest = largest.max(state.q[2]);
                (last, speed) = (state.q[2], state.v.amax());
            });
            if factor < 1.0 {
                assert!(largest < alpha && last.abs() < alpha, "{name}: {largest}, {last}");
            } else {
                let lying = std::f64::consts::FRAC_PI_2;
                assert!((last - lying).abs() < 1e-3 && speed < 1e-6, "{name}: {last} rad, {speed:e}");
            }
        }
    }
}

/// Joints as constraints, contacts with impacts and friction beside them: the same motion as with angles alone.
#[test]
fn contacts_and_bilateral_constraints_act_together() {
    let (joint, absolute) = (SliderCrankClearance::default(), SliderCrankClearanceAbsolute::default());
    for name in SCHEMES {
        let path = |model: &dyn Model| {
            let mut path = Vec::new();
            let mut outputs = vec![0.0; model.describe().outputs.len()];
            run(model, scheme(name).as_ref(), 1e-5, 8e-3, |state, contacts| {
                model.outputs(state, &mut outputs);
                path.push([outputs[0], outputs[1], contacts.impacts as f64]);
                assert!(contacts.violation < 1e-10 && contacts.least_loss >= -1e-12, "{name}: {contacts:?}");
            });
            path
        };
        let (angles, bodies) = (path(&joint), path(&absolute));
        let apart = angles.iter().zip(&bodies).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max);
        // A step turns the crank by 1.5e-3 rad: what is of second order in angles is not in coordinates of bodies.
        let accuracy = if name == "moreau" { 2e-4 } else { 1e-5 };
        assert!(apart < accuracy, "{name}: {apart:e} m");
        let impacts = bodies[bodies.len() - 1][2];
        assert!(name == "moreau" || impacts >= 3.0, "{name}: {impacts} impacts");
    }
}

multibody! {
    /// A ball at rest that a wall comes up to.
    model Paddle {
        planar;
        coordinates joint;
        param speed = 1 m/s;
        body ball { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, ball) { coordinate: place }
        contact wall { gap: place - speed * time, restitution: 0.5 }
        initial place = 0.1 m;
    }
}

/// A wall that moves gives energy; restitution is that of the relative velocity.
#[test]
fn a_moving_wall_strikes_a_ball() {
    let model = Paddle::default();
    for name in SCHEMES {
        let (mut velocity, mut record) = (0.0, ContactRecord::default());
        run(&model, scheme(name).as_ref(), 1e-3, 0.2, |state, contacts| {
            velocity = state.v[0];
            record.clone_from(contacts);
        });
        assert!((velocity - 1.5).abs() < 1e-9, "{name}: {velocity} m/s");
        assert!((record.loss - 0.375).abs() < 1e-9 && record.weakened == 0, "{name}: {record:?}");
    }
}
