//! Projection of coordinates and velocities onto the constraints.

use nalgebra::DVector;

use crate::acceleration::Acceleration;
use crate::configuration::retract;
use crate::model::{Model, State};
use crate::norms::largest;
use crate::prelude::*;
use crate::redundancy::{Kept, redundant_constraints};
use crate::residuals::{Lengths, rates};
use crate::start::check_sizes;
use crate::step::{Cause, StepError, StepStats};

/// A projection whose corrections are below this part of the coordinates has ended.
const PROJECTED: f64 = 1e-15;
/// A projection whose corrections no longer shrink has failed above this part of the coordinates.
const FAILED: f64 = 1e-10;
const MAX_ROUNDS: u32 = 10;

/// Moves coordinates onto `g = 0` and velocities onto `G v + ∂g/∂t = 0`, by the shortest way in the metric of M: for
/// those who integrate the accelerations of a model by themselves, whose errors leave the constraints.
#[derive(Clone)]
pub struct Projection<'m> {
    model: &'m dyn Model,
    scheme: String,
    lengths: Lengths,
    system: Acceleration<'m>,
    kept: Kept,
    jacobian: Vec<f64>,
    rate: Vec<f64>,
    unused: Vec<f64>,
    moved: DVector<f64>,
}

impl<'m> Projection<'m> {
    /// For states near this one: constraints that follow from others here are left out.
    ///
    /// # Errors
    /// [`StepError::BadState`] for a state of another size.
    ///
    /// # Examples
    /// A rod on a hinge at 1 m from its centre of mass, which has left its circle by 1 mm.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Rod {
    /// #         planar;
    /// #         gravity [0, -9.81] m/s^2;
    /// #         body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
    /// #         joint hinge: revolute(ground, rod at [-1, 0] m);
    /// #         initial rod.angular_velocity = 2 rad/s;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let rod = Rod::default();
    /// let mut state = hamel::initial_state(&rod)?;
    /// let mut projection = hamel::Projection::new(&rod, &state)?;
    /// state.q[0] += 1e-3;
    /// projection.apply(&mut state)?;
    /// assert!((state.q[0].hypot(state.q[1]) - 1.0).abs() < 1e-14);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(model: &'m dyn Model, state: &State) -> Result<Self, StepError> {
        check_sizes(model, state)?;
        let mut projection = Self::of_scheme(model, "projection".to_owned(), state);
        projection.leave_out(&redundant_constraints(model, state));
        Ok(projection)
    }

    /// Projects a state near the constraints; accelerations and multipliers remain.
    ///
    /// # Errors
    /// [`StepError::NotConverged`] for a state that is too far off, [`StepError::Singular`] where constraints depend on
    /// each other that did not in the state of [`new`](Self::new), [`StepError::NotFinite`]. The state is then of no use.
    pub fn apply(&mut self, state: &mut State) -> Result<StepStats, StepError> {
        let left_out = self.system.left_out();
        if let Some(others) = self.kept.exchanged(self.model, state, &left_out) {
            self.leave_out(&others);
        }
        self.after_step(f64::INFINITY, state)
    }

    /// For the states of a scheme, which errors name.
    pub(crate) fn of_scheme(model: &'m dyn Model, scheme: String, state: &State) -> Self {
        let (info, dims) = (model.describe(), model.dims());
        Self {
            lengths: Lengths::new(model, state),
            system: Acceleration::new(model, scheme.clone()),
            kept: Kept::new(model),
            jacobian: vec![0.0; info.constraint_jacobian.nnz()],
            rate: vec![0.0; dims.nc],
            unused: vec![0.0; dims.nc],
            moved: DVector::zeros(dims.nq),
            model,
            scheme,
        }
    }

    /// Leaves constraints out from now on.
    pub(crate) fn leave_out(&mut self, constraints: &[usize]) {
        self.system.leave_out(constraints);
    }

    /// Projects the end of a step of this length, s.
    pub(crate) fn after_step(&mut self, dt: f64, state: &mut State) -> Result<StepStats, StepError> {
        let Self { model, scheme, lengths, system, moved, .. } = self;
        let (nv, blocks) = (state.v.len(), &model.describe().blocks);
        system.begin(state.t);
        system.factor(state)?;
        let mut size = f64::INFINITY;
        for iteration in 0..MAX_ROUNDS {
            system.position_rows(state);
            system.solve()?;
            retract(blocks, state.q.as_slice(), &system.rhs[..nv], moved.as_mut_slice());
            state.q.copy_from(moved);
            let correction = largest(&system.rhs[..nv]);
            let previous =
                core::mem::replace(&mut size, correction / lengths.of(state).max(largest(state.q.as_slice())));
            let has_stalled = size > 0.5 * previous;
            if size <= PROJECTED || (has_stalled && size <= FAILED) {
                break;
            }
            if iteration + 1 == MAX_ROUNDS {
                let (t, scheme) = (state.t, scheme.clone());
                return Err(StepError::NotConverged {
                    t,
                    scheme,
                    iteration: MAX_ROUNDS,
                    residual: correction,
                    cause: Cause::StepTooLong,
                });
            }
        }
        self.project_velocities(dt, state)?;
        Ok(self.system.stats)
    }

    /// With the matrix factorized last, which belongs to coordinates nearby: a round leaves the product of both errors.
    ///
    /// What changes the velocities are impulses of the constraints, which belong to the forces of the step, and their
    /// change to the accelerations.
    fn project_velocities(&mut self, dt: f64, state: &mut State) -> Result<(), StepError> {
        let Self { model, system, jacobian, rate, unused, .. } = self;
        let nv = state.v.len();
        let mut size = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            rates(*model, state, jacobian, rate, unused);
            let (upper, rows) = system.rhs.split_at_mut(nv);
            upper.fill(0.0);
            rows.iter_mut().zip(rate.iter()).for_each(|(row, rate)| *row = -rate);
            system.solve()?;
            let (change, impulse) = system.rhs.split_at(nv);
            for ((v, a), change) in state.v.iter_mut().zip(state.a.iter_mut()).zip(change) {
                *v += change;
                *a += change / dt;
            }
            state.lambda.iter_mut().zip(impulse).for_each(|(lambda, impulse)| *lambda += impulse / dt);
            let previous = core::mem::replace(&mut size, largest(change));
            if size <= PROJECTED * largest(state.v.as_slice()) || size > 0.5 * previous {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::common::Pendulum;

    /// Off the circle, with a velocity that leaves it: a point on the circle in the direction of the old one, and the
    /// velocity along the tangent, to rounding. A single round with the matrix of the old place would leave 1 %.
    #[test]
    fn a_projection_ends_on_the_constraint_and_its_rate() {
        let mut state = Pendulum::initial();
        let (s, c) = f64::sin_cos(0.4);
        state.q.copy_from_slice(&[1.01 * c, 1.01 * s]);
        state.v.copy_from_slice(&[200.0, -300.0]);
        state.lambda[0] = 5.0;
        let given = state.clone();
        let mut projection = Projection::of_scheme(&Pendulum, "test".to_owned(), &state);
        projection.after_step(0.5, &mut state).unwrap();
        assert!((state.q[0] - c).abs() < 1e-15 && (state.q[1] - s).abs() < 1e-15, "{}", state.q);
        let along = c * given.v[1] - s * given.v[0];
        assert!((state.v[0] + s * along).abs() < 1e-12 && (state.v[1] - c * along).abs() < 1e-12, "{}", state.v);
        assert!(state.q.dot(&state.v).abs() < 1e-13 * along.abs());
        // The impulse, Δv = Gᵀ Λ with the gradient of the place before, over half a second.
        let impulse = (&state.v - &given.v).dot(&given.q) / given.q.norm_squared();
        assert!((state.lambda[0] - 5.0 - impulse / 0.5).abs() < 1e-10, "{}", state.lambda);
        // Accelerations change with the velocities.
        assert!(((&state.a - &given.a) * 0.5 - (&state.v - &given.v)).norm() < 1e-10 * given.v.norm(), "{}", state.a);
    }
}
