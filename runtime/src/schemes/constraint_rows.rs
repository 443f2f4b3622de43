//! The constraint rows of a Newton system, on positions or on velocities, divided by what makes them accelerations.
//!
//! On positions `g / (∂q/∂a)`, on velocities `(G v + ∂g/∂t) / (∂v/∂a)`: the derivative of both kinds of rows by the
//! acceleration is G, whatever the step size. On velocities the change of the coefficients with q is left out of the
//! matrix; it is smaller than G by a factor of the step size.

use crate::model::{Model, State};
use crate::scheme::ConstraintLevel;

pub(super) struct ConstraintRows {
    /// Number of constraints, from the first, that are imposed on positions; the others are imposed on velocities.
    on_positions: usize,
    /// Values of G, where constraints on coordinates are imposed on velocities.
    jacobian: Vec<f64>,
    /// Receives the part of g̈ that is computed with that of ġ; not used.
    acceleration: Vec<f64>,
}

impl ConstraintRows {
    pub(super) fn new(model: &dyn Model, level: ConstraintLevel) -> Self {
        let info = model.describe();
        let on_coordinates = info.constraints.len() - info.velocity_constraints;
        match level {
            ConstraintLevel::Position => {
                Self { on_positions: on_coordinates, jacobian: Vec::new(), acceleration: Vec::new() }
            }
            ConstraintLevel::Velocity => Self {
                on_positions: 0,
                jacobian: vec![0.0; info.constraint_jacobian.nnz()],
                acceleration: vec![0.0; info.constraints.len()],
            },
        }
    }

    pub(super) fn on_positions(&self) -> usize {
        self.on_positions
    }

    /// Turns what [`Model::residual`] gives for the constraints into the rows.
    ///
    /// The factors are those of the acceleration in the coordinates and in the velocities.
    pub(super) fn complete(
        &mut self,
        model: &dyn Model,
        state: &State,
        position_factor: f64,
        velocity_factor: f64,
        rows: &mut [f64],
    ) {
        if !self.jacobian.is_empty() {
            let (q, v) = (state.q.as_slice(), state.v.as_slice());
            model.constraint_bias(state.t, q, v, rows, &mut self.acceleration);
            model.constraint_jacobian(state.t, q, &mut self.jacobian);
            for ((row, column), value) in model.describe().constraint_jacobian.entries().zip(&self.jacobian) {
                rows[row] += value * v[column];
            }
        }
        let (positions, velocities) = rows.split_at_mut(self.on_positions);
        positions.iter_mut().for_each(|g| *g /= position_factor);
        velocities.iter_mut().for_each(|g| *g /= velocity_factor);
    }
}
