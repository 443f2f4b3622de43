//! What the programs that fuzz share: cases by seed, panics caught, outcomes counted, time and memory measured.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A case that takes longer ends the program, however busy the machine is.
const LONGEST: Duration = Duration::from_secs(300);
/// A case that takes longer, in time of the processors, breaks a law: a busy machine is none of the program's.
const SLOW: Duration = Duration::from_secs(10);
/// Cases of one thread: `proc_macro2` keeps every text that a thread has lexed, and forgets it with the thread.
const PORTION: u64 = 20_000;
/// Seconds between two lines on standard error.
const SILENCE: f64 = 60.0;

/// What was asked for: `TARGET COUNT [FIRST SEED]`.
pub struct Request {
    /// The target.
    pub target: String,
    /// Seeds of its cases.
    pub seeds: Range<u64>,
}

impl Request {
    /// Reads the arguments of the program; the exit code of wrong usage after saying so.
    pub fn read(targets: &[&str]) -> Result<Request, ExitCode> {
        let mut arguments = std::env::args().skip(1);
        let target = arguments.next().filter(|target| targets.contains(&target.as_str()));
        let mut numbers = arguments.map(|argument| argument.parse::<u64>());
        match (target, numbers.next(), numbers.next(), numbers.next()) {
            (Some(target), Some(Ok(count)), None, _) => Ok(Request { target, seeds: 0..count }),
            (Some(target), Some(Ok(count)), Some(Ok(first)), None) => {
                Ok(Request { target, seeds: first..first.saturating_add(count) })
            }
            _ => {
                eprintln!("usage: {} COUNT [FIRST SEED]", targets.join("|"));
                Err(ExitCode::from(2))
            }
        }
    }
}

/// How cases ended.
#[derive(Default)]
pub struct Tally {
    outcomes: BTreeMap<String, u64>,
    panics: u64,
    broken: u64,
    longest: Duration,
    seed_of_longest: u64,
}

impl Tally {
    /// Counts cases that ended so.
    pub fn count(&mut self, outcome: &str, cases: u64) {
        *self.outcomes.entry(outcome.to_owned()).or_default() += cases;
    }

    /// Counts a case that broke a law, which is printed.
    pub fn break_law(&mut self, sentence: &str) {
        self.broken += 1;
        println!("{sentence}");
    }

    fn time(&mut self, seed: u64, time: Duration, of_processors: Option<Duration>) {
        let worked = of_processors.unwrap_or(time);
        if worked > self.longest {
            (self.longest, self.seed_of_longest) = (worked, seed);
        }
        if worked > SLOW {
            self.break_law(&format!(
                "seed {seed} takes {:.1} s of processors, {time:.1?} in all",
                worked.as_secs_f64()
            ));
        }
    }

    /// Prints the figures; the exit code of the program.
    pub fn report(self, target: &str, seeds: &Range<u64>, started: Instant) -> ExitCode {
        let outcomes: Vec<String> = self.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        println!("{target}: {} cases from seed {}: {}", seeds.end - seeds.start, seeds.start, outcomes.join(", "));
        println!(
            "{} panics, {} broken laws; longest case {:.2} s of processors (seed {}), {:.0} s in all, peak memory {}",
            self.panics,
            self.broken,
            self.longest.as_secs_f64(),
            self.seed_of_longest,
            started.elapsed().as_secs_f64(),
            peak_memory()
        );
        if self.panics + self.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Runs all cases in turn. A case says how it ended, or which law it broke; of one that panics `smallest` makes a text that
/// shows why.
pub fn run<C>(
    request: &Request,
    prepare: impl Fn() -> C + Sync,
    case: impl Fn(&C, u64) -> Result<String, String> + Sync,
    smallest: impl Fn(&C, u64) -> String + Sync,
) -> ExitCode {
    let started = Instant::now();
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
        PLACE.with(|last| last.replace(place.unwrap_or_default()));
    }));
    std::thread::spawn(watch);
    let mut tally = Tally::default();
    let mut told = 0.0;
    for begin in request.seeds.clone().step_by(PORTION as usize) {
        let seeds = begin..request.seeds.end.min(begin.saturating_add(PORTION));
        std::thread::scope(|scope| {
            let portion = || {
                let context = prepare();
                for seed in seeds {
                    if started.elapsed().as_secs_f64() > told + SILENCE {
                        told = started.elapsed().as_secs_f64();
                        eprintln!("at seed {seed} after {told:.0} s, peak memory {}", peak_memory());
                    }
                    CURRENT.store(seed, Ordering::Relaxed);
                    let (begin, work) = (Instant::now(), processor_time());
                    match catch_unwind(AssertUnwindSafe(|| case(&context, seed))) {
                        Ok(Ok(outcome)) => tally.count(&outcome, 1),
                        Ok(Err(sentence)) => tally.break_law(&format!("seed {seed}: {sentence}")),
                        Err(payload) => {
                            tally.panics += 1;
                            let place = PLACE.take();
                            println!(
                                "seed {seed} panics at {place}: {}\n{}",
                                message(&*payload),
                                smallest(&context, seed)
                            );
                        }
                    }
                    let worked = processor_time().zip(work).map(|(end, begin)| end.saturating_sub(begin));
                    tally.time(seed, begin.elapsed(), worked);
                }
            };
            scope.spawn(portion).join().expect("panics of cases are caught");
        });
    }
    tally.report(&request.target, &request.seeds, started)
}

/// What a panic says.
pub fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

thread_local! {
    /// Where the last panic was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Seed of the case at work, for the thread that watches.
static CURRENT: AtomicU64 = AtomicU64::new(0);

/// Ends the program when one case takes too long.
fn watch() {
    let mut last = u64::MAX;
    loop {
        std::thread::sleep(LONGEST);
        let current = CURRENT.load(Ordering::Relaxed);
        if current == last {
            println!("seed {current} takes longer than {LONGEST:?}");
            std::process::exit(1);
        }
        last = current;
    }
}

/// What this program and those that it has called have worked, in hundredths of a second, where the kernel reports it.
fn processor_time() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, which may be anything, stands in parentheses.
    let numbers = status.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    let ticks: u64 = numbers.map(|number| number.parse::<u64>().unwrap_or(0)).sum();
    Some(Duration::from_millis(10 * ticks))
}

/// As the kernel reports it, where it does.
pub fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |size| size.trim().to_owned())
}
