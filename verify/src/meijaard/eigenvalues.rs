//! Eigenvalues straight ahead, as printed and from the printed matrices. [meijaard, Table 2]

use hamel::linearize::locus;
use hamel::scheme::StepError;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Style, at_most};
use nalgebra::{Complex, Matrix2, Matrix4};

use super::printed::{DAMPING, MASS, RIDING, STANDING, STIFFNESS, STIFFNESS_BY_SPEED, numbers};
use super::riding::{GRAVITY, eigenvalues};

/// Twelve digits after the point.
const TOLERANCE: f64 = 1e-12;
const REASON: &str = "Rounding of an eigenvalue problem without symmetry, in the document and here: twelve digits after \
    the point.";

pub(super) fn run() -> Result<Report, StepError> {
    let mut claims = Vec::new();
    let mut claim = |what: String, text: &'static str, found: f64| {
        let expected = Expected::Printed { text, tolerance: TOLERANCE };
        claims.push(Claim::new(what, "1/s", expected, found).because(REASON));
    };
    for (index, (text, found)) in STANDING.into_iter().zip(eigenvalues(0.0)?).enumerate() {
        claim(format!("eigenvalue {} of 4 at rest", index + 1), text, found.re);
    }
    let mut worst = 0.0_f64;
    for (speed, [weave_re, weave_im, capsize, castering]) in RIDING {
        let found = eigenvalues(speed)?;
        let weave = found.iter().copied().find(|value| value.im > 0.0).unwrap_or(Complex::new(f64::NAN, f64::NAN));
        let real: Vec<f64> = found.iter().filter(|value| value.im == 0.0).map(|value| value.re).collect();
        let (Some(&first), Some(&last)) = (real.first(), real.last()) else { continue };
        claim(format!("weave at {speed} m/s, real part"), weave_re, weave.re);
        claim(format!("weave at {speed} m/s, imaginary part"), weave_im, weave.im);
        claim(format!("capsize at {speed} m/s"), capsize, last);
        claim(format!("castering at {speed} m/s"), castering, first);
        worst = of_printed_matrices(speed).iter().fold(worst, |worst, expected| {
            worst.max(found.iter().map(|value| (value - expected).norm()).fold(f64::INFINITY, f64::min))
        });
    }
    claims.push(
        Claim::new(
            "largest distance of an eigenvalue of the printed matrices from one of the model, 1 to 10 m/s",
            "1/s",
            at_most(TOLERANCE, Origin::Rounding("of matrices with fourteen digits")),
            worst,
        )
        .because(REASON),
    );
    let values: Vec<f64> = (0..=100).map(|k| 0.1 * f64::from(k)).collect();
    let found = locus(&values, eigenvalues)?;
    let curves = |part: fn(&Complex<f64>) -> f64| {
        let curve = |(index, branch): (usize, &Vec<Complex<f64>>)| {
            let points = found.values.iter().copied().zip(branch.iter().map(part)).collect();
            Curve::new(format!("eigenvalue {}", index + 1), Style::Line, points)
        };
        found.branches.iter().enumerate().map(curve).collect()
    };
    let figure = |slug: &str, title: &str, label: &str, curves| Figure {
        slug: slug.to_owned(),
        title: title.to_owned(),
        caption: "Each eigenvalue is followed from speed to speed; two real ones meet at 0.68 m/s.".to_owned(),
        x: Axis::linear("speed", "m/s"),
        y: Axis::linear(label, "1/s"),
        curves,
        slopes: Vec::new(),
    };
    let figures = vec![
        figure("real", "Real parts over the speed", "Re λ", curves(|value| value.re)),
        figure("imaginary", "Imaginary parts over the speed", "Im λ", curves(|value| value.im)),
    ];
    Ok(Report { claims, figures, ..Report::default() })
}

/// Eigenvalues of the printed matrices at a speed, by the companion matrix.
fn of_printed_matrices(speed: f64) -> Vec<Complex<f64>> {
    let [mass, damping, at_rest, by_speed] =
        [MASS, DAMPING, STIFFNESS, STIFFNESS_BY_SPEED].map(|matrix| Matrix2::from_row_slice(&numbers(matrix)));
    let Some(inverse) = mass.try_inverse() else { return Vec::new() };
    let mut companion = Matrix4::zeros();
    companion.fixed_view_mut::<2, 2>(0, 2).copy_from(&Matrix2::identity());
    let stiffness = at_rest * GRAVITY + by_speed * (speed * speed);
    companion.fixed_view_mut::<2, 2>(2, 0).copy_from(&(-inverse * stiffness));
    companion.fixed_view_mut::<2, 2>(2, 2).copy_from(&(-inverse * damping * speed));
    companion.complex_eigenvalues().iter().copied().collect()
}
