//! What floats.

use hamel::linearize::About;

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure};
use crate::reference::{frequencies, largest};

const G: f64 = 9.81;

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Afloat",
        about: "Hulls with added mass, buoyancy and what hangs on them.",
        entries: vec![
            entry!(crane_ship, "Crane ship", Setup::adaptive("radau_iia5", 1e-7, 120.0),
                plot "swing_angle", still at 24.0 from z, without arrows),
            entry!(moored_platform, "Moored platform", Setup::adaptive("radau_iia5", 1e-7, 300.0),
                plot "place", still at 30.0 from iso, without arrows),
        ],
    }
}

/// The frequencies that are not zero, rad/s, in ascending order.
fn found(case: &Case, damping: &[&'static str], still: &[&'static str]) -> Result<Vec<f64>, Failure> {
    let linear = case.linear(About::Equilibrium, |setup| {
        damping.iter().chain(still).fold(setup, |setup, name| setup.with(name, 0.0))
    })?;
    let mut found: Vec<f64> = linear.eigenvalues()?.iter().map(|value| value.im).filter(|im| *im > 1e-6).collect();
    found.sort_by(f64::total_cmp);
    Ok(found)
}

/// Sway, heave, roll and swing from the masses and the potential of buoyancy and weight.
///
/// Measured: 2·10⁻⁷ of each frequency, the accuracy of the differences; a greatest swing of 0.097 rad.
fn crane_ship(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (mass, load, inertia, outreach, height, rope) = (4e6, 1.5e5, 2.5e8, 18.0, 30.0, 22.0);
    let (sway, heave, roll) = (mass + 2e6, mass + 3e6, inertia + 5e7);
    // Rates of the load's place by those of sway, heave, roll and swing, all at rest.
    let rates = [[1.0, 0.0, -height, rope], [0.0, 1.0, outreach, 0.0]];
    let own = [sway, heave, roll, 0.0];
    let masses = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let hull = if i == j { own[i] } else { 0.0 };
            hull + load * (rates[0][i] * rates[0][j] + rates[1][i] * rates[1][j])
        })
    });
    let potential = |&[_, rise, roll, swing]: &[f64; 4]| {
        let tip = rise + outreach * roll.sin() + height * roll.cos();
        // Buoyancy and ballast carry the load where nothing has moved.
        0.5 * 1.5e7 * rise * rise - 1.6e8 * roll.cos() - load * G * (rise + outreach * roll)
            + load * G * (tip - rope * swing.cos())
    };
    let known: Vec<f64> =
        frequencies(masses, [1.0, 0.1, 1e-3, 1e-3], potential).into_iter().filter(|value| *value > 1e-3).collect();
    let found = found(case, &["roll_damping", "heave_damping", "sway_damping"], &["wave"])?;
    if found.len() != known.len() {
        return Err(format!("expected frequencies {known:?}, found {found:?}").into());
    }
    let names = ["slow swing of hull and load", "fast swing of hull and load", "heave"];
    let compared = found.iter().zip(&known).zip(names);
    let mut findings: Vec<Finding> = compared
        .map(|((found, known), name)| {
            Finding::near(format!("frequency of the {name}"), "rad/s", *found, *known, 2e-5 * known)
        })
        .collect();
    let swing = case.motion.column("swing_angle")?;
    findings.push(Finding::between("greatest swing of the load", "rad", largest(&swing), [0.05, 0.2]));
    Ok(findings)
}

/// Six frequencies from the masses and the potential of four springs and the buoyancy.
///
/// Measured: 3·10⁻⁶ of each frequency, the accuracy of the differences.
fn moored_platform(case: &Case) -> Result<Vec<Finding>, Failure> {
    let mut masses = [[0.0; 6]; 6];
    let own = [3.5e7, 3.5e7, 4e7, 2.8e10, 2.8e10, 3.9e10];
    (0..6).for_each(|i| masses[i][i] = own[i]);
    let (anchor, depth, stiffness, tension) = (150.0_f64, 120.0_f64, 4e5, 3e6);
    let (column, keel) = (30.0_f64, -15.0_f64);
    let line = (2.0 * (anchor - column).powi(2) + (depth + keel).powi(2)).sqrt();
    let down = 4.0 * tension * (depth + keel) / line;
    let potential = |&[x, y, z, phi, theta, psi]: &[f64; 6]| {
        let ((sf, cf), (st, ct), (sp, cp)) = (phi.sin_cos(), theta.sin_cos(), psi.sin_cos());
        let turned = |a: f64, b: f64, c: f64| {
            [
                cp * ct * a + (cp * st * sf - sp * cf) * b + (cp * st * cf + sp * sf) * c,
                sp * ct * a + (sp * st * sf + cp * cf) * b + (sp * st * cf - cp * sf) * c,
                -st * a + ct * sf * b + ct * cf * c,
            ]
        };
        let springs = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(a, b)| {
            let end = turned(a * column, b * column, keel);
            let apart = [x + end[0] - a * anchor, y + end[1] - b * anchor, z + end[2] + depth];
            let length = (apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]).sqrt();
            0.5 * stiffness * (length - line + tension / stiffness).powi(2)
        });
        springs.iter().sum::<f64>() + 0.5 * 6e6 * z * z - down * z + 0.5 * 2e9 * (phi * phi + theta * theta)
    };
    let known = frequencies(masses, [0.1, 0.1, 0.1, 1e-3, 1e-3, 1e-3], potential);
    let found = found(case, &["damping"], &["swell", "drift"])?;
    if found.len() != known.len() {
        return Err(format!("expected frequencies {known:?}, found {found:?}").into());
    }
    let names = ["yaw", "surge", "sway", "pitch", "roll", "heave"];
    let compared = found.iter().zip(&known).zip(names);
    Ok(compared
        .map(|((found, known), name)| {
            Finding::near(format!("frequency of {name}"), "rad/s", *found, *known, 2e-5 * known)
        })
        .collect())
}
