//! Every cheap experiment holds, and what an experiment needs around it is there.

use std::collections::BTreeSet;
use std::path::Path;

use hamel_report::compare::compare;
use hamel_report::folder::{Folder, Manifest, State};
use hamel_report::output;
use hamel_report::plot;
use hamel_report::provenance::Provenance;
use hamel_report::reproduce::{self, Outcome, Unwatched};
use hamel_report::saved;
use hamel_report::{Axis, Cost, Experiment, Figure, Verdict};
use hamel_verify::PAPERS;

fn all() -> impl Iterator<Item = &'static Experiment> {
    PAPERS.iter().flat_map(|paper| paper.experiments)
}

#[test]
fn cheap_experiments_hold_and_their_report_is_well_formed() {
    let outcomes = reproduce::run(&reproduce::select(PAPERS, &[], Cost::Seconds), &Unwatched);
    assert!(!outcomes.is_empty());
    let mut failures = Vec::new();
    for outcome in &outcomes {
        match &outcome.result {
            Err(error) => failures.push(format!("{}: {error}", outcome.experiment.id)),
            Ok(report) => {
                let failed = report.claims.iter().filter(|claim| claim.verdict() == Verdict::Outside);
                failures.extend(failed.map(|claim| format!("{}: {claim:?}", outcome.experiment.id)));
                let loose = report.claims.iter().filter(|claim| claim.is_unexplained());
                let allows = "allows a hundred times what was measured and does not say why";
                failures.extend(loose.map(|claim| format!("{}: {allows}: {claim:?}", outcome.experiment.id)));
                let by_ours = report.claims.iter().filter(|claim| claim.refutes_by_ours());
                failures
                    .extend(by_ours.map(|claim| format!("{}: a proof by our bound: {claim:?}", outcome.experiment.id)));
                for figure in &report.figures {
                    assert_well_formed(&plot::svg(figure));
                    let again = figure.names_of_several().map(|name| format!("{}: two curves `{name}`", figure.slug));
                    failures.extend(again.map(|fault| format!("{}, {fault}", outcome.experiment.id)));
                }
                for table in &report.tables {
                    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.slug);
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    let directory = tempfile::tempdir().unwrap();
    let mut folder = Folder::open(directory.path(), "test", false).unwrap();
    for outcome in &outcomes {
        output::stage_outcome(&mut folder, outcome).unwrap();
    }
    output::stage_report(&mut folder, PAPERS, &outcomes, &Provenance::of_this_run()).unwrap();
    folder.commit().unwrap();
    assert_all_are_read_back(directory.path(), &outcomes);
    folder.finish().unwrap();
    let manifest = Manifest::read(directory.path()).unwrap();
    assert_eq!((manifest.state, manifest.mismatches(directory.path())), (State::Complete, Vec::new()));
    assert!(manifest.files.contains_key("report.html") && manifest.files.len() > 2 + outcomes.len());
    let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    let json = std::fs::read_to_string(directory.path().join("report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["experiments"].as_array().unwrap().len(), outcomes.len());
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    assert_saved_is_read(directory.path(), &outcomes);
    for outcome in &outcomes {
        assert!(html.contains(&format!("id=\"{}\"", outcome.experiment.slug())), "{}", outcome.experiment.id);
        let claims = directory.path().join(outcome.experiment.slug()).join("claims.csv");
        let rows = csv::Reader::from_path(claims).unwrap().into_records().map(Result::unwrap).count();
        assert_eq!(rows, outcome.result.as_ref().unwrap().claims.len());
    }
}

/// What is kept of experiments until all have ended is what they found, digit by digit.
fn assert_all_are_read_back(directory: &Path, outcomes: &[Outcome]) {
    let experiments: Vec<Experiment> = outcomes.iter().map(|outcome| outcome.experiment).collect();
    for outcome in outcomes {
        let result = std::fs::read(directory.join(".hamel-results").join(outcome.experiment.slug())).unwrap();
        let again = output::kept(&result, &experiments).expect(outcome.experiment.id);
        assert_eq!(format!("{:?}", again.result.unwrap()), format!("{:?}", outcome.result.as_ref().unwrap()));
        assert_eq!((again.experiment.id, again.elapsed), (outcome.experiment.id, outcome.elapsed));
        // Half of it is nothing.
        assert!(output::kept(&result[..result.len() / 2], &experiments).is_none());
    }
}

/// A report can be made again from the files, which contain all that was found.
fn assert_saved_is_read(directory: &Path, outcomes: &[Outcome]) {
    let experiments: Vec<Experiment> = outcomes.iter().map(|outcome| outcome.experiment).collect();
    let saved = saved::read(directory, &experiments).unwrap_or_else(|error| panic!("{error}"));
    assert!(saved.skipped.is_empty() && saved.provenance.merged.is_empty());
    for (again, outcome) in saved.outcomes.iter().zip(outcomes) {
        assert_eq!(format!("{:?}", again.result), format!("{:?}", outcome.result), "{}", outcome.experiment.id);
    }
    let text = std::fs::read_to_string(directory.join("report.json")).unwrap();
    let comparison = compare(&text, outcomes).unwrap();
    assert!(comparison.changes.is_empty() && comparison.only_once.is_empty(), "{comparison:?}");
}

/// Tags are balanced and properly nested, attributes quoted.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let tag = tag.split_once('>').unwrap_or_else(|| panic!("`<{tag}` is not closed")).0;
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} left open");
}

/// The figures of the README come from the drawing code of today: they carry its rules.
#[test]
fn shown_figures_are_drawn_as_today() {
    let (x, y) = (Axis::linear("t", "s"), Axis::linear("y", "m"));
    let (slug, title, caption) = (String::new(), String::new(), String::new());
    let figure = Figure { slug, title, caption, x, y, curves: Vec::new(), slopes: Vec::new() };
    let rules =
        |svg: &str| svg.split_once("</style>").map(|(begin, _)| begin.split("<style>").last().map(str::to_owned));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/figures");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let drawn: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "svg")).collect();
    assert!(!drawn.is_empty());
    for path in drawn {
        let svg = std::fs::read_to_string(&path).unwrap();
        assert!(rules(&svg).is_some(), "{}", path.display());
        assert_eq!(rules(&svg), rules(&plot::svg(&figure)), "draw {} again", path.display());
    }
}

#[test]
fn identifiers_are_unique_and_begin_with_their_paper() {
    let mut seen = BTreeSet::new();
    for paper in PAPERS {
        for experiment in paper.experiments {
            assert_eq!(experiment.paper(), paper.key);
            assert!(seen.insert(experiment.id), "{} twice", experiment.id);
        }
    }
}

#[test]
fn every_experiment_has_a_row_in_its_papers_readme_and_no_row_is_stale() {
    for paper in PAPERS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(paper.key).join("README.md");
        let text = std::fs::read_to_string(&path).unwrap();
        let prefix = format!("`{}/", paper.key);
        let rows: BTreeSet<&str> = text
            .lines()
            .filter(|line| line.starts_with('|'))
            .filter_map(|line| Some(&line[line.find(&prefix)? + 1..]))
            .filter_map(|rest| rest.split('`').next())
            .collect();
        let experiments: BTreeSet<&str> = paper.experiments.iter().map(|experiment| experiment.id).collect();
        assert_eq!(rows, experiments, "{}", path.display());
    }
}

#[test]
fn every_paper_has_an_entry_in_the_sources() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../SOURCES.md");
    let text = std::fs::read_to_string(sources).unwrap();
    for paper in PAPERS {
        assert!(text.contains(&format!("| `{}` |", paper.key)), "{}", paper.key);
    }
}

#[test]
fn selection_respects_paper_and_cost() {
    let seconds = reproduce::select(PAPERS, &[], Cost::Seconds);
    assert!(seconds.iter().all(|experiment| experiment.cost == Cost::Seconds));
    assert_eq!(
        reproduce::select(PAPERS, &["sherif".into()], Cost::Hours).len(),
        all().filter(|e| e.paper() == "sherif").count()
    );
    assert!(reproduce::select(PAPERS, &["nothing".into()], Cost::Hours).is_empty());
}
