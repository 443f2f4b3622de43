//! Checks of a state from which a scheme is to start.

use alloc::collections::BTreeMap;

use nalgebra::DVector;

use crate::configuration::ranges;
use crate::contact_settings::Settings;
use crate::model::{Model, State};
use crate::norms::{larger, largest};
use crate::prelude::*;
use crate::residuals::{Lengths, for_terms, is_length, measure};
use crate::step::StepError;
use crate::undefined::not_finite;

/// Tolerance of constraints on positions, relative to the model's lengths: it admits states read from tables with few
/// digits.
const LEFT: f64 = 1e-6;

/// Velocities break a constraint if its rate is above this part of the largest term of any constraint in the same unit.
const BROKEN: f64 = 0.1;

/// Accelerations are wrong if they leave this part of the largest term of the equations of motion: far more than an
/// end of another run does, whatever its scheme.
const WRONG: f64 = 0.1;

/// What rounding may leave of the equations of motion, as a multiple of what neighbouring coordinates change in them.
const ROUNDED: f64 = 1e3;

/// Rejects states of another size, values that are not finite, Euler parameters that are not of unit norm, coordinates
/// and velocities that violate constraints, and bodies that penetrate each other.
///
/// # Errors
/// [`StepError::BadModel`] for parameters out of range, [`StepError::BadState`] with the first violation, [`StepError::Penetration`] with
/// the deepest penetration.
pub(crate) fn check_start(model: &dyn Model, state: &State) -> Result<(), StepError> {
    check_model(model, state)?;
    let info = model.describe();
    let bad = |what: String, value: f64, expected: String| {
        Err(StepError::BadState { model: info.name.clone(), what, value, expected })
    };
    if let Some((what, value)) = not_finite(model, state) {
        return bad(what, value, "a finite number".to_owned());
    }
    for (block, q, _) in ranges(&info.blocks) {
        let Some((turn, attitude)) = block.turn() else { continue };
        let first = q.start + turn;
        let norm = attitude.read(&state.q.as_slice()[first..q.end]).norm();
        if (norm - 1.0).abs() > LEFT {
            let what = format!("the norm of the Euler parameters from `{}` on", info.coordinates[first].name);
            return bad(what, norm, "1".to_owned());
        }
    }
    if let Some((constraint, left)) = broken_constraint(model, state) {
        let constraint = &info.constraints[constraint];
        let expected = format!("0 {}; take `initial_state`, which finds consistent coordinates", constraint.unit);
        return bad(format!("what is left of constraint `{}`", constraint.name), left, expected);
    }
    if let Some((constraint, side)) = turned_joint(model, state) {
        let what = format!(
            "the cosine of the angle by which `{}` is turned from its place",
            info.constraints[constraint].name
        );
        return bad(what, side, "1".to_owned());
    }
    check_rates(model, state)?;
    check_gaps(model, state)
}

/// The first constraint whose joint is half a turn away from where it should be, and its side.
pub(crate) fn turned_joint(model: &dyn Model, state: &State) -> Option<(usize, f64)> {
    let mut sides = vec![0.0; model.dims().nc];
    let has_sides = model.assembly_sides(state.t, state.q.as_slice(), &mut sides);
    sides.into_iter().enumerate().find(|(_, side)| has_sides && *side < 0.0)
}

/// The first constraint on positions that a state does not keep, and what is left of it.
pub(crate) fn broken_constraint(model: &dyn Model, state: &State) -> Option<(usize, f64)> {
    let constraints = &model.describe().constraints;
    let mut left = vec![0.0; constraints.len()];
    model.constraint(state.t, state.q.as_slice(), &mut left);
    let lengths = Lengths::new(model, state).of(state);
    let is_broken =
        |&(place, left): &(usize, f64)| left.is_nan() || left.abs() > LEFT * measure(&constraints[place].unit, lengths);
    left.into_iter().enumerate().find(is_broken)
}

/// What accelerations and multipliers of a start leave of the equations of motion, relative to their largest term, where
/// that is more than the error of any scheme and of rounding; `None` for models with contacts, whose forces are not known
/// here.
pub(crate) fn wrong_accelerations(model: &dyn Model, state: &State) -> Option<f64> {
    if !model.describe().contacts.is_empty() {
        return None;
    }
    let residual = |change: &dyn Fn(&mut State)| {
        let mut changed = state.clone();
        change(&mut changed);
        let (mut r, mut unused) = (DVector::zeros(state.v.len()), DVector::zeros(state.lambda.len()));
        model.residual(&changed, r.as_mut_slice(), unused.as_mut_slice());
        r
    };
    let left = residual(&|_| {});
    // Neighbouring numbers, in alternating directions as rounding errors are.
    let rounded = residual(&|state| {
        let factors = [1.0 + f64::EPSILON, 1.0 - f64::EPSILON].into_iter().cycle();
        state.q.iter_mut().zip(factors).for_each(|(q, factor)| *q *= factor);
    });
    let inertia = &left - residual(&|state| state.a.fill(0.0));
    let constraints = &left - residual(&|state| state.lambda.fill(0.0));
    let forces = &left - &inertia - &constraints;
    let terms = [inertia, constraints, forces];
    let size = terms.iter().fold(0.0, |size, term| larger(size, largest(term.as_slice())));
    let noise = ROUNDED * largest((rounded - &left).as_slice());
    let left = largest(left.as_slice());
    (left > (WRONG * size).max(noise)).then_some(left / size)
}

/// Rejects velocities that break constraints.
///
/// Runs with constraints on positions end in velocities that obey these by the accuracy of the scheme only, and such a
/// state is a start.
///
/// # Errors
/// [`StepError::BadState`] with the first constraint whose rate of change is not small beside the velocities.
fn check_rates(model: &dyn Model, state: &State) -> Result<(), StepError> {
    let info = model.describe();
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    let mut jacobian = vec![0.0; info.constraint_jacobian.nnz()];
    model.constraint_jacobian(state.t, q, &mut jacobian);
    let mut rates = vec![0.0; info.constraints.len()];
    let mut unused = rates.clone();
    model.constraint_bias(state.t, q, v, &mut rates, &mut unused);
    let mut sizes: Vec<f64> = rates.iter().map(|rate| rate.abs()).collect();
    for_terms(model, v, &jacobian, |row, term| {
        rates[row] += term;
        sizes[row] = larger(sizes[row], term.abs());
    });
    let mut fastest: BTreeMap<&str, f64> = BTreeMap::new();
    for (constraint, &size) in info.constraints.iter().zip(&sizes) {
        let of_unit = fastest.entry(&constraint.unit).or_default();
        *of_unit = larger(*of_unit, size);
    }
    let lengths = Lengths::new(model, state);
    let of = lengths.of(state);
    for (constraint, &rate) in info.constraints.iter().zip(&rates) {
        let unit = constraint.unit.as_str();
        if rate.is_nan() || rate.abs() > (BROKEN * fastest[unit]).max(LEFT * measure(unit, of)) {
            return Err(StepError::BadState {
                model: info.name.clone(),
                what: format!("the rate of constraint `{}`", constraint.name),
                value: rate,
                expected: format!("0 {unit}/s; take `initial_state`, which finds consistent velocities"),
            });
        }
    }
    Ok(())
}

/// Rejects parameters without meaning, and states of another size.
///
/// # Errors
/// [`StepError::BadModel`] for parameters out of range, [`StepError::BadState`] with the first vector of another length.
pub(crate) fn check_model(model: &dyn Model, state: &State) -> Result<(), StepError> {
    model.validate()?;
    check_sizes(model, state)
}

/// Rejects states whose sizes are not those of the model.
///
/// # Errors
/// [`StepError::BadState`] with the first vector of another length.
pub(crate) fn check_sizes(model: &dyn Model, state: &State) -> Result<(), StepError> {
    let dims = model.dims();
    let sizes = [
        ("coordinates", state.q.len(), dims.nq),
        ("velocities", state.v.len(), dims.nv),
        ("accelerations", state.a.len(), dims.nv),
        ("multipliers", state.lambda.len(), dims.nc),
    ];
    for (what, found, expected) in sizes {
        if found != expected {
            let expected = format!("{expected}; take `initial_state`, or `State::zeros` of this model");
            let what = format!("the number of {what}");
            return Err(StepError::BadState {
                model: model.describe().name.clone(),
                what,
                value: found as f64,
                expected,
            });
        }
    }
    Ok(())
}

/// Rejects gaps that are negative beyond rounding.
///
/// # Errors
/// [`StepError::Penetration`] with the deepest penetration, [`StepError::BadState`] for a gap that is not finite.
pub(crate) fn check_gaps(model: &dyn Model, state: &State) -> Result<(), StepError> {
    let info = model.describe();
    let mut gaps = vec![0.0; info.contacts.len()];
    model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
    let gaps = || info.contacts.iter().zip(&gaps);
    if let Some((contact, &value)) = gaps().find(|(_, gap)| !gap.is_finite()) {
        let (what, expected) = (format!("the gap of contact `{}`", contact.name), "a finite number".to_owned());
        return Err(StepError::BadState { model: info.name.clone(), what, value, expected });
    }
    match gaps().min_by(|(_, a), (_, b)| a.total_cmp(b)) {
        Some((contact, &gap)) if gap < -rounding_of_gaps(model, state.q.as_slice(), &Settings::DEFAULT) => {
            let (contact, unit) = (contact.name.clone(), contact.unit.clone());
            Err(StepError::Penetration { model: info.name.clone(), t: state.t, contact, gap, unit })
        }
        _ => Ok(()),
    }
}

/// What gaps are by the rounding of coordinates, relative to the largest one that is a length: far more than it, and so
/// little that what is far away closes no gap that anybody measures.
const FAR: f64 = 1e-11;

/// Largest gap at the start that counts as zero, in the unit of each gap.
pub(crate) fn rounding_of_gaps(model: &dyn Model, q: &[f64], settings: &Settings) -> f64 {
    settings.touching + FAR * largest_length(model, q)
}

/// The largest coordinate that is a length, m.
pub(crate) fn largest_length(model: &dyn Model, q: &[f64]) -> f64 {
    let lengths = model.describe().coordinates.iter().zip(q).filter(|(channel, _)| is_length(&channel.unit));
    lengths.fold(0.0, |largest: f64, (_, q)| largest.max(q.abs()))
}
