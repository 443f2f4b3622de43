//! Random starts with contacts: `cargo run --release -p hamel-verify --example random_contacts -- 100000 [first seed]`.
//!
//! Counts how runs end; prints those that break a law, and panics by their seed.

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::process::ExitCode;

use hamel_compiler::parallel;
use hamel_verify::closed_forms::random;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Some(Ok(count)), first) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: random_contacts COUNT [FIRST SEED]");
        return ExitCode::from(2);
    };
    let first = first.and_then(Result::ok).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        catch_unwind(|| random::run(seed)).unwrap_or_else(|_| Err(format!("seed {seed}: panic")))
    });
    let mut ends = BTreeMap::new();
    let mut wrong = 0;
    for (&seed, result) in seeds.iter().zip(results) {
        match result {
            Ok(end) => ends.entry(end).or_insert_with(Vec::new).push(seed),
            Err(sentence) => {
                wrong += 1;
                println!("{sentence}");
            }
        }
    }
    for (end, seeds) in ends {
        println!("{}: {end:?}, e.g. seeds {:?}", seeds.len(), &seeds[..seeds.len().min(5)]);
    }
    println!("{wrong}: broke a law");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
