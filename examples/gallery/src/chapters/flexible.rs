//! Flexible and moving parts.

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure};
use crate::reference::{integral, largest};

const G: f64 = 9.81;

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Flexible and extending things",
        about: "Beams, shafts, chains and tubes that change their shape.",
        entries: vec![
            entry!(spin_up, "A blade that is spun up", Setup::equal("generalized_alpha", 0.02, 20.0),
                plot "lag", still at 7.0 from iso),
            entry!(whirling_shaft, "Whirling shaft", Setup::equal("generalized_alpha", 1e-3, 2.2),
                plot "bend", still at 1.02 from iso, without arrows),
            entry!(falling_chain, "Falling chain", Setup::adaptive("dormand_prince", 1e-7, 0.5),
                plot "tip", still at 0.3 from z),
            entry!(deployable_boom, "Deployable booms", Setup::adaptive("radau_iia5", 1e-9, 40.0),
                plot "spin_rate", still at 20.0 from iso),
        ],
    }
}

/// A rod that turns is stretched by L (tan βL/βL − 1), β² = Ω² ϱA/EA: 5.14·10⁻⁴ m, as printed in the source.
///
/// Measured: 0.1 % above, by what is left of the swinging; 1.2·10⁻⁴ m; a greatest lag of 0.575 m.
fn spin_up(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (length, axial, mass, speed): (f64, f64, f64, f64) = (10.0, 2.8e7, 1.2, 6.0);
    let beta = speed * (mass / axial).sqrt() * length;
    let expected = length * (beta.tan() / beta - 1.0);
    let stretch = case.motion.column("stretch")?;
    let lag = case.motion.column("lag")?;
    let late = |values: &[f64]| {
        let late = &values[values.len() - values.len() / 5..];
        late.iter().sum::<f64>() / late.len() as f64
    };
    let most = lag.iter().map(|value| value.abs()).fold(0.0, f64::max);
    Ok(vec![
        Finding::near("mean stretch of the last 4 s", "m", late(&stretch), expected, 5e-3 * expected),
        Finding::small("mean lag of the last 4 s", "m", late(&lag), 1e-3),
        Finding::between("greatest lag", "m", most, [0.5, 0.65]),
    ])
}

/// Laval's rotor: e m Ω²/|k − (m + 17/35 m_shaft) Ω² + i c Ω| at a constant speed, with k = 48 E I/l³.
///
/// Measured: 0.7 %, of four elements, of Rayleigh's part of the shaft's mass, and of what has not settled; so fast a run
/// has its greatest bend at 1.18 times the critical speed, 3.6 times the last one.
fn whirling_shaft(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (length, diameter, young, density): (f64, f64, f64, f64) = (0.8, 0.012, 206e9, 7850.0);
    let (disc, eccentricity, damping, speed): (f64, f64, f64, f64) = (2.0, 1e-3, 30.0, 140.0);
    let quarter = std::f64::consts::PI * diameter * diameter / 4.0;
    let stiffness = 48.0 * young * quarter * diameter * diameter / 16.0 / length.powi(3);
    let mass = disc + 17.0 / 35.0 * density * quarter * length;
    let expected = disc * eccentricity * speed * speed / (stiffness - mass * speed * speed).hypot(damping * speed);
    let bend = case.motion.column("bend")?;
    let late = &bend[bend.len() - 50..];
    let times = case.motion.times();
    let top = bend.iter().position(|&value| value == largest(&bend)).map_or(f64::NAN, |i| times[i]);
    let critical = (stiffness / mass).sqrt();
    Ok(vec![
        Finding::near("bend of the shaft in the end", "m", late.iter().sum::<f64>() / 50.0, expected, 0.02 * expected),
        Finding::between(
            "speed of the greatest bend by the critical one",
            "",
            top / 1.5 * speed / critical,
            [1.0, 1.25],
        ),
        Finding::between("greatest bend by the last one", "", largest(&bend) / expected, [2.0, 6.0]),
    ])
}

/// A folded chain that keeps its energy: ẋ² = g x (2 L − x)/(L − x) of the fallen end. (M. G. Calkin and R. H. March,
/// American Journal of Physics 57, 1989.)
///
/// Measured: 0.4 % of the time for half of the chain's length, 0.5 % for four fifths, with 29 links; 1.5·10⁻⁷ J.
fn falling_chain(case: &Case) -> Result<Vec<Finding>, Failure> {
    let length = 29.0_f64 * 0.04;
    let (times, heights) = (case.motion.times(), case.motion.column("tip_y")?);
    let mut findings = Vec::new();
    for part in [0.5, 0.8] {
        // x = u² takes the singularity at the start.
        let expected = integral(0.0, (part * length).sqrt(), 10_000, |u| {
            let x = u * u;
            2.0 * ((length - x) / (G * (2.0 * length - x))).sqrt()
        });
        let found = heights.iter().position(|height| *height < -part * length).map_or(f64::NAN, |i| times[i]);
        findings.push(Finding::near(
            format!("time to fall by {part} of the length"),
            "s",
            found,
            expected,
            0.015 * expected,
        ));
        let stone = (2.0 * part * length / G).sqrt();
        findings.push(Finding::between("the same by that of a stone", "", found / stone, [0.88, 0.97]));
    }
    findings.push(Finding::small("energy gained or lost", "J", case.motion.energy_change()?, 2e-6));
    Ok(findings)
}

/// The angular momentum stays: the rate by the moment of inertia, and what the tubes have that move beside the axis.
///
/// Measured: 4·10⁻¹² rad/s.
fn deployable_boom(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (hub, tube, length, reach, aside) = (20.0, 4.0, 1.2_f64, 1.1, 0.16_f64);
    let u = |t: f64| ((t - 4.0) / 20.0).clamp(0.0, 1.0);
    let inertia = |t: f64| {
        let out = reach * u(t).powi(3) * (10.0 - 15.0 * u(t) + 6.0 * u(t) * u(t));
        let tubes = (1..=3).map(|i| length * length / 12.0 + (f64::from(i) * out).powi(2) + aside * aside);
        hub + 2.0 * tube * tubes.sum::<f64>()
    };
    // Tubes beside the axis that move outwards have an angular momentum of their own: each ϱ aside times its rate.
    let outwards = |t: f64| reach * 30.0 * (u(t) * (1.0 - u(t))).powi(2) / 20.0;
    let rate = |t: f64| (inertia(0.0) + 2.0 * tube * aside * 6.0 * outwards(t)) / inertia(t);
    let apart = case.motion.deviation("spin_rate", rate)?;
    Ok(vec![
        Finding::small("rate of the satellite against that of its angular momentum", "rad/s", apart, 1e-9),
        Finding::near("rate in the end", "rad/s", case.motion.last("spin_rate")?, inertia(0.0) / inertia(40.0), 1e-9),
    ])
}
