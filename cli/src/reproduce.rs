//! `hamel reproduce`: runs experiments, compares their results, writes the report.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hamel_animate::{Meshes, Scene};
use hamel_compiler::parallel;
use hamel_report::compare::compare;
use hamel_report::folder::{Folder, Request, hash_of};
use hamel_report::number::readable;
use hamel_report::output::{self, OutputError};
use hamel_report::provenance::{self, Provenance};
use hamel_report::reproduce::{self, Outcome, Watcher};
use hamel_report::{Claim, Cost, Expected, Experiment, Figure, Measured, Verdict};
use hamel_report::{recorded, saved};
use hamel_verify::PAPERS;
use hamel_verify::animations::{SHOWN, Shown};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::screen::Screen;

/// Arguments of `hamel reproduce`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Papers or experiments to reproduce, e.g. `sherif` or `sherif/heavy_top/fig2`; all papers by default.
    what: Vec<String>,
    /// Largest cost of the experiments to run.
    #[arg(long, value_enum, default_value_t = Cost::Minutes)]
    cost: Cost,
    /// Directory of the report.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Run only this experiment, or all whose identifiers begin with ID/, at any cost.
    #[arg(long, value_name = "ID")]
    only: Option<String>,
    /// Continue an interrupted run of the same command; experiments that it finished are not repeated.
    #[arg(long)]
    resume: bool,
    /// Replace files in that directory even if hamel has not written them.
    #[arg(long)]
    force: bool,
    /// List the experiments that would run, with their costs, and run none.
    #[arg(long)]
    list: bool,
    /// Write pages with moving pictures of the mechanisms that experiments are about, linked from the report.
    #[arg(long)]
    animate: bool,
    /// Run nothing: merge the results in these directories; of an experiment that several have, the last counts.
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["what", "only", "resume", "list", "cost", "animate"])]
    merge: Vec<PathBuf>,
    /// Say which claims differ from the `report.json` of an earlier run.
    #[arg(long, value_name = "REPORT.JSON")]
    compare: Option<PathBuf>,
}

/// Runs the selected experiments and reports on them.
pub(crate) fn reproduce(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let earlier = arguments.compare.as_deref().map(read_earlier).transpose()?;
    if !arguments.merge.is_empty() {
        return merge(arguments, earlier.as_deref(), screen);
    }
    let experiments = select(arguments)?;
    if arguments.list {
        let row =
            |experiment: &Experiment| [experiment.id, experiment.cost.label(), experiment.title].map(String::from);
        screen.table(&experiments.iter().map(|experiment| row(experiment).to_vec()).collect::<Vec<_>>())?;
        return Ok(());
    }
    // Before the folder is locked: a child process would keep the lock if this program were stopped meanwhile.
    let provenance = Provenance::of_this_run();
    let (folder, kept) = open(arguments, &experiments)?;
    let is_kept = |experiment: &Experiment| kept.iter().any(|outcome| outcome.experiment.id == experiment.id);
    let left: Vec<Experiment> = experiments.iter().copied().filter(|experiment| !is_kept(experiment)).collect();
    if arguments.resume {
        screen.line(format!("{} of {} experiments are there\n", kept.len(), experiments.len()))?;
    }
    let watch = Watch { progress: Progress::new(left.len()), folder: Mutex::new(Ok(folder)) };
    let mut outcomes = reproduce::run(&left, &watch);
    watch.progress.bar.finish_and_clear();
    let mut folder = watch.folder.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    outcomes.extend(kept);
    let place = |outcome: &Outcome| experiments.iter().position(|experiment| experiment.id == outcome.experiment.id);
    outcomes.sort_by_key(place);
    if arguments.animate {
        animate(&mut folder, &mut outcomes)?;
    }
    finish(folder, &outcomes, &provenance, earlier.as_deref(), screen)
}

/// Stages pages with moving pictures of the experiments that are about a mechanism and could be computed.
fn animate(folder: &mut Folder, outcomes: &mut [Outcome]) -> Result<(), Failure> {
    let wanted = outcomes.iter_mut().filter(|outcome| outcome.result.is_ok()).filter_map(|outcome| {
        let shown = SHOWN.iter().find(|shown| shown.experiment == outcome.experiment.id)?;
        Some((outcome, shown))
    });
    let mut wanted: Vec<(&mut Outcome, &Shown)> = wanted.collect();
    let pages = parallel::map(&wanted.iter().map(|(_, shown)| *shown).collect::<Vec<_>>(), |shown| page(shown));
    for ((outcome, shown), page) in wanted.iter_mut().zip(pages) {
        match page {
            Ok(page) => {
                let name = format!("{}/{}", outcome.experiment.slug(), output::MOTION);
                folder.stage(&name, |out| out.write_all(page.as_bytes()))?;
                outcome.is_animated = true;
            }
            Err(error) => eprintln!("caution: no animation of {}: {error}", shown.experiment),
        }
    }
    Ok(())
}

/// The page of a motion, with plots of its outputs.
fn page(shown: &Shown) -> Result<String, String> {
    let moved = shown.moved().map_err(|error| error.to_string())?;
    let info = moved.model.describe();
    let parameters: Vec<(String, f64)> =
        shown.parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let motion = hamel_animate::Motion {
        label: shown.label,
        info,
        parameters: &parameters,
        inputs: &[],
        trajectory: &moved.trajectory,
        meshes: &Meshes::default(),
    };
    let scene = Scene::new(&motion).map_err(|error| error.to_string())?;
    let figures = recorded::figures(info, &moved.trajectory);
    let title = format!("{}: {}, {}", shown.experiment, info.name, shown.scheme());
    hamel_animate::page(&title, &[scene], &figures).map_err(|error| error.to_string())
}

/// Writes the report and says what is in it.
fn finish(
    mut folder: Folder,
    outcomes: &[Outcome],
    provenance: &Provenance,
    earlier: Option<&str>,
    screen: &mut Screen,
) -> Result<(), Failure> {
    output::stage_report(&mut folder, PAPERS, outcomes, provenance)?;
    let page = folder.path().join(output::REPORT[0]);
    folder.commit().and_then(|()| folder.finish()).map_err(OutputError::from)?;
    for outcome in outcomes {
        print(outcome, screen)?;
    }
    if let Some(earlier) = earlier {
        print_changes(earlier, outcomes, screen)?;
    }
    screen.line(summary(outcomes))?;
    screen.line(format!("report: {}", page.display()))?;
    screen.flush()?;
    judge(outcomes)
}

/// The report of an earlier run, read before anything is computed or replaced.
fn read_earlier(path: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let is_report =
        |text: String| if compare(&text, &[]).is_some() { Ok(text) } else { Err("not a report".to_owned()) };
    text.and_then(is_report).map_err(|reason| Failure::Usage(format!("cannot read `{}`: {reason}", path.display())))
}

/// One report of the results of several runs.
fn merge(arguments: &Arguments, earlier: Option<&str>, screen: &mut Screen) -> Result<(), Failure> {
    let all = reproduce::select(PAPERS, &[], Cost::Hours);
    let mut provenance = Provenance::of_this_run();
    let mut outcomes: Vec<Outcome> = Vec::new();
    for directory in &arguments.merge {
        let saved = saved::read(directory, &all).map_err(|error| Failure::Usage(error.to_string()))?;
        for id in saved.skipped {
            screen.line(format!("{}: without `{id}`, which does not exist or failed", directory.display()))?;
        }
        let is_new = |id: &str| saved.outcomes.iter().all(|outcome| outcome.experiment.id != id);
        outcomes.retain(|outcome| is_new(outcome.experiment.id));
        outcomes.extend(saved.outcomes);
        provenance.merged.push(saved.provenance);
    }
    outcomes.sort_by_key(|outcome| all.iter().position(|experiment| experiment.id == outcome.experiment.id));
    let experiments: Vec<Experiment> = outcomes.iter().map(|outcome| outcome.experiment).collect();
    let (mut folder, _) = open(arguments, &experiments)?;
    for outcome in &outcomes {
        output::stage_outcome(&mut folder, outcome)?;
    }
    finish(folder, &outcomes, &provenance, earlier, screen)
}

fn print_changes(earlier: &str, outcomes: &[Outcome], screen: &mut Screen) -> Result<(), Failure> {
    let Some(comparison) = compare(earlier, outcomes) else { return Ok(()) };
    for change in &comparison.changes {
        screen.line(change.to_string())?;
    }
    let (changed, once) = (comparison.changes.len(), comparison.only_once.len());
    screen.line(format!(
        "{changed} claims changed, {} are as before, {once} experiments in one run only\n",
        comparison.same
    ))?;
    Ok(())
}

/// The folder of the report, and the results in it that are kept.
fn open(arguments: &Arguments, experiments: &[Experiment]) -> Result<(Folder, Vec<Outcome>), Failure> {
    let mut folder = Folder::open(&arguments.out, &provenance::command(), arguments.force)?;
    let slugs: Vec<String> = experiments.iter().map(Experiment::slug).collect();
    folder.check(slugs.iter().map(String::as_str).chain(output::REPORT))?;
    let executable = std::env::current_exe().and_then(|program| hash_of(&program));
    let program = executable.map_err(|error| Failure::Usage(format!("cannot read this program: {error}")))?;
    let parts = experiments.iter().map(|experiment| experiment.id.to_owned()).collect();
    let request = Request { program, parts };
    if arguments.resume {
        let results = folder.resume(&request)?;
        return Ok((folder, results.iter().filter_map(|result| output::kept(result, experiments)).collect()));
    }
    folder.begin(request)?;
    Ok((folder, Vec::new()))
}

/// The experiments that are named: those of papers up to the given cost, others at any cost, in the order of the papers.
fn select(arguments: &Arguments) -> Result<Vec<Experiment>, Failure> {
    let (ids, papers): (Vec<_>, Vec<_>) = arguments.what.iter().cloned().partition(|what| what.contains('/'));
    let keys = PAPERS.iter().map(|paper| paper.key);
    for paper in &papers {
        if !keys.clone().any(|key| key == paper) {
            return Err(Failure::unknown("paper", paper, keys));
        }
    }
    let all = reproduce::select(PAPERS, if ids.is_empty() { &papers } else { &[] }, Cost::Hours);
    let ids: Vec<String> = ids.into_iter().chain(arguments.only.clone()).collect();
    let is_meant =
        |id: &str, named: &str| id == named || id.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'));
    for named in &ids {
        if !all.iter().any(|experiment| is_meant(experiment.id, named)) {
            return Err(Failure::unknown("experiment", named, all.iter().map(|experiment| experiment.id)));
        }
    }
    // With `--only`, papers limit where it is searched.
    let by_paper = match (arguments.only.is_some(), papers.is_empty() && !ids.is_empty()) {
        (false, false) => reproduce::select(PAPERS, &papers, arguments.cost),
        _ => Vec::new(),
    };
    let is_chosen = |experiment: &&Experiment| {
        ids.iter().any(|named| is_meant(experiment.id, named))
            || by_paper.iter().any(|chosen| chosen.id == experiment.id)
    };
    Ok(all.iter().filter(is_chosen).copied().collect())
}

/// A failed solver takes precedence over a result outside its tolerance, because its results are missing.
fn judge(outcomes: &[Outcome]) -> Result<(), Failure> {
    let failed: Vec<String> = outcomes
        .iter()
        .filter_map(|outcome| outcome.result.as_ref().err().map(|error| format!("{}: {error}", outcome.experiment.id)))
        .collect();
    if !failed.is_empty() {
        return Err(Failure::Solver(failed.join("\n")));
    }
    if outcomes.iter().any(|outcome| outcome.verdict() == Verdict::Outside) {
        return Err(Failure::Verdict);
    }
    let unexplained: Vec<String> = outcomes.iter().flat_map(unexplained).collect();
    if !unexplained.is_empty() {
        return Err(Failure::Unexplained(unexplained.join("\n")));
    }
    let ambiguous: Vec<String> = outcomes.iter().flat_map(ambiguous).collect();
    if !ambiguous.is_empty() {
        return Err(Failure::Ambiguous(ambiguous.join("\n")));
    }
    Ok(())
}

/// The claims that allow more than a hundred times what was measured, and do not say why.
fn unexplained(outcome: &Outcome) -> Vec<String> {
    let claims = outcome.result.iter().flat_map(|report| &report.claims).filter(|claim| claim.is_unexplained());
    claims.map(|claim| format!("{}: {}", outcome.experiment.id, claim.what)).collect()
}

/// The curves that neither legends nor tables could tell apart.
fn ambiguous(outcome: &Outcome) -> Vec<String> {
    let figures = outcome.result.iter().flat_map(|report| &report.figures);
    let named = |figure: &Figure| -> Vec<String> {
        let curves = figure.names_of_several();
        curves.map(|name| format!("{}: `{name}` in {}", outcome.experiment.id, figure.slug)).collect()
    };
    figures.flat_map(named).collect()
}

fn print(outcome: &Outcome, screen: &mut Screen) -> Result<(), Failure> {
    let Experiment { id, place, title, .. } = outcome.experiment;
    screen.line(format!("{id}  [{place}]  {} s", readable(outcome.elapsed.as_secs_f64(), 2)))?;
    screen.line(format!("  {title}"))?;
    match &outcome.result {
        Err(error) => screen.line(format!("  not computed: {error}"))?,
        Ok(report) => screen.table(&report.claims.iter().map(row).collect::<Vec<_>>())?,
    }
    screen.line("")?;
    Ok(())
}

fn row(claim: &Claim) -> Vec<String> {
    let unit = if claim.unit == "1" { String::new() } else { format!(" {}", claim.unit) };
    let measured = match &claim.measured {
        Measured::Value(value) => format!("{}{unit}", readable(*value, 6)),
        Measured::Breakdown(_) => "breaks down".into(),
        Measured::Nothing => "–".into(),
    };
    let used = claim.used().map_or_else(String::new, |used| format!("uses {}", readable(used, 1)));
    let origin = claim.origin().into();
    vec![claim.verdict().label().into(), claim.what.clone(), measured, expectation(&claim.expected), origin, used]
}

fn expectation(expected: &Expected) -> String {
    match expected {
        Expected::AtMost(bound, _) => format!("(at most {})", readable(*bound, 3)),
        Expected::AtLeast(bound, _) => format!("(at least {})", readable(*bound, 3)),
        Expected::Fails => "(must break down)".into(),
        Expected::Missing(what) => format!("(missing: {what})"),
        _ => match (expected.value(), expected.tolerance()) {
            (Some(value), Some(tolerance)) => format!("({} ± {})", readable(value, 6), readable(tolerance, 1)),
            _ => String::new(),
        },
    }
}

fn summary(outcomes: &[Outcome]) -> String {
    let reports = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
    let claims: Vec<&Claim> = reports.flat_map(|report| &report.claims).collect();
    let count = |verdict: Verdict| claims.iter().filter(|claim| claim.verdict() == verdict).count();
    let parts = Verdict::ALL.iter().filter(|&&verdict| count(verdict) > 0);
    let parts: Vec<String> = parts.map(|&verdict| format!("{} {}", count(verdict), verdict.label())).collect();
    let digits = |has: bool| claims.iter().filter(|claim| claim.has_printed_digits() == Some(has)).count();
    format!(
        "{} experiments, {} claims: {}; printed numbers: {} with every digit, {} within a tolerance",
        outcomes.len(),
        claims.len(),
        parts.join(", "),
        digits(true),
        digits(false)
    )
}

/// A progress bar on standard error with the running experiments; hidden unless standard error is a terminal.
struct Progress {
    bar: ProgressBar,
    under_way: Mutex<Vec<&'static str>>,
}

impl Progress {
    fn new(experiments: usize) -> Self {
        let bar = ProgressBar::new(experiments as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, under_way: Mutex::new(Vec::new()) }
    }

    fn update(&self, change: impl FnOnce(&mut Vec<&'static str>)) {
        // The list is only shown, so a poisoned lock does no harm.
        let mut under_way = self.under_way.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        change(&mut under_way);
        self.bar.set_message(under_way.join(", "));
    }
}

/// Shows running experiments, and writes the results of finished ones.
struct Watch {
    progress: Progress,
    /// The folder, or the reason why nothing more can be written.
    folder: Mutex<Result<Folder, OutputError>>,
}

impl Watch {
    /// Experiments do not panic while they hold it.
    fn folder(&self) -> MutexGuard<'_, Result<Folder, OutputError>> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher for Watch {
    fn begins(&self, experiment: &Experiment) {
        self.progress.update(|under_way| under_way.push(experiment.id));
    }

    /// Results computed on a full disk would be lost.
    fn is_to_stop(&self) -> bool {
        self.folder().is_err()
    }

    fn ended(&self, outcome: &Outcome) {
        let mut folder = self.folder();
        let written = match &mut *folder {
            Ok(folder) => output::stage_outcome(folder, outcome).and_then(|()| Ok(folder.commit()?)),
            Err(_) => Ok(()),
        };
        if let Err(error) = written {
            *folder = Err(error);
        }
        drop(folder);
        self.progress.update(|under_way| under_way.retain(|id| *id != outcome.experiment.id));
        self.progress.bar.inc(1);
    }
}
