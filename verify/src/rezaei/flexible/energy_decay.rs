//! ED-α and Bathe's scheme with long steps. [rezaei, Sec. 4.3, Figs. 28, 29]

use hamel::scheme::{Scheme, StepError};
use hamel::schemes;
use hamel_report::{Axis, Claim, Expected, Origin, Report, at_most};

use super::super::driven::FIRST_ORDER;
use super::trace::{Trace, contact_force, over_time};
use super::{bathe, driven};

/// Step and length of the motions, s.
const STEP: f64 = 1e-4;
const UNTIL: f64 = 0.5;
/// Until here small impacts have not yet made the motions differ, s.
const ALIKE: f64 = 0.2;
/// How far apart ω₁ and ω₂ of both schemes are to the end, of their largest values.
const APART: [f64; 2] = [0.1044, 0.1596];
/// When the contact stays closed between small impacts, s.
const CLOSED: [f64; 2] = [0.04, 0.08];
/// ω₁ and ω₂ of an independent implementation with ED-α, rad/s, at these times, s.
const RATES: [(f64, [f64; 2]); 3] =
    [(0.05, [23.319_137, -7.436_959]), (0.1, [93.082_534, 46.217_492]), (0.2, [80.018_039, -24.831_404])];

/// ω₁ of it with Bathe's scheme, rad/s.
const BATHE_RATES: [(f64, f64); 2] = [(0.1, 93.031), (0.2, 80.084)];

pub(super) fn run() -> Result<Report, StepError> {
    let bathe = bathe()?;
    let ed_alpha = schemes::by_name("ed_alpha", &[("rho_infinity", 0.0)])?;
    let schemes: [(&str, &dyn Scheme); 2] = [("Bathe", bathe.as_ref()), ("ED-α, ρ∞ = 0", ed_alpha.as_ref())];
    let follow = |times: [f64; 2], every: u64| {
        let [first, second] = schemes.map(|(name, scheme)| Trace::new(name, &driven(|_| ()), scheme, times, every));
        Ok::<_, StepError>([first?, second?])
    };
    let (traces, finer) = (follow([STEP, UNTIL], 1)?, follow([0.5 * STEP, ALIKE], 2)?);
    let [bathe, ed_alpha] = &traces;
    let mut claims = Vec::new();
    for (t, rates) in RATES {
        for (k, rate) in rates.into_iter().enumerate() {
            // Half a unit of the last recorded digit.
            let expected = Expected::Reference { value: rate, tolerance: 5e-7 };
            let found = ed_alpha.at(t).map_or(f64::NAN, |sample| sample.rates[k]);
            claims.push(Claim::new(format!("ω{} of ED-α at {t} s", ["₁", "₂"][k]), "rad/s", expected, found));
        }
    }
    for (t, rate) in BATHE_RATES {
        let expected = Expected::Reference { value: rate, tolerance: 5e-4 };
        let found = bathe.at(t).map_or(f64::NAN, |sample| sample.rates[0]);
        claims.push(Claim::new(format!("ω₁ of Bathe's scheme at {t} s"), "rad/s", expected, found));
    }
    let fastest = |k: usize| bathe.samples.iter().map(|sample| sample.rates[k].abs()).fold(0.0, f64::max);
    for k in 0..2 {
        let difference = |until: f64| bathe.difference(ed_alpha, until, |sample| sample.rates[k]) / fastest(k);
        let what = format!("largest difference of ω{}, of its largest value", ["₁", "₂"][k]);
        let changes =
            traces.iter().zip(&finer).map(|(trace, fine)| trace.difference(fine, ALIKE, |sample| sample.rates[k]));
        let change: f64 = changes.sum();
        claims.push(
            Claim::new(
                format!(
                    "largest difference of ω{} to {ALIKE} s, over what half the step changes in both",
                    ["₁", "₂"][k]
                ),
                "1",
                at_most(2.0, FIRST_ORDER),
                difference(ALIKE) * fastest(k) / change,
            )
            .in_words("both match perfectly"),
        );
        claims.push(Claim::new(
            format!("{what}, to {ALIKE} s"),
            "1",
            Expected::Reported(super::SMALL_IMPACTS),
            difference(ALIKE),
        ));
        claims.push(
            Claim::new(
                format!("{what}, to {UNTIL} s"),
                "1",
                Expected::Recorded { value: APART[k], tolerance: 1e-4 },
                difference(UNTIL),
            )
            .not_reproduced(
                "both match perfectly up to 0.5 s",
                "They match to 0.2 s; then single impacts fall into different steps, and the motions part.",
            ),
        );
    }
    // The force swings about that of the rigid mechanism while the contact is closed.
    let mean = |trace: &Trace| {
        let closed = trace.samples.iter().filter(|sample| (CLOSED[0]..CLOSED[1]).contains(&sample.t));
        let (sum, count) = closed.fold((0.0, 0.0), |(sum, count), sample| (sum + sample.force, count + 1.0));
        sum / count
    };
    claims.push(
        Claim::new(
            "mean contact force from 0.04 s to 0.08 s, ED-α over Bathe's scheme, difference to one",
            "1",
            at_most(0.05, Origin::Chosen("“Good agreement” is no number: a twentieth.")),
            (mean(ed_alpha) / mean(bathe) - 1.0).abs(),
        )
        .in_words("general behaviour and amplitude of the contact force are in good agreement"),
    );
    claims.push(Claim::new(
        "largest contact force to 0.5 s, ED-α over Bathe's scheme",
        "1",
        Expected::Reported(super::SMALL_IMPACTS),
        ed_alpha.peak() / bathe.peak(),
    ));
    let caption = "Table 2, 20 elements, Δt = 10⁻⁴ s.";
    let rate = |k: usize| {
        over_time(
            ["fig28_crank", "fig28_rod"][k],
            &format!("Fig. 28: angular velocity ω{}", ["₁", "₂"][k]),
            caption,
            Axis::linear("angular velocity", "rad/s"),
            &traces,
            |sample| sample.rates[k],
        )
    };
    let force = contact_force("fig29", "Fig. 29", caption, &traces);
    let notes = vec!["Figures carry no numbers.".into()];
    Ok(Report { claims, figures: vec![rate(0), rate(1), force], notes, ..Report::default() })
}
