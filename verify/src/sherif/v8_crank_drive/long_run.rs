//! The runs with step size and damping parameter as printed, which three figures share. [sherif, Figs. 8-10]

use hamel::newton::NewtonMatrix;
use hamel::scheme::{Scheme, StepError};
use hamel_models::v8_crank_drive::V8CrankDriveParameters;

use super::Drive;
use crate::motion::Grid;
use crate::shared::Shared;
use crate::sherif::schemes::{body_weighted, classical, modified};

/// As printed: step size, s, and damping parameter.
pub(super) const DT: f64 = 1e-4;
pub(super) const ALPHA: f64 = -0.3;
pub(super) const DURATION: f64 = 15.0;
/// Steps between two samples.
pub(super) const EVERY: usize = 500;

/// The schemes of the figures.
#[derive(Clone, Copy)]
pub(super) enum Variant {
    Classical,
    Modified,
    BodyWeighted,
}

/// What is kept of a state.
pub(super) struct Sample {
    pub(super) t: f64,
    pub(super) omega: f64,
    pub(super) energy: f64,
    /// Of the torque since the start, J.
    pub(super) work: f64,
    pub(super) drift: (f64, f64),
}

/// A run of all 15 s.
pub(super) struct LongRun {
    /// After every so many steps; the first belongs to the initial state.
    pub(super) samples: Vec<Sample>,
    /// After each step, rad/s.
    pub(super) angular_velocities: Vec<[f64; 1]>,
    pub(super) newton_iterations: f64,
    /// Of the step that took most.
    pub(super) most_iterations: f64,
    /// Seconds of this process, of which others on the machine may have taken a part.
    pub(super) seconds: f64,
}

static RUNS: [Shared<LongRun>; 3] = [const { Shared::new() }; 3];

impl Variant {
    pub(super) fn scheme(self, alpha: f64) -> Result<Box<dyn Scheme>, StepError> {
        match self {
            Variant::Classical => classical(alpha),
            Variant::Modified => modified(alpha),
            Variant::BodyWeighted => body_weighted(alpha),
        }
    }

    /// The run, computed at the first call.
    pub(super) fn long_run(self) -> Result<&'static LongRun, StepError> {
        RUNS[self as usize].get(|| LongRun::new(&*self.scheme(ALPHA)?))
    }

    /// ω after each step at the start of that run, rad/s.
    pub(super) fn angular_velocities(self, grid: Grid) -> Result<Vec<[f64; 1]>, StepError> {
        Ok(self.long_run()?.angular_velocities[..=grid.steps].to_vec())
    }
}

impl LongRun {
    fn new(scheme: &dyn Scheme) -> Result<Self, StepError> {
        let drive = Drive::new(V8CrankDriveParameters::default())?;
        let (mut work, mut last) = (0.0, None);
        let (mut samples, mut angular_velocities) = (Vec::new(), Vec::new());
        // Iterations are counted, which shows whether derivatives are exact.
        let run = drive.run(scheme, NewtonMatrix::EveryIteration, Grid::new(DT, DURATION), |state| {
            let (omega, torque) = (drive.angular_velocity(state), drive.torque(state));
            let power = torque * omega;
            work += 0.5 * DT * (power + last.unwrap_or(power)) * f64::from(u8::from(last.is_some()));
            last = Some(power);
            if angular_velocities.len() % EVERY == 0 {
                let (energy, drift) = (drive.kinetic_energy(state), drive.drift(state));
                samples.push(Sample { t: state.t, omega, energy, work, drift });
            }
            angular_velocities.push([omega]);
        })?;
        let (newton_iterations, most_iterations) = (run.cost.newton_iterations.into(), run.most_iterations.into());
        Ok(Self { samples, angular_velocities, newton_iterations, most_iterations, seconds: run.seconds })
    }
}
