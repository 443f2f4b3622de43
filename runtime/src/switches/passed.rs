//! Which of these times a run passes within a step.

use super::jumping::Jumping;
use super::{ROUNDING, Times, aside};
use crate::caution::Caution;
use crate::model::{Model, State};
use crate::prelude::*;

/// By what part of its largest value an input within a step may leave the line between its ends: a table with shorter
/// distances than steps is resolved by these where it does not.
const PASSED: f64 = 0.05;
/// So many corners of inputs within a step are looked at: formulas may have any number.
const LOOKED_AT: usize = 1000;

/// The times within a step of this length, s, that ends at a time, s, and at neither of its ends.
fn within(times: &Times, t: f64, dt: f64) -> impl Iterator<Item = f64> {
    let begin = (t - dt) + ROUNDING * dt;
    let ahead = times.all_after(begin).take_while(move |&time| time < t - ROUNDING * dt);
    // However short a step is that begins behind one, the last one has ended before it.
    ahead.filter(move |&time| begin + 2.0 * aside(time) < time)
}

/// Follows a run, for steps that pass two of these times, or a jump of the forces.
pub(crate) struct Switched {
    formulas: Times,
    /// Jumps of inputs, and all their corners.
    tables: Times,
    corners: Times,
    /// The inputs at both ends of a step, and within.
    inputs: [Vec<f64>; 3],
    t: f64,
    /// The first two in one step, and its length, s.
    first: Option<[f64; 3]>,
    count: u64,
    /// The first jump within a step, and the step's length, s.
    jump: Option<[f64; 2]>,
    jumps: u64,
    jumping: Jumping,
}

impl Switched {
    /// For a run from this time, s.
    pub(crate) fn new(model: &dyn Model, start: f64) -> Self {
        let [tables, corners] = Times::of_tables(model);
        let inputs = [(); 3].map(|()| vec![0.0; model.describe().inputs.len()]);
        let jumping = Jumping::new(model);
        Self {
            formulas: Times::of_formulas(model),
            tables,
            corners,
            inputs,
            t: start,
            first: None,
            count: 0,
            jump: None,
            jumps: 0,
            jumping,
        }
    }

    /// A step that ends in this state.
    pub(crate) fn follow(&mut self, model: &dyn Model, state: &State) {
        let t = state.t;
        let dt = t - core::mem::replace(&mut self.t, t);
        let (mut found, mut jump) = ([f64::NAN; 2], within(&self.tables, t, dt).next());
        let mut count = 0;
        for time in within(&self.formulas, t, dt).take(2) {
            found[count] = time;
            if jump.is_none() && self.jumping.at(model, time, state) {
                jump = Some(time);
            }
            count += 1;
        }
        let Self { corners, inputs: [before, after, between], .. } = self;
        let mut corner = within(corners, t, dt);
        if let (Some(first), Some(second)) = (corner.next(), corner.next())
            && count < 2
        {
            model.input_values(t - dt, before);
            model.input_values(t, after);
            let is_passed = [first, second].into_iter().chain(corner.take(LOOKED_AT)).any(|time| {
                model.input_values(time, between);
                let part = 1.0 - (t - time) / dt;
                before.iter().zip(&*after).zip(&*between).any(|((before, after), between)| {
                    let line = before + part * (after - before);
                    (between - line).abs() > PASSED * before.abs().max(after.abs()).max(between.abs())
                })
            });
            if is_passed {
                (found, count) = ([first, second], 2);
            }
        }
        if count > 1 {
            self.first.get_or_insert([found[0], found[1], dt]);
            self.count += 1;
        } else if let Some(time) = jump {
            self.jump.get_or_insert([time, dt]);
            self.jumps += 1;
        }
    }

    /// What there is to say of the steps.
    pub(crate) fn cautions(&self) -> impl Iterator<Item = Caution> {
        let two = |[first, second, length]: [f64; 3]| Caution::Switched { first, second, length, count: self.count };
        let one = |[t, length]: [f64; 2]| Caution::Jumped { t, length, count: self.jumps };
        self.first.map(two).into_iter().chain(self.jump.map(one))
    }
}
