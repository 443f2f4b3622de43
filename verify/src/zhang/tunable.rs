//! Schemes with tunable dissipation on the linear oscillator. [zhang, Figs. 2, 3, 4]
//!
//! The single-step schemes have the curves of their multistep schemes and are not drawn, as in the paper.

use hamel::scheme::StepError;
use hamel::tables;
use hamel_report::{Claim, Figure, Origin, Report, at_least, at_most};

use super::figures::Triple;
use crate::linear::{Method, most, table};
use crate::origins::RADIUS;

/// The two values that the paper's examples use.
const RHO: [f64; 2] = [0.0, 0.6];
/// h/(nT) at which schemes are compared.
const COMPARED: f64 = 0.1;

pub(super) fn run() -> Result<Report, StepError> {
    let [annihilating, damped] = [methods(RHO[0])?, methods(RHO[1])?];
    let conserving = methods(1.0)?;
    let figures = RHO.iter().zip([&annihilating, &damped]).flat_map(|(&rho, methods)| figures(rho, methods));
    Ok(Report {
        claims: claims(&annihilating, &damped, &conserving)?,
        figures: figures.collect(),
        tables: Vec::new(),
        notes: vec![
            "The abscissa is the step size over the period and over the number n of implicit equations a step, so that \
             schemes are compared at equal cost. ρ∞ = 0 and 0.6 are the values of the paper's examples."
                .into(),
        ],
    })
}

/// LMS, ρ∞-Bathe and MSSTC.
fn methods(rho: f64) -> Result<Vec<Method>, StepError> {
    let mut methods = Vec::new();
    for r in 2..=4 {
        let name = format!("LMS{r}");
        let scheme = table(&name, tables::lms(r, rho))?;
        methods.push(Method::new(name, move |oscillator| scheme.amplification(oscillator)));
    }
    methods.push(Method::runge_kutta("Bathe", table("Bathe", tables::rho_bathe(rho))?));
    for n in 3..=5 {
        let name = format!("MSSTC({n})");
        let tableau = table(&name, tables::msstc(n, rho))?;
        methods.push(Method::runge_kutta(name, tableau));
    }
    Ok(methods)
}

fn figures(rho: f64, methods: &[Method]) -> [Figure; 3] {
    Triple {
        number: 2,
        suffix: if rho == 0.0 { "_rho_0" } else { "_rho_06" },
        rho,
        most: 0.3,
        elongation: (0.0, 50.0),
        caption: "Multistep schemes: lines; multistage schemes: dashes.",
        methods,
    }
    .figures()
}

fn claims(annihilating: &[Method], damped: &[Method], conserving: &[Method]) -> Result<Vec<Claim>, StepError> {
    let decay = |method: &Method| method.mode(COMPARED).amplitude_decay();
    let elongation = |method: &Method| method.mode(COMPARED).period_elongation();
    // How much a family gains from one member to the next: the worst ratio.
    let gain = |quantity: &dyn Fn(&Method) -> f64, family: &[Method]| {
        most(family.windows(2).map(|pair| quantity(&pair[1]) / quantity(&pair[0])))
    };
    let improvement = |quantity: &dyn Fn(&Method) -> f64| {
        most(annihilating.iter().zip(damped).map(|(from, to)| quantity(to) / quantity(from)))
    };
    let trapezoidal = Method::runge_kutta("trapezoidal rule", tables::trapezoidal());
    let mut claims = vec![
        Claim::new(
            "largest spectral radius of all schemes, ρ∞ = 0 and 0.6, Ω from 10⁻³ to 10⁶, minus one",
            "1",
            at_most(1e-13, RADIUS),
            most(annihilating.iter().chain(damped).map(Method::largest_radius)) - 1.0,
        )
        .in_words("the schemes are A-stable"),
        Claim::new(
            "least spectral radius of LMS3, LMS4 and MSSTC at h/(nT) = 0.1, ρ∞ = 0",
            "1",
            at_least(0.997, Origin::Recorded),
            -most(
                annihilating
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| ![0, 3].contains(k))
                    .map(|(_, method)| -method.radius(std::f64::consts::TAU * COMPARED * method.stages as f64)),
            ),
        )
        .in_words("very close to 1 up to h/(nT) = 0.1"),
    ];
    for (what, quantity) in [("amplitude decay", &decay as &dyn Fn(&Method) -> f64), ("period elongation", &elongation)]
    {
        for (family, range) in [("steps of LMS", 0..3), ("stages of MSSTC", 4..7)] {
            claims.push(
                Claim::new(
                    format!("largest ratio of {what} when the {family} increase by one, ρ∞ = 0"),
                    "1",
                    at_most(1.0, Origin::Source),
                    gain(quantity, &annihilating[range]),
                )
                .in_words("accuracy improves with the number of steps or stages"),
            );
        }
        claims.push(
            Claim::new(
                format!("largest ratio of {what} at ρ∞ = 0.6 to that at 0, all schemes"),
                "1",
                at_most(1.0, Origin::Source),
                improvement(quantity),
            )
            .in_words("accuracy improves as ρ∞ grows"),
        );
    }
    claims.push(
        Claim::new(
            "largest difference to the period elongation of the trapezoidal rule at h/(nT) = 0.1, ρ∞ = 1",
            "1",
            at_most(2e-14, RADIUS),
            most(conserving.iter().map(|method| (elongation(method) - elongation(&trapezoidal)).abs())),
        )
        .in_words("all the same characteristics as the trapezoidal rule"),
    );
    claims.push(
        Claim::new(
            "h/(nT) where the multistage schemes stay below ρ = 0.1, the largest over that of LMS2, ρ∞ = 0",
            "1",
            at_most(1.0, Origin::Source),
            most(annihilating[3..].iter().map(|method| cut_off(method) / cut_off(&annihilating[0]))),
        )
        .in_words("multistage schemes drop to ρ∞ faster and earlier"),
    );
    Ok(claims)
}

/// The largest h/(nT) at which the spectral radius is above a tenth.
fn cut_off(method: &Method) -> f64 {
    let step = |k: i32| 10f64.powf(-2.0 + f64::from(k) / 200.0);
    let is_above = |&k: &i32| method.radius(std::f64::consts::TAU * step(k) * method.stages as f64) > 0.1;
    (0..=1200).rev().find(is_above).map_or(f64::NAN, step)
}
