//! Linkages.

use std::f64::consts::TAU;

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure};

pub(super) fn chapter() -> Chapter {
    let gripper_lift = "if t < 1 { 0 } else if t < 2 { 0.1*(1-cos(pi*(t-1))) } else { 0.2 }";
    Chapter {
        title: "Linkages",
        about: "Rods and hinges whose shape is all there is to know.",
        entries: vec![
            entry!(bricard, "Bricard's linkage", Setup::adaptive("radau_iia5", 1e-8, 6.0),
                plot "angle", still at 1.2 from iso),
            entry!(jansen, "Theo Jansen's legs", Setup::adaptive("radau_iia5", 1e-8, 3.0),
                plot "foot", still at 0.3 from z),
            entry!(peaucellier, "Peaucellier's straight line", Setup::adaptive("radau_iia5", 1e-8, 4.0),
                plot "pen", still at 0.6 from z),
            entry!(cardan_shaft, "Cardan shaft", Setup::adaptive("radau_iia5", 1e-8, 2.0),
                plot "middle", still at 0.3 from iso),
            entry!(gripper, "Gripper",
                Setup::equal("bathe", 1e-3, 3.0).input("grip", "2*min(t, 1)").input("lift", gripper_lift),
                plot "height", still at 1.6 from z),
        ],
    }
}

/// Hinges move as those of the threefold symmetric linkage with right twists: cos φ + cos θ + cos φ cos θ = 0 of the
/// angles between neighbouring rods. (Y. Chen, Z. You and T. Tarnai, International Journal of Solids and Structures 42,
/// 2005.)
///
/// Measured: 8·10⁻¹⁶ and 2·10⁻⁷ J.
fn bricard(case: &Case) -> Result<Vec<Finding>, Failure> {
    let angles = (1..6).map(|k| case.motion.column(&format!("angle[{k}]"))).collect::<Result<Vec<_>, _>>()?;
    let (mut closure, mut symmetry) = (0.0_f64, 0.0_f64);
    for i in 0..angles[0].len() {
        // In the cube all angles between rods are right.
        let cosines: Vec<f64> = angles.iter().map(|angle| angle[i].sin()).collect();
        let (a, b) = (-cosines[0], -cosines[1]);
        closure = closure.max((a + b + a * b).abs());
        symmetry = symmetry.max((cosines[2] + cosines[0]).abs()).max((cosines[3] - cosines[1]).abs());
    }
    Ok(vec![
        Finding::near("motions of six hinges in a ring", "", case.mobility()? as f64, 1.0, 0.0),
        Finding::small("relation of neighbouring angles", "", closure, 1e-12),
        Finding::small("difference of hinges that are equal", "", symmetry, 1e-12),
        Finding::small("energy gained or lost", "J", case.motion.energy_change()?, 2e-6),
    ])
}

/// Places of the foot by intersecting circles.
///
/// Measured: 2·10⁻¹⁵ m; the foot is near the ground for 56 % of the turn.
fn jansen(case: &Case) -> Result<Vec<Finding>, Failure> {
    let speed = 40.0 * TAU / 60.0;
    let mut findings = vec![Finding::near("motions beside the driven one", "", case.mobility()? as f64, 0.0, 0.0)];
    for (k, side, name) in [(0, 1.0, "left"), (1, -1.0, "right")] {
        let foot = |t: f64| {
            // The right leg is the left one in a mirror.
            let [x, y] = jansens_foot(if side > 0.0 { speed * t } else { 0.5 * TAU - speed * t });
            [side * x, y]
        };
        let x = case.motion.deviation(&format!("foot[{k}]_x"), |t| foot(t)[0])?;
        let y = case.motion.deviation(&format!("foot[{k}]_y"), |t| foot(t)[1])?;
        findings.push(Finding::small(format!("{name} foot against circles of the lengths"), "m", x.max(y), 1e-12));
    }
    let heights = case.motion.column("foot[0]_y")?;
    let low = crate::reference::smallest(&heights);
    let on_ground = heights.iter().filter(|height| **height < low + 0.03).count() as f64 / heights.len() as f64;
    findings.push(Finding::between("part of the turn within 3 cm of the ground", "", on_ground, [0.5, 0.6]));
    Ok(findings)
}

/// The left foot for an angle of the crank, m.
fn jansens_foot(angle: f64) -> [f64; 2] {
    let (a, b, c, d, e, f) = (0.38, 0.415, 0.393, 0.401, 0.558, 0.394);
    let (g, h, i, j, k, l, m) = (0.367, 0.657, 0.49, 0.5, 0.619, 0.078, 0.15);
    let (crank, fixed) = ([m * angle.cos(), m * angle.sin()], [-a, -l]);
    let upper = meet(crank, j, fixed, b, -1.0);
    let lower = meet(crank, k, fixed, c, 1.0);
    let hip = meet(fixed, d, upper, e, 1.0);
    let knee = meet(hip, f, lower, g, -1.0);
    meet(lower, i, knee, h, 1.0)
}

/// Where two circles meet, on one side of the line between their centres.
fn meet(p: [f64; 2], r: f64, q: [f64; 2], s: f64, side: f64) -> [f64; 2] {
    let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
    let distance = dx.hypot(dy);
    let along = (r * r - s * s + distance * distance) / (2.0 * distance);
    let across = side * (r * r - along * along).sqrt();
    [p[0] + (along * dx - across * dy) / distance, p[1] + (along * dy + across * dx) / distance]
}

/// An inversion: the pen is on the line of the crank's pin through the pivot, and the product of both distances is that
/// of the arms' and the rhombus' squares.
///
/// Measured: 6·10⁻¹⁶ m.
fn peaucellier(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (arm, side, crank): (f64, f64, f64) = (0.5, 0.25, 0.2);
    let line = (arm * arm - side * side) / (2.0 * crank);
    let angle = |t: f64| 75_f64.to_radians() * (TAU / 4.0 * t).sin();
    let x = case.motion.deviation("pen_x", |_| line)?;
    let y = case.motion.deviation("pen_y", |t| line * (0.5 * angle(t)).tan())?;
    Ok(vec![
        Finding::near("motions beside the driven one", "", case.mobility()? as f64, 0.0, 0.0),
        Finding::small("distance of the pen from its straight line", "m", x, 1e-12),
        Finding::small("its place on that line", "m", y, 1e-12),
    ])
}

/// ω₂ = ω₁ cos β/(1 − sin² β cos² θ) behind the first joint, and ω₁ behind the second.
///
/// Measured: 4·10⁻¹⁵ rad/s.
fn cardan_shaft(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (speed, bend) = (TAU, 35_f64.to_radians());
    let expected = |t: f64| speed * bend.cos() / (1.0 - (bend.sin() * (speed * t).cos()).powi(2));
    Ok(vec![
        Finding::near("motions beside the driven one", "", case.mobility()? as f64, 0.0, 0.0),
        Finding::small(
            "middle shaft's rate against the closed form",
            "rad/s",
            case.motion.deviation("middle", expected)?,
            1e-12,
        ),
        Finding::small(
            "driven shaft's rate against the motor's",
            "rad/s",
            case.motion.deviation("driven", |_| speed)?,
            1e-12,
        ),
    ])
}

/// Jaws stay parallel, the ball comes along, and the pads press as virtual work says.
///
/// Measured: 5·10⁻¹⁶ rad; 7·10⁻¹² N; 10⁻⁴ m, by which the ball has sunk into the floor or slid before the pads held it.
fn gripper(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (crank, link, jaw, ball, g, grip) = (0.12, 0.1, 0.2, 0.5, 9.81, 2.0);
    let opening = case.motion.last("opening[1]")?;
    // A jaw that closes moves inwards, and down by the tangent of the opening, with its links and half the ball's
    // weight.
    let expected = (grip + (link + jaw + 0.5 * ball) * g * crank * opening.sin()) / (crank * opening.cos());
    let tilt = case.motion.deviation("tilt[0]", |_| 0.0)?.max(case.motion.deviation("tilt[1]", |_| 0.0)?);
    Ok(vec![
        Finding::small("turn of the jaws", "rad", tilt, 1e-12),
        Finding::near("force of a pad", "N", case.motion.last("normal_force(pad[1])")?, expected, 1e-8),
        Finding::near("rise of the ball", "m", case.motion.last("height")? - 0.055, 0.2, 5e-4),
    ])
}
