//! `hamel animate`: a page, glTF file, picture or film that shows motions, of a folder of results or of models that are run
//! for it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hamel::{Model, Run, Signal, Trajectory};
use hamel_animate::{Meshes, Scene};
use hamel_compiler::file;
use hamel_jit::{Cache, Level};
use hamel_report::{Figure, recorded};
use serde::Deserialize;

use crate::failure::Failure;
use crate::film::{Filming, Kind};
use crate::import::Robot;
use crate::integration::Integration;
use crate::motion::{Asked, Beginning, Motion, Values, several};
use crate::quantity::Given;
use crate::runnable::{self, Settings};
use crate::screen::{Screen, new_or_forced};
use crate::source::Choices;

/// Arguments of `hamel animate`.
#[derive(clap::Args)]
// A folder of results has its end.
#[command(mut_arg("until", |until| until.required(false)))]
pub(crate) struct Arguments {
    /// A folder that `hamel run` has written, or models and files as `hamel run` takes them, which are run for it (then
    /// with --until). Several motions are shown together.
    #[arg(value_name = "FOLDER|MODEL|FILE", required = true)]
    what: Vec<PathBuf>,
    /// The page; or glTF 2.0 for other programs, a still picture or a film, if the name ends in .glb, .png, or .mp4, .webm or
    /// .gif. Pictures and films need Chromium, Chrome or Edge, and films FFmpeg.
    #[arg(long, short, value_name = "FILE", default_value = "animation.html")]
    output: PathBuf,
    /// Replace a file that is no page of this program.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    filming: Filming,
    /// Title of the page; by default the name of the model.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Which model of a file that has several.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    robot: Robot,
    #[command(flatten)]
    integration: Option<Integration>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    beginning: Beginning,
    /// Repeat the run for each of these values of a parameter, and show all motions: --vary length=0.5,1,2
    #[arg(long, value_name = "NAME=VALUE,…", value_parser = several)]
    vary: Option<Given<Values>>,
}

/// What `hamel run` has written about a motion.
#[derive(Deserialize)]
struct Saved {
    label: String,
    parameters: Vec<(String, f64)>,
    inputs: Vec<(String, String)>,
    source: String,
    /// What was written before there were meshes has none.
    #[serde(default)]
    folder: PathBuf,
}

/// A motion with the model that moved.
struct Shown {
    label: String,
    model: Box<dyn Model>,
    parameters: Vec<(String, f64)>,
    signals: Vec<(String, Signal)>,
    trajectory: Trajectory,
    meshes: Arc<Meshes>,
}

/// Writes a page.
pub(crate) fn animate(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let kind = may_write(&arguments.output, arguments.force)?;
    if let Some(option) = arguments.filming.ignored(kind) {
        let path = arguments.output.display();
        let owners = match option {
            "--at" => "pictures (.png)",
            "--rate" | "--speed" => "films (.mp4, .webm, .gif)",
            _ => "pictures (.png) and films (.mp4, .webm, .gif)",
        };
        return Err(Failure::Usage(format!("`{path}` has no {option}, which belongs to {owners}")));
    }
    let (folders, models): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments.what.iter().partition(|what| what.is_dir());
    if let Some(option) = arguments.ignored().filter(|_| models.is_empty()) {
        return Err(Failure::Usage(format!(
            "{option} belongs to a run: expected a model or a file, found folders of results alone"
        )));
    }
    let mut shown = Vec::new();
    for folder in &folders {
        let mut found = saved(folder, arguments.settings.cache().as_ref())?;
        if folders.len() > 1 {
            found.iter_mut().for_each(|one| one.label = format!("{}, {}", one.label, folder.display()));
        }
        shown.extend(found);
    }
    if !models.is_empty() {
        shown.extend(run(arguments, models, screen)?);
    }
    let figures = figures(shown.iter().map(|one| (one.label.clone(), &*one.model, &one.trajectory)).collect());
    let title = arguments.title.clone().or_else(|| shown.first().map(|one| one.model.describe().name.clone()));
    let motions: Vec<hamel_animate::Motion> = shown.iter().map(Shown::motion).collect();
    write(&arguments.output, &title.unwrap_or_default(), &motions, &figures, &arguments.filming)?;
    Ok(screen.line(format!("written: {}", arguments.output.display()))?)
}

impl Arguments {
    /// An option that runs alone have.
    fn ignored(&self) -> Option<&'static str> {
        [
            ("--vary", self.vary.is_some()),
            ("--until", self.integration.is_some()),
            ("--from", !self.beginning.is_usual()),
            ("--model", self.model.is_some()),
            ("--set, --initial or --input", !self.settings.is_empty()),
        ]
        .into_iter()
        .find_map(|(option, is_given)| is_given.then_some(option))
    }
}

impl Shown {
    fn motion(&self) -> hamel_animate::Motion<'_> {
        hamel_animate::Motion {
            label: &self.label,
            info: self.model.describe(),
            parameters: &self.parameters,
            inputs: &self.signals,
            trajectory: &self.trajectory,
            meshes: &self.meshes,
        }
    }
}

/// The kind of a file that may be written: it is not there, or a page of this program, or to be replaced.
pub(crate) fn may_write(path: &Path, is_forced: bool) -> Result<Kind, Failure> {
    let kind = Kind::of(path)?;
    new_or_forced(path, is_forced, |begin| String::from_utf8_lossy(begin).contains(hamel_animate::GENERATOR))?;
    Ok(kind)
}

/// What shows the motions of `hamel run`.
pub(crate) fn of_runs(path: &Path, runs: &[(&Motion, Run)], figures: &[Figure]) -> Result<(), Failure> {
    let motions: Vec<hamel_animate::Motion> = runs
        .iter()
        .map(|(motion, run)| hamel_animate::Motion {
            label: &motion.label,
            info: motion.model.describe(),
            parameters: &motion.parameters,
            inputs: &motion.signals,
            trajectory: &run.trajectory,
            meshes: &motion.meshes,
        })
        .collect();
    let title = runs.first().map(|(motion, _)| motion.model.describe().name.clone()).unwrap_or_default();
    write(path, &title, &motions, figures, &Filming::default())
}

/// Writes what the name of the file asks for.
pub(crate) fn write(
    path: &Path,
    title: &str,
    motions: &[hamel_animate::Motion],
    figures: &[Figure],
    filming: &Filming,
) -> Result<(), Failure> {
    let scenes = motions.iter().map(|motion| {
        Scene::new(motion).map_err(|error| Failure::Usage(format!("animation of {}: {error}", motion.label)))
    });
    let scenes: Vec<Scene> = scenes.collect::<Result<_, _>>()?;
    for line in hamel_animate::unread_files(scenes.iter().flat_map(|scene| &scene.unread)) {
        eprintln!("caution: {line}");
    }
    let bytes = filming.bytes(path, title, &scenes, figures)?;
    file::write(path, |out| out.write_all(&bytes)).map_err(|error| Failure::Unwritten(error.to_string()))
}

/// The plots of several motions, or of one.
pub(crate) fn figures(motions: Vec<(String, &dyn Model, &Trajectory)>) -> Vec<Figure> {
    let each = motions.into_iter().map(|(label, model, table)| (label, recorded::figures(model.describe(), table)));
    recorded::overlaid(each.collect())
}

/// Runs models; what a run has computed is shown also where it has failed.
fn run(arguments: &Arguments, models: Vec<&PathBuf>, screen: &mut Screen) -> Result<Vec<Shown>, Failure> {
    let Some(integration) = &arguments.integration else {
        return Err(Failure::Usage(format!(
            "`{}` is no folder of results: expected --until with the end of the motion, s, for a model that is run",
            models[0].display()
        )));
    };
    integration.check()?;
    let choices = Choices::new(models.into_iter().cloned().collect(), arguments.model.clone(), arguments.robot.clone());
    let asked = Asked {
        choices: choices.each(),
        integration,
        settings: &arguments.settings,
        beginning: arguments.beginning,
        vary: arguments.vary.as_ref(),
        record: None,
    };
    let mut shown = Vec::new();
    for motion in Motion::all(&asked)? {
        let run = motion.simulate(integration.until);
        motion.report(&run, integration.until, screen)?;
        if let Err(failure) = &run.outcome {
            eprintln!("caution: {}: {failure}; what was computed before is shown", motion.label);
        }
        let Motion { label, model, parameters, signals, meshes, .. } = motion;
        shown.push(Shown { label, model, parameters, signals, trajectory: run.trajectory, meshes });
    }
    Ok(shown)
}

/// The motions of a folder, in the order of their files.
fn saved(folder: &Path, cache: Option<&Cache>) -> Result<Vec<Shown>, Failure> {
    let wrong = |path: &Path, what: &dyn std::fmt::Display| Failure::Usage(format!("{}: {what}", path.display()));
    let entries = fs::read_dir(folder).map_err(|error| wrong(folder, &error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort_by_key(|path| numbered(&path.to_string_lossy()));
    let mut shown: Vec<Shown> = Vec::new();
    for path in paths {
        let table = path.with_extension("csv");
        let Ok(saved) = serde_json::from_str::<Saved>(&file::text(&path)?) else { continue };
        if !table.is_file() {
            continue;
        }
        let trajectory = Trajectory::read_csv(&file::text(&table)?).map_err(|error| wrong(&table, &error))?;
        let tokens = saved.source.parse().map_err(|error| wrong(&path, &error))?;
        let mut model =
            hamel_jit::model(tokens, Level::AtOnce, cache).map_err(|error| runnable::failed(&path, error))?;
        let whole = Trajectory::new(&model);
        let is_there =
            |(place, name): &(usize, &str)| trajectory.columns().get(*place).is_some_and(|c| c.name == *name);
        let mut columns = whole.columns().iter().map(|column| column.name.as_str()).enumerate();
        if let Some((_, missing)) = columns.find(|column| !is_there(column)) {
            return Err(wrong(&table, &hamel_animate::Error::Column(missing.to_owned())));
        }
        if let Some((row, _)) =
            trajectory.rows().enumerate().find(|(_, row)| !row.iter().all(|value| value.is_finite()))
        {
            return Err(wrong(&table, &format!("row {} has numbers that are not finite", row + 1)));
        }
        model.set(&saved.parameters).map_err(|error| wrong(&path, &error))?;
        let mut signals = Vec::new();
        for (name, text) in &saved.inputs {
            signals.push((name.clone(), runnable::signal(name, text)?.0));
        }
        let known = shown.iter().find(|known| known.meshes.folder() == saved.folder);
        let meshes = known.map_or_else(|| Arc::new(Meshes::beside(&saved.folder)), |known| Arc::clone(&known.meshes));
        shown.push(Shown {
            label: saved.label,
            model: Box::new(model),
            parameters: saved.parameters,
            signals,
            trajectory,
            meshes,
        });
    }
    if shown.is_empty() {
        return Err(wrong(folder, &"no motion was found: expected what `hamel run` writes, NAME.csv with NAME.json"));
    }
    Ok(shown)
}

/// A key by which names with numbers are in the order of these.
fn numbered(name: &str) -> Vec<(u64, String)> {
    let mut parts: Vec<(u64, String)> = vec![(0, String::new())];
    for letter in name.chars() {
        match letter.to_digit(10) {
            Some(digit) => {
                let last = parts.last_mut().filter(|(_, text)| text.is_empty());
                match last {
                    Some((number, _)) => *number = number.saturating_mul(10).saturating_add(u64::from(digit)),
                    None => parts.push((u64::from(digit), String::new())),
                }
            }
            None => parts.last_mut().map(|(_, text)| text.push(letter)).unwrap_or_default(),
        }
    }
    parts
}
