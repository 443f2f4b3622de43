//! Designs and inputs with the least objective of a motion.

use hamel::Model as _;
use hamel_optimize::{Case, Condition, Design, Free, Optimization, OptimizeError, Quantity};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::SimulationError;
use crate::gradients::{Prepared, prepared};
use crate::model::Model;
use crate::simulation::{Exception, Input, Start, has_raised, keep, raised};

/// What was found, as JSON with whether it is an optimum, and in words why the search ended.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each has a name in Python")]
pub(crate) fn minimize(
    py: Python<'_>,
    model: &Model,
    objective: &str,
    free: Vec<(String, f64, f64)>,
    samples: Vec<(String, Vec<f64>, f64, f64)>,
    subject_to: Vec<(String, f64, f64)>,
    limits: (f64, u64),
    scheme: Option<&str>,
    until: f64,
    dt: f64,
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
) -> PyResult<(String, bool, String)> {
    if matches!(start, Some(Start::State(..))) {
        return Err(PyValueError::new_err("`initial`: expected initial conditions by name, found a state"));
    }
    let prepared = prepared(py, model, (scheme, until, dt), inputs, start)?;
    let info = prepared.model.describe();
    let (text, sign) = objective.strip_prefix('-').map_or((objective, 1.0), |text| (text, -1.0));
    let objective = Quantity::read(text, info).map_err(refused)?.times(sign);
    let bound = subject_to
        .iter()
        .map(|(text, low, high)| Ok((Quantity::read(text, info).map_err(refused)?, [*low, *high])))
        .collect::<PyResult<Vec<_>>>()?;
    let unknown = |kind, name, known: &[hamel::Channel]| {
        crate::compiled::unknown(kind, name, known.iter().map(|known| known.name.as_str()))
    };
    let is_known = |known: &[hamel::Channel], name: &str| known.iter().any(|known| known.name == name);
    if let Some((name, ..)) = free.iter().find(|(name, ..)| !is_known(&info.parameters, name)) {
        return Err(unknown("parameter", name, &info.parameters));
    }
    if let Some((name, ..)) = samples.iter().find(|(name, ..)| !is_known(&info.inputs, name)) {
        return Err(unknown("input", name, &info.inputs));
    }
    let of_parameter = |(name, low, high): (String, f64, f64)| {
        Free::parameter(&name, prepared.model.parameter(&name).unwrap_or_default()).within(low, high)
    };
    // From the input that is given, as near to it as bounds allow.
    let of_input = |(name, times, low, high): (String, Vec<f64>, f64, f64)| {
        let given = prepared.inputs.signal(&name);
        let value = |&t: &f64| given.map_or(0.0, |signal| signal.value(t)).max(low).min(high);
        let values = times.iter().map(value).collect();
        Free::samples(name, times, values).within(low, high)
    };
    let free: Vec<Free> = free.into_iter().map(of_parameter).chain(samples.into_iter().map(of_input)).collect();

    let interrupted = Exception::default();
    // Asked before each motion: when the search has been interrupted, no motion has a model any more, and it ends.
    let family = |design: &Design| -> Result<Box<dyn hamel::Model>, String> {
        if has_raised(&interrupted) {
            return Err("interrupted".to_owned());
        }
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            keep(&interrupted, error);
        }
        designed(&prepared, design)
    };
    let found = py.detach(|| {
        let mut case =
            Case::new(&family, &*prepared.scheme, &objective).step(dt).until(until).options(prepared.options);
        for (quantity, range) in &bound {
            for condition in Condition::within(quantity.name(), quantity, *range)? {
                case = case.subject_to(condition);
            }
        }
        Optimization::new(vec![case], free)?.tolerance(limits.0).iterations(limits.1).run()
    });
    if let Some(exception) = raised(&interrupted) {
        return Err(exception);
    }
    let found = found.map_err(|error| prepared.failed(py, refused(error)))?;
    // The search passes over motions that fail, but a function that is an input must not.
    if let Some(exception) = raised(&prepared.exception) {
        return Err(exception);
    }
    let text = serde_json::to_string(&found).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((text, found.is_converged(), found.ended.to_string()))
}

/// The model of a design.
fn designed(prepared: &Prepared, design: &Design) -> Result<Box<dyn hamel::Model>, String> {
    let mut model = prepared.inputs.connected(&prepared.model);
    model.set(&design.parameters).map_err(|error| error.to_string())?;
    for (input, signal) in design.signals() {
        model.set_input(input, signal).map_err(|_| format!("there is no input `{input}`"))?;
    }
    Ok(Box::new(model))
}

fn refused(error: OptimizeError) -> PyErr {
    match error {
        OptimizeError::Start(_) | OptimizeError::Search(_) => SimulationError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}
