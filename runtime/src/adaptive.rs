//! Steps as long as a tolerance allows, states between them, and events.
//!
//! The error of a step is the difference to the scheme's embedded companion; a proportional-integral controller chooses
//! the next step from it and the one before. Between the ends of a step cubic Hermite polynomials through values and
//! rates stand for the motion. Not here: schemes without an embedded companion, which have fixed steps.

use nalgebra::DVector;

use crate::chart;
use crate::configuration::ranges;
use crate::model::{Block, Model, State};
use crate::scheme::{Cause, Options, Scheme, StepError, StepStats, Stepper};
use crate::sign_changes::sign_changes;
use crate::singularity::Watch;
use crate::trajectory::{Run, recorded};

/// What steps are chosen by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Allowed error of a step relative to coordinates and velocities, not below 1e-14.
    pub relative: f64,
    /// Allowed error of a step in units of coordinates and velocities, positive.
    pub absolute: f64,
    /// Length of the first step, s.
    pub first_step: f64,
    /// Longest step, s.
    pub longest_step: f64,
}

impl Control {
    /// The same relative and absolute tolerance; the first step is short and will grow.
    pub fn tolerance(tolerance: f64) -> Self {
        Self { relative: tolerance, absolute: tolerance, first_step: 1e-4, longest_step: f64::INFINITY }
    }
}

/// Something that happens when a function of the state changes its sign, any number of times within a step.
pub struct Event<'e> {
    /// The function whose zeros are meant.
    pub function: &'e dyn Fn(&State) -> f64,
    /// Which change of sign counts.
    pub direction: Direction,
    /// Whether the simulation ends there.
    pub is_terminal: bool,
}

/// How a function passes zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Either way.
    Both,
}

impl Direction {
    fn counts(self, before: f64, after: f64) -> bool {
        match self {
            Direction::Rising => before < 0.0 && after >= 0.0,
            Direction::Falling => before > 0.0 && after <= 0.0,
            Direction::Both => Direction::Rising.counts(before, after) || Direction::Falling.counts(before, after),
        }
    }
}

/// An event that was met.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// Its place in the list of events.
    pub event: usize,
    /// The state there; of a terminal event a step of the scheme, otherwise interpolated.
    pub state: State,
}

/// What [`simulate_adaptive`] computed.
#[derive(Clone, Debug)]
pub struct AdaptiveRun {
    /// Everything recorded, and how it ended.
    pub run: Run,
    /// The events that were met, in the order of time.
    pub occurrences: Vec<Occurrence>,
    /// Steps that were accepted.
    pub accepted: u64,
    /// Steps that were refused, by their error or because they had no solution.
    pub rejected: u64,
}

/// Part of the tolerance that the next step aims at.
const SAFETY: f64 = 0.9;
/// Least and largest ratio of two steps.
const SHRINK: f64 = 0.2;
const GROW: f64 = 5.0;
/// How much a step shrinks that has no solution.
const RETRY: f64 = 0.25;
/// Weights of the last error and of the one before in the exponent of the next step.
const PROPORTIONAL: f64 = 0.7;
const INTEGRAL: f64 = 0.4;
/// Errors below this count as this, so that the controller never divides by zero.
const LEAST_ERROR: f64 = 1e-8;
/// Relative tolerances below this are below rounding, and no step would keep them.
const LEAST_TOLERANCE: f64 = 1e-14;
/// A step that is shorter than this part of the time moves it no more.
const SHORTEST: f64 = 1e-14;

/// A stepper that chooses its steps.
pub struct AdaptiveStepper<'m> {
    scheme: String,
    blocks: &'static [Block],
    stepper: Box<dyn Stepper + 'm>,
    control: Control,
    watch: Watch,
    /// The state before the last step.
    previous: State,
    next_step: f64,
    last_error: f64,
    accepted: u64,
    rejected: u64,
}

impl<'m> AdaptiveStepper<'m> {
    /// A stepper from a consistent state.
    ///
    /// # Errors
    /// Those of [`Scheme::start_with`]; [`StepError::BadParameter`] for tolerances or steps that are not positive, and
    /// [`StepError::Undefined`] for schemes without error estimate.
    pub fn new(
        model: &'m dyn Model,
        scheme: &dyn Scheme,
        options: &Options,
        initial: State,
        control: Control,
    ) -> Result<Self, StepError> {
        let Control { relative, absolute, first_step, longest_step } = control;
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let bad = |reason: String| Err(StepError::BadParameter { scheme: scheme.name(), reason });
        if !(is_positive(relative) && is_positive(absolute) && relative >= LEAST_TOLERANCE) {
            return bad(format!(
                "expected a relative tolerance of at least {LEAST_TOLERANCE:e} and a positive absolute one, not {relative:e} and {absolute:e}"
            ));
        }
        if !is_positive(first_step) || longest_step.is_nan() || longest_step <= 0.0 {
            return bad(format!("expected positive steps, not {first_step} s at first and {longest_step} s at most"));
        }
        let stepper = scheme.start_with(model, initial.clone(), options)?;
        if stepper.error_estimate().is_none() {
            let reason = match stepper.contacts() {
                Some(_) => "it has contacts, whose impacts no estimate of errors sees; take fixed steps",
                None => "it has no embedded scheme that estimates errors; take an ESDIRK scheme, or fixed steps",
            };
            return Err(StepError::Undefined { scheme: scheme.name(), model: model.describe().name, reason });
        }
        Ok(Self {
            scheme: scheme.name(),
            blocks: model.describe().blocks,
            stepper,
            control,
            watch: Watch::new(model, &initial),
            previous: initial,
            next_step: first_step.min(longest_step),
            last_error: 1.0,
            accepted: 0,
            rejected: 0,
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

    /// Takes one step that keeps the tolerance and does not pass `until`, s.
    ///
    /// # Errors
    /// The failure of the last try when no step is short enough; the state stays where it was.
    pub fn step(&mut self, until: f64) -> Result<StepStats, StepError> {
        let stats = self.accepted_step(until).map_err(|error| self.watch.explain(error))?;
        if let Err(error) = self.watch.pass(self.stepper.state()) {
            self.stepper.retreat();
            return Err(error);
        }
        Ok(stats)
    }

    fn accepted_step(&mut self, until: f64) -> Result<StepStats, StepError> {
        let mut total = StepStats::default();
        self.previous.copy_from(self.stepper.state());
        loop {
            let (t, rest) = (self.previous.t, until - self.previous.t);
            // A remainder that is barely longer than the step is better halved than left over.
            let dt = match self.next_step {
                step if step >= rest => rest,
                step if 2.0 * step > rest => 0.5 * rest,
                step => step,
            };
            if dt <= SHORTEST * (1.0 + t.abs()) {
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
                    self.rejected += 1;
                    self.next_step = RETRY * dt;
                    if self.next_step <= SHORTEST * (1.0 + t.abs()) {
                        return Err(error);
                    }
                    continue;
                }
                Err(error) => return Err(error),
            }
            let Some((error, order)) = self.error() else { return Ok(total) };
            let exponent = 1.0 / f64::from(order + 1);
            if error <= 1.0 {
                let size = error.max(LEAST_ERROR);
                let ratio = SAFETY * size.powf(-PROPORTIONAL * exponent) * self.last_error.powf(INTEGRAL * exponent);
                // A last step cut short says nothing against the length that was meant.
                let reached = if dt < self.next_step {
                    self.next_step.max(dt * ratio.min(GROW))
                } else {
                    dt * ratio.clamp(SHRINK, GROW)
                };
                self.next_step = reached.min(self.control.longest_step);
                self.last_error = size;
                self.accepted += 1;
                return Ok(total);
            }
            self.rejected += 1;
            // An error that is not finite shrinks the step as much as the largest does.
            let ratio = if error.is_finite() { SAFETY * error.powf(-exponent) } else { SHRINK };
            self.next_step = dt * ratio.clamp(SHRINK, SAFETY);
            self.stepper.retreat();
        }
    }

    /// The error of the last step, in units of the tolerance, and the order of the embedded scheme.
    fn error(&self) -> Option<(f64, u32)> {
        let estimate = self.stepper.error_estimate()?;
        let (old, new) = (&self.previous, self.stepper.state());
        let Control { relative, absolute, .. } = self.control;
        let part = |error: f64, size: f64| (error / (absolute + relative * size)).powi(2);
        let mut sum = 0.0;
        for (block, q, v) in ranges(self.blocks) {
            for (i, column) in v.enumerate() {
                // Rotations are errors by themselves; everything else is as large as its coordinate.
                let is_turn = block.turn().is_some_and(|(first, _)| i >= first);
                let size = if is_turn { 1.0 } else { old.q[q.start + i].abs().max(new.q[q.start + i].abs()) };
                sum += part(estimate.x[column], size);
                sum += part(estimate.v[column], old.v[column].abs().max(new.v[column].abs()));
            }
        }
        Some(((sum / (2 * old.v.len()).max(1) as f64).sqrt(), estimate.order))
    }

    /// The state at a time within the last step: coordinates and velocities by cubic Hermite polynomials through the
    /// values and rates at its ends, accelerations and multipliers by lines.
    pub fn interpolate(&self, t: f64) -> State {
        let (old, new, nv) = (&self.previous, self.stepper.state(), self.previous.v.len());
        let h = new.t - old.t;
        if h == 0.0 {
            return new.clone();
        }
        let s = (t - old.t) / h;
        let mut state = old.clone();
        state.t = t;
        // Values and rates at both ends, in coordinates relative to the old configuration.
        let [mut x, mut old_rate, mut new_rate] = [(); 3].map(|()| DVector::zeros(nv));
        let zero = DVector::zeros(nv);
        chart::locate(self.blocks, old.q.as_slice(), new.q.as_slice(), x.as_mut_slice());
        chart::rate(self.blocks, old.q.as_slice(), zero.as_slice(), old.v.as_slice(), old_rate.as_mut_slice());
        chart::rate(self.blocks, new.q.as_slice(), x.as_slice(), new.v.as_slice(), new_rate.as_mut_slice());
        let between = hermite(s, h, [&zero, &x], [&old_rate, &new_rate]);
        chart::place(self.blocks, old.q.as_slice(), between.as_slice(), state.q.as_mut_slice());
        state.v = hermite(s, h, [&old.v, &new.v], [&old.a, &new.a]);
        state.a.axpy(s, &new.a, 1.0 - s);
        state.lambda.axpy(s, &new.lambda, 1.0 - s);
        state
    }

    /// The times within the last step at which a function changes its sign so, s, in order.
    ///
    /// The function is followed along the interpolated motion, in at least six points and in as many more as it takes
    /// to foresee it; two changes of sign that lie closer together than these points, and are seen in none of them, are
    /// missed. With functions of accelerations and multipliers, which are interpolated by lines, times are less exact.
    pub fn locate(&self, function: &dyn Fn(&State) -> f64, direction: Direction) -> Vec<f64> {
        let (old, new) = (&self.previous, self.stepper.state());
        let time = |part: f64| if part < 1.0 { old.t + part * (new.t - old.t) } else { new.t };
        let along = |part: f64| match part {
            0.0 => function(old),
            1.0 => function(new),
            _ => function(&self.interpolate(time(part))),
        };
        sign_changes(&along, &|before, after| direction.counts(before, after)).into_iter().map(time).collect()
    }

    /// Replaces the last step by one that ends at a time within it, s.
    ///
    /// # Errors
    /// When the shorter step has no solution.
    fn shorten(&mut self, t: f64) -> Result<StepStats, StepError> {
        self.stepper.retreat();
        let dt = t - self.previous.t;
        if dt <= 0.0 { Ok(StepStats::default()) } else { self.stepper.step(dt) }
    }
}

/// The cubic with these values and rates at the ends of a step h, at its part s.
fn hermite(s: f64, h: f64, values: [&DVector<f64>; 2], rates: [&DVector<f64>; 2]) -> DVector<f64> {
    let r = 1.0 - s;
    let mut result = values[0] * (r * r * (1.0 + 2.0 * s));
    result.axpy(s * s * (3.0 - 2.0 * s), values[1], 1.0);
    result.axpy(h * s * r * r, rates[0], 1.0);
    result.axpy(-h * s * s * r, rates[1], 1.0);
    result
}

/// Integrates from `initial` to the time `until`, s, by steps that keep a tolerance, and records every step.
///
/// Events are looked for along every step as by [`AdaptiveStepper::locate`], which says what may be missed. Terminal
/// events end the run where they happen. A failure ends it and keeps what was computed before it, as does a panic in a
/// function of the user that the model or an event calls.
pub fn simulate_adaptive(
    model: &dyn Model,
    scheme: &dyn Scheme,
    options: &Options,
    initial: State,
    until: f64,
    control: Control,
    events: &[Event],
) -> AdaptiveRun {
    let mut occurrences = Vec::new();
    let (mut accepted, mut rejected) = (0, 0);
    let run = recorded(model, scheme, options, &initial, |trajectory, recorder| {
        let mut stepper = AdaptiveStepper::new(model, scheme, options, initial.clone(), control)?;
        let mut total = StepStats::default();
        while stepper.state().t < until {
            let result = stepper.step(until);
            (accepted, rejected) = (stepper.accepted, stepper.rejected);
            total += result?;
            let times = |(index, event): (usize, &Event)| {
                stepper.locate(event.function, event.direction).into_iter().map(move |t| (index, t))
            };
            let mut met: Vec<(usize, f64)> = events.iter().enumerate().flat_map(times).collect();
            met.sort_by(|a, b| a.1.total_cmp(&b.1));
            for (event, t) in met {
                if events[event].is_terminal {
                    total += stepper.shorten(t)?;
                    occurrences.push(Occurrence { event, state: stepper.state().clone() });
                    recorder.step(trajectory, &*stepper.stepper, true)?;
                    return Ok(total);
                }
                occurrences.push(Occurrence { event, state: stepper.interpolate(t) });
            }
            recorder.step(trajectory, &*stepper.stepper, true)?;
        }
        Ok(total)
    });
    AdaptiveRun { run, occurrences, accepted, rejected }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zero is passed where it is reached; who starts there has not come from either side.
    #[test]
    fn signs_change_where_zero_is_reached() {
        let cases = [
            ((-1.0, 1.0), [true, false, true]),
            ((-1.0, 0.0), [true, false, true]),
            ((1.0, -1.0), [false, true, true]),
            ((1.0, 0.0), [false, true, true]),
            ((0.0, 1.0), [false; 3]),
            ((0.0, -1.0), [false; 3]),
            ((0.0, 0.0), [false; 3]),
            ((-1.0, -2.0), [false; 3]),
            ((2.0, 1.0), [false; 3]),
            // Of which the product is no number that differs from zero.
            ((-1e-200, 1e-200), [true, false, true]),
        ];
        for ((before, after), expected) in cases {
            let found = [Direction::Rising, Direction::Falling, Direction::Both]
                .map(|direction| direction.counts(before, after));
            assert_eq!(found, expected, "{before} to {after}");
        }
    }
}
