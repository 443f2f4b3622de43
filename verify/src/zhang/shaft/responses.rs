//! How the shaft runs through its critical speed. [zhang, Sect. 5.4, Figs. 22-24]

use hamel::model::State;
use hamel::scheme::StepError;
use hamel::{consistent_acceleration, initial_state};
use hamel_models::RotatingShaft;
use hamel_models::rotating_shaft::RotatingShaftParameters;
use hamel_report::{Axis, Cell, Claim, Column, Expected, Origin, Proof, Report, Table, at_least, at_most};

use super::super::employed::{Employed, Named, Shown};
use super::super::response::{Response, ending_claims, endings};
use super::{END, PRINTED, STEPS, at_rest, observe, problem, responses};
use crate::convergence::largest;
use crate::origins::SUM_OF_STEPS;

const NAME: &str = "Δt/n = 10⁻³ s";
const REFERENCE: Employed = Employed { name: "esdirk436", rho: 0.0 };
/// Δt/n of the reference, s: its instants are those of every scheme, so that nothing is interpolated.
const REFERENCE_STEP: f64 = 2e-4;
/// Whose errors the text calls larger.
const BDF: &Named = &[("lms2", 0.0), ("ss2", 0.0)];
const LMS4: Employed = Employed { name: "lms4", rho: 0.6 };
/// Parts of the largest value by which curves are apart, as recorded: LMS2 and SS2 with ρ∞ = 0, others of second order,
/// those of higher order.
const APART: [f64; 3] = [0.045, 0.023, 0.0052];
/// u₃ in m by an independent implementation, elements of two nodes extrapolated, with its own uncertainty.
const INDEPENDENT: [(f64, f64, f64); 3] =
    [(0.75, 0.0656589, 2.1e-6), (1.25, -0.0115078, 9.7e-7), (2.0, -0.108952, 2.8e-5)];
/// Sixteen elements are that part of the largest u₃ away from many.
const OF_THE_MESH: f64 = 2e-3;
/// The largest distance of mid-span from the axis, m, as far as it is known.
const WIDEST: (f64, f64) = (0.2697, 5e-4);

pub(in super::super) fn run() -> Result<Report, StepError> {
    let model = RotatingShaft::default();
    let observe = |state: &State| observe(&model, state);
    let responses = responses(PRINTED)?;
    let reference = problem(&model, at_rest(&model)?).response(REFERENCE, REFERENCE_STEP, observe)?;
    let mut claims = motion(&reference);
    claims.extend(agreement(&reference, responses));
    claims.extend(ending_claims(responses, NAME, END, &[], &[], ""));

    // What the paper may have done: the straight shaft is let go a second before it turns.
    let mut straight = initial_state(&model)?;
    straight.t = -1.0;
    consistent_acceleration(&model, &mut straight)?;
    let sudden = problem(&model, straight).response(LMS4, STEPS[PRINTED], observe)?;
    let end = |response: &Response<4>| match response.is_through() {
        true => response.samples.last().map_or(f64::NAN, |&(t, _)| t),
        false => 0.0,
    };
    let because = "Nothing of what is printed makes it fail here: neither from equilibrium nor with the weight put on at \
                   once. The paper does not tell how it starts, which of several starts of LMS4 it uses, or how its \
                   iteration ends.";
    let from_rest = responses.iter().filter(|response| response.of == LMS4).map(end).fold(f64::NAN, f64::max);
    for (start, found) in [("from equilibrium", from_rest), ("weight put on at −1 s", end(&sudden))] {
        let what = format!("end of the motion with LMS4 (ρ∞ = 0.6), {start}");
        claims.push(
            Claim::new(what, "s", at_least(END - 1e-9, SUM_OF_STEPS), found)
                .not_reproduced("fails to complete", because),
        );
    }

    let shown = |number, title, y, quantity| Shown { number, title, caption: NAME, y, quantity, start: 0.0 };
    let mut figures = shown(22, "displacement at mid-span", Axis::linear("u₃", "m"), 0).panels(responses.iter(), None);
    figures.extend(shown(23, "velocity at mid-span", Axis::linear("v₃", "m/s"), 1).panels(responses.iter(), None));
    let acceleration = shown(24, "acceleration at mid-span", Axis::linear("a₃", "m/s^2"), 2);
    figures.extend(acceleration.panels(responses.iter(), None));
    let tables = vec![differences(&reference, responses), endings("breakdowns", NAME, responses)];
    Ok(Report { claims, tables, figures, notes: Vec::new() })
}

fn motion(reference: &Response<4>) -> Vec<Claim> {
    let widest = largest(reference.between([0.0, END], 3).map(|(_, distance)| distance));
    let expected = Expected::Reference { value: WIDEST.0, tolerance: WIDEST.1 };
    let disc = RotatingShaftParameters::default();
    let mut claims = vec![
        Claim::new("largest distance of mid-span from the axis", "m", expected, widest),
        Claim::new(
            "first moment of inertia of the disc, ½ m r² with r = 0.24 m",
            "kg m²",
            Expected::Theory { value: 0.5 * 70.573 * 0.24 * 0.24, tolerance: 5e-5 },
            disc.disc_inertia[0],
        )
        .refutes(
            "2.0325 g·m²",
            Proof::ClosedForm,
            "The mass and the radius that are printed beside it give it in kg m².",
        ),
    ];
    for (t, value, uncertainty) in INDEPENDENT {
        let expected = Expected::Reference { value, tolerance: uncertainty + OF_THE_MESH * widest };
        claims.push(Claim::new(format!("u₃ at {t} s"), "m", expected, reference.at(t, 0)));
    }
    claims
}

fn agreement(reference: &Response<4>, responses: &[Response<4>]) -> Vec<Claim> {
    let is_second = |response: &Response<4>| response.of.is_of_second_order();
    let claim = |(quantity, symbol): (usize, &str)| {
        let worst = |is_meant: &dyn Fn(&&Response<4>) -> bool| {
            largest(responses.iter().filter(is_meant).map(|response| difference(response, reference, quantity)))
        };
        let groups = [
            ("LMS2 and SS2 (ρ∞ = 0)", APART[0], worst(&|response| response.of.is_in(BDF))),
            ("others of second order", APART[1], worst(&|response| is_second(response) && !response.of.is_in(BDF))),
            ("those of higher order", APART[2], worst(&|response| !is_second(response))),
        ];
        groups.map(|(which, most, worst)| {
            let what = format!("largest difference of {symbol} to ESDIRK4(3)6L[2]SA2, of its largest value, {which}");
            Claim::new(what, "1", at_most(most, Origin::Recorded), worst)
                .in_words("excellent agreement can be observed")
        })
    };
    ["u₃", "v₃", "a₃"].into_iter().enumerate().flat_map(claim).collect()
}

/// The largest difference of a quantity, of its largest value.
fn difference(response: &Response<4>, reference: &Response<4>, quantity: usize) -> f64 {
    let values = || response.between([0.0, END], quantity).map(|(t, value)| (value, reference.at(t, quantity)));
    largest(values().map(|(a, b)| a - b)) / largest(values().map(|(_, b)| b))
}

fn differences(reference: &Response<4>, responses: &[Response<4>]) -> Table {
    let mut columns = vec![Column::text("scheme")];
    columns.extend(["u₃", "v₃", "a₃"].map(|symbol| Column::new(format!("difference of {symbol}"), "1")));
    let row = |response: &Response<4>| {
        let cell = |quantity| Cell::number(difference(response, reference, quantity), 3);
        std::iter::once(Cell::Text(response.name.clone())).chain([0, 1, 2].map(cell)).collect()
    };
    Table {
        slug: "differences".into(),
        title: "Largest differences to ESDIRK4(3)6L[2]SA2, of the largest value".into(),
        columns,
        rows: responses.iter().map(row).collect(),
    }
}
