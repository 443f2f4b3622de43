//! What costs MSSTH(5) its order: the reference of rotations, and constraints. [zhang, Sects. 3.1, 5.4]
//!
//! One motion of one top in six ways: by the rotation about its tip, without constraints, and by a free joint whose tip
//! three constraints hold, on velocities or on positions;
//! each with rotations relative to the last time point and to the beginning of the step. So each cause acts alone, together with the other, and not at all.

use hamel::scheme::{ConstraintLevel, Drift, Options, RotationReference, Scheme, StepError};
use hamel::schemes::{self, RungeKutta};
use hamel::{Model, initial_state};
use hamel_compiler::parallel;
use hamel_macros::multibody;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Report, Style, Table, at_most};

use crate::convergence::{Convergence, largest};
use crate::motion;

multibody! {
    /// By the rotation about the tip.
    model Top {
        coordinates joint(euler_parameters);
        gravity [0, 0, -9.81] m/s^2;
        body top { mass: 1 kg, inertia: diag(0.3, 0.2, 0.4) kg m^2 }
        joint pivot: spherical(ground, top at [0, -0.5, 0] m);
        initial top.angular_velocity = [1, 4, -2] rad/s in top;
        output position = top.position;
        output omega = top.angular_velocity in top;
    }
}

multibody! {
    /// By place and rotation, with three constraints at the tip.
    model HeldTop {
        coordinates joint(euler_parameters);
        gravity [0, 0, -9.81] m/s^2;
        body top { mass: 1 kg, inertia: diag(0.3, 0.2, 0.4) kg m^2 }
        joint flight: free(ground, top);
        joint pivot: spherical(ground, top at [0, -0.5, 0] m) { cut }
        initial top.position = [0, 0.5, 0] m;
        initial top.angular_velocity = [1, 4, -2] rad/s in top;
        output position = top.position;
        output omega = top.angular_velocity in top;
    }
}

const DURATION: f64 = 1.0;
const REFERENCE_STEPS: usize = 8000;
const STEPS: [usize; 4] = [50, 100, 200, 400];
/// The scheme in question.
const LOSING: &str = "mssth5_published";
const SCHEMES: [&str; 4] = ["mssth3_published", "mssth4_published", LOSING, "esdirk436"];
const REFERENCES: [(RotationReference, &str); 2] =
    [(RotationReference::StepStart, "step's beginning"), (RotationReference::LastPoint, "last point")];
/// Where constraints are imposed, and to what rotations refer; each with words.
type Way = ((Option<ConstraintLevel>, &'static str), (RotationReference, &'static str));
const LEVELS: [(Option<ConstraintLevel>, &str); 3] = [
    (None, "no constraints"),
    (Some(ConstraintLevel::Velocity), "constraints on velocities"),
    (Some(ConstraintLevel::Position), "constraints on positions"),
];

/// The paper's higher-order examples have ρ∞ = 0.
fn scheme(name: &str) -> Result<Box<dyn Scheme>, StepError> {
    let is_tunable = schemes::entries().any(|entry| entry.name == name && !entry.parameters.is_empty());
    schemes::by_name(name, if is_tunable { &[("rho_infinity", 0.0)] } else { &[] })
}

/// Place of the centre, m, and angular velocity, rad/s, at the end of the motion.
fn end(model: &dyn Model, scheme: &dyn Scheme, options: &Options, steps: usize) -> Result<[f64; 6], StepError> {
    let mut stepper = scheme.start_with(model, initial_state(model)?, options)?;
    for _ in 0..steps {
        stepper.step(DURATION / steps as f64)?;
    }
    let [[a, b, c], [d, e, f]] = ["position", "omega"].map(|name| motion::output::<3>(model, name, stepper.state()));
    Ok([a, b, c, d, e, f])
}

/// Errors over the step: of the place, of half a metre, and of the angular velocity, of its largest component.
fn errors(
    name: &str,
    level: Option<ConstraintLevel>,
    reference: RotationReference,
    exact: &[f64; 6],
) -> Result<[Convergence; 2], StepError> {
    let scheme = scheme(name)?;
    let model: Box<dyn Model> = if level.is_some() { Box::new(HeldTop::default()) } else { Box::new(Top::default()) };
    let (drift, rotation_reference) = (Drift::Kept, reference);
    let options = Options { constraint_level: level, drift, rotation_reference, ..Options::default() };
    let ends = STEPS.map(|steps| end(&*model, &*scheme, &options, steps));
    let mut points = [Vec::new(), Vec::new()];
    for (steps, end) in STEPS.into_iter().zip(ends) {
        let end = end?;
        let h = DURATION / steps as f64;
        let off = |range: std::ops::Range<usize>| largest(range.map(|k| end[k] - exact[k]));
        points[0].push((h, off(0..3) / 0.5));
        points[1].push((h, off(3..6) / largest(exact[3..].iter().copied())));
    }
    Ok(points.map(Convergence::new))
}

pub(super) fn run() -> Result<Report, StepError> {
    let exact = end(&Top::default(), &RungeKutta, &Options::default(), REFERENCE_STEPS)?;
    let ways: Vec<_> = LEVELS.iter().flat_map(|level| REFERENCES.map(|reference| (*level, reference))).collect();
    let cases: Vec<_> = SCHEMES.iter().flat_map(|name| ways.iter().map(move |way| (*name, *way))).collect();
    let studies = parallel::map(&cases, |&(name, ((level, _), (reference, _)))| errors(name, level, reference, &exact));
    let studies = studies.into_iter().collect::<Result<Vec<_>, StepError>>()?;

    let mut rows = Vec::new();
    for ((name, ((_, held), (_, reference))), [place, rate]) in cases.iter().zip(&studies) {
        let orders = [place, rate].map(|study| Cell::number(study.last_order(), 3));
        let mut row = vec![Cell::from(scheme(name)?.name()), Cell::from(*held), Cell::from(*reference)];
        row.extend(orders);
        rows.push(row);
    }
    let lost = || cases.iter().zip(&studies).filter(|((name, _), _)| *name == LOSING);
    let mut curves = Vec::new();
    let mut claims = Vec::new();
    for ((_, ((level, held), (reference, what))), [_, rate]) in lost() {
        let order = match (level, reference) {
            (Some(ConstraintLevel::Position), _) => 2.0,
            (_, RotationReference::LastPoint) => 4.0,
            (_, RotationReference::StepStart) => 5.0,
        };
        let claim = Claim::new(
            format!("order of ω, MSSTH(5), {held}, rotations relative to the {what}"),
            "1",
            Expected::Order { order, tolerance: 0.1 },
            rate.last_order(),
        );
        let says = "MSSTH(5) was never able to reach the fifth-order convergence rate";
        claims.push(if order < 5.0 { claim.in_words(says) } else { claim });
        curves.push(Curve::new(format!("{held}, {what}"), Style::LineAndMarkers, rate.points.clone()));
    }
    let held = |(case, _): &(&(&str, Way), &[Convergence; 2])| case.1.0.0 == Some(ConstraintLevel::Position);
    let finest = lost().filter(held).map(|(_, [_, rate])| rate.points.last().map_or(f64::NAN, |point| point.1));
    let (least, most) = finest.fold((f64::INFINITY, 0.0_f64), |(a, b), error| (a.min(error), b.max(error)));
    claims.push(Claim::new(
        "constraints on positions: change of the error of ω by the reference of rotations, shortest steps",
        "1",
        at_most(0.02, Origin::Chosen("Next to nothing: the constraints alone decide the error.")),
        most / least - 1.0,
    ));
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "orders".into(),
            title: "Orders between the shortest steps on one motion of one top".into(),
            columns: vec![
                Column::text("scheme"),
                Column::text("tip"),
                Column::text("rotations relative to"),
                Column::new("order of the place", "1"),
                Column::new("order of ω", "1"),
            ],
            rows,
        }],
        figures: vec![Figure {
            slug: "omega".into(),
            title: "Error of the angular velocity with MSSTH(5)".into(),
            caption: "A top in free precession for a second, ρ∞ = 0.".into(),
            x: Axis::log("step size h", "s"),
            y: Axis::log("relative error of ω", "1"),
            curves,
            slopes: Vec::new(),
        }],
        notes: vec![
            "Rotations relative to the last time point cost MSSTH(5) one order, with and without constraints on \
             velocities, and no other scheme any. Constraints on positions leave all schemes with stages second order \
             in velocities, whatever rotations refer to."
                .into(),
        ],
    })
}
