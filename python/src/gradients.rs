//! Slopes of motions, and fits of parameters to measurements.

use std::sync::atomic::{AtomicU64, Ordering};

use hamel::gradient::{Differentiated, Direction, GradientError, Instant, Objective, Slopes, suitable_scheme};
use hamel::{Model as _, Options, Scheme};
use hamel_fit::{Fit, FitError, Free, Measurements};
use hamel_jit::JitModel;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{ModelError, SimulationError};
use crate::model::Model;
use crate::simulation::{Exception, Input, Inputs, Start, caused, has_raised, keep, raised, scheme_of, state_of};

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// A motion whose slopes are asked for: the model with derivatives, and how it is integrated.
pub(crate) struct Prepared {
    pub(crate) model: JitModel,
    pub(crate) inputs: Inputs,
    /// What a function that is an input has raised.
    pub(crate) exception: Exception,
    pub(crate) scheme: Box<dyn Scheme>,
    pub(crate) options: Options,
    /// Where it starts, if that is given.
    start: Option<hamel::State>,
    until: f64,
    dt: f64,
    /// Times to each of which a single step leads, in place of both.
    times: Option<Vec<f64>>,
    is_cancelled: Box<dyn Fn() -> bool + Send + Sync>,
}

/// How many steps are made before the interpreter is asked for signals again.
const BETWEEN_SIGNALS: u64 = 256;

impl Prepared {
    /// The error of a motion, or what a function that is an input has raised.
    pub(crate) fn failed(&self, py: Python<'_>, error: PyErr) -> PyErr {
        caused(py, error, raised(&self.exception))
    }

    fn motion(&self) -> Differentiated<'_> {
        let motion = Differentiated::new(&self.model, &*self.scheme).options(self.options);
        let motion = motion.cancelled_by(&*self.is_cancelled);
        let motion = match &self.times {
            Some(times) => motion.through(times.clone()),
            None => motion.step(self.dt).until(self.until),
        };
        match &self.start {
            Some(start) => motion.from(start.clone()),
            None => motion,
        }
    }

    /// What a run of the motion cautions.
    fn cautions(&self) -> Result<Vec<String>, GradientError> {
        Ok(self.motion().cautions()?.iter().map(|caution| format!("{}: {caution}", self.scheme.name())).collect())
    }
}

/// The model with derivatives, its parameters and its initial conditions.
fn differentiated(model: &Model, start: Option<&Start>) -> PyResult<JitModel> {
    let conditions = match start {
        Some(Start::Conditions(conditions)) => conditions.as_slice(),
        _ => &[],
    };
    let mut other = model.compiled.get().differentiated(conditions).map_err(ModelError::new_err)?;
    let values: Vec<(&str, f64)> = model.model.named_parameters().collect();
    other.set(&values).map_err(|error| ModelError::new_err(error.to_string()))?;
    Ok(other)
}

pub(crate) fn prepared(
    py: Python<'_>,
    model: &Model,
    (scheme, until, dt): (Option<&str>, f64, f64),
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
) -> PyResult<Prepared> {
    let exception = Exception::default();
    let inputs = Inputs::new(&model.model, inputs, &exception)?;
    let found =
        py.detach(|| -> PyResult<JitModel> { Ok(inputs.connected(&differentiated(model, start.as_ref())?)) })?;
    let (name, options) = suitable_scheme(&found);
    let options = if scheme.is_some() { Options::default() } else { options };
    let start = match start {
        Some(Start::State(q, v)) => Some(state_of(&found, &q, &v)?),
        _ => None,
    };
    let scheme = scheme_of(scheme.unwrap_or(name), &[])?;
    let (steps, seen) = (AtomicU64::new(0), exception.clone());
    let is_cancelled = Box::new(move || {
        if steps.fetch_add(1, Ordering::Relaxed).is_multiple_of(BETWEEN_SIGNALS)
            && let Err(error) = Python::attach(|py| py.check_signals())
        {
            keep(&seen, error);
        }
        has_raised(&seen)
    });
    Ok(Prepared { model: found, inputs, exception, scheme, options, start, until, dt, times: None, is_cancelled })
}

/// Places of parameters among those by which a model has derivatives.
fn places(model: &JitModel, names: &[String]) -> PyResult<Vec<usize>> {
    let info = model.describe();
    let known: Vec<&str> = info.differentiated.iter().map(|&place| info.parameters[place].name.as_str()).collect();
    let place = |name: &String| {
        let place = known.iter().position(|known| known == name);
        place.ok_or_else(|| crate::compiled::unknown("parameter", name, known.iter().copied()))
    };
    names.iter().map(place).collect()
}

/// Times, outputs, and derivatives of the outputs by parameters.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each has a name in Python")]
pub(crate) fn sensitivities<'py>(
    py: Python<'py>,
    model: &Model,
    names: Vec<String>,
    scheme: Option<&str>,
    until: f64,
    dt: f64,
    times: Option<Vec<f64>>,
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Array<'py>, Array<'py>, Vec<String>)> {
    let prepared = Prepared { times, ..prepared(py, model, (scheme, until, dt), inputs, start)? };
    let directions: Vec<Direction> = places(&prepared.model, &names)?.into_iter().map(Direction::Parameter).collect();
    let count = prepared.model.describe().outputs.len();
    let (mut times, mut values, mut slopes) = (Vec::new(), Vec::new(), Vec::new());
    let mut outputs = vec![0.0; count];
    let cautions = py.detach(|| {
        prepared.motion().sensitivities(&directions, &mut |state, changes| {
            times.push(state.t);
            prepared.model.outputs(state, &mut outputs);
            values.extend_from_slice(&outputs);
            slopes.extend(changes.outputs.transpose().iter());
        })?;
        prepared.cautions()
    });
    let cautions = cautions.map_err(|error| prepared.failed(py, failed(error)))?;
    let steps = times.len();
    Ok((
        PyArray1::from_vec(py, times),
        PyArray1::from_vec(py, values).reshape(vec![steps, count])?,
        PyArray1::from_vec(py, slopes).reshape(vec![steps, count, directions.len()])?,
        cautions,
    ))
}

/// What a function has made of all instants: slopes by outputs, and what is integrated over time, if there are impacts.
struct Judgement {
    slopes: Vec<f64>,
    integrand: Vec<f64>,
}

impl Objective for Judgement {
    fn add(&self, instant: &Instant<'_>, own: &mut Slopes) -> f64 {
        let count = instant.outputs.len();
        own.outputs.as_mut_slice().copy_from_slice(&self.slopes[instant.number * count..][..count]);
        0.0
    }

    fn integrand(&self, instant: &Instant<'_>, _slopes: &mut Slopes) -> f64 {
        self.integrand.get(instant.number).copied().unwrap_or_default()
    }
}

/// The objective that a function makes of times and outputs, and its slopes by parameters, by coordinates and velocities
/// of the start, and by inputs at the times of the steps.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each has a name in Python")]
pub(crate) fn gradient<'py>(
    py: Python<'py>,
    model: &Model,
    objective: &Bound<'py, PyAny>,
    scheme: Option<&str>,
    until: f64,
    dt: f64,
    times: Option<Vec<f64>>,
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
    checkpoints: Option<usize>,
) -> PyResult<(f64, Vec<(String, f64)>, [Bound<'py, PyArray1<f64>>; 2], Vec<(String, Array<'py>)>, Vec<String>)> {
    let prepared = Prepared { times, ..prepared(py, model, (scheme, until, dt), inputs, start)? };
    let info = prepared.model.describe();
    let count = info.outputs.len();
    let (mut times, mut values) = (Vec::new(), Vec::new());
    let mut outputs = vec![0.0; count];
    py.detach(|| {
        prepared.motion().states(&mut |state| {
            times.push(state.t);
            prepared.model.outputs(state, &mut outputs);
            values.extend_from_slice(&outputs);
        })
    })
    .map_err(|error| prepared.failed(py, failed(error)))?;
    let steps = times.len();
    let has_impacts = times.windows(2).any(|pair| pair[0] == pair[1]);
    let of_times = PyArray1::from_vec(py, times);
    let of_outputs = PyArray1::from_vec(py, values).reshape(vec![steps, count])?;
    type Judged<'py> = (f64, PyReadonlyArrayDyn<'py, f64>, Option<PyReadonlyArrayDyn<'py, f64>>);
    let (value, slopes, integrand): Judged<'py> = objective.call1((of_times, of_outputs))?.extract()?;
    if integrand.is_none() && has_impacts {
        return Err(PyValueError::new_err(
            "the motion has impacts, whose instants change: expected (value, slopes, integrand) from the objective, the last \
             one what is integrated over time, at each of the times; zeros where nothing is",
        ));
    }
    let read = |what: &str, array: PyReadonlyArrayDyn<'py, f64>, shape: &[usize]| match array.as_array() {
        values if values.shape() == shape => Ok(values.iter().copied().collect::<Vec<f64>>()),
        values => Err(PyValueError::new_err(format!(
            "{what} of the objective: expected shape {shape:?}, found {:?}",
            values.shape()
        ))),
    };
    let summed = Judgement {
        slopes: read("slopes", slopes, &[steps, count])?,
        integrand: integrand.map(|integrand| read("integrand", integrand, &[steps])).transpose()?.unwrap_or_default(),
    };
    let motion = prepared.motion();
    let motion = match checkpoints {
        Some(copies) => motion.checkpoints(copies),
        None => motion,
    };
    let found = py.detach(|| Ok((motion.gradient(&summed)?, prepared.cautions()?)));
    let (found, cautions) = found.map_err(|error| prepared.failed(py, failed(error)))?;
    let names = info.differentiated.iter().map(|&place| info.parameters[place].name.clone());
    let by_inputs = info.inputs.iter().zip(&found.inputs).map(|(input, slopes)| {
        let pairs: Vec<f64> = slopes.iter().flat_map(|&(t, slope)| [t, slope]).collect();
        Ok((input.name.clone(), PyArray1::from_vec(py, pairs).reshape(vec![slopes.len(), 2])?))
    });
    Ok((
        value,
        names.zip(found.parameters).collect(),
        [found.position, found.velocity].map(|slopes| PyArray1::from_vec(py, slopes)),
        by_inputs.collect::<PyResult<_>>()?,
        cautions,
    ))
}

/// A fit of parameters to a table of measurements, as JSON, and its doubts as text.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each has a name in Python")]
pub(crate) fn fit(
    py: Python<'_>,
    model: &Model,
    table: &str,
    free: Vec<(String, f64, f64)>,
    noise: Vec<(String, f64)>,
    scheme: Option<&str>,
    dt: f64,
    until: Option<f64>,
    limits: (usize, u64),
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
) -> PyResult<(String, Vec<String>)> {
    if matches!(start, Some(Start::State(..))) {
        return Err(PyValueError::new_err("`initial`: expected initial conditions by name, found a state"));
    }
    let prepared = prepared(py, model, (scheme, 0.0, dt), inputs, start)?;
    let mut measured = Measurements::read(table, prepared.model.describe()).map_err(unfit)?;
    for (name, deviation) in noise {
        measured = measured.with_deviation(&name, deviation).map_err(unfit)?;
    }
    if let Some(until) = until {
        measured = measured.until(until);
    }
    // A name that no parameter has is an error of the fit.
    let start = |name: &str| prepared.model.parameter(name).unwrap_or_default();
    let free: Vec<Free> =
        free.into_iter().map(|(name, low, high)| Free::at(&name, start(&name)).within(low, high)).collect();
    let interrupted: Exception = Exception::default();
    // Asked before each motion: when the search has been interrupted, no motion has a model any more, and it ends.
    let family = |values: &[(&str, f64)]| -> Result<Box<dyn hamel::Model>, String> {
        if has_raised(&interrupted) {
            return Err("interrupted".to_owned());
        }
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            keep(&interrupted, error);
        }
        let mut other = prepared.inputs.connected(&prepared.model);
        other.set(values).map_err(|error| error.to_string())?;
        Ok(Box::new(other))
    };
    let found = py.detach(|| {
        let fit = Fit::new(&family, &*prepared.scheme, &measured, free)?;
        fit.step(dt).options(prepared.options).intervals(limits.0).motions(limits.1).run()
    });
    if let Some(exception) = raised(&interrupted) {
        return Err(exception);
    }
    let found = found.map_err(|error| prepared.failed(py, unfit(error)))?;
    // The search passes over motions that fail, but a function that is an input must not.
    if let Some(exception) = raised(&prepared.exception) {
        return Err(exception);
    }
    let text = serde_json::to_string(&found).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((text, found.doubts.iter().map(ToString::to_string).collect()))
}

fn failed(error: GradientError) -> PyErr {
    match error {
        GradientError::Motion(_) | GradientError::Singular { .. } => SimulationError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

fn unfit(error: FitError) -> PyErr {
    match error {
        FitError::Start(_) | FitError::Search(_) | FitError::Tried { .. } => {
            SimulationError::new_err(error.to_string())
        }
        error => PyValueError::new_err(error.to_string()),
    }
}
