//! The series of one classical step in the step size. [sherif, Eq. 28]
//!
//! ω = ω' + c h + ¼ α ω'³ h² + c (10α⁴ + 3α³ − 12α² + 11α − 4) / (16 (α − 1)²) ω'² h³ + O(h⁴), c = Mₓ/Iₓ.
//! The coefficients are measured: steps of several sizes, interpolated by a polynomial in h.

use hamel::scheme::StepError;
use hamel_compiler::parallel;
use hamel_report::number::exact_digits;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Report, Style, Table};

use super::{ALPHAS, Rotor};
use crate::convergence::largest;
use crate::sherif::schemes::classical;

/// Angular velocity before the step, rad/s.
const SPEED: f64 = 20.0;
/// Step sizes of the interpolation: multiples of this, s.
const UNIT: f64 = 5e-4;
const POINTS: usize = 8;

/// Coefficients of h, h² and h³.
type Coefficients = [f64; 3];

pub(super) fn run() -> Result<Report, StepError> {
    let rotor = Rotor::new(SPEED)?;
    let measured = parallel::map(&ALPHAS, |&alpha| measure(&rotor, alpha));
    let measured = measured.into_iter().collect::<Result<Vec<_>, _>>()?;
    let printed = ALPHAS.map(|alpha| equation_28(rotor.acceleration, alpha));
    Ok(Report {
        claims: claims(&measured, &printed),
        tables: vec![table(&measured, &printed)],
        figures: vec![figure(&measured, rotor.acceleration)],
        notes: vec![format!(
            "One step from ω' = {SPEED} rad/s under c = M/I = {:.4} rad/s², for {POINTS} step sizes up to {} s; the \
             coefficients of the series are those of the interpolating polynomial.",
            rotor.acceleration,
            POINTS as f64 * UNIT,
        )],
    })
}

fn equation_28(c: f64, alpha: f64) -> Coefficients {
    let polynomial = 10.0 * alpha.powi(4) + 3.0 * alpha.powi(3) - 12.0 * alpha * alpha + 11.0 * alpha - 4.0;
    let cubic = c * polynomial / (16.0 * (alpha - 1.0).powi(2)) * SPEED * SPEED;
    [c, 0.25 * alpha * SPEED.powi(3), cubic]
}

fn measure(rotor: &Rotor, alpha: f64) -> Result<Coefficients, StepError> {
    let scheme = classical(alpha)?;
    let mut points = Vec::with_capacity(POINTS);
    for k in 1..=POINTS {
        let h = k as f64 * UNIT;
        let speed = rotor.speed(&rotor.step(&*scheme, h)?);
        points.push((h, (speed - SPEED) / h));
    }
    let coefficients = interpolate(&points);
    Ok([coefficients[0], coefficients[1], coefficients[2]])
}

/// Coefficients of the polynomial through points, lowest power first, by Newton's divided differences.
fn interpolate(points: &[(f64, f64)]) -> Vec<f64> {
    let mut differences: Vec<f64> = points.iter().map(|point| point.1).collect();
    for level in 1..points.len() {
        for k in (level..points.len()).rev() {
            differences[k] = (differences[k] - differences[k - 1]) / (points[k].0 - points[k - level].0);
        }
    }
    let mut coefficients = vec![0.0; points.len()];
    for (k, &difference) in differences.iter().enumerate().rev() {
        // coefficients := coefficients · (x − xₖ) + difference
        for power in (1..points.len()).rev() {
            coefficients[power] = coefficients[power - 1] - points[k].0 * coefficients[power];
        }
        coefficients[0] = difference - points[k].0 * coefficients[0];
    }
    coefficients
}

fn claims(measured: &[Coefficients], printed: &[Coefficients]) -> Vec<Claim> {
    let worst = |power: usize| {
        // The coefficient of h² vanishes for α = 0; the scale is that of the largest one.
        let scale = largest(printed.iter().map(|p| p[power]));
        largest(measured.iter().zip(printed).map(|(ours, theirs)| (ours[power] - theirs[power]) / scale))
    };
    let claim = |power: usize, name: &str, tolerance| {
        let what = format!("coefficient of {name}: largest relative deviation over {} values of α", ALPHAS.len());
        Claim::new(what, "1", Expected::Theory { value: 0.0, tolerance }, worst(power))
    };
    let at_zero = Claim::new(
        "coefficient of h³ for α = 0: damping without numerical damping",
        "rad/s⁴",
        Expected::Theory { value: printed[0][2], tolerance: 1e-6 * printed[0][2].abs() },
        measured[0][2],
    );
    vec![claim(0, "h", 1e-10), claim(1, "h²", 2e-8), claim(2, "h³", 5e-6), at_zero]
}

fn table(measured: &[Coefficients], printed: &[Coefficients]) -> Table {
    let units = ["rad/s²", "rad/s³", "rad/s⁴"];
    let mut columns = vec![Column::new("α", "1")];
    for (power, unit) in units.into_iter().enumerate() {
        let name = ["h", "h²", "h³"][power];
        columns.push(Column::new(format!("{name}, Eq. 28"), unit));
        columns.push(Column::new(format!("{name}, measured"), unit));
    }
    let rows = ALPHAS.iter().zip(measured.iter().zip(printed)).map(|(&alpha, (ours, theirs))| {
        let mut cells = vec![Cell::number(alpha, exact_digits(alpha, 3))];
        for power in 0..3 {
            cells.push(Cell::number(theirs[power], 7));
            cells.push(Cell::number(ours[power], 7));
        }
        cells
    });
    Table {
        slug: "coefficients".into(),
        title: "Coefficients of the angular velocity after one step".into(),
        columns,
        rows: rows.collect(),
    }
}

fn figure(measured: &[Coefficients], c: f64) -> Figure {
    let curve = |power: usize| {
        (0..=60)
            .map(|k| -f64::from(k) / 180.0)
            .map(|alpha| (alpha, equation_28(c, alpha)[power] / equation_28(c, -1.0 / 3.0)[power]))
            .collect()
    };
    let markers = |power: usize| {
        ALPHAS
            .iter()
            .zip(measured)
            .map(|(&alpha, ours)| (alpha, ours[power] / equation_28(c, -1.0 / 3.0)[power]))
            .collect()
    };
    Figure {
        slug: "coefficients".into(),
        title: "Eq. 28: damping terms of one classical step".into(),
        caption: "Coefficients of h² and h³, each relative to its value at α = −1/3. The cubic one stays for α = 0."
            .into(),
        x: Axis::linear("α", "1"),
        y: Axis::linear("relative coefficient", "1"),
        curves: vec![
            Curve::new("h², Eq. 28", Style::Line, curve(1)),
            Curve::new("h³, Eq. 28", Style::Dashed, curve(2)),
            Curve::new("h², measured", Style::Markers, markers(1)),
            Curve::new("h³, measured", Style::Markers, markers(2)),
        ],
        slopes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolation_recovers_a_polynomial() {
        let polynomial = |x: f64| 3.0 - 2.0 * x + 0.5 * x.powi(3);
        let points: Vec<(f64, f64)> = [0.5, 1.0, 2.0, 2.5].map(|x| (x, polynomial(x))).to_vec();
        for (ours, exact) in interpolate(&points).iter().zip([3.0, -2.0, 0.0, 0.5]) {
            assert!((ours - exact).abs() < 1e-12);
        }
    }
}
