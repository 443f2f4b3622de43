//! Functions for generated code: slices as arrays, gathering, scattering, compressed lists, checks of parameters.
//!
//! Not part of the public interface.

pub use crate::admissible::{
    check_body, check_contacts, check_finite, check_positive, check_symmetric, check_total_mass,
};
pub use crate::mass_solution::{MOST_VELOCITIES, solve_for_accelerations};
pub use crate::once::Lazy;
pub use crate::prelude::Vec;
pub use crate::real::HAS_FUSED_MULTIPLY_ADD;
pub use crate::runs::{
    RepeatedItem, Repetition, blocks, channels, contacts, expanded, functions, indices, iteration_matrix, limits,
    numbers, pairs, pattern, places, text, texts,
};

#[cfg(feature = "simd")]
pub use crate::lanes::sines_cosines;
pub use crate::sine_cosine::sin_cos_each;

use crate::model::{Energy, Model, ModelInfo, State, UnknownParameter};
use crate::prelude::*;
use crate::real::Real;

/// Calls `visit` with each time, and what moves it.
pub fn visit_times(times: &[[f64; 2]], moved_by: &[&[usize]], visit: &mut dyn FnMut([f64; 2], &[usize])) {
    times.iter().zip(moved_by).for_each(|(time, moved_by)| visit(*time, moved_by));
}

/// A slice as an array.
///
/// # Panics
/// When the slice has another length, as indexing it would.
#[inline(always)]
pub fn array<T, const N: usize>(values: &[T]) -> &[T; N] {
    match values.first_chunk() {
        Some(array) if values.len() == N => array,
        _ => panic!("expected {N} values, found {}", values.len()),
    }
}

/// A slice as an array to write into.
///
/// # Panics
/// When the slice has another length, as indexing it would.
#[inline(always)]
pub fn array_mut<T, const N: usize>(values: &mut [T]) -> &mut [T; N] {
    let len = values.len();
    match values.first_chunk_mut() {
        Some(array) if len == N => array,
        _ => panic!("expected {N} values, found {len}"),
    }
}

/// A slice as the rows of a matrix to write into.
///
/// # Panics
/// When the slice has another length, as indexing it would.
#[inline(always)]
pub fn rows_mut<const N: usize, const M: usize>(values: &mut [f64]) -> &mut [[f64; M]; N] {
    let len = values.len();
    match values.as_chunks_mut().0.first_chunk_mut() {
        Some(rows) if len == N * M => rows,
        _ => panic!("expected {N} × {M} values, found {len}"),
    }
}

/// The values at these indices.
#[inline(always)]
pub fn gather<const N: usize>(values: &[f64], indices: &[u32; N]) -> [f64; N] {
    indices.map(|index| values[index as usize])
}

/// Adds entries, scaled, at these positions.
#[inline(always)]
pub fn scatter<const N: usize>(values: &mut [f64], positions: &[u32; N], factor: f64, entries: &[f64; N]) {
    for (&position, &entry) in positions.iter().zip(entries) {
        values[position as usize] += factor * entry;
    }
}

/// Adds entries, scaled, in order.
#[inline(always)]
pub fn add(values: &mut [f64], factor: f64, entries: &[f64]) {
    for (value, &entry) in values.iter_mut().zip(entries) {
        *value += factor * entry;
    }
}

/// A model whose accelerations have a closed form over any scalar, so that instances can be computed with in lanes: in
/// joint coordinates, without constraints, contacts and flexible members.
#[diagnostic::on_unimplemented(
    message = "instances of `{Self}` do not advance in lanes",
    note = "its accelerations have no closed form: it has constraints, contacts or flexible members, or is in absolute coordinates; run its instances one by one"
)]
pub trait ClosedForm: Model + Sized {
    /// What depends on parameters alone.
    type Constants<T: Real>;
    /// `[T; nq]` and `[T; nv]`: loops over them have a length that the compiler of the code knows.
    type Coordinates<T: Real>: Copy + AsRef<[T]> + AsMut<[T]>;
    type Velocities<T: Real>: Copy + AsRef<[T]> + AsMut<[T]>;

    /// Zeros.
    fn coordinates_in_lanes<T: Real>() -> Self::Coordinates<T>;
    fn velocities_in_lanes<T: Real>() -> Self::Velocities<T>;

    /// What the constants are made of.
    fn parameters_in_lanes(&self) -> Vec<f64>;

    /// The constants of instances, from what [`parameters_in_lanes`](Self::parameters_in_lanes) gives for each.
    fn constants_in_lanes<T: Real>(parameters: &[T]) -> Self::Constants<T>;

    /// Accelerations, `[nv]`, at times t, s, with these inputs, coordinates and velocities.
    fn acceleration_in_lanes<T: Real>(
        constants: &Self::Constants<T>,
        t: T,
        inputs: &[T],
        q: &Self::Coordinates<T>,
        v: &Self::Velocities<T>,
        a: &mut Self::Velocities<T>,
    );
}

/// The error of a name that no parameter of a model has.
pub fn unknown_parameter(name: &str, info: &ModelInfo) -> UnknownParameter {
    UnknownParameter { name: name.to_owned(), known: info.parameters.clone() }
}

/// Placeholder of a model with compile errors, so that its uses cause no further errors; it never runs.
pub trait Placeholder: Send + Sync {}

impl<T: Placeholder> Model for T {
    fn describe(&self) -> &ModelInfo {
        unreachable!("a model with compile errors")
    }
    fn mass_matrix(&self, _q: &[f64], _out: &mut [f64]) {}
    fn bias_force(&self, _q: &[f64], _v: &[f64], _out: &mut [f64]) {}
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut [f64]) {}
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, _q: &[f64], _v: &[f64]) -> Energy {
        Energy::default()
    }
    fn outputs(&self, _state: &State, _out: &mut [f64]) {}
    fn residual(&self, _state: &State, _r: &mut [f64], _g: &mut [f64]) {}
    fn iteration_matrix(&self, _state: &State, _ca: f64, _cv: f64, _cq: f64, _values: &mut [f64]) {}
    fn damping(&self, _state: &State, _out: &mut [f64]) {}
    fn stiffness(&self, _state: &State, _out: &mut [f64]) {}
    fn reference_configuration(&self, _q: &mut [f64]) {}
    fn n_initial_conditions(&self) -> (usize, usize) {
        (0, 0)
    }
    fn initial_position(&self, _t: f64, _q: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
    fn initial_velocity(&self, _t: f64, _q: &[f64], _v: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattering_adds_what_was_gathered() {
        let positions = [2, 0];
        let mut values = [1.0, 2.0, 3.0];
        let gathered = gather(&values, &positions);
        assert_eq!(gathered, [3.0, 1.0]);
        scatter(&mut values, &positions, 2.0, &gathered);
        assert_eq!(values, [3.0, 2.0, 9.0]);
        add(&mut values, -1.0, &[1.0, 1.0, 1.0]);
        assert_eq!(values, [2.0, 1.0, 8.0]);
    }

    #[test]
    fn arrays_are_the_slices_they_come_from() {
        let mut values = vec![1.0, 2.0];
        array_mut::<_, 2>(&mut values)[1] = 5.0;
        assert_eq!(array::<_, 2>(&values), &[1.0, 5.0]);
        rows_mut::<1, 2>(&mut values)[0][1] = 6.0;
        assert_eq!(values, [1.0, 6.0]);
    }

    #[test]
    fn slices_of_another_length_are_refused() {
        let refused = |use_it: &dyn Fn(&mut [f64])| {
            [1, 3].into_iter().all(|len| {
                let panics = || use_it(&mut vec![0.0; len]);
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err()
            })
        };
        assert!(refused(&|values| _ = array::<_, 2>(values)));
        assert!(refused(&|values| _ = array_mut::<_, 2>(values)));
        assert!(refused(&|values| _ = rows_mut::<1, 2>(values)));
    }
}
