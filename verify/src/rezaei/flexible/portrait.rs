//! Motion of the slider with few and with many modes of the rod. [rezaei, Sec. 4.5, Figs. 30, 31]

use hamel::Model;
use hamel::modal::Reduced;
use hamel::scheme::StepError;
use hamel_report::{Cell, Claim, Column, Expected, Origin, Report, Table, at_least, at_most};

use super::trace::{Trace, contact_force, path};
use super::{BEFORE_IMPACT, STEP, bathe, driven, impossible, rod_modes};
use crate::origins::SOME;

/// Until small impacts have begun, s.
const UNTIL: f64 = 0.02;
/// Numbers of modes; with all of them the motion is that of the nodes.
const COUNTS: [usize; 5] = [1, 5, 20, 52, 60];
/// Impulse of the first impact, N s, of an independent implementation.
const IMPULSES: [f64; 5] = [0.012_213_606, 0.011_703_366, 0.011_302_044, 0.011_065_350, 0.011_044_839];

/// The tip carries the slider: its height differs by no more than what the tip moves across the rod, 1.648996·10⁻¹¹ m.
const ACROSS: Origin = Origin::Independent("an implementation in Python: what the tip moves across the rod differs so");

pub(super) fn run() -> Result<Report, StepError> {
    let model = driven(|_| ());
    let modes = rod_modes()?;
    let trace = |name: String, model: &dyn Model| Trace::new(name, model, bathe()?.as_ref(), [STEP, UNTIL], 2);
    let mut traces = Vec::new();
    for count in COUNTS {
        let reduced = modes.lowest(count).and_then(|chosen| Reduced::new(&model, &chosen));
        let reduced = reduced.map_err(|error| impossible(&model, &error.to_string()))?;
        traces.push(trace(format!("{count} modes"), &reduced)?);
    }
    traces.push(trace("finite elements".into(), &model)?);
    let Some((whole, modal)) = traces.split_last() else { return Ok(Report::default()) };

    let mut claims = Vec::new();
    for (trace, value) in modal.iter().zip(IMPULSES) {
        let expected = Expected::Reference { value, tolerance: 5e-10 };
        claims.push(Claim::new(format!("impulse of the first impact, {}", trace.name), "N s", expected, trace.impulse));
    }
    let (all, half) = (&modal[4], &modal[3]);
    let height = |trace: &Trace, until: f64| trace.difference(whole, until, |sample| sample.center[1]);
    claims.push(
        Claim::new(
            "height of the slider before the first impact, 52 modes and finite elements",
            "m",
            at_most(1.648_996e-11, ACROSS),
            height(half, BEFORE_IMPACT),
        )
        .in_words("in good agreement"),
    );
    claims.push(Claim::new(
        "height of the slider to 0.02 s, all 60 modes and finite elements",
        "m",
        at_most(5e-16, Origin::Rounding("of coordinates of the order of a metre")),
        height(all, UNTIL),
    ));
    claims.push(
        Claim::new(
            "largest contact force to 0.02 s, all 60 modes over finite elements",
            "1",
            Expected::Theory { value: 1.0, tolerance: 2e-12 },
            all.peak() / whole.peak(),
        )
        .in_words("modal and full finite elements are in good agreement"),
    );
    claims.push(
        Claim::new(
            "largest difference of the slider's height after the impact over that before, 5 modes",
            "1",
            at_least(1000.0, SOME),
            height(&modal[1], UNTIL) / height(&modal[1], BEFORE_IMPACT),
        )
        .in_words("after an impact more modes are needed than before"),
    );
    let row = |trace: &Trace| {
        vec![
            trace.name.clone().into(),
            Cell::number(height(trace, BEFORE_IMPACT), 3),
            Cell::number(height(trace, UNTIL), 3),
            Cell::number(trace.peak(), 4),
            Cell::number(trace.impacts.len() as f64, 3),
        ]
    };
    let caption = "Table 2, tangent frame, Bathe's scheme, Δt = 10⁻⁵ s.";
    let portrait = path("fig30", "Fig. 30: portrait of the slider's centre", caption, &traces);
    let force = contact_force("fig31", "Fig. 31", caption, &traces);
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "modes".into(),
            title: "Modes of the rod beside finite elements".into(),
            columns: vec![
                Column::text("rod"),
                Column::new("difference of the slider's height before the impact", "m"),
                Column::new("to 0.02 s", "m"),
                Column::new("largest contact force", "N"),
                Column::new("impacts", "1"),
            ],
            rows: traces.iter().map(row).collect(),
        }],
        figures: vec![portrait, force],
        notes: vec!["What Fig. 30 calls a portrait is not said; here it is the path of the slider's centre.".into()],
    })
}
