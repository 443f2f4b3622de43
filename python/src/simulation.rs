//! Runs: arguments from Python, the motion without the interpreter, results as arrays.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hamel::adaptive::Control;
use hamel::newton::Tolerance;
use hamel::nonsmooth::ContactOptions;
use hamel::simulation::Steps;
use hamel::{
    ConstraintLevel, Direction, Drift, Event, Held, Model as _, Options, RotationReference, Scheme, Signal, Simulation,
    State, StepError, Watchers, schemes,
};
use hamel_compiler::file;
use hamel_jit::JitModel;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::animation::Witnessed;
use crate::compiled::{Condition, forgetting_places, unknown};
use crate::errors::{ModelError, SimulationError};
use crate::model::Model;
use crate::parameters;

/// A run that has ended.
#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct Run {
    pub run: hamel::Run,
    /// With the parameters of the run, and without its inputs.
    pub model: JitModel,
    /// Inputs that were given; None if one was not a number at times.
    pub inputs: Vec<(String, Option<Signal>)>,
    scheme: String,
    /// The first exception of a function that was given.
    exception: Option<PyErr>,
}

/// How often the interpreter is asked for signals, such as an interruption from the keyboard.
pub(crate) const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);

#[pymethods]
impl Run {
    /// Name of the model.
    #[getter]
    fn model(&self) -> &str {
        &self.model.describe().name
    }

    /// Name of the scheme, with its parameters.
    #[getter]
    fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Numbers of coordinates, velocities and constraints.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize) {
        let dims = self.model.dims();
        (dims.nq, dims.nv, dims.nc)
    }

    /// Names of the outputs of the model.
    #[getter]
    fn outputs(&self) -> Vec<String> {
        self.model.describe().outputs.iter().map(|channel| channel.name.clone()).collect()
    }

    /// Names, units and values of the parameters.
    #[getter]
    fn parameters(&self) -> Vec<(String, String, f64)> {
        parameters(&self.model)
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
        // What failed after the last step has not ended the run.
        let function = || self.exception.as_ref().map(|_| "a function that was given has failed".to_owned());
        self.run.outcome.as_ref().err().map(ToString::to_string).or_else(function)
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
#[derive(Debug, FromPyObject)]
pub(crate) enum Input {
    Constant(f64),
    Text(String),
    Samples(Vec<(f64, f64)>),
    Function(Py<PyAny>),
}

/// The first exception of functions that were given.
pub(crate) type Exception = Arc<Mutex<Option<PyErr>>>;

pub(crate) fn keep(exception: &Exception, error: PyErr) {
    // A panic while it was locked has left an exception that is as good as any.
    exception.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
}

/// What is called in Python, unless something has failed there: nothing then, also when it is asked once more, so that the
/// run ends.
fn unless_raised<T>(exception: &Exception, call: impl FnOnce(Python) -> PyResult<T>) -> Option<T> {
    if has_raised(exception) {
        return None;
    }
    Python::attach(call).map_err(|error| keep(exception, error)).ok()
}

impl Input {
    pub fn signal(self, name: &str, exception: &Exception) -> PyResult<Signal> {
        Ok(match self {
            Input::Constant(value) => Signal::from(value),
            Input::Text(text) => forgetting_places(|| hamel_jit::function_of_time(&text))
                .map_err(|error| ModelError::new_err(format!("input `{name}`, {text}: {error}")))?,
            Input::Samples(samples) => Signal::sampled(samples).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "input `{name}`: expected samples (t, value) of finite numbers with ascending times, two of one time at most, where the value jumps"
                ))
            })?,
            Input::Function(function) => {
                let exception = Arc::clone(exception);
                Signal::from(move |t: f64| {
                    unless_raised(&exception, |py| function.call1(py, (t,))?.extract(py)).unwrap_or(f64::NAN)
                })
            }
        })
    }
}

/// An event as Python gives it: a function of t, q and v, a direction, whether it ends the run.
#[derive(FromPyObject)]
pub(crate) struct Watched(Py<PyAny>, String, bool);

/// A controller as Python gives it: a function of t, q and v, the inputs that it sets, and its period, s.
#[derive(FromPyObject)]
pub(crate) struct Controlled(Py<PyAny>, Vec<String>, f64);

impl Controlled {
    /// Gives the model inputs that hold what is set, one after the other.
    fn connect(&self, model: &mut JitModel, taken: &mut Vec<String>) -> PyResult<Vec<Held>> {
        if self.1.is_empty() {
            return Err(PyValueError::new_err("a controller: expected at least one input that it sets"));
        }
        let connected = self.1.iter().map(|name| {
            let (signal, held) = Signal::held(0.0);
            if model.set_input(name, signal).is_err() {
                let known = model.describe().inputs.iter().map(|known| known.name.as_str());
                return Err(crate::compiled::unknown("input", name, known));
            }
            if taken.contains(name) {
                return Err(PyValueError::new_err(format!(
                    "input `{name}` is given twice, one of them by a controller"
                )));
            }
            taken.push(name.clone());
            Ok(held)
        });
        connected.collect()
    }
}

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
    follow_impacts: bool,
}

impl Settings {
    pub fn options(&self) -> PyResult<Options> {
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
            contacts: ContactOptions { follow_impacts: self.follow_impacts, ..ContactOptions::default() },
            ..Options::default()
        })
    }
}

/// What a run is to do, but for its functions.
pub(crate) struct Plan<'a> {
    pub scheme: Option<&'a str>,
    pub scheme_parameters: Vec<(String, f64)>,
    pub until: f64,
    pub dt: Option<f64>,
    pub tolerance: Option<f64>,
    pub record_every: Option<usize>,
    pub settings: Settings,
}

/// How a run begins.
#[derive(FromPyObject)]
pub(crate) enum Start {
    /// Initial conditions that replace those of the model.
    Conditions(Vec<Condition>),
    /// Coordinates and velocities.
    State(Vec<f64>, Vec<f64>),
}

fn positive(name: &str, value: f64) -> PyResult<f64> {
    match value.is_finite() && value > 0.0 {
        true => Ok(value),
        false => Err(PyValueError::new_err(format!("`{name}`: expected a positive time, s, found {value}"))),
    }
}

pub(crate) fn scheme_of(name: &str, parameters: &[(String, f64)]) -> PyResult<Box<dyn Scheme>> {
    let Some(entry) = schemes::entries().find(|entry| entry.name == name) else {
        return Err(unknown("scheme", name, schemes::entries().map(|entry| entry.name)));
    };
    let given: Vec<(&str, f64)> = parameters.iter().map(|(name, value)| (&**name, *value)).collect();
    entry.scheme(&given).map_err(failed)
}

fn failed(error: StepError) -> PyErr {
    SimulationError::new_err(error.to_string())
}

/// Models with the same inputs, each of which takes what it is given by its name.
pub(crate) struct Inputs(Vec<Given>);

/// An input that was given.
struct Given {
    name: String,
    signal: Signal,
    /// It is a function in Python.
    is_function: bool,
}

impl Inputs {
    pub(crate) fn new(model: &JitModel, given: Vec<(String, Input)>, exception: &Exception) -> PyResult<Inputs> {
        let known: Vec<&str> = model.describe().inputs.iter().map(|channel| channel.name.as_str()).collect();
        let signal = |(name, input): (String, Input)| {
            if !known.contains(&name.as_str()) {
                return Err(match known.is_empty() {
                    true => PyValueError::new_err(format!("input `{name}`: `{}` has no inputs", model.describe().name)),
                    false => unknown("input", &name, known.iter().copied()),
                });
            }
            let is_function = matches!(input, Input::Function(_));
            let signal = input.signal(&name, exception)?;
            Ok(Given { name, signal, is_function })
        };
        given.into_iter().map(signal).collect::<PyResult<_>>().map(Inputs)
    }

    /// What is given for an input.
    pub(crate) fn signal(&self, name: &str) -> Option<&Signal> {
        self.0.iter().find(|given| given.name == name).map(|given| &given.signal)
    }

    /// A model of the same parameters that reads them.
    pub(crate) fn connected(&self, model: &JitModel) -> JitModel {
        let mut model = model.another();
        for Given { name, signal, .. } in &self.0 {
            // The name is known.
            let _ = model.set_input(name, signal.clone());
        }
        model
    }
}

/// A consistent state to start from.
fn start_of(model: &Model, connected: &JitModel, inputs: &Inputs, start: Option<Start>) -> PyResult<State> {
    match start {
        None => hamel::initial_state(connected).map_err(failed),
        Some(Start::Conditions(conditions)) => {
            // Only where the motion begins is asked of this model, which therefore starts at once.
            let mut other = model.compiled.get().with_conditions(&conditions).map_err(ModelError::new_err)?;
            let values: Vec<(&str, f64)> = connected.named_parameters().collect();
            other.set(&values).map_err(|error| ModelError::new_err(error.to_string()))?;
            let found = hamel::initial_state(&inputs.connected(&other)).map_err(failed)?;
            state_of(connected, found.q.as_slice(), found.v.as_slice())
        }
        Some(Start::State(q, v)) => state_of(connected, &q, &v),
    }
}

pub(crate) fn state_of(model: &JitModel, q: &[f64], v: &[f64]) -> PyResult<State> {
    let mut state = State::zeros(model.dims());
    for (name, given, values) in [("q", q, &mut state.q), ("v", v, &mut state.v)] {
        if given.len() != values.len() {
            let (expected, found) = (values.len(), given.len());
            return Err(PyValueError::new_err(format!(
                "initial `{name}`: expected shape ({expected},), found ({found},)"
            )));
        }
        values.as_mut_slice().copy_from_slice(given);
    }
    model.validate().map_err(StepError::from).map_err(failed)?;
    hamel::consistent_acceleration(model, &mut state).map_err(failed)?;
    Ok(state)
}

/// Coordinates and velocities of the start.
pub(crate) fn initial_state(
    py: Python<'_>,
    model: &Model,
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
) -> PyResult<State> {
    Ok(started(py, model, inputs, start)?.0)
}

/// The state from which something starts, and the inputs.
pub(crate) fn started(
    py: Python<'_>,
    model: &Model,
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
) -> PyResult<(State, Inputs)> {
    let exception = Exception::default();
    let inputs = Inputs::new(&model.model, inputs, &exception)?;
    let connected = inputs.connected(&model.model);
    let state = py.detach(|| start_of(model, &connected, &inputs, start));
    Ok((state.map_err(|error| caused(py, error, raised(&exception)))?, inputs))
}

/// The error of a run that has not begun, with the exception of a function that was given as its cause.
pub(crate) fn caused(py: Python<'_>, error: PyErr, cause: Option<PyErr>) -> PyErr {
    match cause {
        None => error,
        // `KeyboardInterrupt`, `SystemExit` and the like mean the program, not the run.
        Some(cause) if !cause.is_instance_of::<PyException>(py) => cause,
        Some(cause) => {
            let error = SimulationError::new_err(format!("{}: {cause}", error.value(py)));
            error.set_cause(py, Some(cause));
            error
        }
    }
}

pub(crate) fn has_raised(exception: &Exception) -> bool {
    exception.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).is_some()
}

pub(crate) fn raised(exception: &Exception) -> Option<PyErr> {
    exception.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()
}

/// Integrates; only what cannot begin is an error.
pub(crate) fn simulate(
    py: Python<'_>,
    model: &Model,
    plan: Plan,
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
    (events, controllers): (Vec<Watched>, Vec<Controlled>),
) -> PyResult<Run> {
    let scheme = plan.scheme(&model.model)?;
    let until = plan.until;
    let steps = plan.steps(&model.model, &*scheme);
    let every = match (plan.record_every, steps) {
        (Some(0), _) => return Err(PyValueError::new_err("`record_every`: expected at least 1, found 0")),
        (Some(every), _) => every,
        (None, Steps::Chosen(_)) => 1,
        (None, Steps::Fixed(dt)) => ((until / dt / MOST_RECORDS).ceil() as usize).max(1),
    };
    let options = plan.settings.options()?;
    let directions = events.iter().map(|Watched(_, name, _)| direction(name)).collect::<PyResult<Vec<_>>>()?;
    let exception = Exception::default();
    let inputs = Inputs::new(&model.model, inputs, &exception)?;
    let mut connected = inputs.connected(&model.model);
    let mut taken: Vec<String> = inputs.0.iter().map(|input| input.name.clone()).collect();
    let held = controllers.iter().map(|controller| controller.connect(&mut connected, &mut taken));
    let held: Vec<Vec<Held>> = held.collect::<PyResult<_>>()?;
    let given = inputs.0.iter();
    let mut witnessed: Vec<Witnessed> =
        given.map(|input| Witnessed::new(&input.name, &input.signal, input.is_function)).collect();
    let has_functions = !events.is_empty() || !controllers.is_empty() || inputs.0.iter().any(|input| input.is_function);
    let functions: Vec<_> = events.iter().map(|Watched(function, ..)| of_state(function, &exception)).collect();
    let run = py.detach(|| -> PyResult<hamel::Run> {
        let start = start_of(model, &connected, &inputs, start)?;
        let cancelled = AtomicBool::new(false);
        let asked = Cell::new(Instant::now());
        // The interpreter learns of signals only when it is asked.
        let ask = || {
            if asked.get().elapsed() < BETWEEN_SIGNALS {
                return;
            }
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                keep(&exception, error);
                cancelled.store(true, Ordering::Relaxed);
            }
            asked.set(Instant::now());
        };
        let mut n_states = 0_usize;
        let on_step = |state: &State| {
            if n_states.is_multiple_of(every) {
                witness(&mut witnessed, state.t);
            }
            if has_functions && has_raised(&exception) {
                cancelled.store(true, Ordering::Relaxed);
            }
            n_states += 1;
            ask();
        };
        let mut simulation = Simulation::new(&connected, &*scheme)
            .options(options)
            .steps(steps)
            .until(until)
            .record_every(every)
            .on_step(on_step)
            .cancelled_by(&cancelled);
        for ((function, &direction), Watched(_, _, is_terminal)) in functions.iter().zip(&directions).zip(&events) {
            simulation = simulation.event(Event { function, direction, is_terminal: *is_terminal });
        }
        for (Controlled(law, _, period), held) in controllers.iter().zip(&held) {
            let values = values_of_state(law, &exception);
            // The first input is that of the controller; the others are set on the way.
            simulation = simulation.controller(*period, [&held[0]], move |state| {
                let values = values(state, held.len());
                held[1..].iter().zip(&values[1..]).for_each(|(held, value)| held.set(*value));
                [values[0]]
            });
        }
        let run = simulation.run(start);
        // The last row need not be one of those in between.
        if let Some(last) = run.trajectory.rows().next_back()
            && !has_raised(&exception)
        {
            witness(&mut witnessed, last[0]);
        }
        Ok(run)
    });
    let exception = raised(&exception);
    let run = match run {
        Ok(run) => run,
        Err(error) => return Err(caused(py, error, exception)),
    };
    Ok(Run {
        run,
        model: model.model.another(),
        inputs: witnessed.into_iter().map(|input| input.kept(exception.is_some())).collect(),
        exception,
        scheme: scheme.name(),
    })
}

/// Keeps what all inputs are at an instant.
fn witness(inputs: &mut [Witnessed], t: f64) {
    inputs.iter_mut().for_each(|input| input.witness(t));
}

/// So many records are enough for a plot.
const MOST_RECORDS: f64 = 1000.0;

impl Plan<'_> {
    /// The name of the scheme that was chosen, or of one that suits the model.
    pub fn scheme_name(&self, model: &JitModel) -> String {
        self.scheme.map_or_else(|| schemes::suitable(model).to_owned(), |name| name.replace('-', "_"))
    }

    /// The scheme, after times are checked.
    pub fn scheme(&self, model: &JitModel) -> PyResult<Box<dyn Scheme>> {
        positive("until", self.until)?;
        self.dt.map(|dt| positive("dt", dt)).transpose()?;
        self.tolerance.map(|tolerance| positive("tolerance", tolerance)).transpose()?;
        scheme_of(&self.scheme_name(model), &self.scheme_parameters)
    }

    /// The lengths of steps.
    pub fn steps(&self, model: &JitModel, scheme: &dyn Scheme) -> Steps {
        let with_first = |steps: Steps| match (steps, self.dt) {
            (Steps::Chosen(control), Some(first_step)) => Steps::Chosen(Control { first_step, ..control }),
            (steps, _) => steps,
        };
        match (self.tolerance, self.dt) {
            (Some(tolerance), _) => with_first(Steps::with_tolerance(tolerance, self.until)),
            (None, Some(dt)) => Steps::Fixed(dt),
            (None, None) => Steps::suitable(model, scheme, self.until),
        }
    }
}

/// What a function of t, q and v in Python gives for a state, unless it has raised an exception.
fn called<T: for<'py> FromPyObjectOwned<'py>>(function: &Py<PyAny>, state: &State, exception: &Exception) -> Option<T> {
    let call = |py: Python<'_>| -> PyResult<T> {
        let array = |values: &[f64]| PyArray1::from_slice(py, values);
        let arguments = (state.t, array(state.q.as_slice()), array(state.v.as_slice()));
        function.bind(py).call1(arguments)?.extract().map_err(Into::into)
    };
    unless_raised(exception, call)
}

/// A function of t, q and v in Python that gives several values; no numbers once it has raised an exception.
fn values_of_state<'a>(function: &'a Py<PyAny>, exception: &'a Exception) -> impl Fn(&State, usize) -> Vec<f64> + 'a {
    move |state, count| {
        let found = called::<Vec<f64>>(function, state, exception);
        found.filter(|found| found.len() == count).unwrap_or_else(|| vec![f64::NAN; count])
    }
}

/// A function of t, q and v in Python as one of the state; not a number once it has raised an exception.
fn of_state<'a>(function: &'a Py<PyAny>, exception: &'a Exception) -> impl Fn(&State) -> f64 + Sync + 'a {
    move |state| called(function, state, exception).unwrap_or(f64::NAN)
}
