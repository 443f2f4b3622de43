//! What makes forces jump: sampled controllers, and formulas that change with time.

use crate::acceleration::Acceleration;
use crate::admissible::check_inputs;
use crate::consistent::consistent_acceleration;
use crate::digits::Digits;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::scheme::Scheme;
use crate::signal::Held;
use crate::step::StepError;
use crate::switches::{Jumping, JumpingRates, Times, aside};

use super::driver::Driver;

/// A controller that sets inputs periodically.
pub(super) struct Controller<'a> {
    /// Time from one call to the next, s.
    pub(super) period: f64,
    /// The inputs that it sets.
    pub(super) inputs: Vec<&'a Held>,
    /// Reads the state and sets the inputs.
    pub(super) sample: Box<dyn FnMut(&State) + 'a>,
}

/// All controllers of a simulation, with the times of their calls, and the times at which forces jump by themselves.
pub(super) struct Controllers<'a> {
    model: &'a dyn Model,
    controllers: Vec<Controller<'a>>,
    start: f64,
    /// Number of calls of each.
    calls: Vec<u64>,
    /// Times of jumps, s, and up to when they are behind.
    switches: Times,
    passed: f64,
    jump: Option<Jump<'a>>,
}

/// Accelerations and multipliers after forces have jumped, and velocities after rates of constraints have.
pub(super) struct Jump<'a> {
    acceleration: Acceleration<'a>,
    rates: JumpingRates,
    state: State,
}

impl<'a> Jump<'a> {
    pub(super) fn new(model: &'a dyn Model, scheme: &dyn Scheme) -> Self {
        Self {
            acceleration: Acceleration::new(model, scheme.label()),
            rates: JumpingRates::new(model),
            state: State::zeros(model.dims()),
        }
    }

    /// Finds them, and goes on from there.
    ///
    /// # Errors
    /// [`StepError::BadInput`] for a value that is not finite, and those of the equations of motion.
    pub(super) fn pass(&mut self, driver: &mut Driver) -> Result<(), StepError> {
        self.find(driver, driver.state().t)?;
        if driver.stepper_mut().resume(&self.state) {
            return Ok(());
        }
        let acceleration = &self.acceleration;
        let model = acceleration.model.describe().name.clone();
        let reason = "it does not go on after inputs have jumped, as controllers make them: its stepper lacks `resume`";
        Err(StepError::Undefined { scheme: acceleration.scheme.clone(), model, reason })
    }

    /// The same at a time, s, barely after that of the state: schemes that do not resume go on as they do.
    fn pass_to(&mut self, driver: &mut Driver, t: f64) -> Result<(), StepError> {
        self.find(driver, t)?;
        let stepper = driver.stepper_mut();
        stepper.correctable().into_iter().for_each(|state| {
            state.t = t;
            state.v.copy_from(&self.state.v);
        });
        stepper.resume(&self.state);
        Ok(())
    }

    fn find(&mut self, driver: &Driver, t: f64) -> Result<(), StepError> {
        let Self { acceleration, rates, state, .. } = self;
        check_inputs(acceleration.model, t)?;
        state.copy_from(driver.state());
        acceleration.leave_out(driver.stepper().left_out());
        acceleration.begin(t);
        rates.pass(acceleration, state, t, driver.stepper().contacts().is_some())?;
        acceleration.find(state)
    }
}

impl<'a> Controllers<'a> {
    /// For a motion from a time, s.
    pub(super) fn new(model: &'a dyn Model, scheme: &dyn Scheme, controllers: Vec<Controller<'a>>, start: f64) -> Self {
        let switches = Times::of_jumps(model);
        let jump = (!controllers.is_empty() || !switches.is_empty()).then(|| Jump::new(model, scheme));
        Self {
            model,
            calls: vec![0; controllers.len()],
            controllers,
            start,
            switches,
            passed: start - aside(start),
            jump,
        }
    }

    /// Refuses controllers that make no sense, after [`begin`](Self::begin), so that the start can be recorded before.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] for a period that is not a positive time, and for inputs that nothing reads until the
    /// time `until`, s.
    pub(super) fn check(&self, scheme: &dyn Scheme, until: f64) -> Result<(), StepError> {
        let bad = |reason: String| StepError::BadParameter { scheme: scheme.label(), reason };
        let is_sound = |period: f64| period.is_finite() && period > 0.0;
        if let Some(controller) = self.controllers.iter().find(|controller| !is_sound(controller.period)) {
            return Err(bad(format!(
                "expected a positive period of a controller, not {} s",
                Digits(controller.period)
            )));
        }
        if self.controllers.is_empty() {
            return Ok(());
        }
        // The forces of the start have been found. A signal may be a function of time that reads the value later.
        let mut values = vec![0.0; self.model.describe().inputs.len()];
        for t in [0.5 * (self.start + until), until].into_iter().filter(|t| t.is_finite()) {
            self.model.input_values(t, &mut values);
        }
        for (index, controller) in self.controllers.iter().enumerate() {
            if let Some(input) = controller.inputs.iter().position(|input| !input.is_read()) {
                return Err(bad(format!(
                    "nothing reads value {input} that controller {index} sets (both are counted from 0); assign the signal \
                     that `Signal::held` returned beside it to an input of the model, `model.inputs.name = signal`"
                )));
            }
        }
        Ok(())
    }

    pub(super) fn periods(&self) -> impl Iterator<Item = f64> {
        self.controllers.iter().map(|controller| controller.period)
    }

    /// The first call, and the accelerations and multipliers of the first inputs.
    ///
    /// # Errors
    /// [`StepError::BadInput`] for a value that is not finite, and those of [`consistent_acceleration`].
    pub(super) fn begin(&mut self, start: &mut State) -> Result<(), StepError> {
        if self.controllers.is_empty() {
            return Ok(());
        }
        for (controller, calls) in self.controllers.iter_mut().zip(&mut self.calls) {
            (controller.sample)(start);
            *calls = 1;
        }
        // What the laws themselves have read does not count.
        self.controllers.iter().flat_map(|controller| &controller.inputs).for_each(|input| input.watch());
        check_inputs(self.model, start.t)?;
        consistent_acceleration(self.model, start)
    }

    /// The next time at which a controller is due, or barely before forces jump by themselves, s, on the way to the time
    /// `until`; infinite if there is none.
    pub(super) fn next(&self, until: f64) -> f64 {
        let times = self.controllers.iter().zip(&self.calls);
        let times = times.map(|(controller, &calls)| self.start + calls as f64 * controller.period);
        times.chain(self.switch(until).map(|t| t - aside(t))).fold(f64::INFINITY, f64::min)
    }

    /// The times at which forces jump by themselves, for steps of equal length: what ends there ends before the jump.
    pub(super) fn jumps(&self) -> &Times {
        &self.switches
    }

    /// The next time at which forces jump by themselves, s, on the way to the time `until`.
    fn switch(&self, until: f64) -> Option<f64> {
        self.switches.after(self.passed).filter(|&t| t + aside(t) < until)
    }

    /// Calls those that are due, and finds accelerations and multipliers anew where forces have jumped; whether they have.
    ///
    /// # Errors
    /// [`StepError::BadInput`] for a value that is not finite, and those of the equations of motion.
    pub(super) fn sample(&mut self, driver: &mut Driver) -> Result<bool, StepError> {
        self.passed = self.passed.max(driver.behind());
        let mut switched = None;
        while let Some(t) = self.switch(driver.until()).filter(|&t| driver.has_reached(t - aside(t))) {
            self.passed = t;
            // A start is no end of a step: unless the equations jump there, nothing is to be found anew.
            let is_start = t <= self.start + aside(t);
            if !is_start || Jumping::new(self.model).at(self.model, t, driver.state()) {
                switched = Some(t + aside(t));
            }
        }
        if let (Some(jump), Some(t)) = (&mut self.jump, switched) {
            jump.pass_to(driver, t)?;
        }
        let mut has_jumped = false;
        for (controller, calls) in self.controllers.iter_mut().zip(&mut self.calls) {
            if driver.has_reached(self.start + *calls as f64 * controller.period) {
                (controller.sample)(driver.state());
                *calls += 1;
                has_jumped = true;
            }
        }
        match self.jump.as_mut().filter(|_| has_jumped) {
            Some(jump) => jump.pass(driver).map(|()| true),
            None => Ok(switched.is_some()),
        }
    }
}
