//! Machines.

use std::f64::consts::{PI, TAU};

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure, Motion};
use crate::reference::{Course, largest, period, root, smallest};

const G: f64 = 9.81;

/// 0.3 m/s² for the period of a rope of 5 m, and the opposite.
const SHAPED: &str =
    "if t < 4.4857 { 0.3*t } else if t < 8 { 1.34571 } else if t < 12.4857 { 1.34571-0.3*(t-8) } else { 0 }";

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Machines",
        about: "Wheels, weights and springs that do something for somebody.",
        entries: vec![
            entry!(differential, "Differential gear", Setup::adaptive("radau_iia5", 1e-8, 3.0),
                plot "left_rate", still at 1.0 from iso, without arrows),
            entry!(governor, "Watt's governor", Setup::adaptive("radau_iia5", 1e-8, 8.0),
                plot "angle", still at 6.0 from iso, without arrows),
            entry!(trebuchet, "Trebuchet", Setup::equal("bathe", 2.5e-4, 3.3),
                plot "place", still at 0.9 from z, without arrows),
            entry!(escapement, "Escapement", Setup::equal("bathe", 2.5e-4, 20.0),
                plot "wheel_turn", still at 10.2 from z, without arrows),
            entry!(cam_follower, "Cam and follower", Setup::equal("bathe", 2e-5, 0.3),
                plot "rise", still at 0.02 from z, without arrows),
            entry!(gantry_crane, "Gantry crane", Setup::adaptive("radau_iia5", 1e-8, 16.0).input("speed", SHAPED),
                plot "swing", still at 2.5 from z, without arrows),
        ],
    }
}

/// Willis' equation, and the motion of two wheels with the same torque but different drags.
///
/// Measured: 1.4·10⁻¹⁴ and 3·10⁻⁹ rad/s.
fn differential(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (wheel, carrier, spider, ratio) = (0.8, 0.02 + 1e-4, 2e-5, 40.0 / 25.0);
    let (own, other) = (wheel + 0.25 * (carrier + ratio * ratio * spider), 0.25 * (carrier - ratio * ratio * spider));
    let mut course = Course::new([0.0, 0.0], 1e-3, move |_, &[left, right]: &[f64; 2]| {
        let (a, b) = (60.0 - left, 60.0 - 20.0 * right);
        let determinant = own * own - other * other;
        [(own * a - other * b) / determinant, (own * b - other * a) / determinant]
    });
    let (ring, left, right) =
        (case.motion.column("ring_rate")?, case.motion.column("left_rate")?, case.motion.column("right_rate")?);
    let willis = (0..ring.len()).map(|i| (left[i] + right[i] - 2.0 * ring[i]).abs()).fold(0.0, f64::max);
    let apart = case.motion.times().into_iter().zip(left.into_iter().zip(right)).map(|(t, (left, right))| {
        let [a, b] = course.at(t);
        (left - a).abs().max((right - b).abs())
    });
    Ok(vec![
        Finding::small("ω left + ω right − 2 ω ring", "rad/s", willis, 1e-11),
        Finding::small("rates against two equations of wheels", "rad/s", apart.fold(0.0, f64::max), 5e-8),
        Finding::near("motions of ring, spider and wheels", "", case.mobility()? as f64, 2.0, 0.0),
    ])
}

/// A rhombus whose balls rise until weight and centrifugal force agree: tan φ (m + M) g = m ω² (a + l sin φ).
///
/// Measured: 2·10⁻⁵ rad and 10⁻⁵ m, of what is still to settle after 8 s.
fn governor(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (length, offset, ball, sleeve, speed) = (0.3, 0.03, 1.5, 4.0, 15.0);
    let expected = root(0.5, 1.5, |angle| {
        angle.tan() * (ball + sleeve) * G - ball * speed * speed * (offset + length * angle.sin())
    });
    Ok(vec![
        Finding::near("angle of the arms at the end", "rad", case.motion.last("angle[0]")?, expected, 1e-4),
        Finding::near(
            "rise of the sleeve",
            "m",
            case.motion.last("rise")?,
            2.0 * length * (1.0 - expected.cos()),
            5e-5,
        ),
    ])
}

/// Until the sling lets go nothing takes energy; then the stone flies along a parabola.
///
/// Measured: 6·10⁻⁶ of what the weight has given; 2·10⁻¹² m; the stone takes 71 %.
fn trebuchet(case: &Case) -> Result<Vec<Finding>, Failure> {
    let motion = case.motion;
    let (beam, weight, stone, long, short) = (15.0, 100.0, 4.0, 2.0, 0.45);
    let arm = (long - short) / 2.0;
    let beam_inertia = beam * (long + short) * (long + short) / 12.0 + beam * arm * arm;
    let get = |name: &str| motion.column(name);
    let (x, y, u, v) = (get("place_x")?, get("place_y")?, get("stone_velocity_x")?, get("stone_velocity_y")?);
    let (turn, rate, stretch) = (get("beam_turn")?, get("turn_rate")?, get("stretch")?);
    let (height, weight_u, weight_v) = (get("weight_place_y")?, get("weight_velocity_x")?, get("weight_velocity_y")?);
    let weight_rate = get("weight_rate")?;
    let energy = |i: usize| {
        0.5 * (beam_inertia * rate[i].powi(2) + 12.0 * weight_rate[i].powi(2) + 2e4 * stretch[i].powi(2))
            + 0.5 * weight * (weight_u[i].powi(2) + weight_v[i].powi(2))
            + 0.5 * stone * (u[i].powi(2) + v[i].powi(2))
            + G * (beam * arm * turn[i].sin() + weight * height[i] + stone * y[i])
    };
    let times = motion.times();
    let thrown = times.partition_point(|&t| t < 1.02);
    let given = weight * G * (height[0] - height[thrown - 1]);
    let lost = (0..thrown).map(|i| (energy(i) - energy(0)).abs()).fold(0.0, f64::max);
    // From the first record after the release until the stone lands.
    let first = thrown + 1;
    let flight = (first..times.len()).take_while(|&i| y[i] > 0.1);
    let apart = flight.map(|i| {
        let t = times[i] - times[first];
        let parabola = [x[first] + u[first] * t, y[first] + v[first] * t - 0.5 * G * t * t];
        (x[i] - parabola[0]).hypot(y[i] - parabola[1])
    });
    let shot = 0.5 * stone * (u[first].powi(2) + v[first].powi(2)) + stone * G * (y[first] - y[0]);
    Ok(vec![
        Finding::small("energy gained or lost before the release, by what the weight gives", "", lost / given, 5e-5),
        Finding::small("distance of the flight from a parabola", "m", apart.fold(0.0, f64::max), 1e-9),
        Finding::between("part of the weight's energy that the stone takes", "", shot / given, [0.6, 0.8]),
    ])
}

/// Each swing lets a tooth pass, the pendulum has nearly its own period, and the weight supplies what friction takes.
///
/// Measured: the wheel keeps to 2·10⁻³ of a tooth in ten swings; recoil makes the period 0.65 % shorter than that of
/// the free pendulum; of the weight's work friction takes 39 %, and blows the rest.
fn escapement(case: &Case) -> Result<Vec<Finding>, Failure> {
    let motion = case.motion;
    let swings = motion.rises("swing", 0.0)?;
    let (last, before) = (swings[swings.len() - 1], swings[swings.len() - 11]);
    let teeth = (motion.at("wheel_turn", last)? - motion.at("wheel_turn", before)?) * 15.0 / TAU;
    let (bob, length, damping, torque) = (0.4, 0.25, 1.2e-3, 5e-4);
    let inertia = 2e-4 + bob * length * length;
    let swing = motion.column("swing")?;
    let amplitude = largest(&swing[swing.len() - swing.len() / 10..]);
    let free = TAU * (inertia / (bob * G * length)).sqrt() * (1.0 + amplitude * amplitude / 16.0);
    let time = period(&swings[swings.len() - 11..]);
    let friction = PI * damping * TAU / time * amplitude * amplitude;
    Ok(vec![
        Finding::near("teeth that pass in ten swings", "", teeth, 10.0, 0.01),
        Finding::near("period by that of the free pendulum", "", time / free, 1.0, 0.01),
        Finding::between(
            "work against friction by that of the weight",
            "",
            friction / (torque * TAU / 15.0),
            [0.2, 1.0],
        ),
    ])
}

/// The follower stays on the cam up to ω² = (m g + F + 2 k e)/(m e), 169.5 rad/s.
///
/// Measured: the least force at 150 rad/s to 5·10⁻⁴ N of 9.96 N; no gap two per cent below that speed, 80 µm two per
/// cent above.
fn cam_follower(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (e, m, k, preload) = (8e-3, 0.2, 2000.0, 12.0);
    let limit = ((m * G + preload + 2.0 * k * e) / (m * e)).sqrt();
    let run = |speed: f64| case.again(|setup| setup.with("speed", speed).until(0.15));
    let gap = |motion: Motion| -> Result<f64, Failure> { Ok(largest(&motion.column("gap(cam)")?)) };
    // The first turn is left out, in which the motion begins.
    let slow = run(150.0)?;
    let forces = slow.column("normal_force(cam)")?;
    let least = smallest(&forces[forces.len() / 3..]);
    Ok(vec![
        Finding::near("least force on the cam at 150 rad/s", "N", least, m * e * (limit * limit - 150.0 * 150.0), 3e-3),
        Finding::small("greatest gap 2 % below the limit", "m", gap(run(0.98 * limit)?)?, 1e-9),
        Finding::between("greatest gap 2 % above the limit", "m", gap(run(1.02 * limit)?)?, [2e-5, 5e-4]),
        Finding::between("greatest gap at 186 rad/s", "m", gap(case.again(|setup| setup)?)?, [5e-4, 3e-3]),
    ])
}

/// A load behind a trolley whose acceleration is constant for a time T swings afterwards with 2 a/g |sin ω T/2|, which
/// vanishes where T is its period.
///
/// Measured: 8·10⁻⁵ rad with the command for its rope, 0.13 % from the closed form of small swings with another rope.
fn gantry_crane(case: &Case) -> Result<Vec<Finding>, Failure> {
    let between = |motion: &Motion, rope: f64, [from, to]: [f64; 2]| -> Result<f64, Failure> {
        let frequency = (G / rope).sqrt();
        let (angle, rate) = (motion.column("hook.angle")?, motion.column("velocity(hook.angle)")?);
        let rows = motion.times().into_iter().zip(angle.into_iter().zip(rate));
        let seen = rows.filter(|(t, _)| (from..to).contains(t)).map(|(_, (a, b))| a.hypot(b / frequency));
        Ok(seen.fold(0.0, f64::max))
    };
    let (rope, time) = (8.0, 4.4857);
    let other = case.again(|setup| setup.with("rope", rope))?;
    let expected = 2.0 * 0.3 / G * (0.5 * time * (G / rope).sqrt()).sin().abs();
    Ok(vec![
        Finding::small("swing while the trolley coasts", "rad", between(case.motion, 5.0, [4.6, 7.9])?, 3e-4),
        Finding::small("swing after it has stopped", "rad", between(case.motion, 5.0, [12.6, 16.0])?, 3e-4),
        Finding::near(
            "swing with a rope of 8 m while the trolley coasts",
            "rad",
            between(&other, rope, [4.6, 7.9])?,
            expected,
            5e-3 * expected,
        ),
    ])
}
