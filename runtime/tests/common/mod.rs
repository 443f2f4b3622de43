//! Models written by hand, for the tests of the schemes, with their exact solutions where there are any.

#![allow(dead_code, unused_imports)] // Every test uses a part of them.

mod body;
mod craft;
mod driven;
mod particle;
mod pendulum;
pub mod refinement;
mod slider;
mod springs;
mod top;
mod train;
mod weighted;

pub use body::{FreeBody, Rotor};
pub use craft::Craft;
pub use driven::Driven;
pub use particle::{Particle, Press};
pub use pendulum::{Chain, Heavy, LinearOscillator, Oscillator, Pendulum};
pub use slider::Slider;
pub use springs::Springs;
pub use top::HeavyTop;
pub use train::Train;
pub use weighted::Weighted;

use hamel::{Block, Channel, ModelInfo, SparsityPattern};
use nalgebra::DVector;

/// A vector of these entries.
pub fn vector(entries: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(entries)
}

/// Channels without units.
pub fn channels(names: &[&str]) -> Vec<Channel> {
    names.iter().map(|&name| Channel::new(name, "1")).collect()
}

/// Description of a model with full patterns; only for small ones.
pub fn full_info(
    name: &str,
    coordinates: &[&str],
    velocities: &[&str],
    constraints: &[&str],
    blocks: &[Block],
) -> ModelInfo {
    let (nv, nc) = (velocities.len(), constraints.len());
    let upper_left = full_pattern(nv, nv, |_, _| true);
    ModelInfo {
        name: name.to_owned(),
        coordinates: channels(coordinates),
        velocities: channels(velocities),
        constraints: channels(constraints),
        blocks: blocks.to_vec(),
        mass_matrix: upper_left.clone(),
        damping: upper_left.clone(),
        stiffness: upper_left,
        constraint_jacobian: full_pattern(nc, nv, |_, _| true),
        contact_jacobian: full_pattern(0, nv, |_, _| false),
        iteration_matrix: full_pattern(nv + nc, nv + nc, |row, column| row < nv || column < nv),
        ..ModelInfo::default()
    }
}

/// The pattern of the entries that are wanted.
pub fn full_pattern(rows: usize, columns: usize, is_wanted: impl Fn(usize, usize) -> bool) -> SparsityPattern {
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    SparsityPattern::from_entries(rows, columns, places.filter(|&(row, column)| is_wanted(row, column)))
}

/// Writes the values of a pattern from a function of row and column.
pub fn fill(pattern: &SparsityPattern, out: &mut [f64], entry: impl Fn(usize, usize) -> f64) {
    for (value, (row, column)) in out.iter_mut().zip(pattern.entries()) {
        *value = entry(row, column);
    }
}

/// The parts of a model that are not the same for all models written by hand.
///
/// The iteration matrix is put together from the parts; conditions on the start are left out.
macro_rules! assembled_from_parts {
    () => {
        fn residual(&self, state: &hamel::State, r: &mut [f64], g: &mut [f64]) {
            let (q, v) = (state.q.as_slice(), state.v.as_slice());
            let info = self.describe();
            let (nv, nc) = (v.len(), g.len());
            // On the stack, because a step must not allocate.
            let mut matrix = [0.0; 2048];
            let mut force = [0.0; 128];
            let mass = &mut matrix[..info.mass_matrix.nnz()];
            self.mass_matrix(q, mass);
            self.bias_force(q, v, r);
            self.applied_force(state.t, q, v, &mut force[..nv]);
            for (r, f) in r.iter_mut().zip(&force) {
                *r -= f;
            }
            for ((row, column), value) in info.mass_matrix.entries().zip(&*mass) {
                r[row] += value * state.a[column];
            }
            let jacobian = &mut matrix[..info.constraint_jacobian.nnz()];
            self.constraint_jacobian(state.t, q, jacobian);
            for ((row, column), value) in info.constraint_jacobian.entries().zip(&*jacobian) {
                r[column] -= value * state.lambda[row];
            }
            debug_assert_eq!(nc, state.lambda.len());
            self.constraint(state.t, q, g);
        }

        fn iteration_matrix(&self, state: &hamel::State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
            let info = self.describe();
            let nv = state.v.len();
            let mut matrix = [0.0; 2048];
            values.fill(0.0);
            let place = |row, column| info.iteration_matrix.slot(row, column).expect("an entry of the pattern");
            let part = &mut matrix[..info.mass_matrix.nnz()];
            self.mass_matrix(state.q.as_slice(), part);
            for ((row, column), value) in info.mass_matrix.entries().zip(&*part) {
                values[place(row, column)] += ca * value;
            }
            let part = &mut matrix[..info.damping.nnz()];
            self.damping(state, part);
            for ((row, column), value) in info.damping.entries().zip(&*part) {
                values[place(row, column)] += cv * value;
            }
            let part = &mut matrix[..info.stiffness.nnz()];
            self.stiffness(state, part);
            for ((row, column), value) in info.stiffness.entries().zip(&*part) {
                values[place(row, column)] += cq * value;
            }
            let part = &mut matrix[..info.constraint_jacobian.nnz()];
            self.constraint_jacobian(state.t, state.q.as_slice(), part);
            for ((row, column), value) in info.constraint_jacobian.entries().zip(&*part) {
                values[place(nv + row, column)] += value;
                values[place(column, nv + row)] -= value;
            }
        }

        fn outputs(&self, _state: &hamel::State, _out: &mut [f64]) {}
    };
}
pub(crate) use assembled_from_parts;

/// Initial conditions that do not exist.
macro_rules! without_initial_conditions {
    () => {
        fn n_initial_conditions(&self) -> (usize, usize) {
            (0, 0)
        }
        fn initial_position(&self, _t: f64, _q: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
        fn initial_velocity(&self, _t: f64, _q: &[f64], _v: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
    };
}
pub(crate) use without_initial_conditions;
