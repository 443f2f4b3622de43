//! Orders beside those of an independent computation at the same numbers of steps, over the range of parameters.
//!
//! The data hold orders before they settle too, so that agreement says more than an order rounded to an integer.

use hamel::scheme::StepError;
use hamel::schemes;
use hamel_compiler::parallel;
use hamel_report::{Cell, Claim, Column, Origin, Report, Table, at_least, at_most};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::{Motion, OSCILLATOR, PENDULUM_INDEX_2, PENDULUM_INDEX_3, Problem};
use super::refinement::{End, Refinement};
use crate::origins::SOME;

const DATA: &str = include_str!("../../data/schemes/orders.csv");
/// How far orders of two computations may be apart: half a unit of the last recorded digit, and rounding.
const TOLERANCE: f64 = 0.0051;
/// Orders that rounding of the start changes by more than this say nothing about the scheme.
const CHANGED: f64 = TOLERANCE / 2.0;
/// Relative changes of the start, within rounding, with which an order is measured again where errors do not shrink.
const ROUNDINGS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
/// Errors of an order below this do not shrink.
const CONVERGES: f64 = 0.5;
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

/// The order of one quantity.
struct Order {
    quantity: &'static str,
    recorded: f64,
    measured: f64,
    /// Its largest change by rounding of the start, where it was recorded not to converge.
    change: f64,
}

/// A line and what was measured beside it.
struct Comparison {
    row: Row,
    name: String,
    orders: Vec<Order>,
    /// Relative error of q with the most steps.
    error: f64,
}

impl Comparison {
    /// Whether the scheme was recorded not to converge: what it computes then depends on rounding.
    fn diverges(&self) -> bool {
        self.row.q.is_some_and(|order| order < CONVERGES)
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
         damping: their multipliers do not converge with constraints on positions. Where rounding of the start decides such \
         an order, it is not compared."
            .into(),
    );
    Ok(report)
}

fn rows() -> Result<Vec<Row>, StepError> {
    lines("recorded orders", DATA)
}

/// Lines of a table that was recorded; `what` names it in errors.
pub(super) fn lines<T: DeserializeOwned>(what: &str, data: &str) -> Result<Vec<T>, StepError> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(data.as_bytes());
    let unreadable = |error: csv::Error| StepError::BadParameter { scheme: what.to_owned(), reason: error.to_string() };
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
    let steps = [row.steps / 2, row.steps];
    let refinement = Refinement::new(problem, motion, &*scheme, &steps);
    let mut orders = orders(row, &refinement, motion);
    if orders.iter().any(|order| order.recorded < CONVERGES) {
        for rounding in ROUNDINGS {
            let mut initial = motion.initial.clone();
            initial.a *= 1.0 + rounding * f64::EPSILON;
            initial.lambda *= 1.0 + rounding * f64::EPSILON;
            let disturbed = Motion { initial, ..problem.motion()? };
            let again = Refinement::new(problem, &disturbed, &*scheme, &steps);
            for (order, again) in orders.iter_mut().zip(self::orders(row, &again, motion)) {
                order.change = order.change.max((order.measured - again.measured).abs());
            }
        }
    }
    let error = refinement.ends.last().map_or(f64::NAN, |end| end.errors[0]);
    Ok(Comparison { row: row.clone(), name: scheme.name(), orders, error })
}

/// The orders that a line has, as measured.
fn orders(row: &Row, refinement: &Refinement, motion: &Motion) -> Vec<Order> {
    let order = |error: &dyn Fn(&End) -> f64| match &refinement.ends[..] {
        [coarse, fine] => (error(coarse) / error(fine)).log2(),
        _ => f64::NAN,
    };
    // Relative errors are brought back to the units of the components.
    let state = |end: &End| (end.errors[0] * motion.end[0].amax()).max(end.errors[1] * motion.end[1].amax());
    let orders = [
        ("state", row.state, order(&state)),
        ("q", row.q, order(&|end| end.errors[0])),
        ("v", row.v, order(&|end| end.errors[1])),
        ("λ", row.lambda, order(&|end| end.errors[2])),
    ];
    let order = |(quantity, recorded, measured): (_, Option<f64>, _)| {
        recorded.map(|recorded| Order { quantity, recorded, measured, change: 0.0 })
    };
    orders.into_iter().filter_map(order).collect()
}

/// One claim a scheme over its parameters, and one for each that diverges.
fn claims(problem: &Problem, comparisons: &[Comparison]) -> Vec<Claim> {
    let diverging = comparisons.iter().filter(|comparison| comparison.diverges()).map(|comparison| {
        let what = format!("{}, {}: error of q with the most steps; does not converge", comparison.name, problem.name);
        Claim::new(what, "1", at_least(1e-2, SOME), comparison.error)
    });
    let undetermined = comparisons.iter().filter(|comparison| !comparison.diverges()).flat_map(|comparison| {
        comparison.orders.iter().filter(|order| order.change > CHANGED).map(|order| {
            let quantity = order.quantity;
            let what = format!(
                "{}, {}: change of the order of {quantity} by rounding of the start",
                comparison.name, problem.name
            );
            Claim::new(what, "1", at_least(CHANGED, Origin::Chosen("Half of what is compared.")), order.change)
        })
    });
    comparisons
        .chunk_by(|a, b| a.row.scheme == b.row.scheme)
        .filter_map(|rows| {
            let orders = rows
                .iter()
                .filter(|row| !row.diverges())
                .flat_map(|row| row.orders.iter().map(move |order| (row, order)))
                .filter(|(_, order)| order.change <= CHANGED);
            let deviations = orders.map(|(row, order)| ((order.measured - order.recorded).abs(), row, order.quantity));
            let (worst, row, quantity) = deviations.max_by(|a, b| a.0.total_cmp(&b.0))?;
            let what = format!("{}, {}: largest difference of orders, in {quantity}", row.name, problem.name);
            Some(Claim::new(what, "1", at_most(TOLERANCE, RECORDED_DIGITS), worst))
        })
        .chain(diverging)
        .chain(undetermined)
        .collect()
}

fn table(key: &str, problem: &Problem, comparisons: &[Comparison]) -> Table {
    let columns = ["scheme", "quantity"].map(Column::text).into_iter();
    let numbers = ["steps", "recorded", "measured"].map(|name| Column::new(name, "1"));
    let rows = comparisons.iter().flat_map(|comparison| {
        comparison.orders.iter().map(|&Order { quantity, recorded, measured, .. }| {
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
