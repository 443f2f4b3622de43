//! Error of the angular velocity over the step size. [sherif, Fig. 2]
//!
//! Measured twice: against a solution of much higher order, and in the paper's way, against the modified scheme itself
//! at a small step. The text reads the slope +1 of its figure as second order; it is first order.

use hamel::scheme::{Scheme, StepError};
use hamel::schemes::RungeKutta;
use hamel_compiler::parallel;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Proof, Report, Slope, Style, at_most};

use super::Top;
use crate::convergence::{self, Convergence};
use crate::motion::Grid;
use crate::sherif::schemes::{body_weighted, classical, modified};

/// Step sizes as printed, s.
const STEPS: [f64; 5] = [1e-3, 5e-4, 1e-4, 5e-5, 1e-5];
const ALPHA: f64 = -0.2;
/// The paper's reference: step size, s, and damping parameter.
const OWN_REFERENCE: (f64, f64) = (1e-6, -0.1);
const DURATION: f64 = 1.0;

pub(super) type Samples = Vec<[f64; 3]>;

pub(super) fn run() -> Result<Report, StepError> {
    let exact = reference(Grid::new(STEPS[STEPS.len() - 1], DURATION))?;
    let variants: [(&str, Box<dyn Scheme>); 3] = [
        ("classical", classical(ALPHA)?),
        ("modified as printed", modified(ALPHA)?),
        ("body-weighted", body_weighted(ALPHA)?),
    ];
    let own_scheme = modified(OWN_REFERENCE.1)?;
    // The longest computation comes first, so that the others fill the remaining cores.
    let mut jobs: Vec<(&dyn Scheme, Grid)> =
        vec![(&*own_scheme, Grid::new(OWN_REFERENCE.0, DURATION).sampled(exact.len() - 1))];
    for (_, scheme) in &variants {
        jobs.extend(STEPS.map(|dt| (&**scheme, Grid::new(dt, DURATION))));
    }
    let mut motions = parallel::map(&jobs, |&(scheme, grid)| angular_velocity(scheme, grid)).into_iter();
    let own = motions.next().unwrap_or_else(|| Ok(Vec::new()))?;
    let motions = motions.collect::<Result<Vec<Samples>, _>>()?;

    let studies = |reference: &Samples| -> Vec<Convergence> {
        let error = |(dt, motion): (f64, &Samples)| (dt, error(dt, motion, reference));
        motions
            .chunks(STEPS.len())
            .map(|chunk| Convergence::new(STEPS.into_iter().zip(chunk).map(error).collect()))
            .collect()
    };
    let names = variants.map(|(name, _)| name);
    let (true_errors, own_errors) = (studies(&exact), studies(&own));
    Ok(report(&names, &true_errors, &own_errors))
}

fn report(names: &[&str; 3], true_errors: &[Convergence], own_errors: &[Convergence]) -> Report {
    let table = |slug, title, studies: &[Convergence]| {
        let named: Vec<(&str, &Convergence)> = names.iter().copied().zip(studies).collect();
        convergence::table(slug, title, ("e_ω", "rad"), &named)
    };
    Report {
        claims: claims(true_errors, own_errors),
        tables: vec![
            table("convergence", "Errors against the solution of high order, α = −0.2", true_errors),
            table("convergence_own", "Errors against the paper's reference (modified scheme, h = 10⁻⁶ s, α = −0.1)", own_errors),
        ],
        figures: vec![
            figure("fig2", "Fig. 2: error over the step size", names, true_errors),
            figure("fig2_own", "Fig. 2 with the paper's own reference", &names[..], own_errors),
        ],
        notes: vec![
            "The error is the integral of |ω − ω_ref| over one second, summed over the three components in body axes, \
             for the step sizes and the damping parameter α = −0.2 of the paper."
                .into(),
            "The reference of high order is a Runge-Kutta solution in joint coordinates at h = 10⁻⁵ s. The paper measures \
             against its own scheme at h = 10⁻⁶ s instead, which hides errors that both have in common."
                .into(),
            "The errors of the classical scheme are so large over one second that its steps are not yet in the asymptotic \
             range; sherif/heavy_top/orders measures it over a shorter time."
                .into(),
            "Averaging the forces of the old and the new instant in the body's frame instead of the components of \
             Euler parameters (the body-weighted variant) restores second order at the same cost."
                .into(),
        ],
    }
}

fn claims(true_errors: &[Convergence], own_errors: &[Convergence]) -> Vec<Claim> {
    let second = Expected::Order { order: 2.0, tolerance: 0.05 };
    let [classical, modified, body_weighted] = [0, 1, 2].map(|k| &true_errors[k]);
    vec![
        Claim::new("order of the modified scheme as printed, finest steps", "1", Expected::Order { order: 1.0, tolerance: 0.1 }, modified.last_order()).refutes(
            "slope +1 in double logarithmic scale, called second order convergence", Proof::Algebra,
            "In double logarithmic scale the slope is the order of convergence, so the figure shows first order, and so do we.",
        ),
        Claim::new("order of the body-weighted variant, finest steps", "1", second, body_weighted.last_order()),
        Claim::new("slope against the paper's own reference, all steps", "1", Expected::Order { order: 1.0, tolerance: 0.1 }, own_errors[1].fitted_order())
            .in_words("straight lines of slope +1"),
        Claim::new(
            "error of the modified scheme relative to the classical one, h = 10⁻⁴ s",
            "1",
            at_most(0.01, Origin::Chosen("“Significantly better” is no number: a hundredth.")),
            modified.points[2].1 / classical.points[2].1,
        )
        .in_words("the numerical properties of the modified scheme are significantly better"),
    ]
}

fn figure(slug: &str, title: &str, names: &[&str], studies: &[Convergence]) -> Figure {
    let curve = |(name, study): (&&str, &Convergence)| Curve::new(*name, Style::LineAndMarkers, study.points.clone());
    Figure {
        slug: slug.into(),
        title: title.into(),
        caption: "Integrated error of the angular velocity, α = −0.2. Dotted: slopes of first and second order.".into(),
        x: Axis::log("step size h", "s"),
        y: Axis::log("e_ω", "rad"),
        curves: names.iter().zip(studies).map(curve).collect(),
        slopes: vec![slope(1.0, &studies[1], 2.5), slope(2.0, &studies[2], 0.4)],
    }
}

/// A line of this slope beside the middle of a study.
fn slope(slope: f64, beside: &Convergence, factor: f64) -> Slope {
    let (h, error) = beside.points[2];
    Slope { slope, through: (h, factor * error), span: (0.4 * h, 2.5 * h) }
}

pub(super) fn angular_velocity(scheme: &dyn Scheme, grid: Grid) -> Result<Samples, StepError> {
    let top = Top::absolute()?;
    top.observe(scheme, grid, |state| top.angular_velocity(state)).complete()
}

/// The angular velocity at the instants of a grid, from a scheme of higher order in other coordinates.
pub(super) fn reference(grid: Grid) -> Result<Samples, StepError> {
    let top = Top::joint()?;
    top.observe(&RungeKutta, grid, |state| top.angular_velocity(state)).complete()
}

pub(super) fn error(dt: f64, motion: &Samples, reference: &Samples) -> f64 {
    let stride = (reference.len() - 1) / (motion.len() - 1);
    let same_instants: Samples = reference.iter().step_by(stride).copied().collect();
    convergence::integrated_error(dt, motion, &same_instants)
}
