//! At ρ∞ = 1 the multistep schemes have the root −1 with multiplicity r − 1. [zhang, Sect. 4, errata]
//!
//! The characteristics of the physical mode are those of the trapezoidal rule, as the paper says; a rounding error,
//! however, grows in k steps like the power r − 2 of k.

use hamel::scheme::StepError;
use hamel::tables;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Report, Style};
use nalgebra::DMatrix;

use crate::linear::table;

const DOUBLINGS: u32 = 16;

pub(super) fn run() -> Result<Report, StepError> {
    let (mut claims, mut curves) = (Vec::new(), Vec::new());
    for r in 2..=4 {
        let name = format!("LMS{r}");
        let growth = growth(&table(&name, tables::lms(r, 1.0))?.alpha);
        let order = (growth[growth.len() - 1].1 / growth[growth.len() - 2].1).log2();
        claims.push(Claim::new(
            format!("power of the number of steps by which an error grows, {name}, ρ∞ = 1"),
            "1",
            Expected::Order { order: r as f64 - 2.0, tolerance: 0.01 },
            order,
        ));
        curves.push(Curve::new(name, Style::LineAndMarkers, growth));
    }
    let figure = Figure {
        slug: "growth".into(),
        title: "Growth of a disturbance at ρ∞ = 1".into(),
        caption: "Norm of the recursion matrix to the power of the number of steps, step size zero.".into(),
        x: Axis::log("number of steps", "1"),
        y: Axis::log("growth", "1"),
        curves,
        slopes: Vec::new(),
    };
    let notes = vec![
        "What the paper says of the characteristics is said of the physical mode, and right. The recursion has a multiple \
         root −1 besides, with which errors are not bounded; the trapezoidal rule has none."
            .into(),
    ];
    Ok(Report { claims, figures: vec![figure], notes, ..Report::default() })
}

/// Numbers of steps and the factor by which a disturbance can have grown, for `y_k = Σ α_j y_{k−j}`.
fn growth(alpha: &[f64]) -> Vec<(f64, f64)> {
    let r = alpha.len();
    let mut power = DMatrix::from_fn(r, r, |i, j| match i {
        0 => alpha[j],
        _ if i == j + 1 => 1.0,
        _ => 0.0,
    });
    let mut points = Vec::new();
    for doubling in 1..=DOUBLINGS {
        power = &power * &power;
        points.push((f64::from(1_u32 << doubling), power.norm()));
    }
    points
}
