//! Many double pendulums in lanes.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use hamel::together::Together;
use hamel::{Model, State, initial_state};
use hamel_models::double_pendulum::DoublePendulum;

/// Instances in one call: two registers of AVX-512, whose operations overlap.
const WIDTH: usize = 16;

pub fn run(instances: usize, settings: &BTreeMap<String, String>) -> Result<(), Box<dyn Error>> {
    let number = |name: &str| -> Result<f64, Box<dyn Error>> {
        Ok(settings.get(name).ok_or_else(|| format!("`{name}=…` is missing"))?.parse()?)
    };
    let (step, until) = (number("step")?, number("until")?);
    let steps = (until / step).round() as u64;
    let models: Vec<DoublePendulum> = (0..instances).map(|_| DoublePendulum::default()).collect();
    let start = initial_state(models.first().ok_or("there is no instance")?)?;
    let faster = |i: usize| {
        let mut state: State = start.clone();
        state.v[1] += 1e-3 * i as f64;
        state
    };
    for line in std::io::stdin().lock().lines() {
        line?;
        let begin = Instant::now();
        let mut runs = Together::<_, WIDTH>::new(&models, (0..instances).map(faster).collect())?;
        runs.advance(steps, step)?;
        let seconds = begin.elapsed().as_secs_f64();
        let mut tip = [0.0; 2];
        models[0].outputs(&runs.state(0)?, &mut tip);
        println!("{:e} {steps} 0 0 0 {:e} {:e}", seconds / steps as f64, tip[0], tip[1]);
        std::io::stdout().flush()?;
    }
    Ok(())
}
