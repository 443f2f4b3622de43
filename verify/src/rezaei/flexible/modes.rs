//! Natural frequencies of the rod, and how many modes its motion needs. [rezaei, Sec. 4.5]

use hamel::modal::Reduced;
use hamel::scheme::StepError;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Proof, Report, Style, Table, at_most};

use super::{driven, impossible, rod_modes, strike};

/// Frequencies of an independent implementation, Hz.
const FREQUENCIES: [f64; 5] = [2659.485624, 4138.070598, 12439.750264, 16666.745977, 20818.191939];
/// Largest frequency of the paper's estimate, Hz.
const EFFECTIVE: f64 = 1e7;
/// Numbers of modes, and the difference at the tip that an independent implementation found, m.
const COUNTS: [(usize, f64); 7] = [
    (1, 1.670_266e-7),
    (5, 3.528_216e-8),
    (10, 1.992_269e-8),
    (20, 5.632_113e-9),
    (35, 2.004_345e-10),
    (52, 1.648_996e-11),
    (60, 1.560_125e-17),
];

pub(super) fn run() -> Result<Report, StepError> {
    let model = driven(|_| ());
    let modes = rod_modes()?;
    let whole = strike(&model)?;
    let mut rows = Vec::new();
    let mut differences = Vec::new();
    for (count, found) in COUNTS {
        let chosen = modes.lowest(count).map_err(|error| impossible(&model, &error.to_string()))?;
        let reduced = Reduced::new(&model, &chosen).map_err(|error| impossible(&model, &error.to_string()))?;
        let difference = strike(&reduced)?.difference(&whole);
        differences.push(difference);
        rows.push(vec![
            Cell::number(count as f64, 2),
            Cell::number(modes.frequencies[count - 1], 6),
            Cell::number(difference, 2),
            Cell::number(found, 2),
        ]);
    }

    let mut claims = vec![
        Claim::new(
            "modes of 20 elements up to 10⁷ Hz, clamped at one end",
            "1",
            Expected::Printed { text: "52", tolerance: 0.0 },
            modes.count_below(EFFECTIVE) as f64,
        ),
        Claim::new(
            "modes of 20 elements, clamped at one end",
            "1",
            Expected::Theory { value: 60.0, tolerance: 0.0 },
            modes.frequencies.len() as f64,
        )
        .refutes(
            "63 modes",
            Proof::Algebra,
            "Eq. 183 counts 3 (20 + 1) = 63 coordinates with those of the clamped node, which are held. With 21 elements, which \
             would have 63, there are 53 modes up to 10⁷ Hz and not the 52 that are printed.",
        ),
    ];
    for (k, (found, expected)) in modes.frequencies.iter().zip(FREQUENCIES).enumerate() {
        let expected = Expected::Reference { value: expected, tolerance: 5e-7 };
        claims.push(Claim::new(format!("frequency of mode {}", k + 1), "Hz", expected, *found));
    }
    for ((count, found), difference) in COUNTS.iter().zip(&differences).filter(|((count, _), _)| *count < 60) {
        let what = format!("difference at the tip before the first impact, {count} modes, over the independent one");
        let expected = Expected::Reference { value: 1.0, tolerance: 5e-6 };
        claims.push(Claim::new(what, "1", expected, difference / found));
    }
    claims.push(
        Claim::new(
            "the same difference with all 60 modes",
            "m",
            at_most(1e-18, Origin::Rounding("of the displacements of the tip")),
            differences[COUNTS.len() - 1],
        )
        .in_words("modal and full finite elements are in good agreement"),
    );
    let curve = COUNTS.iter().zip(&differences).map(|(&(count, _), &difference)| (count as f64, difference)).collect();
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "modes".into(),
            title: "Modes of the rod alone, Bathe's scheme, Δt = 10⁻⁵ s".into(),
            columns: vec![
                Column::new("modes", "1"),
                Column::new("highest frequency", "Hz"),
                Column::new("difference at the tip", "m"),
                Column::new("independent", "m"),
            ],
            rows,
        }],
        figures: vec![Figure {
            slug: "modes".into(),
            title: "Largest difference at the tip before the first impact".into(),
            caption: "Modal reduction beside all nodal coordinates.".into(),
            x: Axis::linear("modes", "1"),
            y: Axis::log("difference", "m"),
            curves: vec![Curve::new("Bathe", Style::LineAndMarkers, curve)],
            slopes: Vec::new(),
        }],
        notes: vec!["After the first impact differences grow chaotically, as the text says.".into()],
    })
}
