//! What the rod does with fewer elements. [rezaei, Sec. 4.1, Fig. 20]
//!
//! Shapes of a mesh whose nodes belong to a finer one are shapes of the finer mesh too: q = Φ z with the values of the
//! coarse shapes at the fine nodes gives the equations of the coarse mesh exactly, from the one model of 20 elements.

use hamel::modal::{Modes, Reduced, flexible_velocities};
use hamel::scheme::StepError;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use nalgebra::DMatrix;

use super::{ELEMENTS, driven, impossible, strike};
use crate::claim::{Claim, Expected};
use crate::convergence::Convergence;
use crate::report::{Axis, Cell, Column, Curve, Figure, Report, Slope, Style, Table};

/// Numbers of elements, and for some the difference at the tip to 32 elements, m, and the first impulse, N s, of an
/// independent implementation.
const MESHES: [(usize, Option<(f64, f64)>); 5] = [
    (1, Some((6.049_674e-8, 0.011_471_063))),
    (2, Some((1.996_300e-8, 0.011_225_936))),
    (4, Some((2.000_992e-9, 0.011_124_946))),
    (5, None),
    (10, None),
];

pub(super) fn run() -> Result<Report, StepError> {
    let model = driven(|_| ());
    let error = |error: hamel::modal::ModalError| impossible(&model, &error.to_string());
    let length = FlexibleSliderCrankParameters::default().l2;
    let velocities = flexible_velocities(&model, "rod").map_err(error)?;
    let finest = strike(&model)?;
    let (mut claims, mut rows, mut differences) = (Vec::new(), Vec::new(), Vec::new());
    for (elements, independent) in MESHES {
        let shapes = Modes {
            velocities: velocities.clone(),
            frequencies: Vec::new(),
            shapes: shapes(elements, length / elements as f64),
        };
        let strike = strike(&Reduced::new(&model, &shapes).map_err(error)?)?;
        let difference = strike.difference(&finest);
        differences.push((1.0 / elements as f64, difference));
        rows.push(vec![
            Cell::number(elements as f64, 2),
            Cell::number(difference, 3),
            independent.map_or(Cell::Empty, |(difference, _)| Cell::number(difference, 3)),
            Cell::number(strike.impulse, 5),
            independent.map_or(Cell::Empty, |(_, impulse)| Cell::number(impulse, 5)),
        ]);
        let Some((other, impulse)) = independent else { continue };
        claims.push(Claim::new(
            format!("difference at the tip before the first impact, {elements} elements, over the independent one"),
            "1",
            Expected::Reference { value: 1.0, tolerance: 0.01 },
            difference / other,
        ));
        claims.push(Claim::new(
            format!("impulse of the first impact, {elements} elements"),
            "N s",
            Expected::Reference { value: impulse, tolerance: 5e-7 },
            strike.impulse,
        ));
    }
    let fine = Convergence::new(differences[2..].to_vec());
    claims.push(Claim::new(
        "order of the tip's motion before the first impact, from 4 to 10 elements",
        "1",
        Expected::Order { order: 4.0, tolerance: 0.3 },
        fine.fitted_order(),
    ));
    rows.push(vec![
        Cell::number(ELEMENTS as f64, 2),
        Cell::Empty,
        Cell::Empty,
        Cell::number(finest.impulse, 5),
        Cell::number(0.011_044_839, 5),
    ]);
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "meshes".into(),
            title: "Meshes of the rod, Bathe's scheme, Δt = 10⁻⁵ s".into(),
            columns: vec![
                Column::new("elements", "1"),
                Column::new("difference at the tip to 20 elements", "m"),
                Column::new("to 32 elements, independent", "m"),
                Column::new("first impulse", "N s"),
                Column::new("independent", "N s"),
            ],
            rows,
        }],
        figures: vec![Figure {
            slug: "meshes".into(),
            title: "Largest difference at the tip before the first impact [rezaei, Fig. 20]".into(),
            caption: "Fewer elements beside 20.".into(),
            x: Axis::log("length of an element over that of the rod", "1"),
            y: Axis::log("difference", "m"),
            curves: vec![Curve::new("Bathe", Style::LineAndMarkers, differences)],
            slopes: vec![Slope { slope: 4.0, through: (0.25, 4e-9), span: (0.1, 0.5) }],
        }],
        notes: vec![
            "The first impulse falls slowly with the length of the elements, since Newton's law acts on the mass that \
             moves with the last node alone. After it small impacts make motions chaotic: there is no order any more."
                .into(),
        ],
    })
}

/// The shapes of `elements` equal elements of this length at the nodes of the finest mesh, root clamped: linear along the
/// rod, Hermite's cubics across it, and their slopes.
fn shapes(elements: usize, length: f64) -> DMatrix<f64> {
    let parts = ELEMENTS / elements;
    let mut shapes = DMatrix::zeros(3 * ELEMENTS, 3 * elements);
    for node in 1..=ELEMENTS {
        let element = (node - 1) / parts;
        let x = (node - element * parts) as f64 / parts as f64;
        let row = 3 * (node - 1);
        let cubics = [
            ((1.0 - x).powi(2) * (1.0 + 2.0 * x), length * x * (1.0 - x).powi(2)),
            (x * x * (3.0 - 2.0 * x), length * x * x * (x - 1.0)),
        ];
        let slopes = [
            (6.0 * x * (x - 1.0) / length, (1.0 - x) * (1.0 - 3.0 * x)),
            (6.0 * x * (1.0 - x) / length, x * (3.0 * x - 2.0)),
        ];
        let along = [1.0 - x, x];
        for end in 0..2 {
            // The root does not move.
            let Some(column) = (element + end).checked_sub(1).map(|free| 3 * free) else { continue };
            shapes[(row, column)] = along[end];
            (shapes[(row + 1, column + 1)], shapes[(row + 1, column + 2)]) = cubics[end];
            (shapes[(row + 2, column + 1)], shapes[(row + 2, column + 2)]) = slopes[end];
        }
    }
    shapes
}
