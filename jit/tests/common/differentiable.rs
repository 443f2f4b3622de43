//! Models with all derivatives, and options for which slopes are exact.

use hamel::Options;
use hamel_jit::{JitModel, Level};

pub fn model(text: &str) -> JitModel {
    let tokens = hamel_jit::with_derivatives(text.parse().unwrap());
    hamel_jit::model(tokens, Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Equations solved to rounding.
pub fn options() -> Options {
    let mut options = Options::default();
    (options.tolerance.relative, options.tolerance.absolute) = (1e-15, 1e-18);
    options
}
