//! Writes the results of a run: `report.html`, `report.json`, and a CSV of every table, figure and claim.

use std::io::{self, Write};
use std::time::Duration;

use hamel_compiler::escape::file_name;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::claim::{Claim, Measured, Statement, Verdict};
use crate::experiment::{Experiment, Paper};
use crate::folder::{Folder, FolderError};
use crate::html;
use crate::plot;
use crate::provenance::Provenance;
use crate::report::{Cell, Figure, Report, Table};
use crate::reproduce::Outcome;

/// The report's files, beside those of its experiments.
pub const REPORT: [&str; 2] = ["report.html", "report.json"];

/// The page with moving pictures in the folder of an experiment, if there is one.
pub const MOTION: &str = "motion.html";

/// Why results could not be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The folder or the file system refused.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A document could not be composed.
    #[error("cannot compose `{document}`: {reason}")]
    Document {
        /// Name of the document.
        document: String,
        /// The reason.
        reason: String,
    },
}

/// Stages the report on experiments: it is written beside its place until the folder is committed.
///
/// # Errors
/// When a file cannot be composed or written.
pub fn stage_report(
    folder: &mut Folder,
    papers: &[Paper],
    outcomes: &[Outcome],
    provenance: &Provenance,
) -> Result<(), OutputError> {
    let page = html::page(papers, outcomes, provenance).map_err(|error| broken(REPORT[0], &error))?;
    stage_text(folder, REPORT[0], &page)?;
    stage_json(folder, REPORT[1], &document(outcomes, provenance))
}

/// Stages the results of an experiment: its files, and the result that [`kept`] reads.
///
/// # Errors
/// When a file cannot be composed or written.
pub fn stage_outcome(folder: &mut Folder, outcome: &Outcome) -> Result<(), OutputError> {
    let Ok(report) = &outcome.result else { return Ok(()) };
    let slug = outcome.experiment.slug();
    stage_csv(folder, &format!("{slug}/claims.csv"), claim_rows(&report.claims))?;
    for table in &report.tables {
        // A figure of the same name has the name for itself.
        let is_taken = report.figures.iter().any(|figure| figure.slug == table.slug);
        let end = if is_taken { "_table" } else { "" };
        stage_csv(folder, &format!("{slug}/{}{end}.csv", file_name(&table.slug)), table_rows(table))?;
    }
    for figure in &report.figures {
        stage_csv(folder, &format!("{slug}/{}.csv", file_name(&figure.slug)), figure_rows(figure))?;
    }
    stage_figures(folder, &format!("{slug}/"), &report.figures)?;
    let mut result = Vec::new();
    let kept = Kept { id: outcome.experiment.id, seconds: outcome.elapsed.as_secs_f64(), report };
    ciborium::into_writer(&kept, &mut result).map_err(|error| broken(&slug, &error))?;
    Ok(folder.stage_result(&slug, &result)?)
}

/// Stages figures as SVG; `begin` is the beginning of their names.
///
/// # Errors
/// When a file cannot be composed or written.
pub fn stage_figures(folder: &mut Folder, begin: &str, figures: &[Figure]) -> Result<(), OutputError> {
    figures.iter().try_for_each(|figure| {
        stage_text(folder, &format!("{begin}{}.svg", file_name(&figure.slug)), &plot::svg(figure))
    })
}

/// Stages a value as JSON.
///
/// # Errors
/// When the file cannot be written.
pub fn stage_json(folder: &mut Folder, name: &str, value: &impl Serialize) -> Result<(), OutputError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| broken(name, &error))?;
    stage_text(folder, name, &text)
}

/// The stored result of an experiment until all have finished. Not JSON, which has only finite numbers.
#[derive(Serialize)]
struct Kept<'a> {
    id: &'a str,
    seconds: f64,
    report: &'a Report,
}

#[derive(Deserialize)]
struct ReadBack {
    id: String,
    seconds: f64,
    report: Report,
}

/// The outcome that a stored result contains, if it belongs to one of these experiments.
pub fn kept(result: &[u8], experiments: &[Experiment]) -> Option<Outcome> {
    let ReadBack { id, seconds, report } = ciborium::from_reader(result).ok()?;
    let experiment = *experiments.iter().find(|experiment| experiment.id == id)?;
    let elapsed = Duration::try_from_secs_f64(seconds).ok()?;
    Some(Outcome { experiment, result: Ok(report), elapsed, is_animated: false })
}

/// The complete results of a run, except the points of curves.
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
    report: Option<Report>,
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
            report: report.map(without_points),
        }
    };
    Document { provenance, experiments: outcomes.iter().map(entry).collect() }
}

/// Points are in the tables of the figures, which [`crate::saved`] reads.
fn without_points(report: &Report) -> Report {
    let mut report = report.clone();
    for figure in &mut report.figures {
        for curve in &mut figure.curves {
            curve.points.clear();
        }
    }
    report
}

fn claim_rows(claims: &[Claim]) -> Vec<Vec<String>> {
    let header = [
        "quantity",
        "unit",
        "expected",
        "origin",
        "measured",
        "deviation",
        "tolerance",
        "used",
        "verdict",
        "reason",
        "source says",
        "because",
    ];
    let full = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let rows = claims.iter().map(|claim| {
        vec![
            claim.what.clone(),
            claim.unit.to_owned(),
            full(claim.expected.value()),
            claim.origin().to_owned(),
            match &claim.measured {
                Measured::Value(value) => value.to_string(),
                Measured::Breakdown(how) => how.clone(),
                Measured::Nothing => String::new(),
            },
            full(claim.deviation()),
            full(claim.expected.tolerance()),
            full(claim.used()),
            claim.verdict().label().to_owned(),
            claim.reason().or(claim.expected.origin_detail()).unwrap_or_default().to_owned(),
        ]
        .into_iter()
        .chain(match &claim.statement {
            Statement::Quantity => [String::new(), String::new()],
            Statement::Words(says) => [says.clone(), String::new()],
            Statement::Differs { printed, why, because } => [printed.clone(), format!("{}: {because}", why.label())],
        })
        .collect()
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
    let header = vec!["curve".into(), named(&figure.x.label, &figure.x.unit), named(&figure.y.label, &figure.y.unit)];
    let rows = figure
        .curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|(x, y)| vec![curve.name.clone(), x.to_string(), y.to_string()]));
    std::iter::once(header).chain(rows).collect()
}

fn named(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

fn stage_text(folder: &mut Folder, name: &str, text: &str) -> Result<(), OutputError> {
    Ok(folder.stage(name, |out| out.write_all(text.as_bytes()))?)
}

fn stage_csv(folder: &mut Folder, name: &str, rows: Vec<Vec<String>>) -> Result<(), OutputError> {
    let write = |out: &mut dyn Write| {
        let mut writer = csv::Writer::from_writer(out);
        // Errors of the disk are passed on unchanged: `io::Error::from` extracts them.
        rows.iter().try_for_each(|row| writer.write_record(row)).map_err(io::Error::from)?;
        writer.flush()
    };
    Ok(folder.stage(name, write)?)
}

fn broken(document: &str, reason: &(impl std::fmt::Display + ?Sized)) -> OutputError {
    OutputError::Document { document: document.to_owned(), reason: reason.to_string() }
}
