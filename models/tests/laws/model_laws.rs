//! What every model must obey, at arbitrary states and at consistent ones.

use crate::common::{Subject, arbitrary_state, constraint_jacobian, find, for_each, point, velocity_map};
use hamel::{Block, Model, State};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::Dual;
use nalgebra::{DMatrix, DVector};

fn assert_close(what: &str, a: &DMatrix<f64>, b: &DMatrix<f64>, tolerance: f64) {
    let scale = a.amax().max(b.amax()).max(1.0);
    let error = (a - b).amax() / scale;
    assert!(error <= tolerance, "{what}: relative error {error:.2e}\n{a:.6}{b:.6}");
}

/// The compiled functions and the interpreter over the emitted statements compute the same.
#[test]
fn compiled_code_is_what_the_interpreter_runs() {
    for_each(|s| {
        let (info, dims) = (s.model.describe(), s.model.dims());
        let interpreter = s.interpreter::<f64>();
        for seed in 0..3 {
            let state = arbitrary_state(s.model.as_ref(), seed);
            let at = point(s.model.as_ref(), &state);
            let vector = |function, role, n| DVector::from_vec(interpreter.output(function, role, &at, (n, 1)).values);

            let mut r = vec![0.0; dims.nv];
            let mut g = vec![0.0; dims.nc];
            s.model.residual(&state, &mut r, &mut g);
            let name = s.entry.name;
            let close = |what: &str, a: Vec<f64>, b: DVector<f64>| {
                let (a, b) = (DMatrix::from_vec(a.len(), 1, a), DMatrix::from_column_slice(b.len(), 1, b.as_slice()));
                assert_close(&format!("{name}: {what}"), &a, &b, 1e-12);
            };
            close("r", r, vector(FunctionRole::Residual, Role::Residual, dims.nv));
            close("g", g, vector(FunctionRole::Residual, Role::Constraint, dims.nc));

            let mut h = vec![0.0; dims.nv];
            s.model.bias_force(state.q.as_slice(), state.v.as_slice(), &mut h);
            close("h", h, vector(FunctionRole::BiasForce, Role::BiasForce, dims.nv));
            let mut f = vec![0.0; dims.nv];
            s.model.applied_force(state.t, state.q.as_slice(), state.v.as_slice(), &mut f);
            close("f", f, vector(FunctionRole::AppliedForce, Role::AppliedForce, dims.nv));
            let mut outputs = vec![0.0; info.outputs.len()];
            s.model.outputs(&state, &mut outputs);
            close("outputs", outputs, vector(FunctionRole::Outputs, Role::Outputs, info.outputs.len()));
        }
    });
}

/// Compiling the source that a model carries gives the code that runs, counts included.
#[test]
fn a_model_carries_its_source() {
    for_each(|s| {
        let info = s.model.describe();
        assert!(s.code.contains(&format!("{:?}", info.name)), "{}", s.entry.name);
        for function in &info.functions {
            assert!(function.simplified <= function.shared, "{}: {}", s.entry.name, function.name);
            assert!(s.code.contains(&format!("{:?}", function.name)), "{}: {}", s.entry.name, function.name);
        }
        let again = hamel_compiler::stages(info.source.parse().unwrap()).unwrap();
        assert_eq!(s.code, again.code().unwrap().to_string(), "{}", s.entry.name);
    });
}

#[test]
fn mass_matrix_is_symmetric_and_positive_definite_where_the_constraints_let_it_move() {
    for_each(|s| {
        let info = s.model.describe();
        for seed in 0..5 {
            let state = arbitrary_state(s.model.as_ref(), seed);
            let m = mass_matrix(s.model.as_ref(), &state);
            assert_close(&format!("{}: M and Mᵀ", s.entry.name), &m, &m.transpose(), 1e-13);
            // Euler parameters as coordinates have no inertia along e: 4 Lᵀ J L has rank 3. [sherif, Eq. 9]
            let redundant = info.blocks.contains(&Block::EulerParameters);
            let m = if redundant {
                let g = constraint_jacobian(s.model.as_ref(), &state);
                &m + g.transpose() * &g * m.amax()
            } else {
                m
            };
            let smallest = m.clone().symmetric_eigenvalues().min();
            assert!(smallest > 0.0, "{}: smallest eigenvalue {smallest:.2e}", s.entry.name);
            assert!(m.cholesky().is_some(), "{}", s.entry.name);
        }
    });
}

/// [ ca M + cv ∂r/∂v + cq ∂r/∂q N, −Gᵀ; G, 0 ], every block against dual numbers through the residual alone.
#[test]
fn iteration_matrix_is_the_derivative_of_the_residual() {
    let (ca, cv, cq) = (0.7, 0.3, 0.05);
    for_each(|s| {
        let dims = s.model.dims();
        let (nv, nc) = (dims.nv, dims.nc);
        let interpreter = s.interpreter::<Dual>();
        for seed in 0..3 {
            let state = arbitrary_state(s.model.as_ref(), seed);
            let mut values = vec![0.0; s.model.describe().iteration_matrix.nnz()];
            s.model.iteration_matrix(&state, ca, cv, cq, &mut values);
            let analytic = s.model.describe().iteration_matrix.to_dense(&values);

            let at = point::<Dual>(s.model.as_ref(), &state);
            let vary = |values: &DVector<f64>| -> Vec<Dual> {
                values.iter().enumerate().map(|(i, &x)| Dual::variable(x, i, values.len())).collect()
            };
            let slopes = |residual: (Vec<Dual>, Vec<Dual>), n: usize| {
                let matrix = |rows: Vec<Dual>| DMatrix::from_fn(rows.len(), n, |i, j| rows[i].slope(j));
                (matrix(residual.0), matrix(residual.1))
            };
            let mut moved = at.clone();
            moved.a = vary(&state.a);
            let (by_a, _) = slopes(interpreter.residual(&moved), nv);
            let mut moved = at.clone();
            moved.v = vary(&state.v);
            let (by_v, g_by_v) = slopes(interpreter.residual(&moved), nv);
            let mut moved = at.clone();
            moved.q = s.moving_coordinates(&state.q);
            let (by_q, g_by_q) = slopes(interpreter.residual(&moved), nv);
            let mut moved = at.clone();
            moved.lambda = vary(&state.lambda);
            let (by_lambda, _) = slopes(interpreter.residual(&moved), nc);

            let mut exact = DMatrix::zeros(nv + nc, nv + nc);
            exact.view_mut((0, 0), (nv, nv)).copy_from(&(by_a * ca + by_v * cv + by_q * cq));
            exact.view_mut((0, nv), (nv, nc)).copy_from(&by_lambda);
            let n_positions = nc - s.model.describe().velocity_constraints;
            exact.view_mut((nv, 0), (n_positions, nv)).copy_from(&g_by_q.rows(0, n_positions));
            let on_velocities = g_by_v.rows(n_positions, nc - n_positions);
            exact.view_mut((nv + n_positions, 0), (nc - n_positions, nv)).copy_from(&on_velocities);
            assert_close(&format!("{}: iteration matrix", s.entry.name), &analytic, &exact, 1e-10);
        }
    });
}

/// The generated residual is put together from the generated parts.
#[test]
fn residual_is_the_sum_of_its_parts() {
    for_each(|s| {
        let (model, dims) = (s.model.as_ref(), s.model.dims());
        let state = arbitrary_state(model, 7);
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        let (mut h, mut f) = (vec![0.0; dims.nv], vec![0.0; dims.nv]);
        model.bias_force(q, v, &mut h);
        model.applied_force(state.t, q, v, &mut f);
        let (mut r, mut g) = (vec![0.0; dims.nv], vec![0.0; dims.nc]);
        model.residual(&state, &mut r, &mut g);
        let parts = mass_matrix(model, &state) * &state.a + DVector::from_vec(h)
            - DVector::from_vec(f)
            - constraint_jacobian(model, &state).transpose() * &state.lambda;
        let (r, parts) = (DMatrix::from_vec(dims.nv, 1, r), DMatrix::from_column_slice(dims.nv, 1, parts.as_slice()));
        assert_close(s.entry.name, &r, &parts, 1e-12);
    });
}

/// Forward dynamics leaves no residual, and is there wherever nothing but the forces of the model acts on a tree.
#[test]
fn acceleration_leaves_no_residual() {
    for_each(|s| {
        let (model, dims, info) = (s.model.as_ref(), s.model.dims(), s.model.describe());
        for seed in 0..5 {
            let mut state = arbitrary_state(model, seed);
            let (q, v) = (state.q.as_slice(), state.v.as_slice());
            let is_known = model.acceleration(state.t, q, v, state.a.as_mut_slice());
            if is_known {
                let mut r = vec![0.0; dims.nv];
                model.residual(&state, &mut r, &mut []);
                let largest = (mass_matrix(model, &state).abs() * state.a.abs()).max();
                let error = r.iter().fold(0.0_f64, |worst, r| worst.max(r.abs())) / largest.max(1.0);
                assert!(error <= 1e-12, "{}: {error:.2e}", s.entry.name);
            }
            let is_tree = matches!(&s.equations.kernels[..], [tree] if tree.doc.contains("in joint coordinates"));
            assert_eq!(is_known, is_tree && dims.nc == 0 && info.contacts.is_empty(), "{}", s.entry.name);
        }
    });
}

/// ġ and g̈ along any motion, against dual numbers through g alone.
#[test]
fn constraint_bias_is_the_rest_of_its_time_derivatives() {
    for_each(|s| {
        let (model, dims) = (s.model.as_ref(), s.model.dims());
        let state = arbitrary_state(model, 4);
        let (mut rate, mut acceleration) = (vec![0.0; dims.nc], vec![0.0; dims.nc]);
        model.constraint_bias(state.t, state.q.as_slice(), state.v.as_slice(), &mut rate, &mut acceleration);

        // Along q̇ = N v with constant v, the derivative of ġ = G v + rate is the bias.
        let rate_of_g = |q: &DVector<f64>, t: f64| {
            let moved = State { q: q.clone(), t, ..state.clone() };
            let (mut rate, mut rest) = (vec![0.0; dims.nc], vec![0.0; dims.nc]);
            model.constraint_bias(t, q.as_slice(), state.v.as_slice(), &mut rate, &mut rest);
            constraint_jacobian(model, &moved) * &state.v + DVector::from_vec(rate)
        };
        let step = 1e-5;
        let direction = velocity_map(model, &state.q) * &state.v;
        let ahead = rate_of_g(&(&state.q + &direction * step), state.t + step);
        let behind = rate_of_g(&(&state.q - &direction * step), state.t - step);
        let difference = (ahead - behind) / (2.0 * step);
        let error = (&difference - DVector::from_vec(acceleration.clone())).amax();
        assert!(error <= 1e-7 * difference.amax().max(1.0), "{}: {error:.2e}", s.entry.name);
    });
}

/// dT/dt + dV/dt = power + v · (r + Gᵀ λ) along any motion, with the forces r that the equations of motion leave over:
/// bias forces do no work, forces with a potential take from it what they give, and a flag tells of models that have no
/// others.
#[test]
fn power_is_what_changes_the_energy() {
    for_each(|s| {
        let (model, info, name) = (s.model.as_ref(), s.model.describe(), s.entry.name);
        for seed in 0..3 {
            let mut state = arbitrary_state(model, seed);
            keep_norms(&info.blocks, &mut state);
            let rates = energy_rates(s, &state);
            let (mut r, mut g) = (vec![0.0; info.velocities.len()], vec![0.0; info.constraints.len()]);
            model.residual(&state, &mut r, &mut g);
            let forces = DVector::from_vec(r) + constraint_jacobian(model, &state).transpose() * &state.lambda;
            // Quantities of first order have no energy.
            let mechanical = info.velocities.len() - s.equations.layout.states;
            let given = state.v.rows(0, mechanical).dot(&forces.rows(0, mechanical));
            let power = model.power(state.t, state.q.as_slice(), state.v.as_slice()).expect("the model knows it");
            let scale = rates.0.abs().max(rates.1.abs()).max(given.abs()).max(1.0);
            let error = (rates.0 + rates.1 - power - given).abs();
            assert!(error <= 1e-10 * scale, "{name}: {rates:?}, {power} and {given}");
            assert!(power == 0.0 || !info.is_conservative, "{name}: {power} W");
            let (mut rate, mut unused) = (vec![0.0; info.constraints.len()], vec![0.0; info.constraints.len()]);
            model.constraint_bias(state.t, state.q.as_slice(), state.v.as_slice(), &mut rate, &mut unused);
            assert!(rate.iter().all(|rate| *rate == 0.0) || !info.is_scleronomic, "{name}: {rate:?}");
        }
    });
}

/// Removes from the rates of Euler parameters that are coordinates what would change their norm.
fn keep_norms(blocks: &[Block], state: &mut State) {
    let (mut first_q, mut first_v) = (0, 0);
    for block in blocks {
        let (nq, nv) = block.sizes();
        if *block == Block::EulerParameters {
            let e = state.q.rows(first_q, nq).clone_owned();
            let along = e.dot(&state.v.rows(first_v, nv));
            state.v.rows_mut(first_v, nv).axpy(-along, &e, 1.0);
        }
        (first_q, first_v) = (first_q + nq, first_v + nv);
    }
}

/// dT/dt and dV/dt with q̇ = N v and v̇ = a.
fn energy_rates(s: &Subject, state: &State) -> (f64, f64) {
    let interpreter = s.interpreter::<Dual>();
    let mut at = point::<Dual>(s.model.as_ref(), state);
    let rates = velocity_map(s.model.as_ref(), &state.q) * &state.v;
    at.t = Dual::with_slopes(state.t, vec![1.0]);
    at.q = state.q.iter().zip(&rates).map(|(&q, &rate)| Dual::with_slopes(q, vec![rate])).collect();
    at.v = state.v.iter().zip(&state.a).map(|(&v, &a)| Dual::with_slopes(v, vec![a])).collect();
    let rate = |role| interpreter.output(FunctionRole::Energy, role, &at, (1, 1)).values[0].slope(0);
    (rate(Role::KineticEnergy), rate(Role::PotentialEnergy))
}

/// At the start of a model dT/dt is what applied forces and moving constraints do.
#[test]
fn constraints_do_no_work_but_where_they_move() {
    for_each(|s| {
        let (model, dims) = (s.model.as_ref(), s.model.dims());
        let state = hamel::initial_state(model).unwrap_or_else(|error| panic!("{}: {error}", s.entry.name));
        let (kinetic_rate, potential_rate) = energy_rates(s, &state);
        let (mut rate, mut rest) = (vec![0.0; dims.nc], vec![0.0; dims.nc]);
        model.constraint_bias(state.t, state.q.as_slice(), state.v.as_slice(), &mut rate, &mut rest);
        let driving = -state.lambda.dot(&DVector::from_vec(rate));
        let power = model.power(state.t, state.q.as_slice(), state.v.as_slice()).expect("the model knows it");
        let total = kinetic_rate + potential_rate;
        let scale = kinetic_rate.abs().max(driving.abs()).max(1.0);
        assert!((total - power - driving).abs() <= 1e-10 * scale, "{}: {total}, {power}, {driving}", s.entry.name);
    });
}

/// Two formulations of one system follow the same motion; those with contacts are compared with them, in `contact_laws`.
#[test]
fn formulations_agree() {
    for entry in hamel_models::ALL.iter().filter(|entry| entry.same_as.is_some()) {
        if !find(entry.name).model.describe().contacts.is_empty() {
            continue;
        }
        let other = find(entry.same_as.unwrap()).entry;
        let motion = |s: &Subject| {
            let model = s.model.as_ref();
            let mut state = hamel::initial_state(model).unwrap();
            let scheme = hamel::schemes::RungeKutta;
            let mut stepper = hamel::Scheme::start(&scheme, model, state.clone()).unwrap();
            for _ in 0..500 {
                stepper.step(2e-5).unwrap();
            }
            state.clone_from(stepper.state());
            let mut outputs = vec![0.0; model.describe().outputs.len()];
            model.outputs(&state, &mut outputs);
            (outputs, model.energy(state.t, state.q.as_slice(), state.v.as_slice()))
        };
        let (a, b) = (motion(find(entry.name)), motion(find(other.name)));
        for (x, y) in a.0.iter().zip(&b.0) {
            assert!((x - y).abs() <= 1e-9 * x.abs().max(1.0), "{} and {}: {x} and {y}", entry.name, other.name);
        }
        let (x, y) = (a.1.kinetic, b.1.kinetic);
        assert!((x - y).abs() <= 1e-9 * x.abs().max(1.0), "{}: kinetic energy {x} and {y}", entry.name);
    }
}

fn mass_matrix(model: &dyn Model, state: &State) -> DMatrix<f64> {
    let pattern = &model.describe().mass_matrix;
    let mut values = vec![0.0; pattern.nnz()];
    model.mass_matrix(state.q.as_slice(), &mut values);
    pattern.to_dense(&values)
}
