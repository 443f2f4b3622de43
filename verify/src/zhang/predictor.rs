//! The sign of m₀ in the predictor of two points. [zhang, Eqs. 12-14]
//!
//! Taylor's theorem, by which the text derives the weights, gives `m₀ = −6 α² (1 + α)` and `m₁ = −m₀`. The text of the
//! article at hand has lost all signs and fraction bars of Eq. 14, so that it does not say what is printed.

use hamel::scheme::StepError;
use hamel::tables;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Style, at_most};

use crate::convergence::{self, Convergence};
use crate::linear::most;

/// α: the new step over the last one.
const RATIOS: [f64; 5] = [0.3, 0.7, 1.0, 1.6, 3.0];

pub(super) fn run() -> Result<Report, StepError> {
    let cubic = |sign: f64| {
        most(RATIOS.map(|ratio| (predict(sign, ratio, 0.4, |t| t.powi(3), |t| 3.0 * t * t) - 3.0 * 0.16).abs()))
    };
    // Of the derivative of a sine at h, from its values at 0 and at −h/α, where no derivative vanishes.
    let study = |sign: f64| {
        let error = |h: f64| {
            let predicted = predict(sign, 0.7, h, |t| (t + 1.0).sin(), |t| (t + 1.0).cos());
            (h, (predicted - (h + 1.0).cos()).abs())
        };
        Convergence::new([0.1, 0.05, 0.025, 0.0125].map(error).to_vec())
    };
    let (without_sign, corrected) = (study(1.0), study(-1.0));
    let weights = RATIOS.map(|ratio| {
        let (ours, derived) = (tables::two_point(ratio), weights(-1.0, ratio));
        let pairs = ours.values.into_iter().chain(ours.derivatives).zip(derived);
        most(pairs.map(|(ours, derived)| (ours - derived).abs() / derived.abs()))
    });
    let order = |what: &str, order: f64, study: &Convergence| {
        let expected = Expected::Order { order, tolerance: 0.1 };
        Claim::new(format!("order of the prediction with {what}"), "1", expected, study.last_order())
    };
    let named = [("m₀ = 6α²(1 + α)", &without_sign), ("m₀ = −6α²(1 + α)", &corrected)];
    let curve = |(name, study): (&str, &Convergence)| Curve::new(name, Style::LineAndMarkers, study.points.clone());
    Ok(Report {
        claims: vec![
            Claim::new(
                "largest error for a cubic, m₀ = −6α²(1 + α)",
                "1",
                at_most(4e-15, Origin::Rounding("of a cubic of the order of one")),
                cubic(-1.0),
            ),
            order("m₀ = 6α²(1 + α)", 0.0, &without_sign),
            order("m₀ = −6α²(1 + α)", 3.0, &corrected).in_words("σ = O((t_N − t_{N−1})³)"),
            Claim::new(
                "largest relative difference to the weights of `tables::two_point`",
                "1",
                at_most(3e-15, Origin::Rounding("of products of two factors")),
                most(weights),
            ),
        ],
        tables: vec![convergence::table("orders", "Error of the predicted cosine, α = 0.7", ("error", "1"), &named)],
        figures: vec![Figure {
            slug: "orders".into(),
            title: "Error of the prediction from two points".into(),
            caption: "The derivative of sin(t + 1), α = 0.7.".into(),
            x: Axis::log("h", "1"),
            y: Axis::log("error", "1"),
            curves: named.map(curve).to_vec(),
            slopes: Vec::new(),
        }],
        notes: vec![
            "The text of the article at hand has neither minus signs nor fraction bars in Eq. 14: “α = t N t N 1 t N 1 t N \
             2, m 0 = 6 α 2 ( 1 + α ) , m 1 = m 0”. With m₀ = −6α²(1 + α) and m₁ = −m₀ cubics are predicted exactly."
                .into(),
        ],
    })
}

/// m₀, m₁, n₀ and n₁ of Eq. 14 with this sign of m₀, and m₁ = −m₀.
fn weights(sign: f64, ratio: f64) -> [f64; 4] {
    let m = sign * 6.0 * ratio * ratio * (1.0 + ratio);
    [m, -m, (1.0 + ratio) * (1.0 + 3.0 * ratio), ratio * (2.0 + 3.0 * ratio)]
}

/// The derivative at h by Eq. 12, from the points 0 and −h/α.
fn predict(sign: f64, ratio: f64, h: f64, value: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64) -> f64 {
    let [m0, m1, n0, n1] = weights(sign, ratio);
    let before = -h / ratio;
    (m0 * value(0.0) + m1 * value(before)) / h + n0 * derivative(0.0) + n1 * derivative(before)
}
