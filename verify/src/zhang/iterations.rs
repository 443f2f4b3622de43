//! Newton iterations of all schemes in all examples. [zhang, Sect. 5.5, Fig. 28]
//!
//! The paper prints neither its tolerance nor all step sizes. They are counted in the runs that the figures show.

use hamel::initial_state;
use hamel::scheme::StepError;
use hamel_report::number::readable;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Figure, Origin, Report, Style, Table, at_least, at_most};

use super::employed::Employed;
use super::response::{Problem, Response, TOLERANCE};
use super::{andrews, four_bar, shaft, thin_beam};
use crate::convergence::largest;

const FOUR_BAR: &str = "four-bar mechanism";
const THIN_BEAM: &str = "thin beam";
/// The case in which vibrations are damped least.
const VIBRATING: (&str, f64) = (FOUR_BAR, 1e-3);
/// Bounds of claims that what the source states is not so.
const OPPOSITE: Origin = Origin::Chosen("The opposite of what the source states.");
/// Single-step schemes and the multistep schemes that they are equivalent to.
const EQUIVALENT: [(&str, &str); 3] = [("ss2", "lms2"), ("ss3", "lms3"), ("ss4", "lms4")];

/// Iterations a system of all schemes in an example with one Δt/n; undefined where a scheme does not reach the end.
struct Case {
    example: &'static str,
    step: f64,
    iterations: Vec<(Employed, f64)>,
}

pub(super) fn run() -> Result<Report, StepError> {
    let squeezer = andrews::model();
    let problem = Problem {
        model: &squeezer,
        initial: initial_state(&squeezer)?,
        end: andrews::DURATION,
        sampling: 1.0,
        tolerance: TOLERANCE,
    };
    let mut cases = Vec::new();
    for step in [1e-4, 1e-5] {
        cases.push(Case::new("Andrews' squeezing mechanism", step, &problem.responses(step, |_| [])?));
    }
    for (k, step) in four_bar::STEPS.into_iter().enumerate() {
        cases.push(Case::new(FOUR_BAR, step, four_bar::responses(k)?));
    }
    for (k, step) in thin_beam::STEPS.into_iter().enumerate() {
        cases.push(Case::new(THIN_BEAM, step, thin_beam::responses(k)?));
    }
    for k in [shaft::PRINTED, shaft::SHORT] {
        cases.push(Case::new("rotating shaft", shaft::STEPS[k], shaft::responses(k)?));
    }
    let notes = vec!["Missing: schemes whose iteration diverges with every first guess.".into()];
    Ok(Report { claims: claims(&cases), tables: vec![table(&cases)?], figures: vec![figure(&cases)], notes })
}

impl Case {
    fn new<const N: usize>(example: &'static str, step: f64, responses: &[Response<N>]) -> Self {
        let count = |response: &Response<N>| if response.is_through() { response.iterations } else { f64::NAN };
        Self { example, step, iterations: responses.iter().map(|response| (response.of, count(response))).collect() }
    }

    fn title(&self) -> String {
        format!("{}, Δt/n = {} s", self.example, readable(self.step, 2))
    }

    /// Iterations of those that reach the end.
    fn known(&self) -> impl Iterator<Item = (Employed, f64)> {
        self.iterations.iter().copied().filter(|(_, iterations)| iterations.is_finite())
    }

    fn mean(&self, is_meant: impl Fn(Employed) -> bool) -> f64 {
        let (sum, count) = self
            .known()
            .filter(|(of, _)| is_meant(*of))
            .fold((0.0, 0.0), |(sum, count), (_, iterations)| (sum + iterations, count + 1.0));
        sum / count
    }

    /// Iterations of single-step schemes over those of their equivalents, the least.
    fn of_single_steps(&self) -> f64 {
        let find = |name: &str, rho: f64| {
            self.iterations.iter().find(|(of, _)| of.name == name && of.rho == rho).map_or(f64::NAN, |found| found.1)
        };
        let ratios = EQUIVALENT.iter().flat_map(|(ss, lms)| [0.0, 0.6].map(|rho| find(ss, rho) / find(lms, rho)));
        ratios.fold(f64::INFINITY, f64::min)
    }
}

fn claims(cases: &[Case]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for pair in cases.chunks(2) {
        let ratios = pair[0].iterations.iter().zip(&pair[1].iterations).map(|((_, coarse), (_, fine))| fine / coarse);
        let what =
            format!("{}: iterations with the smaller step over those with the larger, the most", pair[0].example);
        let (most, says) = (
            largest(ratios.filter(|ratio| ratio.is_finite())),
            "the average number of iterations decreases with a smaller step size in all cases",
        );
        claims.push(if pair[0].example == FOUR_BAR {
            Claim::new(what, "1", at_least(1.0, OPPOSITE), most).undetermined(
                says,
                "The tolerance of Newton's method is not printed. With the smaller step the vibrations that Fig. 16 shows are no longer damped, and take iterations where the \
                 damping is weak.",
            )
        } else {
            Claim::new(what, "1", at_most(1.0, Origin::Source), most).in_words(says)
        });
    }
    for case in cases {
        let least = case.known().map(|(_, iterations)| iterations).fold(f64::INFINITY, f64::min);
        let most = largest(case.known().map(|(_, iterations)| iterations)) / least;
        let what = format!("{}: most iterations over least", case.title());
        let says = "the number of iterations spent by each integrator does not differ significantly";
        claims.push(if (case.example, case.step) == VIBRATING {
            Claim::new(what, "1", at_least(2.0, OPPOSITE), most).undetermined(
                says,
                "The tolerance of Newton's method is not printed. With ρ∞ = 0.6 LMS4 and SS4 keep the vibrations that Fig. 16 shows, and take \
                 twice the iterations of LMS2 with ρ∞ = 0, which damps them.",
            )
        } else {
            let factor = Origin::Chosen("“Not significantly” is no number: a factor of two.");
            Claim::new(what, "1", at_most(2.0, factor), most).in_words(says)
        });
        let what = format!("{}: iterations of SS over those of LMS, the least", case.title());
        let says = "each single-step method always requires more iterations than the corresponding multi-step method";
        claims.push(if [FOUR_BAR, THIN_BEAM].contains(&case.example) {
            Claim::new(what, "1", at_most(1.0, OPPOSITE), case.of_single_steps()).undetermined(
                says,
                "The tolerance of Newton's method is not printed. True where motions are smooth, as those of the squeezing mechanism and of the shaft. Here the extrapolated \
                 guess extrapolates fast vibrations too, and the constant one is as good.",
            )
        } else {
            Claim::new(what, "1", at_least(1.0, Origin::Source), case.of_single_steps()).in_words(says)
        });
    }
    let is_more = |case: &&Case| case.mean(|of| !of.is_of_second_order()) > case.mean(Employed::is_of_second_order);
    claims.push(
        Claim::new(
            "part of the cases in which schemes of higher order take more iterations than those of second order, on average",
            "1",
            at_least(0.5, Origin::Source),
            cases.iter().filter(is_more).count() as f64 / cases.len() as f64,
        )
        .in_words("the higher-order methods require more iterations than the second-order methods in most cases"),
    );
    claims
}

fn table(cases: &[Case]) -> Result<Table, StepError> {
    let mut columns = vec![Column::text("scheme")];
    columns.extend(cases.iter().map(|case| Column::new(case.title(), "1")));
    let rows = Employed::all().enumerate().map(|(k, of)| {
        let mut row = vec![Cell::Text(of.scheme()?.name())];
        row.extend(cases.iter().map(|case| Cell::number(case.iterations[k].1, 4)));
        Ok(row)
    });
    Ok(Table {
        slug: "iterations".into(),
        title: "Newton iterations a system".into(),
        columns,
        rows: rows.collect::<Result<_, StepError>>()?,
    })
}

fn figure(cases: &[Case]) -> Figure {
    let curve = |case: &Case| {
        let points = case.iterations.iter().enumerate().filter(|(_, (_, iterations))| iterations.is_finite());
        Curve::new(
            case.title(),
            Style::LineAndMarkers,
            points.map(|(k, (_, iterations))| (k as f64 + 1.0, *iterations)).collect(),
        )
    };
    Figure {
        slug: "fig28".into(),
        title: "Fig. 28: Newton iterations a system".into(),
        caption: "Schemes in the order of the table: 1 to 10 of second order with ρ∞ = 0, 11 to 20 with 0.6, 21 to 26 of higher \
                  order."
            .into(),
        x: Axis::linear("scheme", "1"),
        y: Axis::linear("iterations", "1"),
        curves: cases.iter().map(curve).collect(),
        slopes: Vec::new(),
    }
}
