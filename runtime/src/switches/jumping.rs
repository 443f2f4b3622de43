//! Whether equations jump at such a time.

use nalgebra::DVector;

use crate::acceleration::Acceleration;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::residuals::{Lengths, measure};
use crate::signal::{aside, is_jump};
use crate::step::StepError;

/// What is left of terms that cancel is no jump, relative to the largest acceleration.
const ROUNDING: f64 = 1e-12;

/// Tells where equations of motion jump.
pub(crate) struct Jumping {
    residuals: [Vec<f64>; 2],
    forces: Vec<f64>,
    rates: JumpingRates,
}

impl Jumping {
    pub(crate) fn new(model: &dyn Model) -> Self {
        let dims = model.dims();
        let residual = || vec![0.0; dims.nv + dims.nc];
        Self { residuals: [residual(), residual()], forces: vec![0.0; dims.nv], rates: JumpingRates::new(model) }
    }

    /// Whether they do at this time, s, in the state that is given, or what constraints demand of rates and accelerations.
    pub(crate) fn at(&mut self, model: &dyn Model, t: f64, state: &State) -> bool {
        let Self { residuals, forces, rates } = self;
        if rates.at(model, t, state) {
            return true;
        }
        let (times, mut near) = (aside(t), state.clone());
        for (residuals, t) in residuals.iter_mut().zip(times) {
            near.t = t;
            let (r, g) = residuals.split_at_mut(forces.len());
            model.residual(&near, r, g);
        }
        // The largest term of the equations is not known, but the largest force is at least as large as what they leave.
        model.applied_force(times[1], state.q.as_slice(), state.v.as_slice(), forces);
        let [before, after] = &*residuals;
        let largest = before.iter().chain(after).chain(&*forces).fold(0.0_f64, |most, x| most.max(x.abs()));
        before.iter().zip(after).any(|(one, other)| is_jump(one - other, largest))
    }
}

/// Rates of constraints that jump, as where a drive sets in: impulses of the constraints change the velocities.
pub(crate) struct JumpingRates {
    rates: [Vec<f64>; 2],
    /// What constraints demand of accelerations, which may jump alone.
    accelerations: [Vec<f64>; 2],
}

impl JumpingRates {
    pub(crate) fn new(model: &dyn Model) -> Self {
        let nc = model.dims().nc;
        let both = || [vec![0.0; nc], vec![0.0; nc]];
        Self { rates: both(), accelerations: both() }
    }

    /// The largest differences of ∂g/∂t of one constraint, and of g̈ − G a, between two times, s, in the state that is given,
    /// and whether they are more than rounding.
    fn between(&mut self, model: &dyn Model, times: [f64; 2], state: &State) -> [(f64, bool); 2] {
        let Self { rates, accelerations } = self;
        for ((rates, accelerations), t) in rates.iter_mut().zip(&mut *accelerations).zip(times) {
            model.constraint_bias(t, state.q.as_slice(), state.v.as_slice(), rates, accelerations);
        }
        [(&*rates, 0.0), (&*accelerations, ROUNDING * state.a.amax())].map(|([before, after], rounding)| {
            before.iter().zip(after).fold((0.0, false), |(most, is_notable), (one, other)| {
                let change = (one - other).abs();
                let is_jump = change > rounding && is_jump(change, one.abs().max(other.abs()));
                (change.max(most), is_notable || is_jump)
            })
        })
    }

    /// Whether they jump at this time, s, in the state that is given; what only begins to change there does not.
    fn at(&mut self, model: &dyn Model, t: f64, state: &State) -> bool {
        if model.dims().nc == 0 {
            return false;
        }
        let times = aside(t);
        let far = self.between(model, times, state);
        if far.iter().all(|(_, is_notable)| !is_notable) {
            return false;
        }
        let near = self.between(model, times.map(|time| t + 0.125 * (time - t)), state);
        far.into_iter().zip(near).any(|((far, is_notable), (near, _))| is_notable && near > 0.5 * far)
    }

    /// Refuses constraints on positions that jump themselves on the way from a state to this time, s, barely behind.
    ///
    /// # Errors
    /// [`StepError::ConstraintJumps`].
    fn check(&mut self, model: &dyn Model, scheme: &str, state: &State, t: f64) -> Result<(), StepError> {
        let info = model.describe();
        let [before, after] = &mut self.rates;
        model.constraint(state.t, state.q.as_slice(), before);
        model.constraint(t, state.q.as_slice(), after);
        let on_positions = info.constraints.len() - info.velocity_constraints;
        let length = Lengths::new(model, state).of(state);
        for (constraint, (before, after)) in info.constraints[..on_positions].iter().zip(before.iter().zip(&*after)) {
            let jump = before - after;
            if is_jump(jump, measure(&constraint.unit, length)) {
                return Err(StepError::ConstraintJumps {
                    t: 0.5 * (state.t + t),
                    scheme: scheme.to_owned(),
                    constraint: constraint.name.clone(),
                    jump,
                    unit: constraint.unit.clone(),
                });
            }
        }
        Ok(())
    }

    /// Leads a state over a jump, to this time, s, barely behind: the velocities change by what is shortest in the metric of M;
    /// by how much, if rates do jump. With contacts they do not change: impulses on closed ones are not known here.
    ///
    /// # Errors
    /// [`StepError::ConstraintJumps`], [`StepError::Singular`], [`StepError::NotFinite`].
    pub(crate) fn pass(
        &mut self,
        system: &mut Acceleration,
        state: &mut State,
        t: f64,
        has_contacts: bool,
    ) -> Result<Option<DVector<f64>>, StepError> {
        self.check(system.model, &system.scheme, state, t)?;
        let before = core::mem::replace(&mut state.t, t);
        if has_contacts || !self.between(system.model, [before, t], state)[0].1 {
            return Ok(None);
        }
        system.factor(state)?;
        system.velocity_correction(state)?;
        let change = DVector::from_column_slice(&system.rhs[..state.v.len()]);
        state.v += &change;
        Ok(Some(change))
    }
}
