//! The coefficients of lean and steer, from the linearised model at two speeds. [meijaard]

use hamel::scheme::StepError;
use hamel_report::{Claim, Expected, Origin, Report, at_most};
use nalgebra::Matrix2;

use super::printed::{DAMPING, MASS, STIFFNESS, STIFFNESS_BY_SPEED};
use super::riding::{GRAVITY, Riding};

/// Thirteen digits of the largest entry, of which each is a sum of products with it.
const TOLERANCE: f64 = 1e-11;
const REASON: &str = "Rounding of sums with entries of 80, in which the wheels' points of contact are solved for.";

pub(super) fn run() -> Result<Report, StepError> {
    let speed = 5.0;
    let (rest, riding) = (Riding::new(0.0)?, Riding::new(speed)?);
    let by_speed = (riding.stiffness - rest.stiffness) / (speed * speed);
    let matrices = [
        ("M", "1", riding.mass, MASS),
        ("C₁", "1", riding.damping / speed, DAMPING),
        ("K₀", "1", rest.stiffness / GRAVITY, STIFFNESS),
        ("K₂", "1", by_speed, STIFFNESS_BY_SPEED),
    ];
    let mut claims = Vec::new();
    for (name, unit, found, printed) in matrices {
        for (index, text) in printed.into_iter().enumerate() {
            let (row, column) = (index / 2, index % 2);
            let expected = Expected::Printed { text, tolerance: TOLERANCE };
            let what = format!("{name}, row {}, column {}", row + 1, column + 1);
            claims.push(Claim::new(what, unit, expected, found[(row, column)]).because(REASON));
        }
    }
    let difference = |a: Matrix2<f64>, b: Matrix2<f64>| (a - b).amax();
    let origin = Origin::Rounding("of sums with entries of 80");
    claims.push(Claim::new(
        "largest difference of M at rest and at 5 m/s",
        "1",
        at_most(TOLERANCE, origin),
        difference(rest.mass, riding.mass),
    ));
    claims.push(Claim::new("largest damping at rest", "1", at_most(TOLERANCE, origin), rest.damping.amax()));
    Ok(Report {
        claims: claims.into_iter().map(|claim| claim.because(REASON)).collect(),
        notes: vec![
            "The model has ten states: place, heading, lean, steer, turns of both wheels, and the rates of lean, steer and rear wheel. Rows and columns of lean and steer are those of the document.".to_owned(),
        ],
        ..Report::default()
    })
}
