//! Modified Euler and the scheme like Runge and Kutta's on the undamped oscillator. [simo, Sects. 4.1, 4.2]

use hamel::linear_analysis::{modified_euler, runge_kutta_like};
use hamel::scheme::StepError;
use hamel_report::{Axis, Claim, Expected, Figure, Proof, Report, Style, at_most};

use crate::linear::{Method, most};
use crate::origins::RADIUS;

pub(super) fn run() -> Result<Report, StepError> {
    let methods =
        [Method::new("modified Euler", modified_euler), Method::new("like Runge-Kutta, corrected", runge_kutta_like)];
    let limit = |method: &Method| method.stability_limit(10.0).unwrap_or(f64::INFINITY);
    let decay = |method: &Method| most((1..=19).map(|k| (method.radius(0.1 * f64::from(k)) - 1.0).abs()));
    let phase_order = |method: &Method| {
        let error = |step: f64| method.mode(step).period_elongation().abs();
        (error(0.02) / error(0.01)).log2()
    };
    let claims = vec![
        Claim::new(
            "limit of the ωT at which modified Euler is stable",
            "1",
            Expected::Theory { value: 2.0, tolerance: 1e-14 },
            limit(&methods[0]),
        )
        .refutes(
            "stable for linear models without damping",
            Proof::ClosedForm,
            "Only for ωT < 2: at 2 both roots are −1 with one eigenvector, and motions grow.",
        ),
        Claim::new(
            "largest deviation of the spectral radius of modified Euler from one, ωT < 2",
            "1",
            at_most(3e-15, RADIUS),
            decay(&methods[0]),
        )
        .in_words("stable without damping"),
        Claim::new(
            "largest ωT at which the scheme like Runge and Kutta's is stable, √(12 − 4√3)",
            "1",
            Expected::Theory { value: (12.0 - 4.0 * 3.0_f64.sqrt()).sqrt(), tolerance: 1e-14 },
            limit(&methods[1]),
        ),
        Claim::new(
            "order of the period error of the scheme like Runge and Kutta's",
            "1",
            Expected::Order { order: 2.0, tolerance: 0.02 },
            phase_order(&methods[1]),
        )
        .refutes(
            "a scheme of third order",
            Proof::ClosedForm,
            "The phase of a step is Ω + Ω³/48 + …, an error of second order.",
        ),
    ];
    let figure = |slug: &str, title: &str, x, y, curves| Figure {
        slug: slug.into(),
        title: title.into(),
        caption: String::new(),
        x,
        y,
        curves,
        slopes: Vec::new(),
    };
    let radius = methods.iter().map(|method| method.radius_curve(Style::Line, 0.1, 1.0)).collect();
    let period = methods.iter().map(|method| method.mode_curve(Style::Line, 0.3, |mode| mode.period_elongation()));
    Ok(Report {
        claims,
        figures: vec![
            figure(
                "radius",
                "Spectral radius",
                Axis::log("step size over period", "1"),
                Axis::linear("ρ", "1").within(0.8, 3.0),
                radius,
            ),
            figure(
                "period",
                "Relative period error",
                Axis::linear("step size over period", "1"),
                Axis::linear("(T̄ − T)/T", "1"),
                period.collect(),
            ),
        ],
        ..Report::default()
    })
}
