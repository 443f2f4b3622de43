//! How the start of a motion depends on parameters, by way of the initial conditions.
//!
//! Constraints and initial conditions hold for any parameters: their derivatives determine those of coordinates and
//! velocities. What they leave open keeps its value, as long as nothing that they contain is open.

use nalgebra::{DMatrix, DVector};

use super::direction::{Backwards, Direction, Forwards};
use super::error::GradientError;
use crate::configuration::{ranges, velocity_map_apply};
use crate::model::{Block, Model, State};
use crate::random::Random;
use crate::rows::Rows;
use crate::tangent::Outside;

/// Derivatives of coordinates, along the velocities, and of velocities with respect to parameters, `[nv × np]`.
pub(super) struct Start {
    position: DMatrix<f64>,
    velocity: DMatrix<f64>,
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
    let mut force = vec![0.0; dims.nv * np];
    has_states
        && (np == 0 || model.parameter_derivatives(state, &mut force, &mut g, &mut rate_by_p, &mut acceleration_by_p))
}

impl Start {
    /// A start that depends on no parameters.
    pub(super) fn given(model: &dyn Model) -> Self {
        let (nv, np) = (model.dims().nv, model.describe().differentiated.len());
        Self { position: DMatrix::zeros(nv, np), velocity: DMatrix::zeros(nv, np) }
    }

    /// The start that the initial conditions determine.
    pub(super) fn of_conditions(model: &dyn Model, state: &State) -> Result<Self, GradientError> {
        let (info, dims) = (model.describe(), model.dims());
        let np = info.differentiated.len();
        if np == 0 {
            return Ok(Self::given(model));
        }
        let (on_positions, on_velocities) = model.n_initial_conditions();
        let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
        let [mut by_p, mut rate_by_p, mut unused] = [(); 3].map(|()| vec![0.0; dims.nc * np]);
        model.parameter_derivatives(state, &mut vec![0.0; dims.nv * np], &mut by_p, &mut rate_by_p, &mut unused);
        let [mut rate_by_q, mut by_q, mut by_v] = [(); 3].map(|()| vec![0.0; dims.nc * dims.nv]);
        model.constraint_derivatives(state, &mut rate_by_q, &mut by_q, &mut by_v);
        let mut position_by_p = vec![0.0; on_positions * np];
        let (mut velocity_by_p, mut velocity_by_q) =
            (vec![0.0; on_velocities * np], vec![0.0; on_velocities * dims.nv]);
        let mut reference_by_p = vec![0.0; dims.nq * np];
        model.initial_derivatives(
            t,
            q,
            v,
            &mut position_by_p,
            &mut velocity_by_p,
            &mut velocity_by_q,
            &mut reference_by_p,
        );

        let constraints = dims.nc - info.velocity_constraints;
        let condition = |state: &State| {
            let (mut residual, mut rows) = (vec![0.0; on_positions], vec![0.0; on_positions * dims.nv]);
            model.initial_position(state.t, state.q.as_slice(), &mut residual, &mut rows);
            rows
        };
        let mut rows = Rows::of_constraints(model, state);
        rows.entries.retain(|&(row, ..)| row < constraints);
        rows.append(&condition(state));
        by_p[constraints * np..].fill(0.0);
        let reference = along_velocities(&info.blocks, q, &matrix(&reference_by_p, np));
        let mut change = -matrix(&[by_p, position_by_p].concat(), np);
        for &(row, column, value) in &rows.entries {
            (0..np).for_each(|k| change[(row, k)] -= value * reference[(column, k)]);
        }
        let position = solved(&rows, &change) + &reference;
        let touched = touched(model, state, &condition, constraints);
        // At the reference a single short step leads to the start of slightly other parameters.
        let mut from = state.clone();
        model.reference_configuration(from.q.as_mut_slice());
        let is_known = from.q == state.q || change.iter().all(|entry| *entry == 0.0) && reference.amax() == 0.0;
        if let Some(open) = open(&rows, &touched).filter(|_| !is_known) {
            return Err(GradientError::OpenStart { model: info.name.clone(), what: of_velocity(model, open) });
        }

        let condition = |state: &State| {
            let (mut residual, mut rows) = (vec![0.0; on_velocities], vec![0.0; on_velocities * dims.nv]);
            let (q, v) = (state.q.as_slice(), state.v.as_slice());
            model.initial_velocity(state.t, q, v, &mut residual, &mut rows);
            rows
        };
        let mut rows = Rows::of_constraints(model, state);
        rows.append(&condition(state));
        let by_q = matrix(&[rate_by_q, velocity_by_q].concat(), dims.nv);
        let change = -(by_q * &position + matrix(&[rate_by_p, velocity_by_p].concat(), np));
        let velocity = solved(&rows, &change);
        let touched = self::touched(model, state, &condition, dims.nc);
        let is_known = change.iter().all(|entry| *entry == 0.0) || state.v.iter().all(|v| *v == 0.0);
        if let Some(open) = open(&rows, &touched).filter(|_| !is_known) {
            return Err(GradientError::OpenStart {
                model: info.name.clone(),
                what: info.velocities[open].name.clone(),
            });
        }
        Ok(Self { position, velocity })
    }

    /// Changes of the state in these directions; accelerations and multipliers follow.
    pub(super) fn changes(&self, directions: &[Direction], outside: &mut Forwards) -> Vec<DMatrix<f64>> {
        let parameters = &*outside.parameters();
        let (mut position, mut velocity) = (&self.position * parameters, &self.velocity * parameters);
        for (column, direction) in directions.iter().enumerate() {
            match direction {
                Direction::Position(place) => position[(*place, column)] += 1.0,
                Direction::Velocity(place) => velocity[(*place, column)] += 1.0,
                Direction::Parameter(_) | Direction::Sample { .. } => {}
            }
        }
        let still = DMatrix::zeros(position.nrows(), directions.len());
        vec![position, velocity, still, DMatrix::zeros(0, directions.len())]
    }

    /// Adds slopes by parameters that come from those by the start.
    pub(super) fn add_slopes(&self, slopes: &[DMatrix<f64>], outside: &mut Backwards) {
        *outside.parameters() += self.position.tr_mul(&slopes[0]) + self.velocity.tr_mul(&slopes[1]);
    }
}

/// Changes of coordinates `[nq × k]` along the velocities, `[nv × k]`.
fn along_velocities(blocks: &[Block], q: &[f64], changes: &DMatrix<f64>) -> DMatrix<f64> {
    let nv = ranges(blocks).map(|(.., v)| v.len()).sum();
    let mut along = DMatrix::zeros(nv, changes.ncols());
    let mut rate = DMatrix::zeros(0, 0);
    for (block, of_q, of_v) in ranges(blocks) {
        // The least squares solution of δq = N ξ.
        rate.resize_mut(of_q.len(), of_v.len(), 0.0);
        for direction in 0..of_v.len() {
            let mut v = vec![0.0; of_v.len()];
            v[direction] = 1.0;
            let mut column = rate.column_mut(direction);
            velocity_map_apply(&[block], &q[of_q.clone()], &v, column.as_mut_slice());
        }
        let change = changes.rows(of_q.start, of_q.len()).into_owned();
        if let Some(normal) = rate.tr_mul(&rate).cholesky() {
            along.rows_mut(of_v.start, of_v.len()).copy_from(&normal.solve(&rate.tr_mul(&change)));
        }
    }
    along
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

/// Velocities whose directions constraints and conditions contain: also those in which they have no slope by chance.
fn touched(model: &dyn Model, state: &State, condition: &dyn Fn(&State) -> Vec<f64>, constraints: usize) -> Vec<bool> {
    let mut touched = vec![false; state.v.len()];
    let pattern = &model.describe().constraint_jacobian;
    pattern.entries().filter(|(row, _)| *row < constraints).for_each(|(_, column)| touched[column] = true);
    let mut random = Random(1);
    for _ in 0..3 {
        let mut elsewhere = state.clone();
        elsewhere.q.iter_mut().chain(elsewhere.v.iter_mut()).for_each(|value| *value += 0.5 * random.next());
        let slopes = condition(&elsewhere);
        slopes
            .iter()
            .enumerate()
            .filter(|(_, slope)| **slope != 0.0)
            .for_each(|(k, _)| touched[k % state.v.len()] = true);
    }
    touched
}

/// A direction that constraints and conditions contain and leave open.
fn open(rows: &Rows, touched: &[bool]) -> Option<usize> {
    let mut random = Random(2);
    let direction = DVector::from_fn(rows.columns, |_, _| random.next());
    let held = rows.minimum_norm_solution(&rows.times(&direction)).unwrap_or_else(|| DVector::zeros(rows.columns));
    let left = direction - held;
    (0..rows.columns).filter(|&k| touched[k]).find(|&k| left[k].abs() > OPEN)
}

/// The coordinate of a velocity's direction, or the velocity where a rotation has several.
fn of_velocity(model: &dyn Model, place: usize) -> String {
    let info = model.describe();
    let mut ranges = crate::configuration::ranges(&info.blocks);
    let found = ranges.find(|(_, _, v)| v.contains(&place));
    match found {
        Some((block, q, v)) if block.turn().is_none() => info.coordinates[q.start + place - v.start].name.clone(),
        _ => info.velocities[place].name.clone(),
    }
}
