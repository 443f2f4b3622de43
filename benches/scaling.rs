//! How the time of a step grows with the number of members: `cargo bench -p hamel-benches --features scaling --bench scaling`,
//! with part of a mechanism's or of a scheme's name as an argument for these alone.
//!
//! A scheme of each family runs chains, four-bars and beams of growing length by `Simulation`. Work is counted by
//! `hamel reproduce --only scaling`, and iterations by `verify/tests/growth.rs`; here are times, which prove nothing.

use std::error::Error;
use std::time::Instant;

use hamel::schemes::{self, FAMILIES};
use hamel::{Model, Scheme, Simulation, State, StepError};
use hamel_benches::chains::{self, Mechanism};

const STEP: f64 = 1e-4;
const STEPS: usize = 40;
/// Steps before this one do what others need not.
const FIRST: usize = 10;
const ROUNDS: usize = 7;
/// One of each family.
const SCHEMES: [&str; 8] =
    ["runge_kutta", "generalized_alpha", "half_explicit", "lms2", "ss2", "esdirk324", "mssth3_published", "radau_iia3"];

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds arguments of its own.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    for family in FAMILIES {
        if !family.entries.iter().any(|entry| SCHEMES.contains(&entry.name)) {
            return Err(format!("no scheme stands for the family `{}`", family.name).into());
        }
    }
    println!("mechanism | scheme | microseconds a step by length | exponents from length to length | from end to end");
    for mechanism in chains::MECHANISMS {
        let mut built = Vec::new();
        for (length, build) in mechanism.lengths {
            let model = build();
            let start = hamel::initial_state(&*model)?;
            built.push((*length, model, start));
        }
        for name in SCHEMES {
            if mechanism.name.contains(&wanted) || name.contains(&wanted) {
                row(mechanism, &built, name)?;
            }
        }
    }
    Ok(())
}

fn row(mechanism: &Mechanism, built: &[(usize, Box<dyn Model>, State)], name: &str) -> Result<(), StepError> {
    let scheme = schemes::by_name(name, &[])?;
    let times = built.iter().map(|(_, model, start)| time(&**model, &*scheme, start)).collect::<Result<Vec<_>, _>>();
    let times = match times {
        Ok(times) => times,
        Err(reason) => {
            println!("{} | {name} | {reason} | |", mechanism.name);
            return Ok(());
        }
    };
    let points: Vec<(f64, f64)> = built.iter().zip(&times).map(|((n, ..), &time)| (*n as f64, time)).collect();
    let cells: Vec<String> = points.iter().map(|(n, time)| format!("{n}: {:.3}", 1e6 * time)).collect();
    let exponents: Vec<String> = points.windows(2).map(|pair| exponent(pair[0], pair[1])).collect();
    let whole = exponent(points[0], points[points.len() - 1]);
    println!("{} | {name} | {} | {} | {whole}", mechanism.name, cells.join(", "), exponents.join(", "));
    Ok(())
}

fn exponent((n, before): (f64, f64), (m, after): (f64, f64)) -> String {
    format!("{:.2}", (after / before).ln() / (m / n).ln())
}

/// Seconds a step, the mean after the first steps; of each step the least of several rounds, which other processes do not
/// interrupt.
fn time(model: &dyn Model, scheme: &dyn Scheme, start: &State) -> Result<f64, StepError> {
    let mut least = [f64::INFINITY; STEPS];
    for _ in 0..ROUNDS {
        let mut instants = Vec::with_capacity(STEPS + 1);
        let simulation = Simulation::new(model, scheme).step(STEP).until(start.t + STEPS as f64 * STEP);
        let simulation = simulation.record_every(usize::MAX).on_step(|_| instants.push(Instant::now()));
        simulation.run(start.clone()).outcome?;
        for (least, pair) in least.iter_mut().zip(instants.windows(2)) {
            *least = least.min((pair[1] - pair[0]).as_secs_f64());
        }
    }
    Ok(least[FIRST..].iter().sum::<f64>() / (STEPS - FIRST) as f64)
}
