//! Runs.
use pyo3::prelude::*;

#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct Run {}

#[pyfunction]
pub(crate) fn scheme_names() -> Vec<&'static str> {
    hamel::schemes::entries().map(|entry| entry.name).collect()
}
