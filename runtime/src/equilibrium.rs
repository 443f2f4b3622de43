//! Static equilibrium: coordinates and multipliers at which a model stays at rest, `r(t, q, 0, 0, λ) = 0`, `g(t, q) = 0`.
//!
//! Newton's method with the exact derivatives of the model and full steps: iterates of slender structures have large
//! internal forces, so that a step may be correct although it does not reduce the residual. For large loads increase
//! the load in steps, and start from the equilibrium of the previous load. Stability is not examined, and contacts are
//! ignored.

use nalgebra::SVD;

use crate::configuration::retract;
use crate::linear_solver::LinearSolver;
use crate::model::{Model, ParameterError, State};
use crate::redundancy::{least_norm_multipliers, redundant_constraints};
use crate::start::check_sizes;
use crate::step::StepError;

const MAX_ITERATIONS: u32 = 50;
/// A correction below this, relative to one plus the largest coordinate, is the last.
const CONVERGED: f64 = 1e-13;
/// A correction that no longer decreases is round-off; it is accepted below this.
const STALLED: f64 = 1e-8;
/// Up to this number of unknowns, errors name the coordinate that moves without resistance.
const NAMED: usize = 400;

/// A state at rest, and the history of the iteration.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// Coordinates and multipliers; velocities and accelerations are zero.
    pub state: State,
    /// Largest correction of a coordinate in every iteration, relative to one plus the largest coordinate.
    pub corrections: Vec<f64>,
}

/// Why no equilibrium was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EquilibriumError {
    /// Parameters that are physically impossible.
    #[error("{0}")]
    BadModel(#[from] ParameterError),
    /// A start whose size differs from that of the model's states.
    #[error("{0}")]
    BadState(#[from] StepError),
    /// A constraint on velocities, which does not determine coordinates.
    #[error(
        "{model}: `{constraint}` is a constraint on velocities, which leaves the coordinates of an equilibrium open"
    )]
    VelocityConstraint {
        /// Name of the model.
        model: String,
        /// Name of the constraint.
        constraint: String,
    },
    /// A motion without stiffness, or redundant constraints.
    #[error("{model}: the equations of equilibrium at t = {t} s are singular in iteration {iteration}: {reason}")]
    Singular {
        /// Name of the model.
        model: String,
        /// Time, s.
        t: f64,
        /// Iterations done before.
        iteration: u32,
        /// Names the coordinate that moves most in the motion without stiffness.
        reason: String,
    },
    /// Newton's method did not converge.
    #[error(
        "{model}: no equilibrium found at t = {t} s: the last of {iteration} corrections is {correction:.3e}; start nearer to it, or raise the loads in steps"
    )]
    NotConverged {
        /// Name of the model.
        model: String,
        /// Time, s.
        t: f64,
        /// Iterations done.
        iteration: u32,
        /// Largest correction of a coordinate in the last one, relative to one plus the largest coordinate.
        correction: f64,
    },
}

/// The equilibrium at the time of a state, found by Newton's method from its coordinates and multipliers.
///
/// Start from [`initial_state`](crate::initial_state), or from the equilibrium under a smaller load.
///
/// # Errors
/// [`EquilibriumError`]: parameters out of range, a start of the wrong size, constraints on velocities, motions without
/// stiffness, divergence.
///
/// # Examples
/// A mass of 2 kg hangs on a spring of 50 N/m, which extends by m g / k.
///
/// ```
/// # hamel::multibody! {
/// #     model Scales {
/// #         planar;
/// #         coordinates joint;
/// #         gravity [9.81, 0] m/s^2;
/// #         body pan { mass: 2 kg, inertia: 1 kg m^2 }
/// #         joint guide: prismatic(ground, pan);
/// #         force spring: spring(ground, pan) { stiffness: 50 N/m }
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scales = Scales::default();
/// let found = hamel::equilibrium(&scales, &hamel::initial_state(&scales)?)?;
/// assert!((found.state.q[0] - 2.0 * 9.81 / 50.0).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub fn equilibrium(model: &dyn Model, start: &State) -> Result<Equilibrium, EquilibriumError> {
    model.validate()?;
    check_sizes(model, start)?;
    let info = model.describe();
    let dims = model.dims();
    if info.velocity_constraints > 0 {
        let constraint = info.constraints[dims.nc - info.velocity_constraints].name.clone();
        return Err(EquilibriumError::VelocityConstraint { model: info.name.clone(), constraint });
    }
    let mut state = start.clone();
    state.v.fill(0.0);
    state.a.fill(0.0);
    let mut solver = LinearSolver::new(info.iteration_matrix.clone());
    let redundant = redundant_constraints(model, &state);
    solver.leave_out(&redundant.iter().map(|row| dims.nv + row).collect::<Vec<_>>());
    let mut values = vec![0.0; solver.nnz()];
    let mut correction = vec![0.0; solver.size()];
    let mut corrections: Vec<f64> = Vec::new();
    for iteration in 0..MAX_ITERATIONS {
        let (r, g) = correction.split_at_mut(dims.nv);
        model.residual(&state, r, g);
        model.iteration_matrix(&state, 0.0, 0.0, 1.0, &mut values);
        if values.iter().chain(&correction).any(|value| !value.is_finite()) {
            break;
        }
        if solver.factor(&values).is_err() {
            let reason = without_resistance(model, &values);
            return Err(EquilibriumError::Singular { model: info.name.clone(), t: state.t, iteration, reason });
        }
        solver.solve(&mut correction);
        let (dq, dlambda) = correction.split_at(dims.nv);
        let increment: Vec<f64> = dq.iter().map(|dq| -dq).collect();
        let from = state.q.clone();
        retract(&info.blocks, from.as_slice(), &increment, state.q.as_mut_slice());
        state.lambda.iter_mut().zip(dlambda).for_each(|(lambda, change)| *lambda -= change);

        let largest = dq.iter().fold(0.0_f64, |largest, dq| largest.max(dq.abs()));
        let size = largest / (1.0 + state.q.amax());
        let has_stalled = size < STALLED && corrections.last().is_some_and(|&previous| size > 0.5 * previous);
        corrections.push(size);
        if size < CONVERGED || has_stalled {
            if !redundant.is_empty() {
                least_norm_multipliers(model, &mut state);
            }
            return Ok(Equilibrium { state, corrections });
        }
    }
    let correction = corrections.last().copied().unwrap_or(f64::INFINITY);
    let iteration = corrections.len() as u32;
    Err(EquilibriumError::NotConverged { model: info.name.clone(), t: state.t, iteration, correction })
}

/// The coordinate that moves most in the motion of least resistance.
fn without_resistance(model: &dyn Model, values: &[f64]) -> String {
    let info = model.describe();
    let (nv, size) = (info.velocities.len(), info.iteration_matrix.rows);
    let general = "something moves without resistance".to_owned();
    if size > NAMED {
        return general;
    }
    let matrix = info.iteration_matrix.to_dense(values);
    let motion = SVD::try_new(matrix, false, true, f64::EPSILON, 10_000)
        .and_then(|svd| Some(svd.v_t?.row(svd.singular_values.argmin().0).columns(0, nv).transpose()));
    match motion {
        Some(motion) if motion.amax() > f64::EPSILON.sqrt() => {
            format!("nothing resists motion of `{}`", info.velocities[motion.iamax()].name)
        }
        _ => general,
    }
}
