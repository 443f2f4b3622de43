//! Motions at constant step size, observed on the way.

use hamel::model::{Model, State};
use hamel::scheme::{Scheme, StepError};

/// Observations of a motion at equal distances, and how it ended.
#[derive(Clone, Debug)]
pub struct Motion<T> {
    /// Observations; the first belongs to the initial state.
    pub samples: Vec<T>,
    /// The reason why it ended early.
    pub failure: Option<StepError>,
}

impl<T> Motion<T> {
    /// The observations of a motion that went through.
    ///
    /// # Errors
    /// When a step failed.
    pub fn complete(self) -> Result<Vec<T>, StepError> {
        match self.failure {
            None => Ok(self.samples),
            Some(failure) => Err(failure),
        }
    }
}

/// Step size and length of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Step size, s.
    pub dt: f64,
    /// Number of steps.
    pub steps: usize,
    /// Steps between two observations.
    pub every: usize,
}

impl Grid {
    /// Steps of `dt` up to `duration`, observed after each.
    pub fn new(dt: f64, duration: f64) -> Self {
        // The ratio is a whole number in exact arithmetic for every grid of the papers.
        Self { dt, steps: (duration / dt).round() as usize, every: 1 }
    }

    /// The same steps, observed `samples` times, or as often as divides evenly.
    pub fn sampled(self, samples: usize) -> Self {
        Self { every: (self.steps / samples.max(1)).max(1), ..self }
    }

    /// Time between two observations, s.
    pub fn interval(self) -> f64 {
        self.dt * self.every as f64
    }
}

/// Integrates from `initial` and observes at the instants of `grid`.
pub fn observe<T>(
    model: &dyn Model,
    scheme: &dyn Scheme,
    initial: State,
    grid: Grid,
    mut observe: impl FnMut(&State) -> T,
) -> Motion<T> {
    let mut samples = vec![observe(&initial)];
    let integrate = || -> Result<(), StepError> {
        let mut stepper = scheme.start(model, initial)?;
        for step in 1..=grid.steps {
            stepper.step(grid.dt)?;
            if step % grid.every == 0 {
                samples.push(observe(stepper.state()));
            }
        }
        Ok(())
    };
    let failure = integrate().err();
    Motion { samples, failure }
}

/// The outputs of a model whose name, up to an index in brackets, is `name`.
pub fn output<const N: usize>(model: &dyn Model, name: &str, state: &State) -> [f64; N] {
    let channels = model.describe().outputs;
    let mut values = vec![0.0; channels.len()];
    model.outputs(state, &mut values);
    let mut selected = channels
        .iter()
        .zip(values)
        .filter(|(channel, _)| channel.name.split('[').next() == Some(name))
        .map(|(_, value)| value);
    // A model without this output yields undefined numbers, which no claim accepts.
    std::array::from_fn(|_| selected.next().unwrap_or(f64::NAN))
}
