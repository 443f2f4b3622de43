//! Whether a state is at rest, or belongs to a steady motion.
//!
//! In a steady motion velocities stay, so that it is known in closed form; the linearised equations are evaluated at later
//! times, and must be the same.

use nalgebra::{DMatrix, DVector};

use super::axes::{Axes, advanced, steady_acceleration};
use super::{Instant, LinearizeError, names};
use crate::configuration::ranges;
use crate::forward_dynamics::ForwardDynamics;
use crate::model::{Block, Model, State};
use crate::prelude::*;

/// Accelerations beside those of a steady motion, relative to one plus the largest acceleration that velocities explain.
const ACCELERATED: f64 = 1e-7;
/// Entries of the equations may change by this part of the largest of their kind.
const CHANGED: f64 = 1e-8;
/// A constraint that moves slower than this rests, in its SI unit.
const AT_REST: f64 = 1e-10;
/// Times at which equations are compared, where the fastest coordinate has moved on by as many units.
const LATER: [f64; 4] = [0.0, 0.3, 1.0, 2.7];

/// Refuses an equilibrium that constraints move.
pub(super) fn check_rest(model: &dyn Model, state: &State) -> Result<(), LinearizeError> {
    let info = model.describe();
    let (mut rate, mut unused) = (vec![0.0; state.lambda.len()], vec![0.0; state.lambda.len()]);
    model.constraint_bias(state.t, state.q.as_slice(), state.v.as_slice(), &mut rate, &mut unused);
    match rate.iter().position(|rate| rate.abs() > AT_REST) {
        Some(row) => {
            let constraint = info.constraints[row].name.clone();
            Err(LinearizeError::Driven { model: info.name.clone(), constraint, rate: rate[row] })
        }
        None => Ok(()),
    }
}

/// The linearised equations of the steady motion that a state belongs to.
pub(super) fn instant(model: &dyn Model, state: &State) -> Result<Instant, LinearizeError> {
    // Where nothing turns, both are the same but for their names; where something spins, its small motions are seen from
    // what it turns against, if they can be.
    let own = || instant_in(model, state, Axes::Own);
    match turns(model, state) {
        false => own(),
        true => instant_in(model, state, Axes::Parent).or_else(|_| own()),
    }
}

/// Whether a body or joint with free rotation turns.
fn turns(model: &dyn Model, state: &State) -> bool {
    ranges(&model.describe().blocks).any(|(block, _, v)| {
        let first = match block {
            Block::Vector { .. } => return false,
            Block::EulerParameters => v.start,
            Block::Rotation(_) | Block::Pose(_) => v.end - 3,
        };
        state.v.rows(first, v.end - first).amax() > AT_REST
    })
}

fn instant_in(model: &dyn Model, state: &State, axes: Axes) -> Result<Instant, LinearizeError> {
    let info = model.describe();
    check_acceleration(model, state, axes)?;
    let first = Instant::new(model, state, axes)?;
    let state_matrix = first.state_matrix();
    let moving = state.v.len() - info.states;
    // First-order states are no rates of displacements.
    let without_integrals = |mut rates: DMatrix<f64>| {
        rates.rows_mut(moving, info.states).fill(0.0);
        rates
    };
    let expected = without_integrals(&first.basis * &state_matrix);
    let fastest = state.v.rows(0, moving).amax();
    let unit = if fastest > 0.0 { 1.0 / fastest } else { 1.0 };
    for later in LATER {
        let state = advanced(&info.blocks, axes, &first.state, later * unit);
        check_acceleration(model, &state, axes)?;
        let now = Instant::new(model, &state, axes)?;
        let found = without_integrals(&now.rates * &first.basis);
        let pairs = [
            (&found, &expected),
            (&now.forced, &first.forced),
            (&(&now.outputs * &first.basis), &(&first.outputs * &first.basis)),
            (&now.direct, &first.direct),
        ];
        let named = |kind: usize, row: usize| match kind {
            0 | 1 => {
                let row = if kind == 0 { row % state.v.len() } else { row };
                format!("the equation of `{}`", info.velocities[row].name)
            }
            _ => format!("output `{}`", info.outputs[row].name),
        };
        for (kind, (found, expected)) in pairs.into_iter().enumerate() {
            if let Some(row) = changed(found, expected) {
                return Err(LinearizeError::Changing { model: info.name.clone(), what: named(kind, row) });
            }
        }
    }
    debug_assert_eq!(names(info, &first.partition).len(), state_matrix.nrows());
    Ok(first)
}

/// The row of the largest change, if that is more than rounding.
pub(super) fn changed(found: &DMatrix<f64>, expected: &DMatrix<f64>) -> Option<usize> {
    let rows = |matrix: &DMatrix<f64>| DVector::from_fn(matrix.nrows(), |row, _| matrix.row(row).amax());
    let (difference, size) = (rows(&(found - expected)), rows(expected));
    let largest = if size.is_empty() { 0.0 } else { size.amax() };
    // A row of small entries has rounding of larger ones that cancel in it.
    let excess = |row: usize| difference[row] / (CHANGED * (size[row] + 1e-3 * largest) + f64::MIN_POSITIVE);
    let worst = (0..found.nrows()).max_by(|&a, &b| excess(a).total_cmp(&excess(b)))?;
    (excess(worst) > 1.0).then_some(worst)
}

fn check_acceleration(model: &dyn Model, state: &State, axes: Axes) -> Result<(), LinearizeError> {
    let info = model.describe();
    let mut accelerated = state.clone();
    ForwardDynamics::new(model, state)?.solve(&mut accelerated, &vec![0.0; state.v.len()])?;
    let steady = steady_acceleration(&info.blocks, axes, state);
    let difference = accelerated.a - &steady;
    let size = 1.0 + state.v.amax().powi(2) + steady.amax();
    match difference.is_empty() || difference.amax() <= ACCELERATED * size {
        true => Ok(()),
        false => {
            let worst = difference.iamax();
            let velocity = info.velocities[worst].name.clone();
            Err(LinearizeError::Accelerated { model: info.name.clone(), velocity, rate: difference[worst] })
        }
    }
}
