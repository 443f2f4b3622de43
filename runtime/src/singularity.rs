//! Angles whose odd multiples of 90° are singular, watched from step to step.
//!
//! At θ = ±90° the angles (φ, θ, ψ) of R = Rz(ψ) Ry(θ) Rx(φ) are not unique, their rates infinite, and M is singular
//! [simo, Eq. 32]. A step that ends there or beyond has passed through equations without a solution, whatever came out.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::model::{Model, State};
use crate::scheme::StepError;

/// Cosines below this are taken for zero, as the inverse of the matrix of rates has no digits left.
const SINGULAR: f64 = 1e-8;
/// Where a step fails so near to the singularity, that is the reason.
const NEAR: f64 = 0.05;

/// The angles of a model at the last state.
pub(crate) struct Watch {
    places: &'static [usize],
    names: Vec<&'static str>,
    angles: Vec<f64>,
}

impl Watch {
    /// From a state on.
    pub(crate) fn new(model: &dyn Model, state: &State) -> Self {
        let places = model.singular_angles();
        let coordinates = model.describe().coordinates;
        Self {
            places,
            names: places.iter().map(|&place| coordinates[place].name).collect(),
            angles: places.iter().map(|&place| state.q[place]).collect(),
        }
    }

    /// Refuses a state that is at a singularity, or beyond one since the last call.
    pub(crate) fn pass(&mut self, state: &State) -> Result<(), StepError> {
        for (i, &place) in self.places.iter().enumerate() {
            let (before, after) = (self.angles[i], state.q[place]);
            if half_turn(before) != half_turn(after) || after.cos().abs() < SINGULAR {
                return Err(self.error(i, state.t, after));
            }
            self.angles[i] = after;
        }
        Ok(())
    }

    /// Names the singularity as the reason of a failure that happened close to one.
    pub(crate) fn explain(&self, error: StepError, t: f64) -> StepError {
        let is_numerical =
            matches!(error, StepError::NotConverged { .. } | StepError::NotFinite { .. } | StepError::Singular { .. });
        match self.angles.iter().position(|angle| angle.cos().abs() < NEAR).filter(|_| is_numerical) {
            Some(i) => self.error(i, t, self.angles[i]),
            None => error,
        }
    }

    fn error(&self, index: usize, t: f64, angle: f64) -> StepError {
        StepError::SingularAngle { t, coordinate: self.names[index], angle }
    }
}

/// Which stretch between two singularities an angle is in.
fn half_turn(angle: f64) -> f64 {
    ((angle + FRAC_PI_2) / PI).floor()
}
