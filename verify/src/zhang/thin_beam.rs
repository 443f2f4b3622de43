//! Lateral buckling of a thin beam, and what is left of its oscillation. [zhang, Sect. 5.3, Figs. 18-20]
//!
//! With as few elements as the paper has. Independent values belong to many more elements, with tolerances that their
//! file states. The response is sensitive: rounding and first guesses decide where Newton's method diverges.

use hamel::initial_state;
use hamel::model::State;
use hamel::scheme::StepError;
use hamel_models::ThinBeam;
use hamel_report::{Axis, Cell, Claim, Column, Expected, Origin, Report, Table, at_least, at_most};

use super::employed::{Employed, Named, Shown};
use super::response::{Problem, Response, TOLERANCE, ending_claims, endings};
use super::turn_about_x;
use crate::convergence::largest;
use crate::motion::output;
use crate::shared::Shared;

/// Δt/n of the figures and, where the text says what fails, of a quarter of it, s.
pub(super) const STEPS: [f64; 2] = [1e-3, 2.5e-4];
const END: f64 = 0.8;
/// When the crank comes to rest, s.
const UPPERMOST: f64 = 0.4;
const CAPTION: &str = "Δt/n = 10⁻³ s, 5 elements";
/// Mid-span lies between these sections of the beam, of ten.
const MIDDLE: [usize; 2] = [4, 5];
/// The least damped of all schemes.
const REFERENCE: Employed = Employed { name: "lms4", rho: 0.6 };
/// Of these the text says that they fail; MSSTH(4) fails here besides.
const FAILING: &Named = &[("mssth5_published", 0.0), ("esdirk325", 0.0)];
const FAILING_HERE: &Named = &[("mssth4_published", 0.0)];
/// Of these, that they decay and shift after the crank has stopped.
const DECAYING: &Named =
    &[("lms2", 0.0), ("ss2", 0.0), ("mssth3_published", 0.0), ("mssth4_published", 0.0), ("esdirk324", 0.0)];
/// When the beam is 1 mm aside, s, and how far it goes to the side at most, m, by an independent implementation.
const ONSET: f64 = 0.12858;
const WIDEST: f64 = 0.04511;

/// θ, ω₁, F₃ and the distance to the side of all schemes with each of [`STEPS`].
static RESPONSES: [Shared<Vec<Response<4>>>; 2] = [const { Shared::new() }; 2];

/// With one of the steps.
pub(super) fn responses(step: usize) -> Result<&'static [Response<4>], StepError> {
    let compute = || {
        let model = ThinBeam::default();
        let initial = initial_state(&model)?;
        let problem = Problem { model: &model, initial, end: END, sampling: 0.0, tolerance: TOLERANCE };
        problem.responses(STEPS[step], |state: &State| {
            let [rate, ..] = output::<3>(&model, "angular_velocity", state);
            let loads = output::<60>(&model, "loads", state);
            let shear = MIDDLE.iter().map(|section| 0.5 * loads[6 * section + 2]).sum();
            let [_, aside, _] = output::<3>(&model, "displacement", state);
            [turn_about_x(&output(&model, "axes", state)), rate, shear, aside]
        })
    };
    RESPONSES[step].get(compute).map(Vec::as_slice)
}

pub(super) fn run() -> Result<Report, StepError> {
    let [responses, finer] = [responses(0)?, responses(1)?];
    let find = |of: Employed| responses.iter().filter(move |response| response.of == of);
    let mut claims = Vec::new();
    for reference in find(REFERENCE) {
        claims.extend(buckling(reference));
        claims.extend(oscillation(reference, responses));
    }
    let because = "The last oscillations before decide whether Newton's method converges: MSSTH(3), ESDIRK3(2)4L[2]SA and \
                   ESDIRK4(3)6L[2]SA2 diverge or not as the first guess has it, MSSTH(4) diverges with all of them, and \
                   with a quarter of the step none does.";
    claims.extend(ending_claims(responses, "Δt/n = 10⁻³ s", END, FAILING, FAILING_HERE, because));
    claims.extend(ending_claims(finer, "Δt/n = 2.5·10⁻⁴ s", END, &[], &[], because));

    let shown = |number, title, y, quantity| Shown { number, title, caption: CAPTION, y, quantity, start: 0.0 };
    let through = || responses.iter().filter(|response| response.is_through());
    let mut figures = shown(18, "rotation about x at mid-span", Axis::linear("θ", "rad"), 0).panels(through(), None);
    let rate = shown(19, "angular velocity about x at mid-span", Axis::linear("ω₁", "rad/s"), 1);
    figures.extend(rate.panels(through(), None));
    figures.extend(shown(20, "shear force along z at mid-span", Axis::linear("F₃", "N"), 2).panels(through(), None));
    let tables = vec![
        decay(responses),
        endings("breakdowns", CAPTION, responses),
        endings("breakdowns_fine", "Δt/n = 2.5·10⁻⁴ s", finer),
    ];
    let notes = vec![
        "Figures leave out what diverges with every first guess.".into(),
        "Bodies have Euler parameters here and rotation increments in the paper's program, so that Newton's method has \
         other iterates towards the same solution."
            .into(),
    ];
    Ok(Report { claims, tables, figures, notes })
}

/// When and where the beam buckles.
fn buckling(reference: &Response<4>) -> Vec<Claim> {
    let aside = || reference.between([0.0, END], 3);
    let onset = aside().find(|(_, aside)| aside.abs() > 1e-3);
    let (onset, side) = onset.map_or((f64::NAN, f64::NAN), |(t, aside)| (t, aside.signum()));
    let near = |value: f64| Expected::Reference { value, tolerance: 0.02 * value };
    vec![
        Claim::new("instant at which mid-span is 1 mm aside", "s", near(ONSET), onset),
        Claim::new(
            "the same, over the instant at which the crank is uppermost",
            "1",
            at_most(1.0, Origin::Source),
            onset / UPPERMOST,
        )
        .in_words("the beam buckled laterally rather quickly, before the crank reached the uppermost position"),
        Claim::new("sign of y to which the beam goes", "1", Expected::Reference { value: -1.0, tolerance: 0.0 }, side),
        Claim::new(
            "largest distance of mid-span to the side",
            "m",
            near(WIDEST),
            largest(aside().map(|(_, aside)| aside)),
        ),
    ]
}

/// What the schemes leave of the oscillation.
fn oscillation(reference: &Response<4>, responses: &[Response<4>]) -> Vec<Claim> {
    let through = || responses.iter().filter(|response| response.is_through());
    let (early, late) = ([0.0, UPPERMOST], [UPPERMOST, END]);
    let of = |named: &'static Named, quantity: &dyn Fn(&Response<4>) -> f64| -> Vec<f64> {
        through().filter(|response| response.of.is_in(named)).map(quantity).collect()
    };
    let but = |named: &'static Named, quantity: &dyn Fn(&Response<4>) -> f64| -> Vec<f64> {
        through().filter(|response| !response.of.is_in(named)).map(quantity).collect()
    };
    let least = |values: Vec<f64>| values.into_iter().fold(f64::INFINITY, f64::min);
    let before = |response: &Response<4>| error(response, reference, early);
    let after = |response: &Response<4>| error(response, reference, late);
    let amplitude = |response: &Response<4>| root_mean_square(response.between(late, 0).map(|(_, angle)| angle));
    let distance = "relative error of θ against LMS4 (ρ∞ = 0.6)";
    vec![
        Claim::new(
            format!("largest {distance} to 0.4 s, all schemes, over the least after it of LMS2, SS2 (ρ∞ = 0), MSSTH(3), ESDIRK3(2)4L[2]SA"),
            "1",
            at_most(1.0, Origin::Source),
            largest(but(&[], &before)) / least(of(DECAYING, &after)),
        )
        .in_words("the solutions almost overlap in [0, 0.4] s, but then these decay and shift significantly"),
        Claim::new(
            format!("least {distance} after 0.4 s of LMS2, SS2 (ρ∞ = 0), MSSTH(3), ESDIRK3(2)4L[2]SA, over the largest of all others"),
            "1",
            at_least(1.0, Origin::Source),
            least(of(DECAYING, &after)) / largest(but(DECAYING, &after)),
        )
        .in_words("these exhibit a significant phase shift compared to the remaining methods"),
        Claim::new(
            "largest root mean square of θ after 0.4 s with these, over the least of all others",
            "1",
            at_most(1.0, Origin::Source),
            largest(of(DECAYING, &amplitude)) / least(but(DECAYING, &amplitude)),
        )
        .in_words("these exhibit a significant amplitude decay compared to the remaining methods"),
    ]
}

/// [zhang, Eq. 26] for θ in an interval of time.
fn error(response: &Response<4>, reference: &Response<4>, times: [f64; 2]) -> f64 {
    let pairs = || response.between(times, 0).map(|(t, angle)| (angle, reference.at(t, 0)));
    root_mean_square(pairs().map(|(a, b)| a - b)) / root_mean_square(pairs().map(|(_, b)| b))
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value * value, count + 1.0));
    (sum / count).sqrt()
}

fn decay(responses: &[Response<4>]) -> Table {
    let columns = vec![
        Column::text("scheme"),
        Column::new("root mean square of θ, 0.4 to 0.6 s", "rad"),
        Column::new("root mean square of θ, 0.6 to 0.8 s", "rad"),
        Column::new("largest F₃", "N"),
    ];
    let row = |response: &Response<4>| {
        let amplitude = |times| root_mean_square(response.between(times, 0).map(|(_, angle)| angle));
        let force = largest(response.between([0.0, END], 2).map(|(_, force)| force));
        let numbers = [amplitude([0.4, 0.6]), amplitude([0.6, END]), force];
        std::iter::once(Cell::Text(response.name.clone()))
            .chain(numbers.map(|number| Cell::number(number, 3)))
            .collect()
    };
    Table {
        slug: "decay".into(),
        title: "What is left of the oscillation".into(),
        columns,
        rows: responses.iter().filter(|response| response.is_through()).map(row).collect(),
    }
}
