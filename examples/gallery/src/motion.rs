//! Runs: models compiled in memory, and what was recorded of them.

use hamel::linearize::{About, Linearization};
use hamel::simulation::Steps;
use hamel::{Model, Signal, Simulation, State, Trajectory};
use hamel_compiler::file;
use hamel_jit::{JitModel, Level};
use proc_macro2::TokenStream;

use crate::entry::{Entry, Setup};

/// Why an entry could not be run or checked.
pub type Failure = Box<dyn std::error::Error>;

/// Records of a run with equal steps.
const RECORDS: f64 = 1000.0;

/// A model that has been run.
pub struct Motion {
    /// The model with its parameters and inputs.
    pub model: JitModel,
    /// Parameters that were set.
    pub parameters: Vec<(String, f64)>,
    /// Inputs that were given.
    pub inputs: Vec<(String, Signal)>,
    /// What was recorded.
    pub trajectory: Trajectory,
}

impl Motion {
    /// Runs the model of an entry.
    ///
    /// # Errors
    /// If the text is no model, a setting is unknown, or a step fails.
    pub fn new(entry: &Entry, setup: &Setup) -> Result<Motion, Failure> {
        let (model, inputs) = compiled(tokens(entry)?, setup)?;
        let scheme = hamel::schemes::by_name(setup.scheme, &[])?;
        let steps = setup.step.map_or(Steps::with_tolerance(setup.tolerance, setup.until), Steps::Fixed);
        let every = setup.step.map_or(1, |step| (setup.until / step / RECORDS).ceil() as usize);
        let simulation = Simulation::new(&model, &*scheme).steps(steps).until(setup.until).record_every(every);
        let run = simulation.run(hamel::initial_state(&model)?);
        run.outcome?;
        let parameters = setup.parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        Ok(Motion { model, parameters, inputs, trajectory: run.trajectory })
    }

    /// The recorded instants, s.
    pub fn times(&self) -> Vec<f64> {
        self.trajectory.times().collect()
    }

    /// The values of a column of the table.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn column(&self, name: &str) -> Result<Vec<f64>, Failure> {
        Ok(self.trajectory.column(name)?.collect())
    }

    /// The last value of a column.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn last(&self, name: &str) -> Result<f64, Failure> {
        self.trajectory.column(name)?.next_back().ok_or_else(|| "nothing was recorded".into())
    }

    /// The largest difference of a column and a function of the time.
    ///
    /// # Errors
    /// If there is no column of this name.
    pub fn deviation(&self, name: &str, mut expected: impl FnMut(f64) -> f64) -> Result<f64, Failure> {
        let values = self.times().into_iter().zip(self.column(name)?);
        Ok(values.map(|(t, value)| (value - expected(t)).abs()).fold(0.0, f64::max))
    }

    /// The value of a column at a time, s, by a straight line between two records.
    ///
    /// # Errors
    /// If there is no column of this name.
    pub fn at(&self, name: &str, time: f64) -> Result<f64, Failure> {
        let (times, values) = (self.times(), self.column(name)?);
        let next = times.partition_point(|&t| t < time).clamp(1, times.len() - 1);
        let part = (time - times[next - 1]) / (times[next] - times[next - 1]);
        Ok(values[next - 1] + part * (values[next] - values[next - 1]))
    }

    /// The times, s, at which a column passes a level upwards, by straight lines between records.
    ///
    /// # Errors
    /// If there is no column of this name.
    pub fn rises(&self, name: &str, level: f64) -> Result<Vec<f64>, Failure> {
        let (times, values) = (self.times(), self.column(name)?);
        let passes = times.windows(2).zip(values.windows(2)).filter(|(_, v)| v[0] < level && v[1] >= level);
        Ok(passes.map(|(t, v)| t[0] + (t[1] - t[0]) * (level - v[0]) / (v[1] - v[0])).collect())
    }

    /// The largest change of kinetic and potential energy together against the start, J.
    ///
    /// # Errors
    /// If nothing was recorded.
    pub fn energy_change(&self) -> Result<f64, Failure> {
        let energy: Vec<f64> =
            self.column("kinetic_energy")?.iter().zip(self.column("potential_energy")?).map(|(t, v)| t + v).collect();
        Ok(energy.iter().map(|value| (value - energy[0]).abs()).fold(0.0, f64::max))
    }
}

/// An entry whose motion is checked.
pub struct Case<'e> {
    /// The entry.
    pub entry: &'e Entry,
    /// Its motion as the gallery shows it.
    pub motion: &'e Motion,
}

impl Case<'_> {
    /// Runs the model again with another setup.
    ///
    /// # Errors
    /// As [`Motion::new`].
    pub fn again(&self, change: impl FnOnce(Setup) -> Setup) -> Result<Motion, Failure> {
        Motion::new(self.entry, &change(self.entry.setup.clone()))
    }

    /// The model about an equilibrium or a motion.
    ///
    /// # Errors
    /// If the model has none.
    pub fn linear(&self, about: About, change: impl FnOnce(Setup) -> Setup) -> Result<Linearization, Failure> {
        let tokens = hamel_jit::with_linearization(tokens(self.entry)?);
        let (model, _) = compiled(tokens, &change(self.entry.setup.clone()))?;
        Ok(hamel::linearize(&model, &hamel::initial_state(&model)?, about)?)
    }

    /// Number of independent velocities at the start: those that constraints leave, of which some may follow from
    /// others.
    ///
    /// # Errors
    /// If the model has no consistent start.
    pub fn mobility(&self) -> Result<usize, Failure> {
        let model = &self.motion.model;
        let state: State = hamel::initial_state(model)?;
        let dims = model.dims();
        Ok(dims.nv - (dims.nc - hamel::redundant_constraints(model, &state).len()))
    }
}

fn tokens(entry: &Entry) -> Result<TokenStream, Failure> {
    let mut models = file::models(entry.text, format!("{}.model", entry.name))?;
    Ok(models.pop().ok_or("the text has no model")?.tokens)
}

fn compiled(tokens: TokenStream, setup: &Setup) -> Result<(JitModel, Vec<(String, Signal)>), Failure> {
    let mut model = hamel_jit::model(tokens, Level::AtOnce, None)?;
    model.set(&setup.parameters)?;
    let mut inputs = Vec::new();
    for &(name, function) in &setup.inputs {
        let signal = hamel_jit::function_of_time(function)?;
        model.set_input(name, signal.clone()).map_err(|_| format!("there is no input {name}"))?;
        inputs.push((name.to_owned(), signal));
    }
    Ok((model, inputs))
}
