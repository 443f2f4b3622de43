//! Fixtures of the benchmarks: models with a consistent state to start from.
//!
//! `compile` times the macro's work per model, `evaluate` the generated kernels, `step` one step of a scheme, `simulate`
//! a whole motion, `scaling` a step on chains of growing length. Ids read `<benchmark>/<what>/<model>`.

#[cfg(feature = "scaling")]
pub mod chains;

use hamel::{Model, State};
use hamel_models::ALL;

/// Every model with its name and a consistent state; models without one are left out.
pub fn models() -> Vec<(&'static str, Box<dyn Model>, State)> {
    ALL.iter()
        .filter_map(|entry| {
            let model = (entry.build)(&[]).ok()?;
            let state = hamel::initial_state(model.as_ref()).ok()?;
            Some((entry.name, model, state))
        })
        .collect()
}
