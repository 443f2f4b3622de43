//! Residuals of constraints, relative to the lengths of the model.

use crate::known::Known;
use crate::model::{Model, State, instances};
use crate::norms::largest;
use crate::prelude::*;

/// Residuals of all constraints of a model.
pub(crate) struct Residuals {
    lengths: Lengths,
    on_positions: usize,
    /// Which constraints are lengths, or rates of lengths.
    are_lengths: Vec<bool>,
    jacobian: Vec<f64>,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// Sum of the absolute terms of each constraint on velocities, the largest so far.
    sizes: Vec<f64>,
    unused: Vec<f64>,
}

/// Terms of a constraint on velocities below this part of the fastest motion are as uncertain as that.
const SLOW: f64 = 1e-6;

impl Residuals {
    pub(crate) fn new(model: &dyn Model, start: &State) -> Self {
        let (info, nc) = (model.describe(), model.dims().nc);
        Self {
            lengths: Lengths::new(model, start),
            on_positions: nc - info.velocity_constraints,
            // Constraints on velocities have the units of rates.
            are_lengths: info.constraints.iter().map(|one| is_length(one.unit.trim_end_matches("/s"))).collect(),
            jacobian: vec![0.0; info.constraint_jacobian.nnz()],
            positions: vec![0.0; nc],
            velocities: vec![0.0; nc],
            sizes: vec![0.0; info.velocity_constraints],
            unused: vec![0.0; nc],
        }
    }

    /// g; lengths are divided by the model's length.
    pub(crate) fn evaluate_positions(&mut self, model: &dyn Model, state: &State, known: &mut Known) {
        self.positions.copy_from_slice(known.positions(model, state));
        scale(&mut self.positions, &self.are_lengths, self.lengths.of(state));
    }

    /// `G v + ∂g/∂t`, in the same way.
    pub(crate) fn evaluate_velocities(&mut self, model: &dyn Model, state: &State, known: &mut Known) {
        self.evaluate_rates(model, state, known);
        scale(&mut self.velocities, &self.are_lengths, self.lengths.of(state));
    }

    fn evaluate_rates(&mut self, model: &dyn Model, state: &State, known: &mut Known) {
        let Self { velocities, jacobian, .. } = self;
        if known.has_velocities {
            return velocities.copy_from_slice(&known.velocities);
        }
        velocities.copy_from_slice(known.rate(model, state));
        model.constraint_jacobian(state.t, state.q.as_slice(), jacobian);
        for_terms(model, state.v.as_slice(), jacobian, |row, term| velocities[row] += term);
    }

    /// The constraint on velocities with the largest residual relative to the largest terms that it has had, and that part;
    /// `None` if there are no such constraints.
    pub(crate) fn worst_on_velocities(
        &mut self,
        model: &dyn Model,
        state: &State,
        known: &mut Known,
    ) -> Option<(usize, f64)> {
        let first = self.on_positions;
        if self.sizes.is_empty() {
            return None;
        }
        self.evaluate_rates(model, state, known);
        // `unused` holds the terms of now.
        self.unused.fill(0.0);
        let fastest = state.v.amax();
        for ((row, column), value) in model.describe().constraint_jacobian.entries().zip(&self.jacobian) {
            self.unused[row] += value.abs() * state.v[column].abs().max(SLOW * fastest);
        }
        for ((size, now), residual) in self.sizes.iter_mut().zip(&self.unused[first..]).zip(&self.velocities[first..]) {
            // A rate that time prescribes is what is left of the terms.
            *size = size.max(*now).max((residual.abs() - now).max(0.0));
        }
        let parts = self.velocities[first..].iter().zip(&self.sizes).map(|(residual, size)| match residual.abs() {
            0.0 => 0.0,
            residual => residual / size,
        });
        Some(parts.enumerate().map(|(row, part)| (first + row, part)).fold((first, 0.0), larger))
    }

    /// The constraint on positions with the largest residual, and that residual.
    pub(crate) fn worst_position(&self) -> (usize, f64) {
        worst(&self.positions[..self.on_positions])
    }

    /// The constraint with the largest residual on velocities, and that residual, 1/s.
    pub(crate) fn worst_velocity(&self) -> (usize, f64) {
        worst(&self.velocities)
    }
}

/// Absolute values; those of lengths are divided by a length.
fn scale(values: &mut [f64], are_lengths: &[bool], length: f64) {
    for (value, &is_length) in values.iter_mut().zip(are_lengths) {
        let divided = value.abs() / length;
        *value = if is_length { divided } else { value.abs() };
    }
}

/// `G v + ∂g/∂t`; the values of G and the part of g̈ that comes with it are work space.
pub(crate) fn rates(model: &dyn Model, state: &State, jacobian: &mut [f64], out: &mut [f64], unused: &mut [f64]) {
    let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
    model.constraint_bias(t, q, v, out, unused);
    model.constraint_jacobian(t, q, jacobian);
    for_terms(model, v, jacobian, |row, term| out[row] += term);
}

/// Calls a function with each term of G v and its row, from the values of G.
pub(crate) fn for_terms(model: &dyn Model, v: &[f64], jacobian: &[f64], mut function: impl FnMut(usize, f64)) {
    let (info, of) = instances(model);
    let pattern = &info.constraint_jacobian;
    for column in 0..pattern.columns {
        for entry in pattern.column(column) {
            let row = pattern.row_indices()[entry] as usize;
            for i in 0..of {
                function(of * row + i, jacobian[of * entry + i] * v[of * column + i]);
            }
        }
    }
}

/// Index and value of the largest entry, or of one that is not a number; no entry is negative.
fn worst(values: &[f64]) -> (usize, f64) {
    let largest = largest(values);
    let is_worst = |value: &f64| *value == largest || value.is_nan();
    (values.iter().position(is_worst).unwrap_or(0), largest)
}

fn larger(a: (usize, f64), b: (usize, f64)) -> (usize, f64) {
    if b.1 > a.1 || b.1.is_nan() { b } else { a }
}

/// Smallest length of a mechanism, m; used where all coordinates are zero.
const LEAST_LENGTH: f64 = 1e-6;

/// The scale of residuals of constraints in this unit: the model's length, or one.
pub(crate) fn measure(unit: &str, length: f64) -> f64 {
    if is_length(unit) { length } else { 1.0 }
}

/// Whether a unit is that of a length.
pub(crate) fn is_length(unit: &str) -> bool {
    unit == "m"
}

/// The size of a model: its coordinates that are lengths, and the lever arms of its angles in the constraints.
#[derive(Clone)]
pub(crate) struct Lengths {
    /// Which coordinates are lengths.
    coordinates: Vec<usize>,
    /// The longest lever arm of a constraint at the start, m.
    arm: f64,
}

impl Lengths {
    pub(crate) fn new(model: &dyn Model, start: &State) -> Self {
        let info = model.describe();
        let coordinates = (0..info.coordinates.len()).filter(|&i| is_length(&info.coordinates[i].unit)).collect();
        let mut values = vec![0.0; info.constraint_jacobian.nnz()];
        model.constraint_jacobian(start.t, start.q.as_slice(), &mut values);
        let arms = info.constraint_jacobian.entries().zip(values).filter(|((row, column), _)| {
            is_length(&info.constraints[*row].unit) && info.velocities[*column].unit != "m/s"
        });
        let arm = arms.map(|(_, value)| value.abs()).filter(|arm| arm.is_finite()).fold(0.0, f64::max);
        Self { coordinates, arm }
    }

    /// The largest length in a state, m.
    pub(crate) fn of(&self, state: &State) -> f64 {
        self.coordinates.iter().map(|&i| state.q[i].abs()).fold(self.arm.max(LEAST_LENGTH), f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::common::Pendulum;

    #[test]
    fn the_worst_is_the_largest_or_no_number() {
        assert_eq!(worst(&[0.5, 3.0, 2.0]), (1, 3.0));
        assert_eq!(worst(&[]), (0, 0.0));
        let (place, value) = worst(&[1.0, f64::NAN, 2.0]);
        assert!(place == 1 && value.is_nan());
        assert_eq!((measure("m", 2.5), measure("1", 2.5), measure("m^2", 2.5)), (2.5, 1.0, 1.0));
    }

    /// g = ½ (x² + y² − 1), with the rate x ẋ + y ẏ.
    #[test]
    fn residuals_are_those_of_the_constraint_and_of_its_rate() {
        let mut state = Pendulum::initial();
        state.q.copy_from_slice(&[0.6, 0.9]);
        state.v.copy_from_slice(&[-1.0, -2.0]);
        let mut residuals = Residuals::new(&Pendulum, &state);
        residuals.evaluate_positions(&Pendulum, &state, &mut Known::default());
        residuals.evaluate_velocities(&Pendulum, &state, &mut Known::default());
        assert!((residuals.worst_position().1 - 0.085).abs() < 1e-15);
        assert!((residuals.worst_velocity().1 - 2.4).abs() < 1e-15);
        assert_eq!((residuals.worst_position().0, residuals.worst_velocity().0), (0, 0));
    }
}
