//! `hamel optimize`: parameters and inputs of a model that make a number of its motion least.

use std::path::{Path, PathBuf};

use hamel::{Model, ModelInfo};
use hamel_compiler::escape::file_name;
use hamel_optimize::{Case, Condition, Design, Free, Optimization, OptimizeError, Optimum, Quantity, Side};
use hamel_report::folder::Folder;
use hamel_report::number::readable;
use hamel_report::output;
use hamel_report::provenance;

use crate::failure::Failure;
use crate::integration;
use crate::quantity::Given;
use crate::runnable::{self, Compiled, Settings, unit_of};
use crate::screen::Screen;
use crate::source::Choice;

/// Arguments of `hamel optimize`.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("objective").required(true).args(["minimize", "maximize"])))]
#[command(group(clap::ArgGroup::new("choice_of").required(true).multiple(true).args(["free", "samples"])))]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// What is to be least: an output at the end (.final), its integral over time (.integral), or that of its square
    /// (.squared).
    #[arg(long, value_name = "OUTPUT.final|integral|squared", visible_alias = "minimise")]
    minimize: Option<String>,
    /// What is to be largest.
    #[arg(long, value_name = "OUTPUT.final|integral|squared", visible_alias = "maximise")]
    maximize: Option<String>,
    /// Parameters to choose, perhaps within bounds, in SI units or with theirs; the search begins at their values: --free mass,length=1..3
    #[arg(long, value_name = "NAME[=LOW..HIGH]", value_delimiter = ',', value_parser = runnable::free)]
    free: Vec<Given<[f64; 2]>>,
    /// An input to choose, as so many samples from the start to the end, perhaps within bounds: --samples drive=-10..10:21
    #[arg(long, value_name = "INPUT[=LOW..HIGH]:COUNT", value_parser = samples)]
    samples: Vec<(String, [f64; 2], usize)>,
    /// What the motion must meet: a value, or a range of which one side may be missing: --subject-to tip.final=2 --subject-to
    /// effort.squared=..50
    #[arg(long, value_name = "OUTPUT.final|integral|squared=VALUE|LOW..HIGH", value_parser = target)]
    subject_to: Vec<(String, [f64; 2])>,
    /// End of the motion, s.
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = crate::quantity::seconds)]
    until: f64,
    /// Longest step, s; steps end at the times of samples.
    #[arg(long, visible_alias = "step", value_name = "H", allow_hyphen_values = true, value_parser = crate::quantity::seconds, default_value_t = 1e-3)]
    dt: f64,
    /// Name of a scheme, see `hamel list schemes`; by default one of fourth order.
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// Set a parameter of the scheme, see `hamel list schemes`.
    #[arg(long = "with", value_name = "NAME=VALUE", value_parser = runnable::assignment)]
    scheme_parameters: Vec<(String, f64)>,
    /// Converged means: no slope larger than this, relative to the objective, and conditions met to it.
    #[arg(long, value_name = "E", default_value_t = 1e-6)]
    tolerance: f64,
    /// Most iterations of the search.
    #[arg(long, value_name = "N", default_value_t = 200)]
    iterations: u64,
    #[command(flatten)]
    settings: Settings,
    /// Write the optimum and tables of its inputs to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace files in the folder that others have written or changed.
    #[arg(long, requires = "out")]
    force: bool,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
}

/// More samples of an input are a mistake, and each is a variable of the search.
const MOST_SAMPLES: usize = 10_000;

/// `INPUT:COUNT` or `INPUT=LOW..HIGH:COUNT`.
fn samples(text: &str) -> Result<(String, [f64; 2], usize), String> {
    let wrong = || format!("expected INPUT=LOW..HIGH:COUNT, found `{text}`");
    let (range, count) = text.rsplit_once(':').ok_or_else(wrong)?;
    let count = count.trim().parse().ok().filter(|count| (2..=MOST_SAMPLES).contains(count));
    let (name, range) = runnable::range(range)?;
    Ok((name, range, count.ok_or_else(|| format!("expected 2 to {MOST_SAMPLES} samples, found `{text}`"))?))
}

/// `QUANTITY=VALUE` or `QUANTITY=LOW..HIGH`.
fn target(text: &str) -> Result<(String, [f64; 2]), String> {
    match text.split_once('=') {
        Some((name, value)) if !value.contains("..") => {
            let number: f64 = value.trim().parse().map_err(|_| format!("expected a number, found `{value}`"))?;
            Ok((name.trim().to_owned(), [number; 2]))
        }
        Some(_) => runnable::range(text),
        None => Err(format!("expected QUANTITY=VALUE or QUANTITY=LOW..HIGH, found `{text}`")),
    }
}

/// Searches for the best design.
pub(crate) fn optimize(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    integration::are_positive(&[
        ("--dt", arguments.dt),
        ("--until", arguments.until),
        ("--tolerance", arguments.tolerance),
    ])?;
    let compiled = Compiled::new(&arguments.choice, &arguments.settings, hamel_jit::with_derivatives)?;
    let Compiled { name, model, inputs, not_given, tables } = &compiled;
    let info = model.describe();
    let (text, sign) = match (&arguments.minimize, &arguments.maximize) {
        (Some(text), _) => (text, 1.0),
        (None, Some(text)) => (text, -1.0),
        (None, None) => return Err(Failure::Usage("expected --minimize or --maximize".to_owned())),
    };
    let quantity = |option: &str, text: &str| {
        Quantity::read(text, info).map_err(|error| Failure::Usage(format!("{option} {text}: {error}")))
    };
    let objective = quantity(if sign > 0.0 { "--minimize" } else { "--maximize" }, text)?.times(sign);
    let bound: Vec<(Quantity, [f64; 2])> = arguments
        .subject_to
        .iter()
        .map(|(text, range)| Ok((quantity("--subject-to", text)?, *range)))
        .collect::<Result<_, Failure>>()?;

    runnable::each_parameter_once(model, "--free", arguments.free.iter().map(|free| free.name.as_str()))?;
    arguments.free.iter().try_for_each(|free| free.check_unit("--free", unit_of(model, &free.name)))?;
    let mut free: Vec<Free> = Vec::new();
    for Given { name: parameter, value: [low, high], .. } in &arguments.free {
        let Some(start) = model.parameter(parameter) else {
            let known = info.parameters.iter().map(|known| known.name.as_str());
            return Err(Failure::unknown("parameter", parameter, known));
        };
        free.push(Free::parameter(parameter, start).within(*low, *high));
    }
    for (input, [low, high], count) in &arguments.samples {
        if !info.inputs.iter().any(|known| known.name == *input) {
            return Err(Failure::unknown("input", input, info.inputs.iter().map(|known| known.name.as_str())));
        }
        let times: Vec<f64> = (0..*count).map(|k| arguments.until * k as f64 / (count - 1) as f64).collect();
        let given = inputs.iter().find(|(known, _)| known == input).map(|(_, signal)| signal);
        let start = |&t: &f64| given.map_or(0.0, |signal| signal.value(t)).max(*low).min(*high);
        let starts = times.iter().map(start).collect();
        free.push(Free::samples(input, times, starts).within(*low, *high));
    }
    let family = |design: &Design| -> Result<Box<dyn Model>, String> {
        let mut other = model.another();
        inputs.iter().for_each(|(input, signal)| _ = other.set_input(input, signal.clone()));
        other.set(&design.parameters).map_err(|error| error.to_string())?;
        for (input, signal) in design.signals() {
            other.set_input(input, signal).map_err(|_| format!("there is no input `{input}`"))?;
        }
        Ok(Box::new(other))
    };
    let (scheme_name, scheme, options) =
        integration::of_slopes(model, arguments.scheme.as_deref(), &arguments.scheme_parameters)?;
    if !arguments.json {
        let is_chosen = |input: &String| arguments.samples.iter().any(|(chosen, ..)| chosen == input);
        for input in not_given.iter().filter(|input| !is_chosen(input)) {
            screen.line(format!("input {input} is 0; see --input and --samples"))?;
        }
        for said in tables.iter().filter_map(|table| table.said(arguments.until)) {
            screen.line(said)?;
        }
        if arguments.scheme.is_none() {
            screen.line(format!("scheme {scheme_name}; see `hamel list schemes` and --scheme"))?;
        }
    }
    let mut case = Case::new(&family, &*scheme, &objective).step(arguments.dt).until(arguments.until).options(options);
    for (quantity, range) in &bound {
        for condition in Condition::within(quantity.name(), quantity, *range).map_err(failed)? {
            case = case.subject_to(condition);
        }
    }
    let search = Optimization::new(vec![case], free).map_err(failed)?;
    screen.show()?;
    let found = search.tolerance(arguments.tolerance).iterations(arguments.iterations).run().map_err(failed)?;

    let mut files = Vec::new();
    if let Some(out) = &arguments.out {
        files = written(out, name, &found, arguments.force)?;
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&found).map_err(std::io::Error::from)?;
        screen.line(text)?;
    } else {
        show(text, sign, &found, info, screen)?;
        if let Some(out) = &arguments.out {
            screen.line(format!("written to {}: {}", out.display(), files.join(", ")))?;
        }
    }
    match found.is_converged() {
        true => Ok(()),
        false => Err(Failure::Solver(format!("the search is {}", found.ended))),
    }
}

fn failed(error: OptimizeError) -> Failure {
    match error {
        OptimizeError::Start(_) | OptimizeError::Search(_) => Failure::Solver(error.to_string()),
        OptimizeError::Bounds { ref name, .. } if name.starts_with("parameter") => {
            Failure::Usage(format!("{error}\nhelp: say where it starts, --set NAME=…"))
        }
        error => Failure::Usage(error.to_string()),
    }
}

/// The optimum, and a table of each input, as `--input` takes it.
fn written(out: &Path, name: &str, found: &Optimum, is_forced: bool) -> Result<Vec<String>, Failure> {
    let mut files = vec![format!("{}.json", file_name(&format!("{name}_optimum")))];
    files.extend(found.design.inputs.iter().map(|samples| format!("{}.csv", file_name(&samples.input))));
    let mut folder = Folder::open(out, &provenance::command(), is_forced)?;
    folder.check(files.iter().map(String::as_str))?;
    output::stage_json(&mut folder, &files[0], found)?;
    for (samples, file) in found.design.inputs.iter().zip(&files[1..]) {
        folder.stage(file, |out| {
            writeln!(out, "t,{}", samples.input)?;
            samples.times.iter().zip(&samples.values).try_for_each(|(t, value)| writeln!(out, "{t:?},{value:?}"))
        })?;
    }
    folder.commit()?;
    folder.finish()?;
    Ok(files)
}

fn show(objective: &str, sign: f64, found: &Optimum, info: &ModelInfo, screen: &mut Screen) -> Result<(), Failure> {
    let at = |bound: Option<Side>| match bound {
        Some(Side::Lower) => ", at its lower bound",
        Some(Side::Upper) => ", at its upper bound",
        None => "",
    };
    let unit = |unit: &str| if unit == "1" { String::new() } else { format!(" {unit}") };
    let mut rows = vec![["parameter", "value", "from"].map(str::to_owned).to_vec()];
    for (variable, (name, _)) in found.variables.iter().zip(&found.design.parameters) {
        let value = format!("{}{}{}", readable(variable.value, 7), unit(&variable.unit), at(variable.bound));
        rows.push(vec![name.clone(), value, readable(variable.start, 7)]);
    }
    if rows.len() > 1 {
        screen.table(&rows)?;
    }
    for samples in &found.design.inputs {
        let range = |pick: fn(f64, f64) -> f64| samples.values.iter().copied().reduce(pick).unwrap_or_default();
        let known = info.inputs.iter().find(|input| input.name == samples.input);
        screen.line(format!(
            "input {}: {} samples from {} to {}{}",
            samples.input,
            samples.values.len(),
            readable(range(f64::min), 4),
            readable(range(f64::max), 4),
            known.map_or_else(String::new, |input| unit(&input.unit)),
        ))?;
    }
    screen.line(format!(
        "{objective} {}, from {}",
        readable(sign * found.objective + 0.0, 7),
        readable(sign * found.objective_at_start + 0.0, 7)
    ))?;
    for condition in &found.conditions {
        screen.line(format!(
            "{} {}{}",
            condition.name,
            readable(condition.value, 7),
            if condition.is_met {
                String::new()
            } else {
                format!(", which should be {}", readable(condition.target, 7))
            }
        ))?;
    }
    if found.rejections > 0 {
        let why = found.last_rejection.as_deref().unwrap_or_default();
        screen.line(format!("{} designs were rejected, the last because {why}", found.rejections))?;
    }
    for caution in &found.cautions {
        screen.line(format!("caution: {caution}"))?;
    }
    Ok(screen.line(format!("{} iterations, {} motions: {}", found.iterations, found.evaluations, found.ended))?)
}
