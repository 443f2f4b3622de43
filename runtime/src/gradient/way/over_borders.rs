//! Steps that end where the motion crosses a border between formulas, at which accelerations jump.

use super::super::GradientError;
use super::{Ended, Way, before_end};
use crate::borders::{Borders, Crossing, Found};
use crate::model::State;
use crate::nonsmooth::{ClosingTime, LEAST_PART};
use crate::scheme::Stepper;
use crate::step::StepError;
use crate::tangent::{BeforeImpact, Closing, StepMap, Zero};

/// A step ends before a border by this part of what the switching function changes by in it: far enough for iterations of
/// implicit steps that swing about their solution not to cross it.
const SHORT: f64 = 1e-7;
/// A border that is reached so many times later than foretold.
const LATE: f64 = 1.1;
/// The shortest part of a whole step by which a motion comes closer to a border.
const SHORTEST: f64 = 1.0 / 64.0;

/// A step that was shortened: its length, s, and what it crosses at its end, with the state behind.
pub(super) type Shorter = (f64, Option<(Crossing, State)>);

impl<'a> Way<'a> {
    /// Replaces the last step, of this length, which may have failed, by one up to the instant at which the motion crosses a
    /// border between formulas, if it does in it and accelerations jump there: its length, what is crossed, and the state
    /// behind it; or by a shorter one, where stages of a longer one would be beyond.
    pub(super) fn end_at_border(
        &mut self,
        beginning: &(dyn Stepper + 'a),
        dt: f64,
        made: Result<(), StepError>,
    ) -> Result<Option<Shorter>, GradientError> {
        let Some(mut borders) = self.borders.take() else {
            made?;
            return Ok(None);
        };
        let found = self.border_within(&mut borders, beginning, dt, made);
        self.borders = Some(borders);
        found
    }

    fn border_within(
        &mut self,
        borders: &mut Borders<'a>,
        beginning: &(dyn Stepper + 'a),
        dt: f64,
        mut made: Result<(), StepError>,
    ) -> Result<Option<Shorter>, GradientError> {
        let mut sides = borders.sides(beginning.state());
        let (mut length, mut crossed) = (dt, None);
        loop {
            let switch = match &made {
                Ok(()) => borders.crossed(&sides, &before_end(&*self.stepper)),
                Err(_) => self.border_ahead(borders, &sides, beginning, dt)?,
            };
            let Some(switch) = switch else {
                made?;
                if let Some(shorter) = self.beyond_border(borders, &sides, beginning, length)? {
                    (length, made, crossed) = (shorter, Ok(()), None);
                    continue;
                }
                return Ok((length < dt || crossed.is_some()).then_some((length, crossed)));
            };
            let foretold = borders.foretold(&sides, beginning.state(), length);
            let side = core::mem::take(&mut sides[switch]);
            let extent = borders.extent(switch, beginning.state(), dt);
            // Steps that fail are too long.
            let mut left = |stepper: &dyn Stepper, made: bool| match made {
                true => side * borders.value(switch, &before_end(stepper)) - SHORT * extent,
                false => -extent,
            };
            let ends = [left(beginning, true), left(&*self.stepper, made.is_ok())];
            let (mut time, mut before) = (ClosingTime::new(length, ends), None);
            // Where formulas jump, what steps lead to may jump with their lengths.
            while let Some(tried) = time.next().filter(|_| time.width() > SHORT * dt) {
                let mut stepper = self.fork_stepper(beginning)?;
                let is_made = stepper.step(tried).is_ok();
                let left = left(&*stepper, is_made);
                time.narrow(tried, left, left <= 0.0);
                if left > -SHORT * extent {
                    before = Some((tried, stepper));
                }
            }
            let Some((shorter, stepper)) = before.filter(|(shorter, _)| *shorter > LEAST_PART * dt) else {
                borders.abandon(switch);
                continue;
            };
            // Where stages were beyond, ends may lie on the border much later than the motion does.
            if let Some(part) = foretold
                && shorter > LATE * part * length
                && let Some(half) = self.halfway(beginning, part * length)?
            {
                (length, made, crossed, sides[switch]) = (half, Ok(()), None, side);
                continue;
            }
            match borders.cross(switch, &before_end(&*stepper), dt)? {
                Found::Crossed(crossing, behind) => {
                    (self.stepper, length, crossed) = (stepper, shorter, Some((crossing, *behind)));
                    made = Ok(());
                }
                Found::NoJump(_) => {}
                Found::NoSlope => borders.abandon(switch),
            }
        }
    }

    /// If the last step, of this length, leads over a border and back, or would if its stages had not been beyond, it is
    /// replaced by a shorter one, which ends beyond the border, or halfway to it: its length.
    fn beyond_border(
        &mut self,
        borders: &mut Borders<'a>,
        sides: &[f64],
        beginning: &(dyn Stepper + 'a),
        length: f64,
    ) -> Result<Option<f64>, GradientError> {
        let ends = [beginning.state(), &before_end(&*self.stepper)];
        let passed = borders.passed(sides, ends, length);
        let foretold = borders.foretold(sides, ends[0], length);
        for part in [passed, foretold].into_iter().flatten().filter(|part| *part < 1.0) {
            let (mut stepper, shorter) = (self.fork_stepper(beginning)?, part * length);
            let is_made = shorter > LEAST_PART * length && stepper.step(shorter).is_ok();
            if is_made && borders.crossed(sides, &before_end(&*stepper)).is_some() {
                self.stepper = stepper;
                return Ok(Some(shorter));
            }
        }
        let Some(part) = foretold else { return Ok(None) };
        let half = self.halfway(beginning, part * length)?;
        // The motion does not come over it: it stays there.
        if half.is_none() && borders.give_up(sides, beginning.state(), part * length) {
            self.stays.get_or_insert(beginning.state().t);
        }
        Ok(half)
    }

    /// Replaces the last step by one halfway to where a border is foretold, after this time, s, or a shorter one that has a
    /// solution, if it is not too short: its length.
    fn halfway(&mut self, beginning: &(dyn Stepper + 'a), foretold: f64) -> Result<Option<f64>, GradientError> {
        let mut part = 0.5 * foretold;
        while part >= SHORTEST * self.whole {
            let mut stepper = self.fork_stepper(beginning)?;
            if stepper.step(part).is_ok() {
                self.stepper = stepper;
                return Ok(Some(part));
            }
            part *= 0.5;
        }
        Ok(None)
    }

    /// The border ahead in a step of this length that has failed: schemes may find no solution where formulas jump at its end.
    fn border_ahead(
        &self,
        borders: &mut Borders<'a>,
        sides: &[f64],
        beginning: &(dyn Stepper + 'a),
        dt: f64,
    ) -> Result<Option<usize>, GradientError> {
        let mut length = 0.5 * dt;
        while length > LEAST_PART * dt {
            let mut stepper = self.fork_stepper(beginning)?;
            if stepper.step(length).is_ok() {
                let state = before_end(&*stepper);
                return Ok(borders.crossed(sides, &state).or_else(|| borders.nearest(sides, &state)));
            }
            length *= 0.5;
        }
        Ok(None)
    }

    /// Goes on behind a border, from where the time `rest`, s, is left of a step.
    pub(super) fn go_on_behind(
        &mut self,
        (crossing, mut behind): (Crossing, State),
        rest: f64,
    ) -> Result<(), GradientError> {
        let before = Some(self.state().clone());
        if rest > 0.0 {
            // It may be crossed at the very end.
            behind.t = behind.t.min(self.state().t + 0.5 * rest);
        }
        let stepper = Some(self.begin_anew(behind)?);
        self.stepper.leave_contacts(true, &self.fastest);
        self.instants += 1;
        self.has_jumped = true;
        self.ended = Some(Ended { before, stepper, change: None, crossing: Some(crossing) });
        Ok(())
    }
}

/// What a border at the end of a step does to changes: it is crossed at another instant, before which velocities change by the
/// accelerations before, and behind which by those behind.
pub(super) fn write(map: &mut StepMap, before: &State, crossing: &Crossing) {
    let mut outputs = map.outputs();
    let [position, velocity, acceleration, multiplier, ..] = outputs[..] else { return };
    let (state, zero) = (before.clone(), Zero::Switch(crossing.switch));
    let time = map.close(Closing { state, position, velocity, zero, rate: crossing.rate });
    map.operations.impact = Some(BeforeImpact { point: [position, velocity, acceleration, multiplier], time });
    outputs[1] = map.shift(velocity, (1.0, &crossing.jump), time);
    map.end(outputs);
}
