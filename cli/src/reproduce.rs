//! `hamel reproduce`: runs experiments, compares their results, writes the report.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hamel_report::folder::{Folder, Request, hash_of};
use hamel_report::number::readable;
use hamel_report::output::{self, OutputError};
use hamel_report::provenance::{self, Provenance};
use hamel_report::reproduce::{self, Outcome, Watcher};
use hamel_report::{Claim, Cost, Expected, Experiment, Measured, Verdict};
use hamel_verify::PAPERS;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::screen::Screen;

/// Arguments of `hamel reproduce`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Papers to reproduce; all by default.
    papers: Vec<String>,
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
}

/// Runs the selected experiments and reports on them.
pub(crate) fn reproduce(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let experiments = select(arguments)?;
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
    output::stage_report(&mut folder, PAPERS, &outcomes, &provenance)?;
    let page = folder.path().join(output::REPORT[0]);
    folder.commit().and_then(|()| folder.finish()).map_err(OutputError::from)?;
    for outcome in &outcomes {
        print(outcome, screen)?;
    }
    screen.line(summary(&outcomes))?;
    screen.line(format!("report: {}", page.display()))?;
    screen.flush()?;
    judge(&outcomes)
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

fn select(arguments: &Arguments) -> Result<Vec<Experiment>, Failure> {
    let keys = PAPERS.iter().map(|paper| paper.key);
    for paper in &arguments.papers {
        if !keys.clone().any(|key| key == paper) {
            return Err(Failure::unknown("paper", paper, keys));
        }
    }
    let Some(only) = &arguments.only else {
        return Ok(reproduce::select(PAPERS, &arguments.papers, arguments.cost));
    };
    let all = reproduce::select(PAPERS, &arguments.papers, Cost::Hours);
    let is_meant = |id: &str| id == only || id.strip_prefix(only.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let chosen: Vec<Experiment> = all.iter().filter(|experiment| is_meant(experiment.id)).copied().collect();
    if chosen.is_empty() {
        return Err(Failure::unknown("experiment", only, all.iter().map(|experiment| experiment.id)));
    }
    Ok(chosen)
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
    Ok(())
}

/// The claims that allow more than a hundred times what was measured, and do not say why.
fn unexplained(outcome: &Outcome) -> Vec<String> {
    let claims = outcome.result.iter().flat_map(|report| &report.claims).filter(|claim| claim.is_unexplained());
    claims.map(|claim| format!("{}: {}", outcome.experiment.id, claim.what)).collect()
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
