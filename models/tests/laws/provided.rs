//! The methods that a model has on request, against the functions that every model has.

use crate::common::arbitrary_state;
use hamel::Model;
use hamel_models::DoublePendulum;
use nalgebra::DMatrix;

fn assert_close(a: &DMatrix<f64>, b: &DMatrix<f64>, tolerance: f64) {
    let error = (a - b).amax();
    assert!(error <= tolerance * a.amax().max(1.0), "{error:.2e}: {a:.6}{b:.6}");
}

#[test]
fn methods_on_request_are_those_of_the_model() {
    let model = DoublePendulum::default();
    let nv = model.dims().nv;
    for seed in 0..5 {
        let state = arbitrary_state(&model, seed);
        let (t, q, v, a) = (state.t, state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
        let mut residual = vec![0.0; nv];
        model.residual(&state, &mut residual, &mut []);
        let mut tau = vec![0.0; nv];
        model.inverse_dynamics(t, q, v, a, &mut tau);
        let column = |values: &[f64]| DMatrix::from_column_slice(nv, 1, values);
        assert_close(&column(&tau), &column(&residual), 1e-14);

        let mut back = vec![f64::NAN; nv];
        model.forward_dynamics(t, q, v, &tau, &mut back);
        assert_close(&column(&back), &column(a), 1e-12);

        let mut effects = vec![f64::NAN; nv];
        model.nonlinear_effects(t, q, v, &mut effects);
        let info = model.describe();
        let mut mass = vec![0.0; info.mass_matrix.nnz()];
        model.mass_matrix(q, &mut mass);
        let mass = info.mass_matrix.to_dense(&mass);
        let inertial = &mass * column(a);
        assert_close(&column(&tau), &(column(&effects) + inertial), 1e-13);

        let [mut by_q, mut by_v, mut by_a] = [(); 3].map(|()| vec![f64::NAN; nv * nv]);
        model.inverse_dynamics_derivatives(t, q, v, a, &mut by_q, &mut by_v, &mut by_a);
        let dense = |values: &[f64]| DMatrix::from_row_slice(nv, nv, values);
        let [mut stiffness, mut damping] = [&info.stiffness, &info.damping].map(|pattern| vec![0.0; pattern.nnz()]);
        model.stiffness(&state, &mut stiffness);
        model.damping(&state, &mut damping);
        let (stiffness, damping) = (info.stiffness.to_dense(&stiffness), info.damping.to_dense(&damping));
        assert_close(&dense(&by_q), &stiffness, 1e-13);
        assert_close(&dense(&by_v), &damping, 1e-13);
        assert_close(&dense(&by_a), &mass, 1e-13);

        model.forward_dynamics_derivatives(t, q, v, &tau, &mut by_q, &mut by_v, &mut by_a);
        assert_close(&(&mass * dense(&by_a)), &DMatrix::identity(nv, nv), 1e-12);
        assert_close(&(&mass * dense(&by_q)), &-stiffness, 1e-11);
        assert_close(&(&mass * dense(&by_v)), &-damping, 1e-11);
    }
}
