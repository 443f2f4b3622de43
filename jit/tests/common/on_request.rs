//! The functions that a compiled model provides on request, at a state, for comparisons bit by bit.

use hamel::{Model, State};
use hamel_jit::JitModel;

/// What every provided function gives; the accelerations of the state stand for forces, too.
pub fn on_request(model: &JitModel, state: &State) -> Vec<(&'static str, Vec<f64>)> {
    let nv = model.dims().nv;
    let (t, q, v, a) = (state.t, state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
    let mut all = Vec::new();
    let mut one = |name, n: usize, fill: &dyn Fn(&mut [f64])| {
        if model.provides(name) {
            // Entries that are zero everywhere are not written.
            let mut values = vec![0.0; n];
            fill(&mut values);
            all.push((name, values));
        }
    };
    one("nonlinear_effects", nv, &|out| model.nonlinear_effects(t, q, v, out));
    one("inverse_dynamics", nv, &|out| model.inverse_dynamics(t, q, v, a, out));
    one("forward_dynamics", nv, &|out| model.forward_dynamics(t, q, v, a, out));
    one("inverse_dynamics_derivatives", 3 * nv * nv, &|out| {
        model.inverse_dynamics_derivatives(t, q, v, a, thirds(out));
    });
    one("forward_dynamics_derivatives", 3 * nv * nv, &|out| {
        model.forward_dynamics_derivatives(t, q, v, a, thirds(out));
    });
    all
}

fn thirds(values: &mut [f64]) -> [&mut [f64]; 3] {
    let (first, rest) = values.split_at_mut(values.len() / 3);
    let (second, third) = rest.split_at_mut(rest.len() / 2);
    [first, second, third]
}
