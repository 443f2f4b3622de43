//! Writes what a run found: `report.html`, `report.json`, and a CSV of every table, figure and claim.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use crate::claim::{Claim, Measured, Verdict};
use crate::html;
use crate::plot;
use crate::provenance::Provenance;
use crate::report::{Cell, Figure, Report, Table};
use crate::reproduce::Outcome;

/// Why results could not be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The file system refused.
    #[error("cannot write `{}`: {source}", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A document could not be composed.
    #[error("cannot compose `{document}`: {reason}")]
    Document {
        /// Name of the document.
        document: String,
        /// The reason.
        reason: String,
    },
}

impl OutputError {
    /// A refusal by the file system.
    pub fn file(path: &Path, source: io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}

/// Makes sure that files can be written to `directory`, before anything is computed.
///
/// # Errors
/// When the directory cannot be made or written to.
pub fn prepare(directory: &Path) -> Result<(), OutputError> {
    fs::create_dir_all(directory).map_err(|error| OutputError::file(directory, error))?;
    let probe = directory.join(".writable");
    fs::write(&probe, "").and_then(|()| fs::remove_file(&probe)).map_err(|error| OutputError::file(directory, error))
}

/// Writes all documents of a run and returns the path of the HTML report.
///
/// # Errors
/// When a file cannot be written.
pub fn write(directory: &Path, outcomes: &[Outcome], provenance: &Provenance) -> Result<PathBuf, OutputError> {
    let page = directory.join("report.html");
    save(&page, &html::page(outcomes, provenance).map_err(|error| broken("report.html", &error))?)?;
    write_json(&directory.join("report.json"), &document(outcomes, provenance))?;
    for outcome in outcomes {
        if let Ok(report) = &outcome.result {
            write_report(&directory.join(outcome.experiment.slug()), report)?;
        }
    }
    Ok(page)
}

fn write_report(directory: &Path, report: &Report) -> Result<(), OutputError> {
    fs::create_dir_all(directory).map_err(|error| OutputError::file(directory, error))?;
    save_csv(&directory.join("claims.csv"), claim_rows(&report.claims))?;
    write_tables(directory, &report.tables)?;
    write_figures(directory, &report.figures)?;
    for figure in &report.figures {
        save_csv(&directory.join(format!("{}.csv", figure.slug)), figure_rows(figure))?;
    }
    Ok(())
}

/// Writes tables as CSV, numbers in full.
///
/// # Errors
/// When a file cannot be written.
pub fn write_tables(directory: &Path, tables: &[Table]) -> Result<(), OutputError> {
    tables.iter().try_for_each(|table| save_csv(&directory.join(format!("{}.csv", table.slug)), table_rows(table)))
}

/// Writes figures as SVG.
///
/// # Errors
/// When a file cannot be written.
pub fn write_figures(directory: &Path, figures: &[Figure]) -> Result<(), OutputError> {
    figures.iter().try_for_each(|figure| {
        let svg = plot::svg(figure).map_err(|error| broken(&figure.slug, &*error))?;
        save(&directory.join(format!("{}.svg", figure.slug)), &svg)
    })
}

/// Writes a value as JSON.
///
/// # Errors
/// When the file cannot be written.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), OutputError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| broken(&path.display().to_string(), &error))?;
    save(path, &text)
}

/// Everything there is to know about a run.
#[derive(Serialize)]
struct Document<'a> {
    provenance: &'a Provenance,
    experiments: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    paper: &'a str,
    place: &'a str,
    title: &'a str,
    cost: &'a str,
    seconds: f64,
    verdict: Verdict,
    error: Option<String>,
    /// Of the report's claims, in their order.
    verdicts: Vec<Verdict>,
    report: Option<&'a Report>,
}

fn document<'a>(outcomes: &'a [Outcome], provenance: &'a Provenance) -> Document<'a> {
    let entry = |outcome: &'a Outcome| {
        let report = outcome.result.as_ref().ok();
        Entry {
            id: outcome.experiment.id,
            paper: outcome.experiment.paper(),
            place: outcome.experiment.place,
            title: outcome.experiment.title,
            cost: outcome.experiment.cost.label(),
            seconds: outcome.elapsed.as_secs_f64(),
            verdict: outcome.verdict(),
            error: outcome.result.as_ref().err().map(ToString::to_string),
            verdicts: report.map_or_else(Vec::new, |report| report.claims.iter().map(Claim::verdict).collect()),
            report,
        }
    };
    Document { provenance, experiments: outcomes.iter().map(entry).collect() }
}

fn claim_rows(claims: &[Claim]) -> Vec<Vec<String>> {
    let header = ["quantity", "unit", "expected", "measured", "deviation", "tolerance", "verdict"];
    let full = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let rows = claims.iter().map(|claim| {
        vec![
            claim.what.clone(),
            claim.unit.to_owned(),
            full(claim.expected.value()),
            match &claim.measured {
                Measured::Value(value) => value.to_string(),
                Measured::Breakdown(how) => how.clone(),
                Measured::Nothing => String::new(),
            },
            full(claim.deviation()),
            full(claim.expected.tolerance()),
            claim.verdict().label().to_owned(),
        ]
    });
    std::iter::once(header.map(String::from).to_vec()).chain(rows).collect()
}

fn table_rows(table: &Table) -> Vec<Vec<String>> {
    let header = table.columns.iter().map(|column| named(&column.name, column.unit)).collect();
    let cell = |cell: &Cell| match cell {
        Cell::Number { value, .. } => value.to_string(),
        Cell::Text(text) => text.clone(),
        Cell::Empty => String::new(),
    };
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    std::iter::once(header).chain(rows).collect()
}

/// One row per point: curve, x, y.
fn figure_rows(figure: &Figure) -> Vec<Vec<String>> {
    let header = vec!["curve".into(), named(&figure.x.label, figure.x.unit), named(&figure.y.label, figure.y.unit)];
    let rows = figure
        .curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|(x, y)| vec![curve.name.clone(), x.to_string(), y.to_string()]));
    std::iter::once(header).chain(rows).collect()
}

fn named(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

fn save(path: &Path, text: &str) -> Result<(), OutputError> {
    fs::write(path, text).map_err(|error| OutputError::file(path, error))
}

fn save_csv(path: &Path, rows: Vec<Vec<String>>) -> Result<(), OutputError> {
    let failed = |error: csv::Error| OutputError::file(path, io::Error::other(error));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    for row in rows {
        writer.write_record(&row).map_err(failed)?;
    }
    writer.flush().map_err(|error| OutputError::file(path, error))
}

fn broken(document: &str, reason: &(impl std::fmt::Display + ?Sized)) -> OutputError {
    OutputError::Document { document: document.to_owned(), reason: reason.to_string() }
}
