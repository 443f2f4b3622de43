//! Measurements: a table of times and values of outputs, with gaps.

use hamel::configuration::ranges;
use hamel::gradient::Changes;
use hamel::model::ModelInfo;
use hamel::nalgebra::RowDVector;
use hamel::trajectory::{is_same_unit, name_and_unit};
use hamel::{Block, State};

use crate::error::FitError;

/// Names of the column of time.
const TIME: [&str; 2] = ["t", "time"];

/// Values of outputs, coordinates and velocities that were measured at ascending times.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurements {
    pub(crate) times: Vec<f64>,
    pub(crate) columns: Vec<Column>,
}

/// What was measured of one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name of the output, coordinate or velocity.
    pub name: String,
    /// SI unit.
    pub unit: String,
    pub(crate) source: Source,
    /// A value for each time, in its unit; `None` where there is none.
    pub values: Vec<Option<f64>>,
    /// Standard deviation of the noise, in its unit; `None` where it is to be estimated.
    pub deviation: Option<f64>,
}

/// What of a motion was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// An output, by its place.
    Output(usize),
    /// A coordinate, and the velocity that is its rate.
    Coordinate(usize, usize),
    /// A velocity.
    Velocity(usize),
}

impl Source {
    /// What a column of a table of runs is: `tip_x`, `hinge.angle`, `velocity(hinge.angle)`, `top.omega_x`.
    fn of(name: &str, info: &ModelInfo) -> Option<(Source, String)> {
        let place = |channels: &[hamel::Channel], name: &str| channels.iter().position(|channel| channel.name == name);
        if let Some(output) = place(&info.outputs, name) {
            return Some((Source::Output(output), info.outputs[output].unit.clone()));
        }
        let rate = name.strip_prefix("velocity(").and_then(|name| name.strip_suffix(')'));
        if let Some(coordinate) = place(&info.coordinates, name) {
            let velocity = velocity_of(coordinate, &info.blocks)?;
            return Some((Source::Coordinate(coordinate, velocity), info.coordinates[coordinate].unit.clone()));
        }
        let velocity = place(&info.velocities, rate.unwrap_or(name))?;
        Some((Source::Velocity(velocity), info.velocities[velocity].unit.clone()))
    }

    pub(crate) fn value(self, state: &State, outputs: &[f64]) -> f64 {
        match self {
            Source::Output(place) => outputs[place],
            Source::Coordinate(place, _) => state.q[place],
            Source::Velocity(place) => state.v[place],
        }
    }

    pub(crate) fn slopes(self, changes: &Changes) -> RowDVector<f64> {
        match self {
            Source::Output(place) => changes.outputs.row(place).into_owned(),
            Source::Coordinate(_, place) => changes.position.row(place).into_owned(),
            Source::Velocity(place) => changes.velocity.row(place).into_owned(),
        }
    }
}

/// The velocity that is the rate of a coordinate; those of attitudes and of places seen from bodies have none.
fn velocity_of(coordinate: usize, blocks: &[Block]) -> Option<usize> {
    let (block, q, v) = ranges(blocks).find(|(_, q, _)| q.contains(&coordinate))?;
    let is_rate = matches!(block, Block::Vector { .. } | Block::EulerParameters);
    is_rate.then_some(v.start + coordinate - q.start)
}

impl Measurements {
    /// Reads comma-separated values: a column `t` with ascending times in s, and columns with the names of outputs, coordinates
    /// or velocities, as in tables of runs (`tip_x`, `hinge.angle`, `velocity(hinge.angle)`). Units
    /// may follow names, as in `x [m]`, and must then be those of the model. Empty cells are gaps; other columns are an
    /// error, as misspelt names would otherwise be left out without a word.
    ///
    /// # Errors
    /// [`FitError::Table`] with the line for what is no number, not finite, negative, or does not ascend;
    /// [`FitError::UnknownOutput`], [`FitError::Unit`].
    pub fn read(text: &str, info: &ModelInfo) -> Result<Self, FitError> {
        Self::read_those(text, info, None)
    }

    /// The same, of a table that has other columns too: only those with these names are read.
    ///
    /// # Errors
    /// Those of [`Measurements::read`], and [`FitError::NoColumn`] if there is no column of a name.
    pub fn read_columns(text: &str, info: &ModelInfo, names: &[String]) -> Result<Self, FitError> {
        Self::read_those(text, info, Some(names))
    }

    fn read_those(text: &str, info: &ModelInfo, names: Option<&[String]>) -> Result<Self, FitError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let table = |line: u64, what: String| FitError::Table { line, what };
        let headers = reader.headers().map_err(|error| table(1, error.to_string()))?.clone();
        let titles: Vec<(&str, Option<&str>)> = headers.iter().map(name_and_unit).collect();
        let is_time = |(name, _): &(&str, Option<&str>)| TIME.contains(name);
        let Some(time) = titles.iter().position(is_time) else {
            return Err(table(1, "expected a column `t` with times in s".to_owned()));
        };
        if let Some(unit) = titles[time].1.filter(|unit| *unit != "s") {
            let (name, found) = (titles[time].0.to_owned(), unit.to_owned());
            return Err(FitError::Unit { name, found, expected: "s".to_owned() });
        }
        let is_title = |name: &&String| titles.iter().any(|(title, _)| title == name);
        if let Some(name) = names.unwrap_or_default().iter().find(|name| !is_title(name)) {
            return Err(FitError::NoColumn { name: name.clone() });
        }
        let is_wanted = |name: &str| names.is_none_or(|names| names.iter().any(|wanted| wanted == name));
        let mut columns = Vec::new();
        let mut places = Vec::new();
        for (place, &(name, unit)) in titles.iter().enumerate() {
            if place == time || !is_wanted(name) {
                continue;
            }
            let Some((source, expected)) = Source::of(name, info) else {
                let known: Vec<String> = info.outputs.iter().map(|output| format!("`{}`", output.name)).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(FitError::UnknownOutput { name: name.to_owned(), known });
            };
            if let Some(found) = unit.filter(|unit| !is_same_unit(unit, &expected)) {
                let (name, found) = (name.to_owned(), found.to_owned());
                return Err(FitError::Unit { name, found, expected });
            }
            if columns.iter().any(|column: &Column| column.source == source) {
                return Err(table(1, format!("`{name}` occurs twice")));
            }
            columns.push(Column { name: name.to_owned(), unit: expected, source, values: Vec::new(), deviation: None });
            places.push(place);
        }
        if columns.is_empty() {
            return Err(table(1, "expected a column with the name of an output beside the times".to_owned()));
        }
        let mut times: Vec<f64> = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| {
                let line = error.position().map_or(0, csv::Position::line);
                table(line, error.to_string())
            })?;
            let line = row.position().map_or(0, csv::Position::line);
            let number = |place: usize| -> Result<Option<f64>, FitError> {
                let cell = row.get(place).unwrap_or_default();
                if cell.is_empty() {
                    return Ok(None);
                }
                match cell.parse::<f64>() {
                    Ok(value) if value.is_finite() => Ok(Some(value)),
                    _ => Err(table(line, format!("expected a finite number or nothing, found `{cell}`"))),
                }
            };
            let Some(t) = number(time)? else { return Err(table(line, "expected a time".to_owned())) };
            if let Some(&last) = times.last().filter(|last| **last >= t) {
                return Err(table(line, format!("expected a time after {last} s, found {t}")));
            }
            if t < 0.0 {
                return Err(table(
                    line,
                    format!("expected a time of at least 0 s, where the motion begins, found {t}"),
                ));
            }
            times.push(t);
            for (column, &place) in columns.iter_mut().zip(&places) {
                column.values.push(number(place)?);
            }
        }
        Ok(Self { times, columns })
    }

    /// Sets the standard deviation of the noise of a column, in the unit of its output.
    ///
    /// # Errors
    /// [`FitError::NoColumn`] if there is no such column; [`FitError::Table`] if it is not positive.
    pub fn with_deviation(mut self, name: &str, deviation: f64) -> Result<Self, FitError> {
        if !deviation.is_finite() || deviation <= 0.0 {
            let what = format!("expected a positive standard deviation of `{name}`, found {deviation}");
            return Err(FitError::Table { line: 1, what });
        }
        match self.columns.iter_mut().find(|column| column.name == name) {
            Some(column) => column.deviation = Some(deviation),
            None => return Err(FitError::NoColumn { name: name.to_owned() }),
        }
        Ok(self)
    }

    /// What was measured up to a time, s.
    pub fn until(mut self, time: f64) -> Self {
        let count = self.times.partition_point(|&t| t <= time);
        self.times.truncate(count);
        self.columns.iter_mut().for_each(|column| column.values.truncate(count));
        self
    }

    /// The times, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

impl Column {
    /// How many values it has.
    pub(crate) fn count(&self) -> usize {
        self.values.iter().flatten().count()
    }

    /// How far its values are apart: the root of their mean square about their mean, or their size.
    pub(crate) fn spread(&self) -> f64 {
        let values: Vec<f64> = self.values.iter().flatten().copied().collect();
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let size = values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        [square.sqrt(), size, 1.0].into_iter().find(|&spread| spread > 1e-9 * size && spread > 0.0).unwrap_or(1.0)
    }
}
