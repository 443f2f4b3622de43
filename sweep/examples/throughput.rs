//! What a step of a case of a sweep takes, one by one and in lanes, and what it takes by itself: `throughput [CASES]`.
//!
//! One thread; both in turns, of which the least time counts. Tables are compared bit by bit.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hamel::schemes::RungeKutta;
use hamel::simulation::Steps;
use hamel::together::Together;
use hamel::{Options, Scheme, initial_state};
use hamel_jit::{JitModel, LANES, Level};
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
        steps_alone(name, subject.model(), level)?;
        let sweep = || Sweep::new(&subject, &cases, &motion, &outputs);
        let (mut least, mut found) = ([f64::INFINITY; 2], [BTreeMap::new(), BTreeMap::new()]);
        for round in 0..2 * ROUNDS {
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
        if found[0] != found[1] {
            return Err(format!("the tables of {name} differ").into());
        }
        println!("{name}, {level:?}: {one:.0} ns a step in a sweep, {lanes:.0} in lanes, {:.2} times", one / lanes);
    }
    Ok(())
}

/// Steps of which nothing is recorded.
fn steps_alone(name: &str, model: &JitModel, level: Level) -> Result<(), Box<dyn std::error::Error>> {
    const STEPS: u64 = 5000;
    let models: Vec<JitModel> = (0..LANES).map(|_| model.another()).collect();
    let start = initial_state(model)?;
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let mut stepper = RungeKutta.start(model, start.clone())?;
        for _ in 0..STEPS {
            stepper.step(1e-3)?;
        }
        least[0] = least[0].min(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        let mut together = Together::<_, LANES>::new(&models, vec![start.clone(); LANES])?;
        together.advance(STEPS, 1e-3)?;
        least[1] = least[1].min(begin.elapsed().as_secs_f64() / LANES as f64);
        for lane in 0..LANES {
            let (found, expected) = (together.state(lane)?, stepper.state());
            assert!(found.q == expected.q && found.v == expected.v && found.a == expected.a, "lane {lane} of {name}");
        }
    }
    let [one, lanes] = least.map(|seconds| 1e9 * seconds / STEPS as f64);
    println!("{name}, {level:?}: {one:.0} ns a step alone, {lanes:.0} in lanes, {:.2} times", one / lanes);
    Ok(())
}
