//! Borders between formulas, at which accelerations jump: the motion crosses them where switching functions change their
//! signs.

use nalgebra::DVector;

use crate::chart::{moved, thrown};
use crate::consistent::consistent_acceleration;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::signal::is_jump;
use crate::step::StepError;
use crate::switches::{Crossings, SwitchingFunctions, aside, jump_between};

/// Rows of slopes that differ by less than this part of them are the same.
const ALIKE: f64 = 1e-9;
/// A border that is farther than this part of a step is touched rather than crossed.
const FAR: f64 = 1e-4;
/// Parts of a step at whose ends it is foretold, and how often one of them is halved.
const FORETOLD: u32 = 8;
const HALVINGS: u32 = 4;
/// How often the way over a border is doubled until it is crossed.
const DOUBLINGS: usize = 30;

/// The borders of a model.
#[derive(Clone)]
pub(crate) struct Borders<'m> {
    model: &'m dyn Model,
    functions: SwitchingFunctions,
    /// Those that are not followed any more.
    abandoned: Vec<bool>,
}

/// A border that is crossed at the end of a step.
#[derive(Clone)]
pub(crate) struct Crossing {
    /// Which switching function changes its sign.
    pub(crate) switch: usize,
    /// How fast, before it does.
    pub(crate) rate: f64,
    /// Accelerations before, less those behind.
    pub(crate) jump: DVector<f64>,
}

/// A border that time has passed, and the accelerations before.
pub(crate) struct Switched {
    switch: usize,
    rate: f64,
    before: DVector<f64>,
}

impl Switched {
    /// With these accelerations behind it, if they jump.
    pub(crate) fn towards(self, behind: &DVector<f64>) -> Option<Crossing> {
        let size = self.before.amax().max(behind.amax());
        let jump = self.before - behind;
        is_jump(jump.amax(), size).then_some(Crossing { switch: self.switch, rate: self.rate, jump })
    }
}

/// What is found at a border.
pub(crate) enum Found {
    /// The motion crosses it, and goes on with other accelerations from this state.
    Crossed(Crossing, Box<State>),
    /// The motion goes on as it did, behind the border from this state.
    NoJump(Box<State>),
    /// The motion does not leave it at an instant that has a slope: it stays on the border, touches it, or crosses others at the
    /// same instant.
    NoSlope,
}

impl<'m> Borders<'m> {
    /// Those of a model, if it has any.
    pub(crate) fn new(model: &'m dyn Model) -> Option<Self> {
        let n = model.n_switching_functions();
        (n > 0).then(|| Self { model, functions: SwitchingFunctions::new(model), abandoned: vec![false; n] })
    }

    fn evaluate(&mut self, state: &State) {
        self.functions.evaluate(self.model, state);
    }

    fn values(&self) -> &[f64] {
        &self.functions.values
    }

    /// ṡ of the state that was evaluated last, with these accelerations.
    fn rate(&self, switch: usize, a: &DVector<f64>) -> f64 {
        self.functions.rate(switch, a.as_slice())
    }

    /// On which side of each border a motion is from a state on, 1 or −1; zero for those that are not followed.
    pub(crate) fn sides(&mut self, state: &State) -> Vec<f64> {
        self.evaluate(state);
        let side = |switch: usize| match (self.values()[switch], self.abandoned[switch]) {
            (_, true) => 0.0,
            (0.0, _) => sign(self.rate(switch, &state.a)),
            (value, _) => sign(value),
        };
        (0..self.values().len()).map(side).collect()
    }

    /// Slopes of a switching function by coordinates and velocities.
    pub(crate) fn slopes_at(&mut self, switch: usize, state: &State) -> [&[f64]; 2] {
        self.evaluate(state);
        let [by_q, by_v, _] = self.functions.slopes(switch);
        [by_q, by_v]
    }

    /// The first border on the other side of which this state is.
    pub(crate) fn crossed(&mut self, sides: &[f64], state: &State) -> Option<usize> {
        self.evaluate(state);
        self.values().iter().zip(sides).position(|(value, side)| value * side < 0.0)
    }

    /// After which part of a step of this length, s, a motion with the accelerations of its beginning would be beyond a border:
    /// stages of the step may have been there, and the end not.
    pub(crate) fn foretold(&mut self, sides: &[f64], before: &State, dt: f64) -> Option<f64> {
        let mut is_beyond = |part: f64| self.crossed(sides, &thrown(self.model, before, part * dt)).is_some();
        let first = (1..=FORETOLD).find(|&k| is_beyond(f64::from(k) / f64::from(FORETOLD)))?;
        let [mut not_yet, mut beyond] = [first - 1, first].map(|k| f64::from(k) / f64::from(FORETOLD));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (not_yet + beyond);
            *(if is_beyond(middle) { &mut beyond } else { &mut not_yet }) = middle;
        }
        Some(beyond)
    }

    /// Whether the equations jump on the way to where a motion with the accelerations of its beginning would be after a time,
    /// s, and none of the borders there is followed from now on.
    pub(crate) fn give_up(&mut self, sides: &[f64], before: &State, span: f64) -> bool {
        let (there, mut sides) = (thrown(self.model, before, span), sides.to_vec());
        while let Some(switch) = self.crossed(&sides, &there) {
            self.abandon(switch);
            sides[switch] = 0.0;
        }
        jump_between(self.model, before, &there).is_some()
    }

    /// After which part of a step of this length, s, a motion is beyond a border behind which it comes back within the step.
    pub(crate) fn passed(&self, sides: &[f64], [before, after]: [&State; 2], dt: f64) -> Option<f64> {
        let mut crossings = Crossings::new(self.model)?;
        crossings.begin(self.model, before);
        crossings.end(self.model, after);
        let passed = crossings.within(dt).filter(|crossing| crossing.returns && sides[crossing.switch] != 0.0);
        passed.map(|crossing| crossing.part).min_by(f64::total_cmp)
    }

    /// The border that a motion reaches next from a state, by its rate there.
    pub(crate) fn nearest(&mut self, sides: &[f64], state: &State) -> Option<usize> {
        self.evaluate(state);
        let time = |switch: usize| -self.values()[switch] / self.rate(switch, &state.a);
        let ahead = (0..sides.len()).filter(|&switch| sides[switch] != 0.0 && time(switch) > 0.0);
        ahead.min_by(|&one, &other| time(one).total_cmp(&time(other)))
    }

    pub(crate) fn value(&mut self, switch: usize, state: &State) -> f64 {
        self.evaluate(state);
        self.values()[switch]
    }

    /// How much a switching function changes in a time, s, by its value and its rate at a state.
    pub(crate) fn extent(&mut self, switch: usize, state: &State, time: f64) -> f64 {
        self.evaluate(state);
        self.values()[switch].abs() + (self.rate(switch, &state.a) * time).abs()
    }

    /// A border is not followed from now on.
    pub(crate) fn abandon(&mut self, switch: usize) {
        self.abandoned[switch] = true;
    }

    /// What happens at a border that a motion is about to cross, at the end of a part of a step of this length, s.
    ///
    /// # Errors
    /// See [`consistent_acceleration`].
    pub(crate) fn cross(&mut self, switch: usize, state: &State, dt: f64) -> Result<Found, StepError> {
        let mut before = state.clone();
        consistent_acceleration(self.model, &mut before)?;
        self.evaluate(&before);
        let (value, rate) = (self.values()[switch], self.rate(switch, &before.a));
        if value == 0.0 || value * rate >= 0.0 {
            return Ok(Found::NoSlope);
        }
        let here = self.clone();
        let (way, mut more, mut doublings) = (-value / rate, aside(before.t), 0);
        let mut behind = moved(self.model, &before, way + more);
        while self.value(switch, &behind) * value >= 0.0 {
            if doublings == DOUBLINGS || way + more > FAR * dt {
                return Ok(Found::NoSlope);
            }
            doublings += 1;
            more *= 2.0;
            behind = moved(self.model, &before, way + more);
        }
        let behind_it = self.values().to_vec();
        consistent_acceleration(self.model, &mut behind)?;
        let jump = &before.a - &behind.a;
        let of_multipliers = &before.lambda - &behind.lambda;
        let jumps = [(&jump, &before.a, &behind.a), (&of_multipliers, &before.lambda, &behind.lambda)];
        if !jumps.iter().any(|(jump, before, behind)| is_jump(jump.amax(), before.amax().max(behind.amax()))) {
            return Ok(Found::NoJump(Box::new(behind)));
        }
        self.evaluate(&behind);
        let goes_on = behind_it[switch] * self.rate(switch, &behind.a) > 0.0;
        let others_follow = here
            .changed(&behind_it)
            .filter(|&other| other != switch)
            .all(|other| here.are_alike(switch, other, &before));
        Ok(match goes_on && others_follow {
            true => Found::Crossed(Crossing { switch, rate, jump }, Box::new(behind)),
            false => Found::NoSlope,
        })
    }

    /// The border that a motion crosses because time passes this one, s: what switches there, moved by parameters or by the
    /// motion itself. `state` is before it. Nothing if the instant is fixed, or if several of them need not be the same.
    ///
    /// # Errors
    /// See [`consistent_acceleration`].
    pub(crate) fn switched(&mut self, state: &State, t: f64) -> Result<Option<Switched>, StepError> {
        self.evaluate(&State { t, ..state.clone() });
        let behind = self.values().to_vec();
        self.evaluate(state);
        let changed: Vec<usize> = self.changed(&behind).collect();
        let Some((&switch, others)) = changed.split_first() else { return Ok(None) };
        if self.slopes(switch).all(|slope| slope == 0.0) {
            return Ok(None);
        }
        let mut before = state.clone();
        consistent_acceleration(self.model, &mut before)?;
        let rate = self.rate(switch, &before.a);
        let is_one = rate != 0.0 && others.iter().all(|&other| self.are_alike(switch, other, &before));
        Ok(is_one.then_some(Switched { switch, rate, before: before.a }))
    }

    /// Which have other signs than these.
    fn changed(&self, values: &[f64]) -> impl Iterator<Item = usize> {
        self.values().iter().zip(values).enumerate().filter(|(_, (a, b))| *a * *b < 0.0).map(|(switch, _)| switch)
    }

    fn slopes(&self, switch: usize) -> impl Iterator<Item = f64> {
        self.functions.slopes(switch).into_iter().flatten().copied()
    }

    /// Whether two change their signs at the same instant, whatever changes; at the state that was evaluated last.
    fn are_alike(&self, one: usize, other: usize, state: &State) -> bool {
        let [of_one, of_other] = [one, other].map(|switch| self.rate(switch, &state.a));
        let size = self.slopes(one).fold(0.0_f64, |most, slope| most.max((slope / of_one).abs()));
        self.slopes(one)
            .zip(self.slopes(other))
            .all(|(one, other)| (one / of_one - other / of_other).abs() <= ALIKE * size)
    }
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
