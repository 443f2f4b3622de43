//! Sweeps: many motions of a model on all cores, while the interpreter waits for signals.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use hamel::Model as _;
use hamel_sweep::{Cases, Fixed, Journal, Motion, Output, Sampling, Shard, Subject, Sweep, Table, Values};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyFileExistsError, PyValueError};
use pyo3::prelude::*;

use crate::compiled::{Condition, forgetting_places};
use crate::errors::{Interrupted, ModelError};
use crate::model::Model;
use crate::simulation::{BETWEEN_SIGNALS, Exception, Input, Plan, Settings, interval};

/// The cases of a sweep as Python gives them.
#[derive(FromPyObject)]
pub(crate) enum Varied {
    /// Names and texts of values, or values; how they are sampled, or a grid; the seed.
    Chosen(Vec<(String, Choice)>, Option<String>, u64),
    /// Names, and a value for each in every case.
    Rows(Vec<String>, Vec<f64>),
}

#[derive(FromPyObject)]
pub(crate) enum Choice {
    Text(String),
    List(Vec<f64>),
}

impl Choice {
    fn values(self, name: &str) -> PyResult<Values> {
        match self {
            Choice::List(values) if values.is_empty() => {
                Err(PyValueError::new_err(format!("`{name}`: expected values, found none")))
            }
            Choice::List(values) => match values.iter().find(|value| !value.is_finite()) {
                Some(value) => Err(PyValueError::new_err(format!("`{name}`: expected finite numbers, found {value}"))),
                None => Ok(Values::List(values)),
            },
            Choice::Text(text) => text.parse().map_err(|error| PyValueError::new_err(format!("`{name}`: {error}"))),
        }
    }
}

impl Varied {
    fn cases(self) -> PyResult<Cases> {
        let cases = match self {
            Varied::Rows(names, values) => Cases::rows(names, values),
            Varied::Chosen(choices, sampling, seed) => {
                let values = |(name, choice): (String, Choice)| {
                    let values = choice.values(&name)?;
                    Ok((name, values))
                };
                let variables = choices.into_iter().map(values).collect::<PyResult<Vec<_>>>()?;
                match sampling {
                    None => Cases::grid(variables),
                    Some(sampling) => {
                        sampling.parse::<Sampling>().and_then(|sampling| Cases::sample(variables, sampling, seed))
                    }
                }
            }
        };
        cases.map_err(wrong)
    }
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The results of a sweep.
#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct SweepTable {
    table: Table,
    /// Lengths of the axes of a grid.
    #[pyo3(get)]
    axes: Option<Vec<usize>>,
}

#[pymethods]
impl SweepTable {
    /// Names and units of variables and of outputs.
    #[getter]
    fn columns(&self) -> (Vec<(String, String)>, Vec<(String, String)>) {
        let list = |columns: &[hamel_sweep::Column]| {
            columns.iter().map(|column| (column.name.clone(), column.unit.clone())).collect()
        };
        (list(&self.table.variables), list(&self.table.outputs))
    }

    /// Numbers of the cases.
    #[getter]
    fn cases(&self) -> Vec<u64> {
        self.table.rows.iter().map(|row| row.case).collect()
    }

    /// Values of variables and outputs, a row for each case; outputs of failed cases are not numbers.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let table = &self.table;
        let n_outputs = table.outputs.len();
        let row = |row: &hamel_sweep::Row| {
            let outputs = &row.outcome.outputs;
            let outputs = if outputs.is_empty() { vec![f64::NAN; n_outputs] } else { outputs.clone() };
            [row.variables.clone(), outputs].concat()
        };
        let values: Vec<f64> = table.rows.iter().flat_map(row).collect();
        PyArray1::from_vec(py, values).reshape([table.rows.len(), table.variables.len() + n_outputs])
    }

    /// Failed cases, each with its reason.
    #[getter]
    fn failures(&self) -> Vec<(u64, String)> {
        let failure = |row: &hamel_sweep::Row| Some((row.case, row.outcome.failure.clone()?));
        self.table.rows.iter().filter_map(failure).collect()
    }

    /// Cases with warnings.
    #[getter]
    fn cautions(&self) -> Vec<(u64, Vec<String>)> {
        let rows = self.table.rows.iter().filter(|row| !row.outcome.cautions.is_empty());
        rows.map(|row| (row.case, row.outcome.cautions.clone())).collect()
    }

    /// Writes the table: as Parquet where the name ends in `.parquet`, otherwise as comma-separated values.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.table.write(&path)).map_err(unwritten)
    }
}

fn unwritten(error: hamel_sweep::SweepError) -> PyErr {
    match error {
        hamel_sweep::SweepError::Wrong(_) => wrong(error),
        _ => pyo3::exceptions::PyOSError::new_err(error.to_string()),
    }
}

/// Where the cases of a sweep are kept as they end: beside its table, or in a folder that goes with it.
fn journal_of(out: Option<&Path>, folder: &Path) -> PathBuf {
    let Some(out) = out else { return folder.join("journal") };
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".journal");
    out.with_file_name(name)
}

/// Runs a sweep.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's function takes them apart")]
pub(crate) fn sweep(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    varied: Varied,
    outputs: Vec<String>,
    scheme: Option<&str>,
    scheme_parameters: Vec<(String, f64)>,
    times: (f64, Option<f64>, Option<f64>),
    inputs: Vec<(String, Input)>,
    initial: Vec<Condition>,
    out: Option<PathBuf>,
    overwrite: bool,
    threads: Option<usize>,
    settings: Settings,
    progress: Option<Py<PyAny>>,
) -> PyResult<SweepTable> {
    let model = model.get();
    let compiled = model.compiled.get();
    let cases = varied.cases()?;
    let (until, dt, tolerance) = times;
    let plan = Plan { scheme, scheme_parameters, until, dt, tolerance, record_every: None, settings };
    let found = plan.scheme(&model.model)?;
    let motion = Motion {
        scheme: plan.scheme_name(&model.model),
        steps: plan.steps(&model.model, &*found).at_most(interval(&inputs)),
        until,
        options: plan.settings.options()?,
        scheme_parameters: plan.scheme_parameters,
    };
    let mut said = String::new();
    let exception = Exception::default();
    let signal = |(name, input): (String, Input)| {
        said.push_str(&format!("{name}={input:?};"));
        if let Input::Function(_) = input {
            return Err(PyValueError::new_err(format!(
                "input `{name}`: expected a number, a text such as \"2*sin(3*t)\" or samples, because a function of Python would run on one core"
            )));
        }
        let signal = input.signal(&name, &exception)?;
        Ok((name, signal))
    };
    let signals = inputs.into_iter().map(signal).collect::<PyResult<Vec<_>>>()?;
    let outputs = outputs.iter().map(|text| text.parse().map_err(wrong)).collect::<PyResult<Vec<Output>>>()?;
    let defaults = compiled.model.parameters();
    let parameters = model.model.describe().parameters.iter().zip(model.model.parameters()).zip(defaults);
    // What has its default, or varies, is not fixed.
    let is_fixed = |name: &str, value: f64, default: f64| {
        value.to_bits() != default.to_bits() && !cases.names().iter().any(|varied| varied == name)
    };
    let parameters = parameters
        .filter(|((channel, value), default)| is_fixed(&channel.name, **value, **default))
        .map(|((channel, value), _)| (channel.name.clone(), *value))
        .collect();
    let subject = || {
        let initial = compiled.settings(&initial)?;
        let fixed = Fixed { parameters, initial, inputs: signals };
        let (level, cache) = compiled.work();
        Subject::new(compiled.tokens()?, level, cache, fixed, cases.names()).map_err(|error| error.to_string())
    };
    let subject = py.detach(|| forgetting_places(subject)).map_err(ModelError::new_err)?;
    let sweep = Sweep::new(&subject, &cases, &motion, &outputs).map_err(wrong)?;
    let description = sweep.description(&said, Shard::WHOLE);
    let axes = cases.axes().map(|axes| axes.iter().map(Vec::len).collect());
    if let Some(out) = out.as_deref().filter(|out| out.symlink_metadata().is_ok() && !overwrite) {
        return match Table::read(out).ok().filter(|table| table.description == description) {
            Some(table) => Ok(SweepTable { table, axes }),
            None => Err(PyFileExistsError::new_err(format!(
                "`{}` exists and holds something else\nhelp: choose another file, or replace it with overwrite=True",
                out.display()
            ))),
        };
    }
    let folder = tempfile::tempdir()?;
    let mut journal = Journal::open(&journal_of(out.as_deref(), folder.path()), &description).map_err(unwritten)?;
    let threads = threads.or_else(|| Some(thread::available_parallelism().ok()?.get())).unwrap_or(1).max(1);
    let (cancelled, ended) = (AtomicBool::new(false), AtomicU64::new(journal.ended().len() as u64));
    let mut told = None;
    let mut ask = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        let now = ended.load(Ordering::Relaxed);
        match &progress {
            Some(progress) if told != Some(now) => {
                told = Some(now);
                progress.call1(py, (now, cases.len())).map(drop)
            }
            _ => Ok(()),
        }
    };
    let mut asked = Ok(());
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = mpsc::channel::<()>();
            let (sweep, journal, cancelled, ended) = (&sweep, &mut journal, &cancelled, &ended);
            let runs = scope.spawn(move || {
                let tell = |now: u64| ended.store(now, Ordering::Relaxed);
                let result = sweep.run(journal, Shard::WHOLE, threads, cancelled, tell);
                drop(done);
                result
            });
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(BETWEEN_SIGNALS) {
                if asked.is_ok() {
                    asked = Python::attach(&mut ask);
                    cancelled.store(asked.is_err(), Ordering::Relaxed);
                }
            }
            runs.join().unwrap_or_else(|_| Err(hamel_sweep::SweepError::Wrong("the sweep has panicked".to_owned())))
        })
    });
    result.map_err(unwritten)?;
    if asked.is_ok() {
        asked = ask(py);
    }
    let count = journal.ended().len() as u64;
    if count < cases.len() || asked.is_err() {
        let help = if out.is_some() { "\nhelp: the same call goes on from there" } else { "" };
        let error = Interrupted::new_err(format!("interrupted: {count} of {} cases have ended{help}", cases.len()));
        return Err(match asked {
            Err(cause) if !cause.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => cause,
            _ => error,
        });
    }
    let table = sweep.table(&journal, description);
    if let Some(out) = &out {
        py.detach(|| table.write(out)).map_err(unwritten)?;
    }
    journal.remove().map_err(unwritten)?;
    Ok(SweepTable { table, axes })
}
