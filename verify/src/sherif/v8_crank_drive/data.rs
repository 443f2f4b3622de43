//! Numbers of equations, degrees of freedom, and the torque. [sherif, Figs. 6, 7]

use hamel::model::{Model, State};
use hamel::newton::NewtonMatrix;
use hamel::scheme::StepError;
use hamel_models::v8_crank_drive::V8CrankDriveParameters;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Style, at_least};

use super::Drive;
use super::reference::{Equation, SAMPLES};
use crate::convergence::largest;
use crate::motion::Grid;
use crate::sherif::schemes::body_weighted;

/// Singular values below this part of the largest would mean another degree of freedom.
const RANK: f64 = 1e-8;

pub(super) fn run() -> Result<Report, StepError> {
    let drive = Drive::new(V8CrankDriveParameters::default())?;
    // The shaft turns three times and a half.
    let grid = Grid::new(2e-3, 1.6).sampled(40);
    let positions = drive
        .run(&*body_weighted(-0.3)?, NewtonMatrix::Kept, grid, |state| singular_values(&drive.model, state))?
        .samples;
    let torques: Vec<(f64, f64)> = (0..=200)
        .map(|k| {
            let state = State { t: 0.01 * f64::from(k), ..drive.initial.clone() };
            (state.t, drive.torque(&state))
        })
        .collect();
    Ok(Report {
        claims: claims(&drive.model, &positions),
        figures: vec![figure(torques)],
        notes: vec![
            "The paper prints the numbers of bodies, differential equations and constraint equations. A body has three \
             coordinates of position and four Euler parameters: 17 · 7 = 119. 118 constraints are met by 17 norms of \
             Euler parameters and 101 of joints, 5 of the bearing and 4 + 4 + 4 of each cylinder: cylindrical at the big \
             end, universal at the piston, cylindrical in the bore. So the count includes the norms; without them the \
             drive would have 17 degrees of freedom more, or joints that repeat each other."
                .into(),
            "A revolute joint at the big end with a spherical one at the piston has as many constraints, but leaves the \
             piston free to spin and repeats another constraint; Hamel refuses such a model when it is compiled."
                .into(),
            "Geometry, masses and torque are ours.".into(),
        ],
        ..Report::default()
    })
}

/// Of G, largest first.
fn singular_values(model: &dyn Model, state: &State) -> Vec<f64> {
    let pattern = &model.describe().constraint_jacobian;
    let mut values = vec![0.0; pattern.nnz()];
    model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
    let mut singular: Vec<f64> = pattern.to_dense(&values).singular_values().iter().copied().collect();
    singular.sort_by(|a, b| b.total_cmp(a));
    singular
}

fn claims(model: &dyn Model, positions: &[Vec<f64>]) -> Vec<Claim> {
    let (info, dims) = (model.describe(), model.dims());
    let norms = info.constraints.iter().filter(|constraint| constraint.name.ends_with(".norm")).count();
    let printed = |what: &str, text, measured: usize| {
        Claim::new(what, "1", Expected::Printed { text, tolerance: 0.0 }, measured as f64)
    };
    let rank = |values: &Vec<f64>| values.iter().filter(|&&value| value > RANK * values[0]).count();
    let freedoms = positions.iter().map(|values| (dims.nv - rank(values)) as f64);
    let conditions = positions.iter().map(|values| values.last().map_or(f64::NAN, |last| last / values[0]));
    let exact = Equation::new(V8CrankDriveParameters::default());
    let solution = exact.angular_velocities(Grid { every: 20_000, ..Grid::new(5e-5, 15.0) });
    let deviation = largest(solution.iter().skip(1).zip(SAMPLES).map(|([omega], expected)| omega - expected));
    vec![
        printed("rigid bodies", "17", norms),
        printed("differential equations", "119", dims.nv),
        printed("constraint equations", "118", dims.nc),
        Claim::new(
            "degrees of freedom at 41 positions of the run, the most",
            "1",
            Expected::Theory { value: 1.0, tolerance: 0.0 },
            largest(freedoms),
        ),
        Claim::new(
            "smallest singular value of the constraint Jacobian, relative to the largest",
            "1",
            at_least(0.01, Origin::Chosen("Far above rounding: the constraints are independent.")),
            conditions.fold(f64::INFINITY, f64::min),
        ),
        Claim::new(
            "one equation with the inertia of eight slider-cranks: deviation from independent values, t = 1 … 15 s",
            "rad/s",
            Expected::Reference { value: 0.0, tolerance: 1e-7 },
            deviation,
        ),
        Claim::missing("torque of Fig. 7, geometry and masses", "the curve stands in the figure only, data nowhere"),
    ]
}

fn figure(torques: Vec<(f64, f64)>) -> Figure {
    Figure {
        slug: "fig7".into(),
        title: "Fig. 7: torque on the crankshaft".into(),
        caption: "Ours: 10 N m after a rise of one second with vanishing slope and curvature at both ends.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("torque", "N m"),
        curves: vec![Curve::new("torque", Style::Line, torques)],
        slopes: Vec::new(),
    }
}
