//! Runs: arguments from Python, the motion without the interpreter, results as arrays.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hamel::newton::Tolerance;
use hamel::{
    ConstraintLevel, Direction, Drift, Event, Model as _, Options, RotationReference, Scheme, Signal, Simulation, State,
    StepError, Watchers, schemes,
};
use hamel_compiler::file;
use hamel_jit::JitModel;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::channels;
use crate::compiled::unknown;
use crate::errors::{ModelError, SimulationError};
use crate::model::Model;

/// A run that has ended.
#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct Run {
    run: hamel::Run,
    model: String,
    scheme: String,
    sizes: (usize, usize, usize),
    outputs: Vec<String>,
    /// What was chosen that nobody asked for.
    #[pyo3(get)]
    said: Vec<String>,
    /// The first exception of a function that was given.
    exception: Option<PyErr>,
}

/// How often the interpreter is asked for signals, such as an interruption from the keyboard.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);

#[pymethods]
impl Run {
    /// Name of the model.
    #[getter]
    fn model(&self) -> &str {
        &self.model
    }

    /// Name of the scheme, with its parameters.
    #[getter]
    fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Numbers of coordinates, velocities and constraints.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize) {
        self.sizes
    }

    /// Names of the outputs of the model.
    #[getter]
    fn outputs(&self) -> Vec<String> {
        self.outputs.clone()
    }

    /// Names and units of the columns.
    #[getter]
    fn columns(&self) -> Vec<(String, String)> {
        self.run.trajectory.columns().iter().map(|column| (column.name.clone(), column.unit.clone())).collect()
    }

    /// The table, one row for each recorded instant.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let table = &self.run.trajectory;
        let values: Vec<f64> = table.rows().flatten().copied().collect();
        PyArray1::from_vec(py, values).reshape([table.len(), table.columns().len()])
    }

    /// Warnings about the results.
    #[getter]
    fn cautions(&self) -> Vec<String> {
        self.run.cautions.iter().map(ToString::to_string).collect()
    }

    /// Accepted and rejected steps.
    #[getter]
    fn steps(&self) -> (u64, u64) {
        (self.run.accepted, self.run.rejected)
    }

    /// The events that occurred: number, time, coordinates, velocities.
    fn occurrences<'py>(
        &self,
        py: Python<'py>,
    ) -> Vec<(usize, f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let array = |values: &[f64]| PyArray1::from_slice(py, values);
        let occurrences = self.run.occurrences.iter();
        occurrences
            .map(|found| {
                let State { t, q, v, .. } = &found.state;
                (found.event, *t, array(q.as_slice()), array(v.as_slice()))
            })
            .collect()
    }

    /// Why the run ended early.
    #[getter]
    fn failure(&self) -> Option<String> {
        self.run.outcome.as_ref().err().map(ToString::to_string)
    }

    /// The exception of a function that was given, which ended the run.
    #[getter]
    fn exception(&self, py: Python<'_>) -> Option<PyErr> {
        self.exception.as_ref().map(|error| error.clone_ref(py))
    }

    /// The message for a column that is not there.
    fn unknown_column(&self, name: &str) -> String {
        self.run.trajectory.place(name).map_or_else(|error| error.to_string(), |_| String::new())
    }

    /// Writes the table as CSV, wholly or not at all.
    fn write_csv(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || file::write(&path, |out| self.run.trajectory.write_csv(std::io::BufWriter::new(out)));
        py.detach(write).map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// Writes the table as Parquet, wholly or not at all.
    fn write_parquet(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || file::write(&path, |out| self.run.trajectory.write_parquet(out));
        py.detach(write).map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

/// The names of all schemes.
#[pyfunction]
pub(crate) fn scheme_names() -> Vec<&'static str> {
    schemes::entries().map(|entry| entry.name).collect()
}

/// An input as Python gives it.
#[derive(FromPyObject)]
pub(crate) enum Input {
    Constant(f64),
    Text(String),
    Samples(Vec<(f64, f64)>),
    Function(Py<PyAny>),
}

/// The first exception of functions that were given.
type Exception = Arc<Mutex<Option<PyErr>>>;

fn keep(exception: &Exception, error: PyErr) {
    // A panic while it was locked has left an exception that is as good as any.
    exception.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
}

impl Input {
    fn signal(self, name: &str, exception: &Exception) -> PyResult<Signal> {
        Ok(match self {
            Input::Constant(value) => Signal::from(value),
            Input::Text(text) => hamel_jit::function_of_time(&text)
                .map_err(|error| ModelError::new_err(format!("input `{name}`, {text}: {error}")))?,
            Input::Samples(samples) => Signal::sampled(samples).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "input `{name}`: expected samples (t, value) of finite numbers with ascending times"
                ))
            })?,
            Input::Function(function) => {
                let exception = Arc::clone(exception);
                Signal::from(move |t: f64| {
                    // Once something has failed, the run is about to end.
                    Python::attach(|py| function.call1(py, (t,)).and_then(|value| value.extract(py)))
                        .unwrap_or_else(|error| {
                            keep(&exception, error);
                            f64::NAN
                        })
                })
            }
        })
    }
}

/// An event as Python gives it: a function of t, q and v, a direction, whether it ends the run.
#[derive(FromPyObject)]
pub(crate) struct Watched(Py<PyAny>, String, bool);

fn direction(name: &str) -> PyResult<Direction> {
    match name {
        "rising" => Ok(Direction::Rising),
        "falling" => Ok(Direction::Falling),
        "both" => Ok(Direction::Both),
        _ => Err(unknown("direction", name, ["rising", "falling", "both"])),
    }
}

/// Options of a run, by the names of the command line.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    constraints: Option<String>,
    keep_drift: bool,
    max_residual: Option<f64>,
    max_energy_gain: Option<f64>,
    newton_tolerance: Option<f64>,
    last_point_rotations: bool,
}

impl Settings {
    fn options(&self) -> PyResult<Options> {
        let limits = [
            ("max_residual", self.max_residual),
            ("max_energy_gain", self.max_energy_gain),
            ("newton_tolerance", self.newton_tolerance),
        ];
        for (name, value) in limits {
            if value.is_some_and(|value| value.is_nan() || value <= 0.0) {
                let value = value.unwrap_or(f64::NAN);
                return Err(PyValueError::new_err(format!("`{name}`: expected a positive number, found {value}")));
            }
        }
        let constraint_level = match self.constraints.as_deref() {
            None => None,
            Some("position") => Some(ConstraintLevel::Position),
            Some("velocity") => Some(ConstraintLevel::Velocity),
            Some("acceleration") => Some(ConstraintLevel::Acceleration),
            Some(other) => return Err(unknown("level", other, ["position", "velocity", "acceleration"])),
        };
        let usual = Watchers::default();
        let watchers = Watchers {
            constraints: self.max_residual.map_or(usual.constraints, Some),
            energy: self.max_energy_gain.map_or(usual.energy, Some),
            ..usual
        };
        let usual = Tolerance::default();
        Ok(Options {
            tolerance: Tolerance { relative: self.newton_tolerance.unwrap_or(usual.relative), ..usual },
            constraint_level,
            drift: if self.keep_drift { Drift::Kept } else { Drift::Removed },
            rotation_reference: match self.last_point_rotations {
                true => RotationReference::LastPoint,
                false => RotationReference::StepStart,
            },
            watchers,
            ..Options::default()
        })
    }
}
