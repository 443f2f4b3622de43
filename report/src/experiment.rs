//! Papers and their experiments: results, their places in the papers, and their costs.

use clap::ValueEnum;
use hamel::scheme::StepError;
use serde::Serialize;

use crate::report::Report;

/// A source document and what is reproduced of it.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Short name, as in SOURCES.md.
    pub key: &'static str,
    /// Authors, year and journal in one line.
    pub reference: &'static str,
    /// What it numbers and what becomes of it, as [`crate::coverage`] reads it; empty where nothing is reproduced that
    /// others have numbered.
    pub coverage: &'static str,
    /// In the order of the paper.
    pub experiments: &'static [Experiment],
}

/// One result of a paper, ready to be repeated.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// `paper/system/result`, e.g. `sherif/heavy_top/fig2`.
    pub id: &'static str,
    /// Place of the result, e.g. `Fig. 2`.
    pub place: &'static str,
    /// What is shown, in one line.
    pub title: &'static str,
    /// Order of magnitude of its computing time.
    pub cost: Cost,
    /// Repeats the result.
    pub run: fn() -> Result<Report, StepError>,
}

/// Order of magnitude of an experiment's computing time on one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Runs with the tests.
    Seconds,
    /// Runs by default.
    Minutes,
    /// Runs on request.
    Hours,
}

impl Cost {
    /// The cost in one word.
    pub fn label(self) -> &'static str {
        match self {
            Cost::Seconds => "seconds",
            Cost::Minutes => "minutes",
            Cost::Hours => "hours",
        }
    }
}

impl Experiment {
    /// The key of the paper, from the identifier.
    pub fn paper(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }

    /// The identifier as a file name.
    pub fn slug(&self) -> String {
        self.id.replace('/', "-")
    }
}
