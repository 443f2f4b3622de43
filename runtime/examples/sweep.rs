//! A parameter that is swept over all cores: how high a swing rises, by its stiffness.

use std::thread;

use hamel::schemes::RungeKutta;
use hamel::{Simulation, StepError, initial_state};

hamel::multibody! {
    /// A mass on a spring.
    pub model Oscillator {
        planar;
        coordinates joint;
        param mass = 1 kg;
        param stiffness = 100 N/m;
        body block { mass: mass, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force band: [-stiffness * rail.displacement, 0] on block;
        initial rail.velocity = 1 m/s;
    }
}

/// The largest displacement within two seconds, m.
fn reach(stiffness: f64) -> Result<f64, StepError> {
    let model = Oscillator::new(OscillatorParameters { stiffness, ..Default::default() });
    let run = Simulation::new(&model, &RungeKutta).step(1e-3).until(2.0).run(initial_state(&model)?);
    run.outcome?;
    Ok(run.trajectory.rows().map(|row| row[1]).fold(0.0, f64::max))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let values: Vec<f64> = (1..=40).map(|k| 25.0 * f64::from(k)).collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    // Models and schemes can be used from any thread; results come in the order of the values.
    let reaches: Vec<(f64, f64)> = thread::scope(|scope| {
        let work = |values: &[f64]| values.iter().map(|&k| reach(k).map(|x| (k, x))).collect::<Result<Vec<_>, _>>();
        let chunks = values.chunks(values.len().div_ceil(cores));
        let threads: Vec<_> = chunks.map(|chunk| scope.spawn(move || work(chunk))).collect();
        let joined = threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread panicked"));
        let results: Result<Vec<_>, _> = joined.collect();
        Ok::<_, Box<dyn std::error::Error>>(results?.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    })?;
    for (stiffness, reach) in &reaches {
        println!("{stiffness:6.1} N/m  {reach:.6} m");
        // v √(m/k), seen once a step.
        assert!((reach - 1.0 / stiffness.sqrt()).abs() < 1e-5);
    }
    Ok(())
}
