//! The heavy top [sherif, Sect. "Heavy top"]: one body on a spherical joint, fast about its axis of symmetry.

mod convergence;
mod curves;
mod energy;
mod inertia;
mod orders;
mod reference;
mod state;
mod weak_damping;

use hamel::consistent;
use hamel::model::{Model, State};
use hamel::scheme::{Scheme, StepError};
use hamel_models::heavy_top::{HeavyTopJointParameters, HeavyTopParameters};
use hamel_models::{HeavyTop, HeavyTopJoint};
use hamel_report::{Cost, Experiment};

use crate::motion::{self, Grid, Motion};

pub(super) const INERTIA: Experiment = Experiment {
    id: "sherif/heavy_top/inertia",
    place: "Sect. 9, data",
    title: "Third moment of inertia of the heavy top",
    cost: Cost::Seconds,
    run: inertia::run,
};

pub(super) const STATE: Experiment = Experiment {
    id: "sherif/heavy_top/state",
    place: "Sect. 9, data",
    title: "State of the heavy top after one second",
    cost: Cost::Minutes,
    run: state::run,
};

pub(super) const FIG2: Experiment = Experiment {
    id: "sherif/heavy_top/fig2",
    place: "Fig. 2",
    title: "Convergence of the HHT schemes on the heavy top",
    cost: Cost::Minutes,
    run: convergence::run,
};

pub(super) const ORDERS: Experiment = Experiment {
    id: "sherif/heavy_top/orders",
    place: "Fig. 2",
    title: "Orders of convergence of the HHT schemes",
    cost: Cost::Seconds,
    run: orders::run,
};

pub(super) const FIGS_3_4: Experiment = Experiment {
    id: "sherif/heavy_top/figs_3_4",
    place: "Figs. 3, 4",
    title: "Motion of the heavy top",
    cost: Cost::Seconds,
    run: curves::run,
};

pub(super) const FIG5: Experiment = Experiment {
    id: "sherif/heavy_top/fig5",
    place: "Fig. 5",
    title: "Energy of the heavy top for several damping parameters",
    cost: Cost::Minutes,
    run: energy::run,
};

pub(super) const WEAK_DAMPING: Experiment = Experiment {
    id: "sherif/heavy_top/weak_damping",
    place: "Sect. 8, last remark",
    title: "The modified scheme needs numerical damping",
    cost: Cost::Seconds,
    run: weak_damping::run,
};

/// A heavy top at its start.
struct Top {
    model: Box<dyn Model>,
    initial: State,
}

impl Top {
    /// In absolute coordinates with Euler parameters, as in the paper.
    fn absolute() -> Result<Self, StepError> {
        Self::at_start(Box::new(HeavyTop::new(HeavyTopParameters::default())))
    }

    /// In the coordinates of its joint: an independent formulation without constraints.
    fn joint() -> Result<Self, StepError> {
        Self::at_start(Box::new(HeavyTopJoint::new(HeavyTopJointParameters::default())))
    }

    fn at_start(model: Box<dyn Model>) -> Result<Self, StepError> {
        let initial = consistent::initial_state(model.as_ref())?;
        Ok(Self { model, initial })
    }

    fn observe<T>(&self, scheme: &dyn Scheme, grid: Grid, observe: impl FnMut(&State) -> T) -> Motion<T> {
        motion::observe(self.model.as_ref(), scheme, self.initial.clone(), grid, observe)
    }

    /// Angular velocity in body axes, rad/s.
    fn angular_velocity(&self, state: &State) -> [f64; 3] {
        motion::output(self.model.as_ref(), "omega", state)
    }

    /// Position of the centre of mass, m.
    fn position(&self, state: &State) -> [f64; 3] {
        motion::output(self.model.as_ref(), "position", state)
    }

    /// Velocity of the centre of mass, m/s.
    fn velocity(&self, state: &State) -> [f64; 3] {
        motion::output(self.model.as_ref(), "velocity", state)
    }

    /// Kinetic plus potential energy, J.
    fn energy(&self, state: &State) -> f64 {
        self.model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total()
    }
}
