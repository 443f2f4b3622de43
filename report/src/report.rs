//! The result of an experiment: claims, tables, figures and notes. Data only; `html`, `plot` and `output` present it.

use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Verdict};
use crate::expected::{Fixed, fixed};

/// The outcome of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Numbers with their expectations.
    pub claims: Vec<Claim>,
    /// Tables, in the order they are shown.
    pub tables: Vec<Table>,
    /// Figures, in the order they are shown.
    pub figures: Vec<Figure>,
    /// Paragraphs: choices made, departures from the source.
    pub notes: Vec<String>,
}

impl Report {
    /// The worst verdict of all claims.
    pub fn verdict(&self) -> Verdict {
        self.claims.iter().map(Claim::verdict).max().unwrap_or(Verdict::Reported)
    }
}

/// A table, with a name for its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// File name without ending, unique within the report.
    pub slug: String,
    /// Heading.
    pub title: String,
    /// Column headings.
    pub columns: Vec<Column>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

/// Heading of a table column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Quantity.
    pub name: String,
    /// SI unit, `1` when dimensionless, empty for text.
    #[serde(deserialize_with = "fixed")]
    pub unit: Fixed,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number, shown with this many significant digits and written in full to files.
    Number {
        /// The number.
        #[serde(with = "crate::saved::any_number")]
        value: f64,
        /// Significant digits shown.
        digits: usize,
    },
    /// Text.
    Text(String),
    /// Nothing, e.g. the order of the first row of a convergence table.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl Cell {
    /// A number shown with `digits` significant digits.
    pub fn number(value: f64, digits: usize) -> Self {
        Cell::Number { value, digits }
    }
}

impl Column {
    /// A column of numbers.
    pub fn new(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit }
    }

    /// A column of words.
    pub fn text(name: impl Into<String>) -> Self {
        Self::new(name, "")
    }
}

/// A plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// File name without ending, unique within the report.
    pub slug: String,
    /// What is plotted, with its place in the source.
    pub title: String,
    /// What the figure shows.
    pub caption: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, in the order of the legend.
    pub curves: Vec<Curve>,
    /// Reference lines of given slope, in double logarithmic plots.
    pub slopes: Vec<Slope>,
}

impl Figure {
    /// Names that several curves have, which legends and tables could not tell apart.
    pub fn names_of_several(&self) -> impl Iterator<Item = &str> {
        let names = self.curves.iter().map(|curve| curve.name.as_str()).enumerate();
        let is_again = |&(k, name): &(usize, &str)| self.curves[..k].iter().any(|curve| curve.name == name);
        names.filter(is_again).map(|(_, name)| name)
    }
}

/// An axis of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Quantity, e.g. `ω_x`.
    pub label: String,
    /// SI unit, `1` when dimensionless.
    pub unit: String,
    /// Logarithmic scale.
    pub is_log: bool,
    /// Shown range; from the data when absent.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis over the data's range.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), is_log: false, range: None }
    }

    /// A logarithmic axis over the data's range.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), is_log: true, range: None }
    }

    /// The same axis, showing this range only.
    pub fn within(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Label and unit as they stand at the axis.
    pub fn description(&self) -> String {
        match self.unit.as_str() {
            "" | "1" => self.label.clone(),
            unit => format!("{} ({unit})", self.label),
        }
    }
}

/// A curve of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// `(x, y)`. Left out of `report.json`, because files of tables beside it have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<(f64, f64)>,
    /// Curves of a group share a colour and differ in their markers; others differ in both.
    pub group: Option<usize>,
}

impl Curve {
    /// A curve through points.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), style, points, group: None }
    }

    /// The same curve as one of a group.
    pub fn in_group(self, group: usize) -> Self {
        Self { group: Some(group), ..self }
    }
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Joined points.
    Line,
    /// Joined by dashes.
    Dashed,
    /// Markers only: reference values, digitised points.
    Markers,
    /// Markers joined by lines: measurements at a few abscissae.
    LineAndMarkers,
    /// The name at each point, instead of a place in the legend.
    Name,
}

/// A line of constant slope in a double logarithmic plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slope {
    /// The slope, i.e. the order it stands for.
    pub slope: f64,
    /// A point of the line.
    pub through: (f64, f64),
    /// Where the line begins and ends, in x.
    pub span: (f64, f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_several_curves_have_is_found() {
        let curve = |name: &str| Curve::new(name, Style::Line, Vec::new());
        let figure = |names: &[&str]| Figure {
            slug: "fig".into(),
            title: String::new(),
            caption: String::new(),
            x: Axis::linear("t", "s"),
            y: Axis::linear("y", "m"),
            curves: names.iter().map(|name| curve(name)).collect(),
            slopes: Vec::new(),
        };
        assert_eq!(figure(&["a", "b", "a"]).names_of_several().collect::<Vec<_>>(), ["a"]);
        assert_eq!(figure(&["a", "b", "c"]).names_of_several().count(), 0);
    }
}
