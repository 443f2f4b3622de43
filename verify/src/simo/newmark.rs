//! What β and γ do to Newmark's scheme, its correction taken to convergence. [simo, Sect. 4.3]

use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel_report::{Axis, Claim, Expected, Figure, Measured, Report, Style, at_least, at_most};

use crate::linear::{Method, most};
use crate::origins::{RADIUS, SOME};

const NAMED: [(&str, f64); 4] = [
    ("β = 0, second central difference", 0.0),
    ("β = 1/12, Fox-Goodwin", 1.0 / 12.0),
    ("β = 1/6, linear acceleration", 1.0 / 6.0),
    ("β = 1/4, constant average acceleration", 0.25),
];

pub(super) fn run() -> Result<Report, StepError> {
    let method = |name: &str, beta: f64, gamma: f64| {
        let family = NewmarkFamily::newmark(beta, gamma);
        Method::new(name, move |oscillator| family.amplification(oscillator))
    };
    let named = NAMED.map(|(name, beta)| method(name, beta, 0.5));
    let mut claims = Vec::new();
    for (k, limit) in [2.0, 6.0_f64.sqrt(), 12.0_f64.sqrt()].into_iter().enumerate() {
        let found = named[k].stability_limit(50.0).map_or(Measured::Nothing, Measured::Value);
        claims.push(Claim::new(
            format!("largest stable ωT, {}: 2/√(1 − 4β)", named[k].name),
            "1",
            Expected::Theory { value: limit, tolerance: 2e-14 },
            found,
        ));
    }
    claims.push(
        Claim::new(
            format!("largest spectral radius, {}, ωT from 10⁻³ to 10⁶, minus one", named[3].name),
            "1",
            at_most(5e-14, RADIUS),
            named[3].largest_radius() - 1.0,
        )
        .in_words("unconditionally stable"),
    );
    let gammas = [0.4, 0.45, 0.5, 0.55, 0.6];
    let damped = gammas.map(|gamma| method(&format!("γ = {gamma}"), 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma));
    let decay = |k: usize| damped[k].mode(0.05).amplitude_decay();
    claims.extend([
        Claim::new("least amplitude decay, γ = 0.55 and 0.6", "1", at_least(1e-3, SOME), decay(3).min(decay(4)))
            .in_words("γ > ½ gives positive damping"),
        Claim::new("amplitude decay, γ = ½", "1", Expected::Theory { value: 0.0, tolerance: 2e-14 }, decay(2))
            .in_words("γ = ½ gives no damping"),
        Claim::new("largest amplitude decay, γ = 0.4 and 0.45", "1", at_most(-1e-3, SOME), most([decay(0), decay(1)]))
            .in_words("γ < ½ gives negative damping"),
    ]);
    Ok(Report {
        claims,
        figures: vec![
            Figure {
                slug: "beta".into(),
                title: "Spectral radius for γ = ½".into(),
                caption: "A scheme is stable where the radius is one.".into(),
                x: Axis::log("step size over period", "1"),
                y: Axis::linear("ρ", "1").within(0.8, 3.0),
                curves: named.iter().map(|method| method.radius_curve(Style::Line, 0.1, 2.0)).collect(),
                slopes: Vec::new(),
            },
            Figure {
                slug: "gamma".into(),
                title: "Damping by γ".into(),
                caption: "β = (γ + ½)²/4.".into(),
                x: Axis::linear("step size over period", "1"),
                y: Axis::linear("amplitude decay ratio", "1"),
                curves: damped
                    .iter()
                    .map(|method| method.mode_curve(Style::Line, 0.3, |mode| mode.amplitude_decay()))
                    .collect(),
                slopes: Vec::new(),
            },
        ],
        ..Report::default()
    })
}
