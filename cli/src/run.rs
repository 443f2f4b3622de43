//! `hamel run`: integrates a model, writes the motion as CSV and plots, and prints a summary.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use hamel::Run;
use hamel_compiler::escape::file_name;
use hamel_report::folder::Folder;
use hamel_report::output;
use hamel_report::provenance::{self, Provenance};
use hamel_report::recorded;

use crate::animate;
use crate::failure::Failure;
use crate::integration::Integration;
use crate::motion::{Asked, Beginning, Motion, Values, interrupted, several};
use crate::quantity::Given;
use crate::recording;
use crate::runnable::Settings;
use crate::screen::Screen;
use crate::source::Choices;
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
    #[command(flatten)]
    beginning: Beginning,
    /// Repeat the run for each of these values of a parameter of the model, and draw all motions in the same plots:
    /// --vary length=0.5,1,2 or --vary length=50cm,1m
    #[arg(long, value_name = "NAME=VALUE,…", value_parser = several)]
    vary: Option<Given<Values>>,
    /// Record every N-th step; by default such that there are about a thousand records, or every step where steps are chosen.
    #[arg(long, value_name = "N")]
    record: Option<std::num::NonZeroUsize>,
    /// Also write an animation, one HTML page that works offline; or glTF, a picture of the start or a film, if its name ends
    /// in .glb, .png, or .mp4, .webm or .gif: --animate motion.html
    #[arg(long, value_name = "FILE")]
    animate: Option<PathBuf>,
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

/// Integrates models, once or as often as the file of one changes.
pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    if let Some(path) = &arguments.animate {
        animate::may_write(path, arguments.force)?;
    }
    if !arguments.watch {
        return once(arguments, screen).map(drop);
    }
    match arguments.choices.each().as_slice() {
        [choice] if choice.own().is_none() => watch(choice.path(), interrupted(), || once(arguments, screen)),
        _ => Err(Failure::Usage("--watch: expected one file, and not a model of this program".to_owned())),
    }
}

/// Integrates the models and writes the results; if a step fails or the run is interrupted, the results up to that step.
/// Returns the summaries.
fn once(arguments: &Arguments, screen: &mut Screen) -> Result<Vec<Vec<String>>, Failure> {
    arguments.integration.check()?;
    let asked = Asked {
        choices: arguments.choices.each(),
        integration: &arguments.integration,
        settings: &arguments.settings,
        beginning: arguments.beginning,
        vary: arguments.vary.as_ref(),
        record: arguments.record,
    };
    let motions = Motion::all(&asked)?;
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
        figures.push((motion.label.clone(), recorded::figures(motion.model.describe(), &run.trajectory)));
    }
    let is_alone = motions.len() == 1;
    let figures = recorded::overlaid(figures);
    output::stage_figures(&mut folder, "", &figures)?;
    folder.commit()?;
    folder.finish()?;
    if let Some(path) = &arguments.animate {
        animate::of_runs(path, &runs, &figures)?;
    }

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
    if let Some(path) = &arguments.animate {
        screen.line(format!("animation in {}", path.display()))?;
    }
    screen.flush()?;
    match runs.into_iter().find_map(|(_, run)| run.outcome.err()) {
        Some(failure) => Err(failure.into()),
        None => Ok(summaries),
    }
}

/// Names of the files that runs write.
fn files<'m>(motions: impl Iterator<Item = &'m Motion> + Clone) -> Vec<String> {
    let mut files: Vec<String> = motions.clone().flat_map(Motion::files).collect();
    for slug in motions.flat_map(|motion| recorded::slugs(motion.model.describe())) {
        let figure = format!("{}.svg", file_name(&slug));
        if !files.contains(&figure) {
            files.push(figure);
        }
    }
    files
}
