//! `hamel run`: integrates a model, writes the motion as CSV and plots, and prints a summary.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use hamel::adaptive::AdaptiveStepper;
use hamel::simulation::{Division, Steps};
use hamel::{Caution, Model, Options, Run, Simulation, State, StepError};
use hamel_compiler::escape::file_name;
use hamel_report::folder::Folder;
use hamel_report::output;
use hamel_report::provenance::{self, Provenance};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::failure::Failure;
use crate::integration::{Integration, Plan, options};
use crate::recording;
use crate::runnable::{Runnable, Settings, Table};
use crate::screen::Screen;
use crate::source::{Choice, Choices};
use crate::watch::watch;

/// Arguments of `hamel run`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    integration: Integration,
    #[command(flatten)]
    settings: Settings,
    /// Repeat the run for each of these values of a parameter of the model, and draw all motions in the same plots:
    /// --vary length=0.5,1,2
    #[arg(long, value_name = "NAME=VALUE,…", value_parser = several)]
    vary: Option<(String, Values)>,
    /// Record every N-th step; by default such that there are about a thousand records.
    #[arg(long, value_name = "N", conflicts_with = "adaptive")]
    record: Option<std::num::NonZeroUsize>,
    /// Directory for the results.
    #[arg(long, value_name = "DIR", default_value = "run")]
    out: PathBuf,
    /// Replace files in that directory that were not written by hamel.
    #[arg(long)]
    force: bool,
    /// Run again whenever the file of the model changes, and say what moved, until Ctrl-C.
    #[arg(long)]
    watch: bool,
}

/// The inputs of the run, so that it can be repeated, and how it ended.
#[derive(Serialize)]
struct Description<'a> {
    model: &'a str,
    scheme: String,
    /// The first step, s.
    dt: f64,
    /// By which steps were chosen.
    tolerance: Option<f64>,
    until: f64,
    parameters: &'a [(String, f64)],
    newton_iterations: Option<u32>,
    cautions: Vec<String>,
    failure: Option<String>,
    provenance: &'a Provenance,
}

/// Values of a parameter, one for each run.
#[derive(Clone)]
struct Values(Vec<f64>);

/// `NAME=NUMBER,NUMBER,…`.
fn several(text: &str) -> Result<(String, Values), String> {
    let (name, values) = crate::runnable::named(text)?;
    let number = |value: &str| {
        let value = value.trim();
        let wrong =
            |_| format!("expected numbers after `{name}=`, in SI units and with commas between, found `{value}`");
        value.parse().map_err(wrong)
    };
    let values = values.split(',').map(number).collect::<Result<_, _>>()?;
    Ok((name, Values(values)))
}

/// Integrates models, once or as often as the file of one changes.
pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    if !arguments.watch {
        return once(arguments, screen).map(drop);
    }
    match arguments.choices.each().as_slice() {
        [choice] if choice.own().is_none() => watch(choice.path(), interrupted(), || once(arguments, screen)),
        _ => Err(Failure::Usage("--watch: expected one file, and not a model of this program".to_owned())),
    }
}

/// One of the motions that a command asks for.
struct Motion {
    /// Name of its files, without ending.
    file: String,
    /// What tells it from the others.
    label: String,
    model: Box<dyn Model>,
    parameters: Vec<(String, f64)>,
    plan: Plan,
    /// Number of steps from one record to the next.
    every: usize,
    initial: State,
    options: Options,
}

impl Motion {
    fn new(
        arguments: &Arguments,
        choice: &Choice,
        varied: Option<(&str, f64)>,
        n_models: usize,
    ) -> Result<Motion, Failure> {
        let mut settings = arguments.settings.clone();
        settings.parameters.extend(varied.map(|(name, value)| (name.to_owned(), value)));
        let Runnable { name, model, tables, not_given } = Runnable::new(choice, &settings)?;
        let interval = tables.iter().map(|table| table.interval).fold(f64::INFINITY, f64::min);
        let mut plan = Plan::new(&arguments.integration, &*model, interval, arguments.record.is_some())?;
        for name in not_given {
            plan.said.push(format!("input {name} is 0; see --input"));
        }
        for Table { input, times: [first, last], .. } in tables {
            if first > 0.0 || last < arguments.integration.until {
                plan.said.push(format!(
                    "input {input} is constant before {first} s and after {last} s, where its table ends"
                ));
            }
        }
        let every = recording(arguments, plan.steps)?;
        model.validate().map_err(StepError::from)?;
        let initial = hamel::initial_state(&*model)?;
        // Starting the scheme here reports unsuitable parameters or models before anything is written.
        let options = options(&arguments.integration)?;
        plan.scheme.start_with(&*model, initial.clone(), &options)?;
        if let Steps::Chosen(control) = plan.steps {
            AdaptiveStepper::new(&*model, &*plan.scheme, &options, initial.clone(), control)?;
        }
        // Two versions of a model have its name, and files of their own.
        let stem = choice.path().file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let known = if n_models > 1 { stem.unwrap_or(name) } else { name };
        let (file, label) = match varied {
            None => (known.clone(), known),
            Some((parameter, value)) => {
                let label = format!("{parameter} = {value}{}", unit_of(&*model, parameter));
                let label = if n_models > 1 { format!("{known}, {label}") } else { label };
                (format!("{known}_{parameter}_{value}"), label)
            }
        };
        let parameters = settings.parameters;
        Ok(Motion { file: file_name(&file), label, model, parameters, plan, every, initial, options })
    }

    /// All that a command asks for.
    fn all(arguments: &Arguments) -> Result<Vec<Motion>, Failure> {
        let choices = arguments.choices.each();
        let varied: Vec<Option<(&str, f64)>> = match &arguments.vary {
            None => vec![None],
            Some((name, Values(values))) => values.iter().map(|&value| Some((name.as_str(), value))).collect(),
        };
        let mut motions: Vec<Motion> = Vec::new();
        for choice in &choices {
            for &varied in &varied {
                let motion = Motion::new(arguments, choice, varied, choices.len())?;
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
    fn files(&self) -> [String; 2] {
        [format!("{}.csv", self.file), format!("{}.json", self.file)]
    }

    fn simulate(&self, until: f64) -> Run {
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
    fn report(&self, run: &Run, until: f64, screen: &mut Screen) -> Result<(), Failure> {
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
            screen.line(format!("{steps} steps, the last of {last:.6e} s because {dt} s does not divide {until} s"))?;
        }
        Ok(())
    }

    fn description<'a>(&'a self, run: &Run, until: f64, provenance: &'a Provenance) -> Description<'a> {
        Description {
            model: &self.file,
            scheme: self.plan.scheme.name(),
            dt: self.plan.steps.first(),
            tolerance: self.plan.steps.tolerance(),
            until,
            parameters: &self.parameters,
            newton_iterations: run.outcome.as_ref().ok().map(|stats| stats.newton_iterations),
            cautions: run.cautions.iter().map(Caution::to_string).collect(),
            failure: run.outcome.as_ref().err().map(ToString::to_string),
            provenance,
        }
    }
}

/// Integrates the models and writes the results; if a step fails or the run is interrupted, the results up to that step.
/// Returns the summaries.
fn once(arguments: &Arguments, screen: &mut Screen) -> Result<Vec<Vec<String>>, Failure> {
    arguments.integration.check()?;
    let motions = Motion::all(arguments)?;
    // Collected before the folder is locked: a child process started later would inherit the lock, and hold it if this
    // program were stopped in the meantime.
    let provenance = Provenance::of_this_run();
    let mut folder = Folder::open(&arguments.out, &provenance::command(), arguments.force)?;
    let planned = files(motions.iter());
    folder.check(planned.iter().map(String::as_str))?;
    if let Some(other) = folder.written_before(planned.iter().map(String::as_str)) {
        eprintln!("note: results of `{other}` in {} are replaced", arguments.out.display());
    }
    let mut runs: Vec<(&Motion, Run)> = Vec::new();
    for motion in &motions {
        runs.push((motion, motion.simulate(arguments.integration.until)));
        if interrupted().load(Ordering::Relaxed) {
            break;
        }
    }
    // Written before anything is said: nobody may be listening any more.
    let mut figures = Vec::new();
    for (motion, run) in &runs {
        let [table, about] = motion.files();
        folder.stage(&table, |out| run.trajectory.write_csv(out))?;
        output::stage_json(&mut folder, &about, &motion.description(run, arguments.integration.until, &provenance))?;
        figures.push((motion.label.clone(), recording::figures(&*motion.model, &run.trajectory)));
    }
    let is_alone = motions.len() == 1;
    let figures = match is_alone {
        true => figures.into_iter().flat_map(|(_, figures)| figures).collect(),
        false => recording::overlaid(figures),
    };
    output::stage_figures(&mut folder, "", &figures)?;
    folder.commit()?;
    folder.finish()?;

    let mut summaries = Vec::new();
    for (motion, run) in &runs {
        if !is_alone {
            screen.line(format!("{}:", motion.label))?;
        }
        motion.report(run, arguments.integration.until, screen)?;
        let mut summary = recording::summary(&*motion.model, &run.trajectory);
        screen.table(&summary)?;
        if !is_alone {
            summary.iter_mut().for_each(|row| row[0] = format!("{}, {}", row[0], motion.label));
        }
        summaries.extend(summary);
    }
    let files = files(runs.iter().map(|(motion, _)| *motion));
    screen.line(format!("written to {}: {}", arguments.out.display(), files.join(", ")))?;
    screen.flush()?;
    match runs.into_iter().find_map(|(_, run)| run.outcome.err()) {
        Some(failure) => Err(failure.into()),
        None => Ok(summaries),
    }
}

/// How equal steps divide the motion.
fn division(steps: Steps, until: f64) -> Option<Division> {
    match steps {
        Steps::Fixed(dt) => Division::new(until, dt),
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

/// Names of the files that runs write.
fn files<'m>(motions: impl Iterator<Item = &'m Motion> + Clone) -> Vec<String> {
    let mut files: Vec<String> = motions.clone().flat_map(Motion::files).collect();
    for slug in motions.flat_map(|motion| recording::slugs(&*motion.model)) {
        let figure = format!("{}.svg", file_name(&slug));
        if !files.contains(&figure) {
            files.push(figure);
        }
    }
    files
}

/// Number of steps from one record to the next.
///
/// # Errors
/// For more steps than can be computed.
fn recording(arguments: &Arguments, steps: Steps) -> Result<usize, Failure> {
    let Steps::Fixed(dt) = steps else { return Ok(1) };
    let count = arguments.integration.until / dt;
    if Division::new(arguments.integration.until, dt).is_none() {
        return Err(Failure::Usage(format!("--dt {dt:e} asks for {count:.1e} steps, which never end")));
    }
    Ok(arguments.record.map_or((count / 1000.0).ceil() as usize, usize::from))
}
