//! The flexible rotating shaft with an unbalanced disc. [zhang, Sect. 5.4, Figs. 22-27]
//!
//! It starts from static equilibrium at t = 0, since the paper does not say how its weight comes to act in the second
//! before.

mod errors;
pub(super) mod orders;
pub(super) mod responses;

use hamel::model::{Model, State};
use hamel::scheme::StepError;
use hamel::{consistent_acceleration, equilibrium, initial_state};
use hamel_models::RotatingShaft;

use super::employed::Employed;
use super::response::{Problem, Response, TOLERANCE};
use crate::motion::output;
use crate::shared::Shared;

/// Length of the motion, s.
const END: f64 = 2.5;
/// Δt/n, s. The paper prints the second, and shows the others in figures only.
pub(super) const STEPS: [f64; 5] = [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4];
/// Which of them is printed, which is the shortest of all schemes, and which is for those of higher order alone: their
/// orders change there.
pub(super) const PRINTED: usize = 1;
pub(super) const SHORT: usize = 3;
const SHORTEST: usize = 4;

/// u₃, v₃, a₃ and the distance of mid-span from the axis, with each of [`STEPS`].
static RESPONSES: [Shared<Vec<Response<4>>>; STEPS.len()] = [const { Shared::new() }; STEPS.len()];

/// With one of the steps.
pub(super) fn responses(step: usize) -> Result<&'static [Response<4>], StepError> {
    let compute = || {
        let model = RotatingShaft::default();
        let is_meant = |of: Employed| step != SHORTEST || !of.is_of_second_order();
        problem(&model, at_rest(&model)?).responses_of(is_meant, STEPS[step], |state| observe(&model, state))
    };
    RESPONSES[step].get(compute).map(Vec::as_slice)
}

/// How the shaft moves from a state.
fn problem(model: &RotatingShaft, initial: State) -> Problem<'_> {
    Problem { model, initial, end: END, sampling: 0.0, tolerance: TOLERANCE }
}

fn observe(model: &RotatingShaft, state: &State) -> [f64; 4] {
    let [displacement, velocity, acceleration] = along_z(model, state);
    let [_, y, z] = output::<3>(model, "displacement", state);
    [displacement, velocity, acceleration, y.hypot(z)]
}

/// The shaft as its weight bends it.
pub(super) fn at_rest(model: &RotatingShaft) -> Result<State, StepError> {
    let inconsistent = |error: hamel::EquilibriumError| StepError::Inconsistent {
        model: model.describe().name.clone(),
        reason: error.to_string(),
        residual: 0.0,
    };
    let mut state = equilibrium(model, &initial_state(model)?).map_err(inconsistent)?.state;
    consistent_acceleration(model, &mut state)?;
    Ok(state)
}

/// Displacement, velocity and acceleration along z at mid-span.
pub(super) fn along_z(model: &RotatingShaft, state: &State) -> [f64; 3] {
    ["displacement", "velocity", "acceleration"].map(|name| {
        let [_, _, z] = output::<3>(model, name, state);
        z
    })
}
