//! The derivatives of contacts at a state.

use crate::model::{Model, State};
use crate::prelude::*;

/// Derivatives of gaps, of relative velocities and of what laws say, row by row; those by parameters are zero where they are
/// not wanted.
#[derive(Clone)]
pub(crate) struct ContactDerivatives {
    /// Of relative velocities along the velocities, `[rows × nv]`.
    pub(crate) by_q: Vec<f64>,
    /// Of relative velocities, `[rows × np]`.
    pub(crate) by_p: Vec<f64>,
    /// Of gaps, `[contacts × np]`.
    pub(crate) gap_by_p: Vec<f64>,
    /// Of coefficients of restitution, `[rows × np]`.
    pub(crate) restitution_by_p: Vec<f64>,
    /// Of coefficients of friction, `[contacts × np]`.
    pub(crate) friction_by_p: Vec<f64>,
}

impl ContactDerivatives {
    /// Of a model, all zero.
    pub(crate) fn new(model: &dyn Model) -> Self {
        let (info, nv) = (model.describe(), model.dims().nv);
        let (n, rows, np) = (info.contacts.len(), info.contact_jacobian.rows, info.differentiated.len());
        let [by_q, by_p, restitution_by_p] = [nv, np, np].map(|columns| vec![0.0; rows * columns]);
        let [gap_by_p, friction_by_p] = [(); 2].map(|()| vec![0.0; n * np]);
        Self { by_q, by_p, gap_by_p, restitution_by_p, friction_by_p }
    }

    /// Those at a state.
    pub(crate) fn at(model: &dyn Model, state: &State, has_parameters: bool) -> Self {
        let mut derivatives = Self::new(model);
        derivatives.evaluate(model, state, has_parameters);
        derivatives
    }

    /// Becomes those at a state; that the model has them is known.
    pub(crate) fn evaluate(&mut self, model: &dyn Model, state: &State, has_parameters: bool) {
        let Self { by_q, by_p, gap_by_p, restitution_by_p, friction_by_p } = self;
        model.contact_derivatives(state, by_q);
        if has_parameters && !gap_by_p.is_empty() {
            model.contact_parameter_derivatives(state, gap_by_p, by_p, restitution_by_p, friction_by_p);
        }
    }
}
