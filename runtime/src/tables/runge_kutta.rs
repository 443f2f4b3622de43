//! Runge-Kutta schemes without a parameter: trapezoidal rule, Bathe, an explicit pair, and the classical ones of high order.

use super::Tableau;

use crate::prelude::*;

/// The trapezoidal rule, second order. [zhang, Sect. 2]
///
/// # Examples
/// `|R(∞)| = 1`: there is no damping at any frequency.
///
/// ```
/// assert!((hamel::tables::trapezoidal().at_infinity().abs() - 1.0).abs() < 1e-15);
/// ```
pub fn trapezoidal() -> Tableau {
    Tableau::stiffly_accurate(vec![vec![0.0, 0.0], vec![0.5, 0.5]], None)
}

/// Bathe's scheme: trapezoidal rule over half a step, then the backward difference over three points; second order.
/// [rezaei, Eqs. 58-67]
///
/// It is not the member ρ∞ = 0 of [`rho_bathe`](super::rho_bathe), whose first part is longer than half a step.
///
/// # Examples
/// L-stable, with weights that are the last row of the matrix.
///
/// ```
/// let table = hamel::tables::bathe();
/// assert!(table.is_stiffly_accurate() && table.at_infinity().abs() < 1e-15);
/// ```
pub fn bathe() -> Tableau {
    let third = 1.0 / 3.0;
    let matrix = vec![vec![0.0; 3], vec![0.25, 0.25, 0.0], vec![third; 3]];
    Tableau { nodes: vec![0.0, 0.5, 1.0], weights: vec![third; 3], matrix, embedded: None }
}

/// The classical explicit scheme of fourth order.
///
/// # Examples
/// Weights and nodes are those of Simpson's rule, which is exact up to the third degree.
///
/// ```
/// let table = hamel::tables::runge_kutta4();
/// for degree in 0..4 {
///     let sum: f64 = table.weights.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(degree)).sum();
///     assert!((sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15);
/// }
/// ```
pub fn runge_kutta4() -> Tableau {
    Tableau {
        nodes: vec![0.0, 0.5, 0.5, 1.0],
        matrix: vec![vec![0.0; 4], vec![0.5, 0.0, 0.0, 0.0], vec![0.0, 0.5, 0.0, 0.0], vec![0.0, 0.0, 1.0, 0.0]],
        weights: vec![1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        embedded: None,
    }
}

/// The explicit pair of Dormand and Prince, orders 5 and 4; the last stage is the end of the step.
///
/// # Examples
/// The weights have fifth order, the embedded ones fourth order: Σ b c⁴ = 1/5 and Σ b̂ c³ = 1/4.
///
/// ```
/// let table = hamel::tables::dormand_prince();
/// let moment = |b: &[f64], k| b.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(k)).sum::<f64>();
/// let embedded = table.embedded.as_deref().expect("embedded weights");
/// assert!((moment(&table.weights, 4) - 1.0 / 5.0).abs() < 1e-13);
/// assert!((moment(embedded, 3) - 1.0 / 4.0).abs() < 1e-13);
/// ```
pub fn dormand_prince() -> Tableau {
    let rows: [&[f64]; 7] = [
        &[],
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ];
    let matrix = rows.iter().map(|row| [row, &vec![0.0; rows.len() - row.len()][..]].concat()).collect();
    let embedded =
        vec![5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0, -92097.0 / 339200.0, 187.0 / 2100.0, 1.0 / 40.0];
    Tableau::stiffly_accurate(matrix, Some(embedded))
}

/// Radau IIA with two stages: order 3, L-stable.
///
/// # Examples
/// Weights and nodes integrate polynomials up to the second degree exactly.
///
/// ```
/// let table = hamel::tables::radau_iia3();
/// for degree in 0..3 {
///     let sum: f64 = table.weights.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(degree)).sum();
///     assert!((sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15);
/// }
/// ```
pub fn radau_iia3() -> Tableau {
    Tableau::stiffly_accurate(vec![vec![5.0 / 12.0, -1.0 / 12.0], vec![0.75, 0.25]], None)
}

/// An estimate of the error of [`radau_iia3`] like [`radau_iia5_estimate`], to an embedded scheme of second order.
///
/// The matrix has no real eigenvalue; γ₀ = 1/√6 is the size of the complex ones.
///
/// # Examples
/// It vanishes where y is a parabola: γ₀ + Σ d = 0, Σ d c = 0.
///
/// ```
/// let (gamma, weights) = hamel::tables::radau_iia3_estimate();
/// let nodes = hamel::tables::radau_iia3().nodes;
/// let moment = |power| -> f64 { weights.iter().zip(&nodes).map(|(d, c)| d * c.powi(power)).sum() };
/// assert!((gamma + moment(0)).abs() < 1e-15 && moment(1).abs() < 1e-15);
/// ```
pub fn radau_iia3_estimate() -> (f64, [f64; 2]) {
    let gamma = 1.0 / 6.0_f64.sqrt();
    (gamma, [-1.5 * gamma, 0.5 * gamma])
}

/// Radau IIA with three stages, fifth order and L-stable: collocation at the zeros of a Jacobi polynomial and the end.
///
/// # Examples
/// Weights and nodes integrate polynomials up to the fourth degree exactly.
///
/// ```
/// let table = hamel::tables::radau_iia5();
/// for degree in 0..5 {
///     let sum: f64 = table.weights.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(degree)).sum();
///     assert!((sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15);
/// }
/// ```
pub fn radau_iia5() -> Tableau {
    let r = 6.0_f64.sqrt();
    let matrix = vec![
        vec![(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0],
        vec![(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0],
        vec![(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0],
    ];
    let weights = matrix[2].clone();
    Tableau { nodes: vec![(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0], matrix, weights, embedded: None }
}

/// The estimate of the error of [`radau_iia5`]: γ₀, the real eigenvalue of its matrix, and weights d of its stages, for
/// `e = h (γ₀ f(t, y + e) + Σ d f)`. [Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. IV.8]
///
/// Without e on the right side it is the difference to an embedded scheme of third order; with it, errors of components
/// that are infinitely fast stay as small as these.
///
/// # Examples
/// It vanishes where y is a cubic: γ₀ + Σ d = 0, Σ d c = 0, Σ d c² = 0.
///
/// ```
/// let (gamma, weights) = hamel::tables::radau_iia5_estimate();
/// let nodes = hamel::tables::radau_iia5().nodes;
/// let moment = |power| -> f64 { weights.iter().zip(&nodes).map(|(d, c)| d * c.powi(power)).sum() };
/// assert!((gamma + moment(0)).abs() < 1e-14 && moment(1).abs() < 1e-14 && moment(2).abs() < 1e-14);
/// ```
pub fn radau_iia5_estimate() -> (f64, [f64; 3]) {
    let gamma = (6.0 + 81.0_f64.cbrt() - 9.0_f64.cbrt()) / 30.0;
    let r = 7.0 * 6.0_f64.sqrt();
    // The weights of the increments of the stages.
    let increments = [-13.0 - r, -13.0 + r, -1.0].map(|weight| gamma / 3.0 * weight);
    let matrix = radau_iia5().matrix;
    let weight = |stage: usize| increments.iter().zip(&matrix).map(|(e, row)| e * row[stage]).sum();
    (gamma, [weight(0), weight(1), weight(2)])
}

/// Gauss with three stages, sixth order and without dissipation: collocation at the zeros of a Legendre polynomial.
///
/// # Examples
/// Weights and nodes integrate polynomials up to the fifth degree exactly.
///
/// ```
/// let table = hamel::tables::gauss();
/// for degree in 0..6 {
///     let sum: f64 = table.weights.iter().zip(&table.nodes).map(|(b, c)| b * c.powi(degree)).sum();
///     assert!((sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15);
/// }
/// ```
pub fn gauss() -> Tableau {
    let r = 15.0_f64.sqrt();
    Tableau {
        nodes: vec![0.5 - r / 10.0, 0.5, 0.5 + r / 10.0],
        matrix: vec![
            vec![5.0 / 36.0, 2.0 / 9.0 - r / 15.0, 5.0 / 36.0 - r / 30.0],
            vec![5.0 / 36.0 + r / 24.0, 2.0 / 9.0, 5.0 / 36.0 - r / 24.0],
            vec![5.0 / 36.0 + r / 30.0, 2.0 / 9.0 + r / 15.0, 5.0 / 36.0],
        ],
        weights: vec![5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0],
        embedded: None,
    }
}
