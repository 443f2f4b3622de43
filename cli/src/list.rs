//! `hamel list`: models, schemes and experiments.

use std::ops::Bound;

use hamel::schemes;
use serde::Serialize;

use crate::failure::Failure;
use crate::own;
use crate::screen::Screen;

/// Arguments of `hamel list`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to list; everything by default.
    what: Option<What>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum What {
    Models,
    Schemes,
    Experiments,
}

#[derive(Serialize)]
struct Listing {
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<Vec<Model>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schemes: Option<Vec<Scheme>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    experiments: Option<Vec<Experiment>>,
}

#[derive(Serialize)]
struct Model {
    name: &'static str,
    coordinates: usize,
    velocities: usize,
    constraints: usize,
    parameters: Vec<String>,
    summary: String,
}

#[derive(Serialize)]
struct Scheme {
    name: &'static str,
    family: &'static str,
    order: u32,
    stages: u32,
    stability: String,
    /// Whether it can integrate models with contacts.
    contacts: bool,
    /// Whether a tolerance can choose its steps.
    adaptive: bool,
    /// Orders of coordinates, velocities and multipliers with constraints on velocities and on positions.
    index_2: Option<[u32; 3]>,
    index_3: Option<[u32; 3]>,
    parameters: Vec<Parameter>,
    source: &'static str,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    default: f64,
    lowest: End,
    highest: End,
    /// Where only multiples of a number are values, that number.
    step: Option<f64>,
    /// As a person reads it.
    #[serde(skip)]
    text: String,
}

/// One end of the range of a parameter.
#[derive(Serialize)]
struct End {
    /// `null` where there is none.
    value: Option<f64>,
    /// Whether it belongs to the range.
    belongs: bool,
}

impl From<Bound<f64>> for End {
    fn from(bound: Bound<f64>) -> Self {
        let (value, belongs) = match bound {
            Bound::Included(value) => (value, true),
            Bound::Excluded(value) => (value, false),
            Bound::Unbounded => (f64::INFINITY, false),
        };
        End { value: value.is_finite().then_some(value), belongs }
    }
}

#[derive(Serialize)]
struct Experiment {
    id: &'static str,
    paper: &'static str,
    place: &'static str,
    cost: &'static str,
    title: &'static str,
}

/// Prints the lists.
pub(crate) fn list(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let is_asked = |what: What| arguments.what.is_none_or(|asked| asked == what);
    let listing = Listing {
        models: is_asked(What::Models).then(models),
        schemes: is_asked(What::Schemes).then(described_schemes),
        experiments: is_asked(What::Experiments).then(experiments),
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&listing).map_err(std::io::Error::from)?;
        return Ok(screen.line(text)?);
    }
    let between = if arguments.what.is_none() { "\n" } else { "" };
    if let Some(models) = &listing.models {
        screen.line("Models: coordinates, velocities, constraints")?;
        let sizes = |m: &Model| [m.coordinates, m.velocities, m.constraints].map(|n| n.to_string());
        let row = |m: &Model| std::iter::once(m.name.into()).chain(sizes(m)).chain([m.summary.clone()]).collect();
        screen.table(&models.iter().map(row).collect::<Vec<_>>())?;
    }
    if let Some(schemes) = &listing.schemes {
        let columns = "family, order, orders of q/v/λ (accelerations as λ at most) that constraints on velocities and on positions leave, stages, contacts, adaptive (by a tolerance, with constraints on velocities), stability (A- or L-stable for stiff models)";
        screen.line(format!("{between}Schemes: {columns}"))?;
        let orders = |orders: Option<[u32; 3]>| orders.map_or("–".to_owned(), |[q, v, l]| format!("{q}/{v}/{l}"));
        let row = |s: &Scheme| {
            let parameters = s.parameters.iter().map(|p| &*p.text).collect::<Vec<_>>().join(", ");
            let numbers = [s.order.to_string(), orders(s.index_2), orders(s.index_3), s.stages.to_string()];
            let mark = |has: bool, mark: &str| if has { mark } else { "–" }.to_owned();
            let marks = [mark(s.contacts, "contacts"), mark(s.adaptive, "adaptive")];
            let texts = marks.into_iter().chain([s.stability.clone(), parameters, s.source.to_owned()]);
            [s.name.to_owned(), s.family.to_owned()].into_iter().chain(numbers).chain(texts).collect()
        };
        screen.table(&schemes.iter().map(row).collect::<Vec<_>>())?;
    }
    if let Some(experiments) = &listing.experiments {
        screen.line(format!("{between}Experiments"))?;
        let row = |e: &Experiment| [e.id, e.place, e.cost, e.title].map(String::from).to_vec();
        screen.table(&experiments.iter().map(row).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn models() -> Vec<Model> {
    let described = own::names().into_iter().filter_map(|name| {
        // Without parameters to set there are no unknown names, so each model can be built.
        let model = own::build(name, &[]).ok()?;
        let info = model.describe();
        Some(Model {
            name,
            coordinates: info.coordinates.len(),
            velocities: info.velocities.len(),
            constraints: info.constraints.len(),
            parameters: info.parameters.iter().map(|p| format!("{} [{}]", p.name, p.unit)).collect(),
            summary: info.doc.trim().lines().next().unwrap_or_default().to_owned(),
        })
    });
    described.collect()
}

fn described_schemes() -> Vec<Scheme> {
    let members = schemes::FAMILIES.iter().flat_map(|family| family.entries.iter().map(move |e| (family, e)));
    let described = members.filter_map(|(family, entry)| {
        // Defaults are in range, so each scheme can be constructed.
        let scheme = entry.scheme(&[]).ok()?;
        let parameter = |parameter: &schemes::Parameter| Parameter {
            name: parameter.name,
            default: parameter.default,
            lowest: parameter.range.lowest.into(),
            highest: parameter.range.highest.into(),
            step: parameter.range.step,
            text: parameter.to_string(),
        };
        Some(Scheme {
            name: entry.name,
            family: family.name,
            order: scheme.order(),
            stages: scheme.stages(),
            stability: entry.stability.to_string(),
            contacts: scheme.carries_contacts(),
            adaptive: scheme.estimates_errors(),
            index_2: entry.index_2,
            index_3: entry.index_3,
            parameters: entry.parameters.iter().map(parameter).collect(),
            source: entry.source,
        })
    });
    described.collect()
}

fn experiments() -> Vec<Experiment> {
    #[cfg(feature = "papers")]
    let papers = hamel_verify::PAPERS;
    #[cfg(not(feature = "papers"))]
    let papers: &[hamel_report::Paper] = &[];
    let all = papers.iter().flat_map(|paper| paper.experiments);
    all.map(|experiment| Experiment {
        id: experiment.id,
        paper: experiment.paper(),
        place: experiment.place,
        cost: experiment.cost.label(),
        title: experiment.title,
    })
    .collect()
}
