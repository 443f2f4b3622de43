//! Newmark's corrector with a fixed number of corrections, β = ¼ and γ = ½. [simo, Sect. 4.3]
//!
//! What the chapter says of γ holds for the converged corrector only.

use hamel::linear_analysis::newmark_corrector;
use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel_report::{Axis, Claim, Expected, Figure, Origin, Proof, Report, Style, at_most};

use crate::linear::{Method, most};
use crate::origins::RADIUS;

const PRINTED: &str = "corrections are repeated a predefined number of times; γ = ½ gives no damping";
/// How near limits of stability are found: a radius exceeds one by rounding before it does by growth.
const LIMIT: f64 = 1e-8;

pub(super) fn run() -> Result<Report, StepError> {
    let corrected = |corrections: u32| {
        let name = format!("{corrections} correction{}", if corrections == 1 { "" } else { "s" });
        Method::new(name, move |oscillator| newmark_corrector(0.25, 0.5, corrections, oscillator))
    };
    let converged = NewmarkFamily::newmark(0.25, 0.5);
    let converged = Method::new("converged", move |oscillator| converged.amplification(oscillator));
    let [one, two, three, forty] = [1, 2, 3, 40].map(corrected);
    let limit = |method: &Method| method.stability_limit(10.0).unwrap_or(f64::INFINITY);
    let difference =
        |omega: f64| (forty.mode(omega).period_elongation() - converged.mode(omega).period_elongation()).abs();
    // The product of the roots is 1 − s²/4 with one correction, 1 + s³/16 with two, s = (ωT)².
    let products: [fn(f64) -> f64; 2] = [|s| 1.0 - s * s / 4.0, |s| 1.0 + s * s * s / 16.0];
    let off = |method: &Method, product: fn(f64) -> f64| {
        let radius = |omega: f64| (method.radius(omega) - product(omega * omega).sqrt()).abs();
        most((1..=10).map(|k| radius(0.1 * f64::from(k))))
    };
    let claims = vec![
        Claim::new(
            "spectral radius with one correction beside √(1 − (ωT)⁴/4), largest difference, ωT from 0.1 to 1",
            "1",
            at_most(2e-15, RADIUS),
            off(&one, products[0]),
        )
        .refutes(PRINTED, Proof::ClosedForm, "True of the converged corrector. One correction damps."),
        Claim::new(
            "spectral radius with two corrections beside √(1 + (ωT)⁶/16), largest difference, ωT from 0.1 to 1",
            "1",
            at_most(2e-15, RADIUS),
            off(&two, products[1]),
        )
        .refutes(
            PRINTED,
            Proof::ClosedForm,
            "True of the converged corrector. With two corrections every motion grows.",
        ),
        Claim::new(
            "limit of the stable ωT with one correction, √2",
            "1",
            Expected::Theory { value: 2.0_f64.sqrt(), tolerance: LIMIT },
            limit(&one),
        ),
        Claim::new(
            "limit of the stable ωT with three corrections, where 1 − s/4 + s²/16 − s³/32 = 0 with s = (ωT)²",
            "1",
            Expected::Theory { value: three_corrections(), tolerance: LIMIT },
            limit(&three),
        ),
        Claim::new(
            "difference of the period error with forty corrections to the converged scheme, step a tenth of the period",
            "1",
            at_most(2e-15, Origin::Rounding("of a phase of the order of one")),
            difference(0.1),
        ),
    ];
    Ok(Report {
        claims,
        figures: vec![Figure {
            slug: "radius".into(),
            title: "Spectral radius by the number of corrections, β = ¼, γ = ½".into(),
            caption: "The iteration converges for β(ωT)² < 1, left of 0.32.".into(),
            x: Axis::linear("step size over period", "1"),
            y: Axis::linear("ρ", "1").within(0.85, 1.15),
            curves: [&one, &two, &three, &converged].map(|method| method.radius_curve(Style::Line, 0.02, 0.4)).to_vec(),
            slopes: Vec::new(),
        }],
        ..Report::default()
    })
}

/// The root of 1 − s/4 + s²/16 − s³/32, by Newton's method, as ωT.
fn three_corrections() -> f64 {
    let improved = |s: f64| {
        let value = 1.0 - s / 4.0 + s * s / 16.0 - s * s * s / 32.0;
        s - value / (-0.25 + s / 8.0 - 3.0 * s * s / 32.0)
    };
    (0..20).fold(3.0, |s, _| improved(s)).sqrt()
}
