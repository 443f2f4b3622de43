//! Simulation over an interval of time, with what is recorded on the way.

use std::any::Any;
use std::fmt;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::admissible::check_inputs;
use crate::model::{ContactInfo, Model, State};
use crate::redundancy::{least_norm_multipliers, redundant_constraints};
use crate::residuals::Residuals;
use crate::scheme::{Options, Scheme, Stepper};
use crate::singularity::Watch;
use crate::start::check_start;
use crate::step::ContactRecord;
use crate::step::{StepError, StepStats};
use crate::undefined::explain_failed_step;
use crate::watchers;

/// More steps than anybody waits for, and few enough that every step still moves the time.
const MAX_STEPS: f64 = 1e10;
/// The column of the balance of energy.
const BALANCE: &str = "energy_balance";
/// Remainders of the interval below this part of a step are rounding errors.
const ROUNDING: f64 = 1e-6;

/// A simulation: what it computed, and how it ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// Everything recorded until the end or the failure.
    pub trajectory: Trajectory,
    /// The total cost, or why the simulation stopped early.
    pub outcome: Result<StepStats, StepError>,
    /// What the reader of the results should know, in the order in which it was noticed.
    pub cautions: Vec<Caution>,
}

/// What the reader of results should know.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// What is known to go wrong with the scheme, see [`crate::schemes::caution`].
    Scheme(&'static str),
    /// Constraints that follow from others at the start; multipliers of all are those of least norm.
    Redundant(Vec<&'static str>),
    /// Solutions that were accepted where rounding allows no better.
    Rounding {
        /// How many.
        count: u32,
    },
    /// Energy that the scheme has taken, J: numerical damping, or a step that is too large.
    EnergyLost {
        /// Energy that is missing at the end, J.
        loss: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
    },
    /// Contacts were closed deeply before an impact ended that: the step is too long to see them in time.
    Penetration {
        /// The deepest, in the unit of the gaps.
        depth: f64,
        /// The largest gap that was recorded.
        widest: f64,
    },
    /// Energy that the scheme has added, J.
    EnergyGained {
        /// Energy that is too much at the end, J.
        gain: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
    },
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Caution::Scheme(text) => f.write_str(text),
            Caution::Redundant(constraints) => {
                let names: Vec<String> = constraints.iter().map(|name| format!("`{name}`")).collect();
                let (noun, verb) = if names.len() == 1 { ("constraint", "follows") } else { ("constraints", "follow") };
                let names = names.join(", ");
                write!(
                    f,
                    "{noun} {names} {verb} from the others: multipliers are not unique, those of least norm are recorded"
                )
            }
            Caution::Rounding { count } => {
                let solutions = if *count == 1 { "solution was" } else { "solutions were" };
                write!(f, "{count} {solutions} accepted where rounding allows no better than the tolerance asks for")
            }
            Caution::EnergyLost { loss, in_motion } => write!(
                f,
                "{loss:.3e} J of {in_motion:.3e} J in motion were lost to the scheme: numerical damping, or too large a step"
            ),
            Caution::Penetration { depth, widest } => write!(
                f,
                "a contact was closed by {depth:.3e} before it was seen, gaps are {widest:.3e} at most: too large a step"
            ),
            Caution::EnergyGained { gain, in_motion } => {
                write!(f, "the scheme added {gain:.3e} J to {in_motion:.3e} J in motion: too large a step")
            }
        }
    }
}

/// Penetration that a run may have without a word, as a part of the largest gap, and of the largest coordinate.
const SHALLOW: f64 = 0.05;
const TOUCHING: f64 = 1e-3;
/// Energy that a run may lose or gain by its scheme without a word, as a part of what has been in motion.
const UNNOTICED: f64 = 0.02;

/// How an interval is divided into steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    /// Number of steps.
    pub steps: u64,
    /// Length of every step but the last, s.
    pub dt: f64,
    /// Length of the last step, s: `dt` where that divides the interval up to rounding, otherwise shorter.
    pub last: f64,
}

impl Division {
    /// Steps of `dt` over an interval, both in s and positive; `None` for more steps than can be done.
    pub fn new(duration: f64, dt: f64) -> Option<Self> {
        let ratio = duration / dt;
        if ratio.is_nan() || ratio > MAX_STEPS {
            return None;
        }
        let divides = (ratio - ratio.round()).abs() <= ROUNDING;
        let steps = if divides { ratio.round() } else { ratio.ceil() } as u64;
        let dt = if divides && steps > 0 { duration / steps as f64 } else { dt };
        let last = if divides { dt } else { duration - dt * (steps - 1) as f64 };
        Some(Self { steps, dt, last })
    }
}

/// Integrates from `initial` to the time `until` by steps of `dt`, s, and records every `every`-th state.
///
/// The first and the last state are always recorded. Where `dt` divides the interval up to rounding, all steps are
/// equal; otherwise the last one is shorter. A failure ends the run and keeps what was computed before it, as does a panic
/// in a function of the user that the model calls.
pub fn simulate(model: &dyn Model, scheme: &dyn Scheme, initial: State, dt: f64, until: f64, every: usize) -> Run {
    simulate_with(model, scheme, &Options::default(), initial, dt, until, every)
}

/// [`simulate`] with options of the scheme.
pub fn simulate_with(
    model: &dyn Model,
    scheme: &dyn Scheme,
    options: &Options,
    initial: State,
    dt: f64,
    until: f64,
    every: usize,
) -> Run {
    recorded(model, scheme, options, &initial, |trajectory, recorder| {
        integrate(model, scheme, options, initial.clone(), dt, until, every.max(1), trajectory, recorder)
    })
}

/// Checks the start and records it, then does what is left to do, and keeps what was recorded however that ends.
pub(crate) fn recorded<'m>(
    model: &'m dyn Model,
    scheme: &dyn Scheme,
    options: &Options,
    start: &State,
    integrate: impl FnOnce(&mut Trajectory, &mut Recorder<'m>) -> Result<StepStats, StepError>,
) -> Run {
    let mut trajectory = Trajectory::new(model);
    let mut recorder = None;
    let all = || {
        check_start(model, start)?;
        model.validate()?;
        let recorder = recorder.insert(Recorder::new(model, scheme, options, start));
        recorder.begin(&mut trajectory, start)?;
        integrate(&mut trajectory, recorder)
    };
    // A function of the user may panic: what it leaves half done is the stepper, which nobody sees again, and the last
    // row of the table.
    let outcome = catch_unwind(AssertUnwindSafe(all)).unwrap_or_else(|panic| {
        trajectory.drop_incomplete();
        let t = trajectory.times().next_back().unwrap_or(start.t);
        Err(StepError::Panicked { t, scheme: scheme.name(), message: message(&*panic).to_owned() })
    });
    let cautions = recorder.map_or_else(Vec::new, |recorder: Recorder| recorder.cautions(&outcome, &trajectory));
    Run { trajectory, outcome, cautions }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why")
}

fn integrate(
    model: &dyn Model,
    scheme: &dyn Scheme,
    options: &Options,
    initial: State,
    dt: f64,
    until: f64,
    every: usize,
    trajectory: &mut Trajectory,
    recorder: &mut Recorder,
) -> Result<StepStats, StepError> {
    let duration = until - initial.t;
    let is_sound = dt.is_finite() && dt > 0.0 && duration.is_finite() && duration >= 0.0;
    if !is_sound {
        let reason = format!("cannot integrate from t = {} s to {until} s by steps of {dt} s", initial.t);
        return Err(StepError::BadParameter { scheme: scheme.name(), reason });
    }
    let division = Division::new(duration, dt);
    let Some(Division { steps, dt, .. }) = division else {
        let reason = format!("{:.1e} steps of {dt} s up to {until} s, expected at most {MAX_STEPS:e}", duration / dt);
        return Err(StepError::BadParameter { scheme: scheme.name(), reason });
    };

    let mut stepper = scheme.start_with(model, initial, options)?;
    if stepper.contacts().is_none() && !model.describe().contacts.is_empty() {
        let reason = "its contacts would be ignored";
        return Err(StepError::Undefined { scheme: scheme.name(), model: model.describe().name, reason });
    }
    let mut total = StepStats::default();
    let mut watch = Watch::new(model, stepper.state());
    let start = stepper.state().t;
    for step in 1..=steps {
        // To a multiple of the step, so that rounding does not add up and signals that switch do it on time.
        let end = if step == steps { until } else { start + step as f64 * dt };
        let result = stepper.step(end - stepper.state().t);
        let is_recorded = step % every as u64 == 0 || step == steps;
        match result {
            Ok(stats) => {
                // What lies beyond a singularity is not recorded.
                watch.pass(stepper.state())?;
                total += stats;
                recorder.step(trajectory, stepper.as_ref(), is_recorded)?;
            }
            Err(error) => {
                if trajectory.times().last() != Some(stepper.state().t) {
                    recorder.last(trajectory, stepper.as_ref());
                    // The error of the step says more than that its beginning was not finite.
                    let _ = recorder.keep_finite(trajectory, stepper.state().t);
                }
                let t = stepper.state().t;
                return Err(blame(model, stepper.state(), watch.explain(error), [t, t + 0.5 * dt, t + dt]));
            }
        }
    }
    Ok(total)
}

/// Watches a run, and writes its states with what was watched.
pub(crate) struct Recorder<'m> {
    model: &'m dyn Model,
    watch: watchers::Watch,
    redundant: Vec<usize>,
    cautions: Vec<Caution>,
    /// A state whose multipliers are those of least norm.
    least_norm: State,
}

impl<'m> Recorder<'m> {
    pub(crate) fn new(model: &'m dyn Model, scheme: &dyn Scheme, options: &Options, start: &State) -> Self {
        let mut cautions: Vec<Caution> =
            crate::schemes::caution(scheme, model, options).map(Caution::Scheme).into_iter().collect();
        let redundant = redundant_constraints(model, start);
        if !redundant.is_empty() {
            let constraints = model.describe().constraints;
            cautions.push(Caution::Redundant(redundant.iter().map(|&row| constraints[row].name).collect()));
        }
        Self {
            model,
            watch: watchers::Watch::new(model, scheme.name(), options.watchers, start),
            redundant,
            cautions,
            least_norm: start.clone(),
        }
    }

    /// Records the start.
    pub(crate) fn begin(&mut self, trajectory: &mut Trajectory, start: &State) -> Result<(), StepError> {
        let balance = self.watch.energy_balance(self.model, start);
        trajectory.record_with(self.model, start, None, self.watch.residuals(), balance);
        self.keep_finite(trajectory, start.t)
    }

    /// Watches a step, and records it where it is due.
    pub(crate) fn step(
        &mut self,
        trajectory: &mut Trajectory,
        stepper: &dyn Stepper,
        is_recorded: bool,
    ) -> Result<(), StepError> {
        let state = stepper.state();
        self.watch.pass(self.model, state, stepper.contacts(), is_recorded)?;
        if is_recorded {
            self.last(trajectory, stepper);
            self.keep_finite(trajectory, state.t)?;
        }
        Ok(())
    }

    /// Records the state of a stepper.
    fn last(&mut self, trajectory: &mut Trajectory, stepper: &dyn Stepper) {
        let balance = self.watch.energy_balance(self.model, stepper.state());
        let mut state = stepper.state();
        if !self.redundant.is_empty() || !stepper.left_out().is_empty() {
            self.least_norm.copy_from(state);
            least_norm_multipliers(self.model, &mut self.least_norm);
            state = &self.least_norm;
        }
        trajectory.record_with(self.model, state, stepper.contacts(), self.watch.residuals(), balance);
    }

    /// Takes the last row back where it has a value that is not finite.
    fn keep_finite(&self, trajectory: &mut Trajectory, t: f64) -> Result<(), StepError> {
        match trajectory.last_not_finite().filter(|_| self.watch.is_finite_required()) {
            None => Ok(()),
            Some((quantity, value)) => {
                trajectory.drop_last();
                Err(StepError::NotFiniteValue { t, scheme: self.watch.scheme().to_owned(), quantity, value })
            }
        }
    }

    /// What was noticed, when the run has ended.
    pub(crate) fn cautions(mut self, outcome: &Result<StepStats, StepError>, trajectory: &Trajectory) -> Vec<Caution> {
        self.cautions.extend(trajectory.deep_penetration(self.model));
        let stats = outcome.as_ref().copied().unwrap_or_default();
        if stats.at_rounding > 0 {
            self.cautions.push(Caution::Rounding { count: stats.at_rounding });
        }
        if let Some((gain, in_motion)) = self.watch.unexplained().filter(|_| outcome.is_ok()) {
            match gain {
                gain if gain > UNNOTICED * in_motion => self.cautions.push(Caution::EnergyGained { gain, in_motion }),
                gain if -gain > UNNOTICED * in_motion => {
                    self.cautions.push(Caution::EnergyLost { loss: -gain, in_motion });
                }
                _ => {}
            }
        }
        self.cautions
    }
}

/// Names the reason of a failure: an input that is no finite number at one of these times, or else what of the model is
/// not defined at the state from which the step began, or may not be near it.
fn blame(model: &dyn Model, state: &State, error: StepError, times: [f64; 3]) -> StepError {
    let StepError::NotFinite { t, scheme, .. } = &error else { return error };
    if let Some(bad_input) = times.into_iter().find_map(|t| check_inputs(model, t).err()) {
        return bad_input;
    }
    match explain_failed_step(model, state) {
        Some(what) => StepError::NotDefined { t: *t, scheme: scheme.clone(), what },
        None => error,
    }
}

/// Name and unit of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name: of the coordinate, quasi-velocity or output; `velocity(x)`, `acceleration(x)`, `multiplier(x)` for those
    /// of x.
    pub name: String,
    /// SI unit, `1` when dimensionless.
    pub unit: String,
}

/// Gap, forces, and the sum of the normal impulses of all impacts so far.
fn contact_columns(contact: &ContactInfo) -> Vec<Column> {
    let force = multiplier_unit(contact.unit, "J");
    let impulse = format!("{force} s");
    let column =
        |quantity: &str, unit: &str| Column { name: format!("{quantity}({})", contact.name), unit: unit.to_owned() };
    let mut columns = vec![column("gap", contact.unit), column("normal_force", &force)];
    // A force of friction acts on a relative velocity in m/s, whatever the unit of the gap.
    match contact.tangents {
        0 => {}
        1 => columns.push(column("friction", "N")),
        n => columns.extend((1..=n).map(|k| column(&format!("friction_{k}"), "N"))),
    }
    columns.push(column("impulse", &impulse));
    columns
}

/// A table of recorded states: time, coordinates, velocities, accelerations, multipliers, contacts, outputs, energies.
///
/// Of each contact there are `gap(x)`, `normal_force(x)`, `friction(x)` (`friction_1(x)` and `friction_2(x)` in space)
/// and `impulse(x)`, the sum of its normal impulses so far; of all together the number of `impacts`, the energy that
/// they took, `impact_loss`, `contact_violation`, by how much the laws of contact were missed at most as a velocity, and
/// `penetration`, the deepest that a contact was closed so far, in the unit of the gaps.
/// Models with constraints have `position_residual` and `velocity_residual`, the largest of g and of ġ, those of lengths
/// relative to the length of the model. `energy_balance` is the energy beyond the start's and the work of forces, drives and
/// contacts, by the trapezoidal rule over the steps: what the scheme has added; not a number where the model does
/// not know the power of its forces, see [`Model::power`].
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    columns: Vec<Column>,
    /// Row after row.
    values: Vec<f64>,
}

impl Trajectory {
    /// An empty table for a model.
    pub fn new(model: &dyn Model) -> Self {
        let info = model.describe();
        let column = |name: &str, unit: &str| Column { name: name.to_owned(), unit: unit.to_owned() };
        let mut columns = vec![column("t", "s")];
        columns.extend(info.coordinates.iter().map(|c| column(c.name, c.unit)));
        columns.extend(info.velocities.iter().map(|c| {
            // A velocity that is the rate of a coordinate has its name; others have one of their own.
            let is_rate = info.coordinates.iter().any(|coordinate| coordinate.name == c.name);
            let name = if is_rate { format!("velocity({})", c.name) } else { c.name.to_owned() };
            Column { name, unit: c.unit.to_owned() }
        }));
        columns.extend(info.velocities.iter().map(|c| {
            let unit = if c.unit.ends_with("/s") { format!("{}^2", c.unit) } else { format!("{}/s", c.unit) };
            Column { name: format!("acceleration({})", c.name), unit }
        }));
        let n_positions = info.constraints.len() - info.velocity_constraints;
        columns.extend(info.constraints.iter().enumerate().map(|(i, c)| Column {
            name: format!("multiplier({})", c.name),
            unit: multiplier_unit(c.unit, if i < n_positions { "J" } else { "W" }),
        }));
        columns.extend(info.contacts.iter().flat_map(contact_columns));
        if !info.contacts.is_empty() {
            columns.extend([column("impacts", "1"), column("impact_loss", "J"), column("contact_violation", "m/s")]);
            let unit = info.contacts[0].unit;
            let is_common = info.contacts.iter().all(|contact| contact.unit == unit);
            columns.push(column("penetration", if is_common { unit } else { "m or rad" }));
        }
        if !info.constraints.is_empty() {
            columns.extend([column("position_residual", "1"), column("velocity_residual", "1/s")]);
        }
        columns.push(column(BALANCE, "J"));
        columns.extend(info.outputs.iter().map(|c| column(c.name, c.unit)));
        columns.extend([column("kinetic_energy", "J"), column("potential_energy", "J")]);
        Self { columns, values: Vec::new() }
    }

    /// Appends a state of the model that the table was made for, without forces of contacts and without the balance of
    /// energy, which only a run knows.
    pub fn record(&mut self, model: &dyn Model, state: &State) {
        self.record_with(model, state, None, &mut Residuals::new(model, state), None);
    }

    /// Appends the state of a stepper of the model that the table was made for, with what contacts have done.
    pub fn record_step(&mut self, model: &dyn Model, stepper: &dyn Stepper) {
        let state = stepper.state();
        self.record_with(model, state, stepper.contacts(), &mut Residuals::new(model, state), None);
    }

    fn record_with(
        &mut self,
        model: &dyn Model,
        state: &State,
        contacts: Option<&ContactRecord>,
        residuals: &mut Residuals,
        balance: Option<f64>,
    ) {
        self.values.push(state.t);
        for part in [&state.q, &state.v, &state.a, &state.lambda] {
            self.values.extend_from_slice(part.as_slice());
        }
        self.record_contacts(model, state, contacts);
        if !model.describe().constraints.is_empty() {
            residuals.evaluate_positions(model, state);
            residuals.evaluate_velocities(model, state);
            self.values.extend([residuals.worst_position().1, residuals.worst_velocity().1]);
        }
        self.values.push(balance.unwrap_or(f64::NAN));
        let start = self.values.len();
        self.values.resize(start + model.describe().outputs.len(), 0.0);
        model.outputs(state, &mut self.values[start..]);
        let energy = model.energy(state.t, state.q.as_slice(), state.v.as_slice());
        self.values.extend([energy.kinetic, energy.potential]);
    }

    /// Name and value of the first entry of the last row that is not finite, but for a balance that is not known.
    fn last_not_finite(&self) -> Option<(String, f64)> {
        let row = self.rows().next_back()?;
        let mut entries = self.columns.iter().zip(row).filter(|(column, _)| column.name != BALANCE);
        let (column, &value) = entries.find(|(_, value)| !value.is_finite())?;
        Some((format!("`{}`", column.name), value))
    }

    /// The deepest penetration, where it is no small part of the motion.
    fn deep_penetration(&self, model: &dyn Model) -> Option<Caution> {
        let depth = self.column("penetration")?.next_back()?;
        let gaps = self.columns.iter().enumerate().filter(|(_, column)| column.name.starts_with("gap("));
        let gaps: Vec<usize> = gaps.map(|(place, _)| place).collect();
        let largest = |places: &[usize]| {
            self.rows().flat_map(|row| places.iter().map(|&place| row[place].abs())).fold(0.0, f64::max)
        };
        let coordinates: Vec<usize> = (1..=model.dims().nq).collect();
        let widest = largest(&gaps);
        (depth > SHALLOW * widest && depth > TOUCHING * largest(&coordinates))
            .then_some(Caution::Penetration { depth, widest })
    }

    /// Takes the last row back.
    fn drop_last(&mut self) {
        self.values.truncate(self.values.len().saturating_sub(self.columns.len()));
    }

    /// Takes back what was written of a row that has not come to its end.
    fn drop_incomplete(&mut self) {
        self.values.truncate(self.len() * self.columns.len());
    }

    fn record_contacts(&mut self, model: &dyn Model, state: &State, record: Option<&ContactRecord>) {
        let contacts = model.describe().contacts;
        if contacts.is_empty() {
            return;
        }
        let mut gaps = vec![0.0; contacts.len()];
        model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
        let mut row = 0;
        for (contact, gap) in contacts.iter().zip(gaps) {
            self.values.push(gap);
            for row in row..=row + contact.tangents {
                self.values.push(record.map_or(0.0, |record| record.forces[row]));
            }
            self.values.push(record.map_or(0.0, |record| record.impulses[row]));
            row += 1 + contact.tangents;
        }
        let summary =
            |record: &ContactRecord| [record.impacts as f64, record.loss, record.violation, record.penetration];
        self.values.extend(record.map_or([0.0; 4], summary));
    }

    /// Names and units.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of recorded states.
    pub fn len(&self) -> usize {
        self.values.len() / self.columns.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The recorded states, one row each.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.values.chunks_exact(self.columns.len())
    }

    /// The recorded instants, s.
    pub fn times(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + '_ {
        self.rows().map(|row| row[0])
    }

    /// The values of the column of this name.
    pub fn column(&self, name: &str) -> Option<impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + '_> {
        let index = self.columns.iter().position(|column| column.name == name)?;
        Some(self.rows().map(move |row| row[index]))
    }

    /// Writes the table as comma-separated values, names and units in the first line, numbers without loss.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        let header: Vec<String> = self.columns.iter().map(|c| quoted(&format!("{} [{}]", c.name, c.unit))).collect();
        writeln!(out, "{}", header.join(","))?;
        for row in self.rows() {
            for (index, value) in row.iter().enumerate() {
                if index > 0 {
                    write!(out, ",")?;
                }
                write!(out, "{value:e}")?;
            }
            writeln!(out)?;
        }
        out.flush()
    }
}

/// A field of a CSV line, in quotes where it needs them.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Work per unit of a constraint, or power per unit of one on velocities.
fn multiplier_unit(constraint: &str, work: &str) -> String {
    match (work, constraint) {
        (_, "1") => work.to_owned(),
        ("J", "m") | ("W", "m/s") => "N".to_owned(),
        ("W", "1/s") => "J".to_owned(),
        _ => format!("{work}/({constraint})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Models written by hand give their columns any names: each is one field again for those who read the file.
    #[test]
    fn any_name_is_one_field_of_csv() {
        let letters = (0..0x3000).filter_map(char::from_u32);
        let alone = letters.map(|letter| letter.to_string());
        let mixed = ["a,b\"c\nd\re", "\"", "\"\"", ",", "\r\n", " x ", "\u{202e}x", "\u{feff}x"].map(str::to_owned);
        let names: Vec<String> = std::iter::once("t".to_owned()).chain(alone).chain(mixed).collect();
        let columns = names.iter().map(|name| Column { name: name.clone(), unit: "1".to_owned() }).collect();
        let values: Vec<f64> = (0..names.len()).map(|i| i as f64).collect();
        let mut written = Vec::new();
        Trajectory { columns, values: values.clone() }.write_csv(&mut written).unwrap();
        let mut reader = csv::Reader::from_reader(written.as_slice());
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(header, names.iter().map(|name| format!("{name} [1]")).collect::<Vec<_>>());
        let rows: Vec<Vec<f64>> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows, [values]);
    }
}
