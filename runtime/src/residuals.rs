//! What is left of constraints, beside the lengths of the model.

use crate::model::{Model, State};

/// Lengths below this are no mechanism's, m: where all coordinates are zero, there is nothing to compare with.
const LEAST_LENGTH: f64 = 1e-6;

/// Whether a unit is that of a length.
pub(crate) fn is_length(unit: &str) -> bool {
    unit == "m"
}

/// How large a model is: its coordinates that are lengths, and the arms by which its angles move constraints.
pub(crate) struct Lengths {
    /// Which coordinates are lengths.
    coordinates: Vec<usize>,
    /// The longest arm of a constraint at the start, m.
    arm: f64,
}

impl Lengths {
    pub(crate) fn new(model: &dyn Model, start: &State) -> Self {
        let info = model.describe();
        let coordinates = (0..info.coordinates.len()).filter(|&i| is_length(info.coordinates[i].unit)).collect();
        let mut values = vec![0.0; info.constraint_jacobian.nnz()];
        model.constraint_jacobian(start.t, start.q.as_slice(), &mut values);
        let arms = info.constraint_jacobian.entries().zip(values).filter(|((row, column), _)| {
            is_length(info.constraints[*row].unit) && info.velocities[*column].unit != "m/s"
        });
        let arm = arms.map(|(_, value)| value.abs()).filter(|arm| arm.is_finite()).fold(0.0, f64::max);
        Self { coordinates, arm }
    }

    /// The largest length in a state, m.
    pub(crate) fn of(&self, state: &State) -> f64 {
        self.coordinates.iter().map(|&i| state.q[i].abs()).fold(self.arm.max(LEAST_LENGTH), f64::max)
    }
}
