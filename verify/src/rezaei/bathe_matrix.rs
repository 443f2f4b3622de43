//! The printed amplification matrix of Bathe's scheme has its first and third row exchanged. [rezaei, Eqs. 106, 107]
//!
//! Its rows stand in the order acceleration, velocity, coordinate, its columns in the order (q, h v, h² a). That the
//! corrected matrix is right is shown with the scheme's own tableau, from which nothing of the matrix was taken.

use hamel::linear_analysis::{Oscillator, spectral_radius};
use hamel::scheme::StepError;
use hamel::tables;
use hamel_report::{Axis, Claim, Expected, Figure, Origin, Proof, Report, Style, at_least, at_most};
use nalgebra::{DMatrix, Vector3};

use crate::linear::{Method, most};
use crate::origins::{RADIUS, SOME};

pub(super) fn run() -> Result<Report, StepError> {
    let tableau = tables::bathe();
    let omegas = || (0..=400).map(|k| 10f64.powf(-2.0 + f64::from(k) / 100.0));
    let deviation = |matrix: fn(f64) -> DMatrix<f64>| {
        most(omegas().map(|omega| {
            let step = tableau.amplification(Oscillator::undamped(omega));
            // Consistent states (q, h v, h² a) of the oscillator, after a step by either.
            most([[1.0, 0.0], [0.0, 1.0]].map(|[q, v]| {
                let by_matrix = matrix(omega) * Vector3::new(q, v, -omega * omega * q);
                let expected = [step[(0, 0)] * q + step[(0, 1)] * v, step[(1, 0)] * q + step[(1, 1)] * v];
                let size = 1.0 + omega * omega;
                ((by_matrix[0] - expected[0]) / size).abs().max(((by_matrix[1] - expected[1]) / size).abs())
            }))
        }))
    };
    let at = 100.0;
    let because =
        "A has the rows of (a, v, q) but the columns of (q, v, a); with rows 1 and 3 exchanged it is the scheme.";
    let claims = vec![
        Claim::new(
            "spectral radius at Ω = 100, rows exchanged",
            "1",
            Expected::Theory {
                value: spectral_radius(&tableau.amplification(Oscillator::undamped(at))),
                tolerance: 5e-14,
            },
            spectral_radius(&corrected(at)),
        )
        .refutes(
            format!("a matrix whose spectral radius there is {:.3}", spectral_radius(&printed(at))),
            Proof::Algebra,
            because,
        ),
        Claim::new(
            "largest difference of a step by the matrix, rows exchanged, to a step of the scheme",
            "1",
            at_most(3e-15, Origin::Rounding("of a step with numbers of the order of one")),
            deviation(corrected),
        ),
        Claim::new("the same for the matrix as printed", "1", at_least(0.5, SOME), deviation(printed)),
        Claim::new(
            "spectral radius at Ω = 10⁴, which vanishes like 5/Ω",
            "1",
            Expected::Theory { value: 5e-4, tolerance: 1e-9 },
            spectral_radius(&corrected(1e4)),
        )
        .in_words("ρ∞ = 0"),
        Claim::new(
            "largest spectral radius, Ω from 10⁻² to 10², minus one",
            "1",
            at_most(1e-14, RADIUS),
            most(omegas().map(|omega| spectral_radius(&corrected(omega)))) - 1.0,
        )
        .in_words("unconditionally stable"),
    ];
    let methods = [
        (Method::new("printed", |o| printed(o.omega)), Style::Line),
        (Method::new("rows exchanged", |o| corrected(o.omega)), Style::Line),
        (Method::runge_kutta("scheme", tableau.clone()).per_step(), Style::Dashed),
    ];
    let figure = Figure {
        slug: "radius".into(),
        title: "Spectral radius of Eq. 106".into(),
        caption: "As printed, the matrix does not belong to a stable scheme.".into(),
        x: Axis::log("Δt/T", "1"),
        y: Axis::linear("ρ", "1").within(0.0, 2.0),
        curves: methods.iter().map(|(method, style)| method.radius_curve(*style, 1e-2, 1e2)).collect(),
        slopes: Vec::new(),
    };
    Ok(Report { claims, figures: vec![figure], ..Report::default() })
}

/// Eq. 106 as it stands.
fn printed(omega: f64) -> DMatrix<f64> {
    let s = omega * omega;
    let divisor = (16.0 + s) * (9.0 + s);
    let rows = [
        [-144.0 * s + 19.0 * s * s, -144.0 * s + 5.0 * s * s, -28.0 * s],
        [-96.0 * s + s * s, 144.0 - 47.0 * s, 48.0 - 4.0 * s],
        [144.0 - 19.0 * s, 144.0 - 5.0 * s, 28.0],
    ];
    DMatrix::from_fn(3, 3, |i, j| rows[i][j] / divisor)
}

fn corrected(omega: f64) -> DMatrix<f64> {
    let mut matrix = printed(omega);
    matrix.swap_rows(0, 2);
    matrix
}
