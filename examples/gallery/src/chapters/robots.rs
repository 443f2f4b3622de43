//! Robots and other machines with many joints.

use std::f64::consts::TAU;

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure};

const G: f64 = 9.81;

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Robots",
        about: "Machines and bodies with many joints.",
        entries: vec![
            entry!(stewart_platform, "Stewart platform", Setup::adaptive("radau_iia5", 1e-7, 4.0),
                plot "length", still at 1.0 from iso),
            entry!(excavator, "Excavator", Setup::adaptive("radau_iia5", 1e-7, 7.0),
                plot "tip", still at 3.5 from iso),
            entry!(hexapod, "Hexapod", Setup::equal("bathe", 2e-3, 4.0),
                plot "place", still at 2.2 from iso, without arrows),
            entry!(humanoid, "A diver", Setup::adaptive("radau_iia5", 1e-7, 1.3),
                plot "turn_rate", still at 0.62 from iso),
        ],
    }
}

/// The plate must be where the lengths of its legs were computed from.
///
/// Measured: 10⁻¹⁵ m and rad.
fn stewart_platform(case: &Case) -> Result<Vec<Finding>, Failure> {
    let motion = case.motion;
    let w = |t: f64| TAU / 4.0 * t;
    let place = motion
        .deviation("place_x", |t| 0.1 * w(t).sin())?
        .max(motion.deviation("place_y", |t| 0.12 * (w(t).cos() - 1.0))?)
        .max(motion.deviation("place_z", |t| 0.75 + 0.06 * (2.0 * w(t)).sin())?);
    let turn = motion
        .deviation("yaw", |t| 0.2 * w(t).sin())?
        .max(motion.deviation("pitch", |t| 0.25 * w(t).sin())?)
        .max(motion.deviation("roll", |t| 0.2 * (2.0 * w(t)).sin())?);
    Ok(vec![
        Finding::near("motions beside the driven ones", "", case.mobility()? as f64, 0.0, 0.0),
        Finding::small("place of the plate", "m", place, 1e-12),
        Finding::small("angles of the plate", "rad", turn, 1e-12),
    ])
}

/// The angle of the boom by the law of cosines, and the force that holds it by moments about its pin.
///
/// Measured: 9·10⁻¹⁶ rad; below 10⁻¹⁰ of the force.
fn excavator(case: &Case) -> Result<Vec<Finding>, Failure> {
    let motion = case.motion;
    // About the pin of the boom, in the plane of the arm: x ahead, z up.
    let (foot, eye) = ([0.8_f64, -0.3], [2.1_f64, -0.15]);
    let (near, far) = (foot[0].hypot(foot[1]), eye[0].hypot(eye[1]));
    let cylinder = |t: f64| {
        let v = ((t - 3.5) / 3.0).clamp(0.0, 1.0);
        1.45 + 0.4 * v.powi(3) * (10.0 - 15.0 * v + 6.0 * v * v)
    };
    let boom = |t: f64| {
        let between = ((near * near + far * far - cylinder(t).powi(2)) / (2.0 * near * far)).acos();
        between + foot[1].atan2(foot[0]) - eye[1].atan2(eye[0])
    };
    let apart = motion.deviation("boom_angle", |t| boom(t) - 15_f64.to_radians())?;
    // At rest in the end: moments of the three weights.
    let end = 7.0;
    let stick = boom(end) - 62_f64.to_radians() + motion.last("stick_angle")?;
    let bucket = stick - 8_f64.to_radians() + motion.last("bucket_angle")?;
    let (elbow, wrist) = (4.6 * boom(end).cos(), 4.6 * boom(end).cos() + 2.5 * stick.cos());
    let moment = G
        * (1200.0 * 2.3 * boom(end).cos()
            + 600.0 * (elbow + 2.5 / 3.0 * stick.cos())
            + 800.0 * (wrist + 0.55 * bucket.cos()));
    // The lever of the cylinder is twice the triangle by its length.
    let between = boom(end) + eye[1].atan2(eye[0]) - foot[1].atan2(foot[0]);
    let lever = near * far * between.sin() / cylinder(end);
    let force = motion.last("multiplier(boom_cylinder)")?.abs();
    Ok(vec![
        Finding::near("motions beside the driven ones", "", case.mobility()? as f64, 0.0, 0.0),
        Finding::small("angle of the boom against the law of cosines", "rad", apart, 1e-12),
        Finding::near("force of the boom's cylinder at rest", "N", force, moment / lever, 1e-8 * moment / lever),
    ])
}

/// Over whole strides the ground carries the weight, and feet that do not slide walk as far as their hips turn.
///
/// Measured: the weight within 0.4 %, the speed 2 % above that of stiff legs, 5.5 mm to the side.
fn hexapod(case: &Case) -> Result<Vec<Finding>, Failure> {
    let motion = case.motion;
    let times = motion.times();
    let (from, to) = (times.partition_point(|&t| t < 2.0 - 1e-9), times.len() - 1);
    // Mean forces from impulses of impacts and forces between, two strides long.
    let (mut forces, mut impulses) = (0.0, 0.0);
    for k in 0..6 {
        let normal = motion.column(&format!("normal_force(foot[{k}])"))?;
        let impulse = motion.column(&format!("impulse(foot[{k}])"))?;
        forces += (from + 1..=to).map(|i| normal[i] * (times[i] - times[i - 1])).sum::<f64>();
        impulses += impulse[to] - impulse[from];
    }
    let weight = (1.5 + 18.0 * 0.05) * G;
    let carried = (forces + impulses) / (times[to] - times[from]);
    let radius = 0.05 + 0.1 * 20_f64.to_radians().cos() + 0.15 * 80_f64.to_radians().cos();
    let expected = 4.0 * radius * 0.3_f64.sin();
    let place = motion.column("place_x")?;
    let speed = (place[to] - place[from]) / (times[to] - times[from]);
    let aside = motion.deviation("place_y", |_| 0.0)?;
    Ok(vec![
        Finding::near("mean force of the ground", "N", carried, weight, 0.01 * weight),
        Finding::near("speed by that of hips and stiff legs", "", speed / expected, 1.0, 0.05),
        Finding::small("drift to the side", "m", aside, 0.01),
    ])
}

/// A part of the diver: mass by that of the body, moment of inertia about y by that mass, the place of the centre of
/// mass in its own axes, x and z.
struct Part {
    mass: f64,
    inertia: f64,
    center: [f64; 2],
}

/// The centre of mass falls as a stone does, and the angular momentum about it stays, by kinematics of the plane of
/// motion.
///
/// Measured: 1.6·10⁻⁸ m, and 3.5·10⁻⁸ of the angular momentum.
fn humanoid(case: &Case) -> Result<Vec<Finding>, Failure> {
    let motion = case.motion;
    let get = |name: &str| motion.column(&format!("flight.{name}"));
    let (x, z, e0, e2) = (get("x")?, get("z")?, get("e0")?, get("e2")?);
    let (u, w, rate) = (get("v_x")?, get("v_z")?, get("omega_y")?);
    let (mut fall, mut momenta, mut start) = (0.0_f64, Vec::new(), None);
    for (i, t) in motion.times().into_iter().enumerate() {
        let angle = 2.0 * e2[i].atan2(e0[i]);
        // Velocities are in the axes of the trunk.
        let velocity = turned(angle, [u[i], w[i]]);
        let (center, speed, momentum) = diver(t, [x[i], z[i]], velocity, angle, rate[i]);
        let (place, throw) = *start.get_or_insert((center, speed));
        let stone = [place[0] + throw[0] * t, place[1] + throw[1] * t - 0.5 * G * t * t];
        fall = fall.max((center[0] - stone[0]).hypot(center[1] - stone[1]));
        momenta.push(momentum);
    }
    let change = momenta.iter().map(|value| (value / momenta[0] - 1.0).abs()).fold(0.0, f64::max);
    Ok(vec![
        Finding::small("distance of the centre of mass from a parabola", "m", fall, 2e-7),
        Finding::small("change of the angular momentum, by its size", "", change, 5e-7),
        Finding::between(
            "rate of the trunk, tucked by open",
            "",
            crate::reference::largest(&motion.column("turn_rate")?) / 3.6,
            [2.5, 3.5],
        ),
    ])
}

/// A vector of the x-z plane turned about y, as bodies turn there.
fn turned(angle: f64, [x, z]: [f64; 2]) -> [f64; 2] {
    [x * angle.cos() + z * angle.sin(), z * angle.cos() - x * angle.sin()]
}

/// How far the diver is tucked, and the rate of that.
fn tuck(t: f64) -> [f64; 2] {
    let step = |begin: f64| {
        let u = ((t - begin) / 0.3).clamp(0.0, 1.0);
        [u.powi(3) * (10.0 - 15.0 * u + 6.0 * u * u), 30.0 * u * u * (1.0 - u) * (1.0 - u) / 0.3]
    };
    let (into, out) = (step(0.2), step(0.9));
    [into[0] - out[0], into[1] - out[1]]
}

/// Centre of mass, its velocity, and the angular momentum about it, by the mass of the body.
fn diver(t: f64, place: [f64; 2], velocity: [f64; 2], angle: f64, rate: f64) -> ([f64; 2], [f64; 2], f64) {
    let [tucked, rising] = tuck(t);
    let radians = |degrees: f64| degrees.to_radians();
    // Part, joint in the parent's axes, joint in its own, angle against the parent about y as a base and a part of the
    // tuck; the two arms and legs lie on each other in this plane.
    let trunk = Part { mass: 0.497, inertia: 0.0175, center: [0.0, 0.0] };
    let head = Part { mass: 0.081, inertia: 6e-4, center: [0.0, 0.17] };
    let limb = |mass: f64, inertia: f64, center: [f64; 2]| Part { mass: 2.0 * mass, inertia: 2.0 * inertia, center };
    let chains: [Vec<(Part, [f64; 2], f64, f64)>; 3] = [
        vec![(head, [0.0, 0.28], 0.0, 35.0)],
        vec![
            (limb(0.028, 2.3e-4, [0.0, -0.14]), [0.0, 0.24], -170.0, 130.0),
            (limb(0.022, 2.4e-4, [0.0, -0.18]), [0.0, -0.28], 0.0, -40.0),
        ],
        vec![
            (limb(0.1, 1.8e-3, [0.0, -0.19]), [0.0, -0.26], 0.0, -125.0),
            (limb(0.0465, 7e-4, [0.0, -0.19]), [0.0, -0.42], 0.0, 135.0),
            (limb(0.0145, 8e-5, [0.06, -0.04]), [0.0, -0.43], 40.0, 0.0),
        ],
    ];
    // Place, velocity, angle and rate of a frame, and those of a point in it.
    type Frame = ([f64; 2], [f64; 2], f64, f64);
    let at = |(place, velocity, angle, rate): Frame, point: [f64; 2]| {
        let arm = turned(angle, point);
        ([place[0] + arm[0], place[1] + arm[1]], [velocity[0] + rate * arm[1], velocity[1] - rate * arm[0]])
    };
    let body: Frame = (place, velocity, angle, rate);
    let mut parts = vec![(trunk.mass, trunk.inertia, place, velocity, rate)];
    for chain in chains {
        let mut frame = body;
        for (part, joint, base, more) in chain {
            let (origin, speed) = at(frame, joint);
            frame = (origin, speed, frame.2 + radians(base + more * tucked), frame.3 + radians(more) * rising);
            let (center, speed) = at(frame, part.center);
            parts.push((part.mass, part.inertia, center, speed, frame.3));
        }
    }
    let mass: f64 = parts.iter().map(|part| part.0).sum();
    let mean = |of: &dyn Fn(usize) -> f64| (0..parts.len()).map(|i| parts[i].0 * of(i)).sum::<f64>() / mass;
    let center = [mean(&|i| parts[i].2[0]), mean(&|i| parts[i].2[1])];
    let speed = [mean(&|i| parts[i].3[0]), mean(&|i| parts[i].3[1])];
    let momentum = parts.iter().map(|&(mass, inertia, place, velocity, rate)| {
        let (arm, moved) =
            ([place[0] - center[0], place[1] - center[1]], [velocity[0] - speed[0], velocity[1] - speed[1]]);
        mass * (arm[1] * moved[0] - arm[0] * moved[1]) + inertia * rate
    });
    (center, speed, momentum.sum())
}
