//! Documents on the page: their cards, and the tables of what is covered of them.

use std::collections::BTreeMap;
use std::error::Error;

use serde::Serialize;

use super::{Count, Section, summary, with_code};
use crate::coverage::{Coverage, Entry, Kind, Status};
use crate::experiment::Paper;
use crate::reproduce::Outcome;

/// A document with its experiments.
#[derive(Serialize)]
pub(super) struct PaperView {
    key: &'static str,
    reference: &'static str,
    /// Whether it is one of the sources, whose content is listed.
    is_document: bool,
    kinds: Vec<KindView>,
    /// The counts in one line.
    covered: String,
    verdicts: Vec<Count>,
    experiments: usize,
    claims: usize,
    coverage: Vec<EntryView>,
    sections: Vec<Section>,
}

/// How many figures, tables or equations are computed, of those that can be.
#[derive(Serialize)]
struct KindView {
    name: &'static str,
    done: usize,
    possible: usize,
    partly: usize,
    missing: usize,
    nothing: usize,
}

#[derive(Serialize)]
struct EntryView {
    place: &'static str,
    what: &'static str,
    status: &'static str,
    label: &'static str,
    /// HTML.
    remark: String,
    experiments: Vec<Link>,
}

/// An experiment of this run, with the number of its claims: their verdicts are on what they say, and not on everything that
/// the experiment is about.
#[derive(Serialize)]
struct Link {
    id: String,
    slug: String,
    claims: usize,
}

/// The documents of which something was run.
pub(super) fn papers(papers: &[Paper], outcomes: &[Outcome]) -> Result<Vec<PaperView>, Box<dyn Error + Send + Sync>> {
    let views = papers.iter().map(|paper| view(paper, outcomes)).collect::<Result<Vec<_>, _>>()?;
    Ok(views.into_iter().filter(|view| view.experiments > 0).collect())
}

fn view(paper: &Paper, outcomes: &[Outcome]) -> Result<PaperView, Box<dyn Error + Send + Sync>> {
    let own: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.experiment.paper() == paper.key).collect();
    let coverage = Coverage::parse(paper.coverage)?;
    let mut kinds: Vec<KindView> =
        Kind::ALL.into_iter().filter_map(|kind| KindView::new(kind.plural(), &coverage.count(kind))).collect();
    if kinds.is_empty() {
        kinds.extend(KindView::new("places", &coverage.count_entries()));
    }
    let covered: Vec<String> =
        kinds.iter().map(|kind| format!("{} of {} {}", kind.done, kind.possible, kind.name)).collect();
    let verdicts = summary(own.iter().copied());
    Ok(PaperView {
        key: paper.key,
        reference: paper.reference,
        is_document: !paper.coverage.is_empty(),
        covered: covered.join(", "),
        claims: verdicts.iter().map(|entry| entry.count).sum(),
        verdicts,
        experiments: own.len(),
        coverage: coverage.entries.iter().map(|entry| entry_view(entry, outcomes)).collect(),
        sections: own.into_iter().map(Section::new).collect(),
        kinds,
    })
}

impl KindView {
    fn new(name: &'static str, counts: &BTreeMap<Status, usize>) -> Option<Self> {
        let count = |status: Status| counts.get(&status).copied().unwrap_or(0);
        let (partly, missing, nothing) = (count(Status::Partly), count(Status::Missing), count(Status::Nothing));
        let done = count(Status::Computed) + count(Status::Tested) + partly;
        let has_any = done + missing + nothing > 0;
        has_any.then_some(Self { name, done, possible: done + missing, partly, missing, nothing })
    }
}

fn entry_view(entry: &Entry<'static>, outcomes: &[Outcome]) -> EntryView {
    let link = |id: &&str| {
        let outcome = outcomes.iter().find(|outcome| outcome.experiment.id == *id)?;
        let claims = outcome.result.as_ref().map_or(0, |report| report.claims.len());
        Some(Link { id: (*id).to_owned(), slug: outcome.experiment.slug(), claims })
    };
    EntryView {
        place: entry.place,
        what: entry.what,
        status: entry.status.key(),
        label: entry.status.label(),
        remark: with_code(entry.remark),
        experiments: entry.experiments.iter().filter_map(link).collect(),
    }
}
