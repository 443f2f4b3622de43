//! Newmark, generalized-α, Bathe and ED-α on the linear oscillator. [rezaei, Figs. 10, 11, 12]

use hamel::scheme::StepError;
use hamel::tables::{self, NewmarkFamily};
use hamel_report::{Claim, Expected, Origin, Proof, Report, at_most};

use super::parameters::pair_of_figures;
use crate::linear::{Method, most, table};
use crate::origins::RADIUS;

/// α_AR of Fig. 11; the text names 1/6 only.
const ALPHA_AR: [(&str, f64); 4] = [("0.1", 0.1), ("1/6", 1.0 / 6.0), ("1/4", 0.25), ("1/2", 0.5)];
/// Where errors of the period are compared, Δt/T.
const COMPARED: f64 = 0.05;

pub(super) fn run() -> Result<Report, StepError> {
    let newmark = |family: NewmarkFamily| move |oscillator| family.amplification(oscillator);
    let generalized =
        |rho: f64| Method::new(format!("generalized-α, ρ∞ = {rho}"), newmark(NewmarkFamily::generalized_alpha(rho)));
    let bathe = || Method::runge_kutta("Bathe", tables::bathe()).per_step();
    let ed_alpha = |name: String, rho: f64, alpha_ar: f64| {
        let tableau = table("ED-α", tables::ed_alpha(rho, alpha_ar))?;
        Ok::<_, StepError>(Method::runge_kutta(name, tableau).per_step())
    };

    let trapezoidal = Method::new("Newmark, β = 1/4, γ = 1/2", newmark(NewmarkFamily::newmark(0.25, 0.5)));
    let second_order = [trapezoidal, generalized(0.0), bathe()];
    let mut tuned = Vec::new();
    for (name, alpha_ar) in ALPHA_AR {
        tuned.push(ed_alpha(format!("ED-α, α_AR = {name}"), 0.0, alpha_ar)?);
    }
    tuned.push(bathe());
    let mut families = Vec::new();
    for rho in [0.0, 0.5, 1.0] {
        families.push(ed_alpha(format!("ED-α, ρ∞ = {rho}"), rho, 1.0 / 6.0)?);
        families.push(generalized(rho));
    }

    let period = |method: &Method| method.mode(COMPARED).period_elongation().abs();
    let ratio = |quantity: fn(hamel::linear_analysis::Mode) -> f64| {
        quantity(second_order[2].mode(COMPARED)) / quantity(second_order[1].mode(COMPARED))
    };
    let order = |method: &Method| (period(method) / method.mode(0.5 * COMPARED).period_elongation().abs()).log2();
    let mut claims = vec![
        Claim::new(
            "period error of Bathe over that of generalized-α, ρ∞ = 0, Δt/T = 0.05",
            "1",
            at_most(0.2, Origin::Chosen("“Better” is no number: a fifth.")),
            ratio(|mode| mode.period_elongation()),
        )
        .in_words("Bathe's scheme behaves better for the period"),
        Claim::new(
            "amplitude decay of Bathe over that of generalized-α, ρ∞ = 0, Δt/T = 0.05",
            "1",
            at_most(0.02, Origin::Chosen("“Better” is no number: a fiftieth.")),
            ratio(|mode| mode.amplitude_decay()),
        )
        .in_words("Bathe's scheme preserves low frequencies better"),
        Claim::new(
            "largest spectral radius of ED-α at Ω = 10⁷, ρ∞ = 0, all α_AR",
            "1",
            at_most(1e-6, Origin::Theory("ρ∞ = 0 is met to a few 1/Ω")),
            most(tuned[..4].iter().map(|method| method.radius(1e7))),
        )
        .in_words("α_AR does not change the limit at infinity"),
        Claim::new(
            "α_AR of the least period error of ED-α, ρ∞ = 0, Δt/T = 0.05",
            "1",
            Expected::Theory { value: 1.0 / 6.0, tolerance: 5e-4 },
            best_alpha_ar()?,
        )
        .in_words("the least period elongation at α_AR = 1/6"),
        Claim::new(
            "largest deviation of the spectral radius of ED-α from one, ρ∞ = 1",
            "1",
            at_most(5e-15, RADIUS),
            most((0..=500).map(|k| (families[4].radius(10f64.powf(-2.0 + f64::from(k) / 100.0)) - 1.0).abs())),
        )
        .in_words("a conserving scheme for α = 0"),
    ];
    let (angle, mode) = (std::f64::consts::TAU * 1e-3, second_order[2].mode(1e-3));
    // T̄/Δt over T_ex/Δt, less one.
    let period_error = |exact: f64| (std::f64::consts::TAU / mode.phase) / exact - 1.0;
    claims.push(
        Claim::new(
            "relative period error of Bathe at Δt/T = 10⁻³ with T_ex/Δt = 2π/(ωΔt)",
            "1",
            Expected::Theory { value: 0.0, tolerance: 1e-5 },
            period_error(std::f64::consts::TAU / angle),
        )
        .refutes(
            format!("T_ex = 1/(ωΔt), with which it is {:.3}", period_error(1.0 / angle)),
            Proof::Algebra,
            "Sect. 2 of the source has the period 2π/ω, which is 2π/(ωΔt) steps long. With T_ex as printed the error of any \
             scheme whose period is counted in the same way tends to 2π − 1.",
        ),
    );
    for (k, expected) in [(0, 2.0), (1, 4.0), (3, 2.0)] {
        claims.push(Claim::new(
            format!("order of the period error, {}", tuned[k].name),
            "1",
            Expected::Order { order: expected, tolerance: 0.15 },
            order(&tuned[k]),
        ));
    }
    let figures = [
        pair_of_figures(10, "second-order schemes", &second_order),
        pair_of_figures(11, "ED-α with ρ∞ = 0", &tuned),
        pair_of_figures(12, "ED-α with α_AR = 1/6", &families),
    ];
    let notes = vec!["The values of α_AR in Fig. 11 and of ρ∞ in Fig. 12 are not in the text.".into()];
    Ok(Report { claims, figures: figures.into_iter().flatten().collect(), notes, ..Report::default() })
}

/// α_AR of the least period error over a grid of thousandths.
fn best_alpha_ar() -> Result<f64, StepError> {
    let mut best = (f64::INFINITY, f64::NAN);
    for k in 100..=250 {
        let alpha_ar = f64::from(k) / 1000.0;
        let tableau = table("ED-α", tables::ed_alpha(0.0, alpha_ar))?;
        let error = Method::runge_kutta("ED-α", tableau).per_step().mode(COMPARED).period_elongation().abs();
        if error < best.0 {
            best = (error, alpha_ar);
        }
    }
    Ok(best.1)
}
