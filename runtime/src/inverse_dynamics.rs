//! Forces of actuators that let a model move as it is asked to, constraints or not, and their derivatives.

use nalgebra::{DMatrix, DVector, SVD};
use thiserror::Error;

use crate::model::{Model, State};
use crate::prelude::*;
use crate::rows::{RANK, Rows};
use crate::start::check_sizes;
use crate::step::StepError;

/// Largest part of the forces, or of the accelerations of constraints, that may be left over.
const LEFT_OVER: f64 = 1e-8;

/// Solves M a + h − f = Sᵀ τ + Gᵀ λ for the forces τ of actuators and for λ, with S the directions of the velocities that
/// have an actuator.
///
/// Without constraints, and with an actuator for each velocity, τ is `residual`. With constraints fewer actuators suffice
/// for all motions that the constraints allow; where there are more than that, τ is the one of least norm, and where
/// constraints follow from others, so is λ. Contacts exert no force: what stands on the ground is held by constraints.
pub struct InverseDynamics<'m> {
    model: &'m dyn Model,
    actuated: Vec<usize>,
}

/// Why no forces of actuators lead to a motion.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Unattainable {
    /// The accelerations are not those of a motion that the constraints allow.
    #[error(
        "{model}: the motion breaks constraint `{constraint}`, whose acceleration would be {value:.3e} in its SI unit; `InverseDynamics::admissible` finds the nearest accelerations that break none"
    )]
    BreaksConstraint {
        /// Name of the model.
        model: String,
        /// Name of the constraint.
        constraint: String,
        /// What its acceleration would be, of a constraint on velocities its rate.
        value: f64,
    },
    /// The motion needs a force where there is no actuator.
    #[error(
        "{model}: the motion needs a force or torque of {value:.3e} N or N m along `{velocity}`, where no actuator is"
    )]
    NotActuated {
        /// Name of the model.
        model: String,
        /// Name of the velocity with the largest force that is missing.
        velocity: String,
        /// That force, in its SI unit.
        value: f64,
    },
    /// There are derivatives only of forces that the motion determines.
    #[error(
        "{model}: {actuators} actuators for {motions} independent motions; forces have derivatives where each motion has an actuator of its own"
    )]
    NotDetermined {
        /// Name of the model.
        model: String,
        /// Actuators.
        actuators: usize,
        /// Motions that the constraints allow, independent of each other.
        motions: usize,
    },
    /// The state has another size, or something in the model is not finite there.
    #[error(transparent)]
    State(#[from] StepError),
}

/// Derivatives of the forces of actuators along the directions of the velocities, by velocities and accelerations.
///
/// They hold for motions that the constraints allow: changes of q, v and a that obey g, ġ and g̈.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceDerivatives {
    /// (∂τ/∂q) N, `[actuators × nv]`.
    pub tau_by_q: DMatrix<f64>,
    /// ∂τ/∂v, `[actuators × nv]`.
    pub tau_by_v: DMatrix<f64>,
    /// ∂τ/∂a, `[actuators × nv]`: M without constraints.
    pub tau_by_a: DMatrix<f64>,
}

/// The equations along the motions that the constraints allow.
struct Reduced {
    /// Motions that the constraints allow, `[nv × motions]`, orthonormal.
    motions: DMatrix<f64>,
    /// The forces of the actuators along them, `[motions × actuators]`, decomposed.
    actuators: SVD<f64, nalgebra::Dyn, nalgebra::Dyn>,
}

impl<'m> InverseDynamics<'m> {
    /// For actuators that exert forces along these velocities.
    ///
    /// # Panics
    /// When a velocity is named twice, or the model does not have it.
    ///
    /// # Examples
    /// A block of 2 kg on a plane of 45°, of two coordinates with a constraint, is pushed along the first. Upwards with
    /// 1 m/s² along each, the force does the work of gravity and inertia: τ = 2 kg · (1 + 10 + 1) m/s².
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
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::{InverseDynamics, initial_state};
    ///
    /// let model = Block::default();
    /// let mut state = initial_state(&model)?;
    /// state.a.fill(1.0);
    /// let dynamics = InverseDynamics::new(&model, &[0]);
    /// let tau = dynamics.solve(&mut state)?;
    /// assert!((tau[0] - 24.0).abs() < 1e-12);
    /// assert!((state.lambda[0].abs() - 22.0).abs() < 1e-12, "the plane holds the block up");
    ///
    /// state.a[1] = 2.0;
    /// assert!(dynamics.solve(&mut state).is_err(), "the block would leave the plane");
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(model: &'m dyn Model, actuated: &[usize]) -> Self {
        let nv = model.dims().nv;
        let mut is_actuated = vec![false; nv];
        for &velocity in actuated {
            assert!(velocity < nv, "velocity {velocity} of {nv}");
            assert!(!core::mem::replace(&mut is_actuated[velocity], true), "velocity {velocity} is named twice");
        }
        Self { model, actuated: actuated.to_vec() }
    }

    /// Replaces the accelerations of a state by the nearest that obey g̈ = 0, of constraints on velocities ġ = 0 in time;
    /// those of a motion that the constraints allow do not change.
    ///
    /// # Errors
    /// [`Unattainable::State`] for a state of another size, [`Unattainable::BreaksConstraint`] if constraints contradict
    /// each other.
    pub fn admissible(&self, state: &mut State) -> Result<(), Unattainable> {
        check_sizes(self.model, state)?;
        let rows = Rows::of_constraints(self.model, state);
        // The second round removes errors of rounding.
        for _ in 0..2 {
            let (rates, _) = self.constraint_accelerations(state, &rows);
            if let Some(step) = rows.minimum_norm_solution(&rates) {
                state.a -= step;
            }
        }
        self.check_constraints(state, &rows)
    }

    /// The forces of the actuators, in the order in which they were given, that lead to the accelerations of a state;
    /// replaces its multipliers.
    ///
    /// # Errors
    /// [`Unattainable`].
    pub fn solve(&self, state: &mut State) -> Result<DVector<f64>, Unattainable> {
        self.solve_reduced(state).map(|(tau, _)| tau)
    }

    /// The same, and the derivatives of the forces.
    ///
    /// # Errors
    /// [`Unattainable`]; [`Unattainable::NotDetermined`] unless there are as many actuators as motions.
    pub fn derivatives(&self, state: &mut State) -> Result<(DVector<f64>, ForceDerivatives), Unattainable> {
        let (tau, Reduced { motions, actuators }) = self.solve_reduced(state)?;
        let info = self.model.describe();
        if self.actuated.len() != motions.ncols() {
            let (model, actuators) = (info.name.clone(), self.actuated.len());
            return Err(Unattainable::NotDetermined { model, actuators, motions: motions.ncols() });
        }
        let [mut stiffness, mut damping, mut mass] =
            [&info.stiffness, &info.damping, &info.mass_matrix].map(|pattern| vec![0.0; pattern.nnz()]);
        self.model.stiffness(state, &mut stiffness);
        self.model.damping(state, &mut damping);
        self.model.mass_matrix(state.q.as_slice(), &mut mass);
        // Zᵀ (∂r − Sᵀ ∂τ − Gᵀ ∂λ) = 0, and Zᵀ Gᵀ = 0.
        let solved = |dense: DMatrix<f64>| solution(&actuators, &(motions.transpose() * dense));
        let derivatives = ForceDerivatives {
            tau_by_q: solved(info.stiffness.to_dense(&stiffness)),
            tau_by_v: solved(info.damping.to_dense(&damping)),
            tau_by_a: solved(info.mass_matrix.to_dense(&mass)),
        };
        Ok((tau, derivatives))
    }

    fn solve_reduced(&self, state: &mut State) -> Result<(DVector<f64>, Reduced), Unattainable> {
        check_sizes(self.model, state)?;
        let rows = Rows::of_constraints(self.model, state);
        self.check_constraints(state, &rows)?;
        state.lambda.fill(0.0);
        let mut forces = DVector::zeros(state.v.len());
        self.model.residual(state, forces.as_mut_slice(), &mut vec![0.0; state.lambda.len()]);
        if forces.iter().any(|force| !force.is_finite()) {
            let (t, scheme) = (state.t, "inverse dynamics".to_owned());
            return Err(StepError::NotFinite { t, scheme, iteration: 0 }.into());
        }

        let motions = motions(&rows, state.v.len());
        let of_actuators =
            DMatrix::from_fn(motions.ncols(), self.actuated.len(), |i, k| motions[(self.actuated[k], i)]);
        let reduced = Reduced { actuators: of_actuators.svd(true, true), motions };
        let along = reduced.motions.transpose() * &forces;
        let tau = solution(&reduced.actuators, &DMatrix::from_column_slice(along.len(), 1, along.as_slice()));
        let tau = DVector::from_column_slice(tau.as_slice());

        let scale = forces.amax();
        self.actuated.iter().zip(&tau).for_each(|(&velocity, tau)| forces[velocity] -= tau);
        let missing = &reduced.motions * (reduced.motions.transpose() * &forces);
        if missing.amax() > LEFT_OVER * scale {
            let (model, info) = (self.model.describe().name.clone(), self.model.describe());
            let largest = missing.iamax();
            let velocity = info.velocities[largest].name.clone();
            return Err(Unattainable::NotActuated { model, velocity, value: missing[largest] });
        }
        if let Some(lambda) = rows.transposed().minimum_norm_solution(&forces) {
            state.lambda.copy_from(&lambda);
        }
        Ok((tau, reduced))
    }

    /// g̈ = G a + γ, of constraints on velocities the rate of A v + b, and the largest part of each.
    fn constraint_accelerations(&self, state: &State, rows: &Rows) -> (DVector<f64>, DVector<f64>) {
        let (mut rate, mut bias) = (DVector::zeros(rows.rows), DVector::zeros(rows.rows));
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        self.model.constraint_bias(state.t, q, v, rate.as_mut_slice(), bias.as_mut_slice());
        let mut sizes = bias.abs();
        for &(row, column, value) in &rows.entries {
            let part = value * state.a[column];
            bias[row] += part;
            sizes[row] = sizes[row].max(part.abs());
        }
        (bias, sizes)
    }

    fn check_constraints(&self, state: &State, rows: &Rows) -> Result<(), Unattainable> {
        let (accelerations, sizes) = self.constraint_accelerations(state, rows);
        let is_broken = |row: &usize| accelerations[*row].abs() > LEFT_OVER * sizes[*row].max(1.0);
        let broken = (0..rows.rows).filter(is_broken);
        match broken.max_by(|&a, &b| accelerations[a].abs().total_cmp(&accelerations[b].abs())) {
            Some(row) => Err(Unattainable::BreaksConstraint {
                model: self.model.describe().name.clone(),
                constraint: self.model.describe().constraints[row].name.clone(),
                value: accelerations[row],
            }),
            None => Ok(()),
        }
    }
}

/// An orthonormal basis of the motions that constraints allow, from a decomposition of G with full rows and columns.
fn motions(rows: &Rows, nv: usize) -> DMatrix<f64> {
    // Rows of length one, so that their units do not count.
    let mut lengths = vec![0.0_f64; rows.rows];
    rows.entries.iter().for_each(|&(row, _, value)| lengths[row] = lengths[row].hypot(value));
    let mut gradients = DMatrix::zeros(nv, rows.rows.max(nv));
    for &(row, column, value) in rows.entries.iter().filter(|(row, ..)| lengths[*row] > 0.0) {
        gradients[(column, row)] += value / lengths[row];
    }
    let decomposed = gradients.col_piv_qr();
    let pivots = decomposed.r().diagonal();
    let rank = pivots.iter().filter(|pivot: &&f64| pivot.abs() > RANK * nv as f64).count();
    decomposed.q().columns(rank, nv - rank).into_owned()
}

/// The solution of least norm, column by column.
fn solution(svd: &SVD<f64, nalgebra::Dyn, nalgebra::Dyn>, rhs: &DMatrix<f64>) -> DMatrix<f64> {
    let largest = svd.singular_values.iter().fold(0.0_f64, |largest, &value| largest.max(value));
    let (Some(u), Some(v_t)) = (&svd.u, &svd.v_t) else { return DMatrix::zeros(0, rhs.ncols()) };
    let mut along = u.transpose() * rhs;
    for (mut row, &value) in along.row_iter_mut().zip(&svd.singular_values) {
        let inverse = if value > RANK * largest { 1.0 / value } else { 0.0 };
        row.scale_mut(inverse);
    }
    v_t.transpose() * along
}
