//! Diagnosis of steps that fail: of values that are not finite the function, its row, and the expressions of the model's
//! text that may cause them; of steps that do not converge a drive whose velocity jumps.

use crate::admissible::check_inputs;
use crate::blows::Bisection;
use crate::model::{Model, State};
use crate::norms::is_finite;
use crate::prelude::*;
use crate::sparsity::SparsityPattern;
use crate::step::{Cause, StepError};

/// Largest number of expressions and of values in a message.
const NAMED: usize = 6;
/// A rate that jumps by this, in its SI unit by second and beside the largest velocity, does not.
const AT_REST: f64 = 1e-6;
/// How far beside a time a jump is looked for, s, for times of the order of a second.
const BESIDE: f64 = 1e-9;

/// Describes the first function of a model that is not finite at a state, with the expressions that may cause it, their
/// places in the model and the values of coordinates and velocities; `None` if all functions are finite.
///
/// Intended for error messages: it allocates, and evaluates every function.
///
/// # Examples
/// A force that is not defined where the block starts.
///
/// ```
/// # hamel::multibody! {
/// #     model Repelled {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force away: [1 N m / rail.displacement, 0 N] on block;
/// #     }
/// # }
/// use hamel::{Model, State, explain_not_finite};
///
/// let model = Repelled::default();
/// let mut state = State::zeros(model.dims());
/// assert!(explain_not_finite(&model, &state).is_some_and(|text| text.contains("rail.displacement")));
/// state.q[0] = 0.1;
/// assert_eq!(explain_not_finite(&model, &state), None);
/// ```
pub fn explain_not_finite(model: &dyn Model, state: &State) -> Option<String> {
    first_undefined(model, state).map(|what| explanation(&what, model, state))
}

/// The same for a step that failed from this state; if everything is finite there, the expressions that may become
/// undefined within the step.
fn explain_failed_step(model: &dyn Model, state: &State) -> Option<String> {
    let within = || (!model.describe().singular.is_empty()).then(|| "a value within the step".to_owned());
    let what = first_undefined(model, state).or_else(within)?;
    Some(explanation(&what, model, state))
}

/// Determines the cause of a failure: an input that is not finite at one of these times, or a part of the model that is
/// not defined at the state from which the step began, or may be undefined near it.
pub(crate) fn blame(model: &dyn Model, state: &State, mut error: StepError, times: [f64; 3]) -> StepError {
    if let StepError::NotConverged { cause, .. } = &mut error {
        if let Some(blow) = blow(model, state, times[2]) {
            *cause = blow;
        }
        return error;
    }
    let StepError::NotFinite { t, scheme, .. } = &error else { return error };
    if let Some(bad_input) = times.into_iter().find_map(|t| check_inputs(model, t).err()) {
        return bad_input;
    }
    match explain_failed_step(model, state) {
        Some(what) => StepError::NotDefined { t: *t, scheme: scheme.clone(), what },
        None => error,
    }
}

/// A jump of the rate of a constraint in the step from a state to a time.
fn blow(model: &dyn Model, state: &State, until: f64) -> Option<Cause> {
    if model.dims().nc == 0 || model.describe().is_scleronomic {
        return None;
    }
    let mut unused = vec![0.0; state.lambda.len()];
    let mut rates = |t: f64, out: &mut [f64]| {
        model.constraint_bias(t, state.q.as_slice(), state.v.as_slice(), out, &mut unused);
    };
    // The step before may have ended beside the jump, and the next one may be shorter than the way to it.
    let beside = BESIDE * (1.0 + state.t.abs());
    let ends = [state.t - beside, until.max(state.t + beside)];
    let least = AT_REST * (1.0 + state.v.amax());
    let jump = Bisection::new(state.lambda.len()).jump(ends, least, &mut rates)?;
    let constraint = model.describe().constraints[jump.row].name.clone();
    Some(Cause::Blow { constraint, t: jump.t, jump: jump.size })
}

fn explanation(what: &str, model: &dyn Model, state: &State) -> String {
    let info = model.describe();
    let mut text = format!("{what} is not finite");
    let list = |items: &[String]| match items.len() {
        n if n > NAMED => format!("{} and {} more", items[..NAMED].join(", "), n - NAMED),
        _ => items.join(", "),
    };
    let expressions: Vec<String> = info.singular.iter().map(|(text, place)| format!("`{text}` in {place}")).collect();
    if !expressions.is_empty() {
        text += &format!("; it can be {}", list(&expressions));
    }
    let named = |channels: &[crate::model::Channel], values: &[f64], rate: &str| -> Vec<String> {
        let value = |(channel, value): (&crate::model::Channel, &f64)| format!("{rate}{} = {value}", channel.name);
        channels.iter().zip(values).map(value).collect()
    };
    // Zeros come first, because expressions are most often undefined at zero.
    let mut values = named(&info.coordinates, state.q.as_slice(), "");
    values.extend(named(&info.velocities, state.v.as_slice(), "velocity of "));
    values.sort_by_key(|value| !value.ends_with(" = 0"));
    format!("{text}; from {}", list(&values))
}

fn first_undefined(model: &dyn Model, state: &State) -> Option<String> {
    let (info, dims) = (model.describe(), model.dims());
    let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
    let of_vector = |n: usize, fill: &dyn Fn(&mut [f64])| -> Option<usize> {
        let mut values = vec![0.0; n];
        fill(&mut values);
        values.iter().position(|value| !value.is_finite())
    };
    let of_matrix = |pattern: &SparsityPattern, fill: &dyn Fn(&mut [f64])| -> Option<(usize, usize)> {
        let place = of_vector(pattern.nnz(), fill)?;
        pattern.entries().nth(place)
    };
    let velocity = |index: usize| format!("`{}`", info.velocities[index].name);
    let constraint = |index: usize| format!("`{}`", info.constraints[index].name);
    if let Some((row, _)) = of_matrix(&info.mass_matrix, &|out| model.mass_matrix(q, out)) {
        return Some(format!("the mass matrix along {}", velocity(row)));
    }
    if let Some(row) = of_vector(dims.nv, &|out| model.bias_force(q, v, out)) {
        return Some(format!("the inertial force along {}", velocity(row)));
    }
    if let Some(row) = of_vector(dims.nv, &|out| model.applied_force(t, q, v, out)) {
        return Some(format!("the applied force along {}", velocity(row)));
    }
    if let Some(row) = of_vector(dims.nc, &|out| model.constraint(t, q, out)) {
        return Some(format!("constraint {}", constraint(row)));
    }
    if let Some((row, _)) = of_matrix(&info.constraint_jacobian, &|out| model.constraint_jacobian(t, q, out)) {
        return Some(format!("the gradient of constraint {}", constraint(row)));
    }
    let mut rest = vec![0.0; dims.nc];
    let mut rate = vec![0.0; dims.nc];
    model.constraint_bias(t, q, v, &mut rate, &mut rest);
    if let Some(row) = rate.iter().zip(&rest).position(|(rate, rest)| !(rate + rest).is_finite()) {
        return Some(format!("the rate of constraint {}", constraint(row)));
    }
    if let Some(index) = of_vector(info.contacts.len(), &|out| model.contact_gap(t, q, out)) {
        return Some(format!("the gap of contact `{}`", info.contacts[index].name));
    }
    if of_matrix(&info.contact_jacobian, &|out| model.contact_jacobian(t, q, out)).is_some() {
        return Some("a direction of a contact".to_owned());
    }
    if let Some((row, column)) = of_matrix(&info.damping, &|out| model.damping(state, out)) {
        return Some(format!(
            "the derivative of the force along {} by the velocity of {}",
            velocity(row),
            velocity(column)
        ));
    }
    if let Some((row, column)) = of_matrix(&info.stiffness, &|out| model.stiffness(state, out)) {
        return Some(format!("the derivative of the force along {} by {}", velocity(row), velocity(column)));
    }
    None
}

/// The first value of a state that is not finite, with its name.
pub(crate) fn not_finite(model: &dyn Model, state: &State) -> Option<(String, f64)> {
    if !state.t.is_finite() {
        return Some(("the time".to_owned(), state.t));
    }
    let lists = [&state.q, &state.v, &state.a, &state.lambda];
    if lists.into_iter().all(|values| is_finite(values.as_slice())) {
        return None;
    }
    let info = model.describe();
    let parts = [
        ("coordinate", &info.coordinates, &state.q),
        ("velocity", &info.velocities, &state.v),
        ("acceleration of", &info.velocities, &state.a),
        ("multiplier of", &info.constraints, &state.lambda),
    ];
    parts.into_iter().find_map(|(what, channels, values)| {
        let (channel, &value) = channels.iter().zip(values).find(|(_, value)| !value.is_finite())?;
        Some((format!("{what} `{}`", channel.name), value))
    })
}
