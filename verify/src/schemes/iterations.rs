//! Newton iterations a step, by scheme and first guess. [zhang, Eqs. 12-17, basis of Fig. 28]
//!
//! Iterations are counted until the correction is at the default tolerance, which is close to rounding, with the exact
//! iteration matrix in each. Schemes that make their own first guess show the same number three times.

use hamel::newton::NewtonMatrix;
use hamel::scheme::{Options, Predictor, Scheme, StepError};
use hamel::schemes;
use hamel_compiler::parallel;
use hamel_report::{Cell, Claim, Column, Origin, Report, Table, at_most};

use super::problem::{FREE_BODY_ROTATION, HEAVY_TOP, Motion, OSCILLATOR, PENDULUM_INDEX_3, Problem};
use super::refinement::{End, run as integrate};
use crate::convergence::largest;
use crate::linear::most;

const PREDICTORS: [(Predictor, &str); 3] =
    [(Predictor::Constant, "constant"), (Predictor::TwoPoint, "two points"), (Predictor::ThreePoint, "three points")];
/// Problems and numbers of steps, few enough that the first guess is far off.
const CASES: [(&Problem, u32); 4] =
    [(&OSCILLATOR, 20), (&PENDULUM_INDEX_3, 40), (&FREE_BODY_ROTATION, 20), (&HEAVY_TOP, 100)];

/// A scheme and the ends of its motions, by first guess.
struct Member {
    scheme: Box<dyn Scheme>,
    ends: Vec<End>,
    /// With steps a quarter as long, from the constant guess.
    finer: End,
}

impl Member {
    /// Iterations a system, by first guess.
    fn iterations(&self) -> impl Iterator<Item = f64> {
        self.ends.iter().map(|end| self.mean(end))
    }

    fn mean(&self, end: &End) -> f64 {
        f64::from(end.cost.newton_iterations) / f64::from(end.steps * self.scheme.stages())
    }
}

pub(super) fn run() -> Result<Report, StepError> {
    let mut report = Report::default();
    for (problem, steps) in CASES {
        let motion = problem.motion()?;
        let members = members(problem, &motion, steps)?;
        report.claims.extend(claims(problem, &members));
        report.tables.push(table(problem, steps, &members));
    }
    report.notes.push(
        "Two corrections a system are the least that the test of convergence accepts, and with the exact matrix they \
         mostly suffice whatever the guess. MSSTC, MSSTH and ESDIRK take the constant guess in their first \
         implicit stage and at most two points in all others but the last."
            .into(),
    );
    Ok(report)
}

/// Every scheme that iterates on this problem and is meant for it.
fn members(problem: &Problem, motion: &Motion, steps: u32) -> Result<Vec<Member>, StepError> {
    let entries: Vec<_> = schemes::entries().collect();
    let members = parallel::map(&entries, |entry| {
        let scheme = entry.scheme(&[])?;
        if problem.expected(entry, &*scheme).is_none() {
            return Ok(None);
        }
        let with = |predictor: Predictor, steps: u32| {
            // Counted are iterations that converge quadratically.
            let newton_matrix = Some(NewtonMatrix::EveryIteration);
            let options = Options { predictor: Some(predictor), newton_matrix, ..problem.options() };
            integrate(problem, motion, &*scheme, &options, steps)
        };
        let finer = match with(Predictor::Constant, 4 * steps) {
            Err(StepError::Undefined { .. }) => return Ok(None),
            finer => finer?,
        };
        let ends = PREDICTORS.iter().map(|&(predictor, _)| with(predictor, steps)).collect::<Result<Vec<_>, _>>()?;
        Ok((finer.cost.newton_iterations > 0).then_some(Member { scheme, ends, finer }))
    });
    members.into_iter().filter_map(Result::transpose).collect()
}

fn claims(problem: &Problem, members: &[Member]) -> Vec<Claim> {
    let differences = members.iter().flat_map(|member| {
        let constant = member.ends[0].errors;
        member.ends.iter().flat_map(move |end| (0..2).map(move |k| end.errors[k] - constant[k]))
    });
    let what = |text: &str| format!("{}: {text}", problem.name);
    vec![
        Claim::new(
            what("largest change of the relative errors of q and v by the first guess"),
            "1",
            at_most(
                2e-11,
                Origin::Chosen("What the tolerance of Newton’s method leaves after all steps, most on the heavy top."),
            ),
            largest(differences),
        ),
        Claim::new(
            what("iterations a system, the most over schemes and guesses"),
            "1",
            at_most(
                4.0,
                Origin::Chosen(
                    "Quadratic convergence needs three or four; more would show derivatives that are not exact.",
                ),
            ),
            most(members.iter().flat_map(Member::iterations)),
        ),
        Claim::new(
            what("iterations a system at a quarter of the step over those at the step, the most over schemes"),
            "1",
            at_most(1.0, Origin::Source),
            most(members.iter().map(|member| member.mean(&member.finer) / member.mean(&member.ends[0]))),
        )
        .in_words("the number of iterations decreases with a smaller step size"),
    ]
}

fn table(problem: &Problem, steps: u32, members: &[Member]) -> Table {
    let mut columns = vec![Column::text("scheme"), Column::new("systems a step", "1")];
    columns.extend(PREDICTORS.map(|(_, name)| Column::new(format!("iterations a system, {name}"), "1")));
    let rows = members.iter().map(|member| {
        let mut row = vec![Cell::Text(member.scheme.name()), Cell::number(f64::from(member.scheme.stages()), 1)];
        row.extend(member.iterations().map(|iterations| Cell::number(iterations, 3)));
        row
    });
    Table {
        slug: problem.model.to_owned(),
        title: format!("Newton iterations on {}, {steps} steps in {} s", problem.name, problem.duration),
        columns,
        rows: rows.collect(),
    }
}
