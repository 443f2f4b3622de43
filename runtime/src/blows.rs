//! Jumps of the velocities with which constraints and obstacles of contacts move by themselves: blows, at an instant within
//! a step.

use crate::caution::Caution;
use crate::model::{Model, State};
use crate::norms::largest;
use crate::prelude::*;
use crate::step::ContactRecord;

/// The least part of the change of a rate that is left in an interval which has shrunk to nothing, if the rate jumps there.
const JUMP: f64 = 0.5;
/// Halvings of a step by which a jump is told from a fast change, and by which its instant is found.
const TOLD: u32 = 7;
const FOUND: u32 = 40;
/// Rates of obstacles that change by less than this part of the velocities are not looked at.
const NOTABLE: f64 = 1e-3;

/// A rate that jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jump {
    /// Its place among the rates.
    pub(crate) row: usize,
    /// When, s.
    pub(crate) t: f64,
    pub(crate) size: f64,
}

/// Finds jumps of rates between two times, by bisection: an interval that shrinks without its change of the rates.
#[derive(Clone)]
pub(crate) struct Bisection {
    ends: [Vec<f64>; 2],
    middle: Vec<f64>,
}

impl Bisection {
    /// Of so many rates.
    pub(crate) fn new(rates: usize) -> Self {
        Self { ends: [(); 2].map(|()| vec![0.0; rates]), middle: vec![0.0; rates] }
    }

    /// The largest change of the rates between two times, and whether it is a jump of at least this size.
    pub(crate) fn jump(
        &mut self,
        [from, to]: [f64; 2],
        least: f64,
        rates: &mut dyn FnMut(f64, &mut [f64]),
    ) -> Option<Jump> {
        let mut times = [from, to];
        for (end, t) in self.ends.iter_mut().zip(times) {
            rates(t, end);
        }
        let (_, whole) = change(&self.ends[0], &self.ends[1]);
        let mut halvings = if whole.abs() > least { TOLD } else { return None };
        loop {
            for _ in 0..halvings {
                let t = 0.5 * (times[0] + times[1]);
                rates(t, &mut self.middle);
                let [before, after] = &self.ends;
                let is_first = change(before, &self.middle).1.abs() > change(&self.middle, after).1.abs();
                let place = usize::from(is_first);
                core::mem::swap(&mut self.ends[place], &mut self.middle);
                times[place] = t;
            }
            let (row, size) = change(&self.ends[0], &self.ends[1]);
            if size.abs() < JUMP * whole.abs() {
                return None;
            }
            if halvings == FOUND {
                return Some(Jump { row, t: times[1], size });
            }
            halvings = FOUND;
        }
    }
}

/// The largest change, with its place.
fn change(a: &[f64], b: &[f64]) -> (usize, f64) {
    let changes = a.iter().zip(b).map(|(a, b)| b - a).enumerate();
    changes.fold((0, 0.0), |largest, change| if change.1.abs() > largest.1.abs() { change } else { largest })
}

/// Looks for blows by the obstacles of contacts that are closed.
pub(crate) struct Blows {
    /// Rows of the normals, and whether each contact was pressed at the end of the last step.
    normals: Vec<usize>,
    were_pressed: Vec<bool>,
    bisection: Bisection,
    rates: Vec<f64>,
    accelerations: Vec<f64>,
    t: f64,
    first: Option<Jump>,
    count: u64,
}

impl Blows {
    /// For a run from this state.
    pub(crate) fn new(model: &dyn Model, start: &State) -> Self {
        let info = model.describe();
        let mut row = 0;
        let normal = |tangents: usize| {
            row += 1 + tangents;
            row - 1 - tangents
        };
        let normals: Vec<usize> = info.contacts.iter().map(|contact| contact.tangents).map(normal).collect();
        let rows = info.contact_jacobian.rows;
        Self {
            were_pressed: vec![false; normals.len()],
            bisection: Bisection::new(normals.len()),
            normals,
            rates: vec![0.0; rows],
            accelerations: vec![0.0; rows],
            t: start.t,
            first: None,
            count: 0,
        }
    }

    /// Looks at the end of a step.
    pub(crate) fn follow(&mut self, model: &dyn Model, state: &State, record: &ContactRecord) {
        let Self { normals, were_pressed, bisection, rates, accelerations, .. } = self;
        let is_pressed = |contact: usize| record.forces[normals[contact]] > 0.0;
        if (0..normals.len()).any(|contact| were_pressed[contact] || is_pressed(contact)) {
            let mut of_obstacles = |t: f64, out: &mut [f64]| {
                model.contact_bias(t, state.q.as_slice(), state.v.as_slice(), rates, accelerations);
                for (contact, out) in out.iter_mut().enumerate() {
                    let is_looked_at = were_pressed[contact] || is_pressed(contact);
                    *out = if is_looked_at { rates[normals[contact]] } else { 0.0 };
                }
            };
            let least = NOTABLE * (1.0 + largest(state.v.as_slice()));
            if let Some(jump) = bisection.jump([self.t, state.t], least, &mut of_obstacles) {
                self.first.get_or_insert(jump);
                self.count += 1;
            }
        }
        for (contact, was_pressed) in self.were_pressed.iter_mut().enumerate() {
            *was_pressed = record.forces[self.normals[contact]] > 0.0;
        }
        self.t = state.t;
    }

    /// What is to be said of the run.
    pub(crate) fn caution(&self, model: &dyn Model) -> Option<Caution> {
        let Jump { row, t, size } = self.first?;
        let contact = model.describe().contacts[row].name.clone();
        Some(Caution::Blow { contact, t, jump: size, count: self.count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_told_from_fast_changes() {
        let mut bisection = Bisection::new(2);
        let mut jump = |rate: fn(f64) -> f64| {
            let mut rates = |t: f64, out: &mut [f64]| out.copy_from_slice(&[0.1 * t, rate(t)]);
            bisection.jump([1.0, 2.0], 1e-3, &mut rates)
        };
        let found = jump(|t| if t < 1.3 { t } else { t - 2.0 }).unwrap();
        assert!(found.row == 1 && (found.t - 1.3).abs() < 1e-12 && (found.size + 2.0).abs() < 1e-9, "{found:?}");
        assert_eq!(jump(|t| 30.0 * t * t), None);
        assert_eq!(jump(|t| (1e3 * (t - 1.5)).tanh()), None);
        assert_eq!(jump(|t| if t < 1.3 { 0.0 } else { 1e-4 }), None);
        // At the end.
        assert_eq!(jump(|t| if t < 2.0 { 0.0 } else { 1.0 }).unwrap().t, 2.0);
    }
}
