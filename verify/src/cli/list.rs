//! `hamel list`: models, schemes and experiments.

use hamel_verify::PAPERS;
use serde::Serialize;

use super::failure::Failure;
use super::screen::Screen;

/// Arguments of `hamel list`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    models: Vec<Model>,
    schemes: Vec<Scheme>,
    experiments: Vec<Experiment>,
}

#[derive(Serialize)]
struct Model {
    name: &'static str,
    coordinates: usize,
    velocities: usize,
    constraints: usize,
    parameters: Vec<String>,
    summary: &'static str,
}

#[derive(Serialize)]
struct Scheme {
    name: &'static str,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    default: f64,
}

#[derive(Serialize)]
struct Experiment {
    id: &'static str,
    paper: &'static str,
    place: &'static str,
    cost: &'static str,
    title: &'static str,
}

/// Prints what there is.
pub(super) fn list(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let listing = Listing { models: models(), schemes: schemes(), experiments: experiments() };
    if arguments.json {
        let text = serde_json::to_string_pretty(&listing).map_err(std::io::Error::from)?;
        return Ok(screen.line(text)?);
    }
    screen.line("Models: coordinates, velocities, constraints")?;
    let sizes = |m: &Model| [m.coordinates, m.velocities, m.constraints].map(|n| n.to_string());
    let row = |m: &Model| std::iter::once(m.name.into()).chain(sizes(m)).chain([m.summary.into()]).collect();
    screen.table(&listing.models.iter().map(row).collect::<Vec<_>>())?;
    screen.line("\nSchemes")?;
    let parameter = |p: &Parameter| format!("{} = {}", p.name, p.default);
    let row = |s: &Scheme| vec![s.name.into(), s.parameters.iter().map(parameter).collect::<Vec<_>>().join(", ")];
    screen.table(&listing.schemes.iter().map(row).collect::<Vec<_>>())?;
    screen.line("\nExperiments")?;
    let row = |e: &Experiment| [e.id, e.place, e.cost, e.title].map(String::from).to_vec();
    screen.table(&listing.experiments.iter().map(row).collect::<Vec<_>>())?;
    Ok(())
}

fn models() -> Vec<Model> {
    let described = hamel_models::ALL.iter().filter_map(|entry| {
        // Without parameters to set, nothing can be unknown: every model builds.
        let info = (entry.build)(&[]).ok()?.describe();
        Some(Model {
            name: entry.name,
            coordinates: info.coordinates.len(),
            velocities: info.velocities.len(),
            constraints: info.constraints.len(),
            parameters: info.parameters.iter().map(|p| format!("{} [{}]", p.name, p.unit)).collect(),
            summary: info.doc.trim(),
        })
    });
    described.collect()
}

fn schemes() -> Vec<Scheme> {
    let parameter = |&(name, default): &(&'static str, f64)| Parameter { name, default };
    let scheme =
        |(name, parameters): (_, &[_])| Scheme { name, parameters: parameters.iter().map(parameter).collect() };
    hamel::schemes::names().map(scheme).collect()
}

fn experiments() -> Vec<Experiment> {
    let all = PAPERS.iter().flat_map(|paper| paper.experiments);
    all.map(|experiment| Experiment {
        id: experiment.id,
        paper: experiment.paper(),
        place: experiment.place,
        cost: experiment.cost.label(),
        title: experiment.title,
    })
    .collect()
}
