//! How many cases a second a sweep runs, one by one and in lanes: `throughput [CASES]`.
//!
//! One thread; both in turns, of which the least time counts. Tables are compared bit by bit.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hamel::Options;
use hamel::simulation::Steps;
use hamel_jit::Level;
use hamel_sweep::{Cases, Fixed, Motion, Output, Subject, Sweep};

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cases: u64 = std::env::args().nth(1).map_or(Ok(64), |count| count.parse())?;
    for rods in [1, 2, 6] {
        sweep(&format!("{rods} rods"), &pendulum(rods), "mass", "0.9..1.1", cases)?;
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

fn sweep(name: &str, text: &str, parameter: &str, ends: &str, count: u64) -> Result<(), Box<dyn std::error::Error>> {
    let values = format!("{ends}:{count}").parse()?;
    let cases = Cases::grid(vec![(parameter.to_owned(), values)])?;
    let motion = Motion {
        scheme: "runge_kutta".to_owned(),
        scheme_parameters: Vec::new(),
        steps: Steps::Fixed(1e-3),
        until: 5.0,
        options: Options::default(),
        max_steps: u64::MAX,
    };
    let outputs: [Output; 2] = ["energy.range".parse()?, "kinetic_energy.max".parse()?];
    let steps = (motion.until / 1e-3).round() * count as f64;
    for level in [Level::AtOnce, Level::Optimised] {
        let subject = Subject::new(text.parse()?, level, None, Fixed::default(), cases.names())?;
        let sweep = || Sweep::new(&subject, &cases, &motion, &outputs);
        let (mut least, mut found) = ([f64::INFINITY; 2], [BTreeMap::new(), BTreeMap::new()]);
        for round in 0..2 * ROUNDS {
            if std::env::var("MODE").is_ok_and(|m| (m == "lanes") != (round % 2 == 1)) {
                continue;
            }
            let sweep = if round % 2 == 0 { sweep()?.one_by_one() } else { sweep()? };
            let (stop, mut ended) = (AtomicBool::new(false), BTreeMap::new());
            let begin = Instant::now();
            sweep.compute(0..count, 1, &stop, |case, outcome| {
                ended.insert(case, outcome);
                Ok(())
            })?;
            least[round % 2] = least[round % 2].min(begin.elapsed().as_secs_f64());
            found[round % 2] = ended;
        }
        let [one, lanes] = least.map(|seconds| 1e9 * seconds / steps);
        let same = if found[0] == found[1] { "the same table" } else { "ANOTHER TABLE" };
        println!(
            "{name}, {level:?}: {one:.0} ns a step one by one, {lanes:.0} in lanes, {:.2} times; {same}",
            one / lanes
        );
    }
    Ok(())
}
