//! The printed amplification matrix of generalized-α and its eigenvalues at infinity. [rezaei, Eqs. 96, 101, 103]
//!
//! The third state is the auxiliary acceleration A; Eq. 94 calls it a.

use hamel::linear_analysis::{Oscillator, spectral_radius};
use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel_report::{Claim, Expected, Origin, Report, at_most};
use nalgebra::{Complex, DMatrix};

use crate::linear::most;
use crate::origins::RADIUS;

/// 16β − (2γ + 1)² of Eq. 101 vanishes with β of Eq. 98. A dozen roundings, each of ε/2 of (2γ + 1)² = 4 (1 + s)² with
/// s = α_f − α_m, are left under the root, which is divided by 4β = (1 + s)²: at most 2 √(6ε), for s = 0.
const ROOT: Origin = Origin::Rounding("of 16β − (2γ + 1)² under a root, which is zero in exact arithmetic");
const PRODUCTS: Origin = Origin::Rounding("of products of three coefficients");

pub(super) fn run() -> Result<Report, StepError> {
    let steps = (-3..=3).map(|k| 10f64.powi(k));
    let deviation =
        most(steps.flat_map(|omega| families().map(move |family| (omega, family))).map(|(omega, family)| {
            let ours = family.amplification(Oscillator::undamped(omega));
            (printed(&family, omega) - &ours).amax() / ours.amax()
        }));
    let limit = |omega: f64, radius: fn(&NewmarkFamily) -> f64| {
        most(families().map(|family| {
            let found = spectral_radius(&family.amplification(Oscillator::undamped(omega)));
            (found - radius(&family)).abs()
        }))
    };
    let approach = (limit(1e5, limit_103) / limit(1e6, limit_103)).log10();
    Ok(Report {
        claims: vec![
            Claim::new("largest relative difference of Eq. 96 to our matrix", "1", at_most(4e-15, PRODUCTS), deviation),
            Claim::new(
                "largest difference of the spectral radius at Ω = 10⁷ to Eq. 101",
                "1",
                at_most(2.0 * (6.0 * f64::EPSILON).sqrt(), ROOT),
                limit(1e7, limit_101),
            ),
            Claim::new(
                "order in 1/Ω with which the spectral radius tends to Eq. 103 with λ₃ of Eq. 101, Ω = 10⁵ and 10⁶",
                "1",
                Expected::Order { order: 2.0, tolerance: 0.01 },
                approach,
            ),
            Claim::new(
                "largest difference of ρ∞ of Eq. 104 to Eq. 101",
                "1",
                at_most(1e-15, RADIUS),
                most((0..=10).map(|k| {
                    let rho = f64::from(k) / 10.0;
                    (limit_101(&NewmarkFamily::generalized_alpha(rho)) - rho).abs()
                })),
            ),
        ],
        notes: vec![
            "Over α_m from −1 to 0.4 and α_f from α_m to 0.45, β and γ by Eqs. 98 and 102. Double eigenvalues at infinity \
             are approached by conjugate pairs, whose modulus is off by a multiple of the inverse square of Ω."
                .into(),
        ],
        ..Report::default()
    })
}

/// Parameters over the domain of stability.
fn families() -> impl Iterator<Item = NewmarkFamily> {
    let pairs = (0..8).flat_map(|i| (0..8).map(move |j| (-1.0 + 0.2 * f64::from(i), f64::from(j) / 7.0)));
    pairs.map(|(alpha_m, part)| NewmarkFamily::second_order(alpha_m, alpha_m + part * (0.45 - alpha_m)))
}

/// Eq. 96.
fn printed(family: &NewmarkFamily, omega: f64) -> DMatrix<f64> {
    let NewmarkFamily { beta, gamma, alpha_m: m, alpha_f: f } = *family;
    let s = omega * omega;
    let divisor = 1.0 - m + (1.0 - f) * beta * s;
    let rows = [
        [1.0 - m - f * beta * s, 1.0 - m, (0.5 - beta) * (1.0 - m) - beta * m],
        [
            -gamma * s,
            1.0 - m - (1.0 - f) * (gamma - beta) * s,
            (1.0 - gamma) * (1.0 - m) - gamma * m - (1.0 - f) * (0.5 * gamma - beta) * s,
        ],
        [-s, -(1.0 - f) * s, -(1.0 - f) * (0.5 - beta) * s - m],
    ];
    DMatrix::from_fn(3, 3, |i, j| rows[i][j] / divisor)
}

/// Largest modulus of Eq. 101.
fn limit_101(family: &NewmarkFamily) -> f64 {
    let NewmarkFamily { beta, gamma, alpha_f, .. } = *family;
    let sum = 2.0 * gamma + 1.0;
    let root = Complex::from(16.0 * beta - sum * sum).sqrt() * Complex::i();
    let pair = [root, -root].map(|root| ((root + 4.0 * beta - sum) / (4.0 * beta)).norm());
    pair[0].max(pair[1]).max((alpha_f / (alpha_f - 1.0)).abs())
}

/// Largest modulus of Eq. 103 and of λ₃.
fn limit_103(family: &NewmarkFamily) -> f64 {
    let shift = family.alpha_f - family.alpha_m;
    ((shift - 1.0) / (shift + 1.0)).abs().max((family.alpha_f / (family.alpha_f - 1.0)).abs())
}
