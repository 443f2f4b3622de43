//! Jumps of the equations where a motion crosses a border.

use super::{Times, aside};
use crate::caution::Caution;
use crate::model::{Model, State};
use crate::prelude::*;

/// How often the way between two states is halved.
const HALVINGS: usize = 36;
/// Less than this part of the forces is no change that is looked at.
const NOTABLE: f64 = 1e-4;

/// Follows a motion, for jumps of the equations where its state crosses a border, as `if x < x1` has one: what changes
/// between two states and remains on a way that shrinks to nothing.
pub(crate) struct Crossed<'m> {
    model: &'m dyn Model,
    /// Times of jumps that no state moves.
    times: Times,
    beginning: f64,
    last: State,
    found: Option<f64>,
}

impl<'m> Crossed<'m> {
    /// For a motion from this state.
    pub(crate) fn new(model: &'m dyn Model, start: &State) -> Self {
        Self { model, times: Times::of_jumps(model), beginning: start.t, last: start.clone(), found: None }
    }

    /// A state of the motion, after those before it; `is_followed`: slopes know of what jumps between the last one and it.
    pub(crate) fn pass(&mut self, next: &State, is_followed: bool) {
        let jump = self.times.after(self.last.t - 2.0 * aside(self.last.t));
        let is_jump = jump.is_some_and(|time| time <= next.t + 2.0 * aside(time));
        if !is_followed && self.found.is_none() && next.t > self.last.t && !is_jump {
            // A motion that begins on a border begins at an instant that nothing moves.
            self.found = jump_between(self.model, &self.last, next).filter(|&at| at > self.beginning);
        }
        self.last.copy_from(next);
    }

    /// What there is to say of slopes.
    pub(crate) fn caution(&self) -> Option<Caution> {
        self.found.map(|t| Caution::Crossed { t })
    }
}

/// A state on the straight way between two, without accelerations and multipliers.
pub(super) fn between(last: &State, next: &State, part: f64) -> State {
    let between = |one: f64, other: f64| one + part * (other - one);
    let mut state = next.clone();
    state.t = between(last.t, next.t);
    state.q.zip_apply(&last.q, |q, last| *q = between(last, *q));
    state.v.zip_apply(&last.v, |v, last| *v = between(last, *v));
    state.a.fill(0.0);
    state.lambda.fill(0.0);
    state
}

/// When the equations jump on the straight way between two states, s, if they do: what changes and remains on a way that
/// shrinks to nothing.
pub(crate) fn jump_between(model: &dyn Model, last: &State, next: &State) -> Option<f64> {
    let dims = model.dims();
    let mut constraints = vec![0.0; dims.nc];
    let mut at = |part: f64, out: &mut [f64]| model.residual(&between(last, next, part), out, &mut constraints);
    let difference = |one: &[f64], other: &[f64]| {
        one.iter().zip(other).fold(0.0_f64, |most, (one, other)| most.max((one - other).abs()))
    };
    let [mut low, mut high, mut middle] = [(); 3].map(|()| vec![0.0; dims.nv]);
    let [mut from, mut to] = [0.0, 1.0];
    at(from, &mut low);
    at(to, &mut high);
    let size = low.iter().chain(&high).fold(0.0_f64, |most, force| most.max(force.abs()));
    let first = difference(&low, &high);
    let mut change = first;
    let mut halvings = 0;
    // What is smooth shrinks with the way.
    while change > NOTABLE * size && change > 0.25 * first && halvings < HALVINGS {
        let half = 0.5 * (from + to);
        at(half, &mut middle);
        let [before, behind] = [difference(&low, &middle), difference(&middle, &high)];
        if before > behind {
            (to, change) = (half, before);
            core::mem::swap(&mut high, &mut middle);
        } else {
            (from, change) = (half, behind);
            core::mem::swap(&mut low, &mut middle);
        }
        halvings += 1;
    }
    (halvings == HALVINGS).then_some(last.t + from * (next.t - last.t))
}
