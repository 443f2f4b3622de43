//! The extension module `hamel._hamel`: models compiled at run time, for Python.
//!
//! [`compiled`] turns texts into machine code, [`model`] evaluates it on NumPy arrays ([`batch`]), [`simulation`]
//! integrates it, [`sweeps`] as often as it is to, [`linearization`] linearises it, [`gradients`] gives slopes of motions and fits parameters, [`optimization`] chooses designs, [`animation`] draws it;
//! [`compiled_calls`] is what JAX calls. Everything that can be written in Python as well is written there, in
//! `python/hamel`.

mod animation;
mod batch;
mod compiled;
mod compiled_calls;
mod errors;
mod gradients;
mod inputs;
mod linearization;
mod model;
mod optimization;
mod simulation;
mod sweeps;

use hamel::Model as _;
use hamel_jit::JitModel;
use pyo3::prelude::*;

/// The part of the package `hamel` that is written in Rust.
#[pymodule]
mod _hamel {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::animation::{animation, picture, write_animation};
    #[pymodule_export]
    use crate::compiled::{Compiled, library_model, library_names};
    #[pymodule_export]
    use crate::compiled_calls::_address_for_xla;
    #[pymodule_export]
    use crate::errors::{CautionWarning, Interrupted, LinearizationError, ModelError, SimulationError};
    #[pymodule_export]
    use crate::gradients::{fit, gradient, sensitivities};
    #[pymodule_export]
    use crate::linearization::{Linearized, monodromy_matrix};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::optimization::minimize;
    #[pymodule_export]
    use crate::simulation::{Run, scheme_names};
    #[pymodule_export]
    use crate::sweeps::{Ended, Sweep, SweepTable};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        // What a run that has not begun has.
        for failure in [py.get_type::<SimulationError>(), py.get_type::<Interrupted>()] {
            failure.setattr("trajectory", py.None())?;
            failure.setattr("time", py.None())?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Names and units of channels, as Python sees them.
fn channels(channels: &[hamel::Channel]) -> Vec<(String, String)> {
    channels.iter().map(|channel| (channel.name.clone(), channel.unit.clone())).collect()
}

/// Names, units and values of the parameters of a model, as Python sees them.
fn parameters(model: &JitModel) -> Vec<(String, String, f64)> {
    let channels = model.describe().parameters.iter().zip(model.parameters());
    channels.map(|(channel, &value)| (channel.name.clone(), channel.unit.clone(), value)).collect()
}
