//! Sweeps: many motions of a model on all cores, while the interpreter waits for signals.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use hamel::Model as _;
use hamel_sweep::{
    Cases, Fixed, Journal, Motion, Outcome, Output, Sampling, Shard, Subject, SweepError, Table, Values,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyFileExistsError, PyValueError};
use pyo3::prelude::*;

use crate::compiled::{Condition, forgetting_places};
use crate::errors::{Interrupted, ModelError};
use crate::model::Model;
use crate::simulation::{BETWEEN_SIGNALS, Exception, Input, Plan, Settings};

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
    /// The values, and the unit that they are written in.
    fn values(self, name: &str) -> PyResult<(Values, Option<String>)> {
        match self {
            Choice::List(values) if values.is_empty() => {
                Err(PyValueError::new_err(format!("`{name}`: expected values, found none")))
            }
            Choice::List(values) => match values.iter().find(|value| !value.is_finite()) {
                Some(value) => Err(PyValueError::new_err(format!("`{name}`: expected finite numbers, found {value}"))),
                None => Ok((Values::List(values), None)),
            },
            Choice::Text(text) => {
                let wrong = |error: &dyn std::fmt::Display| PyValueError::new_err(format!("`{name}`: {error}"));
                let (text, unit) = hamel_jit::in_si(&text).map_err(|error| wrong(&error))?;
                Ok((text.parse().map_err(|error| wrong(&error))?, unit))
            }
        }
    }
}

impl Varied {
    fn cases(self) -> PyResult<Cases> {
        let cases = match self {
            Varied::Rows(names, values) => Cases::rows(names, values),
            Varied::Chosen(choices, sampling, seed) => {
                let values = |(name, choice): (String, Choice)| {
                    let (values, unit) = choice.values(&name)?;
                    Ok(((name, values), unit))
                };
                let (variables, units): (Vec<_>, Vec<_>) =
                    choices.into_iter().map(values).collect::<PyResult<Vec<_>>>()?.into_iter().unzip();
                let cases = match sampling {
                    None => Cases::grid(variables),
                    Some(sampling) => {
                        sampling.parse::<Sampling>().and_then(|sampling| Cases::sample(variables, sampling, seed))
                    }
                };
                cases.map(|cases| cases.in_units(units))
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

fn unwritten(error: SweepError) -> PyErr {
    match error {
        SweepError::Wrong(_) => wrong(error),
        SweepError::Exists { .. } => {
            PyFileExistsError::new_err(format!("{error}\nhelp: choose another file, or replace it with overwrite=True"))
        }
        _ => pyo3::exceptions::PyOSError::new_err(error.to_string()),
    }
}

/// A sweep that is ready to run.
#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct Sweep {
    subject: Subject,
    cases: Cases,
    motion: Motion,
    outputs: Vec<Output>,
    /// What tells the inputs from others.
    inputs: String,
}

/// How cases have ended: their numbers, outputs with a row for each, failures, cautions.
type Results<'py> = (Vec<u64>, Bound<'py, PyArray2<f64>>, Vec<Option<String>>, Vec<Vec<String>>);

/// Keeps cases as they end, computed by whom it may be.
#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct Ended {
    journal: Mutex<Option<Journal>>,
    cases: u64,
    outputs: usize,
}

impl Ended {
    fn lock(&self) -> MutexGuard<'_, Option<Journal>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Ended {
    /// Keeps these, and returns how many have ended.
    fn add(
        &self,
        cases: Vec<u64>,
        outputs: PyReadonlyArray2<'_, f64>,
        failures: Vec<Option<String>>,
        cautions: Vec<Vec<String>>,
    ) -> PyResult<usize> {
        let n = cases.len();
        if outputs.as_slice().is_err() {
            return Err(PyValueError::new_err("expected an array in C order that is aligned"));
        }
        if outputs.shape() != [n, self.outputs] || failures.len() != n || cautions.len() != n {
            return Err(PyValueError::new_err("expected results with a row for each case"));
        }
        if let Some(case) = cases.iter().find(|&&case| case >= self.cases) {
            return Err(PyValueError::new_err(format!("there is no case {case}")));
        }
        let mut journal = self.lock();
        let Some(journal) = journal.as_mut() else { return Err(PyValueError::new_err("the sweep has ended")) };
        let outputs = outputs.as_array();
        for (((case, outputs), failure), cautions) in cases.into_iter().zip(outputs.rows()).zip(failures).zip(cautions)
        {
            let outputs = if failure.is_some() { Vec::new() } else { outputs.to_vec() };
            journal.append(case, Outcome { outputs, failure, cautions }).map_err(unwritten)?;
        }
        Ok(journal.ended().len())
    }
}

#[pymethods]
impl Sweep {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "Python's function takes them apart")]
    fn new(
        py: Python<'_>,
        model: &Bound<'_, Model>,
        varied: Varied,
        outputs: Vec<String>,
        scheme: Option<&str>,
        scheme_parameters: Vec<(String, f64)>,
        times: (f64, Option<f64>, Option<f64>),
        inputs: Vec<(String, Input)>,
        initial: Vec<Condition>,
        settings: Settings,
        max_steps: Option<u64>,
    ) -> PyResult<Sweep> {
        let model = model.get();
        let compiled = model.compiled.get();
        let cases = varied.cases()?;
        let (until, dt, tolerance) = times;
        let plan = Plan { scheme, scheme_parameters, until, dt, tolerance, record_every: None, settings };
        let found = plan.scheme(&model.model)?;
        let steps = plan.steps(&model.model, &*found);
        let motion = Motion {
            scheme: plan.scheme_name(&model.model),
            max_steps: max_steps.unwrap_or_else(|| hamel_sweep::max_steps(steps)),
            steps,
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
        let varied: Vec<usize> = cases.names().iter().filter_map(|name| model.model.place_of_parameter(name)).collect();
        // What has its default, or varies, is not fixed.
        let is_fixed =
            |place: usize, value: f64| value.to_bits() != defaults[place].to_bits() && !varied.contains(&place);
        let channels = model.model.describe().parameters.iter().zip(model.model.parameters()).enumerate();
        let parameters = channels
            .filter(|&(place, (_, &value))| is_fixed(place, value))
            .map(|(_, (channel, &value))| (channel.name.clone(), value))
            .collect();
        let subject = || {
            let initial = compiled.settings(&initial)?;
            let fixed = Fixed { parameters, initial, inputs: signals };
            let (level, cache) = compiled.work();
            Subject::new(compiled.tokens()?, level, cache, fixed, cases.names()).map_err(|error| error.to_string())
        };
        let subject = py.detach(|| forgetting_places(subject)).map_err(ModelError::new_err)?;
        let sweep = Sweep { subject, cases, motion, outputs, inputs: said };
        // Outputs that the model does not have, and schemes that do not suit it, are found before anything runs.
        sweep.sweep()?;
        Ok(sweep)
    }

    fn __len__(&self) -> usize {
        self.cases.len() as usize
    }

    /// Runs these cases in this process, and returns how they end.
    fn compute<'py>(&self, py: Python<'py>, cases: Vec<u64>) -> PyResult<Results<'py>> {
        let sweep = self.sweep()?;
        let mut ended = BTreeMap::new();
        let receive = |case, outcome| {
            ended.insert(case, outcome);
            Ok(())
        };
        py.detach(|| sweep.compute(cases, 1, &AtomicBool::new(false), receive)).map_err(unwritten)?;
        let width = self.outputs.len();
        let row = |outcome: &Outcome| match outcome.failure {
            None => outcome.outputs.clone(),
            Some(_) => vec![f64::NAN; width],
        };
        let values: Vec<f64> = ended.values().flat_map(row).collect();
        let values = PyArray1::from_vec(py, values).reshape([ended.len(), width])?;
        let (failures, cautions) =
            ended.values().map(|outcome| (outcome.failure.clone(), outcome.cautions.clone())).unzip();
        Ok((ended.into_keys().collect(), values, failures, cautions))
    }

    /// Runs the cases that have not ended, in threads, or by an engine: a function of the numbers of the cases that are
    /// left, and of who keeps them as they end.
    #[pyo3(signature = (out, overwrite, threads, progress, engine))]
    fn run(
        &self,
        py: Python<'_>,
        out: Option<PathBuf>,
        overwrite: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
        engine: Option<Py<PyAny>>,
    ) -> PyResult<SweepTable> {
        let sweep = self.sweep()?;
        let description = sweep.description(&self.inputs, Shard::WHOLE);
        let axes = self.cases.axes().map(|axes| axes.iter().map(Vec::len).collect());
        if let Some(out) = out.as_deref().filter(|_| !overwrite)
            && let Some(table) = Table::of_sweep(out, &description).map_err(unwritten)?
        {
            return Ok(SweepTable { table, axes });
        }
        let folder = tempfile::tempdir()?;
        // Without a table, cases are kept in a folder that goes with this function.
        let kept = out.as_deref().map_or_else(|| folder.path().join("journal"), Journal::beside);
        let mut journal = Journal::open(&kept, &description).map_err(unwritten)?;
        let asked = match engine {
            None => self.in_threads(py, &mut journal, threads, progress)?,
            Some(engine) => {
                let left: Vec<u64> = (0..self.cases.len()).filter(|case| !journal.ended().contains_key(case)).collect();
                let ended =
                    Ended { journal: Mutex::new(Some(journal)), cases: self.cases.len(), outputs: self.outputs.len() };
                let ended = Bound::new(py, ended)?;
                let asked = engine.call1(py, (left, &ended)).map(drop);
                match ended.get().lock().take() {
                    Some(kept) => journal = kept,
                    None => return Err(PyValueError::new_err("the sweep has ended")),
                }
                asked
            }
        };
        let count = journal.ended().len() as u64;
        if count < self.cases.len() || asked.is_err() {
            let help = if out.is_some() { "\nhelp: the same call goes on from there" } else { "" };
            let cases = self.cases.len();
            let error = Interrupted::new_err(format!("interrupted: {count} of {cases} cases have ended{help}"));
            return Err(match asked {
                Err(cause) if !cause.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => cause,
                _ => error,
            });
        }
        let table = sweep.table(journal.ended(), description);
        if let Some(out) = &out {
            py.detach(|| table.write(out)).map_err(unwritten)?;
        }
        journal.remove().map_err(unwritten)?;
        Ok(SweepTable { table, axes })
    }
}

impl Sweep {
    fn sweep(&self) -> PyResult<hamel_sweep::Sweep<'_>> {
        hamel_sweep::Sweep::new(&self.subject, &self.cases, &self.motion, &self.outputs).map_err(wrong)
    }

    /// Runs cases in threads, while this one asks the interpreter for signals. What it says, or `progress`, ends them.
    fn in_threads(
        &self,
        py: Python<'_>,
        journal: &mut Journal,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PyResult<()>> {
        let sweep = self.sweep()?;
        let threads = threads.or_else(|| Some(thread::available_parallelism().ok()?.get())).unwrap_or(1).max(1);
        let (cancelled, ended) = (AtomicBool::new(false), AtomicU64::new(journal.ended().len() as u64));
        let mut told = None;
        let mut ask = |py: Python<'_>| -> PyResult<()> {
            py.check_signals()?;
            let now = ended.load(Ordering::Relaxed);
            match &progress {
                Some(progress) if told != Some(now) => {
                    told = Some(now);
                    progress.call1(py, (now, self.cases.len())).map(drop)
                }
                _ => Ok(()),
            }
        };
        let mut asked = Ok(());
        let result = py.detach(|| {
            thread::scope(|scope| {
                let (done, wait) = mpsc::channel::<()>();
                let (sweep, cancelled, ended) = (&sweep, &cancelled, &ended);
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
                runs.join().unwrap_or_else(|_| Err(SweepError::Wrong("the sweep has panicked".to_owned())))
            })
        });
        result.map_err(unwritten)?;
        Ok(if asked.is_ok() { ask(py) } else { asked })
    }
}
