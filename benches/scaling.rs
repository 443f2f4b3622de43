//! One step of HHT on chains, four-bars and beams of growing length: `cargo bench -p hamel-benches --features scaling --bench
//! scaling`. `hamel reproduce --only scaling` counts what is timed here.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const STEP: f64 = 1e-4;

fn scaling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scaling");
    group.sample_size(20);
    let scheme = hamel::schemes::by_name("modified_hht_body_weighted", &[]).expect("defaults are in range");
    for (name, model, state) in hamel_benches::chains::models() {
        group.bench_function(name, |bencher| {
            let start = || scheme.start(model.as_ref(), state.clone()).and_then(|mut s| s.step(STEP).map(|_| s));
            bencher.iter_batched_ref(
                start,
                |stepper| {
                    stepper.as_mut().map(|stepper| (0..10).try_for_each(|_| stepper.step(STEP).map(|_| ()))).is_ok()
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, scaling);
criterion_main!(benches);
