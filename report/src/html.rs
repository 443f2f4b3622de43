//! The report as one self-contained HTML page: `templates/report.html` filled in, figures embedded as SVG.
//!
//! All numbers are formatted here; the template only places them.

use std::error::Error;

use hamel_compiler::escape;
use minijinja::{AutoEscape, Environment, context, escape_formatter};
use serde::Serialize;

use crate::claim::{Claim, Measured, Statement, Verdict};
use crate::expected::Expected;
use crate::experiment::Paper;
use crate::number::readable;
use crate::plot;
use crate::provenance::Provenance;
use crate::report::{Cell, Column, Figure, Report, Table};
use crate::reproduce::Outcome;

const TEMPLATE: &str = include_str!("../templates/report.html");

/// The page.
///
/// # Errors
/// When a figure cannot be drawn or the template is broken.
pub fn page(
    papers: &[Paper],
    outcomes: &[Outcome],
    provenance: &Provenance,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(|out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => Ok(out.write_str(&escape::html(text))?),
        None => escape_formatter(out, state, value),
    });
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_template("report", TEMPLATE)?;
    let experiments = outcomes.iter().map(Section::new).collect::<Result<Vec<_>, _>>()?;
    let page = environment.get_template("report")?.render(context! {
        papers => shown(papers, outcomes),
        summary => summary(outcomes),
        seconds => readable(outcomes.iter().map(|outcome| outcome.elapsed.as_secs_f64()).sum(), 3),
        experiments,
        provenance,
    })?;
    Ok(page)
}

#[derive(Serialize)]
struct PaperView {
    key: &'static str,
    reference: &'static str,
}

#[derive(Serialize)]
struct Count {
    verdict: &'static str,
    label: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct Section {
    id: &'static str,
    slug: String,
    paper: &'static str,
    place: &'static str,
    title: &'static str,
    seconds: String,
    verdict: &'static str,
    verdict_label: &'static str,
    error: Option<String>,
    claims: Vec<ClaimView>,
    figures: Vec<FigureView>,
    tables: Vec<TableView>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ClaimView {
    what: String,
    unit: &'static str,
    expected: String,
    origin: &'static str,
    measured: String,
    breakdown: Option<String>,
    deviation: String,
    tolerance: String,
    verdict: &'static str,
    verdict_label: &'static str,
    used: String,
    says: Option<String>,
    because: Option<String>,
    origin_detail: Option<&'static str>,
    allows: Option<String>,
}

#[derive(Serialize)]
struct FigureView {
    slug: String,
    title: String,
    caption: String,
    svg: String,
}

#[derive(Serialize)]
struct TableView {
    slug: String,
    title: String,
    columns: Vec<ColumnView>,
    rows: Vec<Vec<CellView>>,
}

#[derive(Serialize)]
struct ColumnView {
    text: String,
    is_number: bool,
}

#[derive(Serialize)]
struct CellView {
    text: String,
    is_number: bool,
}

fn shown(papers: &[Paper], outcomes: &[Outcome]) -> Vec<PaperView> {
    let is_shown = |key: &str| outcomes.iter().any(|outcome| outcome.experiment.paper() == key);
    let shown = papers.iter().filter(|paper| is_shown(paper.key));
    shown.map(|paper| PaperView { key: paper.key, reference: paper.reference }).collect()
}

/// The number of results with each verdict; an experiment that could not be computed counts as one failure.
fn summary(outcomes: &[Outcome]) -> Vec<Count> {
    let verdicts: Vec<Verdict> = outcomes
        .iter()
        .flat_map(|outcome| match &outcome.result {
            Ok(report) => report.claims.iter().map(Claim::verdict).collect(),
            Err(_) => vec![Verdict::Outside],
        })
        .collect();
    let count = |verdict: Verdict| verdicts.iter().filter(|&&v| v == verdict).count();
    Verdict::ALL
        .iter()
        .map(|&verdict| Count { verdict: verdict.key(), label: verdict.label(), count: count(verdict) })
        .filter(|entry| entry.count > 0 || entry.verdict == Verdict::Outside.key())
        .collect()
}

impl Section {
    fn new(outcome: &Outcome) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let nothing = Report::default();
        let report = outcome.result.as_ref().unwrap_or(&nothing);
        let verdict = outcome.verdict();
        Ok(Self {
            id: outcome.experiment.id,
            slug: outcome.experiment.slug(),
            paper: outcome.experiment.paper(),
            place: outcome.experiment.place,
            title: outcome.experiment.title,
            seconds: readable(outcome.elapsed.as_secs_f64(), 2),
            verdict: verdict.key(),
            verdict_label: verdict.label(),
            error: outcome.result.as_ref().err().map(ToString::to_string),
            claims: report.claims.iter().map(ClaimView::new).collect(),
            figures: report.figures.iter().map(FigureView::new).collect::<Result<_, _>>()?,
            tables: report.tables.iter().map(TableView::new).collect(),
            notes: report.notes.clone(),
        })
    }
}

impl ClaimView {
    fn new(claim: &Claim) -> Self {
        let verdict = claim.verdict();
        let (says, because) = match &claim.statement {
            Statement::Quantity => (None, None),
            Statement::Words(says) => (Some(says.clone()), None),
            Statement::Differs { printed, why, because } => {
                (Some(printed.clone()), Some(format!("{}: {because}", why.label())))
            }
        };
        Self {
            what: claim.what.clone(),
            unit: if claim.unit == "1" { "" } else { claim.unit },
            expected: expected(&claim.expected),
            origin: claim.origin(),
            measured: match &claim.measured {
                Measured::Value(value) => readable(*value, digits(claim)),
                Measured::Breakdown(_) => "breaks down".into(),
                Measured::Nothing => "–".into(),
            },
            breakdown: match &claim.measured {
                Measured::Breakdown(how) => Some(how.clone()),
                _ => None,
            },
            deviation: claim.deviation().map_or_else(|| "–".into(), |deviation| readable(deviation, 2)),
            tolerance: claim.expected.tolerance().map_or_else(|| "–".into(), |tolerance| readable(tolerance, 2)),
            verdict: verdict.key(),
            verdict_label: verdict.label(),
            used: claim.used().map_or_else(|| "–".into(), |used| readable(used, 2)),
            says,
            because,
            origin_detail: claim.expected.origin_detail(),
            allows: claim.because.clone(),
        }
    }
}

fn expected(expected: &Expected) -> String {
    match *expected {
        Expected::Printed { text, .. } => text.replace('-', "−"),
        Expected::Order { order, .. } => readable(order, 2),
        Expected::Theory { value, tolerance }
        | Expected::Reference { value, tolerance }
        | Expected::Recorded { value, tolerance } => readable(value, significant(value, tolerance)),
        Expected::AtMost(bound, _) => format!("≤ {}", readable(bound, 2)),
        Expected::AtLeast(bound, _) => format!("≥ {}", readable(bound, 2)),
        Expected::Fails => "breaks down".into(),
        Expected::Reported(_) | Expected::Missing(_) => "–".into(),
    }
}

/// Digits that show a value down to a tenth of its tolerance.
fn significant(value: f64, tolerance: f64) -> usize {
    let ratio = (value / tolerance).abs();
    if ratio.is_finite() && ratio > 1.0 { (ratio.log10().ceil() as usize + 1).clamp(3, 14) } else { 3 }
}

fn digits(claim: &Claim) -> usize {
    match (claim.expected.value(), claim.expected.tolerance()) {
        (Some(value), Some(tolerance)) => significant(value, tolerance),
        _ => 3,
    }
}

impl FigureView {
    fn new(figure: &Figure) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(Self {
            slug: figure.slug.clone(),
            title: figure.title.clone(),
            caption: figure.caption.clone(),
            svg: plot::svg(figure)?,
        })
    }
}

impl TableView {
    fn new(table: &Table) -> Self {
        let is_number = |k: usize| table.rows.iter().any(|row| matches!(row.get(k), Some(Cell::Number { .. })));
        let column = |(k, column): (usize, &Column)| ColumnView {
            text: match column.unit {
                "" | "1" => column.name.clone(),
                unit => format!("{} ({unit})", column.name),
            },
            is_number: is_number(k),
        };
        Self {
            slug: table.slug.clone(),
            title: table.title.clone(),
            columns: table.columns.iter().enumerate().map(column).collect(),
            rows: table.rows.iter().map(|row| row.iter().map(CellView::new).collect()).collect(),
        }
    }
}

impl CellView {
    fn new(cell: &Cell) -> Self {
        match cell {
            Cell::Number { value, digits } => Self { text: readable(*value, *digits), is_number: true },
            Cell::Text(text) => Self { text: text.clone(), is_number: false },
            Cell::Empty => Self { text: String::new(), is_number: false },
        }
    }
}
