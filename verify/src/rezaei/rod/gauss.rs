//! Gaussian points of an element, and how many its integrals need. [rezaei, App. C.3, C.5, Fig. 36]

use hamel::Model;
use hamel::scheme::StepError;
use hamel::tables;
use hamel_models::FlexibleSliderCrank;
use hamel_report::{
    Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Report, Style, Table, at_most, printed,
};
use nalgebra::DMatrix;

use super::mass_matrix;
use super::material::{Rod, Shapes, textbook_mass};
use crate::convergence::largest;

/// Points and weights on [0, 1], in ascending order: roots of Legendre's polynomial by Newton's method.
pub(super) fn points(count: usize) -> Vec<(f64, f64)> {
    let root = |k: usize| {
        let mut x = -(std::f64::consts::PI * (k as f64 + 0.75) / (count as f64 + 0.5)).cos();
        let mut slope = f64::NAN;
        // Quadratic from a good guess: far more than enough.
        for _ in 0..10 {
            let (mut before, mut value) = (1.0, x);
            for n in 2..=count {
                let n = n as f64;
                (before, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * before) / n);
            }
            slope = count as f64 * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
        }
        (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..count).map(root).collect()
}

/// The error of ∫ ξᵏ over [0, 1].
fn error(count: usize, degree: i32) -> f64 {
    let sum: f64 = points(count).iter().map(|(xi, weight)| weight * xi.powi(degree)).sum();
    1.0 / f64::from(degree + 1) - sum
}

/// The error of the lowest degree that so many points do not integrate exactly, 2n.
fn first_error(count: u32) -> f64 {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    factorial(count).powi(4) / (f64::from(2 * count + 1) * factorial(2 * count).powi(2))
}

/// Fig. 36: the points as labelled, from the first, on [−1, 1] and mapped to [0, 1].
const LABELS: [(&str, &str); 4] = [("-0.86", "0.07"), ("-0.34", "0.33"), ("0.34", "0.67"), ("0.86", "0.93")];
/// Of sums of a few products of numbers below one.
const SUMS: Origin = Origin::Rounding("of sums of four products below one");

pub(super) fn run() -> Result<Report, StepError> {
    let four = points(4);
    let mut claims = Vec::new();
    for (k, ((xi, _), (symmetric, mapped))) in four.iter().zip(LABELS).enumerate() {
        claims.push(Claim::new(format!("point {} on [−1, 1]", k + 1), "1", printed(symmetric), 2.0 * xi - 1.0));
        claims.push(Claim::new(format!("point {} on [0, 1]", k + 1), "1", printed(mapped), *xi));
    }
    let closed = [-1.0, 1.0].map(|sign| (18.0 + sign * 30_f64.sqrt()) / 72.0);
    for (k, weight) in [(0, closed[0]), (1, closed[1])] {
        let what = format!("weights of points {} and {} on [0, 1], difference to (18 ± √30)/72", k + 1, 4 - k);
        let difference = largest([four[k].1 - weight, four[3 - k].1 - weight]);
        claims.push(Claim::new(what, "1", at_most(1e-15, SUMS), difference));
    }
    let table = tables::gauss();
    let others = points(3).into_iter().zip(table.nodes.iter().zip(&table.weights));
    claims.push(Claim::new(
        "three points and weights, largest difference to those of the scheme `gauss`",
        "1",
        at_most(1e-15, SUMS),
        largest(others.flat_map(|((xi, weight), (node, known))| [xi - node, weight - known])),
    ));
    claims.push(
        Claim::new(
            "largest error of ∫ ξᵏ to degree 6, 4 points",
            "1",
            at_most(1e-15, SUMS),
            largest((0..=6).map(|k| error(4, k))),
        )
        .in_words("polynomials with degree 6 at most, which need 4 Gaussian points to yield an exact integration"),
    );
    let theory = |count: u32, scale: f64| Expected::Theory { value: scale * first_error(count), tolerance: 2e-15 };
    claims.push(
        Claim::new("error of ∫ ξ⁶, 3 points", "1", theory(3, 1.0), error(3, 6)).in_words("need 4 Gaussian points"),
    );
    claims.push(
        Claim::new(
            "largest error of ∫ ξᵏ to degree 2, 2 points",
            "1",
            at_most(1e-15, SUMS),
            largest((0..=2).map(|k| error(2, k))),
        )
        .in_words("the highest degree in the integral of Eq. 160 is 2, therefore only 2 points"),
    );
    claims.push(Claim::new("error of ∫ ξ², 1 point", "1", theory(1, 1.0), error(1, 2)).in_words("need 2 points"));
    claims.extend(element_claims(theory(3, 4.0))?);

    let rows = (0..4).map(|k| {
        let (xi, weight) = four[k];
        vec![
            Cell::number(2.0 * xi - 1.0, 8),
            Cell::number(xi, 8),
            Cell::number(2.0 * weight, 8),
            Cell::number(weight, 8),
        ]
    });
    let columns = ["point on [−1, 1]", "mapped to [0, 1]", "weight on [−1, 1]", "weight on [0, 1]"];
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "fig36".into(),
            title: "Fig. 36: Gaussian points and weights".into(),
            columns: columns.map(|name| Column::new(name, "1")).into(),
            rows: rows.collect(),
        }],
        figures: vec![Figure {
            slug: "fig36".into(),
            title: "Fig. 36: Gaussian points mapped to an element".into(),
            caption: "Weights are not in the figure.".into(),
            x: Axis::linear("ξ", "1").within(0.0, 1.0),
            y: Axis::linear("weight", "1").within(0.0, 0.5),
            curves: vec![Curve::new("four points", Style::Markers, four)],
            slopes: Vec::new(),
        }],
        notes: vec!["The compiler has no Gaussian points: it integrates the shapes' polynomials exactly.".into()],
    })
}

/// Mass matrices of an element by points beside the exact one and the compiled one.
fn element_claims(missed: Expected) -> Result<Vec<Claim>, StepError> {
    let rod = Rod::of_table_1();
    let exact = textbook_mass(rod.mass, rod.length);
    let by = |count: usize| Shapes::of(&rod.element(0, &points(count))).s_ff;
    let share = |matrix: &DMatrix<f64>| {
        largest(matrix.iter().zip(&exact).filter(|(_, exact)| **exact != 0.0).map(|(value, exact)| value / exact - 1.0))
    };
    let model = FlexibleSliderCrank::default();
    let compiled = mass_matrix(&model, &vec![0.0; model.dims().nq]);
    let node = model.describe().velocity("rod[10].x").unwrap_or_default();
    // Only one element couples neighbouring nodes.
    let compiled = compiled.view((node, node + 3), (3, 3)).into_owned();
    let four = by(4);
    let coupling = four.view((0, 3), (3, 3));
    Ok(vec![
        Claim::new(
            "mass matrix of an element by 4 points, largest deviation from its closed form over the entry",
            "1",
            at_most(3e-15, Origin::Rounding("of entries that are small differences of products below one")),
            share(&four),
        ),
        Claim::new(
            "4 points beside the compiled matrix, its entries between nodes 10 and 11, over the largest",
            "1",
            at_most(1e-15, Origin::Rounding("of entries of the order of the largest")),
            (coupling - &compiled).amax() / compiled.amax(),
        ),
        // The highest power of S_y S_y at the first node is 4 ξ⁶.
        Claim::new(
            "error of ∫ S_y² of the first node by 3 points, over the element's mass",
            "1",
            missed,
            (exact[(1, 1)] - by(3)[(1, 1)]) / rod.mass,
        )
        .in_words("need 4 Gaussian points"),
    ])
}
