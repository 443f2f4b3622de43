//! Consistent initial states: coordinates and velocities that obey constraints and initial conditions, then
//! accelerations and multipliers that obey the equations of motion.
//!
//! Conditions that leave freedom are completed by the smallest change from the reference configuration and by the
//! smallest velocities. Conditions that contradict each other, or redundant constraints, are errors with a reason.
//! Not here: anything that runs in a step; this module allocates freely.

use nalgebra::{DMatrix, DVector, SVD};

use crate::configuration::retract;
use crate::linear_solver::LinearSolver;
use crate::model::{Model, State};
use crate::scheme::StepError;
use crate::schemes::solve_for_acceleration;

const MAX_ITERATIONS: usize = 100;
/// Directions whose singular value is below this part of the largest are taken as free.
const RANK: f64 = 1e-10;
/// Largest residual of a solution, relative to one plus the largest coordinate or velocity.
const SOLVED: f64 = 1e-10;
/// Offsets from the reference configuration, tried in turn where it is singular, e.g. links in one line.
const OFFSETS: [f64; 3] = [0.0, 1e-2, 0.3];

/// The state at t = 0 that the initial conditions of a model describe.
///
/// # Errors
/// [`StepError::BadModel`] for parameters that no mechanical system has; [`StepError::Inconsistent`] with the reason:
/// conditions in conflict, redundant constraints, missing inertia.
pub fn initial_state(model: &dyn Model) -> Result<State, StepError> {
    model.validate()?;
    let mut state = State::zeros(model.dims());
    assemble(model, &mut state)?;
    set_in_motion(model, &mut state)?;
    consistent_acceleration(model, &mut state)?;
    Ok(state)
}

/// Replaces accelerations and multipliers by those of the equations of motion at the state's t, q, v.
///
/// # Errors
/// [`StepError::Inconsistent`] when constraints are redundant or a direction of motion has no inertia.
pub fn consistent_acceleration(model: &dyn Model, state: &mut State) -> Result<(), StepError> {
    let info = model.describe();
    let mut values = vec![0.0; info.iteration_matrix.nnz()];
    model.iteration_matrix(state, 1.0, 0.0, 0.0, &mut values);
    let mut solver = LinearSolver::new(&info.iteration_matrix);
    let inconsistent = |reason| StepError::Inconsistent { model: info.name, reason, residual: 0.0 };
    if solver.factor(&values).is_err() {
        return Err(inconsistent(if !values.iter().all(|value| value.is_finite()) {
            "mass matrix or constraints are not finite"
        } else if has_redundant_constraints(model, state) {
            "constraints are redundant"
        } else {
            "a direction of motion has no inertia"
        }));
    }
    let (mut rhs, mut rate) = (vec![0.0; solver.size()], vec![0.0; state.lambda.len()]);
    solve_for_acceleration(model, &mut solver, state, &mut rhs, &mut rate);
    if rhs.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(inconsistent("accelerations are not finite")) }
}

/// Solves `g = 0` together with the initial conditions on coordinates.
fn assemble(model: &dyn Model, state: &mut State) -> Result<(), StepError> {
    let mut smallest = f64::INFINITY;
    for offset in OFFSETS {
        let residual = assemble_from(model, state, offset);
        if residual <= SOLVED * (1.0 + state.q.amax()) {
            return Ok(());
        }
        smallest = smallest.min(residual);
    }
    let reason = "constraints and initial conditions on coordinates are in conflict";
    Err(StepError::Inconsistent { model: model.describe().name, reason, residual: smallest })
}

/// Gauss-Newton with minimum-norm steps from near the reference configuration; returns the residual that is left.
fn assemble_from(model: &dyn Model, state: &mut State, offset: f64) -> f64 {
    let info = model.describe();
    let dims = model.dims();
    model.reference_configuration(state.q.as_mut_slice());
    if offset > 0.0 {
        // Any fixed direction without symmetry does.
        let direction = DVector::from_fn(dims.nv, |i, _| offset * (1.0 + i as f64).sin());
        let reference = state.q.clone();
        retract(info.blocks, reference.as_slice(), direction.as_slice(), state.q.as_mut_slice());
    }
    let (mut residual, mut jacobian) = position_equations(model, state);
    for _ in 0..MAX_ITERATIONS {
        let Some(step) = minimum_norm_solution(jacobian, &residual) else { break };
        let start = state.q.clone();
        let size = residual.norm();
        let mut fraction = 1.0;
        loop {
            let increment = -fraction * &step;
            retract(info.blocks, start.as_slice(), increment.as_slice(), state.q.as_mut_slice());
            (residual, jacobian) = position_equations(model, state);
            if residual.norm() < size {
                break;
            }
            fraction *= 0.5;
            if fraction < 1e-4 {
                // No shorter step helps: the solution, to round-off, or the best compromise of a conflict.
                state.q = start;
                return position_equations(model, state).0.amax();
            }
        }
    }
    residual.amax()
}

/// Residuals `[nc + conditions]` and derivatives by the directions of the velocities.
fn position_equations(model: &dyn Model, state: &State) -> (DVector<f64>, DMatrix<f64>) {
    let dims = model.dims();
    let conditions = model.n_initial_conditions().0;
    let mut residual = DVector::zeros(dims.nc + conditions);
    let mut rows = vec![0.0; conditions * dims.nv];
    let (constraint, condition) = residual.as_mut_slice().split_at_mut(dims.nc);
    model.constraint(state.t, state.q.as_slice(), constraint);
    model.initial_position(state.t, state.q.as_slice(), condition, &mut rows);
    let mut jacobian = with_constraint_jacobian(model, state, conditions, &rows);
    // Constraints on velocities bind no coordinates.
    let on_velocities = model.describe().velocity_constraints;
    jacobian.rows_mut(dims.nc - on_velocities, on_velocities).fill(0.0);
    (residual, jacobian)
}

/// Solves `G v + rate = 0` together with the initial conditions on velocities; they are linear in v.
fn set_in_motion(model: &dyn Model, state: &mut State) -> Result<(), StepError> {
    let dims = model.dims();
    let conditions = model.n_initial_conditions().1;
    let name = model.describe().name;
    let mut residual = DVector::zeros(dims.nc + conditions);
    let mut size = f64::INFINITY;
    // The second round removes what rounding left in the first.
    for _ in 0..3 {
        let mut rows = vec![0.0; conditions * dims.nv];
        let (rate, condition) = residual.as_mut_slice().split_at_mut(dims.nc);
        model.constraint_bias(
            state.t,
            state.q.as_slice(),
            state.v.as_slice(),
            rate,
            state.lambda.as_mut_slice(), // g̈'s part is not used here.
        );
        model.initial_velocity(state.t, state.q.as_slice(), state.v.as_slice(), condition, &mut rows);
        let jacobian = with_constraint_jacobian(model, state, conditions, &rows);
        let moving = jacobian.rows(0, dims.nc) * &state.v;
        let mut constraint_rate = residual.rows_mut(0, dims.nc);
        constraint_rate += moving;
        size = residual.amax();
        let Some(step) = minimum_norm_solution(jacobian, &residual) else { break };
        state.v -= step;
    }
    if size <= SOLVED * (1.0 + state.v.amax()) {
        return Ok(());
    }
    let reason = "constraints and initial conditions on velocities are in conflict";
    Err(StepError::Inconsistent { model: name, reason, residual: size })
}

/// G above the given rows, row-major.
fn with_constraint_jacobian(model: &dyn Model, state: &State, n_rows: usize, rows: &[f64]) -> DMatrix<f64> {
    let dims = model.dims();
    let mut matrix = DMatrix::zeros(dims.nc + n_rows, dims.nv);
    matrix.rows_mut(0, dims.nc).copy_from(&constraint_jacobian(model, state));
    matrix.rows_mut(dims.nc, n_rows).copy_from(&DMatrix::from_row_slice(n_rows, dims.nv, rows));
    matrix
}

fn constraint_jacobian(model: &dyn Model, state: &State) -> DMatrix<f64> {
    let pattern = &model.describe().constraint_jacobian;
    let mut values = vec![0.0; pattern.nnz()];
    model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
    pattern.to_dense(&values)
}

/// The shortest x that minimizes `|matrix x − rhs|`; `None` when there is nothing to solve or it is not finite.
fn minimum_norm_solution(matrix: DMatrix<f64>, rhs: &DVector<f64>) -> Option<DVector<f64>> {
    let is_finite = matrix.iter().chain(rhs.iter()).all(|value| value.is_finite());
    if matrix.is_empty() || !is_finite {
        return None;
    }
    let svd = SVD::try_new(matrix, true, true, f64::EPSILON, 10_000)?;
    let smallest = RANK * svd.singular_values.max();
    svd.solve(rhs, smallest).ok()
}

/// Whether rows of G, each scaled to unit length, depend on each other.
fn has_redundant_constraints(model: &dyn Model, state: &State) -> bool {
    let mut jacobian = constraint_jacobian(model, state);
    if jacobian.nrows() > jacobian.ncols() {
        return true;
    }
    for mut row in jacobian.row_iter_mut() {
        let norm = row.norm();
        if norm == 0.0 {
            return true;
        }
        row /= norm;
    }
    !jacobian.is_empty() && jacobian.singular_values().min() < RANK
}
