//! MSSTC and ρ∞-Bathe: chains of trapezoidal rules, closed by a stage that makes the dissipation as flat as possible.
//!
//! With w = γz the factor of a step is `R = Σ A_p w^p / (1 − w)ⁿ`. Second order fixes A_1 and A_2, the limit at infinity
//! A_n = ρ∞, and the rest follows from `|1 − iy|²ⁿ − |Σ A_p (iy)^p|²` being a multiple of y²ⁿ. [zhang, Eqs. 5-7]

use nalgebra::{DMatrix, DVector};

use crate::prelude::*;

use super::{TableError, Tableau, binomial, check_member, check_rho};

/// The ρ∞-Bathe scheme with three stages, second order, R(∞) = ρ∞. [zhang, Eq. 7]
///
/// # Errors
/// For ρ∞ outside [0, 1].
///
/// # Examples
/// ```
/// use hamel::tables;
///
/// let table = tables::rho_bathe(0.3)?;
/// assert!((table.at_infinity() - 0.3).abs() < 1e-14);
/// // At ρ∞ = 1 two trapezoidal rules of half the step.
/// assert!((tables::rho_bathe(1.0)?.nodes[1] - 0.5).abs() < 1e-15);
/// # Ok::<(), tables::TableError>(())
/// ```
pub fn rho_bathe(rho_infinity: f64) -> Result<Tableau, TableError> {
    check_rho(rho_infinity)?;
    // The quadratic formula of the source in a form without cancellation.
    let gamma = 1.0 / (2.0 + (2.0 * (1.0 + rho_infinity)).sqrt());
    let weight = (1.0 - 2.0 * gamma) / (4.0 * gamma);
    Ok(Tableau::esdirk(gamma, &[0.0, 2.0 * gamma, 1.0], &[&[], &[weight]], None))
}

/// MSSTC with `n` = 3, 4 or 5 implicit stages, second order, |R(∞)| = ρ∞ with the sign of (−1)ⁿ. [zhang, Sect. 2.3]
///
/// # Errors
/// For ρ∞ outside [0, 1] or other `n`.
///
/// # Examples
/// ```
/// use hamel::tables;
///
/// assert!((tables::msstc(3, 0.4)?.at_infinity() + 0.4).abs() < 1e-12);
/// assert!((tables::msstc(4, 0.4)?.at_infinity() - 0.4).abs() < 1e-12);
/// assert!(tables::msstc(6, 0.4).is_err());
/// # Ok::<(), tables::TableError>(())
/// ```
pub fn msstc(n: usize, rho_infinity: f64) -> Result<Tableau, TableError> {
    check_rho(rho_infinity)?;
    check_member("MSSTC", "implicit stages", n, 3, 5)?;
    let (gamma, numerator) = flattest(n, rho_infinity);
    let weights = closing_weights(n, &numerator);

    let nodes: Vec<f64> = (0..n).map(|k| 2.0 * k as f64 * gamma).chain([1.0]).collect();
    let chain = vec![2.0 * gamma; n];
    let closing: Vec<f64> = weights[1..].iter().map(|b| b * gamma).collect();
    let inner: Vec<&[f64]> = (0..n - 1).map(|k| &chain[..k]).chain([&closing[..]]).collect();
    Ok(Tableau::esdirk(gamma, &nodes, &inner, None))
}

/// γ and A_0 … A_n of the flattest dissipation.
///
/// The unknowns are x = 1/γ and A_3 … A_{n−1}. At ρ∞ = 1 the scheme is n equal trapezoidal steps, from where the
/// solution is followed.
fn flattest(n: usize, rho_infinity: f64) -> (f64, Vec<f64>) {
    let mut x = 2.0 * n as f64;
    let mut a: Vec<f64> = (0..=n).map(|p| binomial(n, p)).collect();
    let steps = 8;
    for step in 1..=steps {
        a[n] = 1.0 - (1.0 - rho_infinity) * f64::from(step) / f64::from(steps);
        for _ in 0..20 {
            let correction = flatness(n, x, &a);
            x -= correction[0];
            set_second_order(n, x, &mut a);
            for p in 3..n {
                a[p] -= correction[p - 2];
            }
            if correction.amax() <= 4.0 * f64::EPSILON * x {
                break;
            }
        }
    }
    (1.0 / x, a)
}

/// A_1 and A_2 of a scheme of second order.
fn set_second_order(n: usize, x: f64, a: &mut [f64]) {
    let n = n as f64;
    a[1] = x - n;
    a[2] = 0.5 * x * x - n * x + 0.5 * n * (n - 1.0);
}

/// Newton's correction of (x, A_3 … A_{n−1}) for `A_k² + 2 Σ_{i<k} (−1)^{k−i} A_i A_{2k−i} = (n over k)`, k = 2 … n−1.
fn flatness(n: usize, x: f64, a: &[f64]) -> DVector<f64> {
    let size = n - 2;
    let sign = |k: usize, i: usize| if (k + i).is_multiple_of(2) { 1.0 } else { -1.0 };
    let at = |p: usize| if p <= n { a[p] } else { 0.0 };
    let residual = DVector::from_fn(size, |row, _| {
        let k = row + 2;
        let mixed: f64 = (0..k).map(|i| sign(k, i) * a[i] * at(2 * k - i)).sum();
        a[k] * a[k] + 2.0 * mixed - binomial(n, k)
    });
    // The square of A_k counts A_k twice, like each mixed product counts both of its factors.
    let by = |k: usize, p: usize| if p <= 2 * k { 2.0 * sign(k, p) * at(2 * k - p) } else { 0.0 };
    let jacobian = DMatrix::from_fn(size, size, |row, column| match column {
        0 => by(row + 2, 1) + by(row + 2, 2) * (x - n as f64),
        _ => by(row + 2, column + 2),
    });
    jacobian.lu().solve(&residual).unwrap_or_else(|| DVector::from_element(size, f64::NAN))
}

/// b_1/γ … b_n/γ from `Σ_j b_j/γ · w (1+w)^{j−1} (1−w)^{n−j} = Σ_p A_p w^p − (1−w)^{n−1}`.
fn closing_weights(n: usize, numerator: &[f64]) -> Vec<f64> {
    let product = |plus: usize, minus: usize, power: usize| -> f64 {
        (0..=power)
            .filter(|&i| i <= plus && power - i <= minus)
            .map(|i| {
                binomial(plus, i) * binomial(minus, power - i) * if (power - i).is_multiple_of(2) { 1.0 } else { -1.0 }
            })
            .sum()
    };
    let matrix = DMatrix::from_fn(n, n, |power, j| product(j, n - 1 - j, power));
    let rhs = DVector::from_fn(n, |power, _| numerator[power + 1] - product(0, n - 1, power + 1));
    matrix.lu().solve(&rhs).map_or_else(|| vec![f64::NAN; n], |weights| weights.as_slice().to_vec())
}
