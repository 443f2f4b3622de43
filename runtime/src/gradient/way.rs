//! A motion on its way: its steps, the instants at which contacts close or stop to slide, and those at which forces jump or
//! formulas give way to others.

use nalgebra::DVector;

use super::course::Course;
use super::slides::{NoTurn, Slides};
use super::{Differentiated, GradientError, Impacts};
use crate::acceleration::Acceleration;
use crate::borders::{Borders, Crossing};
use crate::consistent::consistent_acceleration;
use crate::model::State;
use crate::nonsmooth::{ClosingTime, LEAST_PART, StoppingTime};
use crate::prelude::*;
use crate::scheme::{Impact, Stepper};
use crate::step::StepError;
use crate::switches::{JumpingRates, Times, aside};
use crate::tangent::{Operations, StepMap, Turn};

/// A motion on its way.
pub(super) struct Way<'a> {
    of: &'a Differentiated<'a>,
    pub(super) stepper: Box<dyn Stepper + 'a>,
    course: Course<'a>,
    /// Whether steps end where contacts close, and where they stop to slide.
    is_followed: bool,
    /// The impact at the end of the last step, if it is followed, or the jump of forces there.
    ended: Option<Ended<'a>>,
    /// Times at which forces jump by themselves.
    jumps: Times,
    /// Whether the last step ended barely before the instant at which forces jump, and the motion goes on barely behind it.
    has_jumped: bool,
    /// Borders between formulas at which steps end, if the motion crosses them.
    borders: Option<Borders<'a>>,
    /// Length of the last step that was not the rest of one, s.
    whole: f64,
    /// When the motion came to a border first that it is foretold to cross, and does not, s.
    pub(super) stays: Option<f64>,
    /// The fastest approaches of the contacts before the last impact.
    fastest: Vec<f64>,
    slides: Slides<'a>,
    /// Contacts that stop to slide at the end of the last step, if steps end there.
    turns: Vec<Turn>,
    /// Contacts that stopped to slide just before it.
    stopped: Vec<Turn>,
    /// Number of the last instant.
    pub(super) instants: usize,
}

/// An impact or a jump of forces at its instant.
#[derive(Default)]
struct Ended<'a> {
    /// The state before it, if its instant changes.
    before: Option<State>,
    /// The stepper that led to it, where another one starts behind it.
    stepper: Option<Box<dyn Stepper + 'a>>,
    /// What velocities have changed by, where rates of constraints jump.
    change: Option<DVector<f64>>,
    /// The border that was crossed.
    crossing: Option<Crossing>,
}

/// What a step did to changes.
#[derive(Default)]
pub(super) struct Done {
    pub(super) step: Operations,
    /// What the new start behind an impact or a jump of forces does.
    pub(super) renewed: Vec<Operations>,
}

/// A step that was made: what it did, where it led, the number of this instant, and its length, s.
pub(super) struct Made<'s> {
    pub(super) done: &'s Done,
    pub(super) state: &'s State,
    /// Before the impact or the jump that it ended with, if the instant of that changes.
    pub(super) before: Option<&'s State>,
    pub(super) number: usize,
    pub(super) dt: f64,
}

impl<'a> Way<'a> {
    pub(super) fn new(
        of: &'a Differentiated<'a>,
        stepper: Box<dyn Stepper + 'a>,
        course: Course<'a>,
        is_followed: bool,
    ) -> Self {
        let slides = Slides::new(of.model, of.options.contacts.settings.at_rest);
        let jumps = Times::of_jumps(of.model);
        let borders = if of.impacts == Impacts::Followed { Borders::new(of.model) } else { None };
        // A step behind a jump at the start ends where it would end without.
        let has_jumped = stepper.state().t > course.end();
        Self {
            of,
            stepper,
            course,
            is_followed,
            ended: None,
            jumps,
            has_jumped,
            borders,
            whole: 0.0,
            stays: None,
            fastest: Vec::new(),
            slides,
            turns: Vec::new(),
            stopped: Vec::new(),
            instants: 0,
        }
    }

    /// Number of impacts so far.
    fn impacts(&self) -> u64 {
        self.stepper.contacts().map_or(0, |record| record.impacts)
    }

    pub(super) fn state(&self) -> &State {
        self.stepper.state()
    }

    /// The state before the impact or the jump that the last step ended with, if the instant of that changes.
    pub(super) fn before_impact(&self) -> Option<&State> {
        self.ended.as_ref().and_then(|ended| ended.before.as_ref())
    }

    /// Whether the last step ended where the motion crosses a border between formulas.
    pub(super) fn has_crossed(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.crossing.is_some())
    }

    /// Makes a step; its length, or nothing at the end.
    pub(super) fn advance(&mut self) -> Result<Option<f64>, GradientError> {
        self.ended = None;
        self.turns.clear();
        self.stopped = self.slides.passed().to_vec();
        let is_rest = self.course.is_divided();
        let Some(dt) = self.course.next() else { return Ok(None) };
        if !is_rest {
            self.whole = dt;
        }
        if (self.of.is_cancelled)() {
            return Err(StepError::Cancelled { t: self.state().t, scheme: self.of.scheme.label() }.into());
        }
        self.instants += 1;
        if !self.is_followed {
            return self.step_to_jump(dt, is_rest).map(Some);
        }
        // A step behind a border ends where it would end without.
        let dt = if core::mem::take(&mut self.has_jumped) { self.course.end() - self.state().t } else { dt };
        let mut beginning = self.fork_stepper(&*self.stepper)?;
        let mut struck = self.step_to_impact(&*beginning, dt)?;
        if struck.as_ref().is_some_and(|(_, length)| *length <= LEAST_PART * dt) {
            // A contact that does not separate notably stays closed.
            beginning.leave_contacts(false, &[]);
            self.stepper = self.fork_stepper(&*beginning)?;
            struck = self.step_to_impact(&*beginning, dt)?;
            if struck.as_ref().is_some_and(|(_, length)| *length <= LEAST_PART * dt) {
                return Err(GradientError::Impacts { t: beginning.state().t });
            }
        }
        let mut length = struck.as_ref().map_or(dt, |(_, length)| *length);
        if let Some(shorter) = self.end_where_sliding_does(&*beginning, length)? {
            (length, struck) = (shorter, None);
        }
        // Accelerations with the forces of closed contacts are not known here.
        if !self.is_pressed()
            && let Some((shorter, crossing)) = self.end_at_border(&*beginning, length, Ok(()))?
        {
            (length, struck) = (shorter, None);
            self.turns.clear();
            if let Some(crossing) = crossing {
                self.go_on_behind(crossing, dt - length)?;
            }
        }
        if let Some((impact, _)) = struck {
            self.end(impact)?;
            self.instants += 1;
        }
        if length < dt {
            self.course.divide(dt - length);
        } else if is_rest {
            self.end_rest()?;
        }
        self.slides.settle(self.stepper.state());
        self.turns.iter().for_each(|&turn| self.slides.pass(turn));
        Ok(Some(length))
    }

    /// Makes a step of this length, or one up to where the motion crosses a border; its length. One that ends where forces
    /// jump has them as they are before; behind, accelerations are those of a new start.
    fn step_to_jump(&mut self, dt: f64, is_rest: bool) -> Result<f64, GradientError> {
        let (t, end) = (self.state().t, self.course.end());
        let last = self.jumps.at_end(end, dt);
        // A step behind a jump ends where it would end without.
        let length = if core::mem::take(&mut self.has_jumped) { end - t } else { dt };
        let length = last.map_or(length, |[before, _]| before - t);
        let beginning = match &self.borders {
            Some(_) if self.stepper.contacts().is_none() => Some(self.fork_stepper(&*self.stepper)?),
            _ => None,
        };
        let made = self.stepper.step(length).map(|_| ());
        let crossed = match beginning {
            Some(beginning) => self.end_at_border(&*beginning, length, made)?,
            None => made.map(|()| None)?,
        };
        if let Some((shorter, crossing)) = crossed {
            self.course.divide(length - shorter);
            if let Some(crossing) = crossing {
                self.go_on_behind(crossing, length - shorter)?;
            }
            return Ok(shorter);
        }
        match last {
            Some([_, jump]) => self.pass_jump(jump)?,
            None if is_rest => self.end_rest()?,
            None => {}
        }
        Ok(dt)
    }

    /// Behind a time at which forces jump, s, which the last step has led to.
    fn pass_jump(&mut self, jump: f64) -> Result<(), GradientError> {
        let end = self.course.end();
        let is_at_end = self.course.is_at_end();
        let behind = if is_at_end { end } else { jump + aside(jump) };
        self.has_jumped = true;
        if is_at_end {
            self.stepper.correctable().into_iter().for_each(|state| state.t = behind);
            return Ok(());
        }
        let mut state = self.state().clone();
        let mut system = Acceleration::new(self.of.model, self.of.scheme.label());
        system.leave_out(self.stepper.left_out());
        let has_contacts = self.stepper.contacts().is_some();
        let change = JumpingRates::new(self.of.model).pass(&mut system, &mut state, behind, has_contacts)?;
        if has_contacts {
            self.stepper.correctable().into_iter().for_each(|state| state.t = behind);
            return Ok(());
        }
        let before = self.state().clone();
        let switched = match (&mut self.borders, &change) {
            (Some(borders), None) => borders.switched(&before, behind)?,
            _ => None,
        };
        let stepper = Some(self.begin_anew(state)?);
        let crossing = switched.and_then(|switched| switched.towards(&self.state().a));
        self.instants += usize::from(crossing.is_some());
        let before = crossing.is_some().then_some(before);
        self.ended = Some(Ended { before, stepper, change, crossing });
        Ok(())
    }

    /// Whether forces of contacts act.
    fn is_pressed(&self) -> bool {
        self.stepper.contacts().is_some_and(|record| record.forces.iter().any(|force| *force != 0.0))
    }

    /// Another stepper goes on from this state; the one that led there.
    fn begin_anew(&mut self, mut state: State) -> Result<Box<dyn Stepper + 'a>, GradientError> {
        consistent_acceleration(self.of.model, &mut state)?;
        let next = self.of.scheme.go_on_with(self.of.model, state, &self.of.options)?;
        Ok(core::mem::replace(&mut self.stepper, next))
    }

    /// Behind the rest of a step that was divided. It may be so short that accelerations by which coordinates satisfy
    /// constraints at its end are rounding errors over the square of its length.
    fn end_rest(&mut self) -> Result<(), GradientError> {
        if self.state().lambda.is_empty() || self.is_pressed() || self.ended.is_some() || self.course.is_at_end() {
            return Ok(());
        }
        let stepper = Some(self.begin_anew(self.state().clone())?);
        self.stepper.leave_contacts(true, &self.fastest);
        self.ended = Some(Ended { stepper, ..Ended::default() });
        Ok(())
    }

    fn fork_stepper(&self, stepper: &(dyn Stepper + 'a)) -> Result<Box<dyn Stepper + 'a>, GradientError> {
        stepper.fork().ok_or_else(|| self.of.refused("its steps cannot be made again from copies"))
    }

    /// Makes a step of this length, or to the first impact in it, which is not passed yet, and its length.
    fn step_to_impact(
        &mut self,
        beginning: &(dyn Stepper + 'a),
        dt: f64,
    ) -> Result<Option<(Impact, f64)>, GradientError> {
        let impacts = self.impacts();
        self.stepper.step(dt)?;
        if self.impacts() == impacts {
            return Ok(None);
        }
        let Some(mut impact) = self.stepper.after_impact() else {
            return Err(GradientError::Impact { scheme: self.of.scheme.label(), t: self.state().t });
        };
        let gaps = |stepper: &dyn Stepper| stepper.contacts().map_or(Vec::new(), |record| record.gaps.clone());
        let least = |gaps: &[f64], closing: &[usize]| {
            closing.iter().map(|&contact| gaps[contact]).fold(f64::INFINITY, f64::min)
        };
        let mut closing = impact.closing.clone();
        let mut time = ClosingTime::new(dt, [beginning, &*self.stepper].map(|stepper| least(&gaps(stepper), &closing)));
        while let Some(tried) = time.next() {
            let mut stepper = self.fork_stepper(beginning)?;
            stepper.step(tried)?;
            let found = stepper.after_impact();
            closing = found.as_ref().map_or(closing, |found| found.closing.clone());
            time.narrow(tried, least(&gaps(&*stepper), &closing), found.is_some());
            if let Some(found) = found {
                (self.stepper, impact) = (stepper, found);
            }
        }
        Ok(Some((impact, time.length())))
    }

    /// Replaces the last step, of this length, by one up to the instant at which a contact stops to slide, if one does in it;
    /// its length.
    fn end_where_sliding_does(
        &mut self,
        beginning: &(dyn Stepper + 'a),
        dt: f64,
    ) -> Result<Option<f64>, GradientError> {
        let forces = |stepper: &dyn Stepper| stepper.contacts().map_or(Vec::new(), |record| record.forces.clone());
        let mut length = dt;
        loop {
            // What an impact at its end does to sliding is its own.
            let after = before_end(&*self.stepper);
            let Some(stopped) = self.slides.stopped(beginning.state(), &after, &forces(&*self.stepper)) else {
                return Ok((length < dt).then_some(length));
            };
            let (mut time, mut found) = (StoppingTime::new(length, stopped.slip, self.slides.rest(&after)), None);
            while let Some(tried) = time.next() {
                let mut stepper = self.fork_stepper(beginning)?;
                stepper.step(tried)?;
                if time.narrow(tried, self.slides.slip(&stopped, &before_end(&*stepper))) {
                    found = Some(stepper);
                }
            }
            if !time.is_found() {
                return Err(self.of.refused("sliding ends at an instant that is not found"));
            }
            let Some(stepper) = found.filter(|_| time.length() > LEAST_PART * dt) else {
                // It ended with the step before.
                self.slides.pass(stopped.at_beginning());
                continue;
            };
            (self.stepper, length) = (stepper, time.length());
            let states = [beginning.state(), self.stepper.state()];
            let turns = self.slides.turns(&stopped, states, &forces(&*self.stepper));
            self.turns = turns.map_err(|reason| self.not_followed(reason))?;
        }
    }

    fn not_followed(&self, reason: NoTurn) -> GradientError {
        match reason {
            NoTurn::TooFar => {
                self.of.refused("sliding turns round by more than a right angle in a step; take shorter ones")
            }
            NoTurn::Several(contacts) => {
                let info = self.of.model.describe();
                let contacts = contacts.map(|contact| format!("`{}`", info.contacts[contact].name)).join(" and ");
                GradientError::StopTogether { contacts, t: self.state().t }
            }
        }
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
            false => Some(self.begin_anew(self.state().clone())?),
        };
        self.stepper.leave_contacts(true, &impact.fastest);
        self.fastest = impact.fastest;
        self.ended = Some(Ended { before: Some(impact.before), stepper, ..Ended::default() });
        Ok(())
    }

    /// Writes what the last step did.
    pub(super) fn write(&mut self, done: &mut Done) -> Result<(), GradientError> {
        let mut map = StepMap::default();
        (map.operations, map.follows_impacts) = (core::mem::take(&mut done.step), self.is_followed);
        map.turns.clone_from(&self.turns);
        map.stopped.clone_from(&self.stopped);
        done.renewed.clear();
        let behind = self.ended.as_mut().and_then(|ended| ended.stepper.as_mut());
        let is_renewed = behind.is_some();
        let written = behind.unwrap_or(&mut self.stepper).linear_step(&mut map);
        written.map_err(|reason| self.of.refused(reason))?;
        if !map.turns.is_empty() {
            return Err(self.of.refused("sliding ends within a step, at an instant that its slopes do not follow"));
        }
        if let Some(Ended { before: Some(before), crossing: Some(crossing), .. }) = &self.ended {
            over_borders::write(&mut map, before, crossing);
        }
        if is_renewed {
            let change = self.ended.as_ref().and_then(|ended| ended.change.as_ref());
            done.renewed.extend(self.of.started(&*self.stepper, change)?);
        }
        done.step = map.operations;
        Ok(())
    }

    /// How many steps are ahead.
    pub(super) fn count(&self) -> Result<usize, GradientError> {
        if !self.is_followed && self.borders.is_none() {
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
        let (stepper, course, slides) = (self.fork_stepper(&*self.stepper)?, self.course.clone(), self.slides.clone());
        let (turns, stopped, jumps) = (self.turns.clone(), self.stopped.clone(), self.jumps.clone());
        let (fastest, borders) = (self.fastest.clone(), self.borders.clone());
        Ok(Self { borders, stepper, course, fastest, slides, turns, stopped, jumps, ended: None, ..*self })
    }
}

/// Where a step ended, before the impact at its end.
fn before_end(stepper: &dyn Stepper) -> State {
    stepper.after_impact().map_or_else(|| stepper.state().clone(), |impact| impact.before)
}

mod over_borders;
