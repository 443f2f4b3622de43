//! The ED-α scheme as a Runge-Kutta scheme whose second and third stage are solved together.

use core::ops::Bound;

use crate::prelude::*;

use super::{Range, TableError, Tableau, check_range, check_rho};

/// ED-α with its three stages i, j and i+1; j stands at the beginning of the step. [rezaei, Eqs. 68-84]
///
/// Second order, third for linear problems if `alpha_ar` is 1/6; R(∞) = ρ∞ for every `alpha_ar` in (0, ½].
///
/// # Errors
/// For parameters outside their intervals.
///
/// # Examples
/// ```
/// use hamel::tables;
///
/// assert!((tables::ed_alpha(0.6, 1.0 / 6.0)?.at_infinity() - 0.6).abs() < 1e-14);
/// assert!(tables::ed_alpha(0.6, 0.7).is_err());
/// # Ok::<(), tables::TableError>(())
/// ```
pub fn ed_alpha(rho_infinity: f64, alpha_ar: f64) -> Result<Tableau, TableError> {
    check_rho(rho_infinity)?;
    check_range("α_AR", alpha_ar, Range { highest: Bound::Included(0.5), ..Range::POSITIVE })?;
    let alpha = (1.0 - rho_infinity) / (1.0 + rho_infinity);
    let matrix = vec![vec![0.0; 3], vec![alpha_ar * (1.0 - alpha), alpha_ar * alpha, -alpha_ar], vec![0.0, 0.5, 0.5]];
    Ok(Tableau { nodes: vec![0.0, 0.0, 1.0], weights: vec![0.0, 0.5, 0.5], matrix, embedded: None })
}
