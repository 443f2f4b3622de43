//! What is asked of a model at one state by several that record and watch it, evaluated once.

use crate::model::{Energy, Model, State};
use crate::prelude::*;

/// Values of functions of a model at a state, where they have been asked for, or were computed before.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) energy: Option<Energy>,
    pub(crate) power: Option<f64>,
    /// The power halfway through the step to this state, as it is interpolated, with that of constraints that move.
    pub(crate) power_halfway: Option<f64>,
    /// As many as the model has, if they count.
    pub(crate) outputs: Vec<f64>,
    pub(crate) has_outputs: bool,
    /// g, and the part of ġ that velocities have none in, if they count.
    pub(crate) positions: Vec<f64>,
    pub(crate) has_positions: bool,
    pub(crate) rate: Vec<f64>,
    pub(crate) has_rate: bool,
    /// ġ, or constraints on velocities.
    pub(crate) velocities: Vec<f64>,
    pub(crate) has_velocities: bool,
    unused: Vec<f64>,
}

impl Known {
    /// Nothing is known of another state.
    pub(crate) fn clear(&mut self) {
        (self.energy, self.power, self.power_halfway, self.has_outputs) = (None, None, None, false);
        (self.has_positions, self.has_rate, self.has_velocities) = (false, false, false);
    }

    /// Copies without allocation where there is room.
    pub(crate) fn copy_from(&mut self, other: &Known) {
        let Known { energy, power, power_halfway, has_outputs, .. } = *other;
        (self.energy, self.power, self.power_halfway, self.has_outputs) = (energy, power, power_halfway, has_outputs);
        self.outputs.clone_from(&other.outputs);
        let lists = [
            (&mut self.positions, &mut self.has_positions, &other.positions, other.has_positions),
            (&mut self.rate, &mut self.has_rate, &other.rate, other.has_rate),
            (&mut self.velocities, &mut self.has_velocities, &other.velocities, other.has_velocities),
        ];
        for (to, has_list, from, is_known) in lists {
            *has_list = is_known;
            if is_known {
                to.clone_from(from);
            }
        }
    }

    /// g, `[nc]`.
    pub(crate) fn positions(&mut self, model: &dyn Model, state: &State) -> &[f64] {
        if !core::mem::replace(&mut self.has_positions, true) {
            self.positions.resize(state.lambda.len(), 0.0);
            model.constraint(state.t, state.q.as_slice(), &mut self.positions);
        }
        &self.positions
    }

    /// The part of ġ that velocities have none in, `[nc]`, see [`Model::constraint_bias`].
    pub(crate) fn rate(&mut self, model: &dyn Model, state: &State) -> &[f64] {
        if !core::mem::replace(&mut self.has_rate, true) {
            self.rate.resize(state.lambda.len(), 0.0);
            if model.describe().is_scleronomic {
                self.rate.fill(0.0);
                return &self.rate;
            }
            self.unused.resize(state.lambda.len(), 0.0);
            let State { t, q, v, .. } = state;
            model.constraint_bias(*t, q.as_slice(), v.as_slice(), &mut self.rate, &mut self.unused);
        }
        &self.rate
    }

    pub(crate) fn energy(&mut self, model: &dyn Model, state: &State) -> Energy {
        *self.energy.get_or_insert_with(|| model.energy(state.t, state.q.as_slice(), state.v.as_slice()))
    }

    /// That of applied forces; zero where the model does not know it.
    pub(crate) fn power(&mut self, model: &dyn Model, state: &State) -> f64 {
        let power = || model.power(state.t, state.q.as_slice(), state.v.as_slice()).unwrap_or(0.0);
        *self.power.get_or_insert_with(power)
    }

    pub(crate) fn outputs(&self, model: &dyn Model, state: &State, out: &mut [f64]) {
        match self.has_outputs {
            true => out.copy_from_slice(&self.outputs),
            false => model.outputs(state, out),
        }
    }
}
