//! A tenth of a second of motion with generalized-α.

use criterion::{Criterion, criterion_group, criterion_main};
use hamel::{Options, Watchers, simulate_with};

const STEP: f64 = 1e-4;
const STEPS: usize = 1000;

fn simulate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulate");
    group.sample_size(10);
    let scheme = hamel::schemes::GeneralizedAlpha { rho_infinity: 0.8 };
    for (name, model, state) in hamel_benches::models() {
        group.bench_function(name, |bencher| {
            bencher.iter(|| -> Result<f64, hamel::StepError> {
                let mut stepper = hamel::Scheme::start(&scheme, model.as_ref(), state.clone())?;
                for _ in 0..STEPS {
                    stepper.step(STEP)?;
                }
                Ok(stepper.state().t)
            });
        });
    }
    group.finish();
}

/// The same with and without watchers: what these cost. Nothing is recorded between start and end.
fn watchers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("watchers");
    let scheme = hamel::schemes::GeneralizedAlpha { rho_infinity: 0.8 };
    let off = Watchers { constraints: None, finite: false, energy: None };
    for (name, model, state) in hamel_benches::models() {
        if !["heavy_top", "heavy_top_joint", "v8_crank_drive", "disc_pile"].contains(&name) {
            continue;
        }
        group.sample_size(if name == "heavy_top" { 50 } else { 10 });
        for (what, watchers) in [("on", Watchers::default()), ("off", off)] {
            let options = Options { watchers, ..Options::default() };
            let until = STEP * STEPS as f64;
            group.bench_function(format!("{name}/{what}"), |bencher| {
                bencher.iter(|| {
                    let run = simulate_with(&*model, &scheme, &options, state.clone(), STEP, until, usize::MAX);
                    run.outcome.expect("the watchers are content")
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, simulate, watchers);
criterion_main!(benches);
