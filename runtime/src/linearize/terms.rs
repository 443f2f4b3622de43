//! What a model gives for its linearisation at one state, dense and along the directions of its velocities.

use nalgebra::DMatrix;

use super::LinearizeError;
use super::sums::{solution, sum};
use crate::forward_dynamics::ForwardDynamics;
use crate::model::{Model, State};
use crate::prelude::*;

/// `δv' = P θ + Q δv + R δu`, `G θ = 0`, `G δv + H θ = 0`, and outputs, for small displacements θ, changes of velocity δv
/// and of inputs δu.
pub(crate) struct Terms {
    pub(crate) p: DMatrix<f64>,
    pub(crate) q: DMatrix<f64>,
    pub(crate) r: DMatrix<f64>,
    /// G and H.
    pub(crate) jacobian: DMatrix<f64>,
    pub(crate) rate_by_q: DMatrix<f64>,
    pub(crate) mass: DMatrix<f64>,
    /// Outputs by displacements, velocities and inputs, which accelerations and multipliers follow.
    pub(crate) outputs: [DMatrix<f64>; 3],
}

impl Terms {
    /// At a state, whose accelerations and multipliers become those of the equations of motion.
    pub(crate) fn new(model: &dyn Model, state: &mut State) -> Result<Self, LinearizeError> {
        let (info, dims) = (model.describe(), model.dims());
        let (nv, nc, nu, ny) = (dims.nv, dims.nc, info.inputs.len(), info.outputs.len());
        let not_provided = || LinearizeError::NotProvided { model: info.name.clone() };
        let mut dynamics = ForwardDynamics::new(model, state)?;
        let derivatives = dynamics.derivatives(state, &vec![0.0; nv])?.ok_or_else(not_provided)?;

        let mut of_constraints = [(); 3].map(|()| vec![0.0; nc * nv]);
        let [rate_by_q, by_q, by_v] = &mut of_constraints;
        let mut by_input = vec![0.0; nv * nu];
        let columns = [nv, nv, nv, nc, nu];
        let mut of_outputs = columns.map(|columns| vec![0.0; ny * columns]);
        let [y_by_q, y_by_v, y_by_a, y_by_lambda, y_by_u] = &mut of_outputs;
        let is_complete = (nc == 0 || model.constraint_derivatives(state, rate_by_q, by_q, by_v))
            && (nu == 0 || model.input_derivatives(state, &mut by_input))
            && (ny == 0 || model.output_derivatives(state, y_by_q, y_by_v, y_by_a, y_by_lambda, y_by_u));
        if !is_complete {
            return Err(not_provided());
        }
        let mut jacobian = vec![0.0; info.constraint_jacobian.nnz()];
        model.constraint_jacobian(state.t, state.q.as_slice(), &mut jacobian);
        let mut mass = vec![0.0; info.mass_matrix.nnz()];
        model.mass_matrix(state.q.as_slice(), &mut mass);
        let dense =
            |entries: &[f64], columns: usize| DMatrix::from_row_slice(entries.len() / columns.max(1), columns, entries);
        let [mut stiffness, mut damping] = [&info.stiffness, &info.damping].map(|pattern| vec![0.0; pattern.nnz()]);
        model.stiffness(state, &mut stiffness);
        model.damping(state, &mut damping);
        let [stiffness, damping] = [info.stiffness.to_dense(&stiffness), info.damping.to_dense(&damping)];
        // Accelerations by forces, and by what constraints ask for, which is the transpose of multipliers by forces.
        let by_tau = &derivatives.a_by_tau;
        let by_bias = derivatives.lambda_by_tau.transpose();
        let terms_of = |force: &DMatrix<f64>, bias: &[f64], found: DMatrix<f64>| match nc {
            0 => solution(found, &[(by_tau, force)]),
            _ => solution(found, &[(by_tau, force), (&by_bias, &dense(bias, nv))]),
        };
        let by_input = DMatrix::from_row_slice(nv, nu, &by_input);
        let p = terms_of(&stiffness, &of_constraints[1], derivatives.a_by_q.clone());
        let q = terms_of(&damping, &of_constraints[2], derivatives.a_by_v.clone());
        let r = sum(&[(&-by_tau, &by_input)]);
        let [y_by_q, y_by_v, y_by_a, y_by_lambda, y_by_u] =
            [0, 1, 2, 3, 4].map(|i| DMatrix::from_row_slice(ny, columns[i], &of_outputs[i]));
        let lambda_by_u = -&derivatives.lambda_by_tau * &by_input;
        let outputs = [
            y_by_q + &y_by_a * &p + &y_by_lambda * &derivatives.lambda_by_q,
            y_by_v + &y_by_a * &q + &y_by_lambda * &derivatives.lambda_by_v,
            y_by_u + &y_by_a * &r + &y_by_lambda * lambda_by_u,
        ];
        let terms = Self {
            p,
            q,
            r,
            jacobian: info.constraint_jacobian.to_dense(&jacobian),
            rate_by_q: DMatrix::from_row_slice(nc, nv, &of_constraints[0]),
            mass: info.mass_matrix.to_dense(&mass),
            outputs,
        };
        let is_finite = terms.all().all(|matrix| matrix.iter().all(|entry| entry.is_finite()));
        match is_finite {
            true => Ok(terms),
            false => Err(LinearizeError::NotFinite { model: info.name.clone(), t: state.t }),
        }
    }

    /// Those that say how departures move.
    pub(super) fn of_motion(&self) -> impl Iterator<Item = &DMatrix<f64>> {
        let Self { p, q, r, outputs, .. } = self;
        [p, q, r].into_iter().chain(outputs)
    }

    fn all(&self) -> impl Iterator<Item = &DMatrix<f64>> {
        let Self { p, q, r, jacobian, rate_by_q, mass, outputs } = self;
        [p, q, r, jacobian, rate_by_q, mass].into_iter().chain(outputs)
    }
}
