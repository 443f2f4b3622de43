//! Newmark's corrector with a fixed number of corrections, β = ¼ and γ = ½. [simo, Sect. 4.3]
//!
//! The chapter's statements about β and γ hold for the converged corrector only.

use hamel::linear_analysis::newmark_corrector;
use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel_report::{Axis, Claim, Figure, Origin, Proof, Report, Style, at_least, at_most};

use crate::linear::{Method, most};
use crate::origins::SOME;

const PRINTED: &str = "γ = ½ gives no damping, β = ¼ is unconditionally stable";

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
    let claims = vec![
        Claim::new(
            "amplitude decay with one correction at a twentieth of the period",
            "1",
            at_least(1e-3, SOME),
            one.mode(0.05).amplitude_decay(),
        )
        .refutes(PRINTED, Proof::ClosedForm, "The corrector has not converged: one correction damps."),
        Claim::new(
            "least growth a step with two corrections, ωT from 0.1 to 2, minus one",
            "1",
            at_least(1e-8, SOME),
            -most((1..=20).map(|k| 1.0 - two.radius(0.1 * f64::from(k)))),
        )
        .refutes(PRINTED, Proof::ClosedForm, "With two corrections every motion grows."),
        Claim::new("largest stable ωT with one correction", "1", at_most(1.42, Origin::Recorded), limit(&one)).refutes(
            PRINTED,
            Proof::ClosedForm,
            "Stable up to about 1.41 only.",
        ),
        Claim::new("largest stable ωT with three corrections", "1", at_most(1.72, Origin::Recorded), limit(&three))
            .refutes(PRINTED, Proof::ClosedForm, "Stable up to about 1.72 only."),
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
