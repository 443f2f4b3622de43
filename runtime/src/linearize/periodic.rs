//! Periodic motions: the matrix by which small departures are multiplied in a period.
//!
//! The motion and its variational equations `θ' = δv − K θ`, `δv' = P θ + Q δv` go together by the scheme of Dormand and
//! Prince, with twice as many steps until the extrapolated matrix stays the same. Steps are divided where the motion crosses
//! a border between formulas; where accelerations jump there, departures that come later are pushed longer by those before.

use core::f64::consts::TAU;

use nalgebra::{Complex, DMatrix, DVector, RowDVector};

use super::axes::{Axes, Directions};
use super::eigen::decompose;
use super::terms::Terms;
use super::{Instant, LinearizeError, check, names};
use crate::borders::{Borders, Crossing, Found};
use crate::chart::{place, rate};
use crate::configuration::joined;
use crate::consistent::consistent_acceleration;
use crate::model::{Block, Channel, Model, State};
use crate::prelude::*;
use crate::tables::{Tableau, dormand_prince};

/// Order of the scheme.
const ORDER: i32 = 5;
const FIRST_STEPS: usize = 32;
const MOST_STEPS: usize = 1 << 15;
/// Parts of a step below this are rounding.
const NEGLIGIBLE: f64 = 1e-13;
/// Most steps by which the instant of a border is sought.
const MOST_TRIALS: usize = 100;
/// What velocities and equations may differ by at the end of a period, relative to one plus the largest, and coordinates,
/// relative to how far they have gone.
const RETURNED: f64 = 1e-5;
/// What a coordinate at rest changes by rounding, relative to one plus the coordinate.
const RESTING: f64 = 1e-10;
/// What equations depend on by less than this, relative to the largest derivative, is rounding.
const INDEPENDENT: f64 = 1e-9;

/// What small departures from a periodic motion become in a period.
#[derive(Clone, Debug)]
pub struct Monodromy {
    /// Name of the model.
    pub model: String,
    /// x: independent displacements, then independent velocities and first-order states; named as in a
    /// [`Linearization`](super::Linearization).
    pub states: Vec<Channel>,
    /// How many of x are displacements.
    pub displacements: usize,
    /// The period, s.
    pub period: f64,
    /// The matrix M, `[n × n]`: x after a period is M times x.
    pub matrix: DMatrix<f64>,
    /// Steps of the last computation.
    pub steps: usize,
    /// Largest change of an entry when the number of steps was doubled last, relative to the largest entry.
    pub change: f64,
}

impl Monodromy {
    /// Floquet multipliers: the eigenvalues of M, by magnitude. Departures grow where one lies outside of the unit circle;
    /// one is 1 for a departure along the motion, unless time enters the equations.
    ///
    /// # Errors
    /// [`LinearizeError::NoEigenvalues`].
    pub fn multipliers(&self) -> Result<Vec<Complex<f64>>, LinearizeError> {
        let found = decompose(&self.matrix, self.displacements)
            .ok_or_else(|| LinearizeError::NoEigenvalues { model: self.model.clone(), size: self.states.len() })?;
        Ok(found.into_iter().map(|eigen| eigen.value).collect())
    }

    /// Floquet exponents `ln μ / T`, 1/s, of the multipliers in their order; their imaginary parts are known up to
    /// multiples of 2π / T.
    ///
    /// # Errors
    /// As [`multipliers`](Self::multipliers).
    pub fn exponents(&self) -> Result<Vec<Complex<f64>>, LinearizeError> {
        Ok(self.multipliers()?.into_iter().map(|multiplier| multiplier.ln() / self.period).collect())
    }
}

/// The monodromy matrix of the periodic motion that begins in a state, up to a relative `tolerance` of its entries.
///
/// Velocities must return after the period, and so must everything that the equations depend on, angles up to full turns;
/// coordinates on which nothing depends may have grown.
///
/// # Errors
/// [`LinearizeError`]: those of [`linearize`](crate::linearize()), a motion that does not return, too many steps.
///
/// # Examples
/// Mathieu's equation `q̈ + (1 + cos 2t / 2) q = 0`: the product of the multipliers is 1, and one of them grows.
///
/// ```
/// # hamel::multibody! {
/// #     model Swing {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: -(1 + cos(2 rad/s * time) / 2) * rail.displacement * 1 N/m on rail;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let swing = Swing::default();
/// let found = hamel::linearize::monodromy(&swing, &hamel::initial_state(&swing)?, std::f64::consts::PI, 1e-10)?;
/// assert!((found.matrix.determinant() - 1.0).abs() < 1e-9);
/// assert!(found.multipliers()?.iter().any(|multiplier| multiplier.norm() > 1.4));
/// # Ok(())
/// # }
/// ```
pub fn monodromy(model: &dyn Model, state: &State, period: f64, tolerance: f64) -> Result<Monodromy, LinearizeError> {
    model.validate()?;
    if !(period > 0.0 && period.is_finite()) {
        return Err(LinearizeError::BadPeriod { period });
    }
    check(model, state)?;
    let info = model.describe();
    let start = Instant::new(model, state, Axes::Own)?;
    let mut last: Option<DMatrix<f64>> = None;
    let mut steps = FIRST_STEPS;
    let mut change = f64::INFINITY;
    while steps <= MOST_STEPS {
        let (matrix, travelled, end) = match over_period(model, &start, period, steps) {
            Ok(found) => found,
            // Steps that are too long for stiff equations lead anywhere.
            Err(_) if steps < MOST_STEPS => {
                last = None;
                steps *= 2;
                continue;
            }
            Err(error) => return Err(error),
        };
        if let Some(coarse) = &last {
            let difference = &matrix - coarse;
            change = difference.amax() / matrix.amax().max(f64::MIN_POSITIVE);
            let part = 1.0 / (2_f64.powi(ORDER) - 1.0);
            // What is left after extrapolation is at most the last change of the extrapolated values. Steps that are divided
            // at borders do not have errors of one order, by which to extrapolate.
            let (left, extrapolated) = match model.n_switching_functions() {
                0 => (change * part, part),
                _ => (change, 0.0),
            };
            if left <= tolerance {
                check_return(model, &start, (&end, &travelled), period)?;
                return Ok(Monodromy {
                    model: info.name.clone(),
                    states: names(info, &start.partition),
                    displacements: start.partition.positions.len(),
                    period,
                    matrix: matrix + difference * extrapolated,
                    steps,
                    change,
                });
            }
        }
        last = Some(matrix);
        steps *= 2;
    }
    Err(LinearizeError::TooManySteps { model: info.name.clone(), steps: MOST_STEPS, change })
}

/// The matrix with this number of steps, how far coordinates have gone, and the state at the end.
fn over_period(
    model: &dyn Model,
    start: &Instant,
    period: f64,
    steps: usize,
) -> Result<(DMatrix<f64>, DVector<f64>, State), LinearizeError> {
    let table = dormand_prince();
    let nv = start.state.v.len();
    let mut state = start.state.clone();
    let mut departures = start.directions.outward() * &start.basis;
    let mut travelled = DVector::zeros(state.q.len());
    let mut borders = Borders::new(model);
    for index in 0..steps {
        let mut rest = period / steps as f64;
        let negligible = NEGLIGIBLE * rest;
        while rest > negligible {
            let before = state.q.clone();
            let length = match &mut borders {
                Some(borders) => step_to_border(model, &table, borders, (&mut state, &mut departures), rest)?,
                None => step(model, &table, &mut state, &mut departures, rest).map(|()| rest)?,
            };
            rest -= length;
            travelled += (&state.q - before).abs();
        }
        state.t = start.state.t + period * (index + 1) as f64 / steps as f64;
    }
    // Accelerations belong to the directions at the end.
    let _ = Terms::new(model, &mut state)?;
    let end = Directions::new(&model.describe().blocks, Axes::Own, &state);
    let inward = end.inward() * departures;
    debug_assert_eq!(inward.nrows(), 2 * nv);
    Ok((inward.select_rows(&start.places()), travelled, state))
}

/// Makes a step of this length, s, or one over the first border in it; its length.
fn step_to_border(
    model: &dyn Model,
    table: &Tableau,
    borders: &mut Borders,
    (state, departures): (&mut State, &mut DMatrix<f64>),
    dt: f64,
) -> Result<f64, LinearizeError> {
    consistent_acceleration(model, state)?;
    let (beginning, mut sides) = (state.clone(), borders.sides(state));
    let stepped = |length: f64| -> Result<(State, DMatrix<f64>), LinearizeError> {
        let (mut state, mut departures) = (beginning.clone(), departures.clone());
        step(model, table, &mut state, &mut departures, length)?;
        state.t += length;
        Ok((state, departures))
    };
    let (mut end, mut length, mut over) = (stepped(dt)?, dt, None);
    loop {
        let Some(switch) = borders.crossed(&sides, &end.0) else {
            consistent_acceleration(model, &mut end.0)?;
            match borders.passed(&sides, [&beginning, &end.0], length) {
                Some(part) if part > NEGLIGIBLE => {
                    let beyond = stepped(part * length)?;
                    if borders.crossed(&sides, &beyond.0).is_none() {
                        break;
                    }
                    (end, length, over) = (beyond, part * length, None);
                    continue;
                }
                _ => break,
            }
        };
        let side = core::mem::take(&mut sides[switch]);
        // The instant is between these lengths, with these values on the side of the beginning.
        let (mut least, mut most) = (0.0, length);
        let [mut before, mut behind] = [&beginning, &end.0].map(|state| side * borders.value(switch, state));
        let mut last = None;
        for _ in 0..MOST_TRIALS {
            if most - least <= NEGLIGIBLE * dt {
                break;
            }
            let line = least + (most - least) * before / (before - behind);
            let tried = if line > least && line < most { line } else { 0.5 * (least + most) };
            let value = side * borders.value(switch, &stepped(tried)?.0);
            let is_before = value > 0.0;
            // An end that stays again counts half, or all lines would end there.
            let stays = if last == Some(is_before) { 0.5 } else { 1.0 };
            match is_before {
                true => (least, before, behind) = (tried, value, stays * behind),
                false => (most, behind, before) = (tried, value, stays * before),
            }
            last = Some(is_before);
        }
        if least == 0.0 {
            // It was crossed before.
            continue;
        }
        (end, length) = (stepped(least)?, least);
        over = match borders.cross(switch, &end.0, dt)? {
            Found::Crossed(crossing, state) => Some((Some(crossing), *state)),
            Found::NoJump(state) => Some((None, *state)),
            Found::NoSlope => {
                return Err(LinearizeError::Border { model: model.describe().name.clone(), t: end.0.t });
            }
        };
    }
    (*state, *departures) = end;
    if let Some((crossing, behind)) = over {
        if let Some(Crossing { switch, rate, jump }) = crossing {
            let [by_q, by_v] = borders.slopes_at(switch, state);
            let slopes = RowDVector::from_iterator(2 * by_q.len(), by_q.iter().chain(by_v).copied());
            let later = &slopes * &*departures / -rate;
            let nv = by_q.len();
            departures.rows_mut(nv, nv).ger(1.0, &jump, &later.transpose(), 1.0);
        }
        length += behind.t - state.t;
        *state = behind;
    }
    Ok(length)
}

/// Rates of coordinates in their chart, of velocities, and of departures.
struct Rates {
    x: DVector<f64>,
    v: DVector<f64>,
    departures: DMatrix<f64>,
}

fn step(
    model: &dyn Model,
    table: &Tableau,
    state: &mut State,
    departures: &mut DMatrix<f64>,
    h: f64,
) -> Result<(), LinearizeError> {
    let blocks = &model.describe().blocks;
    let nv = state.v.len();
    let mut stages: Vec<Rates> = Vec::with_capacity(table.nodes.len());
    let advanced = |weights: &[f64], stages: &[Rates]| {
        let (mut x, mut v, mut moved) = (DVector::zeros(nv), state.v.clone(), departures.clone());
        for (weight, stage) in weights.iter().zip(stages).filter(|(weight, _)| **weight != 0.0) {
            x.axpy(h * weight, &stage.x, 1.0);
            v.axpy(h * weight, &stage.v, 1.0);
            moved += &stage.departures * (h * weight);
        }
        let mut at = state.clone();
        place(blocks, state.q.as_slice(), x.as_slice(), at.q.as_mut_slice());
        at.v = v;
        (at, x, moved)
    };
    for (node, weights) in table.nodes.iter().zip(&table.matrix) {
        // A stage that the end does not count, and after it no other.
        let is_used = table.weights[stages.len()] != 0.0
            || table.matrix.iter().skip(stages.len() + 1).any(|row| row[stages.len()] != 0.0);
        if !is_used {
            break;
        }
        let (mut at, x, moved) = advanced(weights, &stages);
        at.t = state.t + node * h;
        let terms = Terms::new(model, &mut at)?;
        let directions = Directions::new(blocks, Axes::Own, &at);
        let mut rates = DVector::zeros(nv);
        rate(blocks, at.q.as_slice(), x.as_slice(), at.v.as_slice(), rates.as_mut_slice());
        let (theta, velocity) = (moved.rows(0, nv), moved.rows(nv, nv));
        let mut of_departures = DMatrix::zeros(2 * nv, moved.ncols());
        of_departures.rows_mut(0, nv).copy_from(&(velocity - directions.turning() * theta));
        of_departures.rows_mut(nv, nv).copy_from(&(terms.p * theta + terms.q * velocity));
        stages.push(Rates { x: rates, v: at.a, departures: of_departures });
    }
    let (end, _, moved) = advanced(&table.weights, &stages);
    state.q = end.q;
    state.v = end.v;
    *departures = moved;
    Ok(())
}

/// Refuses a motion that does not return.
fn check_return(
    model: &dyn Model,
    start: &Instant,
    (end, travelled): (&State, &DVector<f64>),
    period: f64,
) -> Result<(), LinearizeError> {
    let info = model.describe();
    let not_periodic =
        |what: String, change: f64| Err(LinearizeError::NotPeriodic { model: info.name.clone(), period, what, change });
    let after = Instant::new(model, end, Axes::Own)?;
    // Rates of Euler parameters have the sign of these, which may have changed.
    let velocities = |instant: &Instant| &instant.directions.inverse * &instant.state.v;
    let change = velocities(&after) - velocities(start);
    if !change.is_empty() && change.amax() > RETURNED * (1.0 + start.state.v.amax()) {
        let worst = change.iamax();
        return not_periodic(format!("`{}`", info.velocities[worst].name), change[worst]);
    }
    // At half a period a symmetric motion may have the velocities and the equations of its start.
    let nv = start.state.v.len();
    let by = |instant: &Instant, column: usize| instant.rates.view((nv, column), (nv, 1)).amax();
    let least = INDEPENDENT * [start, &after].map(|instant| instant.rates.amax()).iter().fold(0.0, |a, b| b.max(a));
    for (_, q, v) in joined(&info.blocks).filter(|(block, ..)| matches!(block, Block::Vector { .. })) {
        for (i, _) in q.zip(v).filter(|&(_, column)| by(start, column).max(by(&after, column)) > least) {
            let mut change = end.q[i] - start.state.q[i];
            if info.coordinates[i].unit == "rad" {
                change -= TAU * (change / TAU).round();
            }
            if change.abs() > RETURNED * travelled[i] + RESTING * (1.0 + end.q[i].abs()) {
                return not_periodic(format!("`{}`", info.coordinates[i].name), change);
            }
        }
    }
    let (before, now) = (&start.rates * &start.basis, &after.rates * &start.basis);
    let change = (now - &before).amax();
    match change > RETURNED * (1.0 + before.amax()) {
        true => not_periodic("what the equations depend on".to_owned(), change),
        false => Ok(()),
    }
}
