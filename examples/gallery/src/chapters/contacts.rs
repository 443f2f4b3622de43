//! Contacts.

use std::f64::consts::TAU;

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure};
use crate::reference::{Course, largest, smallest};

const G: f64 = 9.81;

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Contacts",
        about: "What touches, bounces, rocks and slides.",
        entries: vec![
            entry!(newtons_cradle, "Newton's cradle", Setup::equal("bathe", 1e-4, 2.5),
                plot "angle", still at 0.45 from z),
            entry!(dominoes, "Dominoes", Setup::equal("bathe", 2e-4, 0.8),
                plot "angle", still at 0.4 from z, without arrows),
            entry!(vibratory_feeder, "Vibratory feeder", Setup::equal("bathe", 1e-4, 1.0),
                plot "place", still at 0.3 from z, without arrows),
            entry!(rocking_block, "Rocking blocks", Setup::equal("bathe", 5e-4, 4.0),
                plot "angle", still at 0.1 from z),
        ],
    }
}

/// The last ball rises as high as the first has fallen, while the others stay; and so back.
///
/// Measured: 4·10⁻⁶ rad, and 1.2·10⁻³ rad of the others meanwhile, the gaps between the balls; 3·10⁻¹⁰ J.
fn newtons_cradle(case: &Case) -> Result<Vec<Finding>, Failure> {
    let motion = case.motion;
    let angles = (0..5).map(|k| motion.column(&format!("angle[{k}]"))).collect::<Result<Vec<_>, _>>()?;
    // Half a swing after the first blow.
    let times = motion.times();
    let (from, to) = (times.partition_point(|&t| t < 0.3), times.partition_point(|&t| t < 0.6));
    let resting = angles[..4].iter().map(|angle| largest(&angle[from..to].iter().map(|a| a.abs()).collect::<Vec<_>>()));
    Ok(vec![
        Finding::near("greatest angle of the last ball", "rad", largest(&angles[4]), 45_f64.to_radians(), 5e-5),
        Finding::small("greatest angle of the others meanwhile", "rad", resting.fold(0.0, f64::max), 3e-3),
        Finding::small("energy gained or lost", "J", motion.energy_change()?, 1e-8),
    ])
}

/// The first domino tips as a rod on its edge does until it touches the second; the wave then settles to a speed.
///
/// Measured: the second has moved by 2·10⁻³ rad 1.1·10⁻³ s after the computed touch, with records 0.8·10⁻³ s apart; the
/// last intervals differ by 6 %; the last domino is 1.4·10⁻³ rad within the ground.
fn dominoes(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (height, width, pitch): (f64, f64, f64) = (0.048, 0.0075, 0.024);
    // About its edge, by m: 4/3 R² φ″ = g (h/2 sin φ − w/2 cos φ).
    let radius = 0.25 * (height * height + width * width);
    let mut tipping = Course::new([0.0, 4.0], 1e-5, move |_, &[angle, rate]: &[f64; 2]| {
        [rate, 0.5 * G * (height * angle.sin() - width * angle.cos()) / (4.0 / 3.0 * radius)]
    });
    let touch = ((pitch - width) / height).asin();
    let expected = tipping.until(|&[angle, _]| angle - touch);
    let motion = case.motion;
    let starts = |k: usize| -> Result<f64, Failure> {
        let angle = motion.column(&format!("angle[{k}]"))?;
        let moved = angle.iter().position(|angle| *angle < -2e-3).ok_or("a domino stands still")?;
        Ok(motion.times()[moved])
    };
    let times = (1..12).map(starts).collect::<Result<Vec<_>, _>>()?;
    let intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let last = &intervals[intervals.len() - 4..];
    let last_angle = motion.last("angle[11]")?;
    Ok(vec![
        Finding::near("time at which the first touches the second", "s", times[0], expected, 2e-3),
        Finding::small("last intervals: greatest by least, less one", "", largest(last) / smallest(last) - 1.0, 0.12),
        Finding::near("angle of the last domino at the end", "rad", last_angle, -TAU / 4.0, 5e-3),
    ])
}

/// Parts with friction on a tray whose motion is known, by steps so short that nothing else matters.
///
/// Measured: 0.12 % of the way of the smoother part, 0.55 % of that of the rougher, by steps of a 400th of the
/// vibration.
fn vibratory_feeder(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (amplitude, frequency, slant) = (0.8e-3, 25.0 * TAU, 20_f64.to_radians());
    let mut findings = Vec::new();
    for (k, friction, start) in [(0, 0.2, 0.0), (1, 0.5, 0.03)] {
        let (step, mut place, mut velocity) = (1e-6, start, 0.0_f64);
        for i in 0..1_000_000 {
            let phase = frequency * (i as f64 + 1.0) * step;
            let press = G + amplitude * frequency * frequency * phase.cos() * slant.sin();
            let tray = amplitude * frequency * phase.sin() * slant.cos();
            // Friction brings the part to the tray's velocity, or as near as it can.
            let most = friction * press.max(0.0) * step;
            velocity += (tray - velocity).clamp(-most, most);
            place += step * velocity;
        }
        let found = case.motion.last(&format!("place[{k}]"))?;
        let what = format!("way of the part with friction {friction} in a second");
        findings.push(Finding::near(what, "m", found - start, place - start, 0.01 * (place - start).abs()));
    }
    let pressed =
        (0..2).map(|k| case.motion.column(&format!("normal_force(tray[{k}])"))).collect::<Result<Vec<_>, _>>()?;
    let least = pressed.iter().map(|forces| smallest(&forces[1..])).fold(f64::INFINITY, f64::min);
    findings.push(Finding::between("least force on a part by its weight", "", least / (0.05 * G), [0.2, 0.5]));
    Ok(findings)
}

/// An edge keeps 1 − 3/2 sin² α of the rate, and between edges energy stays. (G. W. Housner, Bulletin of the
/// Seismological Society of America 53, 1963.)
///
/// Measured: 1.6·10⁻³ s in the first blow, with records 4·10⁻³ s apart; 0.9 % of the angle that follows of the small
/// block, 0.3 % of the large one: blows are of first order in the step.
fn rocking_block(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (tilt, slender) = (6_f64.to_radians(), (0.25_f64).atan());
    let kept = (1.0 - 1.5 * slender.sin().powi(2)).powi(2);
    // cos(α − θ) − cos α is the energy by m g R.
    let level = |angle: f64| (slender - angle).cos() - slender.cos();
    let expected = slender - (slender.cos() + kept * level(tilt)).acos();
    let mut findings = Vec::new();
    for (k, half, name) in [(0, [0.1_f64, 0.4], "small"), (1, [0.2, 0.8], "large")] {
        let square = 0.75 * G / half[0].hypot(half[1]);
        let mut falling = Course::new([tilt, 0.0], 1e-5, move |_, &[angle, rate]: &[f64; 2]| {
            [rate, -square * (slender - angle).sin()]
        });
        let blow = falling.until(|&[angle, _]| -angle);
        let angle = case.motion.column(&format!("angle[{k}]"))?;
        let times = case.motion.times();
        let found = angle.iter().position(|angle| *angle < 0.0).map_or(f64::NAN, |i| times[i]);
        findings.push(Finding::near(format!("first blow of the {name} block"), "s", found, blow, 5e-3));
        let next = smallest(&angle);
        findings.push(Finding::near(
            format!("angle after it of the {name} block"),
            "rad",
            -next,
            expected,
            0.02 * expected,
        ));
    }
    Ok(findings)
}
