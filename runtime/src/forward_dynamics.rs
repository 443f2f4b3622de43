//! Accelerations and multipliers of a model under forces, constraints or not, and their derivatives.

use nalgebra::DMatrix;

use crate::acceleration::Acceleration;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::redundancy::{Kept, redundant_constraints};
use crate::start::check_model;
use crate::step::StepError;

/// Solves M a + h − f = τ + Gᵀ λ with g̈ = 0 for a and λ, again and again.
///
/// Unlike [`consistent_acceleration`](crate::consistent_acceleration) it takes forces τ on the directions of the velocities,
/// keeps its room, and differentiates. Coordinates and velocities need not obey the constraints; what is solved for does.
/// Contacts exert no force.
pub struct ForwardDynamics<'m> {
    model: &'m dyn Model,
    acceleration: Acceleration<'m>,
    left_out: Vec<usize>,
    kept: Kept,
}

/// Derivatives of accelerations and multipliers along the directions of the velocities, by the velocities and by the forces.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivatives {
    /// (∂a/∂q) N, `[nv × nv]`.
    pub a_by_q: DMatrix<f64>,
    /// ∂a/∂v, `[nv × nv]`.
    pub a_by_v: DMatrix<f64>,
    /// ∂a/∂τ, `[nv × nv]`: M⁻¹ without constraints.
    pub a_by_tau: DMatrix<f64>,
    /// (∂λ/∂q) N, `[nc × nv]`.
    pub lambda_by_q: DMatrix<f64>,
    /// ∂λ/∂v, `[nc × nv]`.
    pub lambda_by_v: DMatrix<f64>,
    /// ∂λ/∂τ, `[nc × nv]`.
    pub lambda_by_tau: DMatrix<f64>,
}

impl<'m> ForwardDynamics<'m> {
    /// For states near this one: constraints that follow from others here are left out, and their multipliers are zero.
    ///
    /// # Errors
    /// [`StepError::BadModel`] for parameters out of range, [`StepError::BadState`] for a state of another size.
    ///
    /// # Examples
    /// A block on a plane of 45°, of two coordinates with a constraint: gravity and a force along the plane.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Block {
    /// #         planar;
    /// #         coordinates joint;
    /// #         gravity [0, -10] m/s^2;
    /// #         body frame { mass: 0 kg, inertia: 0 kg m^2 }
    /// #         body block { mass: 2 kg, inertia: 1 kg m^2 }
    /// #         joint across: prismatic(ground, frame);
    /// #         joint up: prismatic(frame rotated 90 deg, block rotated 90 deg);
    /// #         constraint plane: up.displacement == across.displacement;
    /// #         provide constraint_acceleration_derivatives;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::{ForwardDynamics, initial_state};
    ///
    /// let model = Block::default();
    /// let mut state = initial_state(&model)?;
    /// let mut dynamics = ForwardDynamics::new(&model, &state)?;
    /// dynamics.solve(&mut state, &[0.0, 0.0])?;
    /// assert!(state.a.iter().all(|a| (a + 5.0).abs() < 1e-12));
    /// let derivatives = dynamics.derivatives(&mut state, &[0.0, 0.0])?.expect("the model provides them");
    /// assert!(derivatives.a_by_tau.iter().all(|entry| (entry - 0.25).abs() < 1e-12));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(model: &'m dyn Model, state: &State) -> Result<Self, StepError> {
        check_model(model, state)?;
        let mut acceleration = Acceleration::new(model, "forward dynamics".to_owned());
        let left_out = redundant_constraints(model, state);
        acceleration.leave_out(&left_out);
        Ok(Self { model, acceleration, left_out, kept: Kept::new(model) })
    }

    /// The constraints that were left out last because they follow from others; others take their place where those that are
    /// kept are about to become dependent.
    pub fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// Replaces accelerations and multipliers of a state by those that the forces `tau`, `[nv]`, cause.
    ///
    /// # Errors
    /// [`StepError::Singular`] where a direction of motion has no inertia, or constraints depend on each other that did not
    /// in the state of [`new`](Self::new); [`StepError::NotFinite`].
    ///
    /// # Panics
    /// When a list has another length than the model's.
    pub fn solve(&mut self, state: &mut State, tau: &[f64]) -> Result<(), StepError> {
        let nv = state.v.len();
        assert_eq!(tau.len(), nv, "the number of forces");
        if let Some(others) = self.kept.exchanged(self.model, state, &self.left_out) {
            self.acceleration.leave_out(&others);
            self.left_out = others;
        }
        self.acceleration.begin(state.t);
        self.acceleration.factor(state)?;
        // Without accelerations and multipliers the residual is h − f.
        self.acceleration.forces(1.0, state);
        self.acceleration.rhs.iter_mut().zip(tau).for_each(|(force, tau)| *force += tau);
        self.acceleration.acceleration_rows(state);
        self.acceleration.solve()?;
        let (a, lambda) = self.acceleration.rhs.split_at(nv);
        state.a.as_mut_slice().copy_from_slice(a);
        state.lambda.as_mut_slice().copy_from_slice(lambda);
        Ok(())
    }

    /// The same, and the derivatives of what was found; none for a model with constraints that provides neither
    /// `constraint_acceleration_derivatives` nor `linearization`.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    ///
    /// # Panics
    /// As [`solve`](Self::solve).
    pub fn derivatives(&mut self, state: &mut State, tau: &[f64]) -> Result<Option<Derivatives>, StepError> {
        self.solve(state, tau)?;
        let (info, nv, nc) = (self.model.describe(), state.v.len(), state.lambda.len());
        let mut of_constraints = [(); 2].map(|()| vec![0.0; nc * nv]);
        let [by_q, by_v] = &mut of_constraints;
        if nc > 0
            && !self.model.constraint_acceleration_derivatives(state, by_q, by_v)
            && !self.model.constraint_derivatives(state, &mut vec![0.0; nc * nv], by_q, by_v)
        {
            return Ok(None);
        }
        let [mut stiffness, mut damping] = [&info.stiffness, &info.damping].map(|pattern| vec![0.0; pattern.nnz()]);
        self.model.stiffness(state, &mut stiffness);
        self.model.damping(state, &mut damping);
        let of_forces = [info.stiffness.to_dense(&stiffness), info.damping.to_dense(&damping)];
        // [M, −Gᵀ; G, 0] (∂a, ∂λ) = −(∂r, ∂g̈), and (1, 0) by the forces.
        let mut columns = |column: &dyn Fn(usize, &mut [f64], &mut [f64])| -> Result<[DMatrix<f64>; 2], StepError> {
            let mut result = [DMatrix::zeros(nv, nv), DMatrix::zeros(nc, nv)];
            for j in 0..nv {
                let (upper, lower) = self.acceleration.rhs.split_at_mut(nv);
                column(j, upper, lower);
                self.acceleration.solve()?;
                let (a, lambda) = self.acceleration.rhs.split_at(nv);
                result[0].column_mut(j).copy_from_slice(a);
                result[1].column_mut(j).copy_from_slice(lambda);
            }
            Ok(result)
        };
        let by = |force: &DMatrix<f64>, constraint: &[f64], j: usize, upper: &mut [f64], lower: &mut [f64]| {
            upper.iter_mut().zip(force.column(j).iter()).for_each(|(entry, value)| *entry = -value);
            lower.iter_mut().enumerate().for_each(|(i, entry)| *entry = -constraint[i * nv + j]);
        };
        let [a_by_q, lambda_by_q] = columns(&|j, upper, lower| by(&of_forces[0], &of_constraints[0], j, upper, lower))?;
        let [a_by_v, lambda_by_v] = columns(&|j, upper, lower| by(&of_forces[1], &of_constraints[1], j, upper, lower))?;
        let [a_by_tau, lambda_by_tau] = columns(&|j, upper, lower| {
            upper.fill(0.0);
            lower.fill(0.0);
            upper[j] = 1.0;
        })?;
        Ok(Some(Derivatives { a_by_q, a_by_v, a_by_tau, lambda_by_q, lambda_by_v, lambda_by_tau }))
    }
}
