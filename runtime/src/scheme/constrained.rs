//! A stepper for models with constraints: redundant constraints are left out of the equations, and the drift of
//! coordinates is removed after every step where constraints are imposed on velocities.
//!
//! Gradients may become dependent on the way, where a mechanism passes a singular position, and cease to be: a step that
//! fails is tried again without the constraints that are nearly dependent, and constraints that were left out return as
//! soon as they no longer hold by themselves.

use nalgebra::DVector;

use crate::acceleration::Acceleration;
use crate::configuration::retract;
use crate::model::{Model, State};
use crate::norms::largest;
use crate::redundancy::{DEPENDENT, dependent_constraints};
use crate::residuals::{Lengths, measure, rates};
use crate::step::{Cause, ContactRecord, StepError, StepStats};

use super::{ErrorEstimate, Stepper};

/// How near to each other gradients are that are left out after a step has failed, one try after the other.
const NEARLY_DEPENDENT: [f64; 3] = [DEPENDENT, 1e-4, 1e-2];
/// Constraints that are left out must hold by themselves, to this part of the model's lengths (the digits to which they
/// are assembled), or to so many times what the others are missed by.
const HELD: f64 = 1e-9;
const HELD_AS_OTHERS: f64 = 100.0;
/// A projection whose corrections are below this part of the coordinates has ended.
const PROJECTED: f64 = 1e-15;
/// A projection whose corrections no longer shrink has failed above this part of the coordinates.
const PROJECTION_FAILED: f64 = 1e-10;
const MAX_PROJECTIONS: u32 = 10;

pub(crate) struct Constrained<'m> {
    model: &'m dyn Model,
    scheme: String,
    inner: Box<dyn Stepper + 'm>,
    lengths: Lengths,
    left_out: Vec<usize>,
    projection: Option<Projection<'m>>,
    residual: Vec<f64>,
}

struct Projection<'m> {
    system: Acceleration<'m>,
    jacobian: Vec<f64>,
    rate: Vec<f64>,
    unused: Vec<f64>,
    moved: DVector<f64>,
    /// The state before the step, which is restored if the projection fails.
    start: State,
}

impl<'m> Constrained<'m> {
    /// Wraps a stepper; `drifts`: whether the scheme imposes constraints on velocities only, and the drift is to be
    /// removed.
    pub(crate) fn around(
        model: &'m dyn Model,
        scheme: String,
        inner: Box<dyn Stepper + 'm>,
        drifts: bool,
    ) -> Box<dyn Stepper + 'm> {
        let (info, dims) = (model.describe(), model.dims());
        let on_positions = dims.nc - info.velocity_constraints;
        let mut stepper = Self {
            lengths: Lengths::new(model, inner.state()),
            left_out: Vec::new(),
            projection: (drifts && on_positions > 0).then(|| Projection {
                system: Acceleration::new(model, scheme.clone()),
                jacobian: vec![0.0; info.constraint_jacobian.nnz()],
                rate: vec![0.0; dims.nc],
                unused: vec![0.0; dims.nc],
                moved: DVector::zeros(dims.nq),
                start: inner.state().clone(),
            }),
            residual: vec![0.0; dims.nc],
            model,
            scheme,
            inner,
        };
        stepper.leave_out_dependent(DEPENDENT);
        Box::new(stepper)
    }

    /// Leaves out the constraints that are dependent at the current state; says whether that changes anything.
    fn leave_out_dependent(&mut self, within: f64) -> bool {
        let dependent = dependent_constraints(self.model, self.inner.state(), within);
        dependent != self.left_out && self.set_left_out(dependent)
    }

    fn set_left_out(&mut self, constraints: Vec<usize>) -> bool {
        let is_done = self.inner.leave_out(&constraints);
        if is_done {
            self.projection.iter_mut().for_each(|projection| projection.system.leave_out(&constraints));
            self.left_out = constraints;
        }
        is_done
    }

    /// Whether the constraints that are left out are nevertheless satisfied.
    fn is_held(&mut self) -> bool {
        let state = self.inner.state();
        self.model.constraint(state.t, state.q.as_slice(), &mut self.residual);
        let length = self.lengths.of(state);
        let mut missed = [0.0_f64; 2];
        for (row, (constraint, residual)) in self.model.describe().constraints.iter().zip(&self.residual).enumerate() {
            let by = &mut missed[usize::from(self.left_out.binary_search(&row).is_ok())];
            *by = by.max(residual.abs() / measure(&constraint.unit, length));
        }
        missed[1] <= HELD + HELD_AS_OTHERS * missed[0]
    }

    /// A step of the scheme; if it fails with all independent constraints, it is repeated with fewer.
    fn advance(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let error = match self.inner.step(dt) {
            Err(error) if error.is_numerical() => error,
            result => return result,
        };
        let usual = self.left_out.clone();
        for within in NEARLY_DEPENDENT {
            if !self.leave_out_dependent(within) {
                continue;
            }
            if let Ok(stats) = self.inner.step(dt) {
                return Ok(stats);
            }
        }
        if self.left_out != usual {
            self.set_left_out(usual);
        }
        Err(error)
    }
}

impl Stepper for Constrained<'_> {
    fn state(&self) -> &State {
        self.inner.state()
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        if let Some(projection) = &mut self.projection {
            projection.start.copy_from(self.inner.state());
        }
        let mut stats = self.advance(dt)?;
        if !self.left_out.is_empty() && !self.is_held() {
            // Gradients that were dependent have become independent.
            self.leave_out_dependent(DEPENDENT);
        }
        if let Some(projection) = &mut self.projection {
            let Some(state) = self.inner.correctable() else { return Ok(stats) };
            let projected = projection.apply(self.model, &self.scheme, &self.lengths, dt, state);
            stats += projected.inspect_err(|_| state.copy_from(&projection.start))?;
        }
        Ok(stats)
    }

    fn contacts(&self) -> Option<&ContactRecord> {
        self.inner.contacts()
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        self.inner.error_estimate()
    }

    fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    fn retreat(&mut self) -> bool {
        self.inner.retreat()
    }

    fn resume(&mut self, next: &State) {
        self.inner.resume(next);
    }
}

impl Projection<'_> {
    /// Moves coordinates onto `g = 0` and velocities onto `G v + ∂g/∂t = 0`, by the shortest way in the metric of M.
    fn apply(
        &mut self,
        model: &dyn Model,
        scheme: &str,
        lengths: &Lengths,
        dt: f64,
        state: &mut State,
    ) -> Result<StepStats, StepError> {
        let Self { system, moved, .. } = self;
        let (nv, blocks) = (state.v.len(), &model.describe().blocks);
        system.begin(state.t);
        system.factor(state)?;
        let mut size = f64::INFINITY;
        for iteration in 0..MAX_PROJECTIONS {
            system.position_rows(state);
            system.solve()?;
            retract(blocks, state.q.as_slice(), &system.rhs[..nv], moved.as_mut_slice());
            state.q.copy_from(moved);
            let correction = largest(&system.rhs[..nv]);
            let previous =
                std::mem::replace(&mut size, correction / lengths.of(state).max(largest(state.q.as_slice())));
            let has_stalled = size > 0.5 * previous;
            if size <= PROJECTED || (has_stalled && size <= PROJECTION_FAILED) {
                break;
            }
            if iteration + 1 == MAX_PROJECTIONS {
                let (t, scheme) = (state.t, scheme.to_owned());
                return Err(StepError::NotConverged {
                    t,
                    scheme,
                    iteration: MAX_PROJECTIONS,
                    residual: correction,
                    cause: Cause::StepTooLong,
                });
            }
        }
        self.project_velocities(model, dt, state)?;
        Ok(self.system.stats)
    }

    /// With the matrix factorized last, which belongs to coordinates nearby: a round leaves the product of both errors.
    ///
    /// What changes the velocities are impulses of the constraints, which belong to the forces of the step, and their
    /// change to the accelerations.
    fn project_velocities(&mut self, model: &dyn Model, dt: f64, state: &mut State) -> Result<(), StepError> {
        let Self { system, jacobian, rate, unused, .. } = self;
        let nv = state.v.len();
        let mut size = f64::INFINITY;
        for _ in 0..MAX_PROJECTIONS {
            rates(model, state, jacobian, rate, unused);
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
            let previous = std::mem::replace(&mut size, largest(change));
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
        let mut projection = Projection {
            system: Acceleration::new(&Pendulum, "test".to_owned()),
            jacobian: vec![0.0; 2],
            rate: vec![0.0],
            unused: vec![0.0],
            moved: DVector::zeros(2),
            start: state.clone(),
        };
        let lengths = Lengths::new(&Pendulum, &state);
        projection.apply(&Pendulum, "test", &lengths, 0.5, &mut state).unwrap();
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
