//! Speeds at which the motion straight ahead changes its kind. [meijaard, Table 2a]

use hamel::scheme::StepError;
use hamel_report::{Claim, Expected, Report};
use nalgebra::Complex;

use super::printed::{CAPSIZE, PAIR, WEAVE};
use super::riding::eigenvalues;

/// Twelve digits after the point.
const TOLERANCE: f64 = 1e-12;
const REASON: &str = "Rounding of eigenvalues, over how they change with the speed: twelve digits after the point.";

pub(super) fn run() -> Result<Report, StepError> {
    let pair = bisected((0.5, 0.9), |values| if values.iter().any(|value| value.im != 0.0) { 1.0 } else { -1.0 })?;
    let weave = bisected((4.0, 4.6), |values| -oscillation(values).re)?;
    let capsize = bisected((5.5, 6.5), largest_real)?;
    let at_pair = eigenvalues(pair)?;
    let of_pair = at_pair.iter().rev().take(2).map(|value| value.re).sum::<f64>() / 2.0;
    let claim = |what: &str, unit, text, found: f64| {
        let expected = Expected::Printed { text, tolerance: TOLERANCE };
        Claim::new(what, unit, expected, found).because(REASON)
    };
    Ok(Report {
        claims: vec![
            claim("speed at which two real eigenvalues become a pair", "m/s", PAIR.0, pair),
            claim("their value there", "1/s", PAIR.1, of_pair),
            claim("speed above which the weave decays", "m/s", WEAVE.0, weave),
            claim("its rate there", "1/s", WEAVE.1, oscillation(&eigenvalues(weave)?).im),
            claim("speed above which capsize grows", "m/s", CAPSIZE, capsize),
        ],
        ..Report::default()
    })
}

/// The eigenvalue with the largest imaginary part.
fn oscillation(values: &[Complex<f64>]) -> Complex<f64> {
    let nothing = Complex::new(f64::NAN, f64::NAN);
    values.iter().copied().max_by(|a, b| a.im.total_cmp(&b.im)).unwrap_or(nothing)
}

fn largest_real(values: &[Complex<f64>]) -> f64 {
    values.iter().filter(|value| value.im == 0.0).map(|value| value.re).fold(f64::NEG_INFINITY, f64::max)
}

/// The speed between these at which a function of the eigenvalues changes from negative to positive.
fn bisected((mut low, mut high): (f64, f64), of: impl Fn(&[Complex<f64>]) -> f64) -> Result<f64, StepError> {
    while high - low > 4.0 * f64::EPSILON * high {
        let middle = 0.5 * (low + high);
        match of(&eigenvalues(middle)?) > 0.0 {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(0.5 * (low + high))
}
