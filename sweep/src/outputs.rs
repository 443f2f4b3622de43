//! What is kept of a motion: numbers that are reduced from its recorded quantities on the way.

use std::fmt;
use std::str::FromStr;

use hamel::Trajectory;

use crate::error::SweepError;
use crate::table::Column;

/// How the values of a quantity become one number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reduction {
    First,
    Final,
    Min,
    Max,
    /// The largest absolute value.
    Peak,
    /// The largest value less the smallest one.
    Range,
    /// Over time.
    Mean,
    /// The square root of the mean of squares over time.
    Rms,
    TimeOfMin,
    TimeOfMax,
    /// At this time, s, on the line between two steps.
    At(f64),
}

const REDUCTIONS: [(&str, Reduction); 10] = [
    ("first", Reduction::First),
    ("final", Reduction::Final),
    ("min", Reduction::Min),
    ("max", Reduction::Max),
    ("peak", Reduction::Peak),
    ("range", Reduction::Range),
    ("mean", Reduction::Mean),
    ("rms", Reduction::Rms),
    ("time_of_min", Reduction::TimeOfMin),
    ("time_of_max", Reduction::TimeOfMax),
];

/// The sum of kinetic and potential energy, which is no column of its own.
const ENERGY: &str = "energy";

/// A number that is kept of each motion: `tip_y.max`, `hinge.angle.final`, `energy.range`.
///
/// The quantity is a column of [`Trajectory`], or `energy`; the reduction is `first`, `final`, `min`, `max`, `peak` (the
/// largest absolute value), `range`, `mean` and `rms` (over time), `time_of_min`, `time_of_max` or `at(0.5)` (at this time,
/// on the line between two steps), and `final` if there is none. All steps count, whatever is recorded otherwise; what happens within a step is not seen.
///
/// # Examples
/// ```
/// let output: hamel_sweep::Output = "hinge.angle".parse()?;
/// assert_eq!(output.to_string(), "hinge.angle.final");
/// # Ok::<(), hamel_sweep::SweepError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    quantity: String,
    reduction: Reduction,
}

impl FromStr for Output {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Output, SweepError> {
        let text = text.trim();
        let reduction = |word: &str| REDUCTIONS.iter().find(|(name, _)| *name == word).map(|(_, reduction)| *reduction);
        let at = text.strip_suffix(')').and_then(|text| text.rsplit_once(".at("));
        let (quantity, reduction) = match (at, text.rsplit_once('.')) {
            (Some((quantity, time)), _) => match time.trim().parse::<f64>() {
                Ok(time) if time.is_finite() && time >= 0.0 => (quantity, Some(Reduction::At(time))),
                _ => {
                    return Err(SweepError::new(format!(
                        "expected QUANTITY.at(TIME) with a time in s, found `{text}`"
                    )));
                }
            },
            (None, Some((quantity, word))) if reduction(word).is_some() => (quantity, reduction(word)),
            _ => (text, None),
        };
        if quantity.is_empty() {
            return Err(SweepError::new(format!("expected QUANTITY.REDUCTION, found `{text}`")));
        }
        Ok(Output { quantity: quantity.to_owned(), reduction: reduction.unwrap_or(Reduction::Final) })
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Reduction::At(time) = self.reduction {
            return write!(f, "{}.at({time})", self.quantity);
        }
        let name = REDUCTIONS.iter().find(|(_, reduction)| *reduction == self.reduction).map_or("", |(name, _)| name);
        write!(f, "{}.{name}", self.quantity)
    }
}

impl Output {
    /// The value of a quantity at a time, s.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(hamel_sweep::Output::at("tip_y", 0.5).to_string(), "tip_y.at(0.5)");
    /// ```
    pub fn at(quantity: impl Into<String>, time: f64) -> Output {
        Output { quantity: quantity.into(), reduction: Reduction::At(time) }
    }

    /// The time of its value, if it has one.
    pub(crate) fn time(&self) -> Option<f64> {
        if let Reduction::At(time) = self.reduction { Some(time) } else { None }
    }

    /// Where the quantity stands in a table.
    pub(crate) fn quantity(&self, table: &Trajectory) -> Result<Quantity, SweepError> {
        let place = |name: &str| table.place(name);
        match place(&self.quantity) {
            Ok(place) => Ok(Quantity::Column(place)),
            Err(_) if self.quantity == ENERGY => match (place("kinetic_energy"), place("potential_energy")) {
                (Ok(kinetic), Ok(potential)) => Ok(Quantity::Energy([kinetic, potential])),
                (Err(error), _) | (_, Err(error)) => Err(SweepError::new(error.to_string())),
            },
            Err(error) => {
                let reductions: Vec<&str> = REDUCTIONS.iter().map(|(name, _)| *name).collect();
                let columns = table.columns().iter().map(|column| column.name.as_str());
                let mut known: Vec<&str> = columns.chain([ENERGY]).collect();
                known.dedup();
                // All of a small model; the beginning of a long list says what names look like.
                let more = if known.len() > 40 { ", …" } else { "" };
                Err(SweepError::new(format!(
                    "output `{}`: {error}\nhelp: a quantity is one of {}{more}; it may be followed by one of .{}",
                    self.quantity,
                    known[..known.len().min(40)].join(", "),
                    reductions.join(" .")
                )))
            }
        }
    }

    /// Name and unit of the number.
    pub(crate) fn column(&self, table: &Trajectory) -> Result<Column, SweepError> {
        let unit = match (self.reduction, self.quantity(table)?) {
            (Reduction::TimeOfMin | Reduction::TimeOfMax, _) => "s",
            (_, Quantity::Column(place)) => &table.columns()[place].unit,
            (_, Quantity::Energy(_)) => "J",
        };
        Ok(Column { name: self.to_string(), unit: unit.to_owned() })
    }

    /// Begins to reduce.
    pub(crate) fn reducer(&self, quantity: Quantity) -> Reducer {
        let last = Point { t: f64::NAN, value: f64::NAN };
        let (reduction, found) = (self.reduction, f64::NAN);
        Reducer { quantity, reduction, first: None, last, min: last, max: last, sum: 0.0, found }
    }
}

/// Places of a quantity in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity {
    Column(usize),
    Energy([usize; 2]),
}

/// A number that is being reduced.
pub(crate) struct Reducer {
    quantity: Quantity,
    reduction: Reduction,
    first: Option<Point>,
    last: Point,
    min: Point,
    max: Point,
    /// The integral over time, of the squares for their mean.
    sum: f64,
    /// The value at the time that is asked for.
    found: f64,
}

#[derive(Clone, Copy)]
struct Point {
    t: f64,
    value: f64,
}

impl Reducer {
    /// Takes a row into account.
    pub(crate) fn pass(&mut self, row: &[f64]) {
        let value = match self.quantity {
            Quantity::Column(place) => row[place],
            Quantity::Energy(places) => places.map(|place| row[place]).iter().sum(),
        };
        let point = Point { t: row[0], value };
        if self.first.is_none() {
            *self = Reducer { first: Some(point), last: point, min: point, max: point, found: value, ..*self };
            return;
        }
        if let Reduction::At(time) = self.reduction
            && time > self.last.t
        {
            // Beyond the last step, by rounding at most, it is that of the last step.
            let part = ((time - self.last.t) / (point.t - self.last.t)).min(1.0);
            self.found = if part == 1.0 { value } else { self.last.value + part * (value - self.last.value) };
        }
        let power = |value: f64| if self.reduction == Reduction::Rms { value * value } else { value };
        self.sum += 0.5 * (point.t - self.last.t) * (power(self.last.value) + power(value));
        // A value that is not a number stays in the result.
        if value < self.min.value || value.is_nan() {
            self.min = point;
        }
        if value > self.max.value || value.is_nan() {
            self.max = point;
        }
        self.last = point;
    }

    /// The number.
    pub(crate) fn result(&self) -> f64 {
        let first = self.first.unwrap_or(self.last);
        let mean = || {
            let duration = self.last.t - first.t;
            let power = if self.reduction == Reduction::Rms { first.value * first.value } else { first.value };
            if duration > 0.0 { self.sum / duration } else { power }
        };
        match self.reduction {
            Reduction::First => first.value,
            Reduction::Final => self.last.value,
            Reduction::Min => self.min.value,
            Reduction::Max => self.max.value,
            Reduction::Peak if self.min.value.is_nan() => f64::NAN,
            Reduction::Peak => self.min.value.abs().max(self.max.value.abs()),
            Reduction::Range => self.max.value - self.min.value,
            Reduction::Mean => mean(),
            Reduction::Rms => mean().sqrt(),
            Reduction::TimeOfMin => self.min.t,
            Reduction::TimeOfMax => self.max.t,
            Reduction::At(_) => self.found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(reduction: &str, rows: &[[f64; 2]]) -> f64 {
        let mut reducer = format!("x.{reduction}").parse::<Output>().unwrap().reducer(Quantity::Column(1));
        rows.iter().for_each(|row| reducer.pass(row));
        reducer.result()
    }

    #[test]
    fn reductions_of_unequal_steps() {
        let rows = [[0.0, 1.0], [1.0, -3.0], [1.0, -1.0], [4.0, 2.0]];
        for (reduction, expected) in [
            ("first", 1.0),
            ("final", 2.0),
            ("min", -3.0),
            ("max", 2.0),
            ("peak", 3.0),
            ("range", 5.0),
            // A jump takes no time.
            ("mean", (-1.0 + 1.5) / 4.0),
            ("rms", ((5.0 + 7.5) / 4.0_f64).sqrt()),
            ("time_of_min", 1.0),
            ("time_of_max", 4.0),
        ] {
            assert_eq!(reduced(reduction, &rows), expected, "{reduction}");
        }
    }

    #[test]
    fn values_stand_on_lines_between_steps() {
        let rows = [[0.0, 1.0], [1.0, -3.0], [1.0, -1.0], [4.0, 2.0]];
        for (time, expected) in [(0.0, 1.0), (0.25, 0.0), (1.0, -3.0), (2.0, 0.0), (3.5, 1.5), (4.0, 2.0)] {
            assert_eq!(reduced(&format!("at({time})"), &rows), expected, "{time}");
        }
        for text in ["x.at()", "x.at(now)", "x.at(-1)", "x.at(inf)", ".at(1)"] {
            assert!(text.parse::<Output>().is_err(), "{text}");
        }
    }

    #[test]
    fn one_row_is_its_own_mean() {
        for (reduction, expected) in [("mean", -2.0), ("rms", 2.0), ("range", 0.0), ("peak", 2.0)] {
            assert_eq!(reduced(reduction, &[[0.0, -2.0]]), expected, "{reduction}");
        }
    }

    #[test]
    fn what_is_not_a_number_is_not_passed_over() {
        for (reduction, _) in REDUCTIONS.iter().filter(|(name, _)| !["first", "final"].contains(name)) {
            let rows = [[0.0, 1.0], [1.0, f64::NAN], [2.0, 0.0]];
            let found = reduced(reduction, &rows);
            assert!(found.is_nan() || reduction.starts_with("time"), "{reduction}: {found}");
        }
    }

    #[test]
    fn names_may_contain_points() {
        for (text, name) in [
            ("a.b", "a.b.final"),
            ("a.b.max", "a.b.max"),
            ("velocity(h.angle).rms", "velocity(h.angle).rms"),
            ("velocity(h.angle).at(0.50)", "velocity(h.angle).at(0.5)"),
        ] {
            assert_eq!(text.parse::<Output>().unwrap().to_string(), name);
        }
        assert!(".max".parse::<Output>().is_err() && "".parse::<Output>().is_err());
    }
}
