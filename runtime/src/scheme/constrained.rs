//! A stepper for models with constraints: redundant constraints are left out of the equations, and the drift of
//! coordinates is removed after every step where constraints are imposed on velocities.
//!
//! Gradients may become dependent on the way, where a mechanism passes a singular position, and cease to be: a step that
//! fails is tried again without the constraints that are nearly dependent, and constraints that were left out return as
//! soon as they no longer hold by themselves. Those that are kept are exchanged before they become dependent where others
//! are not.

use crate::configuration::difference;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::projection::Projection;
use crate::redundancy::{DEPENDENT, Kept, dependent_constraints, without_multipliers};
use crate::residuals::{Lengths, measure};
use crate::step::{ContactRecord, StepError, StepStats};
use crate::tangent::{Projected, STATE, StepMap, Target};

use super::{ErrorEstimate, Impact, Stepper};

/// How near to each other gradients are that are left out after a step has failed, one try after the other.
const NEARLY_DEPENDENT: [f64; 3] = [DEPENDENT, 1e-4, 1e-2];
/// Constraints that are left out must hold by themselves, to this part of the model's lengths (the digits to which they
/// are assembled), or to so many times what the others are missed by.
const HELD: f64 = 1e-9;
const HELD_AS_OTHERS: f64 = 100.0;

pub(crate) struct Constrained<'m> {
    model: &'m dyn Model,
    inner: Box<dyn Stepper + 'm>,
    lengths: Lengths,
    left_out: Vec<usize>,
    kept: Kept,
    /// With the state before the step, which is restored if it fails.
    projection: Option<(Projection<'m>, State)>,
    /// The end of the last step before it was projected.
    unprojected: Option<State>,
    dt: f64,
    residual: Vec<f64>,
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
            kept: Kept::new(model),
            projection: (drifts && on_positions > 0)
                .then(|| (Projection::of_scheme(model, scheme, inner.state()), inner.state().clone())),
            unprojected: None,
            dt: 0.0,
            residual: vec![0.0; dims.nc],
            model,
            inner,
        };
        stepper.leave_out_dependent(DEPENDENT);
        stepper.exchange_left_out();
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
            if let Some(state) = self.inner.correctable() {
                without_multipliers(self.model, state, &constraints);
            }
            self.projection.iter_mut().for_each(|(projection, _)| projection.leave_out(&constraints));
            self.left_out = constraints;
        }
        is_done
    }

    /// Leaves out other constraints where those that are kept are about to become dependent, although the others are not.
    fn exchange_left_out(&mut self) {
        if let Some(others) = self.kept.exchanged(self.model, self.inner.state(), &self.left_out) {
            self.set_left_out(others);
        }
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
        if let Some((_, start)) = &mut self.projection {
            start.copy_from(self.inner.state());
        }
        self.exchange_left_out();
        let mut stats = self.advance(dt)?;
        if !self.left_out.is_empty() && !self.is_held() {
            // Gradients that were dependent have become independent.
            self.leave_out_dependent(DEPENDENT);
        }
        if let Some((projection, start)) = &mut self.projection {
            let Some(state) = self.inner.correctable() else { return Ok(stats) };
            self.unprojected.get_or_insert_with(|| state.clone()).copy_from(state);
            self.dt = dt;
            stats += projection.after_step(dt, state).inspect_err(|_| state.copy_from(start))?;
        }
        Ok(stats)
    }

    fn linear_start(&self, map: &mut StepMap) -> Result<(), &'static str> {
        self.inner.linear_start(map)
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        let Some(before) = self.unprojected.as_ref().filter(|_| self.projection.is_some()) else {
            return self.inner.linear_step(map);
        };
        // The step led to the state before it was projected.
        let (state, blocks) = (self.inner.state().clone(), &self.model.describe().blocks);
        self.inner.correctable().into_iter().for_each(|current| current.copy_from(before));
        let result = self.inner.linear_step(map);
        self.inner.correctable().into_iter().for_each(|current| current.copy_from(&state));
        result?;
        let mut outputs = map.outputs();
        let [old_position, old_velocity] = [outputs[0], outputs[1]];
        let mut by = vec![0.0; state.v.len()];
        difference(blocks, before.q.as_slice(), state.q.as_slice(), &mut by);
        let projected = Projected {
            metric: before.clone(),
            metric_position: old_position,
            target: Target::Coordinates,
            by,
            after: state.clone(),
            left_out: self.left_out.clone(),
        };
        let [position, _] = map.project(projected.clone());
        let target = Target::Velocities { position, velocity: old_velocity };
        let by = (&state.v - &before.v).as_slice().to_vec();
        let [velocity, impulse] = map.project(Projected { target, by, ..projected });
        // The impulses belong to the forces of the step, and what they change to its accelerations.
        let per = 1.0 / self.dt;
        let acceleration = map.combine(&[(1.0, outputs[2]), (per, velocity), (-per, old_velocity)]);
        let multiplier = map.combine(&[(1.0, outputs[3]), (per, impulse)]);
        outputs[..STATE.len()].copy_from_slice(&[position, velocity, acceleration, multiplier]);
        map.end(outputs);
        Ok(())
    }

    fn after_impact(&self) -> Option<Impact> {
        let mut impact = self.inner.after_impact()?;
        if let (Some(unprojected), Some(_)) = (&self.unprojected, &self.projection) {
            impact.before.q.copy_from(&unprojected.q);
        }
        Some(impact)
    }

    fn leave_contacts(&mut self, are_open: bool, fastest: &[f64]) {
        self.inner.leave_contacts(are_open, fastest);
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

    fn resume(&mut self, next: &State) -> bool {
        self.inner.resume(next)
    }

    fn correctable(&mut self) -> Option<&mut State> {
        self.inner.correctable()
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        let Self { model, inner, lengths, left_out, kept, projection, unprojected, dt, residual } = self;
        Some(Box::new(Self {
            model: *model,
            inner: inner.fork()?,
            lengths: lengths.clone(),
            left_out: left_out.clone(),
            kept: kept.clone(),
            projection: projection.clone(),
            unprojected: unprojected.clone(),
            dt: *dt,
            residual: residual.clone(),
        }))
    }
}
