//! Orders beside those of an independent computation at the same numbers of steps, over the range of parameters.
//!
//! The data hold orders before they settle too, so that agreement says more than an order rounded to an integer.

use hamel::scheme::StepError;
use hamel::schemes;
use hamel_compiler::parallel;
use hamel_report::{Cell, Claim, Column, Origin, Report, Table, at_least, at_most};
use serde::Deserialize;

use super::problem::{Motion, OSCILLATOR, PENDULUM_INDEX_2, PENDULUM_INDEX_3, Problem};
use super::refinement::{End, Refinement};
use crate::origins::SOME;

const DATA: &str = include_str!("../../data/schemes/orders.csv");
/// How far orders of two computations may be apart: half a unit of the last recorded digit, and rounding.
const TOLERANCE: f64 = 0.0051;
const RECORDED_DIGITS: Origin = Origin::Independent("its orders have two decimals");

/// One line of the data: orders between half of `steps` and `steps`.
#[derive(Clone, Debug, Deserialize)]
struct Row {
    scheme: String,
    /// `name=value`, separated by semicolons.
    parameters: String,
    problem: String,
    steps: u32,
    /// Of q and v together.
    state: Option<f64>,
    q: Option<f64>,
    v: Option<f64>,
    lambda: Option<f64>,
}

/// A line and what was measured beside it.
struct Comparison {
    row: Row,
    name: String,
    /// `(quantity, recorded, measured)`.
    orders: Vec<(&'static str, f64, f64)>,
    /// Relative error of q with the most steps.
    error: f64,
}

impl Comparison {
    /// Whether the scheme was recorded not to converge: what it computes then depends on rounding.
    fn diverges(&self) -> bool {
        self.row.q.is_some_and(|order| order < 0.5)
    }
}

pub(super) fn run() -> Result<Report, StepError> {
    let problems = [("oscillator", &OSCILLATOR), ("index_2", &PENDULUM_INDEX_2), ("index_3", &PENDULUM_INDEX_3)];
    let mut report = Report::default();
    for (key, problem) in problems {
        let motion = problem.motion()?;
        let rows: Vec<Row> = rows()?.into_iter().filter(|row| row.problem == key).collect();
        let comparisons = parallel::map(&rows, |row| compare(row, problem, &motion));
        let comparisons = comparisons.into_iter().collect::<Result<Vec<_>, _>>()?;
        report.claims.extend(claims(problem, &comparisons));
        report.tables.push(table(key, problem, &comparisons));
    }
    report.notes.push(
        "`state` is the larger of the errors of q and v. Orders of λ near zero belong to ρ∞ = 1 and to schemes without \
         damping: their multipliers do not converge with constraints on positions."
            .into(),
    );
    Ok(report)
}

fn rows() -> Result<Vec<Row>, StepError> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(DATA.as_bytes());
    let unreadable =
        |error: csv::Error| StepError::BadParameter { scheme: "recorded orders".to_owned(), reason: error.to_string() };
    reader.deserialize().collect::<Result<_, _>>().map_err(unreadable)
}

fn compare(row: &Row, problem: &Problem, motion: &Motion) -> Result<Comparison, StepError> {
    let parameter = |text: &str| -> Option<(String, f64)> {
        let (name, value) = text.split_once('=')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let parameters: Vec<(String, f64)> = row.parameters.split(';').filter_map(parameter).collect();
    let parameters: Vec<(&str, f64)> = parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let scheme = schemes::by_name(&row.scheme, &parameters)?;
    let refinement = Refinement::new(problem, motion, &*scheme, &[row.steps / 2, row.steps]);
    let order = |error: &dyn Fn(&End) -> f64| match &refinement.ends[..] {
        [coarse, fine] => (error(coarse) / error(fine)).log2(),
        _ => f64::NAN,
    };
    // Relative errors are brought back to the units of the components.
    let state = |end: &End| (end.errors[0] * motion.end[0].amax()).max(end.errors[1] * motion.end[1].amax());
    let orders = [
        row.state.map(|recorded| ("state", recorded, order(&state))),
        row.q.map(|recorded| ("q", recorded, order(&|end| end.errors[0]))),
        row.v.map(|recorded| ("v", recorded, order(&|end| end.errors[1]))),
        row.lambda.map(|recorded| ("λ", recorded, order(&|end| end.errors[2]))),
    ];
    let orders = orders.into_iter().flatten();
    let error = refinement.ends.last().map_or(f64::NAN, |end| end.errors[0]);
    Ok(Comparison { row: row.clone(), name: scheme.name(), orders: orders.collect(), error })
}

/// One claim a scheme over its parameters, and one for each that diverges.
fn claims(problem: &Problem, comparisons: &[Comparison]) -> Vec<Claim> {
    let diverging = comparisons.iter().filter(|comparison| comparison.diverges()).map(|comparison| {
        let what = format!("{}, {}: error of q with the most steps; does not converge", comparison.name, problem.name);
        Claim::new(what, "1", at_least(1e-2, SOME), comparison.error)
    });
    comparisons
        .chunk_by(|a, b| a.row.scheme == b.row.scheme)
        .filter_map(|rows| {
            let orders = rows
                .iter()
                .filter(|row| !row.diverges())
                .flat_map(|row| row.orders.iter().map(move |order| (row, order)));
            let deviations =
                orders.map(|(row, &(quantity, recorded, measured))| ((measured - recorded).abs(), row, quantity));
            let (worst, row, quantity) = deviations.max_by(|a, b| a.0.total_cmp(&b.0))?;
            let what = format!("{}, {}: largest difference of orders, in {quantity}", row.name, problem.name);
            Some(Claim::new(what, "1", at_most(TOLERANCE, RECORDED_DIGITS), worst))
        })
        .chain(diverging)
        .collect()
}

fn table(key: &str, problem: &Problem, comparisons: &[Comparison]) -> Table {
    let columns = ["scheme", "quantity"].map(Column::text).into_iter();
    let numbers = ["steps", "recorded", "measured"].map(|name| Column::new(name, "1"));
    let rows = comparisons.iter().flat_map(|comparison| {
        comparison.orders.iter().map(|&(quantity, recorded, measured)| {
            let steps = f64::from(comparison.row.steps);
            vec![
                Cell::Text(comparison.name.clone()),
                quantity.into(),
                Cell::number(steps, 3),
                Cell::number(recorded, 3),
                Cell::number(measured, 3),
            ]
        })
    });
    Table {
        slug: key.to_owned(),
        title: format!("Orders on {}", problem.name),
        columns: columns.chain(numbers).collect(),
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_read_and_names_a_scheme() {
        let rows = rows().unwrap();
        assert_eq!(rows.len(), DATA.lines().count() - 2);
        for row in rows {
            assert!(schemes::entries().any(|entry| entry.name == row.scheme), "{}", row.scheme);
            assert!([row.state, row.q].iter().any(Option::is_some), "{row:?}");
        }
    }
}
