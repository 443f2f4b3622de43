//! `hamel run`: integrates a model and writes its motion as CSV, plots and a short table.

use std::path::PathBuf;

use hamel::model::{Channel, Model, State};
use hamel::scheme::{Scheme, StepError};
use hamel::{consistent, schemes};
use hamel_models::ModelEntry;
use hamel_verify::motion::{self, Grid, Motion};
use hamel_verify::number::readable;
use hamel_verify::output;
use hamel_verify::provenance::Provenance;
use hamel_verify::report::{Axis, Cell, Column, Curve, Figure, Style, Table};
use serde::Serialize;

use super::failure::Failure;
use super::screen::Screen;

/// Arguments of `hamel run`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Name of a model, see `hamel list`.
    model: String,
    /// Name of a scheme, see `hamel list`.
    #[arg(long, value_name = "NAME")]
    scheme: String,
    /// Step size, s.
    #[arg(long, value_name = "H")]
    dt: f64,
    /// End of the motion, s.
    #[arg(long, value_name = "T")]
    until: f64,
    /// Numerical damping α of the HHT schemes, from -1/3 to 0.
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// Spectral radius ρ∞ of generalized-α, from 0 to 1.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    rho: Option<f64>,
    /// Set a parameter of the model, component by component: --set mass=2 --set inertia[0]=0.1
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, f64)>,
    /// Record every N-th step; about a thousand records by default.
    #[arg(long, value_name = "N")]
    record: Option<std::num::NonZeroUsize>,
    /// Directory of the results.
    #[arg(long, value_name = "DIR", default_value = "run")]
    out: PathBuf,
}

/// What is recorded of a state.
struct Record {
    t: f64,
    outputs: Vec<f64>,
    kinetic: f64,
    potential: f64,
    /// Largest constraint residual.
    constraint: f64,
}

/// What has to be known to repeat the run, beside its results.
#[derive(Serialize)]
struct Description<'a> {
    model: &'a str,
    scheme: String,
    dt: f64,
    steps: usize,
    parameters: &'a [(String, f64)],
    outputs: Vec<[&'static str; 2]>,
    failure: Option<String>,
    provenance: Provenance,
}

/// Integrates and writes what was computed, also when a step failed.
pub(super) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let grid = grid(arguments)?;
    let model = model(&arguments.model, &arguments.parameters)?;
    let scheme = scheme(arguments)?;
    let initial = consistent::initial_state(&*model)?;
    // A scheme that rejects its parameters or this kind of model does so before anything is written.
    scheme.start(&*model, initial.clone())?;
    output::prepare(&arguments.out)?;

    let motion = motion::observe(&*model, &*scheme, initial, grid, |state| record(&*model, state));
    let figures = figures(&*model, &motion.samples);
    output::write_tables(&arguments.out, &[table(&*model, &arguments.model, &motion.samples)])?;
    output::write_figures(&arguments.out, &figures)?;
    output::write_json(
        &arguments.out.join(format!("{}.json", arguments.model)),
        &describe(arguments, &*model, &*scheme, grid, &motion),
    )?;

    summarize(&*model, &*scheme, grid, &motion, screen)?;
    let files: Vec<String> = figures.iter().map(|figure| format!("{}.svg", figure.slug)).collect();
    let written = format!("{0}.csv, {0}.json, {1}", arguments.model, files.join(", "));
    screen.line(format!("written to {}: {written}", arguments.out.display()))?;
    screen.flush()?;
    motion.failure.map_or(Ok(()), |failure| Err(failure.into()))
}

fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "expected NAME=VALUE".to_owned())?;
    let value = value.trim().parse().map_err(|_| format!("expected a number after `{name}=`, found `{value}`"))?;
    Ok((name.trim().to_owned(), value))
}

fn grid(arguments: &Arguments) -> Result<Grid, Failure> {
    for (option, value) in [("--dt", arguments.dt), ("--until", arguments.until)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(Failure::Usage(format!("{option} must be a positive time, but is {value}")));
        }
    }
    let grid = Grid::covering(arguments.dt, arguments.until);
    Ok(match arguments.record {
        Some(every) => Grid { every: every.get(), ..grid },
        None => grid.sampled(1000),
    })
}

fn model(name: &str, parameters: &[(String, f64)]) -> Result<Box<dyn Model>, Failure> {
    let names = hamel_models::ALL.iter().map(|entry| entry.name);
    let ModelEntry { build, .. } = hamel_models::find(name).ok_or_else(|| Failure::unknown("model", name, names))?;
    build(parameters)
        .map_err(|error| Failure::unknown("parameter", &error.name, error.known.iter().map(|channel| channel.name)))
}

fn scheme(arguments: &Arguments) -> Result<Box<dyn Scheme>, Failure> {
    // Both spellings are in use; the names have underscores, as those of the models do.
    let name = arguments.scheme.replace('-', "_");
    if !schemes::names().any(|(known, _)| known == name) {
        return Err(Failure::unknown("scheme", &arguments.scheme, schemes::names().map(|(known, _)| known)));
    }
    let given = [("alpha", arguments.alpha), ("rho_infinity", arguments.rho)];
    let given: Vec<(&str, f64)> = given.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    Ok(schemes::by_name(&name, &given)?)
}

fn record(model: &dyn Model, state: &State) -> Record {
    let dims = model.dims();
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(state, &mut outputs);
    let energy = model.energy(state.t, state.q.as_slice(), state.v.as_slice());
    let mut residual = vec![0.0; dims.nc];
    model.constraint(state.t, state.q.as_slice(), &mut residual);
    let constraint = residual.iter().map(|g| g.abs()).fold(0.0, f64::max);
    Record { t: state.t, outputs, kinetic: energy.kinetic, potential: energy.potential, constraint }
}

fn describe<'a>(
    arguments: &'a Arguments,
    model: &dyn Model,
    scheme: &dyn Scheme,
    grid: Grid,
    motion: &Motion<Record>,
) -> Description<'a> {
    Description {
        model: &arguments.model,
        scheme: scheme.name(),
        dt: grid.dt,
        steps: grid.steps,
        parameters: &arguments.parameters,
        outputs: model.describe().outputs.iter().map(|channel| [channel.name, channel.unit]).collect(),
        failure: motion.failure.as_ref().map(StepError::to_string),
        provenance: Provenance::of_this_run(),
    }
}

fn table(model: &dyn Model, name: &str, records: &[Record]) -> Table {
    let mut columns = vec![Column::new("t", "s")];
    columns.extend(model.describe().outputs.iter().map(|channel| Column::new(channel.name, channel.unit)));
    columns.extend(["kinetic_energy", "potential_energy"].map(|name| Column::new(name, "J")));
    columns.push(Column::new("constraint_residual", "1"));
    let row = |record: &Record| {
        let ends = [record.kinetic, record.potential, record.constraint];
        std::iter::once(record.t)
            .chain(record.outputs.iter().copied())
            .chain(ends)
            .map(|x| Cell::number(x, 6))
            .collect()
    };
    Table { slug: name.to_owned(), title: name.to_owned(), columns, rows: records.iter().map(row).collect() }
}

/// One figure for each output, one for the energy, one for the constraints.
fn figures(model: &dyn Model, records: &[Record]) -> Vec<Figure> {
    let info = model.describe();
    let mut figures = Vec::new();
    let mut first = 0;
    for channels in info.outputs.chunk_by(|a, b| base(a) == base(b)) {
        let curves = channels
            .iter()
            .enumerate()
            .map(|(k, channel)| curve(channel.name, records, |record| record.outputs[first + k]));
        let curves = curves.collect();
        figures.push(figure(&format!("output_{}", base(&channels[0])), base(&channels[0]), channels[0].unit, curves));
        first += channels.len();
    }
    let energy: [(&str, fn(&Record) -> f64); 3] =
        [("kinetic", |r| r.kinetic), ("potential", |r| r.potential), ("total", |r| r.kinetic + r.potential)];
    let curves = energy.map(|(name, value)| curve(name, records, value)).to_vec();
    figures.push(figure("energy", "energy", "J", curves));
    if model.dims().nc > 0 {
        // A logarithmic axis has no zero, and round-off often vanishes exactly.
        let mut residual = figure(
            "constraints",
            "largest constraint residual",
            "1",
            vec![curve("g", records, |r| r.constraint.max(1e-18))],
        );
        residual.y.is_log = true;
        figures.push(residual);
    }
    figures
}

/// The name of an output without the index of its component.
fn base(channel: &Channel) -> &'static str {
    channel.name.split('[').next().unwrap_or(channel.name)
}

fn curve(name: &str, records: &[Record], value: impl Fn(&Record) -> f64) -> Curve {
    Curve::new(name, Style::Line, records.iter().map(|record| (record.t, value(record))).collect())
}

fn figure(slug: &str, label: &str, unit: &'static str, curves: Vec<Curve>) -> Figure {
    Figure {
        slug: slug.to_owned(),
        title: label.to_owned(),
        caption: String::new(),
        x: Axis::linear("time", "s"),
        y: Axis::linear(label, unit),
        curves,
        slopes: Vec::new(),
    }
}

fn summarize(
    model: &dyn Model,
    scheme: &dyn Scheme,
    grid: Grid,
    motion: &Motion<Record>,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let (Some(first), Some(last)) = (motion.samples.first(), motion.samples.last()) else { return Ok(()) };
    screen.line(format!("{}, {}, h = {} s", model.describe().name, scheme.name(), grid.dt))?;
    let number = |value: f64, unit: &str| match unit {
        "1" => readable(value, 9),
        unit => format!("{} {unit}", readable(value, 9)),
    };
    let mut rows = vec![vec!["time".into(), number(last.t, "s")]];
    let outputs = model.describe().outputs.iter().zip(&last.outputs);
    rows.extend(outputs.map(|(channel, &value)| vec![channel.name.to_owned(), number(value, channel.unit)]));
    let (start, end) = (first.kinetic + first.potential, last.kinetic + last.potential);
    rows.push(vec!["energy at the start".into(), number(start, "J")]);
    rows.push(vec!["energy at the end".into(), number(end, "J")]);
    if model.dims().nc > 0 {
        let worst = motion.samples.iter().map(|record| record.constraint).fold(0.0, f64::max);
        rows.push(vec!["largest constraint residual".into(), readable(worst, 2)]);
    }
    Ok(screen.table(&rows)?)
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

    #[test]
    fn outputs_of_one_quantity_share_a_name() {
        assert_eq!(base(&Channel { name: "omega[2]", unit: "rad/s" }), "omega");
        assert_eq!(base(&Channel { name: "slider", unit: "m" }), "slider");
    }
}
