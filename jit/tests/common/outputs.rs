//! Outputs of models by their names.

use hamel::nalgebra::Vector3;
use hamel::{Model, State};
use hamel_jit::JitModel;

/// The outputs of this name at a state, one after the other.
pub fn output<'o>(model: &JitModel, values: &'o [f64], name: &str) -> &'o [f64] {
    let mut places = model.describe().outputs.iter().enumerate().filter(|(_, channel)| {
        channel.name == name || channel.name.strip_prefix(name).is_some_and(|rest| ["_x", "_y", "_z"].contains(&rest))
    });
    let first = places.next().unwrap_or_else(|| panic!("no output `{name}`")).0;
    &values[first..=first + places.count()]
}

/// Those of a vector in space.
pub fn vector(model: &JitModel, values: &[f64], name: &str) -> Vector3<f64> {
    Vector3::from_column_slice(output(model, values, name))
}

/// All outputs at a state.
pub fn outputs(model: &JitModel, state: &State) -> Vec<f64> {
    let mut values = vec![0.0; model.describe().outputs.len()];
    model.outputs(state, &mut values);
    values
}
