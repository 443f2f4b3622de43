//! How long steps and kernels take in machine code compiled in memory, relative to generated Rust: `steps [MODEL…]`.
//!
//! Both run in turns in one process, on the same states; the least of several rounds counts.

use std::time::Instant;

use hamel::{Model, Options, State, initial_state, schemes};
use hamel_jit::Level;

const ROUNDS: usize = 9;
const STEP: f64 = 1e-4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        let usual = ["heavy_top", "v8_crank_drive", "chain", "slider_crank_clearance", "thin_beam", "rotating_shaft"];
        names.extend(usual.map(str::to_owned));
    }
    println!("model, level: what: generated Rust, µs; in memory, µs; ratio");
    for name in &names {
        let entry = hamel_models::find(name).ok_or_else(|| format!("there is no model `{name}`"))?;
        let generated = (entry.build)(&[])?;
        let stages = hamel_compiler::stages(generated.describe().source.parse()?)?;
        for level in [Level::AtOnce, Level::Optimised] {
            let compiled = hamel_jit::compile(&stages, level)?;
            let models: [&dyn Model; 2] = [&*generated, &compiled];
            compare(&format!("{name}, {level:?}"), models)?;
        }
    }
    Ok(())
}

fn compare(what: &str, models: [&dyn Model; 2]) -> Result<(), Box<dyn std::error::Error>> {
    let info = models[0].describe();
    let scheme = schemes::by_name(if info.contacts.is_empty() { "generalized_alpha" } else { "moreau" }, &[])?;
    let start = initial_state(models[0])?;
    let mut steppers = Vec::new();
    for model in models {
        steppers.push(scheme.start_with(model, start.clone(), &Options::default())?);
    }
    let (nv, nc) = (info.velocities.len(), info.constraints.len());
    let steps = (20_000 / (nv + nc)).max(20);
    let mut least = [[f64::INFINITY; 2]; 3];
    for _ in 0..ROUNDS {
        for (k, stepper) in steppers.iter_mut().enumerate() {
            let begin = Instant::now();
            for _ in 0..steps {
                stepper.step(STEP)?;
            }
            shorten(&mut least[0][k], begin, steps);
        }
    }
    let state: State = steppers[0].state().clone();
    let (mut r, mut g) = (vec![0.0; nv], vec![0.0; nc]);
    let mut values = vec![0.0; info.iteration_matrix.nnz()];
    for _ in 0..ROUNDS {
        for (k, model) in models.into_iter().enumerate() {
            let begin = Instant::now();
            (0..10 * steps).for_each(|_| model.residual(&state, &mut r, &mut g));
            shorten(&mut least[1][k], begin, 10 * steps);
            let begin = Instant::now();
            (0..10 * steps).for_each(|_| model.iteration_matrix(&state, 1.0, 1e-4, 1e-8, &mut values));
            shorten(&mut least[2][k], begin, 10 * steps);
        }
    }
    for (of, [generated, compiled]) in ["a step", "residual", "iteration matrix"].into_iter().zip(least) {
        println!("{what}: {of}: {generated:.3}, {compiled:.3}, {:.2}", compiled / generated);
    }
    Ok(())
}

fn shorten(least: &mut f64, begin: Instant, calls: usize) {
    *least = least.min(1e6 * begin.elapsed().as_secs_f64() / calls as f64);
}
