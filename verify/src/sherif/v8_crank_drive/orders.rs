//! Orders of convergence on a run-up of a fifth of a second: what Fig. 9 shows, in seconds. [sherif, Fig. 9]

use hamel::scheme::StepError;
use hamel_models::v8_crank_drive::V8CrankDriveParameters;
use hamel_report::{Claim, Expected, Report};

use super::Drive;
use super::convergence::{ONE_AXIS, figure, studies};
use super::long_run::{ALPHA, Variant};
use crate::convergence::{self, Convergence};

const STEPS: [f64; 4] = [1e-3, 5e-4, 2.5e-4, 1.25e-4];
const DURATION: f64 = 0.2;

pub(super) fn run() -> Result<Report, StepError> {
    // A stronger torque brings the shaft to 100 rad/s, where the schemes differ.
    let parameters =
        V8CrankDriveParameters { final_torque: 150.0, rise_time: 0.1, ..V8CrankDriveParameters::default() };
    let drive = Drive::new(parameters.clone())?;
    let motion = |variant: Variant, grid| drive.angular_velocities(&*variant.scheme(ALPHA)?, grid);
    let variants = [Variant::Classical, Variant::Modified, Variant::BodyWeighted];
    let studies = studies(&parameters, &variants, &STEPS, DURATION, &motion)?;
    let named = [("classical", &studies[0]), ("modified as printed", &studies[1]), ("body-weighted", &studies[2])];
    let order = |what: &str, order: f64, study: &Convergence| {
        let expected = Expected::Order { order, tolerance: 0.15 };
        Claim::new(format!("order, {what}"), "1", expected, study.last_order())
    };
    Ok(Report {
        claims: vec![
            order("classical scheme", 1.0, &studies[0]),
            order("modified scheme as printed", 2.0, &studies[1])
                .not_reproduced("slope +1 in double logarithmic scale, called second order convergence", ONE_AXIS),
            order("modified scheme, body-weighted", 2.0, &studies[2]),
        ],
        tables: vec![convergence::table("orders", "Errors over t ∈ [0, 0.2] s, α = −0.3", ("e_ω", "rad"), &named)],
        figures: vec![figure(
            "orders",
            "Orders of convergence over a fifth of a second",
            "Torque of 150 N m after a rise of 0.1 s, α = −0.3. Dotted: first and second order.",
            &named,
            [0, 1],
        )],
        notes: Vec::new(),
    })
}
