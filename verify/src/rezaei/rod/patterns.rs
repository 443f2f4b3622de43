//! Where the matrices of the mechanism have entries. [rezaei, Figs. 38, 39]
//!
//! Coordinates in the order of Eq. 153: θ₁, θ₂, θ₃, then the nodes from the first that moves.

use hamel::scheme::StepError;
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Report, Style};
use nalgebra::DMatrix;

use super::material::{NODE, Rod};
use super::{Posture, mass_matrix, stiffness};

/// Of θ₁, θ₂ and θ₃ in this order.
const ANGLES: usize = 3;
const SLIDER: usize = 2;
/// Below this share of the diagonal entries an entry is rounding.
const ROUNDING: f64 = 1e-13;

/// The matrix in the paper's order: θ₃ is the last of the model.
fn in_order(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let n = matrix.nrows();
    let mut places: Vec<usize> = (0..n - 1).collect();
    places.insert(SLIDER, n - 1);
    matrix.select_rows(&places).select_columns(&places)
}

/// Whether there is an entry, beside the diagonal ones of its row and column.
fn is_entry(matrix: &DMatrix<f64>, i: usize, j: usize) -> bool {
    matrix[(i, j)].abs() > ROUNDING * (matrix[(i, i)] * matrix[(j, j)]).abs().sqrt()
}

/// How many entries of these places are, or are not, zero.
fn count(n: usize, of: impl Fn(usize, usize) -> bool) -> f64 {
    (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| of(i, j)).count() as f64
}

/// The node of a coordinate, from zero.
fn node(place: usize) -> usize {
    (place - ANGLES) / NODE
}

/// Of n nodes: x with x, and y and angle with both, of neighbours; x, y and angle of a node with themselves, as what y and
/// angle have of two equal elements cancels; but at the last node.
fn entries_of_nodes(n: usize) -> f64 {
    ((n - 1) * 2 * (1 + 4) + (n - 1) * 3 + (1 + 4)) as f64
}

pub(super) fn run() -> Result<Report, StepError> {
    let model = FlexibleSliderCrank::default();
    let mass = in_order(&mass_matrix(&model, Posture::new(0).q.as_slice()));
    let elastic = in_order(&stiffness::compiled());
    let n = mass.nrows();
    let nodes = (n - ANGLES) / NODE;
    let angles = |i: usize, j: usize| i.min(j) < ANGLES;
    let slider = |i: usize, j: usize| (i == SLIDER) != (j == SLIDER);
    let apart = |i: usize, j: usize| !angles(i, j) && node(i).abs_diff(node(j)) > 1;
    let within = |matrix: &DMatrix<f64>| {
        let nodes = matrix.view((ANGLES, ANGLES), (n - ANGLES, n - ANGLES)).into_owned();
        count(n - ANGLES, |i, j| is_entry(&nodes, i, j))
    };
    let exactly = |value: f64| Expected::Theory { value, tolerance: 0.0 };
    let claims = vec![
        Claim::new(
            "Fig. 38: entries of M that are not zero in the row and the column of θ₃, but on the diagonal",
            "1",
            exactly(0.0),
            count(n, |i, j| slider(i, j) && mass[(i, j)] != 0.0),
        )
        .in_words("zeros in the row and the column of θ₃, but on the diagonal"),
        Claim::new(
            "Fig. 38: entry of M of θ₃",
            "kg m^2",
            exactly(FlexibleSliderCrankParameters::default().j3),
            mass[(SLIDER, SLIDER)],
        ),
        Claim::new(
            "Fig. 38: zeros of a bent rod in the rows and columns of θ₁ and θ₂, but for those of θ₃: what two equal elements have \
             of the angle of an inner node cancels in m̄_Rf",
            "1",
            exactly(2.0 * (nodes - 1) as f64),
            count(n, |i, j| i.min(j) < SLIDER && !slider(i, j) && !is_entry(&mass, i, j)),
        ),
        Claim::new(
            "Figs. 37, 38: entries of m_ff that are not zero between nodes that are not neighbours",
            "1",
            exactly(0.0),
            count(n, |i, j| apart(i, j) && mass[(i, j)] != 0.0),
        )
        .in_words("elements overlap in the coordinates of the node that they share"),
        Claim::new("entries of m_ff that are not zero", "1", exactly(entries_of_nodes(nodes)), within(&mass)),
        Claim::new(
            "Fig. 39: entries of K that are not zero in rows and columns of θ₁, θ₂ and θ₃",
            "1",
            exactly(0.0),
            count(n, |i, j| angles(i, j) && elastic[(i, j)] != 0.0),
        )
        .in_words("blank areas, which correspond to θ₁, θ₂ and θ₃, are filled with zeros"),
        Claim::new(
            "Fig. 39: entries of K that are not zero between nodes that are not neighbours",
            "1",
            exactly(0.0),
            count(n, |i, j| apart(i, j) && elastic[(i, j)] != 0.0),
        )
        .in_words("purple: summation of mutual DOFs, blank: zero entries"),
        Claim::new("entries of K_ff that are not zero", "1", exactly(entries_of_nodes(nodes)), within(&elastic)),
    ];
    Ok(Report {
        claims,
        figures: vec![mass_figure(&mass), stiffness_figure()],
        notes: vec![
            "M is that of a bent rod of 20 elements; K is the elastic part. What y and angle of an inner node have of its two \
             elements cancels in both matrices, because the elements are equal. Entries below 10⁻¹³ of the diagonal ones are \
             rounding."
                .into(),
        ],
        ..Report::default()
    })
}

/// The places for which something holds, rows downwards.
fn places(n: usize, of: impl Fn(usize, usize) -> bool) -> Vec<(f64, f64)> {
    let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    all.filter(|&(i, j)| of(i, j)).map(|(i, j)| ((j + 1) as f64, -((i + 1) as f64))).collect()
}

fn figure(slug: &str, title: &str, caption: &str, n: usize, curves: Vec<(&str, Vec<(f64, f64)>)>) -> Figure {
    let end = n as f64 + 1.0;
    Figure {
        slug: slug.into(),
        title: title.into(),
        caption: caption.into(),
        x: Axis::linear("column", "1").within(0.0, end),
        y: Axis::linear("−row", "1").within(-end, 0.0),
        curves: curves.into_iter().map(|(name, points)| Curve::new(name, Style::Markers, points)).collect(),
        slopes: Vec::new(),
    }
}

fn mass_figure(mass: &DMatrix<f64>) -> Figure {
    let n = mass.nrows();
    let within = |low: usize, i: usize, j: usize| i.min(j) == low && is_entry(mass, i, j);
    figure(
        "fig38",
        "Fig. 38: entries of the mass matrix",
        "20 elements, in a tangent frame; 1 to 3 are θ₁, θ₂ and θ₃.",
        n,
        vec![
            ("m̄_RR, m̄_Rq, m̄_Rf", places(n, |i, j| within(0, i, j))),
            ("m_qq, m̄_qf", places(n, |i, j| within(1, i, j))),
            ("J₃", places(n, |i, j| within(SLIDER, i, j))),
            ("m_ff", places(n, |i, j| i.min(j) >= ANGLES && is_entry(mass, i, j))),
        ],
    )
}

/// Two elements: their matrices beside each other, and where they overlap.
fn stiffness_figure() -> Figure {
    let element = stiffness::element(&Rod::of_table_1(), 2);
    let n = ANGLES + 3 * NODE;
    let of = |first: usize, i: usize, j: usize| {
        let inside = |place: usize| (first..first + 2 * NODE).contains(&place);
        inside(i) && inside(j) && is_entry(&element, i - first, j - first)
    };
    let (j, next) = (ANGLES, ANGLES + NODE);
    figure(
        "fig39",
        "Fig. 39: entries of the stiffness matrices of two elements",
        "1 to 3 are θ₁, θ₂ and θ₃, then three nodes; between y and angle of the second one the sum of both is zero.",
        n,
        vec![
            ("element j", places(n, |a, b| of(j, a, b) && !of(next, a, b))),
            ("both, added", places(n, |a, b| of(j, a, b) && of(next, a, b))),
            ("element j + 1", places(n, |a, b| of(next, a, b) && !of(j, a, b))),
        ],
    )
}
