//! Pendulums.

use std::f64::consts::TAU;

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure, Motion};
use crate::reference::{Course, largest, root, smallest};

const G: f64 = 9.81;

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Pendulums",
        about: "Weights that swing, and what becomes of a swing that is coupled, turned or pumped.",
        entries: vec![
            entry!(double_pendulum, "Double pendulum", Setup::adaptive("dormand_prince", 1e-9, 10.0),
                plot "tip", still at 0.8 from z),
            entry!(spherical_pendulum, "Spherical pendulum", Setup::adaptive("dormand_prince", 1e-9, 20.0),
                plot "place", still at 5.0 from iso),
            entry!(wilberforce, "Wilberforce's pendulum", Setup::adaptive("dormand_prince", 1e-9, 40.0),
                plot "rise", still at 3.0 from iso, without arrows),
            entry!(foucault, "Foucault's pendulum",
                Setup::adaptive("dormand_prince", 1e-9, 400.0).with("day", 1800.0),
                plot "place", still at 44.0 from iso, without arrows),
            entry!(swing, "A child on a swing", Setup::adaptive("radau_iia5", 1e-8, 20.0),
                plot "angle", still at 18.6 from z),
            entry!(tautochrone, "Huygens' tautochrone", Setup::adaptive("radau_iia5", 1e-9, 6.0),
                plot "way", still at 0.5 from z),
        ],
    }
}

/// The equations of two equal rods, as they stand in textbooks.
///
/// Measured: 1.1·10⁻⁶ rad, the errors of the tolerance grown by the chaos of three seconds; 1.3·10⁻⁸ J.
fn double_pendulum(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (m, l) = (0.5, 0.4);
    let start = [120_f64.to_radians(), 100_f64.to_radians(), 0.0, 0.0];
    let mut course = Course::new(start, 1e-3, |_, &[a, b, u, w]: &[f64; 4]| {
        let (c, s) = ((a - b).cos(), (a - b).sin());
        // In units of m l²: [4/3 c/2; c/2 1/3] of the accelerations.
        let first = -0.5 * s * w * w - 1.5 * G / l * a.sin();
        let second = 0.5 * s * u * u - 0.5 * G / l * b.sin();
        let determinant = 4.0 / 9.0 - c * c / 4.0;
        [u, w, (first / 3.0 - 0.5 * c * second) / determinant, (4.0 / 3.0 * second - 0.5 * c * first) / determinant]
    });
    let motion = case.motion;
    let rows = motion.times().into_iter().zip(motion.column("angle_1")?.into_iter().zip(motion.column("angle_2")?));
    let apart = rows.take_while(|(t, _)| *t <= 3.0).map(|(t, (a, b))| {
        let [x, y, ..] = course.at(t);
        (a - x).abs().max((b - y).abs())
    });
    let apart = apart.fold(0.0, f64::max);
    Ok(vec![
        Finding::small("angles of the first 3 s against the textbook's equations", "rad", apart, 1e-5),
        Finding::small("energy gained or lost in 10 s", "J", motion.energy_change()?, 1e-7 * m * G * l),
    ])
}

/// The heights where the ball neither sinks nor rises, from energy and angular momentum.
///
/// Measured: 2.5·10⁻¹⁰ m and 1.3·10⁻⁷ J.
fn spherical_pendulum(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (m, l, r, push) = (2.0, 1.2, 0.08, 1.4);
    let inertia = m * l * l + 0.4 * m * r * r;
    let (sine, cosine) = (60_f64.to_radians().sin(), 60_f64.to_radians().cos());
    let rate = push / (l * sine);
    let momentum = inertia * sine * sine * rate;
    let energy = 0.5 * inertia * sine * sine * rate * rate - m * G * l * cosine;
    // u is the depth in lengths; one root is the start.
    let deepest =
        root(cosine + 1e-3, 1.0, |u| momentum * momentum / (2.0 * inertia) - (energy + m * G * l * u) * (1.0 - u * u));
    let heights = case.motion.column("place_z")?;
    Ok(vec![
        Finding::near("lowest height", "m", smallest(&heights), -l * deepest, 1e-7),
        Finding::near("greatest height", "m", largest(&heights), -l * cosine, 1e-7),
        Finding::small("energy gained or lost", "J", case.motion.energy_change()?, 1e-6),
    ])
}

/// Both normal motions at once: z and θ √(I/m) are half the sum and half the difference of two cosines.
///
/// Measured: 4·10⁻¹⁰ m and 4·10⁻⁸ rad; the greatest twist is 5·10⁻⁵ less than that of all energy, because beats and
/// swings do not meet.
fn wilberforce(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (m, inertia, frequency, coupling, start): (f64, f64, f64, f64, f64) = (0.4905, 1.39e-4, 2.314, 9.27e-3, 0.1);
    let split = coupling / (2.0 * (m * inertia).sqrt());
    let (fast, slow) = ((frequency.powi(2) + split).sqrt(), (frequency.powi(2) - split).sqrt());
    let rise = case.motion.deviation("rise", |t| 0.5 * start * ((fast * t).cos() + (slow * t).cos()))?;
    let ratio = (m / inertia).sqrt();
    let twist = case.motion.deviation("twist", |t| 0.5 * start * ratio * ((fast * t).cos() - (slow * t).cos()))?;
    Ok(vec![
        Finding::small("rise against the closed form", "m", rise, 1e-8),
        Finding::small("twist against the closed form", "rad", twist, 1e-6),
        Finding::near(
            "greatest twist: all energy has changed over",
            "rad",
            largest(&case.motion.column("twist")?),
            start * ratio,
            5e-4 * start * ratio,
        ),
    ])
}

/// The plane of swing turns by Ω sin φ, a little less in the sense of the ellipse that is left: 1 − 3/8 (a/l)² for the
/// amplitude a. (G. B. Airy, 1851.)
///
/// Measured: 4·10⁻⁶ of the angle with the short day of the picture, 5·10⁻⁶ with the true one. The correction is 3·10⁻³.
fn foucault(case: &Case) -> Result<Vec<Finding>, Failure> {
    let factor = 48.85_f64.to_radians().sin() * (1.0 - 3.0 / 8.0 * (6.0_f64 / 67.0).powi(2));
    let mut findings = Vec::new();
    for (what, day, until) in
        [("turn in 400 s of a day of 1800 s", 1800.0, 400.0), ("turn in an hour of a sidereal day", 86164.0, 3600.0)]
    {
        let motion = case.again(|setup| setup.with("day", day).until(until))?;
        let (found, time) = plane_of_swing(&motion)?;
        let expected = -TAU * time / day * factor;
        findings.push(Finding::near(what, "rad", found, expected, 5e-5 * expected.abs()));
    }
    Ok(findings)
}

/// The mean angle of the longest axis during the last swing, and the mean time.
fn plane_of_swing(motion: &Motion) -> Result<(f64, f64), Failure> {
    let (times, square) = (motion.times(), 67.0 / G);
    let get = |name: &str| motion.column(name);
    let (x, y, u, v) = (get("place_x")?, get("place_y")?, get("velocity_x")?, get("velocity_y")?);
    let end = times[times.len() - 1];
    let begin = end - TAU * square.sqrt();
    let (mut turn, mut moment, mut all) = (0.0, 0.0, 0.0);
    for i in (1..times.len()).filter(|&i| times[i] > begin) {
        // r rᵀ + v vᵀ/ω² stays along an ellipse, and has its axes.
        let [xx, xy, yy] = [(x[i], u[i], x[i], u[i]), (x[i], u[i], y[i], v[i]), (y[i], v[i], y[i], v[i])]
            .map(|(a, b, c, d)| a * c + square * b * d);
        let weight = times[i] - times[i - 1];
        turn += weight * 0.5 * (2.0 * xy).atan2(xx - yy);
        moment += weight * times[i];
        all += weight;
    }
    Ok((turn / all, moment / all))
}

/// A pendulum whose length is a function of time: L′ = −moment of the weights, L = I(t) φ′.
///
/// Measured: 2·10⁻¹¹ rad; the swing is three times the first after 20 s.
fn swing(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (l, seat, load, beat) = (2.5, 6.0, 30.0, 4.1);
    let arm = |t: f64| l - 0.45 + 0.12 * (beat * t).cos();
    let inertia = |t: f64| 0.3 + seat * l * l + 1.6 + load * arm(t) * arm(t);
    let mut course = Course::new([15_f64.to_radians(), 0.0], 1e-3, |t, &[angle, momentum]: &[f64; 2]| {
        [momentum / inertia(t), -G * (seat * l + load * arm(t)) * angle.sin()]
    });
    let apart = case.motion.deviation("angle", |t| course.at(t)[0])?;
    let angle = case.motion.column("angle")?;
    let later: Vec<f64> = angle[angle.len() / 2..].to_vec();
    Ok(vec![
        Finding::small("angle against a pendulum of varying length", "rad", apart, 1e-9),
        Finding::between("greatest swing by the first", "", largest(&later) / angle[0], [2.0, 5.0]),
    ])
}

/// On a cycloid the way is 4 r sin α, and moves as a cosine with ω² = g/4r, whatever its amplitude.
///
/// Measured: 10⁻¹¹ m.
fn tautochrone(case: &Case) -> Result<Vec<Finding>, Failure> {
    let radius = 0.5;
    let frequency = (G / (4.0 * radius)).sqrt();
    let mut findings = Vec::new();
    for (k, start) in [80_f64, 50.0, 20.0].into_iter().enumerate() {
        let amplitude = 4.0 * radius * start.to_radians().sin();
        let apart = case.motion.deviation(&format!("way[{k}]"), |t| amplitude * (frequency * t).cos())?;
        findings.push(Finding::small(format!("way of the bead from {start}° against a cosine"), "m", apart, 1e-9));
    }
    Ok(findings)
}
