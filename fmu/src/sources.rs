//! Units of sources in C99: the functions of a model, its motion by fixed steps, and the interface around it, for every
//! system with a compiler.

use std::path::Path;

use hamel::configuration::ranges;
use hamel::{Block, Model, initial_state, redundant_constraints};
use hamel_compiler::Stages;
use hamel_compiler::emit::{CMotion, CPrecision, CStepper, c_motion, c_name};
use hamel_compiler::file;
use hamel_jit::JitModel;

use crate::archive::{Contents, ExportError, archive, identifier, kinds, token};
use crate::description::Description;
use crate::settings::{Settings, Stepping, Version};
use crate::variables::Variables;

const UNIT: &str = include_str!("sources/unit.c");
const FMI3: &str = include_str!("sources/fmi3.c");
const FMI2: &str = include_str!("sources/fmi2.c");
const BOTH: &str = include_str!("sources/both.c");

/// Schemes by which such units integrate, by their names in the registry.
pub const C_SCHEMES: [(&str, CStepper); 2] =
    [("runge_kutta", CStepper::RungeKutta), ("half_explicit", CStepper::HalfExplicit)];

/// Writes a unit of sources, whole or not at all; the settings that it has.
///
/// `stages` are those of the text of which [`hamel_jit::model`] has made the model. Values of parameters that were set are
/// those with which instances begin. Steps are fixed, and the scheme is one of [`C_SCHEMES`].
///
/// # Errors
/// A model that has no start or has contacts, steps that are not fixed, another scheme, and files.
pub fn write_sources(
    model: &JitModel,
    stages: &Stages,
    contents: &Contents,
    to: &Path,
) -> Result<Settings, ExportError> {
    let info = model.describe();
    let refused = |what: String| ExportError::Kind(what);
    if !info.contacts.is_empty() {
        return Err(refused(format!(
            "`{}` has contacts, whose impacts and friction the sources do not solve\nhelp: without --sources the unit contains a library that does",
            info.name
        )));
    }
    let Some(&(_, stepper)) = C_SCHEMES.iter().find(|(name, _)| *name == contents.scheme) else {
        let known = C_SCHEMES.map(|(name, _)| format!("`{name}`")).join(" or ");
        return Err(refused(format!("units of sources integrate by {known}, not by `{}`", contents.scheme)));
    };
    let Stepping::Fixed(step) = contents.stepping else {
        return Err(refused("units of sources have fixed steps: expected --dt with their length, s".to_owned()));
    };
    let state = initial_state(model)?;
    let left_out = redundant_constraints(model, &state);
    let name = c_name(&info.name);
    let motion = CMotion {
        stepper,
        precision: CPrecision::Double,
        start: [state.q.as_slice(), state.v.as_slice()],
        parameters: model.parameters(),
        left_out: &left_out,
        is_open: true,
    };
    let [functions, moving] = c_motion(&info.name, &stages.simplified, &stages.schedule, &motion);
    let mut settings = Settings {
        identifier: identifier(&info.name),
        token: String::new(),
        version: contents.version,
        kinds: kinds(&contents.kinds),
        scheme: contents.scheme.clone(),
        scheme_parameters: Vec::new(),
        stepping: contents.stepping.clone(),
        derivatives: false,
        parameters: Vec::new(),
    };
    settings.token = token(contents, &settings);
    let variables = Variables::of_sources(model);
    let files: [(String, String); 5] = [
        (format!("{name}.h"), functions.header),
        (format!("{name}.c"), functions.source),
        (format!("{name}_motion.h"), moving.header),
        (format!("{name}_motion.c"), moving.source),
        (format!("{name}_fmi.c"), interface(model, &name, &settings, step)),
    ];
    let compiled: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with(".c")).collect();
    let description = Description {
        info,
        settings: &settings,
        variables: &variables,
        parameters: model.parameters(),
        state: &state,
        until: contents.until,
        sources: &compiled,
    };
    let mut entries = vec![("modelDescription.xml".to_owned(), description.text().into_bytes())];
    if contents.version == Version::Three {
        entries.push(("sources/buildDescription.xml".to_owned(), description.build().into_bytes()));
    }
    entries.extend(files.iter().map(|(name, text)| (format!("sources/{name}"), text.clone().into_bytes())));
    file::write(to, |out| archive(out, &entries))?;
    Ok(settings)
}

/// The file with the functions of the interface.
fn interface(model: &JitModel, name: &str, settings: &Settings, step: f64) -> String {
    let (info, dims) = (model.describe(), model.dims());
    let mut first = vec![0; dims.nq];
    let mut count = vec![0; dims.nq];
    for (block, q, v) in ranges(&info.blocks) {
        for (i, place) in q.enumerate() {
            (first[place], count[place]) = match block {
                Block::Vector { .. } | Block::EulerParameters => (v.start + i, 1),
                Block::Rotation(_) | Block::Pose(_) => (v.start, v.len()),
            };
        }
    }
    let list = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let mut defaults: Vec<String> = model.parameters().iter().map(|value| format!("{value:?}")).collect();
    defaults.push("0.0".to_owned());
    let (major, version, functions) = match settings.version {
        Version::Two => ("2", "2.0", FMI2),
        Version::Three => ("3", "3.0", FMI3),
    };
    let number = |n: usize| n.to_string();
    let multiplier = if dims.nc > 0 { "c->motion.lambda[r - MULTIPLIERS]" } else { "0.0" };
    let places: [(&str, String); 16] = [
        ("@title@", info.name.clone()),
        ("@name@", name.to_owned()),
        ("@version@", version.to_owned()),
        ("@major@", major.to_owned()),
        ("@parameters@", number(info.parameters.len())),
        ("@inputs@", number(info.inputs.len())),
        ("@coordinates@", number(dims.nq)),
        ("@velocities@", number(dims.nv)),
        ("@constraints@", number(dims.nc)),
        ("@outputs@", number(info.outputs.len())),
        ("@token@", settings.token.clone()),
        ("@step@", format!("{step:?}")),
        ("@first_directions@", list(&first)),
        ("@directions@", list(&count)),
        ("@defaults@", defaults.join(", ")),
        ("@multiplier@", multiplier.to_owned()),
    ];
    let text = format!("{UNIT}{functions}{BOTH}");
    places.iter().fold(text, |text, (place, value)| text.replace(place, value))
}
