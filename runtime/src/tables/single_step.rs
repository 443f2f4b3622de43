//! SS2, SS3, SS4: the multistep schemes rewritten with auxiliary derivatives, so that they start by themselves.
//!
//! With equal steps the sequence is that of LMS from the r-th step on. [zhang, Eqs. 8-11, 18-22]

use nalgebra::Complex;

use crate::prelude::*;

use super::{TableError, check_member, check_rho};

/// `y_k = y_{k−1} + h (B_0 ẏ_k + B_m ẏ_{k−1} + Σ_j B_j w^j_{k−1})`, j = 1 … r−1, and then from the first level up
/// `w^j_k = C_j w^j_{k−1} + D_j w^{j−1}_k + E_j w^{j−1}_{k−1}` with w⁰ = ẏ; all w start as ẏ.
///
/// B_0 and B_m are real, and so is the sum. Only w¹ is complex, for r = 3 and 4.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleStep {
    /// γ_0 … γ_{2r−2}, those with even index real.
    pub gamma: Vec<Complex<f64>>,
    /// B_0.
    pub b_new: f64,
    /// B_m.
    pub b_old: f64,
    /// B_1 … B_{r−1}.
    pub b: Vec<Complex<f64>>,
    /// C_1 … C_{r−1}.
    pub c: Vec<Complex<f64>>,
    /// D_1 … D_{r−1}.
    pub d: Vec<Complex<f64>>,
    /// E_1 … E_{r−1}.
    pub e: Vec<Complex<f64>>,
}

impl SingleStep {
    /// r, the number of steps of the equivalent multistep scheme.
    pub fn steps(&self) -> usize {
        self.b.len() + 1
    }
}

/// SS with the roots of LMS of `r` = 2, 3 or 4 steps. [zhang, Eqs. 8-11]
///
/// # Errors
/// For ρ∞ outside [0, 1] or other `r`.
///
/// # Examples
/// A constant derivative advances y by h times it: B_0 + B_m + Σ B_j = 1.
///
/// ```
/// let table = hamel::tables::ss(4, 0.2)?;
/// let sum = table.b.iter().sum::<hamel::nalgebra::Complex<f64>>() + table.b_new + table.b_old;
/// assert!((sum - 1.0).norm() < 1e-14);
/// # Ok::<(), hamel::tables::TableError>(())
/// ```
pub fn ss(r: usize, rho_infinity: f64) -> Result<SingleStep, TableError> {
    check_rho(rho_infinity)?;
    check_member("SS", "steps", r, 2, 4)?;
    let gamma = parameters(r, rho_infinity);
    // Level j belongs to this pair of an odd and an even parameter.
    let pair = |j: usize| (gamma[2 * (r - 1 - j) + 1], gamma[2 * (r - 1 - j) + 2]);
    // Product of the ratios of even to odd parameters of the levels above j, with the first even one.
    let chain = |j: usize| (j + 1..r).map(pair).fold(gamma[0], |product, (odd, even)| product * even / odd);
    let one = Complex::new(1.0, 0.0);

    let levels = 1..r;
    let b = levels.clone().map(|j| {
        let (odd, _) = pair(j);
        let even_below = gamma[2 * (r - 1 - j)];
        // γ_0 is in the chain as the even parameter of the level above.
        chain(j) / even_below * (odd - even_below) / odd
    });
    let (odd, even) = pair(1);
    Ok(SingleStep {
        b_new: chain(0).re,
        b_old: (chain(1) * (one - even) / odd).re,
        b: b.collect(),
        c: levels.clone().map(|j| (pair(j).0 - one) / pair(j).0).collect(),
        d: levels.clone().map(|j| pair(j).1 / pair(j).0).collect(),
        e: levels.map(|j| (one - pair(j).1) / pair(j).0).collect(),
        gamma,
    })
}

/// γ_0 … γ_{2r−2}: even ones 1/(1 + ρ∞), odd ones ½ + κ (1 − ρ∞)/(1 + ρ∞), with κ half the roots of the reversed
/// polynomial whose flat dissipation defines the scheme.
fn parameters(r: usize, rho_infinity: f64) -> Vec<Complex<f64>> {
    let real = |value: f64| Complex::new(value, 0.0);
    let kappa = match r {
        2 => vec![real(1.0)],
        3 => {
            let root = Complex::new(0.75, 15.0_f64.sqrt() / 12.0);
            vec![root, root.conj()]
        }
        _ => {
            // Cardano's formula for x³ − 4x² + (29/5)x − 16/5, κ = x/2.
            let (half, root) = (14.0 / 135.0, 7.0 / (15.0 * 15.0_f64.sqrt()));
            let (p, m) = ((half + root).cbrt(), (root - half).cbrt());
            let root = Complex::new(4.0 / 3.0 - 0.5 * (p - m), 0.75_f64.sqrt() * (p + m)) * 0.5;
            vec![real(0.5 * (4.0 / 3.0 + p - m)), root, root.conj()]
        }
    };
    let even = real(1.0 / (1.0 + rho_infinity));
    let odd = |kappa: &Complex<f64>| kappa * ((1.0 - rho_infinity) / (1.0 + rho_infinity)) + real(0.5);
    core::iter::once(even).chain(kappa.iter().flat_map(|kappa| [odd(kappa), even])).collect()
}
