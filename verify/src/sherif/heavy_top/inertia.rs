//! The third moment of inertia, printed as 0.234275. [sherif, Sect. "Heavy top"]
//!
//! The initial angular velocity of the paper follows from spin and inertia of a *symmetric* top, which fixes the number.

use hamel::scheme::StepError;
use hamel_report::{Cell, Claim, Column, Expected, Proof, Report, Table, printed};

const MASS: f64 = 15.0;
const LENGTH: f64 = 1.0;
const AXIAL: f64 = 0.46875;
const SPIN: f64 = 150.0;
/// Initial angular velocity about the third body axis, as printed, rad/s.
const PRINTED_RATE: &str = "-4.61538";

pub(super) fn run() -> Result<Report, StepError> {
    let candidates = [("as printed", 0.234275), ("as the other transverse one", 0.234375)];
    let rows =
        candidates.map(|(name, inertia)| vec![name.into(), Cell::number(inertia, 6), Cell::number(rate(inertia), 9)]);
    Ok(Report {
        claims: vec![
            Claim::new("third moment of inertia implied by the initial angular velocity", "kg m²", 
                Expected::Theory { value: 0.234375, tolerance: 2e-5 }, implied_inertia()).refutes(
                "0.234275", Proof::Algebra,
                "The initial angular velocity −4.61538 rad/s equals −150·0.46875/(15 + J) to all printed digits for J = 0.234375, \
                 the first moment of inertia, and the benchmark is a symmetric top.",
            ),
            Claim::new("initial angular velocity from J = 0.234375", "rad/s", printed(PRINTED_RATE), rate(0.234375)),
        ],
        tables: vec![Table {
            slug: "inertia".into(),
            title: "Initial angular velocity −J_y ω_y / (m l² + J) for both values".into(),
            columns: vec![Column::text("third moment of inertia"), Column::new("J", "kg m²"), Column::new("ω_z(0)", "rad/s")],
            rows: rows.to_vec(),
        }],
        ..Report::default()
    })
}

/// −J_y ω_y / (m l² + J): the angular momenta of spin and of the rate about the third axis, about the tip, are opposite.
fn rate(inertia: f64) -> f64 {
    -SPIN * AXIAL / (MASS * LENGTH * LENGTH + inertia)
}

/// The moment of inertia for which `rate` gives the printed number.
fn implied_inertia() -> f64 {
    let rate: f64 = PRINTED_RATE.parse().unwrap_or(f64::NAN);
    -SPIN * AXIAL / rate - MASS * LENGTH * LENGTH
}
