//! How the start of a motion depends on parameters, by way of the initial conditions.
//!
//! Constraints and initial conditions hold for any parameters: their derivatives determine those of coordinates and
//! velocities. What they leave open keeps its value, as long as nothing that they contain is open.

use nalgebra::{DMatrix, DVector};

use super::direction::{Backwards, Direction, Forwards};
use super::error::GradientError;
use crate::configuration::{ranges, retract};
use crate::linearize::displacements;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::random::Random;
use crate::rows::Rows;
use crate::tangent::{Bundle, Outside, add_matrix};

/// Derivatives of coordinates, along the velocities, and of velocities with respect to parameters, `[nv × np]`.
pub(super) struct Start {
    position: DMatrix<f64>,
    velocity: DMatrix<f64>,
    /// What constraints leave of changes, where the start is the nearest that they allow.
    left: Option<Left>,
}

/// What constraints leave of changes of a start, `[nv × nv]`.
struct Left {
    /// Of positions.
    position: DMatrix<f64>,
    /// Of velocities.
    velocity: DMatrix<f64>,
    /// Of velocities, by what is left of positions.
    velocity_by_position: DMatrix<f64>,
}

/// A part of a random direction that is left open.
const OPEN: f64 = 1e-7;

/// Whether a model has all derivatives that slopes need.
pub(super) fn has_derivatives(model: &dyn Model, state: &State) -> bool {
    let (info, dims) = (model.describe(), model.dims());
    let [mut rate, mut by_q, mut by_v] = [(); 3].map(|()| vec![0.0; dims.nc * dims.nv]);
    let np = info.differentiated.len();
    let [mut g, mut rate_by_p, mut acceleration_by_p] = [(); 3].map(|()| vec![0.0; dims.nc * np]);
    let has_states = model.constraint_derivatives(state, &mut rate, &mut by_q, &mut by_v);
    let (ny, nu) = (info.outputs.len(), info.inputs.len());
    let zeros = |n: usize| vec![0.0; n];
    let (n, rows) = (info.contacts.len(), info.contact_jacobian.rows);
    let [mut gap, mut friction] = [(); 2].map(|()| zeros(n * np));
    let [mut slip, mut restitution] = [(); 2].map(|()| zeros(rows * np));
    let has_contacts = n == 0
        || model.contact_derivatives(state, &mut zeros(rows * dims.nv))
            && (np == 0
                || model.contact_parameter_derivatives(state, &mut gap, &mut slip, &mut restitution, &mut friction));
    let [mut by_q, mut by_v, mut by_a, mut by_lambda, mut by_u, mut by_p] =
        [dims.nv, dims.nv, dims.nv, dims.nc, nu, np].map(|columns| zeros(ny * columns));
    has_states
        && has_contacts
        && (nu == 0 || model.input_derivatives(state, &mut zeros(dims.nv * nu)))
        && (ny == 0 || model.output_derivatives(state, &mut by_q, &mut by_v, &mut by_a, &mut by_lambda, &mut by_u))
        && (np == 0 || ny == 0 || model.output_parameter_derivatives(state, &mut by_p))
        && (np == 0
            || model.parameter_derivatives(
                state,
                &mut zeros(dims.nv * np),
                &mut g,
                &mut rate_by_p,
                &mut acceleration_by_p,
            ))
}

impl Start {
    /// A start that depends on no parameters.
    pub(super) fn given(model: &dyn Model) -> Self {
        let (nv, np) = (model.dims().nv, model.describe().differentiated.len());
        Self { position: DMatrix::zeros(nv, np), velocity: DMatrix::zeros(nv, np), left: None }
    }

    /// A start that constraints move as little as they can.
    pub(super) fn nearest(model: &dyn Model, state: &State) -> Result<Self, GradientError> {
        let (info, dims) = (model.describe(), model.dims());
        if dims.nc == 0 {
            return Ok(Self::given(model));
        }
        let at = Equations::new(model, state).ok_or_else(|| GradientError::NotProvided { model: info.name.clone() })?;
        let on_velocities = Rows::of_constraints(model, state);
        let mut on_positions = Rows::of_constraints(model, state);
        on_positions.entries.retain(|&(row, ..)| row < dims.nc - info.velocity_constraints);
        let constraints = |matrix: &DMatrix<f64>| matrix.rows(0, dims.nc).into_owned();
        let position = solved(&on_positions, &-constraints(&at.position_by_p));
        let velocity_by_position = solved(&on_velocities, &-constraints(&at.velocity_by_q));
        let velocity = solved(&on_velocities, &-constraints(&at.velocity_by_p)) + &velocity_by_position * &position;
        let left = |rows: &Rows| DMatrix::identity(dims.nv, dims.nv) - solved(rows, &rows.to_dense());
        let left = Left { position: left(&on_positions), velocity: left(&on_velocities), velocity_by_position };
        Ok(Self { position, velocity, left: Some(left) })
    }

    /// The start that the initial conditions determine.
    pub(super) fn of_conditions(model: &dyn Model, state: &State) -> Result<Self, GradientError> {
        let (info, dims) = (model.describe(), model.dims());
        let np = info.differentiated.len();
        if np == 0 {
            return Ok(Self::given(model));
        }
        let (on_positions, on_velocities) = model.n_initial_conditions();
        let constraints = dims.nc - info.velocity_constraints;
        let at = Equations::new(model, state).ok_or_else(|| GradientError::NotProvided { model: info.name.clone() })?;

        let condition = |state: &State| {
            let (mut residual, mut rows) = (vec![0.0; on_positions], vec![0.0; on_positions * dims.nv]);
            model.initial_position(state.t, state.q.as_slice(), &mut residual, &mut rows);
            rows
        };
        let mut rows = Rows::of_constraints(model, state);
        rows.entries.retain(|&(row, ..)| row < constraints);
        rows.append(on_positions, &condition(state));
        let reference = displacements(&info.blocks, state.q.as_slice()) * &at.reference_by_p;
        let mut change = -&at.position_by_p;
        for &(row, column, value) in &rows.entries {
            (0..np).for_each(|k| change[(row, k)] -= value * reference[(column, k)]);
        }
        let position = solved(&rows, &change) + &reference;
        // At the reference a single short step leads to the start of slightly other parameters; and equations that contain
        // no parameters have the same solution. That they contain none is seen at other places than the solution, where a
        // derivative may vanish.
        let mut from = state.clone();
        model.reference_configuration(from.q.as_mut_slice());
        let has_none = |equations: &Equations| equations.position_by_p.iter().all(|entry| *entry == 0.0);
        let is_known = || {
            from.q == state.q
                || reference.amax() == 0.0
                    && has_none(&at)
                    && elsewhere(state, true).all(|state| Equations::new(model, &state).is_some_and(|at| has_none(&at)))
        };
        let touched =
            || touched(model, state, &condition, constraints, (false, &|at: &Equations| at.position_by_p.clone()));
        if let Some(open) = open(&rows, is_known, touched) {
            let what = format!("`{}`", of_velocity(model, open));
            return Err(GradientError::OpenStart { model: info.name.clone(), what });
        }

        let condition = |state: &State| {
            let (mut residual, mut rows) = (vec![0.0; on_velocities], vec![0.0; on_velocities * dims.nv]);
            let (q, v) = (state.q.as_slice(), state.v.as_slice());
            model.initial_velocity(state.t, q, v, &mut residual, &mut rows);
            rows
        };
        let mut rows = Rows::of_constraints(model, state);
        rows.append(on_velocities, &condition(state));
        let change = |at: &Equations| -(&at.velocity_by_q * &position + &at.velocity_by_p);
        let velocity = solved(&rows, &change(&at));
        // Of a system at rest the equations change by what is on their right-hand sides alone.
        let has_none = |equations: &Equations| change(equations).iter().all(|entry| *entry == 0.0);
        let is_known = || {
            state.v.iter().all(|v| *v == 0.0)
                || has_none(&at)
                    && elsewhere(state, false)
                        .all(|state| Equations::new(model, &state).is_some_and(|at| has_none(&at)))
        };
        let touched =
            || self::touched(model, state, &condition, dims.nc, (true, &|at: &Equations| at.velocity_by_p.clone()));
        if let Some(open) = open(&rows, is_known, touched) {
            let what = format!("the velocity `{}`", info.velocities[open].name);
            return Err(GradientError::OpenStart { model: info.name.clone(), what });
        }
        Ok(Self { position, velocity, left: None })
    }

    /// Changes of the state in these directions; accelerations and multipliers follow.
    pub(super) fn changes(&self, directions: &[Direction], outside: &mut Forwards) -> Vec<Bundle> {
        let (nv, width) = (self.position.nrows(), directions.len());
        let parameters = (outside.parameters().values(), width);
        let mut changes = vec![Bundle::zeros(nv, width); 3];
        for (matrix, change) in [&self.position, &self.velocity].into_iter().zip(&mut changes) {
            add_matrix(matrix, 1.0, false, parameters, change.values_mut());
        }
        for (which, direction) in directions.iter().enumerate() {
            let (of, place) = match direction {
                Direction::Position(place) => (0, *place),
                Direction::Velocity(place) => (1, *place),
                Direction::Parameter(_) | Direction::Sample { .. } => continue,
            };
            let Some(left) = &self.left else {
                changes[of].entries_mut(place, 1)[which] += 1.0;
                continue;
            };
            let shift = left.position.column(place);
            let (shift, change) = match of {
                0 => (Some(shift), &left.velocity_by_position * shift),
                _ => (None, left.velocity.column(place).into_owned()),
            };
            for k in 0..nv {
                changes[0].entries_mut(k, 1)[which] += shift.map_or(0.0, |shift| shift[k]);
                changes[1].entries_mut(k, 1)[which] += change[k];
            }
        }
        changes.push(Bundle::zeros(0, width));
        changes
    }

    /// Adds slopes by parameters that come from those by the start, and makes these those by what it was near to.
    pub(super) fn add_slopes(&self, slopes: &mut [Bundle], outside: &mut Backwards) {
        let parameters = outside.parameters();
        let width = parameters.width();
        for (matrix, slope) in [&self.position, &self.velocity].into_iter().zip(&*slopes) {
            add_matrix(matrix, 1.0, true, (slope.values(), width), parameters.values_mut());
        }
        let (Some(left), [position, velocity, ..]) = (&self.left, slopes) else { return };
        let transposed = |matrix: &DMatrix<f64>, slope: &Bundle, into: &mut Bundle| {
            add_matrix(matrix, 1.0, true, (slope.values(), width), into.values_mut());
        };
        transposed(&left.velocity_by_position, velocity, position);
        let [mut by_position, mut by_velocity] = [(); 2].map(|()| Bundle::zeros(left.position.nrows(), width));
        transposed(&left.position, position, &mut by_position);
        transposed(&left.velocity, velocity, &mut by_velocity);
        (*position, *velocity) = (by_position, by_velocity);
    }
}

/// Derivatives of the equations that determine a start, constraints first.
struct Equations {
    /// Of those on coordinates; rows of constraints on velocities are zero.
    position_by_p: DMatrix<f64>,
    /// Of those on velocities.
    velocity_by_q: DMatrix<f64>,
    velocity_by_p: DMatrix<f64>,
    /// Of the reference configuration, `[nq × np]`.
    reference_by_p: DMatrix<f64>,
}

impl Equations {
    /// At a state; nothing where the model lacks derivatives.
    fn new(model: &dyn Model, state: &State) -> Option<Self> {
        let (info, dims) = (model.describe(), model.dims());
        let (np, nv) = (info.differentiated.len(), dims.nv);
        let (on_positions, on_velocities) = model.n_initial_conditions();
        let zeros = |n: usize| vec![0.0; n];
        let [mut by_p, mut rate_by_p, mut unused] = [(); 3].map(|()| zeros(dims.nc * np));
        let [mut rate_by_q, mut unused_by_q, mut unused_by_v] = [(); 3].map(|()| zeros(dims.nc * nv));
        let (mut position, mut velocity) = (zeros(on_positions * np), zeros(on_velocities * np));
        let (mut velocity_by_q, mut reference) = (zeros(on_velocities * nv), zeros(dims.nq * np));
        let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
        let is_complete =
            model.parameter_derivatives(state, &mut zeros(nv * np), &mut by_p, &mut rate_by_p, &mut unused)
                && model.constraint_derivatives(state, &mut rate_by_q, &mut unused_by_q, &mut unused_by_v)
                && model.initial_derivatives(t, q, v, &mut position, &mut velocity, &mut velocity_by_q, &mut reference);
        by_p[(dims.nc - info.velocity_constraints) * np..].fill(0.0);
        is_complete.then(|| Self {
            position_by_p: matrix(&[by_p, position].concat(), np),
            velocity_by_q: matrix(&[rate_by_q, velocity_by_q].concat(), nv),
            velocity_by_p: matrix(&[rate_by_p, velocity].concat(), np),
            reference_by_p: matrix(&reference, np),
        })
    }
}

/// Random states about one, of other velocities, and of other coordinates or the same.
fn elsewhere(state: &State, has_other_coordinates: bool) -> impl Iterator<Item = State> + '_ {
    let mut random = Random(1);
    (0..3).map(move |_| {
        let mut state = state.clone();
        let q = state.q.iter_mut().filter(|_| has_other_coordinates);
        q.chain(state.v.iter_mut()).for_each(|value| *value += 0.5 * random.next());
        state
    })
}

fn matrix(values: &[f64], columns: usize) -> DMatrix<f64> {
    DMatrix::from_row_slice(values.len().checked_div(columns).unwrap_or(0), columns, values)
}

/// The shortest solution of each column.
fn solved(rows: &Rows, right: &DMatrix<f64>) -> DMatrix<f64> {
    let mut solution = DMatrix::zeros(rows.columns, right.ncols());
    for (column, mut into) in right.column_iter().zip(solution.column_iter_mut()) {
        if let Some(found) = rows.minimum_norm_solution(&column.into_owned()) {
            into.copy_from(&found);
        }
    }
    solution
}

/// Velocities whose directions constraints and conditions contain: also those in which they have no slope by chance, or for
/// these parameters. `by_p` are derivatives of the conditions by parameters.
fn touched(
    model: &dyn Model,
    state: &State,
    condition: &dyn Fn(&State) -> Vec<f64>,
    constraints: usize,
    (of_velocities, by_p): (bool, &dyn Fn(&Equations) -> DMatrix<f64>),
) -> Vec<bool> {
    let nv = state.v.len();
    let mut touched = vec![false; nv];
    let info = model.describe();
    let pattern = &info.constraint_jacobian;
    pattern.entries().filter(|(row, _)| *row < constraints).for_each(|(_, column)| touched[column] = true);
    for state in elsewhere(state, true) {
        let slopes = condition(&state);
        slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0).for_each(|(k, _)| touched[k % nv] = true);
        // A slope that a parameter may give.
        let changes = |of: &dyn Fn(usize) -> bool| {
            // To move by nothing rounds rotations as to move elsewhere does.
            let [before, after] = [0.0, 0.37].map(|by| {
                let mut moved = state.clone();
                let step = DVector::from_fn(nv, |k, _| if of(k) { by } else { 0.0 });
                match of_velocities {
                    true => moved.v += step,
                    false => retract(&info.blocks, state.q.as_slice(), step.as_slice(), moved.q.as_mut_slice()),
                }
                Equations::new(model, &moved).map(|at| by_p(&at))
            });
            before != after
        };
        if changes(&|k| !touched[k]) {
            (0..nv).for_each(|k| touched[k] = touched[k] || changes(&|of| of == k));
        }
    }
    touched
}

/// A direction that constraints and conditions contain and leave open, unless the start is known all the same. That takes
/// evaluations elsewhere, which are made where something is open at all.
fn open(rows: &Rows, is_known: impl FnOnce() -> bool, touched: impl FnOnce() -> Vec<bool>) -> Option<usize> {
    let mut random = Random(2);
    let direction = DVector::from_fn(rows.columns, |_, _| random.next());
    let held = rows.minimum_norm_solution(&rows.times(&direction)).unwrap_or_else(|| DVector::zeros(rows.columns));
    let left = direction - held;
    let mut open = (0..rows.columns).filter(|&k| left[k].abs() > OPEN).peekable();
    if open.peek().is_none() || is_known() {
        return None;
    }
    let touched = touched();
    open.find(|&k| touched[k])
}

/// The coordinate of a velocity's direction, or the velocity where a rotation has several.
fn of_velocity(model: &dyn Model, place: usize) -> String {
    let info = model.describe();
    let mut ranges = ranges(&info.blocks);
    let found = ranges.find(|(_, _, v)| v.contains(&place));
    match found {
        Some((block, q, v)) if block.turn().is_none() => info.coordinates[q.start + place - v.start].name.clone(),
        _ => info.velocities[place].name.clone(),
    }
}
