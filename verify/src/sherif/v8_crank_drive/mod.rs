//! The V8 crank drive [sherif, Sect. 9, Figs. 6-10]: 17 bodies in absolute coordinates, one degree of freedom.
//!
//! The paper prints counts, step sizes and damping parameters, but neither geometry nor masses nor the torque; those of
//! the model are ours. Shapes of curves and orders can be compared, values cannot.

mod convergence;
mod damping;
mod data;
mod long_run;
mod orders;
mod reference;
mod run_up;

use std::time::Instant;

use hamel::consistent;
use hamel::model::{Model, State};
use hamel::newton::NewtonMatrix;
use hamel::scheme::{Options, Scheme, StepError, StepStats};
use hamel_models::V8CrankDrive;
use hamel_models::v8_crank_drive::V8CrankDriveParameters;
use hamel_report::{Cost, Experiment};

use crate::motion::{self, Grid};

pub(super) const DATA: Experiment = Experiment {
    id: "sherif/v8_crank_drive/data",
    place: "Figs. 6, 7",
    title: "Equations and torque of the V8 crank drive",
    cost: Cost::Seconds,
    run: data::run,
};

pub(super) const FIG8: Experiment = Experiment {
    id: "sherif/v8_crank_drive/fig8",
    place: "Fig. 8",
    title: "The V8 crank drive is run up to speed",
    cost: Cost::Minutes,
    run: run_up::run,
};

pub(super) const FIG9: Experiment = Experiment {
    id: "sherif/v8_crank_drive/fig9",
    place: "Fig. 9",
    title: "Convergence of the HHT schemes on the V8 crank drive",
    cost: Cost::Minutes,
    run: convergence::run,
};

pub(super) const ORDERS: Experiment = Experiment {
    id: "sherif/v8_crank_drive/orders",
    place: "Fig. 9",
    title: "Orders of convergence on a short run-up of the V8 crank drive",
    cost: Cost::Seconds,
    run: orders::run,
};

pub(super) const FIG10: Experiment = Experiment {
    id: "sherif/v8_crank_drive/fig10",
    place: "Fig. 10",
    title: "Error on the V8 crank drive over the damping parameter",
    cost: Cost::Minutes,
    run: damping::run,
};

/// A crank drive at rest.
struct Drive {
    model: V8CrankDrive,
    initial: State,
}

/// What was observed of a run, and what it cost.
struct Run<T> {
    /// The first belongs to the initial state.
    samples: Vec<T>,
    cost: StepStats,
    /// Newton iterations of the step that took most.
    most_iterations: u32,
    /// Seconds of this process, of which others on the machine may have taken a part.
    seconds: f64,
}

impl Drive {
    fn new(parameters: V8CrankDriveParameters) -> Result<Self, StepError> {
        let model = V8CrankDrive::new(parameters);
        let initial = consistent::initial_state(&model)?;
        Ok(Self { model, initial })
    }

    /// Integrates and observes at the instants of `grid`.
    fn run<T>(
        &self,
        scheme: &dyn Scheme,
        newton_matrix: NewtonMatrix,
        grid: Grid,
        mut observe: impl FnMut(&State) -> T,
    ) -> Result<Run<T>, StepError> {
        let options = Options { newton_matrix: Some(newton_matrix), ..Options::default() };
        let mut stepper = scheme.start_with(&self.model, self.initial.clone(), &options)?;
        let (mut samples, mut cost, mut most_iterations) = (vec![observe(&self.initial)], StepStats::default(), 0);
        let start = Instant::now();
        for step in 1..=grid.steps {
            let stats = stepper.step(grid.dt)?;
            cost += stats;
            most_iterations = most_iterations.max(stats.newton_iterations);
            if step % grid.every == 0 {
                samples.push(observe(stepper.state()));
            }
        }
        Ok(Run { samples, cost, most_iterations, seconds: start.elapsed().as_secs_f64() })
    }

    /// The angular velocity of the crankshaft at the instants of `grid`, rad/s.
    fn angular_velocities(&self, scheme: &dyn Scheme, grid: Grid) -> Result<Vec<[f64; 1]>, StepError> {
        Ok(self.run(scheme, NewtonMatrix::Kept, grid, |state| [self.angular_velocity(state)])?.samples)
    }

    /// Of the crankshaft about its axis, rad/s.
    fn angular_velocity(&self, state: &State) -> f64 {
        motion::output::<1>(&self.model, "omega", state)[0]
    }

    /// On the crankshaft, N m.
    fn torque(&self, state: &State) -> f64 {
        motion::output::<1>(&self.model, "torque", state)[0]
    }

    /// There is neither gravity nor a spring, J.
    fn kinetic_energy(&self, state: &State) -> f64 {
        self.model.energy(state.t, state.q.as_slice(), state.v.as_slice()).kinetic
    }

    /// Largest |g| and largest |G v|: how far positions and velocities are from the constraints.
    fn drift(&self, state: &State) -> (f64, f64) {
        let mut g = vec![0.0; state.lambda.len()];
        self.model.constraint(state.t, state.q.as_slice(), &mut g);
        let pattern = &self.model.describe().constraint_jacobian;
        let mut values = vec![0.0; pattern.nnz()];
        self.model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
        let mut rates = vec![0.0; g.len()];
        for ((row, column), value) in pattern.entries().zip(values) {
            rates[row] += value * state.v[column];
        }
        (crate::convergence::largest(g), crate::convergence::largest(rates))
    }
}
