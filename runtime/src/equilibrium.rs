//! Static equilibrium: coordinates, first-order states and multipliers at which a model stays at rest,
//! `r(t, q, v, 0, λ) = 0`, `g(t, q) = 0`, where all velocities but the states are zero.
//!
//! Newton's method with the exact derivatives of the model and full steps: iterates of slender structures have large
//! internal forces, so that a step may be correct although it does not reduce the residual. Where it fails, or goes astray,
//! steps against inertia lead nearer to an equilibrium first (`settling`). Coordinates that nothing determines, such as the place of a
//! vehicle on a plane, change as little as possible. Stability is not examined ([`linearize`] does), and contacts are
//! ignored.
//!
//! [`linearize`]: crate::linearize()

mod settling;

use nalgebra::{DMatrix, DVector, SVD};

use crate::configuration::retract;
use crate::linear_solver::LinearSolver;
use crate::model::{Model, ParameterError, State};
use crate::prelude::*;
use crate::redundancy::{least_norm_multipliers, redundant_constraints};
use crate::rows::{RANK, Rows};
use crate::start::{broken_constraint, check_model};
use crate::step::StepError;

const MAX_ITERATIONS: u32 = 50;
/// A correction below this, relative to one plus the largest coordinate, is the last.
const CONVERGED: f64 = 1e-13;
/// A correction that no longer decreases is round-off; it is accepted below this.
const STALLED: f64 = 1e-8;
/// Larger coordinates count as these in that: where iterates fly away, corrections that are small beside them are large.
const FAR: f64 = 1e3;
/// A step of this size, relative to one plus the largest coordinate, says that the equations are singular.
const SINGULAR: f64 = 1e6;
/// Up to this number of unknowns, singular equations are solved, and what they leave open is named.
const DECOMPOSED: usize = 600;
/// Forces that nothing resists are rounding below this part of what a small motion changes in their equation, and below
/// a smaller part of what it changes in any.
const ROUNDING: [f64; 2] = [1e-9, 1e-14];
/// A direction is free if a motion that nothing resists has this part of its length along it.
const FREE: f64 = 1e-6;

/// A state at rest, and the history of the iteration.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// Coordinates, first-order states and multipliers; all other velocities, and accelerations, are zero.
    pub state: State,
    /// Indices of the velocities along which nothing determines the equilibrium, so that it is one of many; the integrals
    /// of first-order states are not among them.
    pub free: Vec<usize>,
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
    /// A constraint on velocities that rest breaks.
    #[error("{model}: nothing can rest, because `{constraint}` asks for a velocity")]
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
        "{model}: no equilibrium found at t = {t} s: the last of {iteration} corrections is {correction:.3e}; if there is one, start nearer to it, or raise the loads in steps"
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

/// The equilibrium at the time of a state, found by Newton's method from its coordinates, first-order states and
/// multipliers; where that fails, or where its corrections grow, from a state to which the forces push, if there is one.
///
/// Start from [`initial_state`](crate::initial_state), or from the equilibrium under a smaller load.
///
/// # Errors
/// [`EquilibriumError`]: parameters out of range, a start of the wrong size, constraints that ask for velocities, forces
/// that nothing resists, divergence.
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
/// assert!(found.free.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn equilibrium(model: &dyn Model, start: &State) -> Result<Equilibrium, EquilibriumError> {
    check_model(model, start)?;
    let (info, dims) = (model.describe(), model.dims());
    let mut start = start.clone();
    start.v.rows_mut(0, dims.nv - info.states).fill(0.0);
    start.a.fill(0.0);
    let mut solver = LinearSolver::new(info.iteration_matrix.clone());
    let redundant = redundant_constraints(model, &start);
    solver.leave_out(&redundant.iter().map(|row| dims.nv + row).collect::<Vec<_>>());
    let mut found = newton(model, start.clone(), &mut solver);
    let has_failed = match &found {
        Ok(found) => has_strayed(&found.corrections),
        Err(error) => matches!(error, EquilibriumError::NotConverged { .. } | EquilibriumError::Singular { .. }),
    };
    if has_failed
        && let Some(near) = settling::settle(model, &start, &mut solver)
        && let Ok(nearer) = newton(model, near, &mut solver)
    {
        found = Ok(nearer);
    }
    let mut found = found?;
    if !redundant.is_empty() {
        least_norm_multipliers(model, &mut found.state);
    }
    Ok(found)
}

/// Whether corrections have grown on the way, so that the equilibrium is one of several that Newton's method came upon.
fn has_strayed(corrections: &[f64]) -> bool {
    corrections.windows(2).any(|pair| pair[1] > pair[0].max(STALLED))
}

/// Newton's method from a state at rest; the solver belongs to the iteration matrix of the model.
fn newton(model: &dyn Model, mut state: State, solver: &mut LinearSolver) -> Result<Equilibrium, EquilibriumError> {
    let (info, dims) = (model.describe(), model.dims());
    let mut values = vec![0.0; solver.nnz()];
    let mut correction = vec![0.0; solver.size()];
    let mut corrections: Vec<f64> = Vec::new();
    // Constraints on velocities leave coordinates open, and integrals of states occur nowhere.
    let mut is_open = info.velocity_constraints > 0 || info.states > 0;
    for iteration in 0..MAX_ITERATIONS {
        let (r, g) = correction.split_at_mut(dims.nv);
        model.residual(&state, r, g);
        model.iteration_matrix(&state, 0.0, 0.0, 1.0, &mut values);
        if values.iter().chain(&correction).any(|value| !value.is_finite()) {
            break;
        }
        let t = state.t;
        let singular = |reason| EquilibriumError::Singular { model: info.name.clone(), t, iteration, reason };
        let residual = correction.clone();
        is_open = is_open || solver.factor(&values).is_err() || {
            solver.solve(&mut correction);
            let size = size_of(&correction[..dims.nv], &state);
            size.is_nan() || size > SINGULAR
        };
        let mut open = None;
        if is_open {
            if solver.size() > DECOMPOSED {
                return Err(singular("something moves without resistance".to_owned()));
            }
            let equations = Equations::new(model, &state, &values);
            correction = equations.shortest(&residual);
            open = Some(equations);
        }
        state = moved(model, &state, &correction, 1.0);
        let size = size_of(&correction[..dims.nv], &state);
        let has_stalled = size < STALLED && corrections.last().is_some_and(|&previous| size > 0.5 * previous);
        let is_last = size < CONVERGED || has_stalled;
        if is_last && let Some(equations) = &open {
            equations.check(model, &residual).map_err(|left| match left {
                Left::Rate(constraint) => EquilibriumError::VelocityConstraint { model: info.name.clone(), constraint },
                Left::Force(reason) => singular(reason),
            })?;
        }
        corrections.push(size);
        if is_last {
            // Those that were left out as redundant need not be so elsewhere.
            if broken_constraint(model, &state).is_some() {
                break;
            }
            let free = open.map_or_else(Vec::new, |equations| equations.free());
            return Ok(Equilibrium { state, free, corrections });
        }
    }
    let correction = corrections.last().copied().unwrap_or(f64::INFINITY);
    let iteration = corrections.len() as u32;
    Err(EquilibriumError::NotConverged { model: info.name.clone(), t: state.t, iteration, correction })
}

/// A state after a correction of coordinates, of the integrals of first-order states and of multipliers; for the states,
/// its part per second that their integrals change.
fn moved(model: &dyn Model, state: &State, correction: &[f64], per_second: f64) -> State {
    let (info, dims) = (model.describe(), model.dims());
    let mut next = state.clone();
    let (dq, dlambda) = correction.split_at(dims.nv);
    let mut increment: Vec<f64> = dq.iter().map(|dq| -dq).collect();
    let moving = dims.nv - info.states;
    for (rate, integral) in next.v.rows_mut(moving, info.states).iter_mut().zip(&mut increment[moving..]) {
        *rate += per_second * core::mem::take(integral);
    }
    retract(&info.blocks, state.q.as_slice(), &increment, next.q.as_mut_slice());
    next.lambda.iter_mut().zip(dlambda).for_each(|(lambda, change)| *lambda -= change);
    next
}

/// The largest correction of a coordinate, relative to one plus the largest coordinate.
fn size_of(correction: &[f64], state: &State) -> f64 {
    correction.iter().fold(0.0_f64, |largest, dq| largest.max(dq.abs())) / (1.0 + state.q.amax().min(FAR))
}

/// What the equations of rest leave over.
enum Left {
    /// A rate that a constraint, of this name, asks for.
    Rate(String),
    /// A force that nothing resists.
    Force(String),
}

/// The equations of rest by displacements, by first-order states in the places of their integrals, and by multipliers.
struct Equations {
    matrix: DMatrix<f64>,
    /// Velocities, and those of them that are not states.
    nv: usize,
    moving: usize,
    on_positions: usize,
    size: f64,
}

impl Equations {
    fn new(model: &dyn Model, state: &State, values: &[f64]) -> Self {
        let (info, dims) = (model.describe(), model.dims());
        let moving = dims.nv - info.states;
        let on_positions = dims.nc - info.velocity_constraints;
        let mut matrix = info.iteration_matrix.to_dense(values);
        let mut damping = vec![0.0; info.damping.nnz()];
        model.damping(state, &mut damping);
        let by_states = info.damping.to_dense(&damping).columns(moving, info.states).into_owned();
        matrix.view_mut((0, moving), (dims.nv, info.states)).copy_from(&by_states);
        // Displacements do not enter constraints on velocities.
        matrix.view_mut((dims.nv + on_positions, 0), (info.velocity_constraints, dims.nv)).fill(0.0);
        Self { matrix, nv: dims.nv, moving, on_positions, size: 1.0 + state.q.amax() }
    }

    /// For each row the factor that brings it to a common size, so that stiff equations do not hide soft ones; zero where
    /// nothing but rounding stands in it.
    fn scales(&self) -> Vec<f64> {
        let least = ROUNDING[1] * self.matrix.amax();
        let scale = |size: f64| if size > least { 1.0 / size } else { 0.0 };
        self.matrix.row_iter().map(|row| scale(row.amax())).collect()
    }

    /// The smallest correction that solves the equations as far as they can be.
    fn shortest(&self, residual: &[f64]) -> Vec<f64> {
        let mut rows = Rows { rows: self.matrix.nrows(), columns: self.matrix.ncols(), entries: Vec::new() };
        let mut rhs = DVector::from_column_slice(residual);
        for (index, (row, scale)) in self.matrix.row_iter().zip(self.scales()).enumerate() {
            rhs[index] *= scale;
            let entries = row.iter().enumerate().map(|(column, entry)| (index, column, entry * scale));
            rows.entries.extend(entries.filter(|(.., entry)| *entry != 0.0));
        }
        rows.minimum_norm_solution(&rhs).map_or_else(|| vec![0.0; residual.len()], |step| step.as_slice().to_vec())
    }

    /// Whether no more than rounding is left.
    fn check(&self, model: &dyn Model, residual: &[f64]) -> Result<(), Left> {
        let info = model.describe();
        let sums: Vec<f64> = self.matrix.row_iter().map(|row| row.iter().map(|entry| entry.abs()).sum()).collect();
        let largest = sums.iter().copied().fold(0.0, f64::max);
        let excess = |row: usize| {
            residual[row].abs() / (ROUNDING[0] * sums[row] * self.size + ROUNDING[1] * largest + f64::MIN_POSITIVE)
        };
        let Some(worst) = (0..residual.len()).max_by(|&a, &b| excess(a).total_cmp(&excess(b))) else { return Ok(()) };
        if excess(worst) <= 1.0 {
            return Ok(());
        }
        Err(match worst.checked_sub(self.nv) {
            Some(row) if row >= self.on_positions => Left::Rate(info.constraints[row].name.clone()),
            Some(row) => Left::Force(format!("constraint `{}` cannot be satisfied", info.constraints[row].name)),
            None => {
                let (name, force) = (&info.velocities[worst].name, residual[worst]);
                let contacts = if info.contacts.is_empty() { "" } else { "; contacts are left out" };
                Left::Force(format!(
                    "nothing resists motion of `{name}`, along which {force:.3e} in SI units act{contacts}"
                ))
            }
        })
    }

    /// Directions of displacements along which nothing changes in any equation.
    fn free(&self) -> Vec<usize> {
        let mut matrix = self.matrix.clone();
        matrix.row_iter_mut().zip(self.scales()).for_each(|(mut row, scale)| row.scale_mut(scale));
        let Some(svd) = SVD::try_new(matrix, false, true, f64::EPSILON, 10_000) else { return Vec::new() };
        let Some(vectors) = svd.v_t else { return Vec::new() };
        let smallest = RANK * svd.singular_values.max();
        let is_free = |direction: &usize| {
            let along = svd.singular_values.iter().enumerate().filter(|(_, value)| **value <= smallest);
            along.map(|(index, _)| vectors[(index, *direction)].powi(2)).sum::<f64>() > FREE
        };
        (0..self.moving).filter(is_free).collect()
    }
}
