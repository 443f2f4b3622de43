//! Angles whose odd multiples of 90° are singular, watched from step to step.
//!
//! At θ = ±90° the angles (φ, θ, ψ) of R = Rz(ψ) Ry(θ) Rx(φ) are not unique, their rates infinite, and M is singular
//! [simo, Eq. 32]. A step that ends there or beyond has passed through equations without a solution, whatever came out.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::configuration::velocity_map_apply;
use crate::model::{Block, Model, State};
use crate::step::StepError;

/// Cosines below this are taken for zero, as the inverse of the matrix of rates has no digits left.
const SINGULAR: f64 = 1e-8;
/// Where a step fails so near to the singularity, that is the reason.
const NEAR: f64 = 0.05;
/// So near, angles that turn further than this in a step are not followed any more, rad.
const UNRESOLVED: f64 = 0.5;

/// The angles of a model at the last state.
pub(crate) struct Watch {
    places: &'static [usize],
    names: Vec<&'static str>,
    blocks: &'static [Block],
    t: f64,
    angles: Vec<f64>,
    rates: Vec<f64>,
}

impl Watch {
    /// From a state on.
    pub(crate) fn new(model: &dyn Model, state: &State) -> Self {
        let places = model.singular_angles();
        let info = model.describe();
        Self {
            places,
            names: places.iter().map(|&place| info.coordinates[place].name).collect(),
            blocks: info.blocks,
            t: state.t,
            angles: places.iter().map(|&place| state.q[place]).collect(),
            rates: vec![0.0; state.q.len()],
        }
    }

    /// Refuses a state that is at a singularity, or beyond one since the last call, or next to one with rates that no
    /// step of this length follows: what comes of them means nothing.
    pub(crate) fn pass(&mut self, state: &State) -> Result<(), StepError> {
        if self.places.is_empty() {
            return Ok(());
        }
        velocity_map_apply(self.blocks, state.q.as_slice(), state.v.as_slice(), &mut self.rates);
        let dt = state.t - self.t;
        for (i, &place) in self.places.iter().enumerate() {
            let (before, after) = (self.angles[i], state.q[place]);
            // φ, θ and ψ stand beside each other.
            let turning = self.rates[place - 1..=place + 1].iter().fold(0.0, |size: f64, rate| size.max(rate.abs()));
            let is_near = before.cos().abs().min(after.cos().abs()) < NEAR;
            let is_lost = is_near && turning * dt > UNRESOLVED;
            if half_turn(before) != half_turn(after) || after.cos().abs() < SINGULAR || is_lost {
                return Err(self.error(i));
            }
        }
        self.t = state.t;
        for (angle, &place) in self.angles.iter_mut().zip(self.places) {
            *angle = state.q[place];
        }
        Ok(())
    }

    /// Names the singularity as the reason of a failure that happened close to one.
    pub(crate) fn explain(&self, error: StepError) -> StepError {
        match self.angles.iter().position(|angle| angle.cos().abs() < NEAR).filter(|_| error.is_numerical()) {
            Some(i) => self.error(i),
            None => error,
        }
    }

    /// Of the last state that means something.
    fn error(&self, index: usize) -> StepError {
        StepError::SingularAngle { t: self.t, coordinate: self.names[index], angle: self.angles[index] }
    }
}

/// Which stretch between two singularities an angle is in.
fn half_turn(angle: f64) -> f64 {
    ((angle + FRAC_PI_2) / PI).floor()
}
