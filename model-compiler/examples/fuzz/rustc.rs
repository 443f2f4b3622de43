//! What the compiler accepts, rustc and the C compiler accept.
//!
//! Of `COUNT` models of each kind those that compile are handed on, some hundred at once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::compilers::{Accepted, Rustc, has_c, rejected_by_c};
use super::harness::{Request, Tally, message};
use super::mutation::Corpus;
use super::renaming::Renaming;
use super::{compiled, shrinking};

/// Models that are handed on together.
const BATCH: usize = 200;
/// How many models are tried on the way to a smaller one.
const TRIALS: u32 = 300;

/// Runs the target.
pub fn run(request: &Request) -> ExitCode {
    let started = Instant::now();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    let Some(rustc) = Rustc::find(&folder.join("rust")) else {
        eprintln!("the runtime is not there: build it with `cargo build --release --workspace --examples`");
        return ExitCode::from(2);
    };
    let has_c = has_c();
    if !has_c {
        println!("C is not checked: there is no compiler `cc`");
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut tally = Tally::default();
    let mut seeds = request.seeds.clone().peekable();
    while seeds.peek().is_some() {
        // `proc_macro2` forgets what a thread has lexed when it ends.
        std::thread::scope(|scope| {
            let batch = || {
                let batch = accepted(&mut seeds, &mut tally);
                tally.count("to rustc", batch.len() as u64);
                judge(&batch, "rustc", &mut tally, |models| rustc.rejected(models));
                if has_c {
                    tally.count("to cc", batch.len() as u64);
                    judge(&batch, "cc", &mut tally, |models| rejected_by_c(&folder.join("c"), models));
                }
                eprintln!("{} more models after {:.0} s", batch.len(), started.elapsed().as_secs_f64());
            };
            scope.spawn(batch).join().expect("panics of cases are caught");
        });
    }
    tally.report(&request.target, &request.seeds, started)
}

/// The next models that compile.
fn accepted(seeds: &mut impl Iterator<Item = u64>, tally: &mut Tally) -> Vec<Accepted> {
    let (mutated, renamed) = (Corpus::read(), Renaming::read());
    let mut batch = Vec::new();
    for seed in seeds {
        for (kind, source) in [("tokens", mutated.mutant(seed)), ("names", renamed.mutant(seed))] {
            let name = format!("{kind}_{seed}");
            match catch_unwind(AssertUnwindSafe(|| compiled(source.clone()))) {
                Ok(Ok(Some(stages))) => batch.push(Accepted::new(name, &source, &stages)),
                Ok(Ok(None)) => tally.count("refused", 1),
                Ok(Err(sentence)) => tally.break_law(&format!("{name}: {sentence}")),
                Err(payload) => tally.break_law(&format!("{name} panics: {}\n{source}", message(&*payload))),
            }
        }
        if batch.len() >= BATCH {
            break;
        }
    }
    batch
}

/// Tells of those models of a batch that a compiler rejects, each with the smallest model that it still rejects.
fn judge(batch: &[Accepted], by: &str, tally: &mut Tally, rejected: impl Fn(&[&Accepted]) -> BTreeMap<String, String>) {
    let mut left: Vec<&Accepted> = batch.iter().collect();
    loop {
        let wrong = rejected(&left);
        if wrong.is_empty() {
            return;
        }
        // Errors of an early phase hide those of later ones: the rest is handed on again.
        let (bad, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|model| wrong.contains_key(&model.name));
        if bad.is_empty() {
            tally.break_law(&format!("{by} rejects a batch for no model of it: {wrong:?}"));
            return;
        }
        for model in bad {
            let trials = Cell::new(TRIALS);
            let source = model.source.parse().expect("it was tokens");
            let small = shrinking::smallest(source, |tokens| {
                let Some(left) = trials.get().checked_sub(1) else { return false };
                let stages = catch_unwind(AssertUnwindSafe(|| compiled(tokens.clone())));
                let Ok(Ok(Some(stages))) = stages else { return false };
                trials.set(left);
                !rejected(&[&Accepted::new("smaller".to_owned(), tokens, &stages)]).is_empty()
            });
            tally.break_law(&format!("{by} rejects {}: {}\nsmaller: {small}\n", model.name, wrong[&model.name]));
        }
        left = rest;
    }
}
