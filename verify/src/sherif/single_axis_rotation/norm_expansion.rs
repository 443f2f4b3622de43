//! `|e + h ė + ½ h² ë + h² β x|²` as a polynomial in h. [sherif, before Eq. 53]
//!
//! The coefficient of h³ is found from values of the polynomial, which five points determine, and compared with the
//! scalar products that the text makes of it.

use hamel::scheme::StepError;
use hamel_report::{Claim, Expected, Proof, Report};
use nalgebra::Vector4;

/// Any vectors and any β do; these have no special angles.
const BETA: f64 = 0.3;
const E: [f64; 4] = [0.7, -0.1, 0.5, 0.4];
const RATE: [f64; 4] = [0.3, 1.1, -0.6, 0.2];
const ACCELERATION: [f64; 4] = [-0.9, 0.4, 0.8, 1.3];
const X: [f64; 4] = [0.5, -0.7, 0.6, 0.9];

pub(super) fn run() -> Result<Report, StepError> {
    let [e, rate, acceleration, x] = [E, RATE, ACCELERATION, X].map(Vector4::from);
    let norm = |h: f64| (e + h * rate + h * h * (0.5 * acceleration + BETA * x)).norm_squared();
    // Of the odd powers up to the fourth only h and h³ are left in differences; two of them determine both.
    let third = (norm(2.0) - norm(-2.0) - 2.0 * (norm(1.0) - norm(-1.0))) / 12.0;
    let value = |factor: f64| rate.dot(&acceleration) + factor * BETA * rate.dot(&x);
    Ok(Report {
        claims: vec![
            Claim::new(
                "coefficient of h³ for arbitrary vectors: ė·ë + 2β ė·x",
                "1",
                Expected::Theory { value: value(2.0), tolerance: 5e-16 },
                third,
            )
            .refutes(
                format!("ė·ë + β ė·x, here {:.3}; then ė·ë + β ė", value(1.0)),
                Proof::Algebra,
                "The square of a sum has its mixed products twice. The order of the term, and with it the conclusion, \
                 stays the same.",
            ),
        ],
        ..Report::default()
    })
}
