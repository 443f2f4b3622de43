//! The constraint rows of a Newton system, on positions, velocities or accelerations, divided by what makes them
//! accelerations.
//!
//! On positions `g / (∂q/∂a)`, on velocities `(G v + ∂g/∂t) / (∂v/∂a)`, on accelerations `G a + …`: the derivative of all
//! kinds of rows by the acceleration is G, whatever the step size. On velocities and accelerations the change of the
//! coefficients with q and v is left out of the matrix; it is smaller than G by a factor of the step size.

use crate::model::{Model, State, instances};
use crate::newton::Newton;
use crate::prelude::*;
use crate::residuals::for_terms;
use crate::scheme::ConstraintLevel;

#[derive(Clone)]
pub(super) struct ConstraintRows {
    level: ConstraintLevel,
    /// Number of constraints on coordinates, which come first; the others are constraints on velocities.
    on_coordinates: usize,
    /// How many instances the model is.
    instances: usize,
    /// Values of G.
    jacobian: Vec<f64>,
    /// The parts of ġ and g̈ without the highest derivative.
    bias: [Vec<f64>; 2],
}

/// The derivatives of coordinates, velocities and accelerations by the unknown acceleration.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    pub(super) position: f64,
    pub(super) velocity: f64,
    pub(super) acceleration: f64,
}

impl ConstraintRows {
    pub(super) fn new(model: &dyn Model, level: ConstraintLevel) -> Self {
        let (info, instances) = instances(model);
        Self {
            level,
            on_coordinates: info.constraints.len() - info.velocity_constraints,
            instances,
            jacobian: vec![0.0; instances * info.constraint_jacobian.nnz()],
            bias: [(); 2].map(|()| vec![0.0; instances * info.constraints.len()]),
        }
    }

    /// Number of constraints, from the first, that are imposed on positions.
    pub(super) fn on_positions(&self) -> usize {
        if self.level == ConstraintLevel::Position { self.on_coordinates } else { 0 }
    }

    /// Whether constraints bind velocities, at the end of a step or by binding positions.
    pub(super) fn bind_velocities(&self) -> bool {
        self.level != ConstraintLevel::Acceleration && !self.bias[0].is_empty()
    }

    /// Takes from an error of velocities what the constraints do not allow.
    ///
    /// `newton` has the matrix of a step near the state; `rhs` is workspace, `[nv + nc]`.
    pub(super) fn make_tangential(
        &mut self,
        model: &dyn Model,
        newton: &mut Newton,
        state: &State,
        rhs: &mut [f64],
        error: &mut [f64],
    ) {
        model.constraint_jacobian(state.t, state.q.as_slice(), &mut self.jacobian);
        rhs.fill(0.0);
        for_terms(model, error, &self.jacobian, |row, term| rhs[error.len() + row] -= term);
        newton.solve_linear(rhs);
        error.iter_mut().zip(&*rhs).for_each(|(error, change)| *error += change);
    }

    /// Where constraints on coordinates are imposed.
    pub(super) fn of_coordinates(&self) -> ConstraintLevel {
        self.level
    }

    /// Where a constraint is imposed.
    pub(super) fn level(&self, row: usize) -> ConstraintLevel {
        if row < self.on_coordinates { self.level } else { ConstraintLevel::Velocity }
    }

    /// Turns what [`Model::residual`] gives for the constraints into the rows.
    pub(super) fn complete(&mut self, model: &dyn Model, state: &State, factors: Factors, rows: &mut [f64]) {
        let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
        let n = self.instances * self.on_coordinates;
        let (highest, factor) = match self.level {
            ConstraintLevel::Position => (None, factors.position),
            ConstraintLevel::Velocity => (Some(&state.v), factors.velocity),
            ConstraintLevel::Acceleration => (Some(&state.a), factors.acceleration),
        };
        if let Some(highest) = highest.filter(|_| n > 0) {
            let Self { bias: [rate, acceleration], .. } = self;
            model.constraint_bias(t, q, v, rate, acceleration);
            model.constraint_jacobian(t, q, &mut self.jacobian);
            let bias = if self.level == ConstraintLevel::Velocity { rate } else { acceleration };
            rows[..n].copy_from_slice(&bias[..n]);
            let add = |row: usize, term| rows[..n].get_mut(row).into_iter().for_each(|row| *row += term);
            for_terms(model, highest.as_slice(), &self.jacobian, add);
        }
        rows[..n].iter_mut().for_each(|row| *row /= factor);
        rows[n..].iter_mut().for_each(|row| *row /= factors.velocity);
    }
}
