//! The report as one self-contained HTML page: `page/report.html` filled in, figures embedded as SVG.
//!
//! All numbers are formatted here; the template only places them. The scripts of the page add folding, a filter and
//! values under the pointer; without them everything is shown.

mod front;

use std::collections::BTreeMap;
use std::error::Error;

use hamel_compiler::escape;
use minijinja::value::{Value, ViaDeserialize};
use minijinja::{AutoEscape, Environment, context, escape_formatter};
use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Measured, Statement, Verdict};
use crate::expected::Expected;
use crate::experiment::Paper;
use crate::number::{exact_digits, readable};
use crate::output::MOTION;
use crate::plot;
use crate::provenance::Provenance;
use crate::report::{Cell, Column, Figure, Report, Table};
use crate::reproduce::Outcome;

const TEMPLATE: &str = include_str!("page/report.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

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
    environment.add_function("bar", |counts: ViaDeserialize<Vec<Count>>| Value::from_safe_string(bar(&counts)));
    let page = environment.get_template("report")?.render(context! {
        style => [STYLE, plot::PAGE_STYLE].concat(),
        script => [SCRIPT, plot::PAGE_SCRIPT].concat(),
        papers => front::papers(papers, outcomes)?,
        summary => summary(outcomes),
        meanings => Verdict::ALL.map(Meaning::new),
        seconds => readable(outcomes.iter().map(|outcome| outcome.elapsed.as_secs_f64()).sum(), 3),
        provenance,
    })?;
    Ok(page)
}

/// How many claims have a verdict.
#[derive(Serialize, Deserialize)]
struct Count {
    verdict: String,
    label: String,
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
    /// HTML.
    notes: Vec<String>,
    /// The page with moving pictures, from the page of the report.
    motion: Option<String>,
    /// The identifier without the document.
    short: &'static str,
    verdicts: Vec<Count>,
    sayings: Vec<Saying>,
}

/// What the source states in words, with the worst of the claims on it.
#[derive(Serialize)]
struct Saying {
    says: String,
    because: Option<String>,
    /// Of the claim with that verdict.
    id: String,
    verdict: &'static str,
    label: &'static str,
    count: usize,
    #[serde(skip)]
    worst: Verdict,
}

#[derive(Serialize)]
struct ClaimView {
    id: String,
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
    id: String,
    title: String,
    caption: String,
    svg: String,
    keys: Vec<KeyView>,
    /// The file with all points, beside the page.
    csv: String,
}

#[derive(Serialize)]
struct KeyView {
    curve: usize,
    name: String,
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

/// The number of results with each verdict; an experiment that could not be computed counts as one failure.
fn summary<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Vec<Count> {
    let verdicts = outcomes.into_iter().flat_map(|outcome| match &outcome.result {
        Ok(report) => report.claims.iter().map(Claim::verdict).collect(),
        Err(_) => vec![Verdict::Outside],
    });
    let verdicts: Vec<Verdict> = verdicts.collect();
    let count = |verdict: Verdict| verdicts.iter().filter(|&&v| v == verdict).count();
    let counts = Verdict::ALL.iter().map(|&verdict| Count {
        verdict: verdict.key().into(),
        label: verdict.label().into(),
        count: count(verdict),
    });
    counts.filter(|entry| entry.count > 0).collect()
}

/// A verdict for readers of the page alone; `docs/testing.md` has the same table.
#[derive(Serialize)]
struct Meaning {
    verdict: &'static str,
    label: &'static str,
    meaning: &'static str,
}

impl Meaning {
    fn new(verdict: Verdict) -> Self {
        let meaning = match verdict {
            Verdict::Reproduced => "a printed number, within the stated tolerance",
            Verdict::Agrees => "a number from theory or from an independent computation, or a bound",
            Verdict::Ordering => "a comparison or a trend that the source states in words or as a curve",
            Verdict::AsRecorded => "a number or a bound of an earlier run of ours: it shows constancy only",
            Verdict::SourceIsWrong => "with a proof that does not rest on our numbers: algebra, or a closed form",
            Verdict::NotDetermined => "the result depends on data that the source does not give",
            Verdict::Reported => "shown, never judged, such as times",
            Verdict::NotReproduced => {
                "the source states something else; the cause is unknown, and the claim says what was tried"
            }
            Verdict::OursFails => "our computation fails where that of the source did not",
            Verdict::Outside => "the expectation is not met",
        };
        Self { verdict: verdict.key(), label: verdict.label(), meaning }
    }
}

/// Verdicts as a bar, in proportion.
fn bar(counts: &[Count]) -> String {
    let words: Vec<String> = counts.iter().map(|entry| format!("{} {}", entry.count, entry.label)).collect();
    let part = |entry: &Count| format!("<span class=\"{}\" style=\"flex:{}\"></span>", entry.verdict, entry.count);
    let parts: String = counts.iter().map(part).collect();
    let words = escape::html(&words.join(", "));
    format!("<div class=\"bar\" role=\"img\" aria-label=\"{words}\" title=\"{words}\">{parts}</div>")
}

impl Section {
    fn new(outcome: &Outcome) -> Self {
        let nothing = Report::default();
        let report = outcome.result.as_ref().unwrap_or(&nothing);
        let verdict = outcome.verdict();
        let slug = outcome.experiment.slug();
        let claims = claims(&slug, report);
        Self {
            id: outcome.experiment.id,
            short: outcome.experiment.id.split_once('/').map_or(outcome.experiment.id, |(_, rest)| rest),
            verdicts: summary([outcome]),
            sayings: sayings(report, &claims),
            paper: outcome.experiment.paper(),
            place: outcome.experiment.place,
            title: outcome.experiment.title,
            seconds: readable(outcome.elapsed.as_secs_f64(), 2),
            verdict: verdict.key(),
            verdict_label: verdict.label(),
            error: outcome.result.as_ref().err().map(ToString::to_string),
            claims,
            figures: report.figures.iter().map(|figure| FigureView::new(&slug, figure)).collect(),
            tables: report.tables.iter().map(TableView::new).collect(),
            notes: report.notes.iter().map(|note| with_code(note)).collect(),
            motion: outcome.is_animated.then(|| format!("{slug}/{MOTION}")),
            slug,
        }
    }
}

/// Claims with identifiers that last while their words do; equal words are numbered.
fn claims(slug: &str, report: &Report) -> Vec<ClaimView> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let view = |claim: &Claim| {
        let words: Vec<&str> = claim.what.split(|letter: char| !letter.is_alphanumeric()).collect();
        let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
        let id = format!("{slug}:{words}");
        let number = seen.entry(id.clone()).and_modify(|number| *number += 1).or_insert(1);
        let id = if *number == 1 { id } else { format!("{id}-{number}") };
        ClaimView { id, ..ClaimView::new(claim) }
    };
    report.claims.iter().map(view).collect()
}

/// What the source says, once for each text.
fn sayings(report: &Report, views: &[ClaimView]) -> Vec<Saying> {
    let mut sayings: Vec<Saying> = Vec::new();
    for (claim, view) in report.claims.iter().zip(views) {
        // What the source omits is no statement of it.
        let Some(says) = view.says.as_ref().filter(|_| claim.statement != Statement::Quantity) else { continue };
        let worst = claim.verdict();
        let known = sayings.iter_mut().find(|saying| saying.says == *says && saying.because == view.because);
        let known = match known {
            Some(known) => known,
            None => {
                let (says, because) = (says.clone(), view.because.clone());
                let (id, verdict, label) = (view.id.clone(), view.verdict, view.verdict_label);
                sayings.push(Saying { says, because, id, verdict, label, count: 1, worst });
                continue;
            }
        };
        known.count += 1;
        if worst > known.worst {
            known.id.clone_from(&view.id);
            (known.verdict, known.label, known.worst) = (view.verdict, view.verdict_label, worst);
        }
    }
    sayings
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
            id: String::new(),
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
        Expected::AtMost(bound, _) => format!("≤ {}", readable(bound, exact_digits(bound, 4))),
        Expected::AtLeast(bound, _) => format!("≥ {}", readable(bound, exact_digits(bound, 4))),
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
    fn new(slug: &str, figure: &Figure) -> Self {
        let file = escape::file_name(&figure.slug);
        let id = format!("{slug}-{file}");
        let key = |(curve, name, svg)| KeyView { curve, name, svg };
        Self {
            title: figure.title.clone(),
            caption: figure.caption.clone(),
            svg: plot::inline(figure, &id),
            keys: plot::keys(figure).into_iter().map(key).collect(),
            csv: format!("{slug}/{file}.csv"),
            id,
        }
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

/// Text with names between backticks as HTML.
fn with_code(text: &str) -> String {
    let parts = text.split('`').map(escape::html).enumerate();
    parts.map(|(k, part)| if k % 2 == 1 { format!("<code>{part}</code>") } else { part }).collect()
}
