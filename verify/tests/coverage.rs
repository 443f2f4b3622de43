//! The coverage tables of the five source documents leave nothing out and name what exists.

use std::path::Path;

use hamel_report::coverage::{Coverage, numbers};
use hamel_report::{Experiment, Paper};
use hamel_verify::PAPERS;

fn tables() -> impl Iterator<Item = (&'static Paper, Coverage<'static>)> {
    let documents = PAPERS.iter().filter(|paper| !paper.coverage.is_empty());
    documents.map(|paper| (paper, Coverage::parse(paper.coverage).unwrap_or_else(|error| panic!("{error}"))))
}

fn exists(id: &str) -> bool {
    PAPERS.iter().flat_map(|paper| paper.experiments).any(|experiment| experiment.id == id)
}

#[test]
fn every_number_of_every_document_is_in_its_table_once() {
    let keys: Vec<&str> = tables().map(|(paper, _)| paper.key).collect();
    for key in ["simo", "rezaei", "sherif", "zhang", "ship"] {
        assert!(keys.contains(&key), "[{key}] has no table");
    }
    for (paper, coverage) in tables() {
        let faults = coverage.faults(exists);
        assert!(faults.is_empty(), "[{}]\n{}", paper.key, faults.join("\n"));
    }
}

/// An experiment repeats what its place says, so the table names it there.
#[test]
fn every_experiment_is_in_the_table_at_its_place() {
    for (paper, coverage) in tables() {
        for Experiment { id, place, .. } in paper.experiments {
            let named: Vec<_> = coverage.entries.iter().filter(|entry| entry.experiments.contains(id)).collect();
            assert!(!named.is_empty(), "{id} is not in the table of [{}]", paper.key);
            let places: Vec<_> = named.iter().flat_map(|entry| numbers(entry.place)).collect();
            for number in numbers(place) {
                assert!(places.contains(&number), "{id}: the table does not name it at {number:?}");
            }
        }
    }
}

/// A test that holds an equation is a file.
#[test]
fn files_in_remarks_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (_, coverage) in tables() {
        for entry in &coverage.entries {
            let files: Vec<_> =
                entry.remark.split('`').skip(1).step_by(2).filter(|file| file.ends_with(".rs")).collect();
            assert!(!files.is_empty() || entry.status.key() != "tested", "{}: no test is named", entry.place);
            for file in files {
                assert!(root.join(file).is_file(), "{}: there is no `{file}`", entry.place);
            }
        }
    }
}
