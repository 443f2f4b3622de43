//! Model exchange: states, their derivatives, events.

use hamel::Model;
use hamel::configuration::normalize_rotations;

use super::start::NEAR;
use super::{Fault, Instance, Mode, fault};
use crate::settings::Kind;

/// A state leaves the constraints by so many tolerances before it is projected.
const DRIFT: f64 = 10.0;

impl Instance {
    /// Begins to handle an event.
    ///
    /// # Errors
    /// Outside of continuous time.
    pub fn enter_event_mode(&mut self) -> Result<(), Fault> {
        self.check("entering event mode", &[Mode::ContinuousTime])?;
        self.mode = Mode::Event;
        Ok(())
    }

    /// Ends the handling of an event.
    ///
    /// # Errors
    /// Outside of event mode.
    pub fn enter_continuous_time_mode(&mut self) -> Result<(), Fault> {
        self.check("entering continuous-time mode", &[Mode::Event])?;
        self.accelerate()?;
        self.mode = Mode::ContinuousTime;
        Ok(())
    }

    /// Whether contacts close and open at events, which the importer finds.
    pub(super) fn has_events(&self) -> bool {
        self.kind == Kind::ModelExchange && !self.unit.model.describe().contacts.is_empty()
    }

    /// Applies impacts, and finds what contacts do from here on.
    pub(super) fn begin_phase(&mut self) -> Result<(), Fault> {
        normalize_rotations(&self.unit.model.describe().blocks, self.state.q.as_mut_slice());
        self.machine.begin_phase(&mut self.state, self.tolerance)?;
        self.forget();
        Ok(())
    }

    /// What becomes negative where a contact closes, is released, begins to slide, or comes to rest.
    ///
    /// # Errors
    /// Another number of indicators; a state that has no accelerations.
    pub fn event_indicators(&mut self, indicators: &mut [f64]) -> Result<(), Fault> {
        let expected = self.unit.variables.indicators().len();
        if indicators.len() != expected {
            return fault(format!("{} event indicators, expected {expected}", indicators.len()));
        }
        self.accelerate()?;
        // The record of forces is that of the last accelerations.
        self.normalize();
        if let Some(phases) = self.machine.phases() {
            phases.indicators(&self.evaluated, indicators);
        }
        Ok(())
    }

    /// Moves the state onto the constraints, and begins a phase of contacts; whether it has changed.
    ///
    /// # Errors
    /// Outside of event mode; a state that is too far off.
    pub fn update_discrete_states(&mut self) -> Result<bool, Fault> {
        self.check("updating discrete states", &[Mode::Event])?;
        self.apply_parameters()?;
        let before = (self.state.q.clone(), self.state.v.clone());
        let drift = self.drift()?;
        if drift.is_nan() || drift > NEAR {
            return fault(format!(
                "the state does not obey the constraints of these parameters, by {drift:.1e} of the lengths of the model"
            ));
        }
        if drift > self.tolerance {
            self.machine.project(&mut self.state)?;
            self.forget();
        }
        if self.has_events() {
            self.begin_phase()?;
        }
        Ok(before.0 != self.state.q || before.1 != self.state.v)
    }

    /// The next time at which formulas of the model change, s, so that no integrator steps over it.
    pub fn next_event(&self) -> Option<f64> {
        hamel::next_switching_time(&self.unit.model, self.state.t)
    }

    /// Sets the time, s.
    ///
    /// # Errors
    /// Outside of continuous time; a time that is not finite.
    pub fn set_time(&mut self, t: f64) -> Result<(), Fault> {
        self.check("setting the time", &[Mode::ContinuousTime, Mode::Event])?;
        if !t.is_finite() {
            return fault(format!("the time is {t}, expected a finite number"));
        }
        if t != self.state.t {
            self.state.t = t;
            self.forget();
        }
        Ok(())
    }

    /// Sets coordinates and velocities.
    ///
    /// # Errors
    /// Outside of continuous time; another number of states, or values that are not finite.
    pub fn set_continuous_states(&mut self, states: &[f64]) -> Result<(), Fault> {
        self.check("setting continuous states", &[Mode::ContinuousTime])?;
        self.check_states(states.len())?;
        let names = || self.unit.variables.states();
        if let Some((i, value)) = names().zip(states).find(|(_, value)| !value.is_finite()) {
            return fault(format!("`{}` is {value}, expected a finite number", self.unit.variables.all[i].name));
        }
        let (q, v) = states.split_at(self.state.q.len());
        self.state.q.as_mut_slice().copy_from_slice(q);
        self.state.v.as_mut_slice().copy_from_slice(v);
        self.forget();
        Ok(())
    }

    fn check_states(&self, found: usize) -> Result<(), Fault> {
        match self.unit.variables.states {
            expected if expected == found => Ok(()),
            expected => fault(format!("{found} continuous states, expected {expected}")),
        }
    }

    /// Coordinates and velocities.
    ///
    /// # Errors
    /// Another number of states; parameters from which no motion can start.
    pub fn continuous_states(&mut self, states: &mut [f64]) -> Result<(), Fault> {
        self.check_states(states.len())?;
        self.start()?;
        let (q, v) = states.split_at_mut(self.state.q.len());
        q.copy_from_slice(self.state.q.as_slice());
        v.copy_from_slice(self.state.v.as_slice());
        Ok(())
    }

    /// Sizes that states usually have: one.
    ///
    /// # Errors
    /// Another number of states.
    pub fn nominals(&self, nominals: &mut [f64]) -> Result<(), Fault> {
        self.check_states(nominals.len())?;
        nominals.fill(1.0);
        Ok(())
    }

    /// Their derivatives: q̇ = N v with rotations of unit norm, and accelerations.
    ///
    /// # Errors
    /// Another number of states; a state that has no accelerations.
    pub fn derivatives(&mut self, derivatives: &mut [f64]) -> Result<(), Fault> {
        self.check_states(derivatives.len())?;
        self.accelerate()?;
        let (q, v) = derivatives.split_at_mut(self.state.q.len());
        q.copy_from_slice(&self.rates());
        v.copy_from_slice(self.state.a.as_slice());
        Ok(())
    }

    /// Whether an event is needed: the state has left the constraints, or has gone past an event that the importer has not
    /// found.
    ///
    /// # Errors
    /// Outside of continuous time.
    pub fn completed_integrator_step(&mut self) -> Result<bool, Fault> {
        self.check("completing a step", &[Mode::ContinuousTime])?;
        if self.drift()? > DRIFT * self.tolerance {
            return Ok(true);
        }
        let mut indicators = vec![0.0; self.unit.variables.indicators().len()];
        if self.has_events() {
            self.event_indicators(&mut indicators)?;
        }
        Ok(indicators.iter().any(|&indicator| indicator < 0.0))
    }

    /// How far the state is off the constraints, relative to the lengths and velocities of the model.
    fn drift(&mut self) -> Result<f64, Fault> {
        let mut unit = self.state.q.clone();
        normalize_rotations(&self.unit.model.describe().blocks, unit.as_mut_slice());
        let mut norms = (&unit - &self.state.q).amax();
        if let Some(phases) = self.machine.phases() {
            norms = norms.max(phases.drift(&self.state));
        }
        if self.state.lambda.is_empty() {
            return Ok(norms);
        }
        self.record()?;
        let last = |name: &str| self.table.place(name).map_or(0.0, |place| self.row[place]);
        let speed = 1.0 + self.state.v.amax();
        Ok(norms.max(last("position_residual")).max(last("velocity_residual") / speed))
    }
}
