//! Schemes of higher order on the linear oscillator, ρ∞ = 0. [zhang, Figs. 5, 6, 7]

use std::f64::consts::TAU;

use hamel::scheme::StepError;
use hamel::tables;
use hamel_report::{Claim, Origin, Proof, Report, at_most};

use super::figures::Triple;
use crate::linear::{Method, most, table};
use crate::origins::{RADIUS, SOME};

pub(super) fn run() -> Result<Report, StepError> {
    let mut methods = Vec::new();
    for n in 3..=5 {
        methods.push(mssth(n, 0.0)?);
    }
    methods.push(Method::runge_kutta("ESDIRK3(2)4L[2]SA", tables::esdirk324()));
    methods.push(Method::runge_kutta("ESDIRK3(2)5L[2]SA", tables::esdirk325()));
    methods.push(Method::runge_kutta("ESDIRK4(3)6L[2]SA2", tables::esdirk436sa2()));
    let triple = Triple {
        number: 5,
        suffix: "",
        rho: 0.0,
        most: 0.2,
        elongation: (-10.0, 30.0),
        caption: "MSSTH(3) and ESDIRK3(2)4L[2]SA have the same curve.",
        methods: &methods,
    };
    Ok(Report { claims: claims(&methods)?, figures: triple.figures().into(), ..Report::default() })
}

fn mssth(n: usize, rho: f64) -> Result<Method, StepError> {
    let name = format!("MSSTH({n})");
    let tableau = table(&name, tables::mssth_published(n, rho))?;
    Ok(Method::runge_kutta(name, tableau))
}

fn claims(methods: &[Method]) -> Result<Vec<Claim>, StepError> {
    let mut claims = vec![
        Claim::new(
            "largest spectral radius of all schemes, Ω from 10⁻³ to 10⁶, minus one",
            "1",
            at_most(4e-15, RADIUS),
            most(methods.iter().map(Method::largest_radius)) - 1.0,
        )
        .in_words("the schemes are A-stable"),
        Claim::new(
            "largest difference of the spectral radii of MSSTH(3) and ESDIRK3(2)4L[2]SA",
            "1",
            at_most(1e-14, RADIUS),
            most((0..=400).map(|k| {
                let omega = 10f64.powf(-2.0 + f64::from(k) / 100.0);
                (methods[0].radius(omega) - methods[3].radius(omega)).abs()
            })),
        )
        .in_words("spectral characteristics almost identical"),
        Claim::new(
            "largest period elongation of MSSTH(5), ESDIRK3(2)5L[2]SA and ESDIRK4(3)6L[2]SA2 at h/(nT) = 0.05",
            "1",
            at_most(4.8e-3, Origin::Recorded),
            most([2, 4, 5].map(|k| methods[k].mode(0.05).period_elongation().abs())),
        )
        .in_words("very small up to h/(nT) = 0.05"),
        Claim::new(
            "period elongation of MSSTH(4) at h/(nT) = 0.025",
            "1",
            at_most(-1e-3, SOME),
            methods[1].mode(0.025).period_elongation(),
        )
        .in_words("MSSTH(4) shortens the period"),
    ];
    for n in 3..=5 {
        let conserving = mssth(n, 1.0)?;
        claims.push(
            Claim::new(
                format!("least spectral radius of MSSTH({n}) with ρ∞ = 1"),
                "1",
                at_most(0.99, SOME),
                -most((0..=400).map(|k| -conserving.radius(TAU * 10f64.powf(-2.0 + f64::from(k) / 100.0)))),
            )
            .in_words("dissipation at intermediate frequencies although ρ∞ = 1"),
        );
        let (annihilating, damped) = (mssth(n, 0.0)?.mode(0.02), mssth(n, 0.6)?.mode(0.02));
        let decay = damped.amplitude_decay() / annihilating.amplitude_decay();
        let elongation = (damped.period_elongation() / annihilating.period_elongation()).abs();
        claims.push(
            Claim::new(
                format!(
                    "ratio of errors of MSSTH({n}) at ρ∞ = 0.6 to those at 0, the larger of both errors, h/(nT) = 0.02"
                ),
                "1",
                at_most(1.0, Origin::Theory("from one on, accuracy would not improve")),
                decay.max(elongation),
            )
            .refutes(
                "the accuracy of MSSTH cannot be improved when ρ∞ increases",
                Proof::ClosedForm,
                "At this step both errors of the physical mode are smaller.",
            ),
        );
    }
    Ok(claims)
}
