//! Inputs of functions that are called state by state.
//!
//! The signals of a model that is evaluated on arrays read what was set last in their thread, so that threads share the
//! model and each state has inputs of its own.

use std::cell::Cell;

use hamel::{Model, Signal};
use hamel_jit::JitModel;

thread_local! {
    static VALUES: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// Lets a model read its inputs from [`set`].
pub(crate) fn connect(model: &mut JitModel) {
    let names: Vec<String> = model.describe().inputs.iter().map(|channel| channel.name.clone()).collect();
    for (place, name) in names.iter().enumerate() {
        let read = move |_: f64| {
            let values = VALUES.take();
            let value = values.get(place).copied().unwrap_or(0.0);
            VALUES.set(values);
            value
        };
        // The name is one that the model has said.
        let _ = model.set_input(name, Signal::from(read));
    }
}

/// Sets the inputs of models that are evaluated in this thread.
#[inline]
pub(crate) fn set(inputs: &[f64]) {
    if inputs.is_empty() {
        return;
    }
    let mut values = VALUES.take();
    values.clear();
    values.extend_from_slice(inputs);
    VALUES.set(values);
}
