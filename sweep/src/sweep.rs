//! Runs the cases of a sweep, and keeps their outputs.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use hamel::adaptive::AdaptiveStepper;
use hamel::ensemble::{Case, Ensemble};
use hamel::simulation::{Division, Steps, runs_abreast, together};
use hamel::{Model, Options, Run, Scheme, Simulation, State, StepError, Trajectory, initial_state, schemes};
use hamel_jit::{JitModel, LANES};
use serde::Serialize;

use crate::cases::Cases;
use crate::error::SweepError;
use crate::journal::Journal;
use crate::outputs::{Output, Quantity, Reducer};
use crate::subject::{Instance, Subject};
use crate::table::{Column, Outcome, Row, Table};

/// How each case is integrated.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Name of the scheme.
    pub scheme: String,
    /// Its parameters.
    pub scheme_parameters: Vec<(String, f64)>,
    /// Lengths of steps.
    pub steps: Steps,
    /// End of the motion, s.
    pub until: f64,
    /// Options of the scheme.
    pub options: Options,
    /// Most steps of a case, so that one that diverges does not stop the others.
    pub max_steps: u64,
}

/// Most steps of a case that are chosen by a tolerance, if nobody has chosen otherwise.
const MOST_CHOSEN: u64 = 1_000_000;

/// How many steps a case may take if nobody has chosen otherwise: equal ones as many as they are, those that are chosen by
/// a tolerance a million.
pub fn max_steps(steps: Steps) -> u64 {
    match steps {
        Steps::Fixed(_) => u64::MAX,
        Steps::Chosen(_) => MOST_CHOSEN,
    }
}

impl Motion {
    fn scheme(&self) -> Result<Box<dyn Scheme>, StepError> {
        let parameters: Vec<(&str, f64)> =
            self.scheme_parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        schemes::by_name(&self.scheme, &parameters)
    }

    /// Whether instances of a model are computed side by side.
    fn fits_lanes(&self, model: &JitModel) -> bool {
        self.scheme().is_ok_and(|scheme| runs_abreast(model, &*scheme, self.steps, self.until))
    }

    /// That the scheme and the steps exist and suit the model, before anything runs.
    fn check(&self, model: &dyn Model) -> Result<(), SweepError> {
        let wrong = |error: StepError| SweepError::new(error.to_string());
        let scheme = self.scheme().map_err(wrong)?;
        if let Steps::Fixed(dt) = self.steps
            && Division::new(self.until, dt).is_none()
        {
            return Err(SweepError::new(format!("steps of {dt:e} s up to {} s never end", self.until)));
        }
        // The values of the model's text may be impossible, while those of the cases are not.
        let Ok(start) = initial_state(model) else { return Ok(()) };
        let fits = match self.steps {
            Steps::Fixed(_) => scheme.start_with(model, start, &self.options).map(drop),
            Steps::Chosen(control) => AdaptiveStepper::new(model, &*scheme, &self.options, start, control).map(drop),
        };
        match fits {
            Err(error @ (StepError::BadParameter { .. } | StepError::Undefined { .. })) => Err(wrong(error)),
            _ => Ok(()),
        }
    }
}

/// A part of the cases of a sweep: of `of` parts, number `part` from 1 has the cases `part - 1`, `part - 1 + of` and so
/// on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Shard {
    /// Number of the part, from 1.
    pub part: u64,
    /// Number of parts.
    pub of: u64,
}

impl Shard {
    /// All cases.
    pub const WHOLE: Shard = Shard { part: 1, of: 1 };

    /// Number of its cases, of so many.
    pub fn count(self, len: u64) -> u64 {
        len.saturating_sub(self.part - 1).div_ceil(self.of)
    }

    /// Its cases, of so many.
    pub fn cases(self, len: u64) -> impl Iterator<Item = u64> + Clone + Send {
        (self.part - 1..len).step_by(usize::try_from(self.of).unwrap_or(usize::MAX))
    }
}

impl std::str::FromStr for Shard {
    type Err = SweepError;

    /// `PART/OF`.
    fn from_str(text: &str) -> Result<Shard, SweepError> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if 1 <= part && part <= of => Ok(Shard { part, of }),
            _ => Err(SweepError::new(format!("expected PART/OF, such as 2/8, with parts from 1, found `{text}`"))),
        }
    }
}

/// A sweep: a motion of a model for each case.
pub struct Sweep<'a> {
    subject: &'a Subject,
    cases: &'a Cases,
    motion: &'a Motion,
    outputs: &'a [Output],
    quantities: Vec<Quantity>,
    columns: Vec<Column>,
    trajectories: Option<PathBuf>,
    /// Cases that a thread runs at once.
    at_once: usize,
}

/// The file in a folder of motions that describes their sweep.
const MARK: &str = "sweep.json";

/// Everything that decides the results of a sweep.
#[derive(Serialize)]
struct Description<'a> {
    hamel: &'static str,
    model: &'a str,
    /// Models that are compiled in another way have other last digits.
    compiled: String,
    inputs: &'a str,
    parameters: &'a [f64],
    variables: &'a [Column],
    cases: u64,
    /// Of the values of the variables.
    hash: String,
    outputs: Vec<String>,
    scheme: &'a str,
    scheme_parameters: &'a [(String, f64)],
    steps: String,
    until: f64,
    options: String,
    max_steps: u64,
    /// Whether motions are written.
    motions: bool,
    shard: Shard,
}

impl<'a> Sweep<'a> {
    /// A sweep of a model whose variables are those of the cases.
    ///
    /// # Errors
    /// For an output that the model does not have, and a scheme or steps that do not exist or do not suit the model.
    pub fn new(
        subject: &'a Subject,
        cases: &'a Cases,
        motion: &'a Motion,
        outputs: &'a [Output],
    ) -> Result<Sweep<'a>, SweepError> {
        if outputs.is_empty() {
            return Err(SweepError::new("nothing is kept of the motions; expected at least one output"));
        }
        let is_late = |output: &&Output| output.time().is_some_and(|time| time > motion.until);
        if let Some(late) = outputs.iter().find(is_late) {
            return Err(SweepError::new(format!("`{late}` is later than the end at {} s", motion.until)));
        }
        let table = Trajectory::new(subject.model());
        let quantities = outputs.iter().map(|output| output.quantity(&table)).collect::<Result<_, _>>()?;
        let columns: Vec<Column> = outputs.iter().map(|output| output.column(&table)).collect::<Result<_, _>>()?;
        if let Some((place, column)) =
            columns.iter().enumerate().find(|(place, column)| columns[..*place].contains(column))
        {
            return Err(SweepError::new(format!("`{}` is output {place} and another one", column.name)));
        }
        if !subject.columns().iter().map(|column| &column.name).eq(cases.names()) {
            return Err(SweepError::new("the variables of the cases are not those of the model"));
        }
        cases.check_units(subject.columns().iter().map(|column| column.unit.as_str()))?;
        motion.check(subject.model())?;
        let at_once = if motion.fits_lanes(subject.model()) { LANES } else { 1 };
        Ok(Sweep { subject, cases, motion, outputs, quantities, columns, trajectories: None, at_once })
    }

    /// Whether cases run in lanes, several in each thread at once.
    pub fn runs_in_lanes(&self) -> bool {
        self.at_once > 1
    }

    /// The same sweep, with the same digits, whose cases run one by one also where they could run in lanes.
    pub fn one_by_one(self) -> Self {
        Sweep { at_once: 1, ..self }
    }

    /// The same sweep, which writes the motion of each case `N` to a file `case_N.parquet` in this folder too, with as many
    /// digits as the last case has, so that names are in the order of the cases; of a failed case, as far as it
    /// came. [`Sweep::prepare`] makes the folder.
    pub fn with_trajectories(self, folder: PathBuf) -> Self {
        Sweep { trajectories: Some(folder), ..self }
    }

    /// Makes the folder of motions, if there is one, and marks it as that of this sweep.
    ///
    /// # Errors
    /// When it holds anything else, and when the file system refuses.
    pub fn prepare(&self, inputs: &str) -> Result<(), SweepError> {
        let Some(folder) = &self.trajectories else { return Ok(()) };
        fs::create_dir_all(folder).map_err(SweepError::opening(folder))?;
        if self.has_motions(inputs) {
            return Ok(());
        }
        let is_empty = fs::read_dir(folder).map_err(SweepError::opening(folder))?.next().is_none();
        if !is_empty {
            return Err(SweepError::new(format!(
                "`{}` holds something else than motions of this sweep\nhelp: choose another folder, or remove it",
                folder.display()
            )));
        }
        let mark = folder.join(MARK);
        fs::write(&mark, self.description(inputs, Shard::WHOLE)).map_err(SweepError::writing(&mark))
    }

    /// Whether the folder of motions is that of this sweep; also if there is none.
    pub fn has_motions(&self, inputs: &str) -> bool {
        let mark = |folder: &PathBuf| fs::read_to_string(folder.join(MARK)).ok();
        self.trajectories.as_ref().is_none_or(|folder| mark(folder) == Some(self.description(inputs, Shard::WHOLE)))
    }

    /// A case that has ended well, by its table, and whose motion is not in its folder.
    pub fn missing_motion(&self, table: &Table) -> Option<u64> {
        let has_ended = |row: &&Row| row.outcome.failure.is_none();
        let is_missing = |case: &u64| self.motion_of(*case).is_some_and(|path| !path.exists());
        table.rows.iter().filter(has_ended).map(|row| row.case).find(is_missing)
    }

    /// The file of a motion, if they are written.
    fn motion_of(&self, case: u64) -> Option<PathBuf> {
        let digits = (self.cases.len() - 1).to_string().len();
        Some(self.trajectories.as_ref()?.join(format!("case_{case:0digits$}.parquet")))
    }

    /// Everything that decides the results of a part of the sweep, as one line of JSON. `inputs` describes the signals
    /// of inputs.
    pub fn description(&self, inputs: &str, shard: Shard) -> String {
        let description = Description {
            hamel: env!("CARGO_PKG_VERSION"),
            model: self.subject.source(),
            compiled: self.subject.level(),
            inputs,
            parameters: self.subject.model().parameters(),
            variables: self.subject.columns(),
            cases: self.cases.len(),
            hash: format!("{:016x}", self.cases.hash()),
            outputs: self.outputs.iter().map(Output::to_string).collect(),
            scheme: &self.motion.scheme,
            scheme_parameters: &self.motion.scheme_parameters,
            steps: format!("{:?}", self.motion.steps),
            until: self.motion.until,
            options: format!("{:?}", self.motion.options),
            max_steps: self.motion.max_steps,
            motions: self.trajectories.is_some(),
            shard,
        };
        // As a value, whose names are in alphabetical order also after a merge.
        serde_json::to_value(&description).map_or_else(|_| String::new(), |value| value.to_string())
    }

    /// Runs the cases of a part that have not ended, on so many threads, and keeps how they end. No further cases begin
    /// once the flag is set; those that are running stop and are not kept. `progress` is called with the number of cases
    /// that have ended.
    ///
    /// # Errors
    /// When results cannot be written. Failures of cases are results.
    pub fn run(
        &self,
        journal: &mut Journal,
        shard: Shard,
        threads: usize,
        cancelled_by: &AtomicBool,
        mut progress: impl FnMut(u64),
    ) -> Result<(), SweepError> {
        let is_of_this = |(case, outcome): (&u64, &Outcome)| {
            *case < self.cases.len() && (outcome.failure.is_some() || outcome.outputs.len() == self.outputs.len())
        };
        if let Some((case, _)) = journal.ended().iter().find(|&ended| !is_of_this(ended)) {
            return Err(SweepError::new(format!(
                "the journal has a case {case} that is not of this sweep\nhelp: remove its line, or the journal"
            )));
        }
        // One after the other: all numbers of a large sweep would not fit in memory.
        let before: HashSet<u64> = journal.ended().keys().copied().collect();
        let left = shard.cases(self.cases.len()).filter(move |case| !before.contains(case));
        progress(journal.ended().len() as u64);
        self.compute(left, threads, cancelled_by, |case, outcome| {
            journal.append(case, outcome)?;
            progress(journal.ended().len() as u64);
            Ok(())
        })
    }

    /// Runs these cases, on so many threads, and hands over how they end, in the order in which they do. No further cases
    /// begin once the flag is set; those that are running stop and are not handed over.
    ///
    /// # Errors
    /// When the motion of a case cannot be written, and what the receiver returns; no further cases begin then.
    pub fn compute(
        &self,
        cases: impl IntoIterator<Item = u64, IntoIter: Send>,
        threads: usize,
        cancelled_by: &AtomicBool,
        mut receive: impl FnMut(u64, Outcome) -> Result<(), SweepError>,
    ) -> Result<(), SweepError> {
        let mut result = Ok(());
        Ensemble::new(cases).threads(threads).cancelled_by(cancelled_by).each_together(
            self.at_once,
            || Worker::new(self),
            |worker, cases| worker.run(cases, cancelled_by),
            |case, end| {
                let outcome = match end {
                    Case::Ended(Ok(None)) | Case::NotRun => return ControlFlow::Continue(()),
                    Case::Ended(Ok(Some(outcome))) => Ok(outcome),
                    Case::Ended(Err(error)) => Err(error),
                    Case::Panicked(message) => Ok(Outcome::failed(format!("panicked: {message}"))),
                };
                result = outcome.and_then(|outcome| receive(case, outcome));
                if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        result
    }

    /// The whole motion of one case, with its model; of one that fails, as far as it comes.
    ///
    /// # Errors
    /// If there is no such case, or it has no start.
    ///
    /// # Examples
    /// ```
    /// use hamel::simulation::Steps;
    /// use hamel_jit::Level;
    /// use hamel_sweep::{Cases, Fixed, Motion, Output, Subject, Sweep, max_steps};
    ///
    /// let text = "model Pendulum {
    ///     planar;
    ///     coordinates joint;
    ///     gravity [0, -9.81] m/s^2;
    ///     param length = 1 m;
    ///     body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
    ///     joint hinge: revolute(ground, rod at [0, length / 2]);
    ///     initial hinge.angle = 1 rad;
    /// }";
    /// let cases = Cases::grid(vec![("length".to_owned(), "1,2".parse()?)])?;
    /// let subject = Subject::new(text.parse()?, Level::AtOnce, None, Fixed::default(), cases.names())?;
    /// let steps = Steps::Fixed(1e-2);
    /// let motion = Motion {
    ///     scheme: "runge_kutta".to_owned(),
    ///     scheme_parameters: Vec::new(),
    ///     steps,
    ///     until: 1.0,
    ///     options: hamel::Options::default(),
    ///     max_steps: max_steps(steps),
    /// };
    /// let outputs = ["hinge.angle.final".parse::<Output>()?];
    /// let sweep = Sweep::new(&subject, &cases, &motion, &outputs)?;
    /// let (instance, run) = sweep.whole(1)?;
    /// assert_eq!((instance.model().parameters(), run.trajectory.len()), (&[2.0][..], 101));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn whole(&self, case: u64) -> Result<(Instance<'a>, Run), SweepError> {
        let mut instance = self.subject.instance();
        let state = start(self, case, &mut instance).map_err(|end| match end {
            Err(error) => error,
            Ok(outcome) => SweepError::new(outcome.and_then(|outcome| outcome.failure).unwrap_or_default()),
        })?;
        let Motion { steps, until, options, max_steps, .. } = *self.motion;
        let scheme = self.motion.scheme().map_err(|error| SweepError::new(error.to_string()))?;
        let simulation = Simulation::new(instance.model(), &*scheme).options(options).steps(steps);
        let run = simulation.until(until).max_steps(max_steps).run(state);
        Ok((instance, run))
    }

    /// The table of the cases that have ended.
    pub fn table(&self, ended: &BTreeMap<u64, Outcome>, description: String) -> Table {
        let row = |(&case, outcome): (&u64, &Outcome)| Row {
            case,
            variables: self.cases.values(case),
            outcome: outcome.clone(),
        };
        Table {
            description,
            variables: self.subject.columns().to_vec(),
            outputs: self.columns.clone(),
            rows: ended.iter().map(row).collect(),
        }
    }
}

/// What a thread needs.
struct Worker<'s> {
    sweep: &'s Sweep<'s>,
    /// As many as run at once.
    instances: Vec<Instance<'s>>,
    scheme: Option<Box<dyn Scheme>>,
}

/// How a case has ended: `None` if it was cancelled.
type End = Result<Option<Outcome>, SweepError>;

impl<'s> Worker<'s> {
    fn new(sweep: &'s Sweep<'s>) -> Worker<'s> {
        let instances = (0..sweep.at_once).map(|_| sweep.subject.instance()).collect();
        Worker { sweep, instances, scheme: sweep.motion.scheme().ok() }
    }

    /// Runs cases, as many at most as there are instances.
    fn run(&mut self, numbers: &[u64], cancelled_by: &AtomicBool) -> Vec<End> {
        let begun: Vec<Result<State, End>> = numbers
            .iter()
            .zip(&mut self.instances)
            .map(|(&case, instance)| start(self.sweep, case, instance))
            .collect();
        let Sweep { motion, outputs, quantities, trajectories, .. } = self.sweep;
        let Some(scheme) = &self.scheme else { return numbers.iter().map(|_| Ok(None)).collect() };
        let reducers = || outputs.iter().zip(quantities).map(|(output, &quantity)| output.reducer(quantity)).collect();
        let reducers: Vec<RefCell<Vec<Reducer>>> = numbers.iter().map(|_| RefCell::new(reducers())).collect();
        let pass = |place: usize| {
            let reducers = &reducers[place];
            move |row: &[f64]| reducers.borrow_mut().iter_mut().for_each(|reducer| reducer.pass(row))
        };
        let simulation = |place: usize, model| {
            let simulation = Simulation::new(model, &**scheme)
                .options(motion.options)
                .steps(motion.steps)
                .until(motion.until)
                .max_steps(motion.max_steps)
                .cancelled_by(cancelled_by);
            if trajectories.is_none() { simulation.reduce(pass(place)) } else { simulation }
        };
        let runs = begun.iter().zip(&self.instances).enumerate().filter_map(|(place, (start, instance))| {
            let model = instance.model();
            Some((model, simulation(place, model), start.as_ref().ok()?.clone()))
        });
        let mut runs = together::<_, LANES>(runs.collect()).into_iter();
        let mut end = |(place, start): (usize, Result<State, End>)| -> End {
            let run = match start {
                Ok(_) => runs.next().unwrap_or_else(|| unreachable!("each that has begun has run")),
                Err(end) => return end,
            };
            if let Some(path) = self.sweep.motion_of(numbers[place]) {
                run.trajectory.rows().for_each(pass(place));
                if !matches!(run.outcome, Err(StepError::Cancelled { .. })) {
                    SweepError::write_whole(&path, |file| run.trajectory.write_parquet(file))?;
                }
            }
            let cautions = run.cautions.iter().map(|caution| caution.to_string().replace('\n', " ")).collect();
            Ok(match run.outcome {
                Ok(_) => {
                    let outputs: Vec<f64> = reducers[place].borrow().iter().map(Reducer::result).collect();
                    let named = self.sweep.outputs.iter().zip(&outputs).find(|(_, value)| value.is_infinite());
                    Some(match named.map(|(output, value)| format!("`{output}` is {value}: too large for a number")) {
                        Some(reason) => Outcome { cautions, ..Outcome::failed(reason) },
                        None => Outcome { outputs, failure: None, cautions },
                    })
                }
                Err(StepError::Cancelled { .. }) => None,
                Err(error) => Some(Outcome { cautions, ..Outcome::failed(error.to_string()) }),
            })
        };
        begun.into_iter().enumerate().map(&mut end).collect()
    }
}

/// Gives an instance the values of a case; its start, or how it has ended without one.
fn start(sweep: &Sweep, case: u64, instance: &mut Instance) -> Result<State, End> {
    let cases = sweep.cases;
    if case >= cases.len() {
        return Err(Err(SweepError::new(format!("there is no case {case}; the last one is {}", cases.len() - 1))));
    }
    instance.set(&cases.values(case)).map_err(Err)?;
    initial_state(instance.model()).map_err(|error| Ok(Some(Outcome::failed(error.to_string()))))
}

/// The table of a sweep from the tables of its parts.
///
/// # Errors
/// When they are parts of different sweeps, when a case is missing, or when one occurs twice.
pub fn merged(parts: &[(&Path, Table)]) -> Result<Table, SweepError> {
    let described = |(path, table): &(&Path, Table)| -> Result<(serde_json::Value, Shard), SweepError> {
        let wrong = || SweepError::new(format!("`{}` does not say which sweep it is a part of", path.display()));
        let mut description: serde_json::Value = serde_json::from_str(&table.description).map_err(|_| wrong())?;
        let shard = description.get_mut("shard").map(serde_json::Value::take).ok_or_else(wrong)?;
        Ok((description, serde_json::from_value(shard).map_err(|_| wrong())?))
    };
    let Some((first, rest)) = parts.split_first() else { return Err(SweepError::new("expected parts of a sweep")) };
    let (mut whole, shard) = described(first)?;
    for part in rest {
        let (other, other_shard) = described(part)?;
        if let Some(name) =
            differing(&whole, &other).or((shard.of != other_shard.of).then(|| "number of parts".to_owned()))
        {
            return Err(SweepError::new(format!(
                "`{}` and `{}` are parts of different sweeps, which differ in: {name}",
                first.0.display(),
                part.0.display()
            )));
        }
    }
    let mut rows: Vec<Row> = parts.iter().flat_map(|(_, table)| table.rows.iter().cloned()).collect();
    rows.sort_by_key(|row| row.case);
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].case == pair[1].case) {
        return Err(SweepError::new(format!("case {} occurs twice; expected each part once", pair[0].case)));
    }
    let len = whole.get("cases").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if let Some(missing) =
        (0..len).zip(rows.iter().map(|row| row.case).chain([u64::MAX])).find(|(case, found)| case != found)
    {
        let part = missing.0 % shard.of + 1;
        return Err(SweepError::new(format!(
            "{} of {len} cases are missing, the first of them case {}, of part {part}/{}",
            len - rows.len() as u64,
            missing.0,
            shard.of
        )));
    }
    if let Some(shard) = whole.get_mut("shard") {
        *shard = serde_json::to_value(Shard::WHOLE).unwrap_or_default();
    }
    Ok(Table { description: whole.to_string(), rows, ..first.1.clone() })
}

/// The first name whose values differ.
fn differing(a: &serde_json::Value, b: &serde_json::Value) -> Option<String> {
    let (a, b) = (a.as_object()?, b.as_object()?);
    a.iter().find(|(name, value)| b.get(*name) != Some(value)).map(|(name, _)| name.clone())
}
