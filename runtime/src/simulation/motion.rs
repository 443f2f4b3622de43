//! A simulation that goes on as far as it is asked to, again and again.

use crate::model::{Model, State};
use crate::prelude::*;
use crate::scheme::Scheme;
use crate::step::{ContactRecord, StepError, StepStats};
use crate::trajectory::Trajectory;

use super::controller::Jump;
use super::{Going, Run, Simulation};

/// A simulation that is continued from outside, interval by interval: for co-simulation, for loops in real time, and
/// wherever the end is not known in advance. [`Simulation::begin`] makes it.
///
/// Inputs may be set between two intervals, by [`Signal::held`](crate::Signal::held) and [`resume`](Self::resume).
pub struct Motion<'a> {
    model: &'a dyn Model,
    scheme: &'a dyn Scheme,
    going: Going<'a>,
    /// Made when inputs jump for the first time.
    jump: Option<Jump<'a>>,
    /// Most steps of an interval.
    max_steps: u64,
}

impl<'a> Simulation<'a> {
    /// Begins a simulation that is continued as long as it is wanted; its end ([`until`](Self::until)) and what is
    /// recorded ([`record_every`](Self::record_every)) are not used: the table has the end of the last interval.
    /// [`max_steps`](Self::max_steps) limits those of each interval.
    ///
    /// # Errors
    /// As [`run`](Self::run) fails at its start.
    ///
    /// # Examples
    /// A mass of 1 kg on a spring of 4 N/m is at rest at its origin; a force is set from outside every 0.1 s.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         input push N;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         force driven: [push, 0] on block;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::{Signal, Simulation, initial_state, schemes};
    ///
    /// let (signal, push) = Signal::held(0.0);
    /// let mut model = Oscillator::default();
    /// model.inputs.push = signal;
    /// let scheme = schemes::by_name("dormand_prince", &[])?;
    /// let mut motion = Simulation::new(&model, &*scheme).tolerance(1e-9).begin(initial_state(&model)?)?;
    /// for k in 0..10 {
    ///     push.set(if k < 5 { 4.0 } else { 0.0 });
    ///     motion.resume()?;
    ///     motion.advance(0.1 * f64::from(k + 1))?;
    /// }
    /// // 1 − cos 2t until 0.5 s, then a free motion.
    /// let expected = (2.0_f64 - 1.0).cos() - 2.0_f64.cos();
    /// assert!((motion.state().q[0] - expected).abs() < 1e-7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn begin(mut self, start: State) -> Result<Motion<'a>, StepError> {
        (self.until, self.record_every) = (Some(start.t), usize::MAX);
        let (model, scheme, max_steps) = (self.model, self.scheme, self.max_steps);
        let mut going = Going::begun(self, start);
        match going.outcome.take() {
            Some(Err(error)) => Err(error),
            _ => Ok(Motion { model, scheme, going, jump: None, max_steps }),
        }
    }
}

impl Motion<'_> {
    /// Goes on until a time, s, which is reached exactly; a time that is reached already changes nothing. The cost of the
    /// steps.
    ///
    /// With fixed steps the interval is divided into equal ones, none longer than that of [`Simulation::step`].
    ///
    /// # Errors
    /// As [`Simulation::run`]. The motion is then at the state that was reached, and may be continued from there.
    pub fn advance(&mut self, until: f64) -> Result<StepStats, StepError> {
        let before = self.going.total;
        let began = self.state().t;
        let bad = |scheme: &dyn Scheme, reason: String| StepError::BadParameter { scheme: scheme.label(), reason };
        if !until.is_finite() || until < began {
            return Err(bad(self.scheme, format!("cannot go on from t = {began} s until {until} s")));
        }
        self.going.simulation.until = Some(until);
        let driver = self.going.parts.as_mut().and_then(|parts| parts.driver.as_mut());
        if driver.is_some_and(|driver| !driver.extend(until)) {
            return Err(bad(self.scheme, format!("too many steps from t = {began} s until {until} s")));
        }
        self.going.simulation.max_steps = self.max_steps.saturating_add(self.going.accepted + self.going.rejected);
        self.going.take_steps();
        let total = self.going.outcome.take().unwrap_or(Ok(self.going.total))?;
        self.going.trajectory.keep_last();
        Ok(StepStats {
            newton_iterations: total.newton_iterations - before.newton_iterations,
            factorizations: total.factorizations - before.factorizations,
            at_rounding: total.at_rounding - before.at_rounding,
        })
    }

    /// Finds accelerations and multipliers anew after inputs have jumped at the current state; schemes discard what they
    /// remember of earlier steps.
    ///
    /// # Errors
    /// [`StepError::BadInput`] for a value that is not finite, and those of the equations of motion.
    pub fn resume(&mut self) -> Result<(), StepError> {
        let Self { model, scheme, going, jump, .. } = self;
        let Some(parts) = &mut going.parts else { return Ok(()) };
        let Some(driver) = &mut parts.driver else { return Ok(()) };
        jump.get_or_insert_with(|| Jump::new(*model, *scheme)).pass(driver)?;
        parts.recorder.jump(driver.state());
        Ok(())
    }

    /// The current state.
    pub fn state(&self) -> &State {
        self.going.driver().map_or_else(|| unreachable!("a motion has begun"), |driver| driver.reached())
    }

    /// Forces, impulses and losses of contacts so far; `None` if the scheme does not treat contacts.
    pub fn contacts(&self) -> Option<&ContactRecord> {
        self.going.driver()?.stepper().contacts()
    }

    /// A table with one row: the end of the last interval, or the start.
    pub fn table(&self) -> &Trajectory {
        &self.going.trajectory
    }

    /// Ends the motion: with what was recorded last, cautions and events.
    pub fn end(self) -> Run {
        self.going.ended()
    }
}
