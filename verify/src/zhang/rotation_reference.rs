//! To what the rotations of a step are relative. [zhang, Sects. 3.1, 5]
//!
//! The paper refers them to the orientation of the last time point, which within a step is the last stage. Then stages
//! are sums over charts that change on the way, which costs MSSTH(5) an order on motions as smooth as one likes.

use hamel::scheme::{Options, RotationReference, StepError};
use hamel::schemes;
use hamel_compiler::parallel;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Report, Style, Table};

use crate::schemes::problem::FREE_BODY_TURNING_OVER;
use crate::schemes::refinement::Refinement;

const REFERENCES: [(RotationReference, &str); 2] =
    [(RotationReference::LastPoint, "last point"), (RotationReference::StepStart, "step's beginning")];
const NAMES: [&str; 8] = [
    "rho_bathe",
    "msstc5",
    "mssth3_published",
    "mssth4_published",
    "mssth5_published",
    "esdirk324",
    "esdirk325",
    "esdirk436",
];

pub(super) fn run() -> Result<Report, StepError> {
    let problem = &FREE_BODY_TURNING_OVER;
    let motion = problem.motion()?;
    let cases: Vec<(&str, RotationReference)> =
        NAMES.into_iter().flat_map(|name| REFERENCES.map(|(reference, _)| (name, reference))).collect();
    let runs = parallel::map(&cases, |&(name, reference)| {
        // The paper's higher-order examples have ρ∞ = 0.
        let is_tunable = schemes::entries().any(|entry| entry.name == name && !entry.parameters.is_empty());
        let scheme = schemes::by_name(name, if is_tunable { &[("rho_infinity", 0.0)] } else { &[] })?;
        let options = Options { rotation_reference: reference, ..problem.options() };
        let refinement = Refinement::with_options(problem, &motion, &*scheme, &options, problem.steps);
        Ok((scheme, refinement))
    });
    let runs = runs.into_iter().collect::<Result<Vec<_>, StepError>>()?;

    let (mut claims, mut rows, mut curves) = (Vec::new(), Vec::new(), Vec::new());
    for (runs, name) in runs.chunks(2).zip(NAMES) {
        let expected = f64::from(runs[0].0.order());
        let mut row = vec![Cell::Text(runs[0].0.name()), Cell::number(expected, 1)];
        for ((scheme, refinement), (reference, place)) in runs.iter().zip(REFERENCES) {
            let [q, v] = [0, 1].map(|quantity| refinement.order(problem, quantity));
            row.extend([Cell::number(q, 3), Cell::number(v, 3)]);
            let is_fifth = name == "mssth5_published";
            let is_lost = is_fifth && reference == RotationReference::LastPoint;
            let order = if is_lost { 4.0 } else { expected };
            let what = format!("order of the orientation, {}, reference: {place}", scheme.name());
            let claim = Claim::new(what, "1", Expected::Order { order, tolerance: 0.1 }, q);
            claims.push(if is_lost { claim.in_words("MSSTH(5) was never able to reach fifth order") } else { claim });
            if is_fifth {
                let points = refinement.ends.iter().map(|end| (problem.duration / f64::from(end.steps), end.errors[0]));
                curves.push(Curve::new(format!("MSSTH(5), {place}"), Style::LineAndMarkers, points.collect()));
            }
        }
        rows.push(row);
    }
    let mut columns = vec![Column::text("scheme"), Column::new("order", "1")];
    for (_, place) in REFERENCES {
        columns.extend(["q", "v"].map(|quantity| Column::new(format!("order of {quantity}, {place}"), "1")));
    }
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "orders".into(),
            title: format!("Orders on {} by the reference of rotations", problem.name),
            columns,
            rows,
        }],
        figures: vec![Figure {
            slug: "mssth5_published".into(),
            title: "Error of the orientation over the step size".into(),
            caption: "A free body that turns over in six seconds, ρ∞ = 0.".into(),
            x: Axis::log("step size h", "s"),
            y: Axis::log("relative error of q", "1"),
            curves,
            slopes: Vec::new(),
        }],
        notes: vec![
            "The motion is the same smooth one in both cases; what differs is the orientation that rotations refer to."
                .into(),
            "With constraints on positions all schemes fall to second order besides, see schemes/pendulum/index_3."
                .into(),
        ],
    })
}
