//! Nearer to an equilibrium, from where Newton's method fails: implicit steps through time from rest, each stopped at its
//! end, that grow while they succeed.
//!
//! Euler's implicit method from rest at q over a time h, `r(q + Δq, Δq / h, Δq / h²) = 0`, goes where the forces push: over
//! a short time a little, over a long one to where they balance. This is pseudo-transient continuation (Kelley and Keyes
//! 1998, "Convergence analysis of pseudo-transient continuation"), with the mass matrix, which weighs what no force weighs.

use super::{moved, size_of};
use crate::linear_solver::LinearSolver;
use crate::model::{Model, State};
use crate::prelude::*;

/// Solutions of linear equations, over all steps.
const MAX_ITERATIONS: u32 = 1000;
/// And of one step, which is tried over a shorter time then.
const MAX_OF_STEP: u32 = 12;
/// Correction that ends a step.
const CONVERGED: f64 = 1e-9;
/// The first time, s, and the factor by which times grow and shrink.
const FIRST: f64 = 0.01;
const FACTOR: f64 = 4.0;
/// A step that leads further, relative to one plus the largest coordinate, is not taken: an angle that turns so far means
/// something else.
const FARTHEST: f64 = 0.5;
/// A step that is shorter than this, and no longer than the one before it, although it takes as much time, has come near.
const NEAR: f64 = 1e-4;

/// A state near an equilibrium; none for models with constraints on velocities, and where steps do not come near one.
///
/// The solver belongs to the iteration matrix of the model, and the start is at rest.
pub(super) fn settle(model: &dyn Model, start: &State, solver: &mut LinearSolver) -> Option<State> {
    let info = model.describe();
    if info.velocity_constraints > 0 {
        return None;
    }
    let moving = model.dims().nv - info.states;
    let (mut state, mut h, mut iterations) = (start.clone(), FIRST, 0);
    let mut last = (0.0, 0.0);
    while iterations < MAX_ITERATIONS {
        let Some((mut next, length)) = step(model, &state, h, solver, &mut iterations) else {
            h /= FACTOR;
            continue;
        };
        next.v.rows_mut(0, moving).fill(0.0);
        next.a.fill(0.0);
        state = next;
        if length <= NEAR.min(last.1) && h >= last.0 {
            return Some(state);
        }
        last = (h, length);
        h *= FACTOR;
    }
    None
}

/// The end of a step over a time, and how far it leads.
fn step(
    model: &dyn Model,
    from: &State,
    h: f64,
    solver: &mut LinearSolver,
    iterations: &mut u32,
) -> Option<(State, f64)> {
    let (info, dims) = (model.describe(), model.dims());
    let (moving, rates) = (dims.nv - info.states, [1.0 / (h * h), 1.0 / h]);
    let mut values = vec![0.0; info.iteration_matrix.nnz()];
    let mut correction = vec![0.0; dims.nv + dims.nc];
    let mut way = vec![0.0; dims.nv];
    let mut state = from.clone();
    for _ in 0..MAX_OF_STEP {
        *iterations += 1;
        let (r, g) = correction.split_at_mut(dims.nv);
        model.residual(&state, r, g);
        model.iteration_matrix(&state, rates[0], rates[1], 1.0, &mut values);
        if values.iter().chain(&correction).any(|value| !value.is_finite()) || solver.factor(&values).is_err() {
            return None;
        }
        solver.solve(&mut correction);
        // First-order states by their integrals.
        let dq = &correction[..dims.nv];
        way.iter_mut().zip(dq).for_each(|(way, dq)| *way -= dq);
        let size = size_of(&dq[..moving], &state);
        state = moved(model, &state, &correction, rates[1]);
        state.v.rows_mut(0, moving).iter_mut().zip(dq).for_each(|(v, dq)| *v -= rates[1] * dq);
        state.a.iter_mut().zip(dq).for_each(|(a, dq)| *a -= rates[0] * dq);
        let length = size_of(&way[..moving], &state);
        if size.is_nan() || length > FARTHEST {
            return None;
        }
        if size <= CONVERGED {
            return Some((state, length));
        }
    }
    None
}
