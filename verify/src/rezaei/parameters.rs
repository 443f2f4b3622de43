//! HHT and generalized-α over their parameters. [rezaei, Figs. 7, 8, 9]

use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel_report::{Axis, Claim, Figure, Origin, Report, Style, at_least, at_most};

use super::stability_region::POINTS;
use crate::linear::{Method, most};
use crate::origins::{RADIUS, SOME};

/// α_f of HHT; the third is point E.
const HHT: [(&str, f64); 5] = [("0", 0.0), ("0.1", 0.1), ("1/3", 1.0 / 3.0), ("0.4", 0.4), ("0.5", 0.5)];
const RHO: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
/// The frequency at which limits are taken, times the step.
const HIGH: f64 = 1e7;
const TRIPLE: Origin =
    Origin::Theory("2 Ω^(−2/3): three eigenvalues meet in the limit, from which the matrix differs by 1/Ω²");

pub(super) fn run() -> Result<Report, StepError> {
    let hht = HHT.map(|(name, alpha)| method(format!("α_f = {name}"), NewmarkFamily::second_order(0.0, alpha)));
    let generalized = RHO.map(|rho| method(format!("ρ∞ = {rho}"), NewmarkFamily::generalized_alpha(rho)));
    let point = |k: usize| {
        let (name, alpha_m, alpha_f) = POINTS[k];
        method(name.to_owned(), NewmarkFamily::second_order(alpha_m, alpha_f))
    };
    // The same limit at infinity on the line of least dissipation: A has 1, C has a third.
    let smooth = |name: &str, rho: f64| method(format!("{name}, smooth"), NewmarkFamily::generalized_alpha(rho));
    let corners = [point(0), smooth("A", 1.0), point(2), smooth("C", 1.0 / 3.0)];

    let mut claims = vec![
        Claim::new(
            "rise of the spectral radius beyond its least value, HHT at E",
            "1",
            at_most(1e-14, RADIUS),
            rise(&hht[2]),
        )
        .in_words("no cusp up to point E"),
        Claim::new("the same, α_f = 0.4", "1", at_least(0.05, SOME), rise(&hht[3])).in_words("a cusp beyond point E"),
        Claim::new("the same, point A", "1", at_least(0.3, SOME), rise(&corners[0])).in_words("a cusp"),
        Claim::new(
            "the same, A moved to the dotted line",
            "1",
            at_most(3e-7, Origin::Rounding("of a double eigenvalue, the root of that of a number")),
            rise(&corners[1]),
        )
        .in_words("smooth"),
        Claim::new("the same, C moved to the dotted line", "1", at_most(1e-14, RADIUS), rise(&corners[3]))
            .in_words("smooth"),
    ];
    for (name, pair) in [("A", [0, 1]), ("C", [2, 3])] {
        let limit = |k: usize| corners[k].radius(HIGH);
        claims.push(
            Claim::new(
                format!("difference of ρ∞ when {name} moves to the dotted line"),
                "1",
                at_most(2.0 * HIGH.powf(-2.0 / 3.0), TRIPLE),
                (limit(pair[0]) - limit(pair[1])).abs(),
            )
            .in_words("the same ρ∞"),
        );
    }
    claims.push(Claim::new(
        "largest difference of the spectral radius at Ω = 10⁷ to ρ∞",
        "1",
        at_most(2.0 * HIGH.powf(-2.0 / 3.0), TRIPLE),
        most(RHO.iter().zip(&generalized).map(|(rho, method)| (method.radius(HIGH) - rho).abs())),
    ));

    let mut figures = Vec::new();
    for (number, what, methods) in
        [(7, "HHT", &hht[..]), (8, "generalized-α", &generalized[..]), (9, "points A and C", &corners[..])]
    {
        figures.extend(pair_of_figures(number, what, methods));
    }
    let notes = vec!["The values of α in Fig. 7 are not in the text; 1/3 is point E.".into()];
    Ok(Report { claims, figures, notes, ..Report::default() })
}

fn method(name: String, family: NewmarkFamily) -> Method {
    Method::new(name, move |oscillator| family.amplification(oscillator))
}

/// By how much the spectral radius rises again after its least value; zero without a cusp.
fn rise(method: &Method) -> f64 {
    let radii = (0..=600).map(|k| method.radius(10f64.powf(-2.0 + f64::from(k) / 100.0)));
    let (_, rise) =
        radii.fold((f64::INFINITY, 0.0), |(least, rise), radius| (radius.min(least), f64::max(rise, radius - least)));
    rise
}

/// Spectral radius and relative period error, as the paper shows them side by side.
pub(super) fn pair_of_figures(number: u32, what: &str, methods: &[Method]) -> [Figure; 2] {
    let style = |index: usize| if index.is_multiple_of(2) { Style::Line } else { Style::Dashed };
    let radius = methods.iter().enumerate().map(|(k, method)| method.radius_curve(style(k), 1e-2, 1e2));
    let period =
        methods.iter().enumerate().map(|(k, method)| method.mode_curve(style(k), 0.3, |mode| mode.period_elongation()));
    let figure = |kind: &str, slug: &str, x: Axis, y: Axis, curves| Figure {
        slug: format!("fig{number}_{slug}"),
        title: format!("Fig. {number}: {kind}, {what}"),
        caption: String::new(),
        x,
        y,
        curves,
        slopes: Vec::new(),
    };
    [
        figure(
            "spectral radius",
            "radius",
            Axis::log("Δt/T", "1"),
            Axis::linear("ρ", "1").within(0.0, 1.1),
            radius.collect(),
        ),
        figure(
            "relative period error",
            "period",
            Axis::linear("Δt/T", "1"),
            Axis::linear("(T̄ − T)/T", "1"),
            period.collect(),
        ),
    ]
}
