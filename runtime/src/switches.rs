//! The times at which a model's formulas give way to others, as `if time < t1` says, and tables of inputs change: where steps
//! end, which of them a run passes within a step, and which parameters move them.

use nalgebra::DVector;

use crate::acceleration::Acceleration;
use crate::caution::Caution;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::residuals::{Lengths, measure};
use crate::step::StepError;

/// A time so close to the end of a step, relative to its length, is its end.
const ROUNDING: f64 = 1e-6;
/// How far before and after a switch residuals are compared, relative to the time, and by what part of the largest term they
/// differ if the formula jumps: one without a jump differs by what it changes in that time.
const ASIDE: f64 = 1e-9;
const JUMP: f64 = 1e-6;
/// By what part of its largest value an input within a step may leave the line between its ends: a table with shorter
/// distances than steps is resolved by these where it does not.
const PASSED: f64 = 0.05;

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

/// Where a step of this length, s, ends that would end at a jump: before it, so that it has the forces that act in it.
pub(crate) fn before(jump: f64, end: f64, dt: f64) -> Option<f64> {
    ((jump - end).abs() <= ROUNDING * dt).then(|| jump - aside(jump))
}

/// Times that are ahead of a run.
struct Ahead {
    times: Vec<f64>,
    /// How many of them are behind.
    passed: usize,
}

impl Ahead {
    /// Those within a step of this length that ends at a time, s, and at neither of its ends.
    fn within(&mut self, t: f64, dt: f64) -> impl Iterator<Item = f64> {
        let ahead = &self.times[self.passed..];
        let behind = ahead.iter().take_while(|&&time| time <= t + ROUNDING * dt).count();
        self.passed += behind;
        // However short a step is that begins behind one, the last one has ended before it.
        let begin = move |time: f64| (t - dt) + ROUNDING * dt + 2.0 * aside(time);
        let is_within = move |time: &f64| begin(*time) < *time && *time < t - ROUNDING * dt;
        ahead[..behind].iter().copied().filter(is_within)
    }
}

/// Follows a run, for steps that pass two of these times, or a jump of the forces.
pub(crate) struct Switched {
    formulas: Ahead,
    /// Jumps in tables of inputs, and all corners of these.
    tables: Ahead,
    corners: Ahead,
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
        let [mut tables, mut corners] = [Vec::new(), Vec::new()];
        model.input_times(&mut |t, jumps| {
            tables.extend(jumps.then_some(t));
            corners.push(t);
        });
        let times = [of_formulas(model, start), ordered(tables, start), ordered(corners, start)];
        let [formulas, tables, corners] = times.map(|times| Ahead { times, passed: 0 });
        let inputs = [(); 3].map(|()| vec![0.0; model.describe().inputs.len()]);
        let jumping = Jumping::new(model);
        Self { formulas, tables, corners, inputs, t: start, first: None, count: 0, jump: None, jumps: 0, jumping }
    }

    /// A step that ends in this state.
    pub(crate) fn follow(&mut self, model: &dyn Model, state: &State) {
        let t = state.t;
        let dt = t - core::mem::replace(&mut self.t, t);
        let (mut within, mut jump) = ([f64::NAN; 2], self.tables.within(t, dt).next());
        let mut count = 0;
        for time in self.formulas.within(t, dt) {
            if count < 2 {
                within[count] = time;
            }
            if jump.is_none() && self.jumping.at(model, time, state) {
                jump = Some(time);
            }
            count += 1;
        }
        let Self { corners, inputs: [before, after, between], .. } = self;
        let mut corner = corners.within(t, dt);
        if let (Some(first), Some(second)) = (corner.next(), corner.next())
            && count < 2
        {
            model.input_values(t - dt, before);
            model.input_values(t, after);
            let is_passed = [first, second].into_iter().chain(corner).any(|time| {
                model.input_values(time, between);
                let part = 1.0 - (t - time) / dt;
                before.iter().zip(&*after).zip(&*between).any(|((before, after), between)| {
                    let line = before + part * (after - before);
                    (between - line).abs() > PASSED * before.abs().max(after.abs()).max(between.abs())
                })
            });
            if is_passed {
                (within, count) = ([first, second], 2);
            }
        }
        if count > 1 {
            self.first.get_or_insert([within[0], within[1], dt]);
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

/// Tells where equations of motion jump.
struct Jumping {
    residuals: [Vec<f64>; 2],
    forces: Vec<f64>,
    rates: JumpingRates,
}

impl Jumping {
    fn new(model: &dyn Model) -> Self {
        let dims = model.dims();
        let residual = || vec![0.0; dims.nv + dims.nc];
        Self { residuals: [residual(), residual()], forces: vec![0.0; dims.nv], rates: JumpingRates::new(model) }
    }

    /// Whether they do at this time, s, in the state that is given.
    fn at(&mut self, model: &dyn Model, t: f64, state: &State) -> bool {
        let Self { residuals, forces, rates } = self;
        let aside = ASIDE * (1.0 + t.abs());
        if rates.at(model, t, aside, state) {
            return true;
        }
        let mut near = state.clone();
        for (residuals, t) in residuals.iter_mut().zip([t - aside, t + aside]) {
            near.t = t;
            let (r, g) = residuals.split_at_mut(forces.len());
            model.residual(&near, r, g);
        }
        // The largest term of the equations is not known, but the largest force is at least as large as what they leave.
        model.applied_force(t + aside, state.q.as_slice(), state.v.as_slice(), forces);
        let [before, after] = &*residuals;
        let largest = before.iter().chain(after).chain(&*forces).fold(0.0_f64, |most, x| most.max(x.abs()));
        before.iter().zip(after).any(|(one, other)| (one - other).abs() > JUMP * largest)
    }
}

/// Rates of constraints that jump, as where a drive sets in: impulses of the constraints change the velocities.
pub(crate) struct JumpingRates {
    rates: [Vec<f64>; 2],
    unused: Vec<f64>,
}

impl JumpingRates {
    pub(crate) fn new(model: &dyn Model) -> Self {
        let nc = model.dims().nc;
        Self { rates: [vec![0.0; nc], vec![0.0; nc]], unused: vec![0.0; nc] }
    }

    /// The largest difference of ∂g/∂t of one constraint between two times, s, in the state that is given, and whether it
    /// is more than rounding.
    fn between(&mut self, model: &dyn Model, times: [f64; 2], state: &State) -> (f64, bool) {
        let Self { rates, unused } = self;
        for (rates, t) in rates.iter_mut().zip(times) {
            model.constraint_bias(t, state.q.as_slice(), state.v.as_slice(), rates, unused);
        }
        let [before, after] = &*rates;
        before.iter().zip(after).fold((0.0, false), |(most, is_notable), (one, other)| {
            let change = (one - other).abs();
            (change.max(most), is_notable || change > JUMP * one.abs().max(other.abs()))
        })
    }

    /// Whether they jump at this time, s, in the state that is given; what only begins to change there does not.
    fn at(&mut self, model: &dyn Model, t: f64, aside: f64, state: &State) -> bool {
        if model.dims().nc == 0 {
            return false;
        }
        let (far, is_notable) = self.between(model, [t - aside, t + aside], state);
        is_notable && self.between(model, [t - 0.125 * aside, t + 0.125 * aside], state).0 > 0.5 * far
    }

    /// Refuses constraints on positions that jump themselves on the way from a state to this time, s, barely behind.
    ///
    /// # Errors
    /// [`StepError::ConstraintJumps`].
    pub(crate) fn check(&mut self, model: &dyn Model, scheme: &str, state: &State, t: f64) -> Result<(), StepError> {
        let info = model.describe();
        let [before, after] = &mut self.rates;
        model.constraint(state.t, state.q.as_slice(), before);
        model.constraint(t, state.q.as_slice(), after);
        let on_positions = info.constraints.len() - info.velocity_constraints;
        let length = Lengths::new(model, state).of(state);
        for (constraint, (before, after)) in info.constraints[..on_positions].iter().zip(before.iter().zip(&*after)) {
            let jump = before - after;
            if jump.abs() > JUMP * measure(&constraint.unit, length) {
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
    /// by how much, if rates do jump.
    ///
    /// # Errors
    /// [`StepError::Singular`], [`StepError::NotFinite`].
    pub(crate) fn pass(
        &mut self,
        system: &mut Acceleration,
        state: &mut State,
        t: f64,
    ) -> Result<Option<DVector<f64>>, StepError> {
        let before = core::mem::replace(&mut state.t, t);
        if !self.between(system.model, [before, t], state).1 {
            return Ok(None);
        }
        system.factor(state)?;
        system.velocity_rows(state);
        system.rhs[..state.v.len()].fill(0.0);
        system.solve()?;
        let change = DVector::from_column_slice(&system.rhs[..state.v.len()]);
        state.v += &change;
        Ok(Some(change))
    }
}

/// How often the way between two states is halved.
const HALVINGS: usize = 36;
/// Less than this part of the forces is no change that is looked at.
const NOTABLE: f64 = 1e-4;

/// Follows a motion, for jumps of the equations where its state crosses a border, as `if x < x1` has one: what changes
/// between two states and remains on a way that shrinks to nothing.
pub(crate) struct Crossed<'m> {
    model: &'m dyn Model,
    /// Times of jumps that no state moves, ascending.
    times: Vec<f64>,
    last: State,
    found: Option<f64>,
    forces: [Vec<f64>; 3],
}

impl<'m> Crossed<'m> {
    /// For a motion from this state.
    pub(crate) fn new(model: &'m dyn Model, start: &State) -> Self {
        let forces = [(); 3].map(|()| vec![0.0; model.dims().nv]);
        Self { model, times: jumps(model, start.t), last: start.clone(), found: None, forces }
    }

    /// What the equations have at a part of the way to a state, without accelerations and multipliers.
    fn at(&self, next: &State, part: f64, out: &mut [f64]) {
        let mut state = next.clone();
        let between = |one: f64, other: f64| one + part * (other - one);
        state.t = between(self.last.t, next.t);
        state.q.zip_apply(&self.last.q, |q, last| *q = between(last, *q));
        state.v.zip_apply(&self.last.v, |v, last| *v = between(last, *v));
        state.a.fill(0.0);
        state.lambda.fill(0.0);
        let mut constraints = vec![0.0; self.model.dims().nc];
        self.model.residual(&state, out, &mut constraints);
    }

    /// A state of the motion, after those before it.
    pub(crate) fn pass(&mut self, next: &State) {
        let is_jump = |time: &f64| self.last.t - aside(*time) <= *time && *time <= next.t + 2.0 * aside(*time);
        if self.found.is_none() && next.t > self.last.t && !self.times.iter().any(is_jump) {
            self.found = self.jump_before(next);
        }
        self.last.copy_from(next);
    }

    fn jump_before(&mut self, next: &State) -> Option<f64> {
        let difference = |one: &[f64], other: &[f64]| {
            one.iter().zip(other).fold(0.0_f64, |most, (one, other)| most.max((one - other).abs()))
        };
        let [mut low, mut high, mut middle] = core::mem::take(&mut self.forces);
        let [mut from, mut to] = [0.0, 1.0];
        self.at(next, from, &mut low);
        self.at(next, to, &mut high);
        let size = low.iter().chain(&high).fold(0.0_f64, |most, force| most.max(force.abs()));
        let first = difference(&low, &high);
        let mut change = first;
        let mut halvings = 0;
        // What is smooth shrinks with the way.
        while change > NOTABLE * size && change > 0.25 * first && halvings < HALVINGS {
            let half = 0.5 * (from + to);
            self.at(next, half, &mut middle);
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
        self.forces = [low, high, middle];
        (halvings == HALVINGS).then_some(self.last.t + from * (next.t - self.last.t))
    }

    /// What there is to say of slopes.
    pub(crate) fn caution(&self) -> Option<Caution> {
        self.found.map(|t| Caution::Crossed { t })
    }
}

/// The parameters with respect to which there are derivatives that move such a time at which the equations of motion jump.
pub(crate) struct Moved<'m> {
    model: &'m dyn Model,
    /// The times that parameters move, ascending.
    times: Vec<(f64, Vec<usize>)>,
    /// For each of these parameters when first, s.
    found: Vec<Option<f64>>,
    jumping: Jumping,
}

impl<'m> Moved<'m> {
    /// For a motion within an interval, s; `None` if no parameter moves such a time within it.
    pub(crate) fn new(model: &'m dyn Model, after: f64, before: f64) -> Option<Self> {
        let info = model.describe();
        let mut times = Vec::new();
        model.switching_times(&mut |t, moved_by| {
            if after < t && t < before && !moved_by.is_empty() {
                times.push((t, moved_by.to_vec()));
            }
        });
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        let jumping = Jumping::new(model);
        (!times.is_empty()).then(|| Self { model, times, found: vec![None; info.differentiated.len()], jumping })
    }

    /// A state of the motion, after those before it.
    pub(crate) fn pass(&mut self, state: &State) {
        while let Some((t, moved_by)) = self.times.pop_if(|(t, _)| *t <= state.t) {
            if self.jumping.at(self.model, t, state) {
                moved_by.iter().for_each(|&place| {
                    self.found[place].get_or_insert(t);
                });
            }
        }
    }

    /// What there is to say of slopes.
    pub(crate) fn cautions(self) -> Vec<Caution> {
        let info = self.model.describe();
        let name = |place: usize| info.parameters[info.differentiated[place]].name.clone();
        let found = self.found.iter().enumerate().filter_map(|(place, t)| t.map(|t| (place, t)));
        found.map(|(place, t)| Caution::Moved { parameter: name(place), t }).collect()
    }
}
