//! Modes of the rod in a tangent and in a pinned frame. [rezaei, App. C.8, Fig. 32]

use hamel::modal::{self, Modes, Reduced};
use hamel::scheme::StepError;
use hamel::{Model, Signal, State};
use hamel_models::FlexibleSliderCrankPinned;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankPinnedParameters;
use hamel_report::{Axis, Cell, Claim, Column, Expected, Origin, Report, Table, at_least, at_most};
use nalgebra::DMatrix;

use super::super::driven::table_2;
use super::trace::{Trace, contact_force, over_time};
use super::{BEFORE_IMPACT, SAME_STEP, STEP, bathe, driven, impossible, rod_modes, strike};
use crate::origins::SOME;

/// Until small impacts have begun, s.
const UNTIL: f64 = 0.015;
/// Few modes, so that their shapes matter.
const COUNT: usize = 10;
/// What "similar" leaves open.
const NEARER: Origin = Origin::Chosen("“Similar” is no number: nearer than without modes.");
/// Frequencies of an independent implementation, Hz.
const FREQUENCIES: [f64; 5] = [4138.070598, 7465.292013, 12439.750264, 20818.191939, 29325.004701];

/// The mechanism of Table 2 in a pinned frame.
fn pinned(change: impl FnOnce(&mut FlexibleSliderCrankPinnedParameters)) -> FlexibleSliderCrankPinned {
    let mut parameters = FlexibleSliderCrankPinnedParameters {
        speed: 0.0,
        c: 5e-4,
        restitution: 0.1,
        friction: 0.1,
        ..Default::default()
    };
    change(&mut parameters);
    let mut model = FlexibleSliderCrankPinned::new(parameters);
    model.inputs.drive = Signal::from(1.0);
    model
}

/// Modes of the rod alone between its two ends: the frame is held, and the angle of the joint at the root turns with the
/// first node.
fn pinned_modes() -> Result<Modes, StepError> {
    let light = pinned(|parameters| parameters.m3 = 1e-18);
    let fail = |reason: &str| impossible(&light, reason);
    let info = light.describe();
    let velocities = modal::flexible_velocities(&light, "rod").map_err(|error| fail(&error.to_string()))?;
    let place = |name: &str| info.velocities.iter().position(|channel| channel.name == name);
    let (Some(angle), Some(root)) = (place("theta2"), place("rod[0].angle")) else {
        return Err(fail("a pinned frame has an angle at the root"));
    };
    let mut motions = DMatrix::zeros(info.velocities.len(), velocities.len());
    for (column, velocity) in velocities.clone().enumerate() {
        motions[(velocity, column)] = 1.0;
    }
    motions[(angle, root - velocities.start)] = 1.0;
    let mut state = State::zeros(light.dims());
    light.reference_configuration(state.q.as_mut_slice());
    let (mut mass, mut stiffness) = (vec![0.0; info.mass_matrix.nnz()], vec![0.0; info.stiffness.nnz()]);
    light.mass_matrix(state.q.as_slice(), &mut mass);
    light.stiffness(&state, &mut stiffness);
    let projected = |matrix: DMatrix<f64>| motions.transpose() * matrix * &motions;
    let (mass, stiffness) = (info.mass_matrix.to_dense(&mass), info.stiffness.to_dense(&stiffness));
    Modes::of(velocities, projected(mass), &projected(stiffness)).map_err(|error| fail(&error.to_string()))
}

/// By how much the two frames differ before the first impact, of what the tip moves across the rod, with this share of
/// the section's height.
fn disagreement(share: f64) -> Result<f64, StepError> {
    let FlexibleSliderCrankPinnedParameters { m2, l2, j2, .. } = FlexibleSliderCrankPinnedParameters::default();
    // J = m (l² + D²)/12.
    let inertia = m2 * l2 * l2 / 12.0 + share * share * (j2 - m2 * l2 * l2 / 12.0);
    let (tangent, pinned) =
        (driven(|parameters| parameters.j2 = inertia), pinned(|parameters| parameters.j2 = inertia));
    let trace = |model: &dyn Model| Trace::new("", model, bathe()?.as_ref(), [STEP, BEFORE_IMPACT], 1);
    let bending = strike(&tangent)?.bending.into_iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let difference = trace(&tangent)?.difference(&trace(&pinned)?, BEFORE_IMPACT, |sample| sample.center[1]);
    Ok(difference / bending)
}

pub(super) fn run() -> Result<Report, StepError> {
    let (tangent, pinned) = (driven(|_| ()), pinned(|_| ()));
    let modes = [rod_modes()?, pinned_modes()?];
    let models: [&dyn Model; 2] = [&tangent, &pinned];
    let trace = |name: &str, model: &dyn Model| Trace::new(name, model, bathe()?.as_ref(), [STEP, UNTIL], 1);
    let reduced = |k: usize, name: &str| {
        let reduced = modes[k].lowest(COUNT).and_then(|chosen| Reduced::new(models[k], &chosen));
        trace(name, &reduced.map_err(|error| impossible(models[k], &error.to_string()))?)
    };
    let traces = [
        trace("finite elements, tangent", &tangent)?,
        trace("finite elements, pinned", &pinned)?,
        reduced(0, "10 modes, tangent")?,
        reduced(1, "10 modes, pinned")?,
    ];
    let [whole, other, by_tangent, by_pinned] = &traces;

    let mut claims = Vec::new();
    for (k, (found, expected)) in modes[1].frequencies.iter().zip(FREQUENCIES).enumerate() {
        let expected = Expected::Reference { value: expected, tolerance: 5e-7 };
        claims.push(Claim::new(format!("frequency of mode {} in a pinned frame", k + 1), "Hz", expected, *found));
    }
    claims.push(
        Claim::new(
            "lowest frequency in a pinned frame over that in a tangent one",
            "1",
            at_least(1.1, SOME),
            modes[1].frequencies[0] / modes[0].frequencies[0],
        )
        .in_words("other conditions have other modes and frequencies"),
    );
    for (what, share, bound) in [("as high as Table 1 gives", 1.0, 0.2), ("twenty times lower", 0.05, 0.01)] {
        claims.push(Claim::new(
            format!(
                "difference of the slider's height before the impact in both frames over the bending, section {what}"
            ),
            "1",
            at_most(
                bound,
                Origin::Chosen("The frames differ by what linear strains leave out, more with a higher section."),
            ),
            disagreement(share)?,
        ));
    }
    for trace in [other, by_tangent, by_pinned] {
        let first = trace.impacts.first().copied().unwrap_or(f64::NAN);
        let expected = Expected::Reference { value: 0.00753, tolerance: SAME_STEP };
        claims.push(
            Claim::new(format!("first impact, {}", trace.name), "s", expected, first).in_words("the same impact"),
        );
    }
    let apart = |trace: &Trace| trace.difference(whole, UNTIL, |sample| sample.center[1]);
    let rigid = trace("rigid", &table_2())?;
    for trace in [by_tangent, by_pinned] {
        claims.push(
            Claim::new(
                format!(
                    "largest difference of the slider's height to finite elements, {}, over that of a rigid rod",
                    trace.name
                ),
                "1",
                at_most(1.0, NEARER),
                apart(trace) / apart(&rigid),
            )
            .in_words("the general pattern is similar"),
        );
    }
    let row = |trace: &Trace| {
        vec![
            trace.name.clone().into(),
            Cell::number(trace.difference(whole, BEFORE_IMPACT, |sample| sample.center[1]), 3),
            Cell::number(apart(trace), 3),
            Cell::number(trace.peak(), 4),
            Cell::number(trace.impacts.len() as f64, 3),
        ]
    };
    let caption = "Table 2, Bathe's scheme, Δt = 10⁻⁵ s.";
    let height = Axis::linear("height", "m");
    let figures = vec![
        over_time("fig32_height", "Fig. 32: height of the slider's centre", caption, height, &traces, |sample| {
            sample.center[1]
        }),
        contact_force("fig32_force", "Fig. 32", caption, &traces),
    ];
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "frames".into(),
            title: "Motions in both frames beside finite elements in a tangent one".into(),
            columns: vec![
                Column::text("rod"),
                Column::new("difference of the slider's height before the impact", "m"),
                Column::new("to 0.015 s", "m"),
                Column::new("largest contact force", "N"),
                Column::new("impacts", "1"),
            ],
            rows: traces.iter().map(row).collect(),
        }],
        figures,
        notes: vec![
            "What Fig. 32 shows of the motion, and with how many modes, is not said. The two frames are not quite the same \
             model: cross-sections turn with the frame, and those of Table 1 are as high as the rod is long."
                .into(),
        ],
    })
}
