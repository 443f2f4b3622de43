//! How long each stage takes, and each pass of the simplification on all threads together:
//! `cargo run --release -p hamel-compiler --example stages -- FILE...`, where a file holds what stands between the braces
//! of `multibody! { … }`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hamel_compiler::{check, derive, emit, parse, resolve, schedule, simplify};

thread_local! {
    static LAST_PASS: Cell<Instant> = Cell::new(Instant::now());
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  statements",
        "ms", "front", "derive", "simplify", "schedule", "check", "emit"
    );
    for path in std::env::args().skip(1) {
        report(&path)?;
    }
    Ok(())
}

fn report(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(path)?;
    let tokens: proc_macro2::TokenStream = text.parse()?;
    let source = tokens.to_string();
    let mut last = Instant::now();
    let mut times = Vec::new();
    let mut lap = || {
        times.push(last.elapsed().as_secs_f64() * 1e3);
        last = Instant::now();
    };
    let system = resolve::resolve(&parse::parse(tokens)?)?;
    lap();
    let equations = derive::derive(&system);
    lap();
    let passes = Mutex::new(BTreeMap::<&str, (u32, Duration)>::new());
    let watch = |pass| {
        let spent = LAST_PASS.with(|last| last.replace(Instant::now()).elapsed());
        if pass != "begin"
            && let Ok(mut passes) = passes.lock()
        {
            let (runs, time) = passes.entry(pass).or_default();
            *runs += 1;
            *time += spent;
        }
    };
    let (simplified, _) = simplify::simplify_equations_watched(&equations, &simplify::Limits::default(), &watch);
    lap();
    let schedule = schedule::schedule(&equations, &simplified);
    lap();
    check::check(&system, &simplified, &schedule)?;
    lap();
    let header = emit::Header {
        name: &system.name,
        visibility: &system.visibility,
        runtime: None,
        doc: &system.doc,
        source: &source,
    };
    let tokens = emit::emit(&header, &simplified, &schedule)?;
    lap();
    let statements = tokens.to_string().matches("let ").count();
    print!("{:>10.1}", times.iter().sum::<f64>());
    times.iter().for_each(|time| print!(" {time:>9.1}"));
    println!("  {statements} {path}");
    for (pass, (runs, time)) in passes.into_inner()? {
        println!("{pass:>20} {:>9.1} ms in {runs} runs", time.as_secs_f64() * 1e3);
    }
    Ok(())
}
