//! Steps that end where the motion crosses a border between formulas, at which accelerations jump.

use super::super::GradientError;
use super::super::borders::{Borders, Crossing, Found};
use super::{Ended, Way, before_end};
use crate::model::State;
use crate::nonsmooth::{ClosingTime, LEAST_PART};
use crate::scheme::Stepper;
use crate::step::StepError;
use crate::tangent::{BeforeImpact, Closing, StepMap, Zero};

/// A step ends before a border by this part of what the switching function changes by in it: far enough for iterations of
/// implicit steps that swing about their solution not to cross it.
const SHORT: f64 = 1e-7;

impl<'a> Way<'a> {
    /// Replaces the last step, of this length, which may have failed, by one up to the instant at which the motion crosses a
    /// border between formulas, if it does in it and accelerations jump there: its length, what is crossed, and the state
    /// behind it.
    pub(super) fn end_at_border(
        &mut self,
        beginning: &(dyn Stepper + 'a),
        dt: f64,
        made: Result<(), StepError>,
    ) -> Result<Option<(f64, (Crossing, State))>, GradientError> {
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
    ) -> Result<Option<(f64, (Crossing, State))>, GradientError> {
        let mut sides = borders.sides(beginning.state());
        let (mut length, mut crossed) = (dt, None);
        loop {
            let switch = match &made {
                Ok(()) => borders.crossed(&sides, &before_end(&*self.stepper)),
                Err(_) => self.border_ahead(borders, &sides, beginning, dt)?,
            };
            let Some(switch) = switch else {
                made?;
                return Ok(crossed.map(|crossed| (length, crossed)));
            };
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
            match borders.cross(switch, &before_end(&*stepper))? {
                Found::Crossed(crossing, behind) => {
                    (self.stepper, length, crossed) = (stepper, shorter, Some((crossing, *behind)));
                    made = Ok(());
                }
                Found::NoJump => {}
                Found::NoSlope => borders.abandon(switch),
            }
        }
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

    /// Goes on behind a border.
    pub(super) fn go_on_behind(&mut self, (crossing, behind): (Crossing, State)) -> Result<(), GradientError> {
        let before = Some(self.state().clone());
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
