//! Modes with both ends free and with one end held by a joint, and what they decouple. [rezaei, App. D, Figs. 44, 45]

use std::f64::consts::{PI, SQRT_2};

use hamel::Model;
use hamel::modal::Modes;
use hamel::scheme::StepError;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Proof, Report, Style, Table, at_most};
use nalgebra::DMatrix;

use super::beam_modes::{ELEMENTS, FreeBeam, Held, HingedBeam, Printed, compiled};
use super::material::{NODE, Shapes};
use crate::convergence::{largest, richardson};
use crate::rezaei::mechanism::order;

/// Modes that are compared with closed forms.
const COMPARED: usize = 4;
/// Sizes of elements whose errors show an order.
const SIZES: [f64; 2] = [2.0 / ELEMENTS as f64, 1.0 / ELEMENTS as f64];
const SECOND: usize = 1;

pub(super) fn run() -> Result<Report, StepError> {
    let cases: [(Held, Box<dyn Model>); 2] =
        [(Held::Nowhere, Box::new(FreeBeam::default())), (Held::AtOneEnd, Box::new(HingedBeam::default()))];
    let mut report = Report::default();
    for (held, model) in &cases {
        let printed = Printed::new(*held, ELEMENTS)?;
        let coarse = Printed::new(*held, ELEMENTS / 2)?;
        let (by_model, shapes) = compiled(&**model)?;
        frequency_claims(&mut report, *held, [&coarse, &printed], &by_model);
        shape_claims(&mut report, *held, [&coarse, &printed], &shapes);
        decoupling_claims(&mut report, *held, &printed);
        report.tables.push(table(*held, &printed, &by_model));
        report.figures.push(figure(*held, &printed));
    }
    report.claims.push(coupling_claim()?);
    report.notes = vec![
        "r φ in the second condition of Eq. 191 is read as the moment r × φ, which Eq. 140 needs; r · φ of modes along the \
         beam does not vanish."
            .into(),
        "Free-free modes decouple the mass matrix of a straight beam. Of a bent one S̃ couples modes along and across it \
         with the frame's angle."
            .into(),
    ];
    Ok(report)
}

/// What is left of a frequency that is zero: the root of rounding of the largest square.
fn frequency_claims(report: &mut Report, held: Held, [coarse, printed]: [&Printed; 2], by_model: &Modes) {
    let name = held.name();
    let [rigid, rigid_along] = held.rigid();
    let frequencies = &printed.across.modes.frequencies;
    let zeros = frequencies[..rigid].iter().chain(&printed.along.modes.frequencies[..rigid_along]);
    let claim = Claim::new(
        format!("largest frequency that is zero, of {}, over the next one, {name}", rigid + rigid_along),
        "1",
        at_most(1e-4, Origin::Rounding("of squares of frequencies: its root")),
        largest(zeros.copied()) / frequencies[rigid],
    );
    report.claims.push(match held {
        Held::Nowhere => claim.in_words("the first three eigenvalues are equal to zero"),
        Held::AtOneEnd => claim,
    });
    for k in 0..COMPARED {
        let beta = held.root(k);
        let value = beta * beta;
        let found = printed.across.modes.frequencies[rigid + k];
        let what = format!("angular frequency of bending mode {}, {name}", k + 1);
        // Cubic elements: ω² is (βh)⁴/720 too large, and higher powers.
        let share = (beta / ELEMENTS as f64).powi(4) / 1440.0;
        let expected = Expected::Theory { value, tolerance: 1.2 * share * value };
        report.claims.push(Claim::new(what, "rad/s", expected, found));
    }
    let value = held.root(0).powi(2);
    let errors = [coarse, printed].map(|case| case.across.modes.frequencies[rigid] - value);
    report.claims.push(Claim::new(
        format!("order of the error of the first with the size of elements, {name}"),
        "1",
        Expected::Order { order: 4.0, tolerance: 0.1 },
        order(errors, SIZES),
    ));
    let apart = (0..COMPARED).map(|k| by_model.frequencies[rigid + k] / frequencies[rigid + k] - 1.0);
    report.claims.push(
        Claim::new(
            format!(
                "the first {COMPARED} by the compiled model in a tangent frame, largest relative difference, {name}"
            ),
            "1",
            at_most(1e-8, Origin::Rounding("of squares of frequencies, of which the largest are 10⁵ times these")),
            largest(apart),
        )
        .in_words("two sets of modes associated with two sets of boundary conditions obtain the same solution"),
    );
    let along = (0..COMPARED).map(|k| {
        // Linear elements with their own mass matrix, exactly.
        let phase = held.wave(k) / ELEMENTS as f64;
        let square = 6.0 * (1.0 - phase.cos()) / (2.0 + phase.cos()) * (ELEMENTS as f64).powi(2);
        printed.along.modes.frequencies[rigid_along + k] / square.sqrt() - 1.0
    });
    report.claims.push(Claim::new(
        format!("the first {COMPARED} along the beam, largest relative difference to those of linear elements, {name}"),
        "1",
        at_most(1e-12, Origin::Rounding("of squares of frequencies")),
        largest(along),
    ));
}

/// y of the nodes in a mode, with the sign of its last one.
fn deflections(printed: &Printed, mode: usize) -> Vec<f64> {
    let vector = printed.vector(&printed.across, mode);
    let y: Vec<f64> = vector.iter().skip(1).step_by(NODE).copied().collect();
    signed(y)
}

fn signed(y: Vec<f64>) -> Vec<f64> {
    let sign = y.last().map_or(1.0, |last| last.signum());
    y.into_iter().map(|y| sign * y).collect()
}

fn shape_claims(report: &mut Report, held: Held, [coarse, printed]: [&Printed; 2], by_model: &DMatrix<f64>) {
    let name = held.name();
    let [rigid, _] = held.rigid();
    let difference = |case: &Printed, of: &dyn Fn(usize, usize) -> Vec<f64>| {
        largest((0..COMPARED).flat_map(|k| {
            let found = deflections(case, rigid + k);
            let others = signed(of(k, found.len() - 1));
            found.into_iter().zip(others).map(|(a, b)| a - b).collect::<Vec<_>>()
        }))
    };
    let exact = |k: usize, n: usize| (0..=n).map(|node| held.mode(k, node as f64 / n as f64)).collect();
    let model = |k: usize, _: usize| by_model.column(rigid + k).iter().copied().collect();
    let errors = [coarse, printed].map(|case| difference(case, &exact));
    report.claims.push(Claim::new(
        format!("shapes of the first {COMPARED} at the nodes, largest difference to the closed form, {name}"),
        "1",
        at_most(1e-3, Origin::Chosen("What cubic elements leave, which falls with the fourth power of their size.")),
        errors[1],
    ));
    report.claims.push(Claim::new(
        format!("order of this difference with the size of elements, {name}"),
        "1",
        Expected::Order { order: 4.0, tolerance: 0.3 },
        order(errors, SIZES),
    ));
    report.claims.push(Claim::new(
        format!("the same shapes by the compiled model, largest difference, {name}"),
        "1",
        at_most(1e-7, Origin::Rounding("of squares of frequencies, of which the largest are 10⁵ times these")),
        difference(printed, &model),
    ));
    if held == Held::Nowhere {
        let ends = deflections(printed, rigid);
        let expected = Expected::Theory { value: 2.0, tolerance: 1e-5 };
        report.claims.push(
            Claim::new("deflection of the ends in the first mode, √∫ φ² being one", "1", expected, ends[0])
                .in_words("the deformation at the two ends of the beam does not vanish"),
        );
    }
}

/// Eqs. 190 and 191.
fn decoupling_claims(report: &mut Report, held: Held, printed: &Printed) {
    let name = held.name();
    let Shapes { s_bar, i3, i4, .. } = &printed.shapes;
    let rounding = Origin::Rounding("of modes of all frequencies");
    let momentum = printed.largest(held, |mode| (s_bar * mode).amax());
    let moment = printed.largest(held, |mode| (i4 * mode)[0]);
    let second = |what: String, words: &str| Claim::new(what, "1", at_most(1e-10, rounding), moment).in_words(words);
    match held {
        Held::Nowhere => {
            report.claims.push(
                Claim::new(
                    "∫ρφ of all modes, the largest, both ends free, Eq. 191",
                    "1",
                    at_most(1e-10, rounding),
                    momentum,
                )
                .in_words("the free-free modes satisfy the condition above"),
            );
            let what = "∫ρ r × φ about the centre of mass of all modes, the largest, both ends free, Eq. 191";
            report.claims.push(second(what.into(), "the free-free modes satisfy the condition above"));
            let lowest = printed.vector(&printed.along, 1);
            report.claims.push(Claim::new(
                "∫ρ r · φ of the first mode along the beam, both ends free: not zero",
                "1",
                Expected::Theory { value: 2.0 * SQRT_2 / (PI * PI), tolerance: 1e-6 },
                (i3 * lowest)[0].abs(),
            ));
        }
        Held::AtOneEnd => {
            let what = "∫ρ r × φ about the joint of all modes, the largest, one end held, Eq. 191";
            report.claims.push(second(what.into(), "satisfying the second condition in Eq. 191"));
            let beta = held.root(0);
            let value = ((0.5 * beta).tan() + (0.5 * beta).tanh()).abs() / beta;
            let lowest = printed.vector(&printed.across, 1);
            report.claims.push(
                Claim::new(
                    format!("∫ρφ of the first bending mode, {name}"),
                    "1",
                    Expected::Theory { value, tolerance: 2e-8 },
                    (s_bar * lowest)[1].abs(),
                )
                .in_words("partially decoupling"),
            );
        }
    }
}

/// S̃ between the first bending mode and the second one along the beam, which both satisfy Eq. 191.
fn coupling_claim() -> Result<Claim, StepError> {
    let coupling = |elements: usize| -> Result<f64, StepError> {
        let printed = Printed::new(Held::Nowhere, elements)?;
        let [rigid, rigid_along] = Held::Nowhere.rigid();
        let across = printed.vector(&printed.across, rigid);
        let along = printed.vector(&printed.along, rigid_along + SECOND);
        Ok(along.dot(&(&printed.shapes.s_tilde * across)).abs())
    };
    let beta = Held::Nowhere.root(0);
    let sigma = (beta.cosh() - beta.cos()) / (beta.sinh() - beta.sin());
    let wave = Held::Nowhere.wave(SECOND);
    // ∫ √2 cos kx Y with Y⁗ = β⁴ Y and Y″ = Y‴ = 0 at the ends, by parts.
    let value = SQRT_2 * 4.0 * wave * wave * beta * sigma / (wave.powi(4) - beta.powi(4));
    // The error of linear elements falls with the square of their size.
    let limit = richardson(coupling(ELEMENTS / 2)?, coupling(ELEMENTS)?, 2);
    let expected = Expected::Theory { value, tolerance: 5e-5 };
    let what = "S̃ of Eq. 140 between the first bending mode and the second along the beam, both ends free";
    Ok(Claim::new(what, "1", expected, limit).refutes(
        "the integrals in Eqs. 131 and 140 vanish if Eq. 191 holds",
        Proof::ClosedForm,
        "Both modes satisfy Eq. 191, by symmetry about the centre of mass and by their orthogonality to rigid motions. \
         ∫ √2 cos(2πx/l) Y₁ is not zero: what vanishes are S̄, I₁ and I₄.",
    ))
}

fn table(held: Held, printed: &Printed, by_model: &Modes) -> Table {
    let [rigid, rigid_along] = held.rigid();
    let row = |k: usize| {
        vec![
            Cell::number((k + 1) as f64, 1),
            Cell::number(held.root(k).powi(2), 8),
            Cell::number(printed.across.modes.frequencies[rigid + k], 8),
            Cell::number(by_model.frequencies[rigid + k], 8),
            Cell::number(held.wave(k), 6),
            Cell::number(printed.along.modes.frequencies[rigid_along + k], 6),
        ]
    };
    Table {
        slug: slug(held).into(),
        title: format!("Angular frequencies of a beam of unit length, mass and stiffness, {}", held.name()),
        columns: vec![
            Column::new("mode", "1"),
            Column::new("bending, closed form", "rad/s"),
            Column::new("printed matrices", "rad/s"),
            Column::new("compiled model", "rad/s"),
            Column::new("along the beam, closed form", "rad/s"),
            Column::new("printed matrices, along", "rad/s"),
        ],
        rows: (0..COMPARED).map(row).collect(),
    }
}

fn slug(held: Held) -> &'static str {
    match held {
        Held::Nowhere => "fig44",
        Held::AtOneEnd => "fig45",
    }
}

fn figure(held: Held, printed: &Printed) -> Figure {
    let [rigid, _] = held.rigid();
    let curve = |k: usize| {
        let y = deflections(printed, rigid + k);
        let points = y.into_iter().enumerate().map(|(node, y)| (node as f64 / ELEMENTS as f64, y)).collect();
        Curve::new(format!("mode {}", k + 1), Style::LineAndMarkers, points)
    };
    let (number, caption) = match held {
        Held::Nowhere => (44, "Both ends free; the frame is at the centre of mass, and its axis is y = 0."),
        Held::AtOneEnd => (45, "One end held by a joint; the axis of the frame is y = 0."),
    };
    Figure {
        slug: slug(held).into(),
        title: format!("Fig. {number}: bending modes"),
        caption: caption.into(),
        x: Axis::linear("x/l", "1"),
        y: Axis::linear("φ", "1"),
        curves: (0..3).map(curve).collect(),
        slopes: Vec::new(),
    }
}
