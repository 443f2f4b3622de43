//! Sampled controllers.

use crate::acceleration::Acceleration;
use crate::admissible::check_inputs;
use crate::consistent::consistent_acceleration;
use crate::digits::Digits;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::scheme::Scheme;
use crate::signal::Held;
use crate::step::StepError;

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

/// All controllers of a simulation, with the times of their calls.
pub(super) struct Controllers<'a> {
    model: &'a dyn Model,
    controllers: Vec<Controller<'a>>,
    start: f64,
    /// Number of calls of each.
    calls: Vec<u64>,
    jump: Option<Jump<'a>>,
}

/// Accelerations and multipliers after inputs have jumped.
pub(super) struct Jump<'a> {
    scheme: String,
    acceleration: Acceleration<'a>,
    state: State,
}

impl<'a> Jump<'a> {
    pub(super) fn new(model: &'a dyn Model, scheme: &dyn Scheme) -> Self {
        let scheme = scheme.label();
        Self { acceleration: Acceleration::new(model, scheme.clone()), state: State::zeros(model.dims()), scheme }
    }

    /// Finds them, and goes on from there.
    ///
    /// # Errors
    /// [`StepError::BadInput`] for a value that is not finite, and those of the equations of motion.
    pub(super) fn pass(&mut self, driver: &mut Driver) -> Result<(), StepError> {
        let Self { acceleration, state, .. } = self;
        let t = driver.state().t;
        check_inputs(acceleration.model, t)?;
        state.copy_from(driver.state());
        acceleration.leave_out(driver.stepper().left_out());
        acceleration.begin(t);
        acceleration.find(state)?;
        if driver.stepper_mut().resume(state) {
            return Ok(());
        }
        let model = acceleration.model.describe().name.clone();
        let reason = "it does not go on after inputs have jumped, as controllers make them: its stepper lacks `resume`";
        Err(StepError::Undefined { scheme: self.scheme.clone(), model, reason })
    }
}

impl<'a> Controllers<'a> {
    pub(super) fn new(model: &'a dyn Model, scheme: &dyn Scheme, controllers: Vec<Controller<'a>>, start: f64) -> Self {
        let jump = (!controllers.is_empty()).then(|| Jump::new(model, scheme));
        Self { model, calls: vec![0; controllers.len()], controllers, start, jump }
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

    /// The next time at which a controller is due, s; infinite without controllers.
    pub(super) fn next(&self) -> f64 {
        let times = self.controllers.iter().zip(&self.calls);
        times.map(|(controller, &calls)| self.start + calls as f64 * controller.period).fold(f64::INFINITY, f64::min)
    }

    /// Calls those that are due, and finds accelerations and multipliers anew; whether any was.
    ///
    /// # Errors
    /// [`StepError::BadInput`] for a value that is not finite, and those of the equations of motion.
    pub(super) fn sample(&mut self, driver: &mut Driver) -> Result<bool, StepError> {
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
            None => Ok(false),
        }
    }
}
