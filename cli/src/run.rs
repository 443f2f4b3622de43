//! `hamel run`: integrates a model, writes the motion as CSV and plots, and prints a summary.

use std::path::PathBuf;

use hamel::adaptive::{AdaptiveStepper, Control};
use hamel::newton::Tolerance;
use hamel::simulation::Division;
use hamel::{
    Caution, ConstraintLevel, Drift, Model, Options, RotationReference, Run, Scheme, Simulation, Watchers, schemes,
};
use hamel_compiler::escape::file_name;
use hamel_models::ModelEntry;
use hamel_report::folder::Folder;
use hamel_report::output::{self, OutputError};
use hamel_report::provenance::{self, Provenance};
use serde::Serialize;

use crate::failure::Failure;
use crate::recording;
use crate::screen::Screen;

/// Arguments of `hamel run`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Name of a model, see `hamel list`.
    model: String,
    /// Name of a scheme, see `hamel list`.
    #[arg(long, value_name = "NAME")]
    scheme: String,
    /// Step size, s.
    #[arg(long, visible_alias = "step", value_name = "H", allow_hyphen_values = true)]
    dt: f64,
    /// End of the motion, s.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    until: f64,
    /// Set a parameter of the scheme, see `hamel list schemes`: --with rho_infinity=0.5
    #[arg(long = "with", value_name = "NAME=VALUE", value_parser = assignment)]
    scheme_parameters: Vec<(String, f64)>,
    /// Level at which constraints on coordinates are imposed; by default the one that the scheme prefers.
    #[arg(long, value_name = "LEVEL")]
    constraints: Option<Level>,
    /// Treatment of the drift of coordinates, where constraints are imposed on velocities; removed by default.
    #[arg(long, value_name = "WHAT")]
    drift: Option<DriftArgument>,
    /// Largest residual of a constraint on positions, relative to the model's lengths; a run that exceeds it ends with
    /// an error. `inf` turns the check off.
    #[arg(long, value_name = "RATIO")]
    max_residual: Option<f64>,
    /// Largest energy that the scheme may add, relative to the energy in motion; a run that exceeds it ends with an
    /// error. `inf` turns the check off.
    #[arg(long, value_name = "RATIO")]
    max_energy_gain: Option<f64>,
    /// Relative tolerance of Newton's method.
    #[arg(long, value_name = "E")]
    newton_tolerance: Option<f64>,
    /// Measure rotations from the orientation of the last stage instead of the one at the beginning of the step.
    #[arg(long)]
    last_point_rotations: bool,
    /// Set a parameter of the model, component by component: --set mass=2 --set inertia_xx=0.1
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, f64)>,
    /// Choose step sizes by this relative and absolute tolerance; `--dt` is the first step. Only for schemes that
    /// estimate their error, see `hamel list schemes`.
    #[arg(long, value_name = "TOLERANCE", conflicts_with = "record")]
    adaptive: Option<f64>,
    /// Record every N-th step; by default such that there are about a thousand records.
    #[arg(long, value_name = "N")]
    record: Option<std::num::NonZeroUsize>,
    /// Directory for the results.
    #[arg(long, value_name = "DIR", default_value = "run")]
    out: PathBuf,
    /// Replace files in that directory that were not written by hamel.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Level {
    /// On positions (index 3).
    Position,
    /// On velocities (index 2).
    Velocity,
    /// On accelerations (index 1).
    Acceleration,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum DriftArgument {
    /// Coordinates and velocities are projected onto the constraints after every step.
    Removed,
    /// Coordinates are not corrected, as in the published schemes.
    Kept,
}

/// The inputs of the run, so that it can be repeated, and how it ended.
#[derive(Serialize)]
struct Description<'a> {
    model: &'a str,
    scheme: String,
    dt: f64,
    until: f64,
    parameters: &'a [(String, f64)],
    newton_iterations: Option<u32>,
    cautions: Vec<String>,
    failure: Option<String>,
    provenance: Provenance,
}

/// Integrates the model and writes the results; if a step fails, the results up to that step.
pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let every = recording(arguments)?;
    let model = model(&arguments.model, &arguments.parameters)?;
    let scheme = scheme(arguments)?;
    let initial = hamel::initial_state(&*model)?;
    // Starting the scheme here reports unsuitable parameters or models before anything is written.
    let options = options(arguments)?;
    scheme.start_with(&*model, initial.clone(), &options)?;
    if let Some(tolerance) = arguments.adaptive {
        AdaptiveStepper::new(&*model, &*scheme, &options, initial.clone(), control(arguments.dt, tolerance))?;
    }
    // Collected before the folder is locked: a child process started later would inherit the lock, and hold it if this
    // program were stopped in the meantime.
    let provenance = Provenance::of_this_run();
    let folder = Folder::open(&arguments.out, &provenance::command(), arguments.force)?;
    folder.check(files(&arguments.model, &*model).iter().map(String::as_str))?;

    let (dt, until) = (arguments.dt, arguments.until);
    let simulation = Simulation::new(&*model, &*scheme).options(options).until(until);
    let run = match arguments.adaptive {
        None => simulation.step(dt).record_every(every).run(initial),
        Some(tolerance) => simulation.control(control(dt, tolerance)).run(initial),
    };
    if arguments.adaptive.is_some() {
        screen.line(format!("{} steps accepted, {} rejected", run.accepted, run.rejected))?;
    }
    for caution in &run.cautions {
        eprintln!("caution: {}: {caution}", scheme.label());
    }
    write(folder, arguments, &*model, &*scheme, &run, provenance)?;
    let files = files(&arguments.model, &*model);
    let first = if arguments.adaptive.is_some() { " at first" } else { "" };
    screen.line(format!("{}, {}, h = {} s{first}", model.describe().name, scheme.name(), arguments.dt))?;
    let division = Division::new(arguments.until, arguments.dt).filter(|_| arguments.adaptive.is_none());
    if let Some(division) = division.filter(|division| division.last != division.dt) {
        let Division { steps, dt, last } = division;
        screen.line(format!(
            "{steps} steps, the last of {last:.6e} s because {dt} s does not divide {} s",
            arguments.until
        ))?;
    }
    screen.table(&recording::summary(&*model, &run.trajectory))?;
    screen.line(format!("written to {}: {}", arguments.out.display(), files.join(", ")))?;
    screen.flush()?;
    run.outcome.map(|_| ()).map_err(Failure::from)
}

/// Step size control with the same relative and absolute tolerance.
fn control(first_step: f64, tolerance: f64) -> Control {
    Control { first_step, ..Control::tolerance(tolerance) }
}

/// Names of the files that a run writes.
fn files(name: &str, model: &dyn Model) -> Vec<String> {
    let figures = recording::slugs(model).into_iter().map(|slug| format!("{}.svg", file_name(&slug)));
    [format!("{name}.csv"), format!("{name}.json")].into_iter().chain(figures).collect()
}

/// Writes the motion as CSV, its plots, and the description of the run.
fn write(
    mut folder: Folder,
    arguments: &Arguments,
    model: &dyn Model,
    scheme: &dyn Scheme,
    run: &Run,
    provenance: Provenance,
) -> Result<(), OutputError> {
    let name = &arguments.model;
    folder.stage(&format!("{name}.csv"), |out| run.trajectory.write_csv(out))?;
    output::stage_figures(&mut folder, "", &recording::figures(model, &run.trajectory))?;
    let description = Description {
        model: name,
        scheme: scheme.name(),
        dt: arguments.dt,
        until: arguments.until,
        parameters: &arguments.parameters,
        newton_iterations: run.outcome.as_ref().ok().map(|stats| stats.newton_iterations),
        cautions: run.cautions.iter().map(Caution::to_string).collect(),
        failure: run.outcome.as_ref().err().map(ToString::to_string),
        provenance,
    };
    output::stage_json(&mut folder, &format!("{name}.json"), &description)?;
    folder.commit()?;
    Ok(folder.finish()?)
}

fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "expected NAME=VALUE".to_owned())?;
    let value = value.trim().parse().map_err(|_| format!("expected a number after `{name}=`, found `{value}`"))?;
    Ok((name.trim().to_owned(), value))
}

/// Number of steps from one record to the next.
///
/// # Errors
/// For times that are not positive, and for more steps than can be computed.
fn recording(arguments: &Arguments) -> Result<usize, Failure> {
    for (option, value) in [("--dt", arguments.dt), ("--until", arguments.until)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(Failure::Usage(format!("{option} must be a positive time, but is {value}")));
        }
    }
    // Chosen steps begin with this one and grow.
    if arguments.adaptive.is_none() && Division::new(arguments.until, arguments.dt).is_none() {
        let steps = arguments.until / arguments.dt;
        return Err(Failure::Usage(format!("--dt {:e} asks for {steps:.1e} steps, which never end", arguments.dt)));
    }
    let about_a_thousand = (arguments.until / arguments.dt / 1000.0).ceil() as usize;
    Ok(arguments.record.map_or(about_a_thousand, usize::from))
}

fn model(name: &str, parameters: &[(String, f64)]) -> Result<Box<dyn Model>, Failure> {
    let names = hamel_models::ALL.iter().map(|entry| entry.name);
    let ModelEntry { build, .. } = hamel_models::find(name).ok_or_else(|| Failure::unknown("model", name, names))?;
    build(parameters)
        .map_err(|error| Failure::unknown("parameter", &error.name, error.known.iter().map(|channel| channel.name)))
}

fn scheme(arguments: &Arguments) -> Result<Box<dyn Scheme>, Failure> {
    // Names have underscores, as those of models do; hyphens are accepted as well.
    let name = arguments.scheme.replace('-', "_");
    let Some(entry) = schemes::entries().find(|entry| entry.name == name) else {
        return Err(Failure::unknown("scheme", &arguments.scheme, schemes::entries().map(|entry| entry.name)));
    };
    let given: Vec<(&str, f64)> = arguments.scheme_parameters.iter().map(|(name, value)| (&**name, *value)).collect();
    Ok(entry.scheme(&given)?)
}

fn options(arguments: &Arguments) -> Result<Options, Failure> {
    let limits = [
        ("--max-residual", arguments.max_residual),
        ("--max-energy-gain", arguments.max_energy_gain),
        ("--newton-tolerance", arguments.newton_tolerance),
    ];
    for (option, value) in limits.into_iter().filter_map(|(option, value)| Some((option, value?))) {
        if value.is_nan() || value <= 0.0 {
            return Err(Failure::Usage(format!("{option} must be a positive number, but is {value}")));
        }
    }
    let level = |level| match level {
        Level::Position => ConstraintLevel::Position,
        Level::Velocity => ConstraintLevel::Velocity,
        Level::Acceleration => ConstraintLevel::Acceleration,
    };
    let rotation_reference = match arguments.last_point_rotations {
        true => RotationReference::LastPoint,
        false => RotationReference::StepStart,
    };
    let drift = match arguments.drift {
        None | Some(DriftArgument::Removed) => Drift::Removed,
        Some(DriftArgument::Kept) => Drift::Kept,
    };
    let usual = Watchers::default();
    let watchers = Watchers {
        constraints: arguments.max_residual.map_or(usual.constraints, Some),
        energy: arguments.max_energy_gain.map_or(usual.energy, Some),
        ..usual
    };
    let usual = Tolerance::default();
    let tolerance = Tolerance { relative: arguments.newton_tolerance.unwrap_or(usual.relative), ..usual };
    let constraint_level = arguments.constraints.map(level);
    Ok(Options { tolerance, constraint_level, drift, rotation_reference, watchers, ..Options::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_need_a_name_and_a_number() {
        assert_eq!(assignment("mass=2.5"), Ok(("mass".into(), 2.5)));
        assert_eq!(assignment("tip[1] = -1e-3"), Ok(("tip[1]".into(), -1e-3)));
        assert!(assignment("mass").unwrap_err().contains("NAME=VALUE"));
        assert!(assignment("mass=heavy").unwrap_err().contains("`heavy`"));
    }
}
