//! The times at which a model's formulas give way to others, as `if time < t1` says, and tables of inputs change: where steps
//! that are chosen end, which of them a run passes two at once, and which parameters move them.

use crate::caution::Caution;
use crate::model::{Model, State};
use crate::prelude::*;

/// A time so close to the end of a step, relative to its length, is its end.
const ROUNDING: f64 = 1e-9;
/// How far before and after a switch residuals are compared, relative to the time, and by what part of the largest term they
/// differ if the formula jumps: one without a jump differs by what it changes in that time.
const ASIDE: f64 = 1e-9;
const JUMP: f64 = 1e-6;

/// The times after one, s, at which formulas change, each once, ascending.
fn of_formulas(model: &dyn Model, after: f64) -> Vec<f64> {
    let mut times = Vec::new();
    model.switching_times(&mut |t, _| times.push(t));
    ordered(times, after)
}

/// The times after one, s, at which forces may jump: those of formulas, and of jumps in tables of inputs.
pub(crate) fn jumps(model: &dyn Model, after: f64) -> Vec<f64> {
    let mut times = of_formulas(model, after);
    model.input_times(&mut |t, jumps| times.extend(jumps.then_some(t)));
    ordered(times, after)
}

/// All times after one, s, where steps that are chosen end.
pub(crate) fn ends(model: &dyn Model, after: f64) -> Vec<f64> {
    let mut times = of_formulas(model, after);
    model.input_times(&mut |t, _| times.push(t));
    ordered(times, after)
}

fn ordered(mut times: Vec<f64>, after: f64) -> Vec<f64> {
    times.retain(|&t| after < t && t < f64::INFINITY);
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// How long before a jump a step ends, and how long after it the next one begins, s: formulas that are compared with rounding
/// errors are those before it on one side, and those after it on the other.
pub(crate) fn aside(t: f64) -> f64 {
    1e-13 * (1.0 + t.abs())
}

/// Follows a run, for steps that pass two of these times.
pub(crate) struct Switched {
    times: Vec<f64>,
    /// How many of them are behind.
    passed: usize,
    t: f64,
    /// The first two in one step, and its length, s.
    first: Option<[f64; 3]>,
    count: u64,
}

impl Switched {
    /// For a run from this time, s.
    pub(crate) fn new(model: &dyn Model, start: f64) -> Self {
        Self { times: of_formulas(model, start), passed: 0, t: start, first: None, count: 0 }
    }

    /// A step that ends at this time, s.
    pub(crate) fn follow(&mut self, t: f64) {
        let dt = t - core::mem::replace(&mut self.t, t);
        let ahead = &self.times[self.passed..];
        let behind = ahead.iter().take_while(|&&time| time <= t + ROUNDING * dt).count();
        let mut within =
            ahead[..behind].iter().filter(|&&time| (t - dt) + ROUNDING * dt < time && time < t - ROUNDING * dt);
        if let (Some(&one), Some(&other)) = (within.next(), within.next()) {
            self.first.get_or_insert([one, other, dt]);
            self.count += 1;
        }
        self.passed += behind;
    }

    /// What there is to say of the steps.
    pub(crate) fn caution(&self) -> Option<Caution> {
        let [first, second, length] = self.first?;
        Some(Caution::Switched { first, second, length, count: self.count })
    }
}

/// The parameters with respect to which there are derivatives that move such a time at which the equations of motion jump.
pub(crate) struct Moved<'m> {
    model: &'m dyn Model,
    /// The times that parameters move, ascending.
    times: Vec<(f64, Vec<usize>)>,
    /// For each of these parameters when first, s.
    found: Vec<Option<f64>>,
    residuals: [Vec<f64>; 2],
}

impl<'m> Moved<'m> {
    /// For a motion within an interval, s; `None` if no parameter moves such a time within it.
    pub(crate) fn new(model: &'m dyn Model, after: f64, before: f64) -> Option<Self> {
        let (info, dims) = (model.describe(), model.dims());
        let mut times = Vec::new();
        model.switching_times(&mut |t, moved_by| {
            if after < t && t < before && !moved_by.is_empty() {
                times.push((t, moved_by.to_vec()));
            }
        });
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        let residuals = [vec![0.0; dims.nv + dims.nc], vec![0.0; dims.nv + dims.nc]];
        (!times.is_empty()).then(|| Self { model, times, found: vec![None; info.differentiated.len()], residuals })
    }

    /// A state of the motion, after those before it.
    pub(crate) fn pass(&mut self, state: &State) {
        while let Some((t, moved_by)) = self.times.pop_if(|(t, _)| *t <= state.t) {
            if self.jumps(t, state) {
                moved_by.iter().for_each(|&place| {
                    self.found[place].get_or_insert(t);
                });
            }
        }
    }

    /// Whether the equations of motion jump at this time, in the state that is given.
    fn jumps(&mut self, t: f64, state: &State) -> bool {
        let nv = self.model.dims().nv;
        let aside = ASIDE * (1.0 + t.abs());
        let mut near = state.clone();
        for (residuals, t) in self.residuals.iter_mut().zip([t - aside, t + aside]) {
            near.t = t;
            let (r, g) = residuals.split_at_mut(nv);
            self.model.residual(&near, r, g);
        }
        // The largest term of the equations is not known, but the largest force is at least as large as what they leave.
        let mut forces = vec![0.0; nv];
        self.model.applied_force(t + aside, state.q.as_slice(), state.v.as_slice(), &mut forces);
        let [before, after] = &self.residuals;
        let largest = before.iter().chain(after).chain(&forces).fold(0.0_f64, |most, x| most.max(x.abs()));
        before.iter().zip(after).any(|(one, other)| (one - other).abs() > JUMP * largest)
    }

    /// What there is to say of slopes.
    pub(crate) fn cautions(self) -> Vec<Caution> {
        let info = self.model.describe();
        let name = |place: usize| info.parameters[info.differentiated[place]].name.clone();
        let found = self.found.iter().enumerate().filter_map(|(place, t)| t.map(|t| (place, t)));
        found.map(|(place, t)| Caution::Moved { parameter: name(place), t }).collect()
    }
}
