//! The derivatives of the equations of motion and of the constraints at a state.

use crate::model::{Model, State};
use crate::prelude::*;
use crate::step::ConstraintLevel;

/// What changes are taken with respect to, apart from the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub(crate) parameters: bool,
    pub(crate) inputs: bool,
}

/// Derivatives at a state; matrices of unlisted size are `[… × np]` or `[… × nu]`, row by row.
pub(crate) struct Terms<'m> {
    model: &'m dyn Model,
    nv: usize,
    np: usize,
    /// Values of the patterns of ∂r/∂q N, ∂r/∂v, M and G.
    pub(super) stiffness: Vec<f64>,
    pub(super) damping: Vec<f64>,
    pub(super) mass: Vec<f64>,
    pub(super) jacobian: Vec<f64>,
    /// (∂ġ/∂q) N, (∂g̈/∂q) N, ∂g̈/∂v, `[nc × nv]`.
    rate_by_q: Vec<f64>,
    acceleration_by_q: Vec<f64>,
    acceleration_by_v: Vec<f64>,
    pub(super) force_by_p: Vec<f64>,
    constraint_by_p: Vec<f64>,
    rate_by_p: Vec<f64>,
    acceleration_by_p: Vec<f64>,
    pub(super) force_by_u: Vec<f64>,
}

/// What a row of a constraint says of changes.
pub(super) struct Row<'t> {
    pub(super) by: [RowOf<'t>; 3],
    pub(super) by_p: &'t [f64],
}

/// Entries of a row: none, those of G, or all.
#[derive(Clone, Copy)]
pub(super) enum RowOf<'t> {
    Nothing,
    Gradient,
    Full(&'t [f64]),
}

impl<'m> Terms<'m> {
    pub(super) fn new(model: &'m dyn Model) -> Self {
        let (info, dims) = (model.describe(), model.dims());
        let (np, nu) = (info.differentiated.len(), info.inputs.len());
        let full = || vec![0.0; dims.nc * dims.nv];
        let by_p = |rows: usize| vec![0.0; rows * np];
        Self {
            stiffness: vec![0.0; info.stiffness.nnz()],
            damping: vec![0.0; info.damping.nnz()],
            mass: vec![0.0; info.mass_matrix.nnz()],
            jacobian: vec![0.0; info.constraint_jacobian.nnz()],
            rate_by_q: full(),
            acceleration_by_q: full(),
            acceleration_by_v: full(),
            force_by_p: by_p(dims.nv),
            constraint_by_p: by_p(dims.nc),
            rate_by_p: by_p(dims.nc),
            acceleration_by_p: by_p(dims.nc),
            force_by_u: vec![0.0; dims.nv * nu],
            nv: dims.nv,
            np,
            model,
        }
    }

    /// Evaluates everything; that the model has the derivatives that are wanted is known.
    pub(super) fn evaluate(&mut self, state: &State, wanted: Wanted) {
        let (t, q) = (state.t, state.q.as_slice());
        let Self { stiffness, damping, mass, jacobian, .. } = self;
        if !self.model.residual_derivatives(state, mass, damping, stiffness, jacobian) {
            self.model.stiffness(state, stiffness);
            self.model.damping(state, damping);
            self.model.mass_matrix(q, mass);
            self.model.constraint_jacobian(t, q, jacobian);
        }
        let Self { rate_by_q, acceleration_by_q, acceleration_by_v, .. } = self;
        if !rate_by_q.is_empty() {
            self.model.constraint_derivatives(state, rate_by_q, acceleration_by_q, acceleration_by_v);
        }
        if wanted.parameters {
            let Self { force_by_p, constraint_by_p, rate_by_p, acceleration_by_p, .. } = self;
            self.model.parameter_derivatives(state, force_by_p, constraint_by_p, rate_by_p, acceleration_by_p);
        }
        if wanted.inputs {
            self.model.input_derivatives(state, &mut self.force_by_u);
        }
    }

    /// Evaluates those of an impact, `M a = Gᵀ λ` with changes a of velocities and impulses λ, after which velocities satisfy
    /// the constraints: what the residual differs by from that without a and λ.
    pub(super) fn evaluate_impact(&mut self, state: &State, other: &mut Self, wanted: Wanted) {
        let wanted = Wanted { inputs: false, ..wanted };
        self.evaluate(state, wanted);
        let mut at = state.clone();
        at.a.fill(0.0);
        at.lambda.fill(0.0);
        other.evaluate(&at, wanted);
        self.subtract_forces(other);
        self.damping.fill(0.0);
        self.force_by_u.fill(0.0);
    }

    /// Subtracts the derivatives of the forces at another state.
    pub(super) fn subtract_forces(&mut self, other: &Self) {
        subtract(&mut self.stiffness, &other.stiffness);
        subtract(&mut self.force_by_p, &other.force_by_p);
    }

    /// Subtracts the derivatives of the rates of constraints at another state.
    pub(super) fn subtract_rows(&mut self, other: &Self) {
        subtract(&mut self.rate_by_q, &other.rate_by_q);
        subtract(&mut self.rate_by_p, &other.rate_by_p);
    }

    /// Takes the derivatives of the forces from another state.
    pub(super) fn take_forces(&mut self, other: &Self) {
        self.stiffness.copy_from_slice(&other.stiffness);
        self.force_by_p.copy_from_slice(&other.force_by_p);
    }

    /// Takes M and G from another state.
    pub(super) fn take_matrices(&mut self, other: &Self) {
        self.mass.copy_from_slice(&other.mass);
        self.jacobian.copy_from_slice(&other.jacobian);
    }

    /// A row of a constraint that holds at a level.
    pub(super) fn row(&self, row: usize, level: ConstraintLevel) -> Row<'_> {
        let (nv, np) = (self.nv, self.np);
        let of_v = row * nv..(row + 1) * nv;
        let of_p = row * np..(row + 1) * np;
        match level {
            ConstraintLevel::Position => {
                Row { by: [RowOf::Gradient, RowOf::Nothing, RowOf::Nothing], by_p: &self.constraint_by_p[of_p] }
            }
            ConstraintLevel::Velocity => Row {
                by: [RowOf::Full(&self.rate_by_q[of_v]), RowOf::Gradient, RowOf::Nothing],
                by_p: &self.rate_by_p[of_p],
            },
            ConstraintLevel::Acceleration => Row {
                by: [
                    RowOf::Full(&self.acceleration_by_q[of_v.clone()]),
                    RowOf::Full(&self.acceleration_by_v[of_v]),
                    RowOf::Gradient,
                ],
                by_p: &self.acceleration_by_p[of_p],
            },
        }
    }
}

fn subtract(values: &mut [f64], others: &[f64]) {
    values.iter_mut().zip(others).for_each(|(value, other)| *value -= other);
}
