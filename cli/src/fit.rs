//! `hamel fit`: parameters of a model from measurements of its motion.

use std::io::Write;
use std::path::PathBuf;

use hamel::Model;
use hamel_compiler::escape::file_name;
use hamel_compiler::file;
use hamel_fit::{Fit, FitError, Fitted, Free, Measurements};
use hamel_report::folder::Folder;
use hamel_report::number::readable;
use hamel_report::output;
use hamel_report::provenance;
use hamel_report::{Axis, Curve, Figure, Style};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::integration;
use crate::quantity::Given;
use crate::runnable::{self, Compiled, Settings, unit_of};
use crate::screen::Screen;
use crate::source::Choice;

/// Correlations of at least this size are told.
const CORRELATED: f64 = 0.9;

/// Arguments of `hamel fit`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Measurements: a table with a column `t`, s, and columns with the names of outputs; empty cells are gaps.
    #[arg(long, value_name = "FILE.csv")]
    data: PathBuf,
    /// The columns to use, of a table that has others too, as those that `hamel run` writes.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// Parameters to fit, perhaps within bounds, in SI units or with theirs: --free mass,stiffness=10..1000
    #[arg(long, value_name = "NAME[=LOW..HIGH]", value_delimiter = ',', required = true, value_parser = runnable::free)]
    free: Vec<Given<[f64; 2]>>,
    /// Standard deviation of the noise of an output, in its unit; estimated otherwise: --noise tip=0.01
    #[arg(long, value_name = "NAME=VALUE", value_parser = runnable::assignment)]
    noise: Vec<(String, f64)>,
    /// Name of a scheme, see `hamel list schemes`; by default one of fourth order.
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// Set a parameter of the scheme, see `hamel list schemes`.
    #[arg(long = "with", value_name = "NAME=VALUE", value_parser = runnable::assignment)]
    scheme_parameters: Vec<(String, f64)>,
    /// Longest step, s; steps end at the times of measurements.
    #[arg(long, visible_alias = "step", value_name = "H", allow_hyphen_values = true, value_parser = crate::quantity::seconds, default_value_t = 1e-3)]
    dt: f64,
    /// Take measurements up to this time alone, s: of a motion that grows apart, the beginning is fitted first.
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = crate::quantity::seconds)]
    until: Option<f64>,
    /// Begin the search in so many intervals of the motion, each with a start of its own: for motions that grow apart, where
    /// the search for the whole motion ends in the wrong place.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    intervals: usize,
    /// Most motions; the search ends there, with a caution.
    #[arg(long, value_name = "COUNT", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    motions: u64,
    #[command(flatten)]
    settings: Settings,
    /// Write the fit, the model at the times of the measurements, and figures to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace files in the folder that others have written or changed.
    #[arg(long, requires = "out")]
    force: bool,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
}

/// Fits parameters to measurements.
pub(crate) fn fit(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    if !arguments.dt.is_finite() || arguments.dt <= 0.0 {
        return Err(Failure::Usage(format!("--dt: expected a positive time, s, found {}", arguments.dt)));
    }
    let compiled = Compiled::new(&arguments.choice, &arguments.settings, hamel_jit::with_derivatives)?;
    let Compiled { name, model, inputs, not_given, tables } = &compiled;
    let text = file::text(&arguments.data)?;
    let in_file = |error: FitError| match error {
        FitError::Table { line, what } if line > 0 => {
            Failure::Usage(format!("{}:{line}: {what}", arguments.data.display()))
        }
        error @ FitError::UnknownOutput { .. } if arguments.columns.is_none() => Failure::Usage(format!(
            "{}: {error}\nhelp: name those to use, if the table has other columns too: --columns",
            arguments.data.display()
        )),
        error => Failure::Usage(format!("{}: {error}", arguments.data.display())),
    };
    let mut measured = match &arguments.columns {
        Some(names) => Measurements::read_columns(&text, model.describe(), names),
        None => Measurements::read(&text, model.describe()),
    }
    .map_err(in_file)?;
    if let Some(name) = runnable::repeated(&arguments.noise) {
        return Err(Failure::Usage(format!("--noise: `{name}` is given twice, expected one value")));
    }
    for (name, deviation) in &arguments.noise {
        let wrong = |error: FitError| Failure::Usage(format!("--noise {name}: {error}"));
        measured = measured.with_deviation(name, *deviation).map_err(wrong)?;
    }
    if let Some(until) = arguments.until {
        measured = measured.until(until);
    }
    runnable::each_parameter_once(model, "--free", arguments.free.iter().map(|free| free.name.as_str()))?;
    arguments.free.iter().try_for_each(|free| free.check_unit("--free", unit_of(model, &free.name)))?;
    // A name that no parameter has is an error of the fit.
    let start = |name: &str| model.parameter(name).unwrap_or_default();
    let free = arguments
        .free
        .iter()
        .map(|Given { name, value: [low, high], .. }| Free::at(name, start(name)).within(*low, *high));
    let free: Vec<Free> = free.collect();
    let family = |values: &[(&str, f64)]| -> Result<Box<dyn Model>, String> {
        let mut other = model.another();
        inputs.iter().for_each(|(input, signal)| _ = other.set_input(input, signal.clone()));
        other.set(values).map_err(|error| error.to_string())?;
        Ok(Box::new(other))
    };
    let (scheme_name, scheme, options) =
        integration::of_slopes(model, arguments.scheme.as_deref(), &arguments.scheme_parameters)?;
    if !arguments.json {
        for input in not_given {
            screen.line(format!("input {input} is 0; see --input"))?;
        }
        let until = measured.times().last().copied().unwrap_or_default();
        for said in tables.iter().filter_map(|table| table.said(until)) {
            screen.line(said)?;
        }
        if arguments.scheme.is_none() {
            screen.line(format!("scheme {scheme_name}; see `hamel list schemes` and --scheme"))?;
        }
    }
    screen.show()?;
    let fit = Fit::new(&family, &*scheme, &measured, free).map_err(failed)?;
    let progress = progress(arguments.motions);
    let found = fit
        .step(arguments.dt)
        .options(options)
        .intervals(arguments.intervals)
        .motions(arguments.motions)
        .watched_by(&|motions| progress.set_position(motions))
        .run();
    progress.finish_and_clear();
    let found = found.map_err(failed)?;

    let figures = figures(name, &measured, &found);
    let files: Vec<String> = [format!("{}.json", file_name(&format!("{name}_fit"))), table_file(name)]
        .into_iter()
        .chain(figures.iter().map(|figure| format!("{}.svg", file_name(&figure.slug))))
        .collect();
    if let Some(out) = &arguments.out {
        let mut folder = Folder::open(out, &provenance::command(), arguments.force)?;
        folder.check(files.iter().map(String::as_str))?;
        output::stage_json(&mut folder, &files[0], &found)?;
        folder.stage(&files[1], |out| table(out, &measured, &found))?;
        output::stage_figures(&mut folder, "", &figures)?;
        folder.commit()?;
        folder.finish()?;
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&found).map_err(std::io::Error::from)?;
        return Ok(screen.line(text)?);
    }
    show(&found, screen)?;
    if let Some(out) = &arguments.out {
        screen.line(format!("written to {}: {}", out.display(), files.join(", ")))?;
    }
    Ok(())
}

/// Motions so far, on a terminal.
fn progress(most: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed} passed, {pos} of at most {len} motions");
    ProgressBar::new(most).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn failed(error: FitError) -> Failure {
    match error {
        FitError::Start(_) | FitError::Search(_) | FitError::Tried { .. } => Failure::Solver(error.to_string()),
        FitError::Bounds { ref name, .. } => {
            Failure::Usage(format!("{error}\nhelp: say where it starts, --set {name}=…"))
        }
        FitError::Intervals { .. } => Failure::Usage(format!("--intervals: {error}")),
        error => Failure::Usage(error.to_string()),
    }
}

fn show(found: &Fitted, screen: &mut Screen) -> Result<(), Failure> {
    let unit = |unit: &str| if unit == "1" { String::new() } else { format!(" {unit}") };
    let mut rows = vec![["parameter", "value", "standard error", "", "from"].map(str::to_owned).to_vec()];
    for parameter in &found.parameters {
        let error = match parameter.error.is_finite() {
            true => format!("± {}{}", readable(parameter.error, 2), unit(&parameter.unit)),
            false => "not determined".to_owned(),
        };
        let relative = parameter.error / parameter.value.abs() * 100.0;
        let relative = if relative.is_finite() { format!("{} %", readable(relative, 2)) } else { String::new() };
        let bound = if parameter.is_at_bound { ", at its bound" } else { "" };
        rows.push(vec![
            parameter.name.clone(),
            format!("{}{}{bound}", readable(parameter.value, 7), unit(&parameter.unit)),
            error,
            relative,
            readable(parameter.start, 7),
        ]);
    }
    screen.table(&rows)?;
    for (row, one) in found.parameters.iter().enumerate() {
        for (column, other) in found.parameters.iter().enumerate().skip(row + 1) {
            let correlation = found.correlation[row][column];
            if correlation.abs() >= CORRELATED && one.error.is_finite() && other.error.is_finite() {
                let text = readable(correlation, 3);
                screen.line(format!("correlation of {} and {}: {text}", one.name, other.name))?;
            }
        }
    }
    let mut rows = vec![["output", "root mean square of what is left", "noise"].map(str::to_owned).to_vec()];
    rows.extend(found.columns.iter().map(|column| {
        let number = |value: f64| format!("{}{}", readable(value, 3), unit(&column.unit));
        vec![column.name.clone(), number(column.missed), number(column.deviation)]
    }));
    screen.table(&rows)?;
    for doubt in &found.doubts {
        screen.line(format!("caution: {doubt}"))?;
    }
    Ok(screen.line(format!("{} motions", found.motions))?)
}

fn table_file(name: &str) -> String {
    format!("{}.csv", file_name(&format!("{name}_fit")))
}

/// Times, and for each output what was measured and what the model says.
fn table(out: &mut dyn Write, measured: &Measurements, found: &Fitted) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let heads = found.columns.iter().flat_map(|column| {
        let unit = &column.unit;
        [format!("{} [{unit}]", column.name), format!("model of {} [{unit}]", column.name)]
    });
    writer.write_record(std::iter::once("t [s]".to_owned()).chain(heads)).map_err(std::io::Error::from)?;
    for (row, t) in measured.times().iter().enumerate() {
        let values = measured.columns().iter().zip(&found.columns).flat_map(|(measured, found)| {
            [
                measured.values[row].map_or_else(String::new, |value| format!("{value:?}")),
                format!("{:?}", found.model[row]),
            ]
        });
        writer.write_record(std::iter::once(format!("{t:?}")).chain(values)).map_err(std::io::Error::from)?;
    }
    writer.flush()
}

/// Measurements and model, output by output.
fn figures(name: &str, measured: &Measurements, found: &Fitted) -> Vec<Figure> {
    let pairs = measured.columns().iter().zip(&found.columns);
    let figure = pairs.map(|(measured_column, column)| {
        let times = measured.times().iter().copied();
        let data = times.clone().zip(&measured_column.values).filter_map(|(t, value)| value.map(|value| (t, value)));
        Figure {
            slug: format!("{name}_{}_fit", column.name),
            title: format!("{}: measurements and model", column.name),
            caption: String::new(),
            x: Axis::linear("time", "s"),
            y: Axis::linear(&column.name, &column.unit),
            curves: vec![
                Curve::new("measured", Style::Markers, data.collect()),
                Curve::new("model", Style::Line, times.zip(column.model.iter().copied()).collect()),
            ],
            slopes: Vec::new(),
        }
    });
    figure.collect()
}
