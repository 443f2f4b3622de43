//! A value that several experiments need.

use std::sync::OnceLock;

use hamel::scheme::StepError;

/// Computed by the first that asks for it, and kept; so is the error if there is one.
pub(crate) struct Shared<T>(OnceLock<Result<T, StepError>>);

impl<T> Shared<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    pub(crate) fn get(&self, compute: impl FnOnce() -> Result<T, StepError>) -> Result<&T, StepError> {
        self.0.get_or_init(compute).as_ref().map_err(Clone::clone)
    }
}
