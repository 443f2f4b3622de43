//! Integration schemes, one family per file, and their registry by name.
//!
#![doc = include_str!("../../schemes.md")]

mod constraint_rows;
mod coupled;
mod coupled_estimate;
mod coupled_map;
mod coupled_matrix;
mod diagonally_implicit;
mod explicit;
mod half_explicit;
mod iteration_matrix;
mod linear_multistep;
mod modified_hht;
mod newmark;
mod newmark_step;
mod quadrature_estimate;
mod registry;
mod runge_kutta;
mod single_step;
mod time_point;

pub use coupled::Coupled;
pub use diagonally_implicit::DiagonallyImplicit;
pub use explicit::{Corrections, Form, ModifiedEuler, NewmarkPredictorCorrector, RungeKuttaLike};
pub use half_explicit::{HalfExplicit, Moreau};
pub use linear_multistep::LinearMultistep;
pub(crate) use registry::has_stages_beyond;
pub use registry::{Entry, FAMILIES, Family, Parameter, Stability, all, by_name, caution, entries, suitable};
pub use runge_kutta::{DormandPrince, RungeKutta};
pub use single_step::SingleStep;

use crate::digits::Digits;
use crate::prelude::*;
use crate::step::StepError;
use crate::tables::{Range, TableError};

/// Steps that differ by less than this fraction of their length are equal: sums of times are rounded.
const SAME_STEP: f64 = 1e-9;

/// Whether a step has the same length as the previous one, up to rounding.
fn is_same_step(dt: f64, last: f64) -> bool {
    (dt - last).abs() <= SAME_STEP * last
}

/// Rejects step sizes that are not positive and finite, as each [`Stepper::step`](crate::scheme::Stepper::step) has to.
///
/// # Errors
/// [`StepError::BadParameter`] with the scheme and the length, s.
///
/// # Examples
/// ```
/// use hamel::schemes::check_step_size;
///
/// assert!(check_step_size("mine", 1e-3).is_ok());
/// assert!([0.0, -1e-3, f64::NAN].into_iter().all(|dt| check_step_size("mine", dt).is_err()));
/// ```
pub fn check_step_size(scheme: &str, dt: f64) -> Result<(), StepError> {
    if dt.is_finite() && dt > 0.0 {
        return Ok(());
    }
    let reason = format!("the step size must be positive and finite, but is {} s", Digits(dt));
    Err(StepError::BadParameter { scheme: scheme.to_owned(), reason })
}

/// Rejects parameters out of their range.
fn check_range(scheme: &str, name: &str, value: f64, range: Range) -> Result<(), StepError> {
    if range.contains(value) {
        return Ok(());
    }
    let reason = format!("{name} must lie in {range}, but is {}", Digits(value));
    Err(StepError::BadParameter { scheme: scheme.to_owned(), reason })
}

/// The error of a scheme without coefficients.
fn bad_table(scheme: &str, error: &TableError) -> StepError {
    StepError::BadParameter { scheme: scheme.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
#[path = "../../tests/common/mod.rs"]
pub(crate) mod common;
