//! Motions at constant step size, observed on the way.

use hamel::model::{Model, State};
use hamel::scheme::{Options, Scheme, StepError, StepStats};
use hamel_report::recorded::quantity;

/// Observations of a motion at equal distances, and how it ended.
#[derive(Clone, Debug)]
pub struct Motion<T> {
    /// Observations; the first belongs to the initial state.
    pub samples: Vec<T>,
    /// The reason why it ended early.
    pub failure: Option<StepError>,
    /// Number of steps that were made.
    pub steps: usize,
    /// What these steps have cost.
    pub cost: StepStats,
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
    observe: impl FnMut(&State) -> T,
) -> Motion<T> {
    observe_with(model, scheme, &Options::default(), initial, grid, observe)
}

/// The same with other options than the default ones.
pub fn observe_with<T>(
    model: &dyn Model,
    scheme: &dyn Scheme,
    options: &Options,
    initial: State,
    grid: Grid,
    mut observe: impl FnMut(&State) -> T,
) -> Motion<T> {
    let mut samples = vec![observe(&initial)];
    let (mut steps, mut cost) = (0, StepStats::default());
    let integrate = || -> Result<(), StepError> {
        let mut stepper = scheme.start_with(model, initial, options)?;
        for step in 1..=grid.steps {
            cost += stepper.step(grid.dt)?;
            steps = step;
            if step % grid.every == 0 {
                samples.push(observe(stepper.state()));
            }
        }
        Ok(())
    };
    let failure = integrate().err();
    Motion { samples, failure, steps, cost }
}

/// The components of an output.
pub fn output<const N: usize>(model: &dyn Model, name: &str, state: &State) -> [f64; N] {
    let channels = &model.describe().outputs;
    let mut values = vec![0.0; channels.len()];
    model.outputs(state, &mut values);
    let mut components = channels.iter().zip(values).filter(|(channel, _)| quantity(&channel.name) == name);
    // A model without this output yields undefined numbers, which no claim accepts.
    std::array::from_fn(|_| components.next().map_or(f64::NAN, |(_, value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hamel::schemes::{self, NewmarkPredictorCorrector, RungeKutta};

    fn model(name: &str) -> (Box<dyn Model>, State) {
        let model = hamel_models::find(name).and_then(|entry| (entry.build)(&[]).ok()).unwrap();
        let initial = hamel::initial_state(&*model).unwrap();
        (model, initial)
    }

    #[test]
    fn observations_are_equally_far_apart() {
        let (pendulum, initial) = model("pendulum");
        let grid = Grid::new(1e-2, 1.0).sampled(20);
        let times = observe(&*pendulum, &RungeKutta, initial, grid, |state| state.t).complete().unwrap();
        assert_eq!(times.len(), 21);
        assert!(times.windows(2).all(|pair| (pair[1] - pair[0] - grid.interval()).abs() < 1e-12));
    }

    #[test]
    fn a_failure_keeps_what_was_observed() {
        let (top, initial) = model("heavy_top");
        let scheme = schemes::by_name("modified_hht", &[("alpha", 0.0)]).unwrap();
        let motion = observe(&*top, &*scheme, initial, Grid::new(1e-2, 10.0), |state| state.t);
        assert!(motion.failure.is_some() && !motion.samples.is_empty());
        assert!(motion.complete().is_err());
    }

    #[test]
    fn a_scheme_that_refuses_its_parameters_observes_only_the_start() {
        let (pendulum, initial) = model("pendulum");
        let refused = NewmarkPredictorCorrector { gamma: 2.0, ..Default::default() };
        let motion = observe(&*pendulum, &refused, initial, Grid::new(1e-2, 1.0), |_| ());
        assert_eq!(motion.samples.len(), 1);
        assert!(matches!(motion.failure, Some(StepError::BadParameter { .. })));
    }
}
