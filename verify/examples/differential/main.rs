//! Compares all ways in which equations are computed, model by model:
//! `cargo run --release -p hamel-verify --example differential -- COUNT [FIRST SEED]`, or with a file of `cases` for one model.
//!
//! Every seed makes a random mechanism, in one formulation or in two. Machine code of both levels, the interpreter, dual
//! numbers and both formulations must agree, within bounds that rounding leaves; `suite` has the laws. What disagrees is
//! printed with the smallest text that still does; of a single seed the whole text is printed.

mod suite;
mod table;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use hamel_compiler::parallel;
use suite::case::Case;
use suite::emitted::Compilers;
use suite::{ALL_LAWS, Findings, examine, examine_emitted, generate, shrink};
use table::Table;

/// Models between two looks at the clock. Threads end in between: `proc_macro2` keeps what a thread has lexed.
const PORTION: usize = 200;
/// Every how manyth model is generated as Rust and C, too, and compiled by their compilers.
const EMITTED: u64 = 1000;
/// Failures that are shrunk; further ones of the same cause would take long.
const SHRUNK: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments.get(place).and_then(|argument| argument.parse::<u64>().ok());
    std::panic::set_hook(Box::new(|_| {}));
    match (number(0), number(1), arguments.first()) {
        (Some(count), first, _) => {
            let first = first.unwrap_or(0);
            random((first..first.saturating_add(count)).collect())
        }
        (None, _, Some(file)) => known(Path::new(file)),
        _ => {
            eprintln!("usage: differential COUNT [FIRST SEED] | FILE");
            ExitCode::from(2)
        }
    }
}

/// The model of a file, as several seeds look at it.
fn known(file: &Path) -> ExitCode {
    let case = match std::fs::read_to_string(file) {
        Ok(text) => Case::read(&text),
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(2);
        }
    };
    let mut table = Table::default();
    for seed in 0..=ALL_LAWS {
        let findings = examine(&case, seed);
        table.add(seed, &case, &findings);
        report(seed, &case, &findings, &mut table);
    }
    end(&table)
}

/// Random models.
fn random(seeds: Vec<u64>) -> ExitCode {
    let (started, mut told) = (Instant::now(), 0.0);
    let mut table = Table::default();
    let compilers = Compilers::find(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/differential"));
    for portion in seeds.chunks(PORTION) {
        let found = examined(portion);
        for (&seed, (case, findings)) in portion.iter().zip(&found) {
            table.add(seed, case, findings);
            if seeds.len() == 1 {
                println!("{case}");
            }
            report(seed, case, findings, &mut table);
            if seed.is_multiple_of(EMITTED) {
                let findings = examine_emitted(case, seed, &compilers);
                table.add_findings(seed, &findings);
                report(seed, case, &findings, &mut table);
            }
        }
        if started.elapsed().as_secs_f64() > told + 60.0 {
            told = started.elapsed().as_secs_f64();
            eprintln!("{} models after {told:.0} s, {} failures", table.models, table.failures);
        }
    }
    println!("{:.0} s in all", started.elapsed().as_secs_f64());
    end(&table)
}

fn end(table: &Table) -> ExitCode {
    println!("{table}");
    if table.failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Cases of some seeds and what is found about them, on all cores.
fn examined(seeds: &[u64]) -> Vec<(Case, Findings)> {
    let one = |&seed: &u64| {
        let case = generate::case(seed);
        let findings = examine(&case, seed);
        (case, findings)
    };
    let all = || parallel::map(seeds, one);
    std::thread::scope(|scope| scope.spawn(all).join().expect("panics of cases are caught"))
}

/// Prints the failures of a model, the first with the smallest case.
fn report(seed: u64, case: &Case, findings: &Findings, table: &mut Table) {
    for failure in &findings.failures {
        table.failures += 1;
        println!("seed {seed}: {}: {}", failure.law, failure.sentence);
        if table.failures <= SHRUNK {
            println!("{}", shrink::smaller(case, seed, failure));
        }
    }
}
