//! Advances a simulation by fixed steps, or by steps chosen by step size control.

use crate::adaptive::{AdaptiveStepper, MAX_STEPS, shortest};
use crate::digits::Digits;
use crate::events::Interval;
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::scheme::{Options, Scheme, Stepper};
use crate::singularity::Watch;
use crate::step::{StepError, StepStats, check_clock};
use crate::switches::{Times, aside};

use super::Steps;

/// Remainders of an interval below this part of a step are rounding errors.
const ROUNDING: f64 = 1e-6;

/// How an interval is divided into steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    /// Number of steps.
    pub steps: u64,
    /// Length of every step but the last, s.
    pub dt: f64,
    /// Length of the last step, s: `dt` where that divides the interval up to rounding, otherwise shorter.
    pub last: f64,
}

impl Division {
    /// Divides an interval of this duration into steps of `dt`, both in s and positive; `None` for more than 10¹⁰
    /// steps.
    ///
    /// # Examples
    /// ```
    /// use hamel::simulation::Division;
    ///
    /// let division = Division::new(1.0, 0.3).expect("few enough steps");
    /// assert_eq!((division.steps, division.dt), (4, 0.3));
    /// assert!((division.last - 0.1).abs() < 1e-15);
    /// // 0.1 is no binary fraction, but divides 1 up to rounding.
    /// assert_eq!(Division::new(1.0, 0.1), Some(Division { steps: 10, dt: 0.1, last: 0.1 }));
    /// ```
    pub fn new(duration: f64, dt: f64) -> Option<Self> {
        let ratio = duration / dt;
        if ratio.is_nan() || ratio > MAX_STEPS {
            return None;
        }
        let divides = (ratio - ratio.round()).abs() <= ROUNDING;
        let steps = if divides { ratio.round() } else { ratio.ceil() } as u64;
        let dt = if divides && steps > 0 { duration / steps as f64 } else { dt };
        let last = if divides { dt } else { duration - dt * (steps - 1) as f64 };
        Some(Self { steps, dt, last })
    }

    /// The same into steps of one length, none longer than `dt` up to rounding: schemes that remember earlier steps
    /// lose by a short last one what they gain by long ones.
    ///
    /// # Examples
    /// ```
    /// use hamel::simulation::Division;
    ///
    /// assert_eq!(Division::equal(1.0, 0.3), Some(Division { steps: 4, dt: 0.25, last: 0.25 }));
    /// ```
    pub fn equal(duration: f64, dt: f64) -> Option<Self> {
        let division = Self::new(duration, dt)?;
        if division.steps == 0 { Some(division) } else { Self::new(duration, duration / division.steps as f64) }
    }
}

/// Advances a simulation.
pub(super) struct Driver<'m> {
    kind: Kind<'m>,
    until: f64,
}

enum Kind<'m> {
    Fixed(Box<FixedStepper<'m>>),
    Adaptive(Box<AdaptiveStepper<'m>>),
}

/// Steps of one length.
struct FixedStepper<'m> {
    model: &'m dyn Model,
    scheme: String,
    blocks: &'m [Block],
    order: u32,
    stepper: Box<dyn Stepper + 'm>,
    /// The state, where steps are computed elsewhere; the stepper is then left behind at the start.
    passenger: Option<Passenger>,
    watch: Watch,
    /// The state before the last step.
    previous: State,
    /// Whether the last step had an impact.
    has_impact: bool,
    start: f64,
    /// Length of the steps that was asked for, s, and the division of the current interval by it.
    dt: f64,
    division: Division,
    done: u64,
    /// Steps of earlier intervals.
    before: u64,
    /// Whether the last step has passed a singularity of angles, beyond which the state is not valid.
    is_beyond: bool,
}

/// Result of shortening the last step.
pub(super) struct End {
    pub(super) stats: StepStats,
    /// The interpolated state at the end, if the scheme cannot repeat a step.
    pub(super) interpolated: Option<State>,
}

impl<'m> Driver<'m> {
    /// Drives a scheme from a consistent state to the time `until`, s; the periods of controllers, s, must be multiples
    /// of a fixed step.
    pub(super) fn new(
        model: &'m dyn Model,
        scheme: &dyn Scheme,
        options: &Options,
        steps: Steps,
        start: State,
        until: f64,
        mut periods: impl Iterator<Item = f64>,
    ) -> Result<Self, StepError> {
        let bad = |reason: String| StepError::BadParameter { scheme: scheme.label(), reason };
        let duration = until - start.t;
        let span = format!("from t = {} s to {} s", Digits(start.t), Digits(until));
        if duration.is_nan() || duration < 0.0 {
            return Err(bad(format!("cannot integrate {span}")));
        }
        let dt = match steps {
            Steps::Chosen(control) => {
                let stepper = AdaptiveStepper::new(model, scheme, options, start, control)?;
                return Ok(Self { kind: Kind::Adaptive(Box::new(stepper)), until });
            }
            Steps::Fixed(dt) => dt,
        };
        if !(dt.is_finite() && dt > 0.0 && duration.is_finite()) {
            return Err(bad(format!("cannot integrate {span} by steps of {} s", Digits(dt))));
        }
        // A way that is short beside a step is one all the same, unless it is a rounding error of the time.
        let dt = if duration > aside(start.t) { dt.min(duration) } else { dt };
        let Some(division) = Division::new(duration, dt) else {
            let steps = duration / dt;
            return Err(bad(format!("{steps:.1e} steps of {} s {span}, expected at most {MAX_STEPS:e}", Digits(dt))));
        };
        let divides = |period: f64| {
            let ratio = period / division.dt;
            ratio.round() >= 1.0 && (ratio - ratio.round()).abs() <= ROUNDING
        };
        if let Some(period) = periods.find(|&period| !divides(period)) {
            return Err(bad(format!(
                "the period of {} s of a controller is no multiple of the step of {} s; choose a step that divides it",
                Digits(period),
                Digits(division.dt)
            )));
        }
        let stepper = scheme.start_with(model, start, options)?;
        if stepper.contacts().is_none() && !model.describe().contacts.is_empty() {
            let reason = "its contacts would be ignored";
            return Err(StepError::Undefined { scheme: scheme.label(), model: model.describe().name.clone(), reason });
        }
        let fixed = FixedStepper {
            model,
            scheme: scheme.label(),
            blocks: &model.describe().blocks,
            order: scheme.order(),
            watch: Watch::new(model, stepper.state()),
            previous: stepper.state().clone(),
            has_impact: false,
            start: stepper.state().t,
            stepper,
            passenger: None,
            dt,
            division,
            done: 0,
            before: 0,
            is_beyond: false,
        };
        Ok(Self { kind: Kind::Fixed(Box::new(fixed)), until })
    }

    pub(super) fn stepper(&self) -> &dyn Stepper {
        match &self.kind {
            Kind::Fixed(fixed) => fixed.stepper(),
            Kind::Adaptive(adaptive) => adaptive.inner(),
        }
    }

    pub(super) fn stepper_mut(&mut self) -> &mut dyn Stepper {
        match &mut self.kind {
            Kind::Fixed(fixed) => &mut *fixed.stepper,
            Kind::Adaptive(adaptive) => adaptive.inner_mut(),
        }
    }

    pub(super) fn state(&self) -> &State {
        self.stepper().state()
    }

    /// The last valid state.
    pub(super) fn reached(&self) -> &State {
        match &self.kind {
            Kind::Fixed(fixed) if fixed.is_beyond => &fixed.previous,
            _ => self.state(),
        }
    }

    /// The end of the interval, s.
    pub(super) fn until(&self) -> f64 {
        self.until
    }

    /// Whether the end of the interval is reached.
    pub(super) fn is_at_end(&self) -> bool {
        match &self.kind {
            Kind::Fixed(fixed) => fixed.done == fixed.division.steps,
            Kind::Adaptive(adaptive) => adaptive.state().t >= self.until,
        }
    }

    /// Whether a time, s, is reached, up to rounding.
    pub(super) fn has_reached(&self, t: f64) -> bool {
        let now = self.state().t;
        let rounding = match &self.kind {
            Kind::Fixed(fixed) => ROUNDING * fixed.division.dt,
            Kind::Adaptive(_) => shortest(now, self.until),
        };
        now >= t - rounding
    }

    /// Times before this one, s, at which forces jump, are behind the state.
    pub(super) fn behind(&self) -> f64 {
        match &self.kind {
            Kind::Fixed(fixed) => self.state().t - ROUNDING * fixed.division.dt,
            // Chosen steps pass none.
            Kind::Adaptive(_) => f64::NEG_INFINITY,
        }
    }

    /// Goes on until a later time, s, once the end is reached; false for more than 10¹⁰ steps.
    pub(super) fn extend(&mut self, until: f64) -> bool {
        if let Kind::Fixed(fixed) = &mut self.kind {
            let now = fixed.state().t;
            let Some(division) = Division::equal(until - now, fixed.dt) else { return false };
            fixed.before += fixed.done;
            (fixed.start, fixed.division, fixed.done) = (now, division, 0);
        }
        self.until = until;
        true
    }

    /// The expected length of the next step, s.
    pub(super) fn next_step(&self) -> f64 {
        match &self.kind {
            Kind::Fixed(fixed) => fixed.division.dt,
            Kind::Adaptive(adaptive) => adaptive.next_step(),
        }
    }

    /// Numbers of accepted and of rejected steps.
    pub(super) fn counts(&self) -> [u64; 2] {
        match &self.kind {
            Kind::Fixed(fixed) => [fixed.before + fixed.done, 0],
            Kind::Adaptive(adaptive) => adaptive.counts(),
        }
    }

    /// One step. Where it is chosen it does not pass the time `next`, s; one of equal length that would end at
    /// one of these times, at which forces jump, has them as they are before.
    pub(super) fn step(&mut self, next: f64, jumps: &Times) -> Result<StepStats, StepError> {
        match &mut self.kind {
            Kind::Fixed(fixed) => fixed.step(self.until, jumps),
            Kind::Adaptive(adaptive) => adaptive.step(self.until.min(next)),
        }
    }

    /// The length of the next step, s, if it is known before.
    #[cfg(feature = "simd")]
    pub(super) fn length(&self) -> Option<f64> {
        match &self.kind {
            Kind::Fixed(fixed) => Some(fixed.length(self.until)),
            Kind::Adaptive(_) => None,
        }
    }

    /// One step of known length, which was computed elsewhere; its end is written by `end`.
    #[cfg(feature = "simd")]
    pub(super) fn arrive(&mut self, end: &dyn Fn(&mut State)) -> Result<(), StepError> {
        match &mut self.kind {
            Kind::Fixed(fixed) => fixed.arrive(end),
            Kind::Adaptive(adaptive) => adaptive.step(self.until).map(|_| ()),
        }
    }

    /// The last step.
    pub(super) fn interval(&self) -> Interval<'_> {
        match &self.kind {
            Kind::Fixed(fixed) => Interval {
                blocks: fixed.blocks,
                old: &fixed.previous,
                new: fixed.state(),
                order: fixed.order,
                has_impact: fixed.has_impact,
            },
            Kind::Adaptive(adaptive) => adaptive.interval(),
        }
    }

    /// Cuts the last step short at a time within it, s.
    pub(super) fn end_at(&mut self, t: f64) -> Result<End, StepError> {
        let interpolated = self.interval().interpolate(t);
        match &mut self.kind {
            Kind::Adaptive(adaptive) => Ok(End { stats: adaptive.shorten(t)?, interpolated: None }),
            Kind::Fixed(fixed) => fixed.end_at(t, self.until, interpolated),
        }
    }
}

/// The state of a run whose steps are computed elsewhere.
struct Passenger(State);

impl Stepper for Passenger {
    fn state(&self) -> &State {
        &self.0
    }

    fn step(&mut self, _dt: f64) -> Result<StepStats, StepError> {
        unreachable!("its own stepper takes steps")
    }
}

impl FixedStepper<'_> {
    fn stepper(&self) -> &dyn Stepper {
        self.passenger.as_ref().map_or(&*self.stepper, |passenger| passenger)
    }

    fn state(&self) -> &State {
        self.stepper().state()
    }

    /// The end of the next step, s.
    fn end(&self, until: f64) -> f64 {
        // Times are multiples of the step, so that rounding errors do not accumulate and steps end at the times at
        // which signals switch.
        let step = self.done + 1;
        if step == self.division.steps { until } else { self.start + step as f64 * self.division.dt }
    }

    /// The length of the next step, s.
    fn length(&self, until: f64) -> f64 {
        self.end(until) - self.state().t
    }

    /// Takes the steps that were computed elsewhere by its own stepper, which then has everything that leads to the next
    /// one; the states are those that are known.
    fn catch_up(&mut self, until: f64) -> Result<(), StepError> {
        if self.passenger.take().is_none() {
            return Ok(());
        }
        let done = core::mem::take(&mut self.done);
        while self.done < done {
            let dt = self.length(until);
            self.stepper.step(dt)?;
            self.done += 1;
        }
        Ok(())
    }

    #[cfg(feature = "simd")]
    fn arrive(&mut self, end: &dyn Fn(&mut State)) -> Result<(), StepError> {
        let Self { passenger, stepper, previous, .. } = self;
        let Passenger(state) = passenger.get_or_insert_with(|| Passenger(stepper.state().clone()));
        previous.copy_from(state);
        end(state);
        self.pass()
    }

    fn step(&mut self, until: f64, jumps: &Times) -> Result<StepStats, StepError> {
        self.catch_up(until)?;
        let end = self.end(until);
        let before = jumps.at_end(end, self.division.dt);
        let dt = before.map_or(end, |[before, _]| before) - self.state().t;
        self.previous.copy_from(self.stepper.state());
        let impacts = |stepper: &dyn Stepper| stepper.contacts().map_or(0, |record| record.impacts);
        let impacts_before = impacts(&*self.stepper);
        let stats = self.stepper.step(dt).map_err(|error| self.watch.explain(error))?;
        check_clock(&self.scheme, self.model, self.previous.t + dt, self.stepper.state().t)?;
        if before.is_some() && self.done + 1 == self.division.steps {
            self.stepper.correctable().into_iter().for_each(|state| state.t = end);
        }
        self.has_impact = impacts(&*self.stepper) != impacts_before;
        self.pass()?;
        Ok(stats)
    }

    /// Goes on from the end of a step.
    fn pass(&mut self) -> Result<(), StepError> {
        let state = self.passenger.as_ref().map_or_else(|| self.stepper.state(), |Passenger(state)| state);
        self.watch.pass(state).inspect_err(|_| self.is_beyond = true)?;
        self.done += 1;
        Ok(())
    }

    fn end_at(&mut self, t: f64, until: f64, interpolated: State) -> Result<End, StepError> {
        let dt = t - self.previous.t;
        if t == self.state().t {
            return Ok(End { stats: StepStats::default(), interpolated: None });
        }
        self.catch_up(until)?;
        // Impacts of contacts are not undone by `retreat`.
        if self.stepper.contacts().is_some() || !self.stepper.retreat() {
            return Ok(End { stats: StepStats::default(), interpolated: Some(interpolated) });
        }
        let stats = if dt > 0.0 { self.stepper.step(dt)? } else { StepStats::default() };
        Ok(End { stats, interpolated: None })
    }
}
