//! Linear multistep schemes LMS2, LMS3, LMS4: second order, A-stable, r-fold root −ρ∞ at infinity. [zhang, Eqs. 2-4]

use super::{Range, TableError, binomial, check_member, check_range, check_rho};

use crate::prelude::*;

/// `y_k = Σ_{j=1}^r α_j y_{k−j} + h Σ_{j=0}^r β_j ẏ_{k−j}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Multistep {
    /// α_1 … α_r.
    pub alpha: Vec<f64>,
    /// β_0 … β_r.
    pub beta: Vec<f64>,
}

impl Multistep {
    /// r, the number of old time points.
    pub fn steps(&self) -> usize {
        self.alpha.len()
    }
}

/// LMS with `r` = 2, 3 or 4 steps. [zhang, Eqs. 2-4]
///
/// At ρ∞ = 1 the root −1 is (r−1)-fold also for step size zero: rounding errors grow from step to step.
///
/// # Errors
/// For ρ∞ outside [0, 1] or other `r`.
///
/// # Examples
/// Consistent: Σ α = 1, and Σ β = Σ j α_j.
///
/// ```
/// use hamel::tables;
///
/// let table = tables::lms(3, 0.5)?;
/// assert!((table.alpha.iter().sum::<f64>() - 1.0).abs() < 1e-14);
/// let shift: f64 = table.alpha.iter().zip(1..).map(|(alpha, j)| alpha * f64::from(j)).sum();
/// assert!((table.beta.iter().sum::<f64>() - shift).abs() < 1e-14);
/// # Ok::<(), tables::TableError>(())
/// ```
pub fn lms(r: usize, rho_infinity: f64) -> Result<Multistep, TableError> {
    check_rho(rho_infinity)?;
    check_member("LMS", "steps", r, 2, 4)?;
    let polynomial = |coefficients: &[f64]| coefficients.iter().fold(0.0, |value, c| value * rho_infinity + c);
    let (divisor, factor, alpha) = match r {
        2 => (polynomial(&[-1.0, 3.0]), 2.0, vec![polynomial(&[-4.0, 4.0]), polynomial(&[3.0, -1.0])]),
        3 => (
            polynomial(&[1.0, -5.0, 10.0]),
            6.0,
            vec![
                3.0 * polynomial(&[2.0, -9.0, 5.0]),
                -3.0 * polynomial(&[5.0, -9.0, 2.0]),
                polynomial(&[10.0, -5.0, 1.0]),
            ],
        ),
        _ => (
            polynomial(&[-1.0, 7.0, -21.0, 35.0]),
            20.0,
            vec![
                4.0 * polynomial(&[-2.0, 13.0, -35.0, 14.0]),
                -4.0 * (1.0 - rho_infinity) * polynomial(&[7.0, -34.0, 7.0]),
                -4.0 * polynomial(&[14.0, -35.0, 13.0, -2.0]),
                polynomial(&[35.0, -21.0, 7.0, -1.0]),
            ],
        ),
    };
    let beta = (0..=r).map(|j| {
        let power: f64 = (0..j).map(|_| rho_infinity).product();
        factor * binomial(r, j) * power / ((1.0 + rho_infinity) * divisor)
    });
    Ok(Multistep { alpha: alpha.into_iter().map(|a| a / divisor).collect(), beta: beta.collect() })
}

/// α_1, α_2 and β_0, β_1, β_2 of LMS2 after a change of step size by the factor `ratio`, in units of the new step.
///
/// Second order and the double root −ρ∞ at infinity hold for every ratio; for ratio 1 it is [`lms`]. Nothing is
/// allocated, so that every step may change its size.
///
/// # Errors
/// For ρ∞ outside [0, 1], or a ratio that is not positive and finite.
///
/// # Examples
/// ```
/// use hamel::tables;
///
/// let (table, (alpha, beta)) = (tables::lms(2, 0.3)?, tables::lms2_variable(0.3, 1.0)?);
/// assert!(alpha.iter().zip(&table.alpha).all(|(a, b)| (a - b).abs() < 1e-15));
/// assert!(beta.iter().zip(&table.beta).all(|(a, b)| (a - b).abs() < 1e-15));
/// # Ok::<(), tables::TableError>(())
/// ```
pub fn lms2_variable(rho_infinity: f64, ratio: f64) -> Result<([f64; 2], [f64; 3]), TableError> {
    check_rho(rho_infinity)?;
    check_range("the ratio of step sizes", ratio, Range::POSITIVE)?;
    let square = (1.0 - rho_infinity) * (1.0 - rho_infinity);
    let divisor = 2.0 * (1.0 + ratio) - square;
    let b = ratio * (square * (2.0 + ratio) + 2.0 * (2.0 * rho_infinity - 1.0) * (1.0 + ratio)) / divisor;
    let d = 0.5 * ratio * ratio * square / divisor;
    // The formulas are in units of the old step.
    let beta = [d / ratio + 0.5 * ratio, 0.5 * b + 0.5 * ratio - d * (1.0 + ratio) / ratio, 0.5 * b + d];
    Ok(([1.0 - b, b], beta.map(|beta| beta / ratio)))
}
