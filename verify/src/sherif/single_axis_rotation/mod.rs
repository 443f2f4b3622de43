//! Rotation about one axis under a constant moment. [sherif, Sects. 3, 5, 7]
//!
//! The angular velocity should grow linearly. The classical scheme loses some of it in every step, because it damps the
//! oscillation of the Euler parameters; the modified scheme loses much less, and nothing for α = 0.

mod classical_step;
mod modified_step;
mod norm_expansion;
mod spin_up;

use hamel::consistent;
use hamel::model::State;
use hamel::scheme::{Scheme, StepError};
use hamel_models::SingleAxisRotation;
use hamel_models::single_axis_rotation::SingleAxisRotationParameters;
use hamel_report::{Cost, Experiment};

use crate::motion::{self, Grid, Motion};

pub(super) const CLASSICAL_STEP: Experiment = Experiment {
    id: "sherif/single_axis_rotation/classical_step",
    place: "Eq. 28",
    title: "One step of the classical scheme about a single axis",
    cost: Cost::Seconds,
    run: classical_step::run,
};

pub(super) const MODIFIED_STEP: Experiment = Experiment {
    id: "sherif/single_axis_rotation/modified_step",
    place: "Eqs. 41, 42",
    title: "One step of the modified scheme about a single axis",
    cost: Cost::Seconds,
    run: modified_step::run,
};

pub(super) const NORM_EXPANSION: Experiment = Experiment {
    id: "sherif/single_axis_rotation/norm_expansion",
    place: "before Eq. 53",
    title: "The norm of Euler parameters after a step, as a series",
    cost: Cost::Seconds,
    run: norm_expansion::run,
};

pub(super) const SPIN_UP: Experiment = Experiment {
    id: "sherif/single_axis_rotation/spin_up",
    place: "Sects. 5, 7",
    title: "Spin-up from rest under a constant moment",
    cost: Cost::Seconds,
    run: spin_up::run,
};

/// Damping parameters of the studies: the whole interval of the scheme.
const ALPHAS: [f64; 6] = [0.0, -0.05, -0.1, -0.2, -0.3, -1.0 / 3.0];

/// A body that a constant moment turns about its x axis.
struct Rotor {
    model: SingleAxisRotation,
    initial: State,
    /// Exact angular acceleration, rad/s².
    acceleration: f64,
}

impl Rotor {
    /// With the parameters of the model, starting at an angular velocity, rad/s.
    fn new(initial_speed: f64) -> Result<Self, StepError> {
        let parameters = SingleAxisRotationParameters { initial_speed, ..Default::default() };
        let acceleration = parameters.moment / parameters.inertia[0];
        let model = SingleAxisRotation::new(parameters);
        let initial = consistent::initial_state(&model)?;
        Ok(Self { model, initial, acceleration })
    }

    fn observe<T>(&self, scheme: &dyn Scheme, grid: Grid, observe: impl FnMut(&State) -> T) -> Motion<T> {
        motion::observe(&self.model, scheme, self.initial.clone(), grid, observe)
    }

    /// Angular velocity about the x axis, rad/s.
    fn speed(&self, state: &State) -> f64 {
        let [speed, _, _] = motion::output(&self.model, "omega", state);
        speed
    }

    /// The first Euler parameter, e₀.
    fn first_euler_parameter(&self, state: &State) -> f64 {
        // Three coordinates of the position come before the four of the rotation.
        state.q[3]
    }

    /// The state after one step.
    fn step(&self, scheme: &dyn Scheme, dt: f64) -> Result<State, StepError> {
        let mut stepper = scheme.start(&self.model, self.initial.clone())?;
        stepper.step(dt)?;
        Ok(stepper.state().clone())
    }
}
