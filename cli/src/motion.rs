//! The motions that `hamel run` and `hamel animate` integrate, and what is said of them.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hamel::adaptive::AdaptiveStepper;
use hamel::simulation::{Division, Steps};
use hamel::{Caution, Model, Options, Run, Signal, Simulation, State, StepError};
use hamel_animate::Meshes;
use hamel_compiler::escape::file_name;
use hamel_report::number::readable;
use hamel_report::provenance::Provenance;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::failure::Failure;
use crate::integration::{Integration, Plan, options};
use crate::quantity::{self, Given};
use crate::runnable::{Runnable, Settings};
use crate::screen::Screen;
use crate::source::Choice;

/// The inputs of the run, so that it can be repeated, and how it ended.
#[derive(Serialize)]
pub(crate) struct Description<'a> {
    model: &'a str,
    /// What tells the run from others of the same command.
    label: &'a str,
    scheme: String,
    /// The first step, s.
    dt: f64,
    /// By which steps were chosen.
    tolerance: Option<f64>,
    until: f64,
    parameters: &'a [(String, f64)],
    /// Names of inputs, with the functions or tables that were given.
    inputs: &'a [(String, String)],
    newton_iterations: Option<u32>,
    cautions: Vec<String>,
    failure: Option<String>,
    provenance: &'a Provenance,
    /// The text of the model, by which `hamel animate` draws it.
    source: &'a str,
    /// Where the paths of its meshes start.
    folder: String,
}

/// A constraint with a smaller rate at rest is one that rests.
const MOVES: f64 = 1e-12;

/// Where motions begin.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct Beginning {
    /// Begin at the initial state of the model, or at rest in the equilibrium that is found from it.
    #[arg(long, value_name = "WHERE", default_value = "initial")]
    from: From,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum From {
    Initial,
    Equilibrium,
}

impl Beginning {
    /// Whether nothing is asked for.
    pub(crate) fn is_usual(self) -> bool {
        self.from == From::Initial
    }

    /// The first state of a motion, and what there is to say about it.
    fn state(self, model: &dyn Model) -> Result<(State, Option<String>), Failure> {
        let initial = hamel::initial_state(model)?;
        if self.is_usual() {
            return Ok((initial, None));
        }
        let refused = |reason: String| Failure::Usage(format!("--from equilibrium: {reason}"));
        let info = model.describe();
        if !info.contacts.is_empty() {
            return Err(refused(format!("{}: an equilibrium does not know of contacts", info.name)));
        }
        let found = hamel::equilibrium(model, &initial).map_err(|error| refused(error.to_string()))?;
        let mut state = found.state;
        let (mut rate, mut unused) = (vec![0.0; state.lambda.len()], vec![0.0; state.lambda.len()]);
        model.constraint_bias(state.t, state.q.as_slice(), state.v.as_slice(), &mut rate, &mut unused);
        if let Some((constraint, rate)) = info.constraints.iter().zip(rate).find(|(_, rate)| rate.abs() > MOVES) {
            let name = &constraint.name;
            return Err(refused(format!("{}: nothing rests, because `{name}` moves at {rate}", info.name)));
        }
        // Drives may accelerate what is at rest.
        hamel::consistent_acceleration(model, &mut state).map_err(|error| refused(error.to_string()))?;
        let potential =
            |state: &State| readable(model.energy(state.t, state.q.as_slice(), state.v.as_slice()).potential, 6);
        let mut said = format!(
            "starts at rest, in an equilibrium with {} J of potential energy ({} J in the initial state, whose velocities do not count); `hamel linearize` says whether it is stable",
            potential(&state),
            potential(&initial)
        );
        let free = found.free.iter().filter_map(|&place| info.velocities.get(place));
        let free: Vec<&str> = free.map(|channel| channel.name.as_str()).collect();
        if !free.is_empty() {
            said.push_str(&format!("; it is one of many, which differ in {}", free.join(", ")));
        }
        Ok((state, Some(said)))
    }
}

/// Values of a parameter, one for each run.
#[derive(Clone)]
pub(crate) struct Values(Vec<f64>);

/// `NAME=NUMBER,NUMBER,…`.
pub(crate) fn several(text: &str) -> Result<Given<Values>, String> {
    let number = |value: &str| {
        let value = value.trim();
        let wrong = |_| format!("expected numbers with commas between, in SI units or with theirs, found `{value}`");
        value.parse().map_err(wrong)
    };
    quantity::given(text, |values| Ok(Values(values.split(',').map(number).collect::<Result<_, _>>()?)))
}

/// What a command asks for.
pub(crate) struct Asked<'a> {
    pub choices: Vec<Choice>,
    pub integration: &'a Integration,
    pub settings: &'a Settings,
    pub beginning: Beginning,
    /// A parameter, and its value in each run.
    pub vary: Option<&'a Given<Values>>,
    /// Record every so many steps.
    pub record: Option<NonZeroUsize>,
}

/// One of the motions that a command asks for.
pub(crate) struct Motion {
    /// Name of its files, without ending.
    file: String,
    /// What tells it from the others.
    pub label: String,
    pub model: Box<dyn Model>,
    pub parameters: Vec<(String, f64)>,
    /// Inputs that are given.
    pub signals: Vec<(String, Signal)>,
    /// Files beside that of the model.
    pub meshes: Arc<Meshes>,
    /// As they are written.
    inputs: Vec<(String, String)>,
    plan: Plan,
    /// Number of steps from one record to the next.
    every: usize,
    initial: State,
    options: Options,
}

impl Motion {
    fn new(
        asked: &Asked,
        choice: &Choice,
        meshes: &Arc<Meshes>,
        varied: Option<Given<f64>>,
        n_models: usize,
    ) -> Result<Motion, Failure> {
        let mut settings = asked.settings.clone();
        settings.parameters.extend(varied.clone());
        let Runnable { name, model, tables, not_given, signals } = Runnable::new(choice, &settings)?;
        let mut plan = Plan::new(asked.integration, &*model)?;
        for name in not_given {
            plan.said.push(format!("input {name} is 0; see --input"));
        }
        plan.said.extend(tables.iter().filter_map(|table| table.said(asked.integration.until)));
        if let Steps::Fixed(dt) = plan.steps {
            plan.said.extend(tables.iter().filter_map(|table| table.passed_over(dt)));
        }
        let every = recording(asked, plan.steps)?;
        model.validate().map_err(StepError::from)?;
        let (initial, said) = asked.beginning.state(&*model)?;
        plan.said.extend(said);
        // Starting the scheme here reports unsuitable parameters or models before anything is written.
        let options = options(asked.integration)?;
        plan.scheme.start_with(&*model, initial.clone(), &options)?;
        if let Steps::Chosen(control) = plan.steps {
            AdaptiveStepper::new(&*model, &*plan.scheme, &options, initial.clone(), control)?;
        }
        // Two versions of a model have its name, and files of their own.
        let stem = choice.path().file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let known = if n_models > 1 { stem.unwrap_or(name) } else { name };
        let (file, label) = match varied {
            None => (known.clone(), known),
            Some(Given { name: parameter, value, .. }) => {
                let label = format!("{parameter} = {value}{}", unit_of(&*model, &parameter));
                let label = if n_models > 1 { format!("{known}, {label}") } else { label };
                (format!("{known}_{parameter}_{value}"), label)
            }
        };
        let inputs = settings.inputs().to_vec();
        let parameters = settings.values();
        let (file, meshes) = (file_name(&file), Arc::clone(meshes));
        Ok(Motion { file, label, model, parameters, signals, meshes, inputs, plan, every, initial, options })
    }

    /// All that a command asks for.
    pub(crate) fn all(asked: &Asked) -> Result<Vec<Motion>, Failure> {
        let choices = &asked.choices;
        let varied: Vec<Option<Given<f64>>> = match asked.vary {
            None => vec![None],
            Some(given) => given.value.0.iter().map(|&value| Some(given.with(value))).collect(),
        };
        let mut motions: Vec<Motion> = Vec::new();
        for choice in choices {
            let meshes = Arc::new(choice.meshes());
            for varied in &varied {
                let motion = Motion::new(asked, choice, &meshes, varied.clone(), choices.len())?;
                if motions.iter().any(|known| known.file == motion.file) {
                    return Err(Failure::Usage(format!(
                        "two runs would write {}.csv: expected files and values that differ",
                        motion.file
                    )));
                }
                motions.push(motion);
            }
        }
        Ok(motions)
    }

    /// Names of the files that are its own.
    pub(crate) fn files(&self) -> [String; 2] {
        [format!("{}.csv", self.file), format!("{}.json", self.file)]
    }

    pub(crate) fn simulate(&self, until: f64) -> Run {
        let bar = progress();
        let advance = |t: f64| bar.set_position((1000.0 * t / until) as u64);
        let simulation = Simulation::new(&*self.model, &*self.plan.scheme)
            .options(self.options)
            .until(until)
            .on_progress(advance)
            .cancelled_by(interrupted());
        let run = simulation.steps(self.plan.steps).record_every(self.every).run(self.initial.clone());
        bar.finish_and_clear();
        run
    }

    /// Says what was set, chosen and found.
    pub(crate) fn report(&self, run: &Run, until: f64, screen: &mut Screen) -> Result<(), Failure> {
        let Plan { scheme, steps, said, .. } = &self.plan;
        said.iter().try_for_each(|line| screen.line(line))?;
        for (name, value) in &self.parameters {
            screen.line(format!("set {name} = {value}{}", unit_of(&*self.model, name)))?;
        }
        if let Steps::Chosen(_) = steps {
            screen.line(format!("{} steps accepted, {} rejected", run.accepted, run.rejected))?;
        }
        for caution in &run.cautions {
            eprintln!("caution: {}: {caution}", scheme.label());
        }
        let at_first = if steps.tolerance().is_some() { " at first" } else { "" };
        let name = &self.model.describe().name;
        screen.line(format!("{name}, {}, h = {} s{at_first}", scheme.name(), steps.first()))?;
        if let Some(division) = division(*steps, until).filter(|division| division.last != division.dt) {
            let Division { steps, dt, last } = division;
            let steps = if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps, the last") };
            screen.line(format!("{steps} of {last:.6e} s because {dt} s does not divide {until} s"))?;
        }
        Ok(())
    }

    pub(crate) fn description<'a>(&'a self, run: &Run, until: f64, provenance: &'a Provenance) -> Description<'a> {
        Description {
            model: &self.file,
            label: &self.label,
            scheme: self.plan.scheme.name(),
            dt: self.plan.steps.first(),
            tolerance: self.plan.steps.tolerance(),
            until,
            parameters: &self.parameters,
            inputs: &self.inputs,
            newton_iterations: run.outcome.as_ref().ok().map(|stats| stats.newton_iterations),
            cautions: run.cautions.iter().map(Caution::to_string).collect(),
            failure: run.outcome.as_ref().err().map(ToString::to_string),
            provenance,
            source: &self.model.describe().source,
            folder: self.meshes.folder().to_string_lossy().into_owned(),
        }
    }
}

/// How equal steps divide the motion.
fn division(steps: Steps, until: f64) -> Option<Division> {
    match steps {
        Steps::Fixed(dt) => Division::new(until, dt.min(until)),
        Steps::Chosen(_) => None,
    }
}

/// Time that has passed and is left, on a terminal.
pub(crate) fn progress() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    let style = ProgressStyle::with_template("{bar:40} {percent} %, {elapsed} passed, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Set when the user interrupts the program: the run ends, and what was computed is written.
pub(crate) fn interrupted() -> &'static AtomicBool {
    static INTERRUPTED: AtomicBool = AtomicBool::new(false);
    // Without a handler, an interruption ends the program; nothing is left half written then.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &INTERRUPTED
}

/// The unit of a parameter, with a blank before it.
fn unit_of(model: &dyn Model, name: &str) -> String {
    match model.describe().parameters.iter().find(|channel| channel.name == name).map(|channel| channel.unit.as_str()) {
        Some("1") => " (rad, if it is an angle)".to_owned(),
        Some(unit) => format!(" {unit}"),
        None => String::new(),
    }
}

/// Number of steps from one record to the next.
///
/// # Errors
/// For more steps than can be computed.
fn recording(asked: &Asked, steps: Steps) -> Result<usize, Failure> {
    let Steps::Fixed(dt) = steps else { return Ok(asked.record.map_or(1, usize::from)) };
    let count = asked.integration.until / dt;
    if Division::new(asked.integration.until, dt).is_none() {
        return Err(Failure::Usage(format!("--dt {dt:e} asks for {count:.1e} steps, which never end")));
    }
    Ok(asked.record.map_or((count / 1000.0).ceil() as usize, usize::from))
}
