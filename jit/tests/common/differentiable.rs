//! Models with all derivatives, and options for which slopes are exact.

use hamel::Options;
use hamel::nonsmooth::InitialAcceleration;
use hamel_jit::{JitModel, Level};

pub fn model(text: &str) -> JitModel {
    let tokens = hamel_jit::with_derivatives(text.parse().unwrap());
    hamel_jit::model(tokens, Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Equations solved to rounding, and runs that begin as motions with slopes do.
pub fn options() -> Options {
    let mut options = Options::default();
    options.contacts.initial_acceleration = InitialAcceleration::Free;
    (options.tolerance.relative, options.tolerance.absolute) = (1e-15, 1e-18);
    options
}
