//! Four states in four calls of a generated function, and in one call with lanes; one state through the model.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hamel::Model;
use hamel::lanes::Lanes;
use hamel::real::Real;

hamel_macros::multibody! {
    /// Three links in space.
    model Chain {
        coordinates joint;
        fused_multiply_add;
        gravity [0, 0, -9.81] m/s^2;
        body upper { mass: 2 kg, inertia: diag(0.02, 0.02, 0.004) kg m^2, center_of_mass: [0, 0, -0.2] m }
        body lower { mass: 1 kg, inertia: diag(0.01, 0.01, 0.002) kg m^2, center_of_mass: [0, 0, -0.2] m }
        body hand { mass: 0.5 kg, inertia: diag(0.001, 0.002, 0.003) kg m^2, center_of_mass: [0, 0.1, -0.1] m }
        joint shoulder: revolute(ground, upper) { coordinate: alpha }
        joint elbow: revolute(upper at [0, 0, -0.4] m axis [0, 1, 0], lower axis [0, 1, 0]) { coordinate: beta }
        joint wrist: revolute(lower at [0, 0, -0.4] m axis [1, 0, 0], hand axis [1, 0, 0]) { coordinate: gamma }
    }
}

fn residual<T: Real>([q, v, a]: &[[T; 3]; 3]) -> [T; 3] {
    let mut r = [T::from_f64(0.0); 3];
    model_Chain::kernels::system::residual(q, v, a, &mut r);
    r
}

fn lanes(criterion: &mut Criterion) {
    let state =
        |k: usize| [[0.3, -0.8, 1.1], [0.5, 0.2, -0.7], [1.3, -0.4, 0.9]].map(|x| x.map(|x| x + 0.1 * k as f64));
    let states = [0, 1, 2, 3].map(state);
    let of_lane = |i: usize, j: usize| Lanes([0, 1, 2, 3].map(|k| states[k][i][j]));
    let together = [0, 1, 2].map(|i| [0, 1, 2].map(|j| of_lane(i, j)));
    criterion.bench_function("lanes/four calls", |bencher| {
        bencher.iter(|| black_box(&states).each_ref().map(residual));
    });
    let chain = Chain::default();
    let start = hamel::initial_state(&chain).expect("a chain without constraints starts anywhere");
    let mut r = [0.0; 3];
    criterion.bench_function("lanes/one call of the model", |bencher| {
        bencher.iter(|| chain.residual(black_box(&start), &mut r, &mut []));
    });
    criterion.bench_function("lanes/four in lanes", |bencher| {
        bencher.iter(|| residual(black_box(&together)));
    });
}

criterion_group!(benches, lanes);
criterion_main!(benches);
