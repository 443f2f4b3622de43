//! The modified scheme on a body with a joint, for weak damping. [sherif, Sects. 7, 8]
//!
//! About a single axis, α = 0 is exact. With the tip held by constraints on position level the same scheme breaks down:
//! its velocity-level errors grow. The paper says in general that some damping is unavoidable; Hamel measures how much.

use hamel::scheme::StepError;
use hamel_compiler::parallel;
use hamel_report::number::{exact_digits, readable};
use hamel_report::{
    Axis, Cell, Claim, Column, Curve, Expected, Figure, Measured, Origin, Report, Style, Table, at_most,
};

use super::Top;
use crate::convergence::largest;
use crate::motion::Grid;
use crate::sherif::schemes::modified;

const STEPS: [f64; 2] = [5e-4, 2.5e-4];
const ALPHAS: [f64; 9] = [0.0, -0.02, -0.04, -0.05, -0.06, -0.08, -0.1, -0.15, -0.2];
const DURATION: f64 = 2.0;
/// A motion whose energy has changed by this share has nothing to do with the top any more.
const BROKEN: f64 = 0.1;

/// What became of a motion.
struct Fate {
    dt: f64,
    alpha: f64,
    /// `(t, |E − E(0)| / E(0))`.
    energy: Vec<(f64, f64)>,
    failure: Option<StepError>,
}

pub(super) fn run() -> Result<Report, StepError> {
    let cases: Vec<(f64, f64)> = STEPS.iter().flat_map(|&dt| ALPHAS.map(|alpha| (dt, alpha))).collect();
    let fates = parallel::map(&cases, |&(dt, alpha)| fate(dt, alpha)).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(Report {
        claims: claims(&fates),
        tables: vec![table(&fates)],
        figures: vec![figure(&fates)],
        notes: vec![
            "The heavy top in absolute coordinates, two seconds. A motion counts as broken down when a step has no solution \
             or the energy has changed by a tenth."
                .into(),
        ],
    })
}

fn fate(dt: f64, alpha: f64) -> Result<Fate, StepError> {
    let top = Top::absolute()?;
    let start = top.energy(&top.initial);
    let grid = Grid::new(dt, DURATION).sampled(400);
    let motion = top.observe(&*modified(alpha)?, grid, |state| (state.t, (top.energy(state) / start - 1.0).abs()));
    Ok(Fate { dt, alpha, energy: motion.samples, failure: motion.failure })
}

impl Fate {
    /// When and how the motion broke down, or the largest change of its energy.
    fn outcome(&self) -> Measured {
        let broken = self.energy.iter().find(|(_, change)| change.is_nan() || *change > BROKEN);
        match (broken, &self.failure) {
            (Some((t, _)), _) => {
                Measured::Breakdown(format!("the energy has changed by a tenth at t = {} s", readable(*t, 3)))
            }
            (None, Some(failure)) => Measured::Breakdown(failure.to_string()),
            (None, None) => Measured::Value(largest(self.energy.iter().map(|point| point.1))),
        }
    }
}

fn claims(fates: &[Fate]) -> Vec<Claim> {
    let claim = |dt: f64, alpha: f64, expected: Expected| {
        let measured =
            fates.iter().find(|fate| fate.dt == dt && fate.alpha == alpha).map_or(Measured::Nothing, Fate::outcome);
        let what = format!(
            "modified scheme, h = {} s, α = {}: change of energy",
            readable(dt, exact_digits(dt, 3)),
            readable(alpha, exact_digits(alpha, 3))
        );
        Claim::new(what, "1", expected, measured)
    };
    let unavoidable = "numerical damping is unavoidable in complex examples";
    vec![
        claim(STEPS[0], 0.0, Expected::Fails).in_words(unavoidable),
        claim(STEPS[1], 0.0, Expected::Fails).in_words(unavoidable),
        claim(STEPS[0], -0.05, Expected::Fails).in_words(unavoidable),
        claim(STEPS[0], -0.1, at_most(1.5e-3, Origin::Recorded)),
        claim(STEPS[1], -0.1, at_most(1.5e-6, Origin::Recorded)),
    ]
}

fn table(fates: &[Fate]) -> Table {
    let rows = fates.iter().map(|fate| {
        let outcome = match fate.outcome() {
            Measured::Breakdown(how) => [Cell::Empty, Cell::Text(how)],
            Measured::Value(change) => [Cell::number(change, 2), Cell::from("stays bounded")],
            Measured::Nothing => [Cell::Empty, Cell::Empty],
        };
        [Cell::number(fate.dt, exact_digits(fate.dt, 3)), Cell::number(fate.alpha, exact_digits(fate.alpha, 3))]
            .into_iter()
            .chain(outcome)
            .collect()
    });
    Table {
        slug: "stability".into(),
        title: "Motions of the heavy top over two seconds".into(),
        columns: vec![
            Column::new("h", "s"),
            Column::new("α", "1"),
            Column::new("largest change of energy, relative", "1"),
            Column::text("outcome"),
        ],
        rows: rows.collect(),
    }
}

fn figure(fates: &[Fate]) -> Figure {
    let shown =
        fates.iter().filter(|fate| fate.dt == STEPS[0] && [0.0, -0.05, -0.08, -0.1, -0.2].contains(&fate.alpha));
    let curve = |fate: &Fate| {
        Curve::new(
            format!("α = {}", readable(fate.alpha, exact_digits(fate.alpha, 3))),
            Style::Line,
            fate.energy.clone(),
        )
    };
    Figure {
        slug: "growth".into(),
        title: "Change of energy for weak damping, h = 5·10⁻⁴ s".into(),
        caption: "For α above about −0.09 the change grows exponentially.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::log("|E − E(0)| / E(0)", "1").within(1e-10, 1.0),
        curves: shown.map(curve).collect(),
        slopes: Vec::new(),
    }
}
