//! The methods that a model has on request, against the functions that every model has.

use crate::common::arbitrary_state;
use hamel::Model;
use hamel_macros::multibody;
use hamel_models::DoublePendulum;
use nalgebra::DMatrix;

fn assert_close(a: &DMatrix<f64>, b: &DMatrix<f64>, tolerance: f64) {
    let error = (a - b).amax();
    assert!(error <= tolerance * a.amax().max(1.0), "{error:.2e}: {a:.6}{b:.6}");
}

/// Methods stand on the types of models, so this cannot be a function.
macro_rules! assert_methods {
    ($model:expr) => {
        let model = $model;
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
    };
}

multibody! {
    /// A hull and its fin with added masses, in a current, with a force that lags behind.
    model Swimmer {
        coordinates joint;
        provide nonlinear_effects, inverse_dynamics, forward_dynamics;
        provide inverse_dynamics_derivatives, forward_dynamics_derivatives;
        param current = [0.3, -0.1, 0.2] m/s;
        param added = diag(1, 2, 3) kg;
        gravity [0, 0, -0.5] m/s^2;
        body hull {
            mass: 3 kg, center_of_mass: [0.1, 0, -0.05] m, inertia: diag(0.2, 0.3, 0.25) kg m^2,
            added_mass: {
                force: added, moment: diag(0.1, 0.2, 0.4) kg m^2, current: current,
                coupling: [[0, 0.1, 0], [-0.2, 0, 0.3], [0, 0.1, 0]] kg m,
            },
        }
        body fin {
            mass: 1 kg, inertia: diag(0.1, 0.2, 0.15) kg m^2,
            added_mass: { force: diag(0.1, 0.5, 0.7) kg, moment: diag(0, 0.1, 0.1) kg m^2, velocity: yaw_only },
        }
        joint sea: free(ground, hull);
        joint hinge: revolute(hull at [-0.5, 0, 0.1] m, fin at [0.2, 0, 0] m);
        state lag N: (3 N s/m * hull.velocity.z - lag) / (2 s);
        force memory: [0 N, 0 N, -lag] on hull;
        torque righting: [-2 N m * hull.roll, -3 N m * hull.pitch, 0 N m] on hull in hull;
    }
}

#[test]
fn methods_on_request_are_those_of_the_model() {
    assert_methods!(DoublePendulum::default());
}

/// The momentum of the water is in all of them, and so are the forces of the current.
#[test]
fn methods_on_request_know_of_the_water() {
    assert_methods!(Swimmer::default());
}

multibody! {
    /// A slide that carries two arms, one of which carries another.
    model Crane {
        coordinates joint;
        provide inverse_dynamics_derivatives, inverse_dynamics_second_derivatives, mass_matrix_factors;
        param reach = 0.7 m;
        gravity [0.2, 0, -9.81] m/s^2;
        body trolley { mass: 3 kg, inertia: diag(0.3, 0.2, 0.4) kg m^2 }
        body boom { mass: 2 kg, center_of_mass: [0.3, 0.05, -0.1] m, inertia: diag(0.1, 0.2, 0.25) kg m^2 }
        body hook { mass: 1 kg, center_of_mass: [0, 0.1, -0.2] m, inertia: diag(0.05, 0.04, 0.03) kg m^2 }
        body arm { mass: 1.5 kg, center_of_mass: [-0.2, 0, 0.1] m, inertia: diag(0.1, 0.12, 0.15) kg m^2 }
        joint rail: prismatic(ground, trolley) { axis: [1, 0, 0] }
        joint turn: revolute(trolley at [0, 0, 0.2] m rotated rotation_x(0.3 rad), boom);
        joint swing: revolute(boom at [reach, 0, 0], hook) { axis: [0, 1, 0] }
        joint side: revolute(trolley at [0, 0.4, 0] m, arm) { axis: [0, 1, 0] }
        force spring: spring(ground at [2, 0, 3] m, hook) { stiffness: 30 N/m, free_length: 0.4 m }
    }
}

/// Each block is the derivative of the first derivatives times the weights: exact differences where these are linear or
/// quadratic, else extrapolated ones.
#[test]
fn second_derivatives_are_differences_of_the_first() {
    let model = Crane::default();
    let n = model.dims().nv;
    for seed in 0..5 {
        let state = arbitrary_state(&model, seed);
        let given = [state.q.as_slice(), state.v.as_slice(), state.a.as_slice()];
        let w: Vec<f64> = (0..n).map(|i| 0.7 - 0.4 * i as f64).collect();
        let dense = |values: &[f64]| DMatrix::from_row_slice(n, n, values);
        let first = |[q, v, a]: [&[f64]; 3]| {
            let [mut by_q, mut by_v, mut by_a] = [(); 3].map(|()| vec![0.0; n * n]);
            model.inverse_dynamics_derivatives(state.t, q, v, a, &mut by_q, &mut by_v, &mut by_a);
            let weights = DMatrix::from_column_slice(n, 1, &w);
            [by_q, by_v].map(|matrix| dense(&matrix).transpose() * &weights)
        };
        // Columns of ∂/∂ of the first derivatives by one of what they are given.
        let slopes = |which: usize, step: f64| {
            let mut columns = [DMatrix::zeros(n, n), DMatrix::zeros(n, n)];
            for j in 0..n {
                let [ahead, behind] = [step, -step].map(|step| {
                    let mut moved = given[which].to_vec();
                    moved[j] += step;
                    let mut at = given;
                    at[which] = &moved;
                    first(at)
                });
                for (columns, (ahead, behind)) in columns.iter_mut().zip(ahead.iter().zip(&behind)) {
                    columns.set_column(j, &((ahead - behind) / (2.0 * step)).column(0));
                }
            }
            columns
        };
        let [mut qq, mut qv, mut vv, mut qa] = [(); 4].map(|()| vec![0.0; n * n]);
        let [q, v, a] = given;
        model.inverse_dynamics_second_derivatives(state.t, q, v, a, &w, &mut qq, &mut qv, &mut vv, &mut qa);
        let ([by_v_q, by_v_v], [by_a_q, _]) = (slopes(1, 1.0), slopes(2, 1.0));
        assert_close(&dense(&qv), &by_v_q, 1e-12);
        assert_close(&dense(&vv), &by_v_v, 1e-12);
        assert_close(&dense(&qa), &by_a_q, 1e-12);
        let ([far, far_v], [near, near_v]) = (slopes(0, 4e-3), slopes(0, 2e-3));
        let extrapolated = |far: DMatrix<f64>, near: DMatrix<f64>| (4.0 * near - far) / 3.0;
        assert_close(&dense(&qq), &extrapolated(far, near), 1e-9);
        assert_close(&dense(&qv).transpose(), &extrapolated(far_v, near_v), 1e-9);
        assert_close(&dense(&qq), &dense(&qq).transpose(), 1e-13);

        let (mut lower, mut pivots, info) = (vec![0.0; n * n], vec![0.0; n], model.describe());
        model.mass_matrix_factors(q, &mut lower, &mut pivots);
        let mut mass = vec![0.0; info.mass_matrix.nnz()];
        model.mass_matrix(q, &mut mass);
        let (lower, pivots) = (dense(&lower), DMatrix::from_diagonal(&nalgebra::DVector::from_vec(pivots)));
        assert_close(&(lower.transpose() * pivots * &lower), &info.mass_matrix.to_dense(&mass), 1e-14);
        // The arm carries nothing of the boom and the hook, nor these of it.
        let place = |joint: &str| info.velocities.iter().position(|known| known.name.starts_with(joint)).unwrap();
        for other in ["turn", "swing"].map(place) {
            let side = place("side");
            assert_eq!(lower[(side.max(other), side.min(other))], 0.0);
        }
    }
}

multibody! {
    /// Two chains of hinges on a body that moves freely, with so many velocities that loops differentiate forward dynamics.
    model Centipede {
        planar;
        coordinates joint;
        gravity [0.3, -9.81] m/s^2;
        body trunk { mass: 2 kg, inertia: 0.3 kg m^2 }
        for k in 0..11 { body left[k] { mass: 0.5 kg, inertia: 0.02 kg m^2 } }
        for k in 0..12 { body right[k] { mass: 0.4 kg, inertia: 0.03 kg m^2, center_of_mass: [0.02, 0.05] m } }
        joint base: free(ground, trunk);
        joint hip[0]: revolute(trunk at [-0.3, 0] m, left[0] at [0, 0.1] m);
        joint hip[1]: revolute(trunk at [0.3, 0] m, right[0] at [0, 0.1] m);
        for k in 1..11 { joint of_left[k]: revolute(left[k - 1] at [0, -0.1] m, left[k] at [0, 0.1] m); }
        for k in 1..12 { joint of_right[k]: revolute(right[k - 1] at [0, -0.1] m, right[k] at [0.05, 0.1] m); }
        force bushing: torsion_spring(hip[0]) { stiffness: 2 N m/rad, damping: 0.3 N m s/rad }
        provide nonlinear_effects, inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives,
            forward_dynamics_derivatives;
    }
}

#[test]
fn methods_of_a_tree_whose_slopes_loops_solve_for() {
    assert_methods!(Centipede::default());
}
