//! A tenth of a second of motion with generalized-α.

use criterion::{Criterion, criterion_group, criterion_main};
use hamel::{Options, Simulation, Watchers};

const DURATION: f64 = 0.1;

/// The heap has the step of its experiment, s.
fn step_of(model: &str) -> f64 {
    if model == "disc_pile" { 1e-3 } else { 1e-4 }
}

fn simulate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulate");
    group.sample_size(10);
    let scheme = hamel::schemes::by_name("generalized_alpha", &[]).expect("defaults are in range");
    for (name, model, state) in hamel_benches::models() {
        let step = step_of(name);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut stepper = scheme.start(model.as_ref(), state.clone()).expect("it starts");
                for _ in 0..(DURATION / step).round() as usize {
                    stepper.step(step).expect("every step ends well");
                }
                stepper.state().t
            });
        });
    }
    group.finish();
}

/// The same with and without watchers: what these cost. Nothing is recorded between start and end.
fn watchers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("watchers");
    let scheme = hamel::schemes::by_name("generalized_alpha", &[]).expect("defaults are in range");
    let off = Watchers { constraints: None, finite: false, energy: None };
    for (name, model, state) in hamel_benches::models() {
        if !["heavy_top", "heavy_top_joint", "v8_crank_drive", "disc_pile"].contains(&name) {
            continue;
        }
        group.sample_size(if name == "heavy_top" { 50 } else { 10 });
        for (what, watchers) in [("on", Watchers::default()), ("off", off)] {
            let options = Options { watchers, ..Options::default() };
            group.bench_function(format!("{name}/{what}"), |bencher| {
                bencher.iter(|| {
                    let run = Simulation::new(&*model, &*scheme)
                        .options(options)
                        .step(step_of(name))
                        .until(DURATION)
                        .record_every(usize::MAX)
                        .run(state.clone());
                    run.outcome.expect("the watchers are content")
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, simulate, watchers);
criterion_main!(benches);
