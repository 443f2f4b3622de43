//! Consistent initial states: coordinates and velocities that obey constraints and initial conditions, then
//! accelerations and multipliers that obey the equations of motion.
//!
//! Conditions that do not determine the state are completed by the smallest change from the reference configuration and
//! by the smallest velocities. Conditions that contradict each other are errors that name them. Constraints that follow
//! from others are left out; the multipliers are those of least norm. Nothing here runs within a step, so this module
//! may allocate.

use nalgebra::{DMatrix, DVector, SVD};

use crate::acceleration::Acceleration;
use crate::admissible::check_inputs;
use crate::configuration::{difference, normalize_rotations, ranges, retract, velocity_map_apply};
use crate::linear_solver::LinearSolver;
use crate::model::{Block, Channel, Model, State};
use crate::prelude::*;
use crate::random::Random;
use crate::redundancy::{least_norm_multipliers, redundant_constraints};
use crate::rows::{RANK, Rows};
use crate::singularity::SINGULAR;
use crate::start::{check_gaps, check_model, turned_joint};
use crate::step::StepError;
use crate::undefined::explain_not_finite;

const MAX_ITERATIONS: usize = 100;
/// A singular vector of length one with less than this in velocities is one of multipliers.
const MULTIPLIERS: f64 = 1e-3;
/// What is left of the way to the nearest solution, relative to one plus the way there, when it is reached.
const NEAREST: f64 = 1e-13;
/// Most steps on that way, each of which leaves a part of it: a small one where the constraints are nearly straight.
const MOST_STEPS: usize = 30;
/// Shortest part of a step on that way.
const LEAST_FRACTION: f64 = 1e-3;
/// A solution in which something has turned by more, in rad or in Euler parameters, may have been leapt to.
const FAR: f64 = 0.5;
/// A solution counts as nearer whose distance is this part of another's.
const NEARER: f64 = 0.99;
/// On the way that does not leap: the part of the equations with which it begins, the least, and the longest step, as a part
/// of the way to the solution that is there, or of one.
const FIRST_PART: f64 = 1.0 / 16.0;
const LEAST_PART: f64 = 1e-3;
const MOST_AT_ONCE: f64 = 0.25;
/// Most rounds of the solution for velocities; a decomposition needs two, sparse elimination a few more.
const MAX_ROUNDS: usize = 20;
/// Largest residual of a solution, relative to one plus the largest coordinate or velocity.
const SOLVED: f64 = 1e-10;
/// Offsets from the reference configuration, tried in turn if it is singular, e.g. with links in one line.
const OFFSETS: [f64; 3] = [0.0, 1e-2, 0.3];
/// Offsets from which what has not been found is sought at last.
const FAR_OFFSETS: [f64; 3] = [1.0, 2.0, 3.0];
/// How often it is sought from where everything that turns is turned by some angle, in models up to this size.
const TURNS: u64 = 12;
const TURNED_ABOUT: usize = 300;

/// The state at t = 0 that the initial conditions of a model describe.
///
/// # Errors
/// [`StepError::BadModel`] for parameters that are physically impossible; [`StepError::Inconsistent`] with the reason:
/// conditions in conflict, or a motion without inertia; [`StepError::Penetration`] for bodies that penetrate each
/// other; [`StepError::BadInput`] for an input that is not finite.
///
/// # Examples
/// A rod of 1 kg and 0.1 kg m² hangs on a hinge at 1 m from its centre of mass, horizontal, and turns with 2 rad/s.
///
/// ```
/// # hamel::multibody! {
/// #     model Rod {
/// #         planar;
/// #         gravity [0, -9.81] m/s^2;
/// #         body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
/// #         joint hinge: revolute(ground, rod at [-1, 0] m);
/// #         initial rod.angular_velocity = 2 rad/s;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let state = hamel::initial_state(&Rod::default())?;
/// let near = |found: &[f64], expected: [f64; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
/// assert!(near(state.q.as_slice(), [1.0, 0.0, 0.0]) && near(state.v.as_slice(), [0.0, 2.0, 2.0]));
/// // −ω² r towards the hinge, and the angular acceleration of the weight's moment about it.
/// let turning = -9.81 / (0.1 + 1.0);
/// assert!(near(state.a.as_slice(), [-4.0, turning, turning]));
/// # Ok(())
/// # }
/// ```
pub fn initial_state(model: &dyn Model) -> Result<State, StepError> {
    model.validate()?;
    let mut state = State::zeros(model.dims());
    assemble(model, &mut state)?;
    check_gaps(model, &state)?;
    set_in_motion(model, &mut state)?;
    consistent_acceleration(model, &mut state)?;
    Ok(state)
}

/// A consistent state with chosen coordinates and velocities, pairs of an index in q or in v and a value, near another
/// one: the rest moves by the shortest way that the constraints allow. Initial conditions of the model are not regarded.
///
/// # Errors
/// As [`initial_state`]; values that contradict the constraints or each other.
///
/// # Examples
/// A rod on a hinge at 1 m from its centre of mass, turned by 60°.
///
/// ```
/// # hamel::multibody! {
/// #     model Rod {
/// #         planar;
/// #         gravity [0, -9.81] m/s^2;
/// #         body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
/// #         joint hinge: revolute(ground, rod at [-1, 0] m);
/// #         initial rod.angular_velocity = 2 rad/s;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::{Model, initial_state, state_with};
///
/// let rod = Rod::default();
/// let angle = rod.describe().coordinate("rod.angle")?;
/// let state = state_with(&rod, &initial_state(&rod)?, &[(angle, 60_f64.to_radians())], &[])?;
/// assert!((state.q[0] - 0.5).abs() < 1e-12 && (state.q[angle].to_degrees() - 60.0).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub fn state_with(
    model: &dyn Model,
    near: &State,
    coordinates: &[(usize, f64)],
    velocities: &[(usize, f64)],
) -> Result<State, StepError> {
    check_model(model, near)?;
    let (info, dims) = (model.describe(), model.dims());
    for (of, length, kind) in [(coordinates, dims.nq, "coordinates"), (velocities, dims.nv, "velocities")] {
        if let Some((place, _)) = of.iter().find(|(place, _)| *place >= length) {
            return Err(StepError::BadState {
                model: info.name.clone(),
                what: format!("a place among the {kind}"),
                value: *place as f64,
                expected: format!("less than {length}"),
            });
        }
    }
    let mut state = near.clone();
    let on_positions = dims.nc - info.velocity_constraints;
    let place = |state: &State| {
        let mut residual = DVector::zeros(dims.nc + coordinates.len());
        let (constraint, held) = residual.as_mut_slice().split_at_mut(dims.nc);
        model.constraint(state.t, state.q.as_slice(), constraint);
        held.iter_mut().zip(coordinates).for_each(|(held, &(i, value))| *held = state.q[i] - value);
        let mut rows = Rows::of_constraints(model, state);
        rows.entries.retain(|&(row, ..)| row < on_positions);
        rows.append(coordinates.len(), &rates_of(&info.blocks, state.q.as_slice(), dims.nv, coordinates));
        (residual, rows)
    };
    solve_near(model, &mut state, &near.q, &place).map_err(|not_found| match not_found {
        NotFound::Residual(residual) => refused(model, "coordinates", &info.coordinates, coordinates, &residual),
        NotFound::Turned(constraint, side) => turned(model, constraint, side),
    })?;
    normalize_rotations(&info.blocks, state.q.as_mut_slice());
    check_gaps(model, &state)?;

    let mut dense = vec![0.0; velocities.len() * dims.nv];
    velocities.iter().enumerate().for_each(|(row, &(i, _))| dense[row * dims.nv + i] = 1.0);
    let mut residual = DVector::zeros(dims.nc + velocities.len());
    for _ in 0..MAX_ROUNDS {
        let (rate, held) = residual.as_mut_slice().split_at_mut(dims.nc);
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        model.constraint_bias(state.t, q, v, rate, state.lambda.as_mut_slice());
        held.iter_mut().zip(velocities).for_each(|(held, &(i, value))| *held = v[i] - value);
        let mut rows = Rows::of_constraints(model, &state);
        for &(row, column, value) in &rows.entries {
            residual[row] += value * state.v[column];
        }
        rows.append(velocities.len(), &dense);
        if is_zero(&residual) || residual.amax() <= f64::EPSILON * (1.0 + state.v.amax()) {
            break;
        }
        let Some(step) = rows.minimum_norm_solution(&residual) else { break };
        state.v -= step;
    }
    // A residual that is no number is none that is small.
    let is_solved = residual.amax() <= SOLVED * (1.0 + state.v.amax());
    if !is_solved {
        return Err(refused(model, "velocities", &info.velocities, velocities, &residual));
    }
    consistent_acceleration(model, &mut state)?;
    Ok(state)
}

/// Rates of coordinates by velocities, row by row.
fn rates_of(blocks: &[Block], q: &[f64], nv: usize, coordinates: &[(usize, f64)]) -> Vec<f64> {
    let mut dense = vec![0.0; coordinates.len() * nv];
    for (block, of_q, of_v) in ranges(blocks) {
        let mut rate = vec![0.0; of_q.len()];
        for (row, (i, _)) in coordinates.iter().enumerate().filter(|(_, (i, _))| of_q.contains(i)) {
            let place = i - of_q.start;
            match block {
                Block::Vector { .. } | Block::EulerParameters => dense[row * nv + of_v.start + place] = 1.0,
                Block::Rotation(_) | Block::Pose(_) => {
                    for direction in 0..of_v.len() {
                        let mut v = vec![0.0; of_v.len()];
                        v[direction] = 1.0;
                        velocity_map_apply(&[block], &q[of_q.clone()], &v, &mut rate);
                        dense[row * nv + of_v.start + direction] = rate[place];
                    }
                }
            }
        }
    }
    dense
}

/// The error of values that the constraints do not allow.
fn refused(
    model: &dyn Model,
    of: &str,
    channels: &[Channel],
    values: &[(usize, f64)],
    residual: &DVector<f64>,
) -> StepError {
    let info = model.describe();
    let worst = residual.iamax();
    let what = match info.constraints.get(worst) {
        Some(constraint) => &constraint.name,
        None => &channels[values[worst - info.constraints.len()].0].name,
    };
    let reason = format!("constraints and values that are set of {of} are in conflict, most of all `{what}`");
    StepError::Inconsistent { model: info.name.clone(), reason, residual: residual.amax() }
}

/// Replaces accelerations and multipliers by those of the equations of motion at the state's t, q and v (forward
/// dynamics). Contact forces are not included.
///
/// # Errors
/// [`StepError::BadModel`] for parameters out of range, [`StepError::BadState`] for a state of another size,
/// [`StepError::Inconsistent`] when a direction of motion has no inertia, [`StepError::BadInput`] for an input that is not
/// finite.
///
/// # Examples
/// A mass of 1 kg on a spring of 4 N/m.
///
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: 4 N/m }
/// #         initial rail.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = Oscillator::default();
/// let mut state = hamel::initial_state(&model)?;
/// state.q[0] = 0.5;
/// hamel::consistent_acceleration(&model, &mut state)?;
/// assert!((state.a[0] + 4.0 * 0.5).abs() < 1e-14);
/// # Ok(())
/// # }
/// ```
pub fn consistent_acceleration(model: &dyn Model, state: &mut State) -> Result<(), StepError> {
    check_model(model, state)?;
    let inconsistent = |reason| StepError::Inconsistent { model: model.describe().name.clone(), reason, residual: 0.0 };
    let mut acceleration = Acceleration::new(model, String::new());
    let redundant = redundant_constraints(model, state);
    acceleration.leave_out(&redundant);
    if acceleration.factor(state).is_err() {
        return Err(inconsistent(why_singular(model, state, &acceleration.matrix())));
    }
    if acceleration.accelerate(state).is_ok() {
        if !redundant.is_empty() {
            least_norm_multipliers(model, state);
        }
        return Ok(());
    }
    check_inputs(model, state.t)?;
    let general = || "accelerations are not finite".to_owned();
    Err(inconsistent(explain_not_finite(model, state).unwrap_or_else(general)))
}

/// Searches for pivots of a large model's matrices at its reference configuration, and leaves them with their patterns: of
/// Newton's, for short steps, and of M and G. Whoever starts and integrates the model takes them if they are those that a
/// search would find.
#[doc(hidden)]
pub fn find_pivots(model: &dyn Model) {
    let pattern = &model.describe().iteration_matrix;
    if !LinearSolver::shares_pivots(pattern) {
        return;
    }
    let mut state = State::zeros(model.dims());
    model.reference_configuration(state.q.as_mut_slice());
    let mut values = vec![0.0; pattern.nnz()];
    model.iteration_matrix(&state, 1.0, 0.0, 0.0, &mut values);
    // Where the reference configuration is singular, there are none.
    let _ = LinearSolver::new(pattern.clone()).factor(&values);
    let _ = Acceleration::new(model, String::new()).factor(&state);
}

/// The reason why the equations of motion with this matrix are singular.
fn why_singular(model: &dyn Model, state: &State, matrix: &DMatrix<f64>) -> String {
    if !matrix.iter().all(|value| value.is_finite()) {
        let general = || "mass matrix or constraints are not finite".to_owned();
        return explain_not_finite(model, state).unwrap_or_else(general);
    }
    let info = model.describe();
    if let Some(&place) = model.singular_angles().iter().find(|&&place| state.q[place].cos().abs() < SINGULAR) {
        let (name, degrees) = (&info.coordinates[place].name, state.q[place].to_degrees());
        return format!(
            "the angle `{name}` is {degrees:.6}°, where these coordinates are singular; take Euler parameters"
        );
    }
    // The motion without inertia is a right singular vector of a zero singular value. Other such vectors belong to
    // multipliers that are not unique.
    let nv = info.velocities.len();
    let motion = SVD::try_new(matrix.clone(), false, true, f64::EPSILON, 10_000).and_then(|svd| {
        let vectors = svd.v_t?;
        let smallest = RANK * svd.singular_values.max();
        let motions = svd.singular_values.iter().zip(vectors.row_iter()).filter(|(value, _)| **value <= smallest);
        let motions = motions.map(|(_, vector)| vector.columns(0, nv).transpose());
        motions.max_by(|a, b| a.norm().total_cmp(&b.norm())).map(|motion| (motion.iamax(), motion.norm()))
    });
    match motion {
        Some((_, size)) if size < MULTIPLIERS => {
            "constraints depend on each other, and which follow from others was not found".to_owned()
        }
        Some((coordinate, _)) => format!("motion of `{}` has no inertia", info.velocities[coordinate].name),
        None => "a direction of motion has no inertia".to_owned(),
    }
}

/// Solves `g = 0` together with the initial conditions on coordinates.
fn assemble(model: &dyn Model, state: &mut State) -> Result<(), StepError> {
    let mut reference = DVector::zeros(state.q.len());
    model.reference_configuration(reference.as_mut_slice());
    let equations = |state: &State| position_equations(model, state);
    solve_near(model, state, &reference, &equations).map_err(|not_found| match not_found {
        NotFound::Residual(residual) => conflict(model, "coordinates", &residual),
        NotFound::Turned(constraint, side) => turned(model, constraint, side),
    })
}

/// Equations on coordinates: residuals, and derivatives by the directions of the velocities.
type OnPositions<'a> = &'a dyn Fn(&State) -> (DVector<f64>, Rows);

/// Why there is no solution.
enum NotFound {
    /// The smallest residuals that were found.
    Residual(DVector<f64>),
    /// A constraint whose joint is half a turn away from where it should be, in all solutions that were found, and its side.
    Turned(usize, f64),
}

/// Moves a state to a solution near a configuration.
fn solve_near(model: &dyn Model, state: &mut State, to: &DVector<f64>, equations: OnPositions) -> Result<(), NotFound> {
    let (mut smallest, mut turned) = (None::<DVector<f64>>, None);
    let begin = |state: &mut State, offset: f64| {
        state.q.copy_from(to);
        set_aside(model, state, offset);
    };
    for offset in OFFSETS {
        begin(state, offset);
        let residual = correct(model, state, equations);
        if is_solved(&residual, state) {
            turned = turned_joint(model, state);
            if turned.is_some() {
                break;
            }
            approach(model, state, to, equations);
            // Linear equations have one solution that is nearest.
            let may_be_nearer = has_turned(model, &way(model, &state.q, to));
            if may_be_nearer && !are_linear(model, state, equations).into_iter().all(|is_linear| is_linear) {
                replace_by_nearer(model, state, to, &|state| begin(state, offset), equations);
            }
            return Ok(());
        }
        if smallest.as_ref().is_none_or(|smallest| residual.amax() < smallest.amax()) {
            smallest = Some(residual);
        }
    }
    // Constraints and conditions together may have led astray from where the conditions alone lead, or from elsewhere.
    let mut arrives = |state: &mut State| {
        let is_there = arrives_by_conditions(model, state, equations);
        let is_turned = is_there && turned_joint(model, state).inspect(|&found| turned = Some(found)).is_some();
        is_there && !is_turned
    };
    for offset in OFFSETS.into_iter().chain(FAR_OFFSETS) {
        begin(state, offset);
        if arrives(state) {
            approach(model, state, to, equations);
            return Ok(());
        }
    }
    for seed in 1..=if model.dims().nv <= TURNED_ABOUT { TURNS } else { 0 } {
        state.q.copy_from(to);
        turn_about(model, state, seed);
        if arrives(state) {
            approach(model, state, to, equations);
            return Ok(());
        }
    }
    Err(match turned {
        Some((constraint, side)) => NotFound::Turned(constraint, side),
        None => NotFound::Residual(smallest.unwrap_or_default()),
    })
}

/// The error of joints that are half a turn away from where they should be.
fn turned(model: &dyn Model, constraint: usize, side: f64) -> StepError {
    let info = model.describe();
    let name = &info.constraints[constraint].name;
    let joint = name.split('[').next().unwrap_or(name);
    StepError::Inconsistent {
        model: info.name.clone(),
        reason: format!(
            "`{joint}` could be assembled only half a turn away from where its frames have equal axes: initial conditions \
             contradict it, or lead there; give others, such as angles of its bodies"
        ),
        residual: 1.0 - side,
    }
}

/// Moves a state to where the conditions hold that are linear, such as those that name coordinates, from there to where all
/// conditions do, and from there to where the constraints do, too; whether it has come there.
fn arrives_by_conditions(model: &dyn Model, state: &mut State, equations: OnPositions) -> bool {
    let constraints = model.dims().nc;
    let is_linear = are_linear(model, state, equations);
    correct(model, state, &|state| alone(equations(state), &|row| row >= constraints && is_linear[row]));
    correct(model, state, &|state| alone(equations(state), &|row| row >= constraints));
    is_solved(&correct(model, state, equations), state)
}

/// Which of these equations have the same derivatives elsewhere.
fn are_linear(model: &dyn Model, state: &State, equations: OnPositions) -> Vec<bool> {
    let mut elsewhere = state.clone();
    set_aside(model, &mut elsewhere, FAR);
    let [here, there] = [state, &elsewhere].map(|state| equations(state).1.to_vectors());
    here.iter().zip(&there).map(|(here, there)| (here - there).amax() <= NEAREST * here.amax()).collect()
}

/// Whether something may have been turned further than it had to be.
fn has_turned(model: &dyn Model, way: &DVector<f64>) -> bool {
    let velocities = &model.describe().velocities;
    way.iter().zip(velocities).any(|(part, of)| of.unit != "m/s" && part.abs() > FAR)
}

/// Replaces a solution by one that is nearer to a configuration, if the ways that do not leap lead to one.
fn replace_by_nearer(
    model: &dyn Model,
    state: &mut State,
    to: &DVector<f64>,
    begin: &dyn Fn(&mut State),
    equations: OnPositions,
) {
    let most = MOST_AT_ONCE * f64::max(way(model, &state.q, to).amax(), 1.0);
    let ways: [&dyn Fn(&mut State) -> bool; 2] =
        [&|other| arrives_by_conditions(model, other, equations), &|other| lead(model, other, equations, most)];
    for arrives in ways {
        let mut other = state.clone();
        begin(&mut other);
        if arrives(&mut other) {
            approach(model, &mut other, to, equations);
            let is_nearer = way(model, &other.q, to).norm() < NEARER * way(model, &state.q, to).norm();
            if is_nearer && turned_joint(model, &other).is_none() {
                state.q.copy_from(&other.q);
            }
        }
    }
}

/// Some of these equations.
fn alone((residual, rows): (DVector<f64>, Rows), is_one: &dyn Fn(usize) -> bool) -> (DVector<f64>, Rows) {
    let which: Vec<usize> = (0..residual.len()).filter(|&row| is_one(row)).collect();
    (DVector::from_iterator(which.len(), which.iter().map(|&row| residual[row])), rows.some(&which))
}

/// The way from one configuration to another, along the velocities.
fn way(model: &dyn Model, from: &DVector<f64>, to: &DVector<f64>) -> DVector<f64> {
    let mut way = DVector::zeros(model.dims().nv);
    difference(&model.describe().blocks, from.as_slice(), to.as_slice(), way.as_mut_slice());
    way
}

/// Leads a state to a solution by making the equations hold little by little, so that it does not leap to another way of
/// assembling the same bodies, by steps of this length at most; whether it has come there.
fn lead(model: &dyn Model, state: &mut State, equations: OnPositions, most: f64) -> bool {
    let beginning = equations(state).0;
    let (mut done, mut part) = (0.0, FIRST_PART);
    while done < 1.0 {
        let next = f64::min(done + part, 1.0);
        let from = state.q.clone();
        let residual = correct(model, state, &|state| {
            let (residual, rows) = equations(state);
            (residual - (1.0 - next) * &beginning, rows)
        });
        if is_solved(&residual, state) && way(model, &from, &state.q).amax() <= most {
            (done, part) = (next, 2.0 * part);
        } else {
            state.q = from;
            part *= 0.5;
            if part < LEAST_PART {
                return false;
            }
        }
    }
    true
}

/// A residual of this part of the largest is blamed in place of that of a unit norm.
const WRITTEN: f64 = 1e-3;

/// The error of equations that have no common solution, with the one whose residual is largest; of several that are
/// about as large an initial condition, which is what the user can change.
fn conflict(model: &dyn Model, of: &str, residual: &DVector<f64>) -> StepError {
    let info = model.describe();
    let (size, largest) = (|row: usize| residual[row].abs(), residual.amax());
    let is_condition = |row: usize| row >= info.constraints.len() && size(row) > 0.5 * largest;
    // Unit norms, the first constraints, give way to all others, which are what the user wrote.
    let norms = info.blocks.iter().filter(|block| **block == Block::EulerParameters).count();
    let is_written = |row: usize| row >= norms && size(row) > WRITTEN * largest;
    let key = |row: usize| (is_condition(row), is_written(row));
    let order = |&a: &usize, &b: &usize| key(a).cmp(&key(b)).then(size(a).total_cmp(&size(b)));
    let worst = (0..residual.len()).max_by(order).unwrap_or(0);
    let (on_positions, on_velocities) = &info.initial_conditions;
    let conditions = if of == "velocities" { on_velocities } else { on_positions };
    let equation = match (info.constraints.get(worst), worst.checked_sub(info.constraints.len())) {
        (Some(constraint), _) => format!("`{}`", constraint.name),
        (None, index) => match index.and_then(|index| conditions.get(index)) {
            Some(text) => format!("`initial {text}`"),
            None => format!("an initial condition on {of}"),
        },
    };
    let reason = format!("constraints and initial conditions on {of} are in conflict, most of all {equation}");
    StepError::Inconsistent { model: info.name.clone(), reason, residual: largest }
}

/// Moves coordinates off a place that may be singular.
fn set_aside(model: &dyn Model, state: &mut State, offset: f64) {
    if offset > 0.0 {
        // Any fixed direction without symmetry is suitable.
        let direction = DVector::from_fn(model.dims().nv, |i, _| offset * (1.0 + i as f64).sin());
        let reference = state.q.clone();
        retract(&model.describe().blocks, reference.as_slice(), direction.as_slice(), state.q.as_mut_slice());
    }
}

/// Turns everything that turns, by some angles up to half a turn.
fn turn_about(model: &dyn Model, state: &mut State, seed: u64) {
    let (info, mut random) = (model.describe(), Random(seed));
    let turn = |channel: &Channel, random: &mut Random| match channel.unit.as_str() {
        "m/s" => 0.0,
        _ => core::f64::consts::PI * random.next(),
    };
    let direction: Vec<f64> = info.velocities.iter().map(|channel| turn(channel, &mut random)).collect();
    let from = state.q.clone();
    retract(&info.blocks, from.as_slice(), &direction, state.q.as_mut_slice());
}

/// Gauss-Newton with minimum-norm steps from a state; returns the remaining residuals.
fn correct(model: &dyn Model, state: &mut State, equations: OnPositions) -> DVector<f64> {
    let info = model.describe();
    let (mut residual, mut jacobian) = equations(state);
    for _ in 0..MAX_ITERATIONS {
        if is_zero(&residual) {
            break;
        }
        let Some(step) = jacobian.minimum_norm_solution(&residual) else { break };
        let start = state.q.clone();
        let size = residual.norm();
        let mut fraction = 1.0;
        loop {
            let increment = -fraction * &step;
            retract(&info.blocks, start.as_slice(), increment.as_slice(), state.q.as_mut_slice());
            (residual, jacobian) = equations(state);
            if residual.norm() < size {
                break;
            }
            fraction *= 0.5;
            if fraction < 1e-4 {
                // No shorter step reduces the residual: the solution up to round-off, or the minimum of a conflict.
                state.q = start;
                return equations(state).0;
            }
        }
    }
    residual
}

fn is_solved(residual: &DVector<f64>, state: &State) -> bool {
    residual.amax() <= SOLVED * (1.0 + state.q.amax())
}

/// Moves a solution on to the one that is nearest to a configuration, along what the equations leave open: the steps that
/// led to a solution from far away turned bodies that need not have turned.
fn approach(model: &dyn Model, state: &mut State, to: &DVector<f64>, equations: OnPositions) {
    let blocks = &model.describe().blocks;
    let way = |q: &DVector<f64>| way(model, q, to);
    for _ in 0..MOST_STEPS {
        let way_there = way(&state.q);
        if is_zero(&way_there) {
            return;
        }
        let rows = equations(state).1;
        let Some(held) = rows.minimum_norm_solution(&rows.times(&way_there)) else { return };
        let (left, distance) = (&way_there - held, way_there.norm());
        if left.norm() <= NEAREST * (1.0 + distance) {
            return;
        }
        let start = state.q.clone();
        let mut fraction = 1.0;
        loop {
            retract(blocks, start.as_slice(), (fraction * &left).as_slice(), state.q.as_mut_slice());
            let residual = correct(model, state, equations);
            // At the end the way becomes shorter by less than rounding shows.
            if is_solved(&residual, state) && way(&state.q).norm() <= distance * (1.0 + 4.0 * f64::EPSILON) {
                break;
            }
            fraction *= 0.5;
            if fraction < LEAST_FRACTION {
                state.q = start;
                return;
            }
        }
    }
}

/// Whether nothing is left to correct, as in a reference configuration at rest.
fn is_zero(residual: &DVector<f64>) -> bool {
    residual.iter().all(|&entry| entry == 0.0)
}

/// Residuals `[nc + conditions]` and derivatives by the directions of the velocities.
fn position_equations(model: &dyn Model, state: &State) -> (DVector<f64>, Rows) {
    let dims = model.dims();
    let conditions = model.n_initial_conditions().0;
    let mut residual = DVector::zeros(dims.nc + conditions);
    let mut dense = vec![0.0; conditions * dims.nv];
    let (constraint, condition) = residual.as_mut_slice().split_at_mut(dims.nc);
    model.constraint(state.t, state.q.as_slice(), constraint);
    model.initial_position(state.t, state.q.as_slice(), condition, &mut dense);
    let mut rows = Rows::of_constraints(model, state);
    // Constraints on velocities do not restrict coordinates.
    let on_positions = dims.nc - model.describe().velocity_constraints;
    rows.entries.retain(|&(row, ..)| row < on_positions);
    rows.append(conditions, &dense);
    (residual, rows)
}

/// Solves `G v + rate = 0` together with the initial conditions on velocities; they are linear in v.
fn set_in_motion(model: &dyn Model, state: &mut State) -> Result<(), StepError> {
    let dims = model.dims();
    let conditions = model.n_initial_conditions().1;
    let mut residual = DVector::zeros(dims.nc + conditions);
    // Later rounds remove errors of rounding and damping.
    for round in 0..MAX_ROUNDS {
        let mut dense = vec![0.0; conditions * dims.nv];
        let (rate, condition) = residual.as_mut_slice().split_at_mut(dims.nc);
        model.constraint_bias(
            state.t,
            state.q.as_slice(),
            state.v.as_slice(),
            rate,
            state.lambda.as_mut_slice(), // g̈'s part is not used here.
        );
        model.initial_velocity(state.t, state.q.as_slice(), state.v.as_slice(), condition, &mut dense);
        let mut rows = Rows::of_constraints(model, state);
        for &(row, column, value) in &rows.entries {
            residual[row] += value * state.v[column];
        }
        rows.append(conditions, &dense);
        let is_solved = residual.amax() <= SOLVED * (1.0 + state.v.amax());
        if round > 1 && is_solved || is_zero(&residual) {
            return Ok(());
        }
        let Some(step) = rows.minimum_norm_solution(&residual) else { break };
        state.v -= step;
    }
    let is_solved = residual.amax() <= SOLVED * (1.0 + state.v.amax());
    if is_solved { Ok(()) } else { Err(conflict(model, "velocities", &residual)) }
}
