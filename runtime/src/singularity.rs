//! Checks, step by step, of angles that are singular at odd multiples of 90°.
//!
//! At θ = ±90° the angles (φ, θ, ψ) of R = Rz(ψ) Ry(θ) Rx(φ) are not unique, their rates infinite, and M is singular
//! [simo, Eq. 32]. A step that ends there or beyond has passed a point where the equations have no solution, so its
//! result has no meaning.

use core::f64::consts::{FRAC_PI_2, PI};

use crate::configuration::velocity_map_apply;
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::step::StepError;

/// Cosines below this count as zero, because the inverse of the matrix of rates has no correct digits.
pub(crate) const SINGULAR: f64 = 1e-8;
/// If a step fails with a cosine below this, the singularity is the reason.
const NEAR: f64 = 0.05;
/// Within that range, a step in which an angle turns further than this is refused, rad.
const UNRESOLVED: f64 = 0.5;

/// The angles of a model at the last state.
pub(crate) struct Watch {
    places: Vec<usize>,
    names: Vec<String>,
    blocks: Vec<Block>,
    t: f64,
    angles: Vec<f64>,
    rates: Vec<f64>,
}

impl Watch {
    /// Starts at a state.
    pub(crate) fn new(model: &dyn Model, state: &State) -> Self {
        let places = model.singular_angles();
        let info = model.describe();
        Self {
            places: places.to_vec(),
            names: places.iter().map(|&place| info.coordinates[place].name.clone()).collect(),
            blocks: info.blocks.clone(),
            t: state.t,
            angles: places.iter().map(|&place| state.q[place]).collect(),
            rates: vec![0.0; state.q.len()],
        }
    }

    /// Refuses a state that is at a singularity, that has passed one since the last call, or that is close to one with
    /// rates too large for this step length.
    pub(crate) fn pass(&mut self, state: &State) -> Result<(), StepError> {
        if self.places.is_empty() {
            return Ok(());
        }
        velocity_map_apply(&self.blocks, state.q.as_slice(), state.v.as_slice(), &mut self.rates);
        let dt = state.t - self.t;
        for (i, &place) in self.places.iter().enumerate() {
            let (before, after) = (self.angles[i], state.q[place]);
            // φ, θ and ψ are adjacent.
            let turning = self.rates[place - 1..=place + 1].iter().fold(0.0, |size: f64, rate| size.max(rate.abs()));
            let is_near = before.cos().abs().min(after.cos().abs()) < NEAR;
            let is_lost = is_near && turning * dt > UNRESOLVED;
            if half_turn(before) != half_turn(after) || after.cos().abs() < SINGULAR || is_lost {
                return Err(self.error(i));
            }
        }
        self.t = state.t;
        for (angle, &place) in self.angles.iter_mut().zip(&self.places) {
            *angle = state.q[place];
        }
        Ok(())
    }

    /// Names the singularity as the reason of a failure close to one.
    pub(crate) fn explain(&self, error: StepError) -> StepError {
        match self.angles.iter().position(|angle| angle.cos().abs() < NEAR).filter(|_| error.is_numerical()) {
            Some(i) => self.error(i),
            None => error,
        }
    }

    /// At the last valid state.
    fn error(&self, index: usize) -> StepError {
        StepError::SingularAngle { t: self.t, coordinate: self.names[index].clone(), angle: self.angles[index] }
    }
}

/// The interval between two singularities that contains an angle, as a number.
fn half_turn(angle: f64) -> f64 {
    ((angle + FRAC_PI_2) / PI).floor()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::common::Craft;

    /// At a pitch from which the next singularity is this far away, rad.
    fn at(distance: f64, angular_velocity: [f64; 3]) -> State {
        let mut state = Craft::BALL.initial([0.0; 3], angular_velocity);
        state.q[4] = FRAC_PI_2 - distance;
        state
    }

    /// Next to the singularity each of the three angles may turn by half a radian in a step; further off by any angle.
    #[test]
    fn angles_that_turn_fast_next_to_a_singularity_are_lost() {
        let rate = 100.0;
        for (distance, is_near) in [(0.02, true), (0.2, false)] {
            let (s, c) = (FRAC_PI_2 - distance).sin_cos();
            // φ̇, θ̇ or ψ̇ alone; of ψ̇ a part is about the x axis of the body.
            for angular_velocity in [[rate, 0.0, 0.0], [0.0, rate, 0.0], [-rate * s, 0.0, rate * c]] {
                for (dt, is_lost) in [(0.004, false), (0.006, is_near)] {
                    let mut state = at(distance, angular_velocity);
                    state.t = 2.0;
                    let mut watch = Watch::new(&Craft::BALL, &state);
                    state.t += dt;
                    let result = watch.pass(&state);
                    let is_error = matches!(&result, Err(StepError::SingularAngle { t: 2.0, coordinate, .. }) if coordinate == "theta");
                    assert_eq!(is_error, is_lost, "{angular_velocity:?}, {dt}: {result:?}");
                }
            }
        }
    }

    /// Either state may be the near one.
    #[test]
    fn a_step_to_or_over_a_singularity_is_refused() {
        for sign in [1.0, -1.0] {
            for (from, to, is_refused) in [(0.1, 0.2, false), (0.1, -0.1, true), (0.1, 0.0, true), (0.1, 1e-7, false)] {
                let [mut before, mut after] = [from, to].map(|distance| at(distance, [0.0; 3]));
                (before.q[4], after.q[4]) = (sign * before.q[4], sign * after.q[4]);
                after.t = 0.1;
                let mut watch = Watch::new(&Craft::BALL, &before);
                assert_eq!(watch.pass(&after).is_err(), is_refused, "{sign}: {from}, {to}");
            }
        }
        for (from, to) in [(0.02, 0.2), (0.2, 0.02)] {
            let mut watch = Watch::new(&Craft::BALL, &at(from, [100.0, 0.0, 0.0]));
            let after = State { t: 0.1, ..at(to, [100.0, 0.0, 0.0]) };
            assert!(watch.pass(&after).is_err(), "{from}, {to}");
        }
    }
}
