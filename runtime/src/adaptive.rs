//! Step size control.
//!
//! The scheme estimates the error of a step; a proportional-integral controller chooses the next step from this error and
//! that of the step before. Schemes that estimate no errors require fixed steps.

use crate::admissible::check_inputs;
use crate::configuration::ranges;
use crate::digits::Digits;
use crate::events::{Direction, Interval};
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::scheme::{Options, Scheme, Stepper};
use crate::singularity::Watch;
use crate::step::{Cause, StepError, StepStats, check_clock};
use crate::switches::{CrossingWithin, Crossings, Times};

/// Tolerances and bounds of step size control.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Control {
    /// Allowed error of a step relative to coordinates and velocities, at least 1e-14.
    pub relative: f64,
    /// Allowed error of a step in units of coordinates and velocities, positive.
    pub absolute: f64,
    /// Length of the first step, s.
    pub first_step: f64,
    /// Longest step, s.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::serialised::unbounded"))]
    pub longest_step: f64,
}

impl Control {
    /// The same relative and absolute tolerance; the first step is short and will grow.
    ///
    /// # Examples
    /// ```
    /// use hamel::adaptive::Control;
    ///
    /// let control = Control { longest_step: 0.1, ..Control::tolerance(1e-6) };
    /// assert_eq!((control.relative, control.absolute, control.longest_step), (1e-6, 1e-6, 0.1));
    /// ```
    pub fn tolerance(tolerance: f64) -> Self {
        Self { relative: tolerance, absolute: tolerance, first_step: 1e-4, longest_step: f64::INFINITY }
    }
}

/// Safety factor of the next step.
const SAFETY: f64 = 0.9;
/// Least and largest ratio of two steps.
const SHRINK: f64 = 0.2;
const GROW: f64 = 5.0;
/// Factor of the step size after a step without solution.
const RETRY: f64 = 0.25;
/// Weights of the last error and of the one before in the exponent of the next step.
const PROPORTIONAL: f64 = 0.7;
const INTEGRAL: f64 = 0.4;
/// Borders that are crossed within this part of a step of each other are crossed together, and one that is crossed within
/// this part of its beginning was crossed before it.
const TOGETHER: f64 = 1e-6;
const AT_BORDER: f64 = 1e-9;
/// How often a step is shortened so that it crosses one border.
const MOST_DIVISIONS: u32 = 60;
/// Lower bound of the error, so that the controller does not divide by zero.
const LEAST_ERROR: f64 = 1e-8;
/// Relative tolerances below this are smaller than rounding errors, and no step would satisfy them.
const LEAST_TOLERANCE: f64 = 1e-14;
/// A step shorter than this fraction of the time does not change the time, or of what is left, up to a second, leads nowhere.
const SHORTEST: f64 = 1e-14;
/// Largest number of steps. Beyond it runs take too long, and a step may be too short to change the time.
pub(crate) const MAX_STEPS: f64 = 1e10;

/// Parts of a failed step at whose ends inputs are looked at.
const WITHIN: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Twice the rejected steps may exceed the accepted ones by this number, before it matters how far they have led: a first
/// step that is far too long, and each jump of the forces, is rejected some ten times, and few steps are otherwise.
const MOST_REJECTED: u32 = 300;
/// Attempts that may be left at the pace of steps that are mostly rejected.
const MOST_LEFT: f64 = 1e7;
/// Attempts over which the pace of a run is measured.
const BLOCK: u32 = 1000;
/// A run crawls if its pace is below this part of the largest one, at least this part of the attempts are rejected, so many
/// blocks in a row, and so many attempts would be left.
const SLOW: f64 = 1e-2;
const OFTEN: f64 = 0.05;
const SLOW_BLOCKS: u32 = 20;
const MOST_LEFT_SLOWLY: f64 = 1e6;
/// So many steps in a row of which more than [`MAX_STEPS`] are left end a run: a short transient has fewer.
const MOST_SHORT: u32 = 20_000;

/// A stepper with step size control.
pub struct AdaptiveStepper<'m> {
    scheme: String,
    order: u32,
    model: &'m dyn Model,
    blocks: &'m [Block],
    stepper: Box<dyn Stepper + 'm>,
    control: Control,
    watch: Watch,
    /// The state before the last step.
    previous: State,
    /// The state after it, while its error is estimated.
    reached: State,
    next_step: f64,
    last_error: f64,
    accepted: u64,
    rejected: u64,
    /// Twice the number of rejected minus that of accepted steps, counted from where it was zero last.
    excess: u32,
    /// Number of steps since then.
    attempts: u32,
    /// The time at which it was zero, s.
    since: f64,
    /// Number of steps in a row that are too short.
    short: u32,
    pace: Pace,
    /// The times at which formulas and inputs change: steps end there, for no estimate sees what a step passes
    /// over.
    switches: Times,
    /// Where the state crosses borders between formulas, if the model has any.
    crossings: Option<Crossings>,
}

/// How far attempts lead.
#[derive(Default)]
struct Pace {
    /// When the block began, s, and its attempts and rejected steps so far.
    since: f64,
    attempts: u32,
    rejected: u32,
    /// The largest time that an attempt of a block led on average, s.
    largest: f64,
    /// Slow blocks in a row.
    slow: u32,
}

impl Pace {
    /// Counts an attempt that led to this time, s, of which the time `rest` was left; whether the run crawls.
    fn crawls(&mut self, t: f64, rest: f64, is_rejected: bool) -> bool {
        self.attempts += 1;
        self.rejected += u32::from(is_rejected);
        if self.attempts < BLOCK {
            return false;
        }
        let (pace, share) = ((t - self.since) / f64::from(BLOCK), f64::from(self.rejected) / f64::from(BLOCK));
        let is_slow = pace < SLOW * self.largest && share >= OFTEN;
        self.slow = if is_slow { self.slow + 1 } else { 0 };
        self.largest = self.largest.max(pace);
        (self.since, self.attempts, self.rejected) = (t, 0, 0);
        self.slow >= SLOW_BLOCKS && rest > MOST_LEFT_SLOWLY * pace
    }
}

impl<'m> AdaptiveStepper<'m> {
    /// A stepper from a consistent state. Constraints are imposed where [`Scheme::level_of_chosen_steps`] says, unless the
    /// options say otherwise.
    ///
    /// # Errors
    /// Those of [`Scheme::start_with`]; [`StepError::BadParameter`] for tolerances or steps that are not positive, and
    /// [`StepError::Undefined`] for schemes without error estimate.
    ///
    /// # Examples
    /// A mass of 1 kg on a spring of 4 N/m, from rest at 1 m: q = cos 2t.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::adaptive::{AdaptiveStepper, Control};
    /// use hamel::{Options, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name("esdirk436", &[])?;
    /// let start = initial_state(&model)?;
    /// let mut stepper = AdaptiveStepper::new(&model, &*scheme, &Options::default(), start, Control::tolerance(1e-9))?;
    /// while stepper.state().t < 1.0 {
    ///     stepper.step(1.0)?;
    /// }
    /// assert_eq!(stepper.state().t, 1.0);
    /// assert!((stepper.state().q[0] - 2_f64.cos()).abs() < 1e-7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(
        model: &'m dyn Model,
        scheme: &dyn Scheme,
        options: &Options,
        initial: State,
        control: Control,
    ) -> Result<Self, StepError> {
        let Control { relative, absolute, first_step, longest_step } = control;
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let bad = |reason: String| Err(StepError::BadParameter { scheme: scheme.label(), reason });
        if !(is_positive(relative) && is_positive(absolute) && relative >= LEAST_TOLERANCE) {
            return bad(format!(
                "expected a relative tolerance of at least {LEAST_TOLERANCE:e} and a positive absolute one, not {relative:e} and {absolute:e}"
            ));
        }
        if !is_positive(first_step) || longest_step.is_nan() || longest_step <= 0.0 {
            return bad(format!(
                "expected positive steps, not {} s at first and {} s at most",
                Digits(first_step),
                Digits(longest_step)
            ));
        }
        let since = initial.t;
        let stepper = scheme.start_with(model, initial.clone(), &options.for_chosen_steps(scheme))?;
        let reason = match (stepper.contacts(), scheme.estimates_errors()) {
            (Some(_), _) => Some("it has contacts, whose impacts no estimate of errors sees; take fixed steps"),
            (None, false) => Some(
                "it estimates no errors; take a scheme that `hamel list schemes` marks with `adaptive`, or fixed steps",
            ),
            (None, true) => None,
        };
        if let Some(reason) = reason {
            return Err(StepError::Undefined { scheme: scheme.label(), model: model.describe().name.clone(), reason });
        }
        Ok(Self {
            scheme: scheme.label(),
            order: scheme.order(),
            model,
            blocks: &model.describe().blocks,
            stepper,
            control,
            watch: Watch::new(model, &initial),
            previous: initial.clone(),
            reached: initial,
            next_step: first_step.min(longest_step),
            last_error: 1.0,
            accepted: 0,
            rejected: 0,
            excess: 0,
            attempts: 0,
            since,
            short: 0,
            pace: Pace { since, ..Pace::default() },
            switches: Times::of_ends(model),
            crossings: Crossings::new(model),
        })
    }

    /// The current state.
    pub fn state(&self) -> &State {
        self.stepper.state()
    }

    /// The state before the last step.
    pub fn previous(&self) -> &State {
        &self.previous
    }

    /// Takes one step that satisfies the tolerance and does not pass the time `until`, s.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] for a time that is not ahead, the failure of the last attempt if no step is short enough, and
    /// [`StepError::NoHeadway`] if too many are rejected or
    /// more than 10¹⁰ are left; the state is then unchanged.
    pub fn step(&mut self, until: f64) -> Result<StepStats, StepError> {
        let t = self.stepper.state().t;
        if until.is_nan() || until <= t {
            let reason = format!("cannot step from t = {} s to {} s", Digits(t), Digits(until));
            return Err(StepError::BadParameter { scheme: self.scheme.clone(), reason });
        }
        let stats = self.accepted_step(until).map_err(|error| however_short(self.watch.explain(error)))?;
        if let Err(error) = self.watch.pass(self.stepper.state()) {
            self.stepper.retreat();
            return Err(error);
        }
        Ok(stats)
    }

    fn accepted_step(&mut self, until: f64) -> Result<StepStats, StepError> {
        let mut total = StepStats::default();
        self.previous.copy_from(self.stepper.state());
        self.crossings.iter_mut().for_each(|crossings| crossings.begin(self.model, &self.previous));
        let mut divisions = 0;
        loop {
            let (t, rest) = (self.previous.t, until - self.previous.t);
            let shortest = shortest(t, until);
            let ahead = self.switches.after(t + shortest).map_or(rest, |time| rest.min(time - t));
            // A remainder barely longer than the step is halved, so that no very short step is left.
            let dt = match self.next_step {
                step if step >= ahead => ahead,
                step if 2.0 * step > ahead => 0.5 * ahead,
                step => step,
            };
            if dt <= shortest {
                let (scheme, iteration) = (self.scheme.clone(), self.rejected as u32);
                return Err(StepError::NotConverged {
                    t,
                    scheme,
                    iteration,
                    residual: self.last_error,
                    cause: Cause::StepTooLong,
                });
            }
            match self.stepper.step(dt) {
                Ok(stats) => total += stats,
                Err(error) if error.is_numerical() => {
                    // Shorter steps would only come closer to an input without value, and something else be blamed then.
                    if matches!(error, StepError::NotFinite { .. }) {
                        WITHIN.iter().try_for_each(|part| check_inputs(self.model, t + part * dt))?;
                    }
                    self.next_step = RETRY * dt;
                    if self.next_step <= shortest {
                        self.rejected += 1;
                        return Err(error);
                    }
                    self.count_rejected(t, rest)?;
                    continue;
                }
                Err(error) => return Err(error),
            }
            if divisions < MOST_DIVISIONS
                && let Some(part) = self.part_up_to_one_border(dt)
            {
                divisions += 1;
                self.next_step = part * dt;
                self.retreat()?;
                self.count_rejected(t, rest)?;
                continue;
            }
            let Some((error, order, stats)) = self.error() else {
                self.retreat()?;
                return Err(self.undefined("its last step has no estimate of errors"));
            };
            total += stats;
            check_clock(&self.scheme, self.model, t + dt, self.stepper.state().t)?;
            let exponent = 1.0 / f64::from(order + 1);
            if error <= 1.0 {
                let size = error.max(LEAST_ERROR);
                let ratio = SAFETY * size.powf(-PROPORTIONAL * exponent) * self.last_error.powf(INTEGRAL * exponent);
                // A step that was shortened to end at `until` must not reduce the next step.
                let reached = if dt < self.next_step {
                    self.next_step.max(dt * ratio.min(GROW))
                } else {
                    dt * ratio.clamp(SHRINK, GROW)
                };
                self.next_step = reached.min(self.control.longest_step);
                self.last_error = size;
                self.count_accepted(rest)?;
                return Ok(total);
            }
            // An error that is not finite reduces the step by the largest factor.
            let ratio = if error.is_finite() { SAFETY * error.powf(-exponent) } else { SHRINK };
            self.next_step = dt * ratio.clamp(SHRINK, SAFETY);
            self.retreat()?;
            if !error.is_finite() && self.next_step <= shortest {
                return Err(self.no_headway(t, "estimates of errors are not finite, however short steps are"));
            }
            self.count_rejected(t, rest)?;
        }
    }

    /// The part of the last step, of this length, s, that crosses one border at most, if the whole one crosses more, or one
    /// there and back: what happens between them no estimate of errors sees.
    fn part_up_to_one_border(&mut self, dt: f64) -> Option<f64> {
        let crossings = self.crossings.as_mut()?;
        crossings.end(self.model, self.stepper.state());
        let mut parts = [f64::INFINITY; 2];
        for CrossingWithin { part, returns, .. } in crossings.within(dt).filter(|crossing| crossing.part > AT_BORDER) {
            if returns {
                parts = [part.min(parts[0]); 2];
            } else if part < parts[0] {
                parts = [part, parts[0]];
            } else if part > parts[0] {
                parts[1] = parts[1].min(part);
            }
        }
        let [first, second] = parts;
        let are_two = second.is_finite() && (first == second || second - first > TOGETHER);
        are_two.then(|| (0.5 * (first + second)).clamp(SHRINK, SAFETY))
    }

    /// Counts a rejected step at time t, s, where the time `rest`, s, is left.
    fn count_rejected(&mut self, t: f64, rest: f64) -> Result<(), StepError> {
        self.rejected += 1;
        self.attempts += 1;
        self.excess += 2;
        self.check_pace(t, rest, true)?;
        if self.excess <= MOST_REJECTED {
            return Ok(());
        }
        let pace = (t - self.since) / f64::from(self.attempts);
        if rest > MOST_LEFT * pace {
            let reason = "too many are rejected, as with forces that jump again and again, or with numbers near the largest that \
                          there are";
            return Err(self.no_headway(t, reason));
        }
        (self.excess, self.attempts, self.since) = (0, 0, t);
        Ok(())
    }

    /// Counts a step, of which the time `rest`, s, was left at its beginning.
    fn count_accepted(&mut self, rest: f64) -> Result<(), StepError> {
        let is_short = rest > MAX_STEPS * self.next_step;
        if is_short && self.short == MOST_SHORT {
            self.retreat()?;
            let reason = "more than 1e10 such steps are left: a motion is too fast for this interval; take a larger tolerance, \
                          or a stiffness or mass that makes the motion slower";
            return Err(self.no_headway(self.previous.t, reason));
        }
        self.short = if is_short { self.short + 1 } else { 0 };
        self.excess = self.excess.saturating_sub(1);
        self.attempts += 1;
        if self.excess == 0 {
            (self.attempts, self.since) = (0, self.stepper.state().t);
        }
        self.accepted += 1;
        self.check_pace(self.stepper.state().t, rest, false)
    }

    /// Ends a run that crawls.
    fn check_pace(&mut self, t: f64, rest: f64, is_rejected: bool) -> Result<(), StepError> {
        if self.pace.crawls(t, rest, is_rejected) {
            let reason = "steps have become ever shorter, and many are rejected, as with forces that jump again and again: those of \
                          `sign(v)` where a body comes to rest; let the formula go over within a speed, or write the friction as \
                          a contact";
            return Err(self.no_headway(t, reason));
        }
        Ok(())
    }

    fn no_headway(&self, t: f64, reason: &'static str) -> StepError {
        let (scheme, dt) = (self.scheme.clone(), self.next_step);
        StepError::NoHeadway { t, scheme, dt, accepted: self.accepted, rejected: self.rejected, reason }
    }

    /// The error of the last step, in units of the tolerance, its order, and the effort of the estimate.
    fn error(&mut self) -> Option<(f64, u32, StepStats)> {
        let Control { relative, absolute, .. } = self.control;
        self.reached.copy_from(self.stepper.state());
        let estimate = self.stepper.error_estimate()?;
        let (old, new) = (&self.previous, &self.reached);
        let part = |error: f64, size: f64| (error / (absolute + relative * size)).powi(2);
        let mut sum = 0.0;
        for (block, q, v) in ranges(self.blocks) {
            for (i, column) in v.enumerate() {
                // Errors of rotations are relative to one, all others to the coordinate.
                let is_turn = block.turn().is_some_and(|(first, _)| i >= first);
                let size = if is_turn { 1.0 } else { old.q[q.start + i].abs().max(new.q[q.start + i].abs()) };
                sum += part(estimate.x[column], size);
                sum += part(estimate.v[column], old.v[column].abs().max(new.v[column].abs()));
            }
        }
        Some(((sum / (2 * old.v.len()).max(1) as f64).sqrt(), estimate.order, estimate.stats))
    }

    /// The motion between the last state and the current one.
    pub(crate) fn interval(&self) -> Interval<'_> {
        let (old, new) = (&self.previous, self.stepper.state());
        Interval { blocks: self.blocks, old, new, order: self.order, has_impact: false }
    }

    /// The state at a time within the last step: coordinates and velocities by Hermite polynomials, of the third degree
    /// through coordinates, velocities and accelerations at its ends for schemes up to third order, and of the fifth for
    /// others; accelerations and multipliers linearly.
    ///
    /// # Examples
    /// Halfway through the last step of a motion that is cos 2t.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::adaptive::{AdaptiveStepper, Control};
    /// use hamel::{Direction, Options, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name("esdirk436", &[])?;
    /// let start = initial_state(&model)?;
    /// let mut stepper = AdaptiveStepper::new(&model, &*scheme, &Options::default(), start, Control::tolerance(1e-9))?;
    /// while stepper.state().q[0] > 0.0 {
    ///     stepper.step(1.0)?;
    /// }
    /// let t = 0.5 * (stepper.previous().t + stepper.state().t);
    /// assert!((stepper.interpolate(t).q[0] - (2.0 * t).cos()).abs() < 1e-6);
    /// let zeros = stepper.locate(&|state| state.q[0], Direction::Falling);
    /// assert!((zeros[0] - std::f64::consts::FRAC_PI_4).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn interpolate(&self, t: f64) -> State {
        self.interval().interpolate(t)
    }

    /// The times within the last step at which a function changes its sign in this direction, s, in ascending order.
    ///
    /// The function is sampled along the interpolated motion at six points at least, and at further points until the
    /// samples predict it; two changes of sign between adjacent samples are missed. Times are less accurate for
    /// functions of accelerations and multipliers, which are interpolated linearly.
    pub fn locate(&self, function: &dyn Fn(&State) -> f64, direction: Direction) -> Vec<f64> {
        self.interval().locate(function, direction)
    }

    /// Numbers of accepted and of rejected steps; rejected are those whose error is too large, or without solution.
    pub fn counts(&self) -> [u64; 2] {
        [self.accepted, self.rejected]
    }

    pub(crate) fn inner(&self) -> &dyn Stepper {
        &*self.stepper
    }

    /// Undoes the last step.
    fn retreat(&mut self) -> Result<(), StepError> {
        match self.stepper.retreat() {
            true => Ok(()),
            false => {
                Err(self.undefined("it does not undo steps, as chosen steps require: its stepper lacks `retreat`"))
            }
        }
    }

    fn undefined(&self, reason: &'static str) -> StepError {
        StepError::Undefined { scheme: self.scheme.clone(), model: self.model.describe().name.clone(), reason }
    }

    pub(crate) fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut *self.stepper
    }

    /// The length that the next step will try, s.
    pub(crate) fn next_step(&self) -> f64 {
        self.next_step
    }

    /// Replaces the last step by one that ends at a time within it, s.
    ///
    /// # Errors
    /// When the shorter step has no solution.
    pub(crate) fn shorten(&mut self, t: f64) -> Result<StepStats, StepError> {
        self.retreat()?;
        let dt = t - self.previous.t;
        if dt <= 0.0 { Ok(StepStats::default()) } else { self.stepper.step(dt) }
    }
}

/// Steps from a time t, s, on the way to another one that are no longer than this, s, are none.
pub(crate) fn shortest(t: f64, until: f64) -> f64 {
    SHORTEST * ((until - t).clamp(0.0, 1.0) + t.abs())
}

/// The failure of a step, when shorter ones have failed too.
fn however_short(error: StepError) -> StepError {
    match error {
        StepError::NotConverged { t, scheme, iteration, residual, cause: Cause::StepTooLong } => {
            StepError::NotConverged { t, scheme, iteration, residual, cause: Cause::AnyStep }
        }
        other => other,
    }
}
