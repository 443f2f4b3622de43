//! Every function of a model at a state, for comparisons bit by bit.
//!
//! Other packages include this file by its path, and programs of generated code contain it.

use hamel::{Model, State};

/// A number between −1.5 and 1.5 with many digits, the same on every machine.
fn noise(index: usize) -> f64 {
    let bits = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x2545_F491_4F6C_DD1D);
    let bits = (bits ^ bits >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((bits >> 11) as f64 / (1_u64 << 53) as f64 - 0.5) * 3.0
}

/// A state with no symmetry.
pub fn state(model: &dyn Model, seed: usize) -> State {
    let mut state = State::zeros(model.dims());
    let State { q, v, a, lambda, .. } = &mut state;
    for (salt, values) in [q, v, a, lambda].into_iter().enumerate() {
        values.iter_mut().enumerate().for_each(|(i, value)| *value = noise(100_000 * seed + 10_000 * salt + i));
    }
    state.t = noise(seed).abs();
    state
}

/// What every function of a model gives at a state, one after the other.
pub fn values(model: &dyn Model, state: &State) -> Vec<(&'static str, Vec<f64>)> {
    let (info, dims) = (model.describe(), model.dims());
    let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
    let rows = info.contact_jacobian.rows;
    let (positions, velocities) = model.n_initial_conditions();
    let mut all = Vec::new();
    let mut one = |name, n: usize, fill: &dyn Fn(&mut [f64])| {
        let mut values = vec![f64::NAN; n];
        fill(&mut values);
        all.push((name, values));
    };
    one("mass_matrix", info.mass_matrix.nnz(), &|out| model.mass_matrix(q, out));
    one("bias_force", dims.nv, &|out| model.bias_force(q, v, out));
    one("applied_force", dims.nv, &|out| model.applied_force(t, q, v, out));
    one("constraint", dims.nc, &|out| model.constraint(t, q, out));
    one("constraint_jacobian", info.constraint_jacobian.nnz(), &|out| model.constraint_jacobian(t, q, out));
    let bias = |out: &mut [f64]| {
        let (rate, acceleration) = out.split_at_mut(dims.nc);
        model.constraint_bias(t, q, v, rate, acceleration);
    };
    one("constraint_bias", 2 * dims.nc, &bias);
    if !info.contacts.is_empty() {
        one("contact_gap", info.contacts.len(), &|out| model.contact_gap(t, q, out));
        one("contact_jacobian", info.contact_jacobian.nnz(), &|out| model.contact_jacobian(t, q, out));
        let bias = |out: &mut [f64]| {
            let (rate, acceleration) = out.split_at_mut(rows);
            model.contact_bias(t, q, v, rate, acceleration);
        };
        one("contact_bias", 2 * rows, &bias);
        let laws = |out: &mut [f64]| {
            let mut laws = vec![hamel::ContactLaw::default(); info.contacts.len()];
            model.contact_laws(&mut laws);
            for (out, law) in out.chunks_mut(3).zip(laws) {
                out.copy_from_slice(&[law.restitution, law.tangential_restitution, law.friction]);
            }
        };
        one("contact_laws", 3 * info.contacts.len(), &laws);
    }
    one("energy", 2, &|out| {
        let energy = model.energy(t, q, v);
        out.copy_from_slice(&[energy.kinetic, energy.potential]);
    });
    one("power", 1, &|out| out[0] = model.power(t, q, v).unwrap_or(f64::INFINITY));
    let acceleration = |out: &mut [f64]| {
        let (is_known, a) = out.split_at_mut(1);
        is_known[0] = f64::from(u8::from(model.acceleration(t, q, v, a)));
    };
    one("acceleration", 1 + dims.nv, &acceleration);
    one("outputs", info.outputs.len(), &|out| model.outputs(state, out));
    let residual = |out: &mut [f64]| {
        let (r, g) = out.split_at_mut(dims.nv);
        model.residual(state, r, g);
    };
    one("residual", dims.nv + dims.nc, &residual);
    one("iteration_matrix", info.iteration_matrix.nnz(), &|out| model.iteration_matrix(state, 0.7, 0.3, 0.05, out));
    one("damping", info.damping.nnz(), &|out| model.damping(state, out));
    one("stiffness", info.stiffness.nnz(), &|out| model.stiffness(state, out));
    one("reference_configuration", dims.nq, &|out| model.reference_configuration(out));
    let position = |out: &mut [f64]| {
        let (residual, jacobian) = out.split_at_mut(positions);
        model.initial_position(t, q, residual, jacobian);
    };
    one("initial_position", positions * (1 + dims.nv), &position);
    let velocity = |out: &mut [f64]| {
        let (residual, jacobian) = out.split_at_mut(velocities);
        model.initial_velocity(t, q, v, residual, jacobian);
    };
    one("initial_velocity", velocities * (1 + dims.nv), &velocity);
    all.extend(of_linearization(model, state));
    all
}

/// Derivatives of models that are linearised.
fn of_linearization(model: &dyn Model, state: &State) -> Vec<(&'static str, Vec<f64>)> {
    let (info, dims) = (model.describe(), model.dims());
    let (nu, ny) = (info.inputs.len(), info.outputs.len());
    let room = |n: usize| vec![f64::NAN; n];
    let [mut rate_by_q, mut by_q, mut by_v] = [(); 3].map(|()| room(dims.nc * dims.nv));
    if !model.constraint_derivatives(state, &mut rate_by_q, &mut by_q, &mut by_v) {
        return Vec::new();
    }
    let (n, rows) = (info.contacts.len(), info.contact_jacobian.rows);
    let mut xi_by_q = room(rows * dims.nv);
    model.contact_derivatives(state, &mut xi_by_q);
    let mut by_input = room(dims.nv * nu);
    model.input_derivatives(state, &mut by_input);
    let [mut y_by_q, mut y_by_v, mut y_by_a, mut y_by_lambda, mut y_by_u] =
        [dims.nv, dims.nv, dims.nv, dims.nc, nu].map(|n| room(ny * n));
    model.output_derivatives(state, &mut y_by_q, &mut y_by_v, &mut y_by_a, &mut y_by_lambda, &mut y_by_u);
    let [mut by_a, mut by_v_of_r, mut by_q_of_r, mut jacobian] =
        [&info.mass_matrix, &info.damping, &info.stiffness, &info.constraint_jacobian]
            .map(|pattern| room(pattern.nnz()));
    model.residual_derivatives(state, &mut by_a, &mut by_v_of_r, &mut by_q_of_r, &mut jacobian);
    let mut all = vec![
        ("residual_derivatives", [by_a, by_v_of_r, by_q_of_r, jacobian].concat()),
        ("constraint_derivatives", [rate_by_q, by_q, by_v].concat()),
        ("contact_derivatives", xi_by_q),
        ("input_derivatives", by_input),
        ("output_derivatives", [y_by_q, y_by_v, y_by_a, y_by_lambda, y_by_u].concat()),
    ];
    let (np, switches) = (info.differentiated.len(), model.n_switching_functions());
    let mut of_switches = [1, 1, dims.nv, dims.nv, np].map(|columns| room(switches * columns));
    let [s, rate, s_by_q, s_by_v, s_by_p] = &mut of_switches;
    model.switching_functions(state, s, rate, s_by_q, s_by_v, s_by_p);
    all.push(("switching_functions", of_switches.concat()));
    let mut r_by_p = room(dims.nv * np);
    let [mut g_by_p, mut rate_by_p, mut acceleration_by_p] = [(); 3].map(|()| room(dims.nc * np));
    if !model.parameter_derivatives(state, &mut r_by_p, &mut g_by_p, &mut rate_by_p, &mut acceleration_by_p) {
        return all;
    }
    let mut y_by_p = room(ny * np);
    model.output_parameter_derivatives(state, &mut y_by_p);
    let [mut gap, mut xi, mut restitution, mut friction] = [n, rows, rows, n].map(|count| room(count * np));
    model.contact_parameter_derivatives(state, &mut gap, &mut xi, &mut restitution, &mut friction);
    let (positions, velocities) = model.n_initial_conditions();
    let mut of_start = [positions * np, velocities * np, velocities * dims.nv, dims.nq * np].map(room);
    let [position, velocity, by_q, reference] = &mut of_start;
    model.initial_derivatives(state.t, state.q.as_slice(), state.v.as_slice(), position, velocity, by_q, reference);
    all.extend([
        ("parameter_derivatives", [r_by_p, g_by_p, rate_by_p, acceleration_by_p].concat()),
        ("contact_parameter_derivatives", [gap, xi, restitution, friction].concat()),
        ("output_parameter_derivatives", y_by_p),
        ("initial_derivatives", of_start.concat()),
    ]);
    all
}

/// The bits of values.
pub fn bits(values: &[f64]) -> Vec<u64> {
    // Which NaN it is depends on the order of operands, which no standard prescribes.
    values.iter().map(|value| if value.is_nan() { f64::NAN } else { *value }.to_bits()).collect()
}
