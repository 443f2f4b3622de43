//! Generated equations against equations derived by hand, term by term.

use crate::common::{arbitrary_state, noise};
use hamel::{Model, State};
use hamel_models::{DoublePendulum, FreeBody, FreeBodyJoint, HeavyTopJoint, Pendulum, SliderCrank};
use nalgebra::{DMatrix, DVector, Matrix3, SMatrix, Vector3, Vector4};

/// M, and h − f.
fn equations(model: &dyn Model, state: &State) -> (DMatrix<f64>, DVector<f64>) {
    let pattern = &model.describe().mass_matrix;
    let mut values = vec![0.0; pattern.nnz()];
    model.mass_matrix(state.q.as_slice(), &mut values);
    let nv = model.dims().nv;
    let (mut h, mut f) = (vec![0.0; nv], vec![0.0; nv]);
    model.bias_force(state.q.as_slice(), state.v.as_slice(), &mut h);
    model.applied_force(state.t, state.q.as_slice(), state.v.as_slice(), &mut f);
    (pattern.to_dense(&values), DVector::from_vec(h) - DVector::from_vec(f))
}

fn assert_close(a: &DMatrix<f64>, b: &DMatrix<f64>) {
    let error = (a - b).amax();
    assert!(error <= 1e-13 * a.amax().max(1.0), "{error:.2e}: {a:.6}{b:.6}");
}

fn column(v: &DVector<f64>) -> DMatrix<f64> {
    DMatrix::from_column_slice(v.len(), 1, v.as_slice())
}

/// (m l²/3) θ̈ + (m g l/2) cos θ = 0.
#[test]
fn pendulum() {
    let model = Pendulum::default();
    for seed in 0..5 {
        let state = arbitrary_state(&model, seed);
        let (m, rest) = equations(&model, &state);
        assert_close(&m, &DMatrix::from_element(1, 1, 1.0 / 3.0));
        assert_close(&column(&rest), &DMatrix::from_element(1, 1, 9.81 / 2.0 * state.q[0].cos()));
    }
}

/// Lagrange's equations of two rods by relative angles, with the spring's and the bearing's forces added by hand.
#[test]
fn double_pendulum() {
    let (m1, m2, l1, l2, c, k, free) = (1.0, 0.6, 1.0, 0.7, 0.02, 4.0, 0.5);
    let model = DoublePendulum::default();
    for seed in 0..5 {
        let state = arbitrary_state(&model, seed);
        let (t1, t2, w1, w2): (f64, f64, f64, f64) = (state.q[0], state.q[1], state.v[0], state.v[1]);
        let coupling = m2 * l1 * l2 / 2.0;
        let m22 = m2 * l2 * l2 / 3.0;
        let m12 = m22 + coupling * t2.cos();
        let m11 = m1 * l1 * l1 / 3.0 + m2 * l1 * l1 + m22 + 2.0 * coupling * t2.cos();
        let (e1, e2) = ((t1.cos(), t1.sin()), ((t1 + t2).cos(), (t1 + t2).sin()));
        let g = 9.81;
        let weight = [(m1 / 2.0 + m2) * g * l1 * e1.0 + m2 * g * l2 / 2.0 * e2.0, m2 * g * l2 / 2.0 * e2.0];

        let tip = (l1 * e1.0 + l2 * e2.0, l1 * e1.1 + l2 * e2.1);
        let (dx, dy) = (tip.0 - 1.0, tip.1 - 0.5);
        let length = dx.hypot(dy);
        let pull = k * (length - free) / length;
        let (fx, fy) = (-pull * dx, -pull * dy);
        let by_t2 = (-l2 * e2.1, l2 * e2.0);
        let by_t1 = (by_t2.0 - l1 * e1.1, by_t2.1 + l1 * e1.0);
        let spring = [fx * by_t1.0 + fy * by_t1.1, fx * by_t2.0 + fy * by_t2.1];

        let bias = [-coupling * t2.sin() * (2.0 * w1 * w2 + w2 * w2), coupling * t2.sin() * w1 * w1];
        let rest = [bias[0] + weight[0] - spring[0], bias[1] + weight[1] - spring[1] + c * w2];
        let (m, found) = equations(&model, &state);
        assert_close(&m, &DMatrix::from_row_slice(2, 2, &[m11, m12, m12, m22]));
        assert_close(&column(&found), &DMatrix::from_row_slice(2, 1, &rest));
    }
}

/// The equations of [rezaei, Eqs. 166-170] in three angles against the ground.
#[test]
fn slider_crank() {
    let (l1, l2, m1, m2, m3) = (0.153, 0.306, 0.038, 0.038, 0.076);
    let (j1, j2, j3, g) = (7.4e-5, 5.9e-4, 2.7e-6, 9.81);
    let model = SliderCrank::default();
    for seed in 0..5 {
        let state = arbitrary_state(&model, seed);
        let (t1, t2): (f64, f64) = (state.q[0], state.q[1]);
        let k12 = l1 * l2 * (m2 / 2.0 + m3);
        let m11 = j1 + l1 * l1 * (m1 / 4.0 + m2 + m3);
        let m22 = j2 + l2 * l2 * (m2 / 4.0 + m3);
        let m12 = k12 * (t1 - t2).cos();
        let h1 = k12 * (t1 - t2).sin() * state.v[1].powi(2) + g * l1 * t1.cos() * (m1 / 2.0 + m2 + m3);
        let h2 = -k12 * (t1 - t2).sin() * state.v[0].powi(2) + g * l2 * t2.cos() * (m2 / 2.0 + m3);
        let (m, rest) = equations(&model, &state);
        assert_close(&m, &DMatrix::from_row_slice(3, 3, &[m11, m12, 0.0, m12, m22, 0.0, 0.0, 0.0, j3]));
        assert_close(&column(&rest), &DMatrix::from_row_slice(3, 1, &[h1, h2, 0.0]));
    }
}

/// Euler's equations about the fixed tip.
#[test]
fn heavy_top() {
    let model = HeavyTopJoint::default();
    let inertia = Matrix3::from_diagonal(&Vector3::new(15.234375, 0.46875, 15.234375));
    for seed in 0..5 {
        let state = arbitrary_state(&model, seed);
        let e = [state.q[0], state.q[1], state.q[2], state.q[3]];
        let omega = Vector3::new(state.v[0], state.v[1], state.v[2]);
        let rotation = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(e[0], e[1], e[2], e[3]));
        let weight = rotation.inverse() * Vector3::new(0.0, 0.0, -15.0 * 9.81);
        let expected = omega.cross(&(inertia * omega)) - Vector3::new(0.0, 1.0, 0.0).cross(&weight);
        let (m, rest) = equations(&model, &state);
        assert_close(&m, &DMatrix::from_column_slice(3, 3, inertia.as_slice()));
        assert_close(&column(&rest), &DMatrix::from_column_slice(3, 1, expected.as_slice()));
    }
}

/// Newton's and Euler's equations in the axes of the body: m (u̇ + ω × u) and J ω̇ + ω × J ω.
#[test]
fn free_body_in_its_own_axes() {
    let model = FreeBodyJoint::default();
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
    for seed in 0..5 {
        let state = arbitrary_state(&model, seed);
        let (u, omega) = (state.v.fixed_rows::<3>(0).into_owned(), state.v.fixed_rows::<3>(3).into_owned());
        let (m, rest) = equations(&model, &state);
        assert_close(&m, &DMatrix::from_diagonal(&DVector::from_column_slice(&[1.0, 1.0, 1.0, 1.0, 2.0, 3.0])));
        let expected = [omega.cross(&u), omega.cross(&(inertia * omega))].map(|part| part.as_slice().to_vec()).concat();
        assert_close(&column(&rest), &column(&DVector::from_vec(expected)));
    }
}

/// Momentum and angular momentum in ground axes and energy stay, the better the smaller the steps.
#[test]
fn a_tumbling_body_conserves_momentum_and_energy() {
    let model = FreeBodyJoint::default();
    let start = hamel::initial_state(&model).expect("the model's initial conditions agree");
    let totals = |state: &State| {
        let e = nalgebra::Quaternion::new(state.q[3], state.q[4], state.q[5], state.q[6]);
        let axes = nalgebra::UnitQuaternion::from_quaternion(e);
        let (u, omega) = (state.v.fixed_rows::<3>(0).into_owned(), state.v.fixed_rows::<3>(3).into_owned());
        let position = state.q.fixed_rows::<3>(0).into_owned();
        let (momentum, spin) = (axes * u, axes * Vector3::new(1.0, 2.0, 3.0).component_mul(&omega));
        let turning = position.cross(&momentum) + spin;
        let energy = model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total();
        DVector::from_iterator(7, momentum.iter().chain(turning.iter()).copied().chain([energy]))
    };
    let drift = |scheme: &dyn hamel::Scheme, steps: u32| {
        let mut stepper = scheme.start(&model, start.clone()).expect("the scheme is defined for the model");
        for _ in 0..steps {
            stepper.step(2.0 / f64::from(steps)).expect("the body turns slowly");
        }
        (totals(stepper.state()) - totals(&start)).amax()
    };
    let scheme = hamel::schemes::by_name("generalized_alpha", &[("rho_infinity", 0.9)]).unwrap();
    let (coarse, fine) = (drift(&*scheme, 100), drift(&*scheme, 200));
    assert!(((coarse / fine).log2() - 2.0).abs() < 0.2, "{coarse:.2e} and {fine:.2e}");
    let exact = drift(&hamel::schemes::RungeKutta, 2000);
    assert!(exact < 1e-11, "{exact:.2e}");
}

/// 4 Lᵀ J L and 8 Lᵀ L L̇ᵀ J L ė, off the unit sphere too. [sherif, Eq. 9]
#[test]
fn free_body_in_euler_parameters() {
    let l = |e: Vector4<f64>| {
        SMatrix::<f64, 3, 4>::new(
            -e[1], e[0], e[3], -e[2], //
            -e[2], -e[3], e[0], e[1], //
            -e[3], e[2], -e[1], e[0],
        )
    };
    let model = FreeBody::default();
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
    for seed in 0..5 {
        let mut state = arbitrary_state(&model, seed);
        state.q *= 1.0 + 0.1 * noise(seed);
        let (e, rate) = (
            Vector4::from_column_slice(&state.q.as_slice()[3..7]),
            Vector4::from_column_slice(&state.v.as_slice()[3..7]),
        );
        let mass = l(e).transpose() * inertia * l(e) * 4.0;
        let bias = l(e).transpose() * l(e) * l(rate).transpose() * inertia * l(e) * rate * 8.0;
        let (m, rest) = equations(&model, &state);
        let mut expected = DMatrix::zeros(7, 7);
        expected.view_mut((0, 0), (3, 3)).copy_from(&DMatrix::identity(3, 3));
        expected.view_mut((3, 3), (4, 4)).copy_from(&mass);
        assert_close(&m, &expected);
        let mut expected = DMatrix::zeros(7, 1);
        expected.view_mut((3, 0), (4, 1)).copy_from(&bias);
        assert_close(&column(&rest), &expected);
    }
}
