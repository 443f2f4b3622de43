//! MSSTH in the form of [zhang]: stages of second order, steps of order n = 3, 4 or 5, any ρ∞.
//!
//! Conditions of order leave nodes free, two for n = 4 and one for n = 3 and 5; they touch neither order nor stability.
//! Published are nodes for ρ∞ = 0, 0.1, … 1. Between them they cross, near ρ∞ = 0.69, 0.66 and 0.90 for n = 3, 4 and 5,
//! where coefficients grow without bound, so that no family that is continuous in ρ∞ goes through all of them.
//! [`mssth`] has fixed nodes that never cross: its coefficients are smooth functions of ρ∞, of at most 3, 1.2 and 6.1, with
//! an error of order n + 1 at most a third above the smallest for n = 4. [`mssth_published`] has the published ones.

use super::{RHO_INFINITY, Range, TableError, Tableau, binomial, check_member, check_range, check_rho};

#[cfg(not(feature = "std"))]
use crate::prelude::*;

/// MSSTH with `n` = 3, 4 or 5 implicit stages, of order n; R(∞) = ρ∞ for n = 3 and 4, −ρ∞ for n = 5. Its coefficients
/// are smooth functions of ρ∞. [zhang, Sect. 2.3 and Appendix], with other nodes
///
/// # Errors
/// For ρ∞ outside [0, 1] or other `n`.
///
/// # Examples
/// Third order for n = 3: Σ b c² = 1/3.
///
/// ```
/// use hamel::tables;
///
/// let table = tables::mssth(3, 0.25)?;
/// let sum: f64 = table.weights.iter().zip(&table.nodes).map(|(b, c)| b * c * c).sum();
/// assert!((sum - 1.0 / 3.0).abs() < 1e-13);
/// assert!((table.at_infinity() - 0.25).abs() < 1e-12);
/// # Ok::<(), tables::TableError>(())
/// ```
pub fn mssth(n: usize, rho_infinity: f64) -> Result<Tableau, TableError> {
    check(n, rho_infinity)?;
    let gamma = gamma(n, rho_infinity);
    Ok(match n {
        3 => third_order(gamma, 0.6),
        4 => fourth_order(gamma, 0.5, 1.0),
        _ => fifth_order(gamma, 0.35, 0.8),
    })
}

/// ρ∞ for which coefficients of MSSTH are published.
pub const PUBLISHED_RHO_INFINITY: Range = RHO_INFINITY.in_steps_of(0.1);

/// MSSTH with the nodes that its authors computed with, which exist for ρ∞ = 0, 0.1, … 1.
/// [zhang, Sect. 2.3 and Appendix]
///
/// # Errors
/// Those of [`mssth`], and for ρ∞ between the published values.
///
/// # Examples
/// ```
/// use hamel::tables;
///
/// assert!(tables::mssth_published(4, 0.3).is_ok());
/// assert!(tables::mssth_published(4, 0.35).is_err());
/// ```
pub fn mssth_published(n: usize, rho_infinity: f64) -> Result<Tableau, TableError> {
    check(n, rho_infinity)?;
    check_range("ρ∞", rho_infinity, PUBLISHED_RHO_INFINITY)?;
    let place = (10.0 * rho_infinity).round() as usize;
    let gamma = gamma(n, rho_infinity);
    Ok(match n {
        3 => third_order(gamma, third_node(gamma)),
        4 => {
            let [c3, c4] = PUBLISHED_4[place];
            fourth_order(gamma, c3, c4)
        }
        _ => fifth_order(gamma, 0.1, PUBLISHED_5[place]),
    })
}

fn check(n: usize, rho_infinity: f64) -> Result<(), TableError> {
    check_rho(rho_infinity)?;
    check_member("MSSTH", "implicit stages", n, 3, 5)
}

/// c_3 and c_4 in MBDyn for ρ∞ = 0, 0.1, … 1: least of the functional that its authors minimised.
const PUBLISHED_4: [[f64; 2]; 11] = [
    [0.559_098_575_422_942, 0.741_401_166_483_361_4],
    [0.600_293_888_869_832_5, 0.758_412_987_578_060_6],
    [0.638_522_814_489_162_8, 0.773_143_665_960_453_5],
    [0.675_245_407_133_183, 0.786_031_206_412_243],
    [0.711_662_631_353_559_7, 0.797_251_481_920_316_7],
    [0.748_937_390_131_685_5, 0.806_714_074_742_676_1],
    [0.788_437_011_521_006_7, 0.813_966_252_941_912_4],
    [0.832_149_595_996_831_6, 0.817_930_103_200_660_6],
    [0.883_658_503_941_912_4, 0.816_247_894_650_030_3],
    [0.950_883_313_534_322_7, 0.803_629_535_256_903_3],
    [1.053_480_341_170_287_6, 0.768_930_536_261_737_6],
];

/// c_4 in MBDyn for ρ∞ = 0, 0.1, … 1, with c_3 = 1/10.
const PUBLISHED_5: [f64; 11] = [
    0.967_325_859_689_570_2,
    0.908_550_018_857_579_2,
    0.851_091_270_861_866_9,
    0.795_178_040_565_753_9,
    0.740_968_987_317_220_6,
    0.688_560_976_167_259,
    0.637_997_276_933_635_2,
    0.589_275_677_862_502_1,
    0.542_356_221_816_755_5,
    0.497_168_342_537_931_5,
    0.453_617_259_372_588_55,
];

/// γ from `Σ_j (−1)^j (n over j) γ^j / (n−j)! = ± ρ∞ γⁿ`: the coefficient that R has at infinity. [zhang, Sect. 2.3]
///
/// In x = 1/γ it is `Σ_j (−1)^j (n over j) x^{n−j} / (n−j)! ∓ ρ∞`, whose branch is followed from ρ∞ = 0.
pub(super) fn gamma(n: usize, rho_infinity: f64) -> f64 {
    let (start, sign) = match n {
        3 => (2.2943, -1.0),
        4 => (1.7457, 1.0),
        _ => (3.5965, 1.0),
    };
    let mut x = start;
    for step in 0..=8 {
        let limit = sign * rho_infinity * f64::from(step) / 8.0;
        for _ in 0..20 {
            let (mut value, mut derivative, mut coefficient) = (0.0, 0.0, 1.0);
            // Horner's scheme from the highest power, whose coefficient 1/n! is divided out of the loop.
            for j in 0..=n {
                derivative = derivative * x + value;
                value = value * x + coefficient;
                coefficient *= -binomial(n, j + 1) / binomial(n, j) * (n - j) as f64;
            }
            let factorial: f64 = (1..=n).map(|k| k as f64).product();
            let correction = (value - limit * factorial) / derivative;
            x -= correction;
            if correction.abs() <= f64::EPSILON * x {
                break;
            }
        }
    }
    1.0 / x
}

/// The node that makes the fourth moment of the weights right as well.
fn third_node(gamma: f64) -> f64 {
    let square = gamma * gamma;
    (24.0 * square - 20.0 * gamma + 3.0) / (24.0 * square - 24.0 * gamma + 4.0)
}

/// Third order with a free third node; its stages are of second order.
pub(super) fn third_order(gamma: f64, c3: f64) -> Tableau {
    let c2 = 2.0 * gamma;
    let a32 = c3 * (c3 - c2) / (4.0 * gamma);
    let b2 = (3.0 * c3 + 6.0 * gamma - 6.0 * c3 * gamma - 2.0) / (12.0 * gamma * (c3 - c2));
    let b3 = (6.0 * gamma * gamma - 6.0 * gamma + 1.0) / (3.0 * c3 * (c3 - c2));
    Tableau::esdirk(gamma, &[0.0, c2, c3, 1.0], &[&[], &[a32], &[b2, b3]], None)
}

/// Fourth order with free third and fourth nodes; its stages are of second order.
fn fourth_order(gamma: f64, c3: f64, c4: f64) -> Tableau {
    let c2 = 2.0 * gamma;
    let b = moments(gamma, [c2, c3, c4]);
    let (s3, s4) = (second_stage_order(gamma, c3), second_stage_order(gamma, c4));
    let a32 = s3 / c2;
    // b A c² = 1/12, where a_42 follows from a_43 by the order of the stage.
    let without =
        b[0] * gamma * c2 * c2 + b[1] * (s3 * c2 + gamma * c3 * c3) + b[2] * (s4 * c2 + gamma * c4 * c4) + gamma / 3.0;
    let a43 = (1.0 / 12.0 - without) / (b[2] * c3 * (c3 - c2));
    let a42 = (s4 - a43 * c3) / c2;
    Tableau::esdirk(gamma, &[0.0, c2, c3, c4, 1.0], &[&[], &[a32], &[a42, a43], &b], None)
}

/// Fifth order with free third and fourth nodes; its stages are of second order.
fn fifth_order(gamma: f64, c3: f64, c4: f64) -> Tableau {
    let (c2, c5) = (2.0 * gamma, fifth_node(gamma, c3));
    let c = [c2, c3, c4, c5];
    let b = moments(gamma, c);
    let s = c.map(|c| second_stage_order(gamma, c));
    // (A c^k)_i without a_43, a_53 and a_54; a_i2 is eliminated by the order of the stage, which leaves for each of
    // them c_j^k − c_j c_2^{k−1} = c_j (c_j − c_2) (c_j + c_2)^{k−2}.
    let known = |i: usize, k: i32| {
        let stage = if i == 0 { 0.0 } else { s[i] * c2.powi(k - 1) };
        stage + gamma * c[i].powi(k)
    };
    let sum = |k: i32| (0..4).map(|i| b[i] * known(i, k)).sum::<f64>();
    let at_nodes: f64 = (0..4).map(|i| b[i] * c[i] * known(i, 2)).sum();
    // b A c² = 1/12, b (c A c²) = 1/15, b A c³ = 1/20.
    let plain = 1.0 / 12.0 - gamma / 3.0 - sum(2);
    let weighted = 1.0 / 15.0 - gamma / 3.0 - at_nodes;
    let cubic = 1.0 / 20.0 - gamma / 4.0 - sum(3);
    // What stage 4 contributes to stage 5, stage 3 to stage 4, and stage 3 to stage 5.
    let from_4_to_5 = (cubic - (c3 + c2) * plain) / (c4 - c3);
    let from_3_to_4 = (weighted - c5 * plain) / (c4 - c5);
    let from_3_to_5 = plain - from_4_to_5 - from_3_to_4;
    let a43 = from_3_to_4 / (b[2] * c3 * (c3 - c2));
    let a53 = from_3_to_5 / (b[3] * c3 * (c3 - c2));
    let a54 = from_4_to_5 / (b[3] * c4 * (c4 - c2));

    let a32 = s[1] / c2;
    let a42 = (s[2] - a43 * c3) / c2;
    let a52 = (s[3] - a53 * c3 - a54 * c4) / c2;
    let inner: [&[f64]; 5] = [&[], &[a32], &[a42, a43], &[a52, a53, a54], &b];
    Tableau::esdirk(gamma, &[0.0, c2, c3, c4, c5, 1.0], &inner, None)
}

/// c_5 from the condition of the tall tree, b A A c² = 1/60.
fn fifth_node(g: f64, c3: f64) -> f64 {
    let polynomial = |coefficients: &[f64]| coefficients.iter().fold(0.0, |value, c| value * g + c);
    let numerator =
        c3 * polynomial(&[360.0, -336.0, 120.0, -18.0, 1.0]) + polynomial(&[-720.0, 848.0, -368.0, 64.0, -4.0, 0.0]);
    let denominator =
        c3 * polynomial(&[240.0, -240.0, 96.0, -16.0, 1.0]) + polynomial(&[-480.0, 600.0, -288.0, 56.0, -4.0, 0.0]);
    numerator / denominator
}

/// What the coefficients before the diagonal must give with the nodes: `Σ a_ij c_j = ½ c_i² − γ c_i`.
fn second_stage_order(gamma: f64, c: f64) -> f64 {
    c * (0.5 * c - gamma)
}

/// b_2 … b_{N+1} from `Σ b_j c_j^k = 1/(k+1) − γ`, k = 1 … N.
///
/// By Lagrange polynomials, because differences of nodes that nearly cross are exact.
fn moments<const N: usize>(gamma: f64, c: [f64; N]) -> [f64; N] {
    core::array::from_fn(|j| {
        // Coefficients of the product of x − c_i over the other nodes, from the highest power.
        let mut polynomial = [0.0; N];
        polynomial[0] = 1.0;
        let mut divisor = c[j];
        for i in (0..N).filter(|&i| i != j) {
            for power in (1..N).rev() {
                polynomial[power] -= c[i] * polynomial[power - 1];
            }
            divisor *= c[j] - c[i];
        }
        let moment = |(power, a): (usize, &f64)| a * (1.0 / (N - power + 1) as f64 - gamma);
        polynomial.iter().enumerate().map(moment).sum::<f64>() / divisor
    })
}
