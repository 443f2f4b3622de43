//! The start of an instance: what is set stays, and the rest follows.

use hamel::configuration::ranges;
use hamel::{Attitude, Block, Model, State, StepError, initial_state, state_with};

use super::{Fault, Instance, Mode, fault};
use crate::settings::Kind;

/// Values of a start that contradict the constraints by this part of their size are moved onto them.
pub(super) const NEAR: f64 = 0.01;

impl Instance {
    /// Sets the times of start and end, s, and the accuracy of the importer.
    ///
    /// # Errors
    /// Unless the instance is new or reset; a time or tolerance that is not finite, an end before the start.
    pub fn set_up(&mut self, start: f64, end: Option<f64>, tolerance: Option<f64>) -> Result<(), Fault> {
        self.check("setting the start time", &[Mode::Instantiated])?;
        if !start.is_finite() {
            return fault(format!("the start time is {start}, expected a finite number"));
        }
        if let Some(end) = end.filter(|end| end.is_nan() || *end < start) {
            return fault(format!("the stop time is {end}, expected one from the start time {start} on"));
        }
        if let Some(tolerance) = tolerance {
            if !(tolerance.is_finite() && tolerance > 0.0) {
                return fault(format!("the tolerance is {tolerance}, expected a positive number"));
            }
            self.tolerance = tolerance;
        }
        self.state.t = start;
        self.is_started = false;
        Ok(())
    }

    /// Begins the initialization.
    ///
    /// # Errors
    /// Unless the instance is new or reset.
    pub fn begin_initialization(&mut self) -> Result<(), Fault> {
        self.check("entering initialization mode", &[Mode::Instantiated])?;
        self.mode = Mode::Initialization;
        Ok(())
    }

    /// Ends it: the state is consistent from now on.
    ///
    /// # Errors
    /// Outside of the initialization; parameters, values or inputs from which no motion can start.
    pub fn exit_initialization(&mut self) -> Result<(), Fault> {
        self.check("leaving initialization mode", &[Mode::Initialization])?;
        self.accelerate()?;
        self.mode = if self.kind == Kind::ModelExchange { Mode::Event } else { Mode::Step };
        Ok(())
    }

    /// Finds the start, before and in the initialization.
    pub(super) fn start(&mut self) -> Result<(), Fault> {
        self.apply_parameters()?;
        if self.is_started || !matches!(self.mode, Mode::Instantiated | Mode::Initialization) {
            return Ok(());
        }
        let t = self.state.t;
        let mut state = initial_state(self.machine.model())?;
        let is_given = self.given.iter().any(|value| !value.is_nan());
        let is_moved = is_given || t != state.t;
        if is_moved {
            state.t = t;
            state = self.moved(state)?;
        }
        self.state = state;
        self.is_started = true;
        // Those of the model's own start are known.
        self.forget();
        self.is_accelerated = !is_moved;
        Ok(())
    }

    /// The start with the values that were set, from that of the model.
    fn moved(&mut self, start: State) -> Result<State, Fault> {
        let nq = start.q.len();
        let values = with_unit_norms(&self.unit.model.describe().blocks, &self.given);
        let given = || values.iter().copied().enumerate().filter(|(_, value)| !value.is_nan());
        let coordinates: Vec<(usize, f64)> = given().filter(|(i, _)| *i < nq).collect();
        let velocities: Vec<(usize, f64)> =
            given().filter(|(i, _)| *i >= nq).map(|(i, value)| (i - nq, value)).collect();
        let error = match state_with(self.machine.model(), &start, &coordinates, &velocities) {
            Ok(state) => return Ok(state),
            Err(error @ StepError::Inconsistent { .. }) => error,
            Err(error) => return Err(error.into()),
        };
        // Values of more coordinates than are free obey the constraints as well as their digits do.
        let mut near = start;
        coordinates.iter().for_each(|&(i, value)| near.q[i] = value);
        velocities.iter().for_each(|&(i, value)| near.v[i] = value);
        let is_near = self.machine.project(&mut near).is_ok()
            && coordinates.iter().all(|&(i, value)| (near.q[i] - value).abs() <= NEAR * (1.0 + value.abs()))
            && velocities.iter().all(|&(i, value)| (near.v[i] - value).abs() <= NEAR * (1.0 + value.abs()));
        if is_near { Ok(near) } else { Err(error.into()) }
    }
}

/// Values of coordinates, of which Euler parameters that have lost their unit norm with their digits get it back.
fn with_unit_norms(blocks: &[Block], given: &[f64]) -> Vec<f64> {
    let mut values = given.to_vec();
    for (block, q, _) in ranges(blocks) {
        let first = match (block, block.turn()) {
            (Block::EulerParameters, _) => q.start,
            (_, Some((offset, Attitude::EulerParameters))) => q.start + offset,
            _ => continue,
        };
        let parameters = &mut values[first..first + 4];
        let norm = parameters.iter().map(|e| e * e).sum::<f64>().sqrt();
        // Not where one of them is not given.
        if (norm - 1.0).abs() <= NEAR {
            parameters.iter_mut().for_each(|e| *e /= norm);
        }
    }
    values
}
