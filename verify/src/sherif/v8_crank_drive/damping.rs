//! Error of the angular velocity over the damping parameter. [sherif, Fig. 10]

use hamel::scheme::StepError;
use hamel_compiler::parallel;
use hamel_models::v8_crank_drive::V8CrankDriveParameters;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Report, Slope, Style, Table};

use super::Drive;
use super::long_run::{ALPHA, DT, DURATION, Variant};
use super::reference::Equation;
use crate::convergence::{Convergence, integrated_error};
use crate::motion::Grid;

/// The text does not print the values of the figure; these span the interval that it allows.
const ALPHAS: [f64; 4] = [-0.05, -0.1, -0.2, -0.3];
pub(super) fn run() -> Result<Report, StepError> {
    let drive = Drive::new(V8CrankDriveParameters::default())?;
    let grid = Grid::new(DT, DURATION);
    let exact = Equation::new(V8CrankDriveParameters::default()).angular_velocities(grid);
    let variants = [Variant::Modified, Variant::BodyWeighted];
    let jobs: Vec<(usize, f64)> = (0..variants.len()).flat_map(|k| ALPHAS.map(|alpha| (k, alpha))).collect();
    let errors = parallel::map(&jobs, |&(variant, alpha)| {
        let variant = variants[variant];
        let motion = match alpha == ALPHA {
            true => variant.angular_velocities(grid)?,
            false => drive.angular_velocities(&*variant.scheme(alpha)?, grid)?,
        };
        Ok(integrated_error(DT, &motion, &exact))
    });
    let errors = errors.into_iter().collect::<Result<Vec<f64>, StepError>>()?;
    let study = |variant: usize| {
        let of = jobs.iter().zip(&errors).filter(|(job, _)| job.0 == variant);
        Convergence::new(of.map(|(job, &error)| (-job.1, error)).collect())
    };
    let studies = [study(0), study(1)];
    Ok(Report {
        claims: claims(&studies),
        tables: vec![table(&studies)],
        figures: vec![figure(&studies)],
        notes: vec![
            "h = 10⁻⁴ s and t ∈ [0, 15] s as printed, against the exact motion. The values of α stand in the figure only."
                .into(),
        ],
    })
}

fn claims(studies: &[Convergence; 2]) -> Vec<Claim> {
    // To leading order HHT damps an oscillation in proportion to this.
    let damping = Convergence::new(ALPHAS.map(|alpha| (-alpha, -alpha * (1.0 + alpha).powi(2))).to_vec());
    vec![
        Claim::new(
            "exponent of |α| in the error of the modified scheme as printed",
            "1",
            Expected::Theory { value: damping.fitted_order(), tolerance: 0.2 },
            studies[0].fitted_order(),
        )
        .undetermined(
            "the error is a function of the damping parameter to the power of 2",
            "Geometry, masses and torque are not printed. With our data the error comes from the numerical damping of rods and pistons, which is in proportion to \
             |α| (1 + α)² and grows less than linearly.",
        ),
        Claim::missing("values of α of Fig. 10", "they stand in the figure only"),
    ]
}

fn table(studies: &[Convergence; 2]) -> Table {
    let [printed, weighted] = studies;
    let rows = printed.points.iter().zip(&weighted.points).map(|(&(alpha, printed), &(_, weighted))| {
        vec![Cell::number(-alpha, 2), Cell::number(printed, 3), Cell::number(weighted, 3)]
    });
    Table {
        slug: "damping".into(),
        title: "Errors over t ∈ [0, 15] s, h = 10⁻⁴ s".into(),
        columns: vec![
            Column::new("α", "1"),
            Column::new("e_ω modified as printed", "rad"),
            Column::new("e_ω body-weighted", "rad"),
        ],
        rows: rows.collect(),
    }
}

fn figure(studies: &[Convergence; 2]) -> Figure {
    let names = ["modified as printed", "body-weighted"];
    let curve = |(name, study): (&str, &Convergence)| Curve::new(name, Style::LineAndMarkers, study.points.clone());
    let (alpha, error) = studies[0].points[1];
    Figure {
        slug: "fig10".into(),
        title: "Fig. 10: error over the damping parameter".into(),
        caption:
            "Integrated error of the angular velocity, h = 10⁻⁴ s, t ∈ [0, 15] s. Dotted: slope 2, as the text says."
                .into(),
        x: Axis::log("|α|", "1"),
        y: Axis::log("e_ω", "rad"),
        curves: names.into_iter().zip(studies).map(curve).collect(),
        slopes: vec![Slope { slope: 2.0, through: (alpha, 1.5 * error), span: (0.5 * alpha, 1.5 * alpha) }],
    }
}
