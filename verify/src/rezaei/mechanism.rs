//! The rigid slider-crank of [rezaei, Table 1] and the schemes that are compared on it.

use std::time::Instant;

use hamel::newton::NewtonMatrix;
use hamel::nonsmooth::{ContactOptions, InitialAcceleration};
use hamel::scheme::{StepError, StepStats};
use hamel::{ConstraintLevel, Drift, Model, Options, Scheme, Simulation, State, Trajectory, Watchers, schemes};
use hamel_models::slider_crank::SliderCrank;
use hamel_models::slider_crank_clearance::SliderCrankClearance;
use nalgebra::DVector;

/// Length of the motions of Tables 3 to 6, s.
pub(super) const DURATION: f64 = 0.05;
/// Step sizes of Tables 4 and 6, s.
pub(super) const STEPS: [f64; 3] = [1e-4, 1e-5, 1e-6];
/// Distance of the instants at which states are kept, s.
pub(super) const INTERVAL: f64 = 1e-4;

/// The unit of an angle or of an angular velocity of these names.
pub(super) fn unit(name: &str) -> &'static str {
    if name.starts_with("velocity") { "rad/s" } else { "rad" }
}

/// The mechanism in its two variants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Guide {
    /// Two constraints on velocities, without friction.
    Bilateral,
    /// Four corners with clearance, impacts and friction.
    Unilateral,
}

/// A scheme of Tables 3 to 6.
pub(super) struct Compared {
    pub(super) name: &'static str,
    pub(super) scheme: Box<dyn Scheme>,
}

/// In the order of the tables. ρ∞ of generalized-α is not printed; it changes errors by less than a tenth.
pub(super) fn compared() -> Result<Vec<Compared>, StepError> {
    let rho: fn(f64) -> Vec<(&'static str, f64)> = |rho| vec![("rho_infinity", rho)];
    let members = [
        ("Moreau", "moreau", vec![]),
        ("HETS", "half_explicit", vec![]),
        ("generalized-α", "generalized_alpha", rho(0.8)),
        ("Bathe", "bathe", vec![]),
        ("ED-α", "ed_alpha", rho(0.0)),
    ];
    let compared = members
        .into_iter()
        .map(|(name, key, parameters)| Ok(Compared { name, scheme: schemes::by_name(key, &parameters)? }));
    compared.collect()
}

/// A motion as it was recorded.
pub(super) struct Recorded {
    pub(super) trajectory: Trajectory,
    /// Time of computation, s.
    pub(super) seconds: f64,
    /// Iterations and factorizations, which are the same on every machine.
    pub(super) cost: StepStats,
}

impl Recorded {
    /// A column; empty when the model has none of this name.
    pub(super) fn column(&self, name: &str) -> Vec<f64> {
        self.trajectory.column(name).map_or(Vec::new(), Iterator::collect)
    }

    /// θ₂, the angle whose error the tables show.
    pub(super) fn rod(&self) -> Vec<f64> {
        self.column("theta2")
    }

    /// The last value of a column.
    pub(super) fn last(&self, name: &str) -> f64 {
        self.column(name).last().copied().unwrap_or(f64::NAN)
    }
}

impl Guide {
    fn model(self) -> Box<dyn Model> {
        match self {
            Guide::Bilateral => Box::new(SliderCrank::default()),
            Guide::Unilateral => Box::new(SliderCrankClearance::default()),
        }
    }

    /// The motion over [`DURATION`], recorded each [`INTERVAL`].
    pub(super) fn motion(self, scheme: &dyn Scheme, dt: f64, contacts: ContactOptions) -> Result<Recorded, StepError> {
        let model = self.model();
        record(&*model, scheme, dt, DURATION, contacts)
    }
}

/// A motion, recorded each [`INTERVAL`], from accelerations without contact forces, as printed.
pub(super) fn record(
    model: &dyn Model,
    scheme: &dyn Scheme,
    dt: f64,
    duration: f64,
    contacts: ContactOptions,
) -> Result<Recorded, StepError> {
    let mut initial = hamel::initial_state(model)?;
    free_acceleration(model, &mut initial)?;
    // The paper's coordinates drift, which is among what it compares.
    let (constraint_level, drift) = (Some(ConstraintLevel::Velocity), Drift::Kept);
    let watchers = Watchers { constraints: None, energy: None, ..Watchers::default() };
    let contacts = ContactOptions { initial_acceleration: InitialAcceleration::Free, ..contacts };
    // Factorizations are counted as the paper's schemes make them.
    let newton_matrix = Some(NewtonMatrix::EveryIteration);
    let options = Options { constraint_level, drift, contacts, watchers, newton_matrix, ..Options::default() };
    let every = (INTERVAL / dt).round() as usize;
    let start = Instant::now();
    let run = Simulation::new(model, scheme).options(options).step(dt).until(duration).record_every(every).run(initial);
    let cost = run.outcome?;
    Ok(Recorded { trajectory: run.trajectory, seconds: start.elapsed().as_secs_f64(), cost })
}

/// Replaces accelerations by those without forces of constraints, as Eqs. 25, 62 and 83 begin.
pub(super) fn free_acceleration(model: &dyn Model, state: &mut State) -> Result<(), StepError> {
    let info = model.describe();
    let mut mass = vec![0.0; info.mass_matrix.nnz()];
    model.mass_matrix(state.q.as_slice(), &mut mass);
    let (mut force, mut constraint) = (DVector::zeros(state.v.len()), vec![0.0; state.lambda.len()]);
    state.a.fill(0.0);
    state.lambda.fill(0.0);
    model.residual(state, force.as_mut_slice(), &mut constraint);
    let undefined =
        StepError::Undefined { scheme: "the start".into(), model: info.name.clone(), reason: "M is singular" };
    state.a = info.mass_matrix.to_dense(&mass).lu().solve(&-force).ok_or(undefined)?;
    Ok(())
}

/// The norm of relative errors over instants, without the first. [rezaei, Eq. 92]
pub(super) fn relative_error(computed: &[f64], reference: &[f64], every: usize) -> f64 {
    let pairs = computed.iter().zip(reference).step_by(every).skip(1);
    pairs.map(|(computed, reference)| ((computed - reference) / reference).powi(2)).sum::<f64>().sqrt()
}

/// The largest difference.
pub(super) fn largest_error(computed: &[f64], reference: &[f64]) -> f64 {
    crate::convergence::largest(computed.iter().zip(reference).map(|(computed, reference)| computed - reference))
}

/// √(Σ difference² / Σ reference²) over several quantities.
pub(super) fn norm_error(computed: &[Vec<f64>], reference: &[Vec<f64>], skip: usize) -> f64 {
    let pairs = || computed.iter().zip(reference).flat_map(|(a, b)| a.iter().zip(b).skip(skip));
    let (difference, size): (f64, f64) =
        pairs().fold((0.0, 0.0), |(difference, size), (a, b)| (difference + (a - b).powi(2), size + b.powi(2)));
    (difference / size).sqrt()
}

/// The order that two errors show.
pub(super) fn order(errors: [f64; 2], steps: [f64; 2]) -> f64 {
    (errors[0] / errors[1]).ln() / (steps[0] / steps[1]).ln()
}
