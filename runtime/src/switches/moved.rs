//! Which parameters move such a time.

use super::Times;
use super::jumping::Jumping;
use crate::caution::Caution;
use crate::model::{Model, State};
use crate::prelude::*;

/// The parameters with respect to which there are derivatives that move such a time at which the equations of motion jump.
pub(crate) struct Moved<'m> {
    model: &'m dyn Model,
    /// The times that parameters move, with these.
    times: Vec<(Times, Vec<usize>)>,
    /// Up to when they were looked at, and before when they count, s.
    last: f64,
    before: f64,
    /// For each of these parameters when first, s.
    found: Vec<Option<f64>>,
    jumping: Jumping,
}

impl<'m> Moved<'m> {
    /// For a motion within an interval, s; `None` if no parameter moves such a time within it.
    pub(crate) fn new(model: &'m dyn Model, after: f64, before: f64) -> Option<Self> {
        let info = model.describe();
        let mut times = Vec::new();
        model.switching_times(&mut |time, moved_by| {
            let recurring = Times::of(time);
            if !moved_by.is_empty() && recurring.after(after).is_some_and(|t| t < before) {
                times.push((recurring, moved_by.to_vec()));
            }
        });
        let jumping = Jumping::new(model);
        (!times.is_empty()).then(|| Self {
            model,
            times,
            last: after,
            before,
            found: vec![None; info.differentiated.len()],
            jumping,
        })
    }

    /// A state of the motion, after those before it; `is_followed`: slopes know of what jumps between the last one and it.
    pub(crate) fn pass(&mut self, state: &State, is_followed: bool) {
        let Self { model, times, last, before, found, jumping } = self;
        let times = times.iter().filter(|_| !is_followed);
        for (times, moved_by) in times {
            let is_known = moved_by.iter().all(|&place| found[place].is_some());
            let Some(t) = times.after(*last).filter(|&t| !is_known && t <= state.t && t < *before) else { continue };
            if jumping.at(*model, t, state) {
                moved_by.iter().for_each(|&place| {
                    found[place].get_or_insert(t);
                });
            }
        }
        *last = state.t;
    }

    /// What there is to say of slopes.
    pub(crate) fn cautions(self) -> Vec<Caution> {
        let info = self.model.describe();
        let name = |place: usize| info.parameters[info.differentiated[place]].name.clone();
        let found = self.found.iter().enumerate().filter_map(|(place, t)| t.map(|t| (place, t)));
        found.map(|(place, t)| Caution::Moved { parameter: name(place), t }).collect()
    }
}
