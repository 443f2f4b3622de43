//! Coefficients of integration schemes, one family per file, each entry with its source.
//!
//! Coefficients that depend on a parameter are functions of it, at full precision for every ρ∞ in [0, 1]; roots are
//! computed and not tabulated. Order, stability and the limit at infinity are tested for all entries. The algorithms of
//! the steps are in [`crate::schemes`].

mod ed_alpha;
mod esdirk;
mod msstc;
mod mssth;
mod multistep;
mod newmark;
mod predictor;
mod range;
mod runge_kutta;
mod single_step;
mod tableau;

pub use ed_alpha::ed_alpha;
pub use esdirk::{esdirk324, esdirk325, esdirk436sa2};
pub use msstc::{msstc, rho_bathe};
pub use mssth::{PUBLISHED_RHO_INFINITY, mssth, mssth_published};
pub use multistep::{Multistep, lms, lms2_variable};
pub use newmark::NewmarkFamily;
pub use predictor::{Predictor, constant, three_point, two_point};
pub use range::Range;
pub use runge_kutta::{
    bathe, dormand_prince, gauss, radau_iia3, radau_iia3_estimate, radau_iia5, radau_iia5_estimate, runge_kutta4,
    trapezoidal,
};
pub use single_step::{SingleStep, ss};
pub use tableau::Tableau;

use thiserror::Error;

/// Why a table of coefficients does not exist.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum TableError {
    /// A parameter outside its interval, or not finite.
    #[error("{parameter} must lie in {range}, but is {value}")]
    OutOfRange {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value.
        value: f64,
        /// The admissible range.
        range: Range,
    },
    /// The family has no member of this size.
    #[error("{family} exists for {least} to {most} {unit}, not for {count}")]
    NoMember {
        /// Name of the family.
        family: &'static str,
        /// What is counted.
        unit: &'static str,
        /// The requested number.
        count: usize,
        /// Least number.
        least: usize,
        /// Largest number.
        most: usize,
    },
}

/// ρ∞, the spectral radius for infinite frequency.
pub const RHO_INFINITY: Range = Range::closed(0.0, 1.0);

/// Rejects values outside a range.
fn check_range(parameter: &'static str, value: f64, range: Range) -> Result<(), TableError> {
    if range.contains(value) { Ok(()) } else { Err(TableError::OutOfRange { parameter, value, range }) }
}

/// Rejects spectral radii outside [0, 1].
fn check_rho(rho: f64) -> Result<(), TableError> {
    check_range("ρ∞", rho, RHO_INFINITY)
}

/// Rejects members that a family does not have.
fn check_member(
    family: &'static str,
    unit: &'static str,
    count: usize,
    least: usize,
    most: usize,
) -> Result<(), TableError> {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    Err(TableError::NoMember { family, unit, count, least, most })
}

/// The binomial coefficient (n over k).
fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |value, i| value * (n - i) as f64 / (i + 1) as f64)
}
