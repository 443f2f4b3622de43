//! A tenth of a second of motion with generalized-α.

use criterion::{Criterion, criterion_group, criterion_main};

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

criterion_group!(benches, simulate);
criterion_main!(benches);
