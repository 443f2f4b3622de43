//! One call of a generated function.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

fn evaluate(criterion: &mut Criterion) {
    for (name, model, state) in hamel_benches::models() {
        let dims = model.dims();
        let (mut r, mut g) = (vec![0.0; dims.nv], vec![0.0; dims.nc]);
        criterion.bench_function(&format!("evaluate/residual/{name}"), |bencher| {
            bencher.iter(|| model.residual(black_box(&state), &mut r, &mut g));
        });
        let mut values = vec![0.0; model.describe().iteration_matrix.nnz()];
        criterion.bench_function(&format!("evaluate/iteration_matrix/{name}"), |bencher| {
            bencher.iter(|| model.iteration_matrix(black_box(&state), 1.0, 1e-3, 1e-6, &mut values));
        });
        let mut m = vec![0.0; model.describe().mass_matrix.nnz()];
        criterion.bench_function(&format!("evaluate/mass_matrix/{name}"), |bencher| {
            bencher.iter(|| model.mass_matrix(black_box(state.q.as_slice()), &mut m));
        });
    }
}

criterion_group!(benches, evaluate);
criterion_main!(benches);
