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

use crate::motion::output;

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
