//! Feeds mutated models to the compiler: `cargo run --release -p hamel-compiler --example fuzz -- 1000000 [first seed]`.
//!
//! Every mutant goes through the front end; of those that it accepts, one of eight goes through all stages. A panic is
//! reported with the smallest model found that still panics, a mutant that takes longer than a minute with its seed.

#[path = "../tests/common/mutation.rs"]
mod mutation;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hamel_compiler::simplify::Limits;
use hamel_compiler::{parse, resolve, stages_within};
use mutation::Corpus;
use proc_macro2::{Group, TokenStream, TokenTree};

const LONGEST: Duration = Duration::from_secs(60);
/// Mutants of one thread: `proc_macro2` keeps every text that a thread has lexed, and forgets it with the thread.
const PORTION: u64 = 20_000;

#[derive(Default)]
struct Counts {
    refused: u64,
    accepted: u64,
    compiled: u64,
    refused_late: u64,
    failures: u64,
}

impl Counts {
    fn run(&mut self, tokens: TokenStream) {
        match parse::parse(tokens.clone()).and_then(|description| resolve::resolve(&description)) {
            Err(_) => self.refused += 1,
            Ok(_) => {
                self.accepted += 1;
                if self.accepted.is_multiple_of(8) {
                    match stages_within(tokens, &Limits::least()) {
                        Ok(_) => self.compiled += 1,
                        Err(_) => self.refused_late += 1,
                    }
                }
            }
        }
    }
}

/// Seed of the mutant at work, for the thread that watches.
static CURRENT: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Some(Ok(count)), first) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: fuzz COUNT [FIRST SEED]");
        return ExitCode::from(2);
    };
    let first = first.and_then(Result::ok).unwrap_or(0);
    let started = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::spawn(watch);
    let mut counts = Counts::default();
    for begin in (0..count).step_by(PORTION as usize) {
        let seeds = first + begin..first + count.min(begin + PORTION);
        counts = std::thread::spawn(|| portion(counts, seeds)).join().expect("panics of mutants are caught");
        println!("{} mutants after {:.0} s", count.min(begin + PORTION), started.elapsed().as_secs_f64());
    }
    let Counts { refused, accepted, compiled, refused_late, failures } = counts;
    println!(
        "{count} mutants: {refused} refused, {accepted} accepted; compiled {compiled}, refused late {refused_late}"
    );
    println!("{failures} panics, {:.0} s, peak memory {}", started.elapsed().as_secs_f64(), peak_memory());
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the mutants with these seeds.
fn portion(mut counts: Counts, seeds: Range<u64>) -> Counts {
    let corpus = Corpus::read();
    for seed in seeds {
        CURRENT.store(seed, Ordering::Relaxed);
        let tokens = corpus.mutant(seed);
        if catch_unwind(AssertUnwindSafe(|| counts.run(tokens.clone()))).is_err() {
            counts.failures += 1;
            println!("seed {seed} panics: {}", message(&tokens));
            println!("{}", smallest(tokens));
        }
    }
    counts
}

/// Ends the program when one mutant takes too long.
fn watch() {
    let mut last = u64::MAX;
    loop {
        std::thread::sleep(LONGEST);
        let current = CURRENT.load(Ordering::Relaxed);
        if current == last {
            eprintln!("seed {current} takes longer than {LONGEST:?}");
            std::process::exit(1);
        }
        last = current;
    }
}

fn panics(tokens: &TokenStream) -> bool {
    let compile = || stages_within(tokens.clone(), &Limits::least()).is_ok();
    catch_unwind(AssertUnwindSafe(compile)).is_err()
}

fn message(tokens: &TokenStream) -> String {
    let payload = catch_unwind(AssertUnwindSafe(|| stages_within(tokens.clone(), &Limits::least()).is_ok()));
    match payload {
        Ok(_) => "only once".to_owned(),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        }
    }
}

/// Leaves out tokens as long as what remains panics.
fn smallest(mut tokens: TokenStream) -> TokenStream {
    while let Some(smaller) = smaller(&tokens).into_iter().find(panics) {
        tokens = smaller;
    }
    tokens
}

/// All models with one run of tokens less, the shortest first.
fn smaller(tokens: &TokenStream) -> Vec<TokenStream> {
    let list: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut candidates = Vec::new();
    let mut length = list.len();
    while length > 0 {
        for start in (0..=list.len() - length).step_by(length) {
            let rest = list[..start].iter().chain(&list[start + length..]).cloned();
            candidates.push(rest.collect());
        }
        length /= 2;
    }
    for (place, token) in list.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            candidates.extend(smaller(&group.stream()).into_iter().map(|inside| {
                let mut list = list.clone();
                list[place] = Group::new(group.delimiter(), inside).into();
                list.into_iter().collect()
            }));
        }
    }
    candidates
}

/// As the kernel reports it, where it does.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |size| size.trim().to_owned())
}
