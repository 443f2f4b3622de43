//! Whether the nodes of MSSTH minimise the local error, and what they do to the coefficients. [zhang, Sect. 2.3]
//!
//! Nodes do not touch order or stability; published ones are compared with the fixed ones that the runtime takes where it
//! is not asked for these. In which norm errors are least the text does not say.

use hamel::scheme::StepError;
use hamel::tables::{self, TableError, Tableau};
use hamel_report::{Axis, Claim, Curve, Figure, Origin, Report, Style, at_least, at_most, independent};

use crate::linear::{most, table};
use crate::origins::SOME;

pub(super) fn run() -> Result<Report, StepError> {
    let mut errors: [Vec<(f64, f64)>; 2] = Default::default();
    for k in 0..=10 {
        let rho = f64::from(k) / 10.0;
        for (errors, tableau) in errors.iter_mut().zip([tables::mssth_published(4, rho), tables::mssth(4, rho)]) {
            errors.push((rho, error_of_fifth_order(&table("MSSTH(4)", tableau)?)));
        }
    }
    let [published, fixed] = &errors;
    let at = |k: usize, value: &str| {
        let what = format!("norm of the error of MSSTH(4), published nodes, ρ∞ = {}", published[k].0);
        Claim::new(what, "1", independent(value), published[k].1)
    };
    let largest = |tableau: Result<Tableau, TableError>| {
        Ok::<_, StepError>(most(table("MSSTH", tableau)?.matrix.iter().flatten().map(|a| a.abs())))
    };
    let mut claims = vec![
        at(0, "3.884e-2"),
        at(10, "8.097e-3"),
        Claim::new(
            "norm of the error of MSSTH(4) with published nodes over that with c₃ = 0.5, c₄ = 1, ρ∞ = 0",
            "1",
            at_most(1.0, Origin::Source),
            published[0].1 / fixed[0].1,
        )
        .in_words("the local truncation error is minimized"),
        Claim::new("the same, ρ∞ = 1", "1", at_least(1.1, SOME), published[10].1 / fixed[10].1).undetermined(
            "the local truncation error is minimized",
            "The norm is not named. In the Euclidean one, fixed nodes have a smaller error at ρ∞ = 0.9 and 1, with the same γ, \
             order and stability, and a larger one below.",
        ),
    ];
    for (n, rho, value) in [(4, 0.7, "63.7"), (5, 0.9, "119")] {
        claims.push(Claim::new(
            format!("largest coefficient of MSSTH({n}) with published nodes, ρ∞ = {rho}"),
            "1",
            independent(value),
            largest(tables::mssth_published(n, rho))?,
        ));
        claims.push(Claim::new(
            format!("the same with fixed nodes, ρ∞ = {rho}"),
            "1",
            at_most(10.0, Origin::Chosen("Far below those with the published nodes.")),
            largest(tables::mssth(n, rho))?,
        ));
    }
    let curves = [("published nodes", published), ("c₃ = 0.5, c₄ = 1", fixed)];
    Ok(Report {
        claims,
        figures: vec![Figure {
            slug: "error".into(),
            title: "Error of order five of MSSTH(4) over ρ∞".into(),
            caption: "Euclidean norm over the nine rooted trees with five nodes, each divided by its symmetry.".into(),
            x: Axis::linear("ρ∞", "1"),
            y: Axis::log("norm of the error", "1"),
            curves: curves.map(|(name, points)| Curve::new(name, Style::LineAndMarkers, points.clone())).to_vec(),
            slopes: Vec::new(),
        }],
        notes: vec![
            "Between the published values the nodes cross, c₃ = c₄ near ρ∞ = 0.66 for n = 4 and c₄ = c₂ near 0.90 for \
             n = 5, so that coefficients grow without bound."
                .into(),
        ],
        ..Report::default()
    })
}

/// Norm of the conditions of order five, for stages of second order: there A c = c²/2, and the nine trees are multiples
/// of four sums.
fn error_of_fifth_order(tableau: &Tableau) -> f64 {
    let (a, b, c) = (&tableau.matrix, &tableau.weights, &tableau.nodes);
    let by_matrix =
        |vector: &[f64]| -> Vec<f64> { a.iter().map(|row| row.iter().zip(vector).map(|(a, x)| a * x).sum()).collect() };
    let sum = |vector: &[f64]| -> f64 { b.iter().zip(vector).map(|(b, x)| b * x).sum() };
    let power = |k: i32| -> Vec<f64> { c.iter().map(|c| c.powi(k)).collect() };
    let square = by_matrix(&power(2));
    let weighted: Vec<f64> = c.iter().zip(&square).map(|(c, x)| c * x).collect();
    let [bushy, branched, cubic, tall] = [
        sum(&power(4)) - 1.0 / 5.0,
        sum(&weighted) - 1.0 / 15.0,
        sum(&by_matrix(&power(3))) - 1.0 / 20.0,
        sum(&by_matrix(&square)) - 1.0 / 60.0,
    ];
    // Squares of 1/24, 1/4, 1/8; of 1/2, 1/2; of 1/6, 1/2; of 1/2, 1/2.
    let squares =
        46.0 / 576.0 * bushy * bushy + 0.5 * branched * branched + 160.0 / 576.0 * cubic * cubic + 0.5 * tall * tall;
    squares.sqrt()
}
