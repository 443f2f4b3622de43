//! Motion of the slider-crank with a flexible rod: Table 2, and Table 1 with a nearly rigid rod. [rezaei, Figs. 20-25, 32]

use hamel::scheme::StepError;
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;

use super::{STEP, bathe, contact, driven, follow};
use crate::claim::{Claim, Expected};
use crate::report::{Axis, Cell, Column, Curve, Figure, Report, Style, Table};

/// θ₁ and θ₂ of an independent implementation, rad, at these times, s.
const STATES: [(f64, f64, f64); 3] =
    [(0.01, 0.070533, -0.036878), (0.05, 0.947781, -0.416352), (0.1, 3.002707, -0.070908)];
/// Place of the slider with a rigid rod, of another independent implementation, Table 1, m.
const RIGID: [(f64, f64, f64); 5] = [
    (0.01, 0.369322562546876, 0.0010000073178780405),
    (0.02, 0.2590618808733813, 0.00084169063494971),
    (0.03, 0.1665409986646606, -0.0010000604063560847),
    (0.04, 0.17823737538064202, 0.0009373129529489793),
    (0.05, 0.27713002557689714, 0.000999827346325033),
];

pub(super) fn run() -> Result<Report, StepError> {
    let (mut claims, motion) = table_2()?;
    let (stiff, table) = nearly_rigid()?;
    claims.extend(stiff);
    Ok(Report { claims, tables: vec![table], figures: vec![motion], ..Report::default() })
}

fn table_2() -> Result<(Vec<Claim>, Figure), StepError> {
    let model = driven(|_| ());
    let mut impacts: Vec<(f64, f64)> = Vec::new();
    let (mut angles, mut forces, mut states) = (Vec::new(), Vec::new(), Vec::new());
    let (mut known, mut violation, mut least_loss) = (0, 0.0, 0.0);
    let mut step = 0_u64;
    follow(&model, bathe()?.as_ref(), 0.1, |stepper| {
        step += 1;
        let (state, (count, force)) = (stepper.state(), contact(stepper));
        if let Some(record) = stepper.contacts() {
            if count > known {
                impacts.push((state.t, record.impulses.iter().step_by(2).sum()));
                known = count;
            }
            (violation, least_loss) = (record.violation, record.least_loss);
        }
        if step.is_multiple_of(20) {
            angles.push((state.t, state.q[0]));
            forces.push((state.t, force));
        }
        if STATES.iter().any(|(t, ..)| (state.t - t).abs() < 0.5 * STEP) {
            states.push((state.q[0], state.q[1]));
        }
    })?;
    let (first, impulse) = impacts.first().copied().unwrap_or_default();
    let mut claims = vec![
        Claim::new(
            "first impact, Table 2, 20 elements, Bathe, Δt = 10⁻⁵ s",
            "s",
            Expected::Reference { value: 0.00753, tolerance: 1.01e-5 },
            first,
        ),
        Claim::new(
            "impulse of the first impact, both corners",
            "N s",
            Expected::Reference { value: 0.011045, tolerance: 1e-4 },
            impulse,
        ),
        Claim::new("least energy that an impact takes", "J", Expected::AtLeast(-1e-12), least_loss),
        Claim::new("largest violation of the laws of contact", "m/s", Expected::AtMost(1e-12), violation),
        Claim::new("impacts to 0.1 s (102 elsewhere; chaotic)", "1", Expected::Timing, impacts.len() as f64),
    ];
    for ((t, theta1, theta2), found) in STATES.iter().zip(&states) {
        for (name, expected, found) in [("θ₁", *theta1, found.0), ("θ₂", *theta2, found.1)] {
            let expected = Expected::Reference { value: expected, tolerance: 1e-3 };
            claims.push(Claim::new(format!("{name} at {t} s"), "rad", expected, found));
        }
    }
    let motion = Figure {
        slug: "contact_force".into(),
        title: "Contact force with a flexible rod, Table 2 [rezaei, Fig. 32]".into(),
        caption: "Sum over the corners, Bathe's scheme.".into(),
        x: Axis::linear("t", "s"),
        y: Axis::linear("force", "N"),
        curves: vec![Curve::new("normal force", Style::Line, forces), Curve::new("θ₁, rad", Style::Dashed, angles)],
        slopes: Vec::new(),
    };
    Ok((claims, motion))
}

/// E = 10¹⁵ Pa, Table 1.
fn nearly_rigid() -> Result<(Vec<Claim>, Table), StepError> {
    let parameters = FlexibleSliderCrankParameters { elasticity: 1e15, ..Default::default() };
    let (l1, l2) = (parameters.l1, parameters.l2);
    let model = FlexibleSliderCrank::new(parameters);
    let n = hamel::Model::dims(&model).nq;
    let mut rows = Vec::new();
    let mut largest: f64 = 0.0;
    follow(&model, bathe()?.as_ref(), 0.05, |stepper| {
        let state = stepper.state();
        let Some(&(t, x, y)) = RIGID.iter().find(|(t, ..)| (state.t - t).abs() < 0.5 * STEP) else { return };
        let (q, bent) = (&state.q, state.q[n - 3]);
        let (along, across) = (l2 + state.q[n - 4], bent);
        let place = (
            l1 * q[0].cos() + along * q[1].cos() - across * q[1].sin(),
            l1 * q[0].sin() + along * q[1].sin() + across * q[1].cos(),
        );
        largest = largest.max((place.0 - x).abs()).max((place.1 - y).abs());
        rows.push([t, place.0, x, place.1, y].map(|value| Cell::number(value, 5)).to_vec());
    })?;
    let claim = Claim::new(
        "largest difference of the slider's place, E = 10¹⁵ Pa and rigid, Table 1",
        "m",
        Expected::AtMost(2e-3),
        largest,
    )
    .in_words("the flexible rod with a large modulus moves as the rigid one");
    let table = Table {
        slug: "nearly_rigid".into(),
        title: "Place of the slider, rod of E = 10¹⁵ Pa beside a rigid one [rezaei, Figs. 20, 21]".into(),
        columns: ["t", "x", "x, rigid", "y", "y, rigid"]
            .iter()
            .map(|name| Column::new(*name, if *name == "t" { "s" } else { "m" }))
            .collect(),
        rows,
    };
    Ok((vec![claim], table))
}
