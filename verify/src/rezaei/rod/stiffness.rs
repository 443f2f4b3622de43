//! Stiffness of an element as printed, in closed form and as compiled. [rezaei, Eqs. 160–163]

use hamel::scheme::StepError;
use hamel::{Model, State};
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use hamel_report::{Cell, Claim, Column, Expected, Origin, Proof, Report, Table, at_most};
use nalgebra::{DMatrix, DVector};

use super::gauss;
use super::material::{NODE, Rod, shape, textbook_stiffness};
use super::{NODES, Posture, scaled};
use crate::convergence::largest;

/// D S of Eq. 163: strain and curvature.
fn strains(length: f64, xi: f64) -> [[f64; 2 * NODE]; 2] {
    let l = length;
    let rows = [
        [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, -6.0 + 12.0 * xi, l * (-4.0 + 6.0 * xi), 0.0, 6.0 - 12.0 * xi, l * (6.0 * xi - 2.0)],
    ];
    [rows[0].map(|value| value / l), rows[1].map(|value| value / (l * l))]
}

/// Eq. 160 with the matrix of Eq. 162, integrated along the element as Eq. 161 has it.
pub(super) fn element(rod: &Rod, points: usize) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(2 * NODE, 2 * NODE);
    let section = DMatrix::from_diagonal(&DVector::from_column_slice(&[rod.axial, rod.bending]));
    for (xi, weight) in gauss::points(points) {
        let rows = strains(rod.length, xi);
        let strain = DMatrix::from_fn(2, 2 * NODE, |i, j| rows[i][j]);
        matrix += strain.transpose() * &section * strain * (weight * rod.length);
    }
    matrix
}

/// K_ff of all nodes: what neighbouring elements share is added.
pub(super) fn assembled(rod: &Rod) -> DMatrix<f64> {
    let one = element(rod, 2);
    let mut matrix = DMatrix::zeros(rod.coordinates(), rod.coordinates());
    for index in 0..rod.elements {
        let mut block = matrix.view_mut((NODE * index, NODE * index), (2 * NODE, 2 * NODE));
        block += &one;
    }
    matrix
}

/// The mechanism, and the same with twice the modulus: what differs is elastic, so that weights cancel.
fn pair() -> [FlexibleSliderCrank; 2] {
    let modulus = FlexibleSliderCrankParameters::default().elasticity;
    [1.0, 2.0].map(|factor| {
        FlexibleSliderCrank::new(FlexibleSliderCrankParameters { elasticity: factor * modulus, ..Default::default() })
    })
}

/// The elastic part of the compiled stiffness, for all velocities.
pub(super) fn compiled() -> DMatrix<f64> {
    let [softer, stiffer] = pair().map(|model| {
        let mut state = State::zeros(model.dims());
        let pattern = &model.describe().stiffness;
        state.q.copy_from(&Posture::new(0).q);
        let mut values = vec![0.0; pattern.nnz()];
        model.stiffness(&state, &mut values);
        pattern.to_dense(&values)
    });
    stiffer - softer
}

/// The energy of Eq. 161, by points along the rod.
fn strain_energy(rod: &Rod, posture: &Posture) -> f64 {
    let clamped = DVector::zeros(NODE);
    let nodes = DVector::from_iterator(rod.coordinates(), clamped.iter().chain(posture.deformation().iter()).copied());
    let of_point = |index: usize, (xi, weight): (f64, f64)| {
        let own = nodes.rows(NODE * index, 2 * NODE);
        let [strain, curvature] =
            strains(rod.length, xi).map(|row| row.iter().zip(&own).map(|(s, q)| s * q).sum::<f64>());
        0.5 * weight * rod.length * (rod.axial * strain * strain + rod.bending * curvature * curvature)
    };
    (0..rod.elements)
        .flat_map(|index| gauss::points(2).into_iter().map(move |point| (index, point)))
        .map(|(index, point)| of_point(index, point))
        .sum()
}

/// D S beside differences of S, which are exact: the first of a linear function, the second of a cubic one.
fn differences(length: f64) -> f64 {
    let half = 0.5;
    largest([0.0, 0.3, 0.5, 1.0].into_iter().flat_map(|xi| {
        let [before, here, after] = [xi - half, xi, xi + half].map(|xi| shape(length, xi));
        let printed = strains(length, xi);
        (0..2 * NODE).flat_map(move |k| {
            let first = (after[0][k] - before[0][k]) / (2.0 * half * length);
            let second = (after[1][k] - 2.0 * here[1][k] + before[1][k]) / (half * half * length * length);
            [(first - printed[0][k]) * length, (second - printed[1][k]) * length * length]
        })
    }))
}

pub(super) fn run() -> Result<Report, StepError> {
    let rod = Rod::of_table_1();
    let exact = textbook_stiffness(rod.axial, rod.bending, rod.length);
    let share = |matrix: &DMatrix<f64>| {
        largest(matrix.iter().zip(&exact).filter(|(_, exact)| **exact != 0.0).map(|(value, exact)| value / exact - 1.0))
    };
    let two = element(&rod, 2);
    let compiled = compiled();
    let last = compiled.nrows() - NODES - 1;
    let nodes = compiled.view((NODES, NODES), (last, last)).into_owned();
    let printed = assembled(&rod).view((NODE, NODE), (last, last)).into_owned();
    let posture = Posture::new(0);
    let [softer, stiffer] = pair().map(|model| model.energy(0.0, posture.q.as_slice(), posture.v.as_slice()).potential);
    let FlexibleSliderCrankParameters { m2, l2, density, .. } = Default::default();
    let area = m2 / (density * l2);
    let rounding = |what| Origin::Rounding(what);
    let claims = vec![
        Claim::new(
            "D S of Eq. 163 beside differences of S, largest difference, lengths of the element taken out",
            "1",
            at_most(5e-15, rounding("of differences of numbers of the order of one")),
            differences(rod.length),
        ),
        Claim::new(
            "stiffness of an element by 2 points, largest deviation from its closed form over the entry",
            "1",
            at_most(5e-15, rounding("of sums of two products")),
            share(&two),
        )
        .in_words("we only need 2 Gaussian points"),
        Claim::new(
            "stiffness across of a moved node by 1 point, where the curvature −6 + 12 ξ vanishes, over the closed form",
            "1",
            Expected::Theory { value: 0.0, tolerance: 1e-15 },
            element(&rod, 1)[(1, 1)] / exact[(1, 1)],
        )
        .in_words("we only need 2 Gaussian points"),
        Claim::new(
            "K_ff by Eqs. 160–163 along the rod over the compiled one, first entry",
            "1",
            Expected::Theory { value: 1.0, tolerance: 2e-15 },
            printed[(0, 0)] / nodes[(0, 0)],
        )
        .refutes(
            format!("an integral over the volume in Eq. 160, with which K_ff is {area:.3e} m² times as much"),
            Proof::Algebra,
            "C of Eq. 162 contains the section's A and I, and Eq. 161, from which it is taken, integrates along the rod. \
             Over the volume A counts twice, and K_ff q_f is no force.",
        ),
        Claim::new(
            "K_ff by Eqs. 160–163 along the rod beside the compiled one, largest difference, scaled",
            "1",
            at_most(3e-15, rounding("of sums of two products")),
            scaled(&(&printed - &nodes), &nodes).amax(),
        ),
        Claim::new(
            "energy of Eq. 161 over what the modulus adds to the compiled energy",
            "1",
            Expected::Theory { value: 1.0, tolerance: 1e-14 },
            strain_energy(&rod, &posture) / (stiffer - softer),
        ),
    ];
    let row = |i: usize, j: usize| {
        vec![
            format!("{}, {}", ["x", "y", "angle"][i % NODE], ["x", "y", "angle"][j % NODE]).into(),
            Cell::number(two[(i, j)], 6),
            Cell::number(exact[(i, j)], 6),
        ]
    };
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "element".into(),
            title: "Entries of an element of the rod of Table 1, first node".into(),
            columns: vec![Column::text("entry"), Column::new("by 2 points", "N/m, N, N m"), Column::new("closed form", "N/m, N, N m")],
            rows: vec![row(0, 0), row(1, 1), row(1, 2), row(2, 2)],
        }],
        notes: vec![
            "The compiled matrix is what twice the modulus adds to it, because the whole one also has what weights change."
                .into(),
            "Differences are scaled by the roots of the diagonal entries of their row and column.".into(),
        ],
        ..Report::default()
    })
}
