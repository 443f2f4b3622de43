//! `hamel sweep` and `hamel merge`: many motions of one model, and the numbers that are kept of each.

mod figures;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;

use hamel::Model;
use hamel::model::{Channel, ModelInfo};
use hamel_compiler::escape::file_name;
use hamel_report::number::readable;
use hamel_sweep::{
    Cases, Instance, Journal, Motion, Output, Sampling, Shard, Subject, SubjectError, Sweep, SweepError, Table, Values,
    max_steps, merged,
};

use crate::animate;
use crate::failure::Failure;
use crate::film::Filming;
use crate::integration::{Integration, Plan, options};
use crate::motion::{interrupted, progress};
use crate::quantity::{self, Given};
use crate::runnable::{self, Settings, unit_of};
use crate::screen::Screen;
use crate::source::Choice;

/// Cases that are shown together at most, as many as there are colours to tell them apart.
const SHOWN: u64 = 6;
/// Failed cases that are named.
const NAMED: usize = 10;
/// Intervals between the times of a fan.
const FAN: u32 = 50;

/// Arguments of `hamel sweep`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Vary a parameter, an input that is constant, or a coordinate at the start, in SI units or with theirs:
    /// --vary mass=1..3:100 --vary damping=log:0.1..10:50 --vary angle=10deg,20deg. Several make a grid.
    #[arg(long, value_name = "NAME=VALUES", value_parser = varied)]
    vary: Vec<Given<Values>>,
    /// Take samples of the ranges instead of a grid: random:COUNT, lhs:COUNT (Latin hypercube) or sobol:COUNT.
    #[arg(long, value_name = "KIND:COUNT")]
    sample: Option<Sampling>,
    /// Chooses among samples; the same number gives the same ones.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "sample")]
    seed: u64,
    /// Take cases from a table of comma-separated values, whose first line has the names.
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["vary", "sample"])]
    cases: Option<PathBuf>,
    /// Numbers that are kept of each motion, with commas between: tip_y.max,energy.range,hinge.angle.final; also first,
    /// min, peak, mean, rms, time_of_min and time_of_max.
    #[arg(long, value_name = "QUANTITY.REDUCTION,…", value_delimiter = ',', required_unless_present = "fan")]
    outputs: Vec<Output>,
    /// Keep these quantities at 51 equally distant times, too, and draw how they are distributed: --fan tip_y,energy
    #[arg(long, value_name = "QUANTITY,…", value_delimiter = ',')]
    fan: Vec<String>,
    #[command(flatten)]
    integration: Integration,
    #[command(flatten)]
    settings: Settings,
    /// Compute a part of the cases, such as 2/8, which `hamel merge` puts together with the others.
    #[arg(long, value_name = "PART/OF")]
    shard: Option<Shard>,
    /// Number of threads; by default as many as there are cores.
    #[arg(long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,
    /// Write each motion to this folder too, as Parquet.
    #[arg(long, value_name = "DIR")]
    motions: Option<PathBuf>,
    /// Most steps of a case, rejected ones included; one that needs more fails. By default a million, if they are chosen
    /// by a tolerance.
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// File of the results: Parquet if its name ends in .parquet, otherwise comma-separated values.
    #[arg(long, value_name = "FILE", default_value = "sweep.parquet")]
    out: PathBuf,
    /// Replace the file of another sweep.
    #[arg(long)]
    force: bool,
    /// Draw no figures.
    #[arg(long)]
    no_figures: bool,
    /// Also write an animation of the cases, of up to 6 all, of more 6 that are equally far apart: one HTML page, or
    /// what the ending of its name asks for, as of `hamel animate`: --animate sweep.html
    #[arg(long, value_name = "FILE")]
    animate: Option<PathBuf>,
}

/// Arguments of `hamel merge`.
#[derive(clap::Args)]
pub(crate) struct MergeArguments {
    /// Results of all parts of a sweep, as Parquet.
    #[arg(value_name = "FILE.parquet", required = true)]
    parts: Vec<PathBuf>,
    /// File of the whole: Parquet if its name ends in .parquet, otherwise comma-separated values.
    #[arg(long, value_name = "FILE", default_value = "sweep.parquet")]
    out: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    /// Draw no figures.
    #[arg(long)]
    no_figures: bool,
}

/// `NAME=VALUES`.
fn varied(text: &str) -> Result<Given<Values>, String> {
    quantity::given(text, |values| values.parse().map_err(|error: SweepError| error.to_string()))
}

/// Refuses names that promise what a table is not written as.
fn is_table(path: &Path) -> Result<(), Failure> {
    const OTHERS: [&str; 12] =
        ["xlsx", "xls", "ods", "json", "h5", "hdf5", "feather", "arrow", "mat", "npz", "npy", "html"];
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if OTHERS.contains(&ending.as_str()) {
        let path = path.display();
        return Err(Failure::Usage(format!(
            "`{path}`: expected a name that ends in .parquet, or in .csv for comma-separated values"
        )));
    }
    Ok(())
}

/// Runs the cases that have not ended, and writes the table when all have.
pub(crate) fn sweep(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    arguments.integration.check()?;
    is_table(&arguments.out)?;
    if arguments.shard.is_some() && !Table::is_parquet(&arguments.out) {
        return Err(Failure::Usage(format!(
            "`{}`: expected a name that ends in .parquet, which `hamel merge` reads",
            arguments.out.display()
        )));
    }
    if let Some(path) = &arguments.animate {
        animate::may_write(path, arguments.force)?;
    }
    let cases = cases(arguments)?;
    let source = arguments.choice.source()?;
    let (fixed, tables, inputs) = arguments.settings.fixed()?;
    let (level, cache) = (arguments.settings.level(), arguments.settings.cache());
    let subject = Subject::new(source.tokens, level, cache.as_ref(), fixed, cases.names());
    let subject = subject.map_err(|error| match error {
        SubjectError::Model(error) => runnable::failed(arguments.choice.path(), error),
        SubjectError::Sweep(error) => error.into(),
    })?;
    tables.iter().try_for_each(|table| table.check_unit(subject.model().describe()))?;
    arguments.settings.check_units(|name| unit_of(subject.model(), name))?;
    let plan = Plan::new(&arguments.integration, subject.model())?;
    let motion = motion(arguments, &plan)?;
    let outputs = outputs(arguments);
    let sweep = Sweep::new(&subject, &cases, &motion, &outputs)?;
    let sweep = match &arguments.motions {
        Some(folder) => sweep.with_trajectories(folder.clone()),
        None => sweep,
    };
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let description = sweep.description(&inputs, shard);

    let out = &arguments.out;
    if let Some(table) = written_before(out, &description, arguments.force)? {
        let has_motions = sweep.has_motions(&inputs) && sweep.missing_motion(&table).is_none();
        if let Some(folder) = arguments.motions.as_ref().filter(|_| !has_motions) {
            return Err(Failure::Usage(format!(
                "`{}` has the results of this sweep, but `{}` does not have all of its motions\nhelp: remove the first, and both are computed",
                out.display(),
                folder.display()
            )));
        }
        screen.line(format!("{} has these results already", out.display()))?;
        // Left by a program that was killed after the table was written.
        let journal = Journal::beside(out);
        if journal.exists() {
            Journal::open(&journal, &description)?.remove()?;
        }
        show(arguments, &sweep, &cases, screen)?;
        return summary(&table, screen);
    }
    plan.said.iter().try_for_each(|line| screen.line(line))?;
    for name in subject.inputs_without_signal() {
        screen.line(format!("input {name} is 0; see --input and --vary"))?;
    }
    screen.flush()?;
    sweep.prepare(&inputs)?;
    let mut journal = Journal::open(&Journal::beside(out), &description)?;
    let before = journal.ended().len();
    if before > 0 {
        screen.line(format!("{before} cases have ended before; going on"))?;
        screen.flush()?;
    }
    let threads = arguments.threads.or(thread::available_parallelism().ok()).map_or(1, usize::from);
    let bar = progress();
    let count = shard.count(cases.len());
    bar.set_length(count);
    let result = sweep.run(&mut journal, shard, threads, interrupted(), |ended| bar.set_position(ended));
    bar.finish_and_clear();
    result?;
    let ended = journal.ended().len() as u64;
    if ended < count && interrupted().load(Ordering::Relaxed) {
        return Err(Failure::Solver(format!(
            "interrupted: {ended} of {count} cases have ended\nhelp: the same command goes on from there"
        )));
    }
    let table = sweep.table(journal.ended(), description);
    table.write(out)?;
    journal.remove()?;
    screen.line(format!("{count} cases, written to {}", out.display()))?;
    if !arguments.no_figures && shard == Shard::WHOLE {
        draw(&table, out, screen)?;
    }
    show(arguments, &sweep, &cases, screen)?;
    summary(&table, screen)
}

/// A value that a case has, with six digits and its unit.
fn labelled(info: &ModelInfo, name: &str, value: f64) -> String {
    let value: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let mut channels = info.parameters.iter().chain(&info.coordinates).chain(&info.velocities).chain(&info.inputs);
    match channels.find(|channel| channel.name == name && channel.unit != "1") {
        Some(Channel { unit, .. }) => format!("{name} = {value} {unit}"),
        None => format!("{name} = {value}"),
    }
}

/// Animates cases of the part that is computed, whose motions are computed once more: a sweep keeps none.
fn show(arguments: &Arguments, sweep: &Sweep, cases: &Cases, screen: &mut Screen) -> Result<(), Failure> {
    let Some(path) = &arguments.animate else { return Ok(()) };
    let own: Vec<u64> = arguments.shard.unwrap_or(Shard::WHOLE).cases(cases.len()).collect();
    let last = own.len().saturating_sub(1) as u64;
    let chosen: Vec<u64> = match last < SHOWN {
        true => own.clone(),
        false => (0..SHOWN).map(|k| own[(k * last / (SHOWN - 1)) as usize]).collect(),
    };
    let mut motions = Vec::new();
    for &case in &chosen {
        match sweep.whole(case) {
            Ok((instance, run)) => {
                let values = cases.names().iter().zip(cases.values(case));
                let values = values.map(|(name, value)| labelled(instance.model().describe(), name, value));
                let label = values.collect::<Vec<_>>().join(", ");
                if let Err(failure) = &run.outcome {
                    eprintln!("caution: case {case}: {failure}; what was computed before is shown");
                }
                motions.push((label, instance, run));
            }
            Err(error) => eprintln!("caution: case {case} is not shown: {error}"),
        }
    }
    if motions.is_empty() {
        return Ok(());
    }
    let meshes = arguments.choice.meshes();
    let figures = animate::figures(
        motions
            .iter()
            .map(|(label, instance, run)| (label.clone(), instance.model() as &dyn Model, &run.trajectory))
            .collect(),
    );
    let values = |(_, instance, _): &(_, Instance, _)| -> Vec<(String, f64)> {
        instance.model().named_parameters().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let parameters: Vec<Vec<(String, f64)>> = motions.iter().map(values).collect();
    let shown: Vec<hamel_animate::Motion> = motions
        .iter()
        .zip(&parameters)
        .map(|((label, instance, run), parameters)| hamel_animate::Motion {
            label,
            info: instance.model().describe(),
            parameters,
            inputs: instance.inputs(),
            trajectory: &run.trajectory,
            meshes: &meshes,
        })
        .collect();
    let title = shown.first().map(|motion| motion.info.name.clone()).unwrap_or_default();
    animate::write(path, &title, &shown, &figures, &Filming::default())?;
    let which: Vec<String> = chosen.iter().map(u64::to_string).collect();
    let of = if chosen.len() < own.len() { format!(" of {}: {}", own.len(), which.join(", ")) } else { String::new() };
    Ok(screen.line(format!("animation in {}, {} cases{of}", path.display(), motions.len()))?)
}

/// Puts the parts of a sweep together.
pub(crate) fn merge(arguments: &MergeArguments, screen: &mut Screen) -> Result<(), Failure> {
    is_table(&arguments.out)?;
    let out = &arguments.out;
    if out.symlink_metadata().is_ok() && !arguments.force {
        let out = out.display();
        return Err(Failure::Usage(format!("`{out}` exists\nhelp: choose another file, or replace it with --force")));
    }
    let read = |path: &'_ PathBuf| -> Result<(PathBuf, Table), Failure> { Ok((path.clone(), Table::read(path)?)) };
    let parts: Vec<(PathBuf, Table)> = arguments.parts.iter().map(read).collect::<Result<_, _>>()?;
    let parts: Vec<(&Path, Table)> = parts.iter().map(|(path, table)| (path.as_path(), table.clone())).collect();
    let table = merged(&parts)?;
    table.write(out)?;
    screen.line(format!("{} cases, written to {}", table.rows.len(), out.display()))?;
    if !arguments.no_figures {
        draw(&table, out, screen)?;
    }
    summary(&table, screen)
}

/// Those that are listed, and those of fans.
fn outputs(arguments: &Arguments) -> Vec<Output> {
    let until = arguments.integration.until;
    let at = |quantity: &String| {
        let quantity = quantity.trim().to_owned();
        (0..=FAN).map(move |k| {
            Output::at(quantity.clone(), if k == FAN { until } else { f64::from(k) * until / f64::from(FAN) })
        })
    };
    let mut outputs = arguments.outputs.clone();
    for output in arguments.fan.iter().flat_map(at) {
        if !arguments.outputs.contains(&output) {
            outputs.push(output);
        }
    }
    outputs
}

fn cases(arguments: &Arguments) -> Result<Cases, Failure> {
    match (&arguments.cases, arguments.sample) {
        (Some(path), _) => {
            let text = hamel_compiler::file::text(path)?;
            Cases::table(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
        }
        (None, _) if arguments.vary.is_empty() => {
            Err(Failure::Usage("nothing varies; expected --vary NAME=VALUES or --cases FILE.csv".to_owned()))
        }
        (None, sampling) => {
            let given = arguments.vary.iter().map(|given| (given.name.clone(), given.value.clone())).collect();
            let cases = match sampling {
                Some(sampling) => Cases::sample(given, sampling, arguments.seed)?,
                None => Cases::grid(given)?,
            };
            Ok(cases.in_units(arguments.vary.iter().map(|given| given.unit().map(str::to_owned)).collect()))
        }
    }
}

/// How each case is integrated.
fn motion(arguments: &Arguments, plan: &Plan) -> Result<Motion, Failure> {
    Ok(Motion {
        scheme: plan.name.clone(),
        scheme_parameters: arguments.integration.scheme_parameters.clone(),
        steps: plan.steps,
        until: arguments.integration.until,
        options: options(&arguments.integration)?,
        max_steps: arguments.max_steps.unwrap_or_else(|| max_steps(plan.steps)),
    })
}

/// The table of this sweep, if the file has it already.
fn written_before(out: &Path, description: &str, is_forced: bool) -> Result<Option<Table>, Failure> {
    match Table::of_sweep(out, description) {
        Err(SweepError::Exists { .. }) if is_forced => Ok(None),
        Err(error @ SweepError::Exists { .. }) => {
            Err(Failure::Usage(format!("{error}\nhelp: choose another file with --out, or replace it with --force")))
        }
        known => Ok(known?),
    }
}

/// Draws the figures beside the table.
fn draw(table: &Table, out: &Path, screen: &mut Screen) -> Result<(), Failure> {
    let stem = out.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files = Vec::new();
    for (name, picture) in figures::figures(table) {
        let file = file_name(&format!("{stem}_{name}")) + ".svg";
        let path = out.with_file_name(&file);
        hamel_compiler::file::write(path, |out| std::io::Write::write_all(out, picture.as_bytes()))?;
        files.push(file);
    }
    if !files.is_empty() {
        screen.line(format!("figures: {}", files.join(", ")))?;
    }
    Ok(())
}

/// What the outputs are like, and which cases have failed.
fn summary(table: &Table, screen: &mut Screen) -> Result<(), Failure> {
    let mut rows = vec![["output", "least", "mean", "largest", "case of largest"].map(str::to_owned).to_vec()];
    // What a fan draws needs no line for each time.
    for (place, column) in
        table.outputs.iter().enumerate().filter(|(_, column)| figures::instant(&column.name).is_none())
    {
        let finite = table.rows.iter().filter(|row| row.outcome.is_finite());
        let values: Vec<(u64, f64)> = finite.map(|row| (row.case, row.outcome.outputs[place])).collect();
        let unit = if column.unit == "1" { String::new() } else { format!(" {}", column.unit) };
        let shown = |value: f64| format!("{}{unit}", readable(value, 6));
        let least = values.iter().map(|&(_, value)| value).fold(f64::INFINITY, f64::min);
        let Some(&(case, largest)) = values.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let mean = values.iter().map(|&(_, value)| value / values.len() as f64).sum();
        rows.push(vec![column.name.clone(), shown(least), shown(mean), shown(largest), case.to_string()]);
    }
    if rows.len() > 1 {
        screen.table(&rows)?;
    }
    let cautioned = table.rows.iter().filter(|row| !row.outcome.cautions.is_empty());
    if let Some(first) = cautioned.clone().next() {
        let count = cautioned.count();
        eprintln!(
            "caution: {count} {} cautions; case {}: {}",
            if count == 1 { "case has" } else { "cases have" },
            first.case,
            first.outcome.cautions[0]
        );
    }
    let failed: Vec<_> = table.rows.iter().filter(|row| !row.outcome.is_finite()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    screen.line(format!("{} of {} cases failed:", failed.len(), table.rows.len()))?;
    for row in failed.iter().take(NAMED) {
        let values =
            table.variables.iter().zip(&row.variables).map(|(column, value)| format!("{} = {value:?}", column.name));
        let values: Vec<String> = values.collect();
        let reason = row.outcome.failure.clone().unwrap_or_else(|| {
            let is_wrong = |(_, value): &(_, &f64)| !value.is_finite();
            let wrong = table.outputs.iter().zip(&row.outcome.outputs).find(is_wrong);
            wrong.map_or_else(String::new, |(column, value)| format!("{} is {value}", column.name))
        });
        screen.line(format!("  case {} ({}): {reason}", row.case, values.join(", ")))?;
    }
    if failed.len() > NAMED {
        screen.line(format!("  and {} more; see the column `failure`", failed.len() - NAMED))?;
    }
    screen.flush()?;
    Err(Failure::Cases(failed.len() as u64))
}
