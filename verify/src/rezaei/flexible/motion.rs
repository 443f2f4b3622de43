//! Motion of the slider-crank with a flexible rod: Table 2, and Table 1 with a nearly rigid rod. [rezaei, Fig. 21]

use std::time::Instant;

use hamel::Model;
use hamel::scheme::StepError;
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use hamel_models::slider_crank_clearance::SliderCrankClearance;
use hamel_report::{Axis, Claim, Expected, Figure, Origin, Report, Style, TIMES, at_least, at_most};

use super::trace::{Sample, Trace};
use super::{SAME_STEP, SMALL_IMPACTS, STEP, bathe, driven, sensitivity};
use crate::origins::{LAWS, SOME};

/// θ₁ and θ₂ of an independent implementation, rad, at these times, s, and their tolerance: half a unit of the last
/// recorded digit until small impacts, which are chaotic, have moved the last one.
const STATES: [(f64, [f64; 2], f64); 3] =
    [(0.01, [0.070533, -0.036878], 5e-7), (0.05, [0.947781, -0.416352], 5e-7), (0.1, [3.002707, -0.070908], 1e-5)];
/// Length of the motion of Table 2, s.
const UNTIL: f64 = 0.1;
/// The largest contact force to 0.1 s of the independent implementation, N.
const PEAK: f64 = 132.33;
/// A force that moduli of elasticity change by more than this has two digits at most, N.
const UNCERTAIN: f64 = 10.0;
/// When the slider strikes the guide first, Table 1, as found by the independent implementation; the mesh decides what
/// follows, s.
const IMPACTS: [f64; 5] = [0.00269, 0.00281, 0.00432, 0.00435, 0.00442];

pub(super) fn run() -> Result<Report, StepError> {
    let mut claims = table_2()?;
    claims.extend(first_impacts()?);
    let (stiff, figure) = nearly_rigid()?;
    claims.extend(stiff);
    let notes = vec!["Impacts differ after the first, since Newton's law acts on the mass of the last node.".into()];
    Ok(Report { claims, figures: vec![figure], notes, ..Report::default() })
}

fn table_2() -> Result<Vec<Claim>, StepError> {
    let (mut violation, mut least_loss) = (0.0, 0.0);
    let start = Instant::now();
    let trace = Trace::watched("Bathe", &driven(|_| ()), bathe()?.as_ref(), [STEP, UNTIL], 10, |stepper| {
        if let Some(record) = stepper.contacts() {
            (violation, least_loss) = (record.violation, record.least_loss);
        }
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let peak = |trace: &Trace| {
        let samples = trace.samples.iter().take_while(|sample| sample.t < UNTIL + 0.5 * STEP);
        samples.map(|sample| sample.force).fold(0.0, f64::max)
    };
    let peaks: Vec<f64> = sensitivity::traces()?.iter().map(peak).chain([trace.peak()]).collect();
    let (least, largest) = peaks.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), peak| (a.min(*peak), b.max(*peak)));
    let nearest = peaks.iter().copied().min_by(|a, b| (a - PEAK).abs().total_cmp(&(b - PEAK).abs()));
    let nearest = nearest.unwrap_or(f64::NAN);
    let mut claims = vec![
        Claim::new(
            "first impact, Table 2, 20 elements, Bathe, Δt = 10⁻⁵ s",
            "s",
            Expected::Reference { value: 0.00753, tolerance: SAME_STEP },
            trace.impacts.first().copied().unwrap_or(f64::NAN),
        ),
        Claim::new(
            "impulse of the first impact, both corners",
            "N s",
            Expected::Reference { value: 0.011_044_839, tolerance: 5e-10 },
            trace.impulse,
        ),
        Claim::new(
            "largest contact force to 0.1 s: spread over moduli that differ by up to 10⁻³",
            "N",
            at_least(UNCERTAIN, SOME),
            largest - least,
        )
        .in_words("small impacts are chaotic: which of them there are decides the largest force"),
        Claim::new(
            format!("largest contact force to 0.1 s, of those moduli the nearest to {PEAK} N of another computation"),
            "N",
            Expected::Reported(SMALL_IMPACTS),
            nearest,
        ),
        Claim::new(
            "least energy that an impact takes",
            "J",
            at_least(0.0, Origin::Theory("an impact does not add energy")),
            least_loss,
        ),
        Claim::new("largest violation of the laws of contact", "m/s", at_most(2e-14, LAWS), violation),
        Claim::new(
            "impacts to 0.1 s, 102 in another computation",
            "1",
            Expected::Reported(SMALL_IMPACTS),
            trace.impacts.len() as f64,
        ),
        Claim::new("time of computation to 0.1 s, 10,000 steps", "s", Expected::Reported(TIMES), seconds),
    ];
    for (t, angles, tolerance) in STATES {
        let found = trace.at(t).map_or([f64::NAN; 2], |sample| sample.angles);
        for (name, (expected, found)) in ["θ₁", "θ₂"].into_iter().zip(angles.into_iter().zip(found)) {
            let expected = Expected::Reference { value: expected, tolerance };
            claims.push(Claim::new(format!("{name} at {t} s"), "rad", expected, found));
        }
    }
    Ok(claims)
}

/// The motion of Table 1.
fn table_1(name: &str, model: &dyn Model, until: f64) -> Result<Trace, StepError> {
    Trace::new(name, model, bathe()?.as_ref(), [STEP, until], 1)
}

/// E = 10¹⁵ Pa, Table 1, beside a rigid rod.
fn nearly_rigid() -> Result<(Vec<Claim>, Figure), StepError> {
    let stiff = FlexibleSliderCrank::new(FlexibleSliderCrankParameters { elasticity: 1e15, ..Default::default() });
    let flexible = table_1("E = 10¹⁵ Pa", &stiff, 0.05)?;
    let rigid = table_1("rigid", &SliderCrankClearance::default(), 0.05)?;
    let first = |trace: &Trace| trace.impacts.first().copied().unwrap_or(f64::NAN);
    let mut claims = vec![Claim::new(
        "first impact, E = 10¹⁵ Pa, after that with a rigid rod",
        "s",
        Expected::Reference { value: 0.0, tolerance: SAME_STEP },
        first(&flexible) - first(&rigid),
    )];
    let quantities: [(&str, &str, f64, fn(&Sample) -> f64); 3] = [
        ("θ₁", "rad", 6.6e-4, |sample| sample.angles[0]),
        ("θ₂", "rad", 6.3e-4, |sample| sample.angles[1]),
        ("the slider's height", "m", 1.763e-4, |sample| sample.center[1]),
    ];
    // Of an independent implementation, whose small impacts are others.
    for (what, unit, value, of) in quantities {
        let difference = flexible.difference(&rigid, f64::INFINITY, of);
        claims.push(
            Claim::new(
                format!("largest difference of {what}, E = 10¹⁵ Pa and rigid, Table 1 to 0.05 s"),
                unit,
                Expected::Reference { value, tolerance: 0.05 * value },
                difference,
            )
            .in_words("the flexible rod with a large modulus moves as the rigid one"),
        );
    }
    let figure = Figure {
        slug: "fig21".into(),
        title: "Fig. 21: movement of the slider's centre, Table 1".into(),
        caption: "A rod with E = 10¹⁵ Pa beside a rigid one, Bathe's scheme, Δt = 10⁻⁵ s.".into(),
        x: Axis::linear("x", "m"),
        y: Axis::linear("y", "m"),
        curves: [(&flexible, Style::Line), (&rigid, Style::Dashed)]
            .map(|(trace, style)| trace.curve(style, |sample| (sample.center[0], sample.center[1])))
            .into(),
        slopes: Vec::new(),
    };
    Ok((claims, figure))
}

/// The first impacts of Table 1.
fn first_impacts() -> Result<Vec<Claim>, StepError> {
    let trace = table_1("20 elements", &FlexibleSliderCrank::default(), 0.0045)?;
    let claim = |(k, (expected, found)): (usize, (&f64, &f64))| {
        let expected = Expected::Reference { value: *expected, tolerance: SAME_STEP };
        Claim::new(format!("impact {}, Table 1, 20 elements", k + 1), "s", expected, *found)
    };
    let found = trace.impacts.iter().chain(std::iter::repeat(&f64::NAN));
    Ok(IMPACTS.iter().zip(found).enumerate().map(claim).collect())
}
