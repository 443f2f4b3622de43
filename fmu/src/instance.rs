//! An instance of a unit: the interface's functions in safe Rust, without its kinds of numbers and callbacks.

mod exchange;
mod start;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hamel::configuration::{normalize_rotations, velocity_map_apply};
use hamel::linearize::{FirstOrder, first_order};
use hamel::nalgebra::DVector;
use hamel::{Model, State, StepError, Trajectory, schemes};
use hamel_jit::{Cache, JitModel, Level};
use thiserror::Error;

use crate::derivatives::{Side, product};
use crate::machine::Machine;
use crate::settings::{Kind, Resources, Settings, Version};
use crate::snapshot::Snapshot;
use crate::variables::{Place, Variables};

/// Times of importers and of the unit are equal up to this part of their size.
const SAME_TIME: f64 = 1e-9;
/// Accuracy of importers that name none.
const USUAL_TOLERANCE: f64 = 1e-6;
/// A call that the interface does not allow, or that failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Fault(String);

impl Fault {
    pub(crate) fn new(text: String) -> Fault {
        Fault(text)
    }
}

impl From<StepError> for Fault {
    fn from(error: StepError) -> Fault {
        Fault(error.to_string())
    }
}

fn fault<T>(text: impl Into<String>) -> Result<T, Fault> {
    Err(Fault(text.into()))
}

/// Phases in the life of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Instantiated,
    Initialization,
    Event,
    ContinuousTime,
    Step,
    Terminated,
}

impl Mode {
    pub(crate) const ALL: [Mode; 6] =
        [Mode::Instantiated, Mode::Initialization, Mode::Event, Mode::ContinuousTime, Mode::Step, Mode::Terminated];

    fn name(self) -> &'static str {
        match self {
            Mode::Instantiated => "before its initialization",
            Mode::Initialization => "in initialization mode",
            Mode::Event => "in event mode",
            Mode::ContinuousTime => "in continuous-time mode",
            Mode::Step => "in step mode",
            Mode::Terminated => "terminated",
        }
    }
}

/// A model that was compiled, with its variables; instances of one unit share it.
struct Compiled {
    token: String,
    model: JitModel,
    variables: Variables,
    settings: Settings,
}

/// The units of which there are instances.
static COMPILED: Mutex<Vec<Weak<Compiled>>> = Mutex::new(Vec::new());

impl Compiled {
    /// The unit with these resources; what it compiles is kept in a cache.
    fn find(folder: &Path, token: &str, cache: Option<&Cache>) -> Result<Arc<Compiled>, String> {
        let Resources { text, settings } = Resources::read(folder)?;
        if settings.token != token {
            return Err(format!("the token is `{token}`, but the unit has `{}`", settings.token));
        }
        let mut known = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|compiled| compiled.strong_count() > 0);
        if let Some(compiled) = known.iter().filter_map(Weak::upgrade).find(|compiled| compiled.token == token) {
            return Ok(compiled);
        }
        let tokens = text.parse().map_err(|error| format!("the text of the model: {error}"))?;
        let of_library = || library(folder, &settings).and_then(|library| Cache::of_user()?.of_library(&library).ok());
        let own = if cache.is_none() { of_library() } else { None };
        let mut model =
            hamel_jit::model(tokens, Level::Optimised, cache.or(own.as_ref())).map_err(|error| error.to_string())?;
        model.set(&settings.parameters).map_err(|error| error.to_string())?;
        let variables = Variables::of(&model, &settings.kinds);
        let compiled = Arc::new(Compiled { token: token.to_owned(), model, variables, settings });
        known.push(Arc::downgrade(&compiled));
        Ok(compiled)
    }
}

/// The shared library of an unpacked unit.
fn library(resources: &Path, settings: &Settings) -> Option<std::path::PathBuf> {
    let folder = crate::archive::platform(settings.version)?;
    let path = resources.parent()?.join("binaries").join(folder).join(&settings.identifier);
    Some(path.with_extension(std::env::consts::DLL_EXTENSION)).filter(|path| path.is_file())
}

/// An instance of a unit.
pub struct Instance {
    unit: Arc<Compiled>,
    machine: Machine,
    kind: Kind,
    mode: Mode,
    /// The state, from the initialization on; the same with rotations of unit norm, at which equations are evaluated.
    state: State,
    evaluated: State,
    tolerance: f64,
    parameters: Vec<f64>,
    /// Whether the model has other parameters.
    has_new_parameters: bool,
    /// Whether inputs have changed since the motion went on.
    has_new_inputs: bool,
    /// Values of states that were set before the start; NaN for others.
    given: Vec<f64>,
    /// Whether coordinates and velocities belong to parameters and values that were set.
    is_started: bool,
    /// Whether accelerations and multipliers belong to the state.
    is_accelerated: bool,
    /// Derivatives at the state, once they are asked for.
    first: Option<FirstOrder>,
    /// What a run records of the state, if that is up to date; a table that is filled to find it.
    row: Vec<f64>,
    is_recorded: bool,
    table: Trajectory,
}

impl Instance {
    /// An instance of the unit with these resources.
    ///
    /// # Errors
    /// Resources that are not those of this library, another token, a kind that the unit does not have.
    pub fn new(resources: &Path, token: &str, kind: Kind) -> Result<Instance, Fault> {
        Instance::from_cache(resources, token, kind, None)
    }

    /// The same with a cache that is not the user's.
    #[doc(hidden)]
    pub fn from_cache(resources: &Path, token: &str, kind: Kind, cache: Option<&Cache>) -> Result<Instance, Fault> {
        let unit = Compiled::find(resources, token, cache).map_err(Fault)?;
        if !unit.settings.kinds.contains(&kind) {
            let kind = if kind == Kind::ModelExchange { "model exchange" } else { "co-simulation" };
            return fault(format!("this unit was not made for {kind}"));
        }
        let parameters: Vec<(&str, f64)> =
            unit.settings.scheme_parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let scheme = schemes::by_name(&unit.settings.scheme, &parameters)?;
        let model = unit.model.another();
        Ok(Instance {
            kind,
            mode: Mode::Instantiated,
            state: State::zeros(model.dims()),
            evaluated: State::zeros(model.dims()),
            tolerance: USUAL_TOLERANCE,
            parameters: model.parameters().to_vec(),
            has_new_parameters: false,
            has_new_inputs: false,
            given: vec![f64::NAN; unit.variables.states],
            is_started: false,
            is_accelerated: false,
            first: None,
            row: Vec::new(),
            is_recorded: false,
            table: Trajectory::new(&model),
            machine: Machine::new(model, scheme),
            unit,
        })
    }

    /// The variables, by value reference.
    pub fn variables(&self) -> &Variables {
        &self.unit.variables
    }

    /// The version of the interface that the unit is for.
    pub(crate) fn version(&self) -> Version {
        self.unit.settings.version
    }

    /// As it was made.
    pub fn reset(&mut self) {
        self.parameters = self.unit.model.parameters().to_vec();
        self.has_new_parameters = true;
        self.machine.inputs().iter().for_each(|input| input.set(0.0));
        self.given.fill(f64::NAN);
        (self.mode, self.tolerance) = (Mode::Instantiated, USUAL_TOLERANCE);
        self.state = State::zeros(self.unit.model.dims());
        self.machine.halt();
        (self.is_started, self.has_new_inputs) = (false, false);
        self.forget();
    }

    fn forget(&mut self) {
        (self.is_accelerated, self.is_recorded, self.first) = (false, false, None);
    }

    fn check(&self, function: &str, modes: &[Mode]) -> Result<(), Fault> {
        match modes.contains(&self.mode) {
            true => Ok(()),
            false => fault(format!("{function} is not allowed {}", self.mode.name())),
        }
    }

    /// Applies parameters that were set.
    fn apply_parameters(&mut self) -> Result<(), Fault> {
        if !self.has_new_parameters {
            return Ok(());
        }
        let info = &self.unit.model.describe().parameters;
        let values: Vec<(&str, f64)> =
            info.iter().zip(&self.parameters).map(|(channel, &value)| (channel.name.as_str(), value)).collect();
        let (result, validity) = self.machine.change(|model| (model.set(&values), model.validate()));
        result.map_err(|error| Fault(error.to_string()))?;
        validity.map_err(|error| Fault(error.to_string()))?;
        self.has_new_parameters = false;
        Ok(())
    }

    /// Accelerations and multipliers of the state.
    fn accelerate(&mut self) -> Result<(), Fault> {
        self.start()?;
        if !self.is_accelerated {
            if self.has_events() && self.machine.phases().is_none() {
                self.begin_phase()?;
            }
            self.normalize();
            self.machine.accelerate(&mut self.evaluated)?;
            self.state.a.copy_from(&self.evaluated.a);
            self.state.lambda.copy_from(&self.evaluated.lambda);
            self.is_accelerated = true;
        }
        Ok(())
    }

    /// The state at which equations are evaluated: importers leave the unit norm of rotations, on which motions must not
    /// depend.
    fn normalize(&mut self) {
        self.evaluated.clone_from(&self.state);
        let State { q, .. } = &mut self.evaluated;
        normalize_rotations(&self.unit.model.describe().blocks, q.as_mut_slice());
    }

    /// Products of the partial derivatives of derivatives of states and outputs by states and inputs, with a seed.
    ///
    /// # Errors
    /// Variables that are none of these, lists of other lengths, a unit without derivatives, a state that has none.
    pub fn partial_derivatives(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        side: Side,
        seed: &[f64],
        result: &mut [f64],
    ) -> Result<(), Fault> {
        self.check("a derivative", &[Mode::Initialization, Mode::Event, Mode::ContinuousTime, Mode::Step])?;
        if !self.unit.settings.derivatives {
            return fault("this unit was made without derivatives");
        }
        self.accelerate()?;
        if self.first.is_none() {
            let mut state = self.state.clone();
            let first = first_order(self.machine.model(), &mut state).map_err(|error| Fault(error.to_string()))?;
            self.first = Some(first);
        }
        let Some(first) = &self.first else { unreachable!("it was found above") };
        product(first, &self.unit.variables, [unknowns, knowns], side, seed, result)
    }

    /// What a run would record of the state.
    fn record(&mut self) -> Result<(), Fault> {
        self.accelerate()?;
        if !self.is_recorded {
            self.table.clear();
            self.normalize();
            let record = self.machine.phases().map(|phases| phases.record().clone());
            match record {
                Some(contacts) => self.table.record_with_contacts(self.machine.model(), &self.evaluated, &contacts),
                None => self.table.record(self.machine.model(), &self.evaluated),
            }
            self.row.clear();
            self.row.extend(self.table.rows().flatten());
            self.is_recorded = true;
        }
        Ok(())
    }

    /// Values of variables.
    ///
    /// # Errors
    /// An unknown value reference; a state that has no accelerations.
    pub fn get(&mut self, references: &[u32], values: &mut [f64]) -> Result<(), Fault> {
        if references.len() != values.len() {
            return fault(format!("{} value references for {} values", references.len(), values.len()));
        }
        let unit = Arc::clone(&self.unit);
        for (&reference, value) in references.iter().zip(values) {
            let variable = unit.variables.known(reference)?;
            *value = match variable.place {
                Place::Time => self.state.t,
                Place::Parameter(i) => self.parameters[i],
                Place::Input(i) => self.machine.inputs()[i].get(),
                Place::State(i) => {
                    self.start()?;
                    let nq = self.state.q.len();
                    if i < nq { self.state.q[i] } else { self.state.v[i - nq] }
                }
                Place::Derivative(i) => {
                    self.accelerate()?;
                    let nq = self.state.q.len();
                    if i < nq { self.rates()[i] } else { self.state.a[i - nq] }
                }
                Place::Column(i) => {
                    self.record()?;
                    self.row[i]
                }
                Place::Indicator(i) if self.has_events() => {
                    let mut indicators = vec![0.0; unit.variables.indicators().len()];
                    self.event_indicators(&mut indicators)?;
                    indicators[i]
                }
                // Units that integrate by themselves have no events.
                Place::Indicator(_) => f64::NAN,
            };
        }
        Ok(())
    }

    /// Sets parameters, inputs and, before the start and in continuous time, states.
    ///
    /// # Errors
    /// An unknown value reference, a variable that may not be set now, a value that is not finite; nothing is set then.
    pub fn set(&mut self, references: &[u32], values: &[f64]) -> Result<(), Fault> {
        if references.len() != values.len() {
            return fault(format!("{} value references for {} values", references.len(), values.len()));
        }
        let unit = Arc::clone(&self.unit);
        let is_beginning = matches!(self.mode, Mode::Instantiated | Mode::Initialization);
        for (&reference, &value) in references.iter().zip(values) {
            let variable = unit.variables.known(reference)?;
            let name = &variable.name;
            if !value.is_finite() {
                return fault(format!("the value of `{name}` is {value}, expected a finite number"));
            }
            let is_allowed = match variable.place {
                Place::Parameter(_) => is_beginning || matches!(self.mode, Mode::Event | Mode::Step),
                Place::Input(_) => self.mode != Mode::Terminated,
                // What sets all continuous states sets each of them; importers do both.
                Place::State(_) => is_beginning || self.mode == Mode::ContinuousTime,
                Place::Time | Place::Derivative(_) | Place::Column(_) | Place::Indicator(_) => false,
            };
            if !is_allowed {
                return fault(format!("`{name}` cannot be set {}", self.mode.name()));
            }
        }
        for (&reference, &value) in references.iter().zip(values) {
            match unit.variables.all[reference as usize].place {
                Place::Parameter(i) if self.parameters[i].to_bits() != value.to_bits() => {
                    self.parameters[i] = value;
                    self.has_new_parameters = true;
                    self.is_started &= !is_beginning;
                    self.forget();
                }
                Place::Input(i) if self.machine.inputs()[i].get().to_bits() != value.to_bits() => {
                    self.machine.inputs()[i].set(value);
                    self.has_new_inputs = true;
                    // Initial conditions and constraints may depend on inputs.
                    self.is_started &= !is_beginning;
                    // The forces of contacts are those of the last step until the next one.
                    if is_beginning || unit.model.describe().contacts.is_empty() {
                        self.forget();
                    }
                }
                Place::State(i) if is_beginning => {
                    self.given[i] = value;
                    self.is_started = false;
                    self.forget();
                }
                Place::State(i) => {
                    let nq = self.state.q.len();
                    let State { q, v, .. } = &mut self.state;
                    *(if i < nq { &mut q[i] } else { &mut v[i - nq] }) = value;
                    self.forget();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// q̇.
    fn rates(&self) -> Vec<f64> {
        let blocks = &self.unit.model.describe().blocks;
        let (mut unit, mut rates) = (self.state.q.clone(), vec![0.0; self.state.q.len()]);
        normalize_rotations(blocks, unit.as_mut_slice());
        velocity_map_apply(blocks, unit.as_slice(), self.state.v.as_slice(), &mut rates);
        rates
    }

    /// Goes on by an interval, s, from the time that was reached.
    ///
    /// # Errors
    /// Outside of step mode; another time, an interval that is not positive; a step that fails. What was reached then,
    /// [`time`](Self::time) says.
    pub fn do_step(&mut self, from: f64, interval: f64) -> Result<(), Fault> {
        self.check("a step", &[Mode::Step])?;
        let t = self.state.t;
        if !interval.is_finite() || interval <= 0.0 {
            return fault(format!("the communication step is {interval} s, expected a positive number"));
        }
        let is_same = (from - t).abs() <= SAME_TIME * (interval + t.abs());
        if !is_same {
            return fault(format!("the communication point is {from} s, but {t} s is reached"));
        }
        // With others the motion begins anew.
        self.apply_parameters()?;
        let stepping = self.unit.settings.stepping.clone();
        if self.machine.motion().is_none() {
            self.accelerate()?;
            self.machine.begin(self.state.clone(), &stepping)?;
        } else if self.has_new_inputs {
            self.machine.motion().map_or(Ok(()), |motion| motion.resume())?;
        }
        self.has_new_inputs = false;
        let Some(motion) = self.machine.motion() else { unreachable!("it has begun above") };
        let result = motion.advance(from + interval);
        self.state = motion.state().clone();
        self.row.clear();
        self.row.extend(motion.table().rows().flatten());
        (self.is_accelerated, self.is_recorded, self.first) = (true, true, None);
        result.map(drop).map_err(Fault::from)
    }

    /// The time that was reached, s.
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// Ends the simulation.
    ///
    /// # Errors
    /// Before it has begun.
    pub fn terminate(&mut self) -> Result<(), Fault> {
        self.check("terminating", &[Mode::Event, Mode::ContinuousTime, Mode::Step])?;
        self.mode = Mode::Terminated;
        Ok(())
    }

    /// What the next results depend on. The motion begins anew from here, so that it goes on in the same way whether the
    /// importer comes back or not.
    ///
    /// # Errors
    /// Parameters from which no motion can start; a model with contacts.
    pub fn snapshot(&mut self) -> Result<Snapshot, Fault> {
        if !self.unit.model.describe().contacts.is_empty() {
            return fault(
                "a model with contacts does not go back: after impacts bodies penetrate each other, and no motion starts there",
            );
        }
        self.start()?;
        self.machine.halt();
        Ok(self.moment())
    }

    fn moment(&self) -> Snapshot {
        let State { t, q, v, a, lambda } = &self.state;
        Snapshot {
            mode: self.mode,
            t: *t,
            tolerance: self.tolerance,
            is_accelerated: self.is_accelerated,
            parameters: self.parameters.clone(),
            inputs: self.machine.inputs().iter().map(|input| input.get()).collect(),
            state: [q, v, a, lambda].into_iter().flat_map(DVector::iter).copied().collect(),
            given: self.given.clone(),
        }
    }

    /// Goes back to it.
    ///
    /// # Errors
    /// For one of another model.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Fault> {
        if self.moment().sizes() != snapshot.sizes() {
            return fault("the state is that of another model");
        }
        self.machine.halt();
        self.has_new_parameters |= self.parameters != snapshot.parameters;
        self.parameters.clone_from(&snapshot.parameters);
        self.machine.inputs().iter().zip(&snapshot.inputs).for_each(|(input, &value)| input.set(value));
        self.given.clone_from(&snapshot.given);
        (self.mode, self.tolerance, self.state.t) = (snapshot.mode, snapshot.tolerance, snapshot.t);
        let mut values = snapshot.state.iter().copied();
        let State { q, v, a, lambda, .. } = &mut self.state;
        for vector in [q, v, a, lambda] {
            vector.iter_mut().zip(&mut values).for_each(|(entry, value)| *entry = value);
        }
        (self.is_started, self.has_new_inputs) = (true, false);
        self.forget();
        self.is_accelerated = snapshot.is_accelerated;
        Ok(())
    }

    /// Reads a snapshot that was written.
    ///
    /// # Errors
    /// For anything else.
    pub fn read_snapshot(&self, bytes: &[u8]) -> Result<Snapshot, Fault> {
        self.moment().read(bytes).map_or_else(|| fault("the bytes are no state of this model"), Ok)
    }
}
