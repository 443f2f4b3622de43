//! Reads results that an earlier run has written: `report.json`, and the points of curves from the tables of figures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hamel_compiler::escape::file_name;
use serde::Deserialize;
use thiserror::Error;

use crate::experiment::Experiment;
use crate::output::REPORT;
use crate::provenance::Provenance;
use crate::report::{Figure, Report};
use crate::reproduce::Outcome;

/// Why results could not be read.
#[derive(Debug, Error)]
#[error("cannot read `{}`: {reason}", path.display())]
pub struct SavedError {
    path: PathBuf,
    reason: String,
}

/// The results of a run.
pub struct Saved {
    /// The run.
    pub provenance: Provenance,
    /// Results of experiments that still exist, in the order of the file.
    pub outcomes: Vec<Outcome>,
    /// Experiments that no longer exist, or could not be computed.
    pub skipped: Vec<String>,
}

#[derive(Deserialize)]
struct Document {
    provenance: Provenance,
    experiments: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    seconds: f64,
    report: Option<Report>,
}

/// The results in a folder, of these experiments.
///
/// # Errors
/// When a file is missing or was written by another version.
pub fn read(folder: &Path, experiments: &[Experiment]) -> Result<Saved, SavedError> {
    let path = folder.join(REPORT[1]);
    let broken = |reason: String| SavedError { path: path.clone(), reason };
    let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
    let document: Document = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
    let (mut outcomes, mut skipped) = (Vec::new(), Vec::new());
    for Entry { id, seconds, report } in document.experiments {
        let experiment = experiments.iter().find(|experiment| experiment.id == id);
        let (Some(&experiment), Some(mut report)) = (experiment, report) else {
            skipped.push(id);
            continue;
        };
        for figure in &mut report.figures {
            let name = format!("{}/{}.csv", experiment.slug(), file_name(&figure.slug));
            read_points(figure, &folder.join(name))?;
        }
        let elapsed = Duration::try_from_secs_f64(seconds).map_err(|error| broken(error.to_string()))?;
        outcomes.push(Outcome { experiment, result: Ok(report), elapsed, is_animated: false });
    }
    Ok(Saved { provenance: document.provenance, outcomes, skipped })
}

/// Fills the curves of a figure: rows of curve, x and y, curve by curve.
fn read_points(figure: &mut Figure, path: &Path) -> Result<(), SavedError> {
    let broken = |reason: String| SavedError { path: path.to_owned(), reason };
    let mut reader = csv::Reader::from_path(path).map_err(|error| broken(error.to_string()))?;
    let mut points: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for row in reader.deserialize() {
        let (name, x, y): (String, f64, f64) = row.map_err(|error| broken(error.to_string()))?;
        points.entry(name).or_default().push((x, y));
    }
    for curve in &mut figure.curves {
        curve.points = points.remove(&curve.name).unwrap_or_default();
    }
    let rest: usize = points.values().map(Vec::len).sum();
    if rest > 0 { Err(broken(format!("{rest} points belong to no curve"))) } else { Ok(()) }
}

/// Numbers that may be infinite or undefined, which JSON does not have: those are written as text.
pub(crate) mod any_number {
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Text(String),
    }

    pub(crate) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { to.serialize_f64(*value) } else { to.collect_str(value) }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        match Written::deserialize(from)? {
            Written::Number(value) => Ok(value),
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}
