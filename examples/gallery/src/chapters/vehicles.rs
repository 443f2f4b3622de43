//! Vehicles.

use std::f64::consts::TAU;

use hamel::linearize::About;

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure};
use crate::reference::{Course, frequencies, period, smallest};

const G: f64 = 9.81;

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Vehicles",
        about: "What rolls, runs under a wire or turns above a hull.",
        entries: vec![
            entry!(bicycle, "Bicycle", Setup::adaptive("radau_iia5", 1e-7, 2.5),
                plot "lean", still at 0.7 from iso),
            entry!(quarter_car, "Quarter car", Setup::adaptive("radau_iia5", 1e-7, 3.0),
                plot "tyre_load", still at 0.58 from z, without arrows),
            entry!(pantograph, "Pantograph and overhead line", Setup::equal("bathe", 1e-3, 3.0),
                plot "arm_angle", still at 0.5 from z),
            entry!(helicopter_rotor, "Helicopter rotor", Setup::adaptive("radau_iia5", 1e-7, 2.0),
                plot "flap", still at 1.0 from iso),
        ],
    }
}

/// Eigenvalues of the benchmark at 5 m/s, as published in its Table 2.
///
/// Measured: 3·10⁻¹⁴ 1/s and 5·10⁻¹⁰ J.
fn bicycle(case: &Case) -> Result<Vec<Finding>, Failure> {
    let linear = case.linear(About::Steady, |setup| setup.with("kick", 0.0))?;
    let eigenvalues = linear.eigenvalues()?;
    let nearest = |re: f64, im: f64| {
        eigenvalues.iter().map(|value| (value.re - re).hypot(value.im - im)).fold(f64::INFINITY, f64::min)
    };
    let mut findings = Vec::new();
    for (what, re, im) in [
        ("weave", -0.775341882195845, 4.464867713788229),
        ("capsize", -0.322866429004087, 0.0),
        ("castering", -14.078389692798218, 0.0),
    ] {
        findings.push(Finding::small(
            format!("distance of the {what} eigenvalue from the published one"),
            "1/s",
            nearest(re, im),
            1e-12,
        ));
    }
    findings.push(Finding::small("energy gained or lost", "J", case.motion.energy_change()?, 1e-8));
    Ok(findings)
}

/// Two masses on springs, undamped.
///
/// Measured: 4·10⁻¹⁴ rad/s; 9 N of the load are still to settle after 3 s.
fn quarter_car(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (body, wheel, stiffness, tyre) = (320.0, 40.0, 18e3, 190e3);
    let expected = frequencies([[wheel, 0.0], [0.0, body]], [1e-2; 2], |&[hub, car]| {
        0.5 * (tyre * hub * hub + stiffness * (car - hub) * (car - hub))
    });
    let linear = case.linear(About::Equilibrium, |setup| setup.with("damping", 0.0))?;
    let mut found: Vec<f64> = linear.eigenvalues()?.iter().map(|value| value.im).filter(|im| *im > 0.0).collect();
    found.sort_by(f64::total_cmp);
    let [low, high] = found[..] else { return Err(format!("expected two frequencies, found {found:?}").into()) };
    let loads = case.motion.column("tyre_load")?;
    Ok(vec![
        Finding::near("frequency of the body", "rad/s", low, expected[0], 1e-9),
        Finding::near("frequency of the wheel", "rad/s", high, expected[1], 1e-9),
        Finding::near("load of the tyre in the end", "N", loads[loads.len() - 1], (body + wheel) * G, 20.0),
        Finding::small("least load: the wheel leaves the road", "N", smallest(&loads), 1e-9),
    ])
}

/// One equation for the arms, while the head follows the wire; the force on the wire is what the springs and the head's
/// inertia leave.
///
/// Measured: 1.5·10⁻⁶ rad, the gram of what carries the head; 0.035 N; the least force is 63.7 N.
fn pantograph(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (l, arm, head, uplift, stiffness, damping, friction) = (1.2, 12.0, 8.0, 90.0, 7e3, 60.0, 150.0);
    let (height, sag) = (2.15, 0.025);
    let wire = move |t: f64| height + sag * (TAU * t).cos();
    let wire_rate = move |t: f64| -sag * TAU * (TAU * t).sin();
    let springs = move |t: f64, angle: f64, rate: f64| {
        let length = wire(t) - 2.0 * l * angle.sin();
        let length_rate = wire_rate(t) - 2.0 * l * rate * angle.cos();
        stiffness * (0.1 + (head * G + uplift) / stiffness - length) - damping * length_rate
    };
    let start = ((height + sag - 0.1) / (2.0 * l)).asin();
    let mut course = Course::new([start, 0.0], 2e-4, move |t, &[angle, rate]: &[f64; 2]| {
        let (s, c) = angle.sin_cos();
        // Both arms as rods; the middle of the upper one is at l/2 cos φ, 3 l/2 sin φ.
        let inertia = arm * l * l * (1.0 / 3.0 + 1.0 / 12.0 + s * s / 4.0 + 9.0 * c * c / 4.0);
        let slope = arm * l * l * (0.5 - 4.5) * s * c;
        let bellows = 2.0 * l * c * (arm * G + head * G + uplift) - friction * rate;
        let moment = bellows - 2.0 * l * c * (arm * G + springs(t, angle, rate));
        [rate, (moment - 0.5 * slope * rate * rate) / inertia]
    });
    let (times, angles, forces) =
        (case.motion.times(), case.motion.column("arm_angle")?, case.motion.column("normal_force(strip)")?);
    let (mut apart, mut force_apart) = (0.0_f64, 0.0_f64);
    for i in 0..times.len() {
        let [angle, rate] = course.at(times[i]);
        apart = apart.max((angles[i] - angle).abs());
        // Nothing was known of forces before the first step.
        if times[i] > 0.01 {
            let inertia = head * (G - sag * TAU * TAU * (TAU * times[i]).cos());
            force_apart = force_apart.max((forces[i] - (springs(times[i], angle, rate) - inertia)).abs());
        }
    }
    Ok(vec![
        Finding::small("angle of the arms against one equation", "rad", apart, 1e-5),
        Finding::small("force on the wire against the same", "N", force_apart, 0.2),
        Finding::between("least force on the wire", "N", smallest(&forces[1..]), [55.0, 75.0]),
    ])
}

/// A rigid blade of length L on a hinge at e flaps with ν² = 1 + 3 e/2 L in turns, and lags with ν² = 3 e/2 L.
///
/// Measured: 10⁻⁵ of the first and 6·10⁻⁴ of the second, by the blade's weight and its amplitude.
fn helicopter_rotor(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (turning, ratio): (f64, f64) = (40.0, 3.0 * 0.3 / (2.0 * 5.2));
    let flapping = case.again(|setup| setup.with("lift", 0.0).with("flapped", 0.02))?;
    let lagging = case.again(|setup| setup.with("lift", 0.0).with("lag_damping", 0.0).with("lagged", 0.02))?;
    let flap = TAU / period(&flapping.rises("flap[0]", 0.0)?) / turning;
    let lag = TAU / period(&lagging.rises("lag[0]", 0.0)?) / turning;
    let (flap_known, lag_known) = ((1.0 + ratio).sqrt(), ratio.sqrt());
    Ok(vec![
        Finding::near("flapping, by the rate of the rotor", "", flap, flap_known, 1e-4 * flap_known),
        Finding::near("lagging, by the rate of the rotor", "", lag, lag_known, 3e-3 * lag_known),
    ])
}
