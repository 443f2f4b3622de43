//! The slider-crank with clearance, driven from rest, all bodies rigid. [rezaei, Table 2, Figs. 23-25, 28]
//!
//! The figures show it with a flexible rod; what they say of crank and rod holds for the rigid one too.

use hamel::nonsmooth::ContactOptions;
use hamel::scheme::StepError;
use hamel::{Signal, schemes};
use hamel_models::slider_crank_clearance::{SliderCrankClearance, SliderCrankClearanceParameters};
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Style, at_most};

use super::mechanism::{Recorded, largest_error, record, unit};
use crate::origins::LAWS;

const DURATION: f64 = 0.1;
const DT: f64 = 1e-5;
/// With Bathe's scheme and Δt = 10⁻⁵ s, from an independent computation: θ₁, θ₂, ω₁, ω₂ at 0.05 s and at 0.1 s.
const STATES: [(usize, [f64; 4]); 2] = [
    (500, [0.947977038408, -0.416415052859, 23.31932714232, -7.436924680565]),
    (1000, [3.003647253990, -0.070446801451, 93.075183026404, 46.210130133598]),
];
/// Normal forces of the closed side at instants in units of 10⁻⁴ s, and the number of impacts, likewise.
const FORCES: [(usize, f64); 6] =
    [(400, 1.5401884), (500, 1.61843173), (600, 1.67189504), (700, 1.54731860), (800, 0.57916439), (1000, 3.50399053)];
const IMPACTS: f64 = 7.0;
const NAMES: [&str; 4] = ["theta1", "theta2", "velocity(theta1)", "velocity(theta2)"];
/// Impacts are at the ends of steps.
pub(super) const FIRST_ORDER: Origin =
    Origin::Theory("errors of first order, which are twice what half the step changes");
/// Schemes, the first of which the others are compared with.
const MEMBERS: [(&str, &str, Option<f64>); 5] = [
    ("Bathe", "bathe", None),
    ("generalized-α, ρ∞ = 0.8", "generalized_alpha", Some(0.8)),
    ("generalized-α, ρ∞ = 0.5", "generalized_alpha", Some(0.5)),
    ("generalized-α, ρ∞ = 0", "generalized_alpha", Some(0.0)),
    ("ED-α, ρ∞ = 0", "ed_alpha", Some(0.0)),
];
const ANGLES: [&str; 2] = ["theta1", "theta2"];

/// The mechanism of Table 2.
pub(super) fn table_2() -> SliderCrankClearance {
    let mut model = SliderCrankClearance::new(SliderCrankClearanceParameters {
        c: 5e-4,
        restitution: 0.1,
        friction: 0.1,
        crank_rate: 0.0,
        rod_rate: 0.0,
        ..SliderCrankClearanceParameters::default()
    });
    model.inputs.drive = Signal::from(1.0);
    model
}

fn motion(name: &str, parameters: &[(&str, f64)], dt: f64) -> Result<Recorded, StepError> {
    record(&table_2(), &*schemes::by_name(name, parameters)?, dt, DURATION, ContactOptions::default())
}

/// The sum of the normal forces of all corners.
fn forces(motion: &Recorded) -> Vec<f64> {
    let mut sum = vec![0.0; motion.trajectory.len()];
    for corner in 1..=4 {
        let force = motion.column(&format!("normal_force(corner[{corner}])"));
        sum.iter_mut().zip(force).for_each(|(sum, force)| *sum += force);
    }
    sum
}

pub(super) fn run() -> Result<Report, StepError> {
    let (mut members, mut changes) = (Vec::new(), Vec::new());
    for (name, key, rho) in MEMBERS {
        let parameters: Vec<(&str, f64)> = rho.map(|rho| ("rho_infinity", rho)).into_iter().collect();
        let [coarse, fine] = [motion(key, &parameters, DT)?, motion(key, &parameters, 0.5 * DT)?];
        changes.push(ANGLES.map(|angle| largest_error(&coarse.column(angle), &fine.column(angle))));
        members.push((name.to_owned(), coarse));
    }
    let bathe = &members[0].1;
    let mut report = Report::default();
    for (instant, state) in STATES {
        for (name, value) in NAMES.iter().zip(state) {
            let found = bathe.column(name).get(instant).copied().unwrap_or(f64::NAN);
            let expected = Expected::Reference { value, tolerance: 1e-12 * (1.0 + value.abs()) };
            report.claims.push(Claim::new(
                format!("{name} at {} s, Bathe", instant as f64 / 1e4),
                unit(name),
                expected,
                found,
            ));
        }
    }
    let sum = forces(bathe);
    for (instant, value) in FORCES {
        let expected = Expected::Reference { value, tolerance: 5e-9 };
        let found = sum.get(instant).copied().unwrap_or(f64::NAN);
        report.claims.push(Claim::new(format!("contact force at {} s", instant as f64 / 1e4), "N", expected, found));
    }
    let impacts = Expected::Reference { value: IMPACTS, tolerance: 0.0 };
    report.claims.push(Claim::new("number of impacts to 0.1 s, Bathe", "1", impacts, bathe.last("impacts")));

    for ((name, member), change) in members.iter().zip(&changes).skip(1) {
        for (k, angle) in ANGLES.into_iter().enumerate() {
            let difference = largest_error(&member.column(angle), &members[0].1.column(angle));
            report.claims.push(
                Claim::new(
                    format!("largest difference of {angle} to Bathe over what half the step changes in both, {name}"),
                    "1",
                    at_most(2.0, FIRST_ORDER),
                    difference / (change[k] + changes[0][k]),
                )
                .in_words("behave almost the same, before and after the impact"),
            );
        }
    }
    for (name, member) in &members {
        let violation = member.last("contact_violation");
        let what = format!("largest violation of the laws of contact, {name}");
        report.claims.push(Claim::new(what, "m/s", at_most(3e-14, LAWS), violation));
    }

    let curves = |values: &dyn Fn(&Recorded) -> Vec<f64>| {
        let curve = |(name, member): &(String, Recorded)| {
            let points = member.trajectory.times().zip(values(member)).collect();
            Curve::new(name.clone(), Style::Line, points)
        };
        members.iter().map(curve).collect()
    };
    for (slug, title, label, unit, values) in [
        (
            "angle",
            "Fig. 24: angle of the rod, rigid",
            "θ₂",
            "rad",
            &(|m: &Recorded| m.column("theta2")) as &dyn Fn(&Recorded) -> Vec<f64>,
        ),
        ("rate", "Fig. 25: angular velocity of the rod, rigid", "ω₂", "rad/s", &|m: &Recorded| {
            m.column("velocity(theta2)")
        }),
        ("force", "Fig. 27: normal contact force, rigid", "force", "N", &forces),
    ] {
        report.figures.push(Figure {
            slug: slug.into(),
            title: title.into(),
            caption: String::new(),
            x: Axis::linear("time", "s"),
            y: Axis::linear(label, unit),
            curves: curves(values),
            slopes: Vec::new(),
        });
    }
    report.notes = vec!["Δt = 10⁻⁵ s. The driving torque of Table 2 is printed in N/m; it is 1 N m.".into()];
    Ok(report)
}
