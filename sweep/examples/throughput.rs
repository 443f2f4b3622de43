//! What a step of a case of a sweep takes, one by one and in lanes.
//!
//! `throughput [CASES]` sweeps chains of rods; `throughput FILE PARAMETER VALUES SCHEME STEP UNTIL CASES` a model in a file,
//! such as `throughput crane.model load 1..2 generalized_alpha 1e-3 5 64`. One thread; both in turns, of which the least time
//! counts, on Linux that of the processor, which other programs disturb less. Tables are compared bit by bit.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hamel::Options;
use hamel::simulation::Steps;
use hamel_jit::Level;
use hamel_sweep::{Cases, Fixed, Motion, Output, Subject, Sweep};

type Failure = Box<dyn std::error::Error>;

const ROUNDS: usize = 5;
/// Schemes by which chains move.
const SCHEMES: [&str; 4] = ["runge_kutta", "generalized_alpha", "esdirk324", "radau_iia3"];

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [file, parameter, ends, scheme, step, until, cases] = arguments.as_slice() {
        let text = std::fs::read_to_string(file)?;
        let sizes = [step.parse()?, until.parse()?];
        return sweep(file, &text, (parameter, ends), scheme, sizes, cases.parse()?);
    }
    let cases: u64 = arguments.first().map_or(Ok(64), |count| count.parse())?;
    for rods in [1, 2, 6] {
        for scheme in SCHEMES {
            sweep(&format!("{rods} rods"), &pendulum(rods), ("mass", "0.9..1.1"), scheme, [1e-3, 5.0], cases)?;
        }
    }
    Ok(())
}

/// Rods in a row, with friction in the hinges.
fn pendulum(rods: usize) -> String {
    format!(
        "model Pendulum {{
            planar;
            coordinates joint;
            gravity [0, -9.81] m/s^2;
            param mass = 1 kg;
            param friction = 0.01 N m s/rad;
            for k in 0..{rods} {{
                body rod[k] {{ mass: mass, inertia: 0.1 kg m^2 }}
            }}
            joint hinge[0]: revolute(ground, rod[0] at [-0.5, 0] m);
            for k in 1..{rods} {{
                joint hinge[k]: revolute(rod[k - 1] at [0.5, 0] m, rod[k] at [-0.5, 0] m);
                torque bearing[k]: -friction * (rod[k].angular_velocity - rod[k - 1].angular_velocity) on rod[k] from rod[k - 1];
            }}
            initial hinge[0].angle = 30 deg;
            output tip = (rod[{}] at [0.5, 0] m).position;
        }}",
        rods - 1
    )
}

fn sweep(
    name: &str,
    text: &str,
    (parameter, ends): (&str, &str),
    scheme: &str,
    [step, until]: [f64; 2],
    count: u64,
) -> Result<(), Failure> {
    let values = format!("{ends}:{count}").parse()?;
    let cases = Cases::grid(vec![(parameter.to_owned(), values)])?;
    let motion = Motion {
        scheme: scheme.to_owned(),
        scheme_parameters: Vec::new(),
        steps: Steps::Fixed(step),
        until,
        options: Options::default(),
        max_steps: u64::MAX,
    };
    let outputs: [Output; 2] = ["energy.range".parse()?, "kinetic_energy.max".parse()?];
    let steps = (until / step).round() * count as f64;
    for level in [Level::AtOnce, Level::Optimised] {
        let subject = Subject::new(text.parse()?, level, None, Fixed::default(), cases.names())?;
        let sweep = || Sweep::new(&subject, &cases, &motion, &outputs);
        let (mut least, mut found) = ([f64::INFINITY; 2], [BTreeMap::new(), BTreeMap::new()]);
        for round in 0..2 * ROUNDS {
            let sweep = if round % 2 == 0 { sweep()?.one_by_one() } else { sweep()? };
            let (stop, mut ended) = (AtomicBool::new(false), BTreeMap::new());
            let begin = seconds();
            sweep.compute(0..count, 1, &stop, |case, outcome| {
                ended.insert(case, outcome);
                Ok(())
            })?;
            least[round % 2] = least[round % 2].min(seconds() - begin);
            found[round % 2] = ended;
        }
        let [one, lanes] = least.map(|seconds| 1e9 * seconds / steps);
        if found[0] != found[1] {
            return Err(format!("the tables of {name} differ").into());
        }
        println!(
            "{name}, {scheme}, {level:?}: {one:.0} ns a step in a sweep, {lanes:.0} in lanes, {:.2} times",
            one / lanes
        );
    }
    Ok(())
}

/// Time of the processor that all threads have taken so far, in hundredths of a second, where the system tells; else the time
/// that has passed.
fn seconds() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ticks = |text: String| -> Option<f64> {
        let mut fields = text.rsplit(')').next()?.split_whitespace().skip(11);
        Some(fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?)
    };
    let taken = std::fs::read_to_string("/proc/self/stat").ok().and_then(ticks);
    taken.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |ticks| 0.01 * ticks)
}
