//! One step of every scheme on every model that it is defined for.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const STEP: f64 = 1e-4;

fn step(criterion: &mut Criterion) {
    for scheme in hamel::schemes::all() {
        for (name, model, state) in hamel_benches::models() {
            let Ok(mut warm) = scheme.start(model.as_ref(), state.clone()) else { continue };
            if warm.step(STEP).is_err() {
                continue;
            }
            criterion.bench_function(&format!("step/{}/{name}", scheme.name()), |bencher| {
                // A batch starts anew, so that no motion runs for minutes into regions where it would fail.
                let start = || scheme.start(model.as_ref(), state.clone());
                bencher.iter_batched(start, |stepper| stepper.map(|mut s| s.step(STEP)), BatchSize::SmallInput);
            });
        }
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
