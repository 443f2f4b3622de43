//! Orders of convergence of the HHT schemes, where their errors are small enough to show them. [sherif, Fig. 2]
//!
//! Steps are halved over a tenth of a second: over the whole second of the figure the classical scheme, which damps the
//! rotation, is not yet in the asymptotic range at the printed step sizes.

use hamel::scheme::{Scheme, StepError};
use hamel_compiler::parallel;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Proof, Report, Slope, Style};

use super::convergence::{Samples, angular_velocity, error, reference};
use crate::convergence::{self, Convergence};
use crate::motion::Grid;
use crate::sherif::schemes::{body_weighted, classical, modified};

const DURATION: f64 = 0.1;
const STEPS: [usize; 8] = [100, 200, 400, 800, 1600, 3200, 6400, 12800];
const ALPHA: f64 = -0.2;
/// Steps up to which the classical scheme without damping shows its order: nothing damps what rounding excites in the
/// constraints' directions, and that grows as steps shrink.
const UNDAMPED: usize = 3200;

pub(super) fn run() -> Result<Report, StepError> {
    let grid = |steps: usize| Grid::new(DURATION / steps as f64, DURATION);
    let exact = reference(grid(STEPS[STEPS.len() - 1]))?;
    let variants: [(&str, Box<dyn Scheme>); 4] = [
        ("classical, α = 0", classical(0.0)?),
        ("classical", classical(ALPHA)?),
        ("modified as printed", modified(ALPHA)?),
        ("body-weighted", body_weighted(ALPHA)?),
    ];
    let jobs: Vec<(&dyn Scheme, Grid)> =
        variants.iter().flat_map(|(_, scheme)| STEPS.map(|steps| (&**scheme, grid(steps)))).collect();
    let motions = parallel::map(&jobs, |&(scheme, grid)| angular_velocity(scheme, grid));
    let motions = motions.into_iter().collect::<Result<Vec<Samples>, _>>()?;
    let point = |(&(_, grid), motion): (&(&dyn Scheme, Grid), &Samples)| (grid.dt, error(grid.dt, motion, &exact));
    let points: Vec<(f64, f64)> = jobs.iter().zip(&motions).map(point).collect();
    let studies: Vec<Convergence> = points.chunks(STEPS.len()).map(|chunk| Convergence::new(chunk.to_vec())).collect();
    let names: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
    Ok(report(&names, &studies))
}

fn report(names: &[&str], studies: &[Convergence]) -> Report {
    let named: Vec<(&str, &Convergence)> = names.iter().copied().zip(studies).collect();
    let order = |what: &str, order: f64, study: &Convergence| {
        Claim::new(format!("order, {what}"), "1", Expected::Order { order, tolerance: 0.05 }, study.last_order())
    };
    let is_undisturbed = |steps: &&usize| **steps <= UNDAMPED;
    let undisturbed = STEPS.iter().filter(is_undisturbed).count();
    let undamped = Convergence::new(studies[0].points[..undisturbed].to_vec());
    Report {
        claims: vec![
            order("classical scheme, α = 0", 2.0, &undamped),
            order("classical scheme, α = −0.2", 1.0, &studies[1]),
            order("modified scheme as printed, α = −0.2", 1.0, &studies[2]).refutes(
                "slope +1 in double logarithmic scale, called second order convergence",
                Proof::Algebra,
                "The slope in double logarithmic scale is the order: first order.",
            ),
            order("modified scheme, body-weighted, α = −0.2", 2.0, &studies[3]),
        ],
        tables: vec![convergence::table("orders", "Errors over t ∈ [0, 0.1] s, α = −0.2", ("e_ω", "rad"), &named)],
        figures: vec![Figure {
            slug: "orders".into(),
            title: "Orders of convergence over a tenth of a second".into(),
            caption: "Integrated error of the angular velocity, α = −0.2 unless named. Dotted: first and second order."
                .into(),
            x: Axis::log("step size h", "s"),
            y: Axis::log("e_ω", "rad"),
            curves: named
                .iter()
                .map(|(name, study)| Curve::new(*name, Style::LineAndMarkers, study.points.clone()))
                .collect(),
            slopes: vec![slope(1.0, &studies[2], 3.0), slope(2.0, &studies[3], 0.25)],
        }],
        notes: Vec::new(),
    }
}

/// A line of this slope beside the middle of a study, `factor` times its error.
fn slope(slope: f64, beside: &Convergence, factor: f64) -> Slope {
    let (h, error) = beside.points[STEPS.len() / 2];
    Slope { slope, through: (h, factor * error), span: (0.4 * h, 2.5 * h) }
}
