//! A motion on its way: its steps, and the instants of its impacts.

use super::course::Course;
use super::{Differentiated, GradientError};
use crate::consistent::consistent_acceleration;
use crate::model::State;
use crate::nonsmooth::ClosingTime;
use crate::prelude::*;
use crate::scheme::{Impact, Stepper};
use crate::tangent::{Operations, StepMap};

/// A motion on its way.
pub(super) struct Way<'a> {
    pub(super) of: &'a Differentiated<'a>,
    pub(super) stepper: Box<dyn Stepper + 'a>,
    pub(super) course: Course<'a>,
    /// Whether steps end where contacts close.
    pub(super) is_followed: bool,
    /// The impact at the end of the last step, if it is followed.
    pub(super) ended: Option<Ended<'a>>,
    /// Number of the last instant.
    pub(super) instants: usize,
}

/// An impact at its instant.
pub(super) struct Ended<'a> {
    before: State,
    /// The stepper that led to it, where another one starts behind it.
    stepper: Option<Box<dyn Stepper + 'a>>,
}

/// What a step did to changes.
#[derive(Default)]
pub(super) struct Done {
    pub(super) step: Operations,
    /// What the new start behind an impact does.
    pub(super) renewed: Vec<Operations>,
}

/// A step that was made: what it did, where it led, the number of this instant, and its length, s.
pub(super) struct Made<'s> {
    pub(super) done: &'s Done,
    pub(super) state: &'s State,
    /// Before the impact that it ended with, if that is followed.
    pub(super) before: Option<&'s State>,
    pub(super) number: usize,
    pub(super) dt: f64,
}

/// Steps to an impact that are shorter than this part of a step are none.
const LEAST_PART: f64 = 1e-9;

impl<'a> Way<'a> {
    /// Number of impacts so far.
    fn impacts(&self) -> u64 {
        self.stepper.contacts().map_or(0, |record| record.impacts)
    }

    pub(super) fn state(&self) -> &State {
        self.stepper.state()
    }

    /// The state before the impact that the last step ended with, if that is followed.
    pub(super) fn before_impact(&self) -> Option<&State> {
        self.ended.as_ref().map(|ended| &ended.before)
    }

    /// Makes a step; its length, or nothing at the end.
    pub(super) fn advance(&mut self) -> Result<Option<f64>, GradientError> {
        self.ended = None;
        let Some(dt) = self.course.next() else { return Ok(None) };
        self.instants += 1;
        let (beginning, impacts) = (self.copy()?, self.impacts());
        self.stepper.step(dt)?;
        let Some(mut beginning) = beginning else { return Ok(Some(dt)) };
        for is_first in [true, false] {
            if self.impacts() == impacts {
                return Ok(Some(dt));
            }
            let length = self.end_at_impact(&*beginning, dt)?;
            if length > LEAST_PART * dt {
                self.course.divide(dt - length);
                self.instants += 1;
                return Ok(Some(length));
            }
            // A contact that does not separate notably stays closed.
            beginning.leave_contacts(false);
            self.ended = None;
            self.stepper = beginning.fork().ok_or_else(|| self.of.refused("its steps cannot be made again"))?;
            if is_first {
                self.stepper.step(dt)?;
            }
        }
        Err(GradientError::Impacts { t: self.state().t })
    }

    /// A copy from which a step can be made again, where impacts are followed.
    fn copy(&self) -> Result<Option<Box<dyn Stepper + 'a>>, GradientError> {
        match self.is_followed {
            true => self.fork_stepper().map(Some),
            false => Ok(None),
        }
    }

    fn fork_stepper(&self) -> Result<Box<dyn Stepper + 'a>, GradientError> {
        self.stepper.fork().ok_or_else(|| self.of.refused("its steps cannot be made again from copies"))
    }

    /// Replaces the last step, which has passed an impact, by one up to its instant; its length.
    fn end_at_impact(&mut self, beginning: &(dyn Stepper + 'a), dt: f64) -> Result<f64, GradientError> {
        let scheme = || self.of.scheme.label();
        let Some(mut impact) = self.stepper.after_impact() else {
            return Err(GradientError::Impact { scheme: scheme(), t: self.state().t });
        };
        let gaps = |stepper: &dyn Stepper| stepper.contacts().map_or(Vec::new(), |record| record.gaps.clone());
        let least = |gaps: &[f64], closing: &[usize]| {
            closing.iter().map(|&contact| gaps[contact]).fold(f64::INFINITY, f64::min)
        };
        let mut closing = impact.closing.clone();
        let mut time = ClosingTime::new(dt, [beginning, &*self.stepper].map(|stepper| least(&gaps(stepper), &closing)));
        while let Some(tried) = time.next() {
            let mut stepper = beginning.fork().ok_or_else(|| self.of.refused("its steps cannot be made again"))?;
            stepper.step(tried)?;
            let found = stepper.after_impact();
            closing = found.as_ref().map_or(closing, |found| found.closing.clone());
            time.narrow(tried, least(&gaps(&*stepper), &closing), found.is_some());
            if let Some(found) = found {
                (self.stepper, impact) = (stepper, found);
            }
        }
        self.end(impact)?;
        Ok(time.length())
    }

    /// Goes on behind an impact: as from a start, unless contacts stay closed, whose forces a start would not know.
    fn end(&mut self, impact: Impact) -> Result<(), GradientError> {
        let info = self.of.model.describe();
        if impact.closing.len() > 1 {
            let names: Vec<String> = impact.closing.iter().map(|&k| format!("`{}`", info.contacts[k].name)).collect();
            return Err(GradientError::Simultaneous { contacts: names.join(", "), t: self.state().t });
        }
        let stepper = match impact.stays_closed {
            true => None,
            false => {
                let mut state = self.state().clone();
                consistent_acceleration(self.of.model, &mut state)?;
                let next = self.of.scheme.start_with(self.of.model, state, &self.of.options)?;
                Some(core::mem::replace(&mut self.stepper, next))
            }
        };
        self.stepper.leave_contacts(true);
        self.ended = Some(Ended { before: impact.before, stepper });
        Ok(())
    }

    /// Writes what the last step did.
    pub(super) fn write(&mut self, done: &mut Done) -> Result<(), GradientError> {
        let mut map = StepMap::default();
        (map.operations, map.follows_impacts) = (core::mem::take(&mut done.step), self.is_followed);
        done.renewed.clear();
        let behind = self.ended.as_mut().and_then(|ended| ended.stepper.as_mut());
        let is_renewed = behind.is_some();
        let written = behind.unwrap_or(&mut self.stepper).linear_step(&mut map);
        written.map_err(|reason| self.of.refused(reason))?;
        if is_renewed {
            done.renewed.extend(self.of.started(&*self.stepper)?);
        }
        done.step = map.operations;
        Ok(())
    }

    /// How many steps are ahead.
    pub(super) fn count(&self) -> Result<usize, GradientError> {
        if !self.is_followed {
            return Ok(self.course.count());
        }
        let (mut ahead, mut count) = (self.fork()?, 0);
        while ahead.advance()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// Another one that goes the same way from here.
    pub(super) fn fork(&self) -> Result<Self, GradientError> {
        Ok(Self { stepper: self.fork_stepper()?, course: self.course.clone(), ended: None, ..*self })
    }
}
