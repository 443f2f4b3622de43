//! `hamel check`: what can be said of a model without integrating it, for people and for editors.

use hamel::{Channel, Model, initial_state, redundant_constraints};
use hamel_compiler::Family;
use hamel_compiler::file::{FileError, Mistake};
use hamel_jit::Level;
use serde::Serialize;

use crate::failure::Failure;
use crate::screen::Screen;
use crate::source::Choice;

/// Arguments of `hamel check`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Print JSON, also of mistakes.
    #[arg(long)]
    json: bool,
}

#[derive(Default, Serialize)]
struct Report {
    /// Each with its place; lines and columns count from one.
    errors: Vec<Place>,
    warnings: Vec<String>,
    model: Option<About>,
}

#[derive(Serialize)]
struct Place {
    line: usize,
    column: usize,
    /// That of the family, for `hamel explain`; none of notes.
    code: Option<&'static str>,
    message: String,
}

/// What a model is made of; each name with its SI unit.
#[derive(Serialize)]
struct About {
    name: String,
    /// Coordinates less those that constraints on them leave no choice, at the start; not known if there is no start that
    /// tells which constraints follow from others, and they are more than the coordinates.
    degrees_of_freedom: Option<usize>,
    coordinates: Vec<[String; 2]>,
    velocities: Vec<[String; 2]>,
    constraints: Vec<[String; 2]>,
    redundant_constraints: Vec<String>,
    contacts: Vec<String>,
    parameters: Vec<[String; 2]>,
    inputs: Vec<[String; 2]>,
    outputs: Vec<[String; 2]>,
    /// Operations of each function.
    operations: Vec<(String, u64)>,
}

/// Compiles the model, assembles its start and says what it is.
pub(crate) fn check(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut report = Report::default();
    let failure = match arguments.choice.stages() {
        Ok(stages) => {
            let model = hamel_jit::compile(&stages, Level::AtOnce);
            let model = model.map_err(|error| Failure::Usage(error.to_string()))?;
            report.model = Some(about(&model, &mut report.warnings));
            None
        }
        Err(Failure::Mistakes(error)) => {
            let place = |mistake: &Mistake| Place {
                line: mistake.line,
                column: mistake.column,
                code: mistake.family.map(Family::code),
                message: mistake.message.clone(),
            };
            if let FileError::Wrong { mistakes, .. } = &error {
                report.errors = mistakes.iter().map(place).collect();
            }
            report.errors.sort_by_key(|error| (error.line, error.column));
            Some(Failure::Mistakes(error))
        }
        Err(other) => return Err(other),
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| Failure::Unwritten(error.to_string()))?;
        screen.line(text)?;
        return match failure {
            Some(_) => Err(Failure::Said),
            None => Ok(()),
        };
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    for warning in &report.warnings {
        eprintln!("warning: {warning}");
    }
    report.model.iter().try_for_each(|about| print(about, report.warnings.len(), screen))
}

fn about(model: &dyn Model, warnings: &mut Vec<String>) -> About {
    let info = model.describe();
    let names = |channels: &[Channel]| channels.iter().cloned().map(|Channel { name, unit }| [name, unit]).collect();
    let redundant = match initial_state(model) {
        Ok(state) => redundant_constraints(model, &state),
        Err(error) => {
            warnings.push(error.to_string());
            Vec::new()
        }
    };
    let redundant_constraints: Vec<String> =
        redundant.iter().map(|&index| info.constraints[index].name.clone()).collect();
    if !redundant_constraints.is_empty() {
        warnings.push(format!(
            "constraints that follow from others at the start, and are left out of the equations: {}",
            redundant_constraints.join(", ")
        ));
    }
    About {
        name: info.name.clone(),
        degrees_of_freedom: (info.velocities.len() + redundant.len()).checked_sub(info.constraints.len()),
        coordinates: names(&info.coordinates),
        velocities: names(&info.velocities),
        constraints: names(&info.constraints),
        redundant_constraints,
        contacts: info.contacts.iter().map(|contact| contact.name.clone()).collect(),
        parameters: names(&info.parameters),
        inputs: names(&info.inputs),
        outputs: names(&info.outputs),
        operations: info.functions.iter().map(|function| (function.name.clone(), function.simplified)).collect(),
    }
}

fn print(about: &About, warnings: usize, screen: &mut Screen) -> Result<(), Failure> {
    let warned = match warnings {
        0 => "no mistakes".to_owned(),
        1 => "it compiles, with a warning".to_owned(),
        n => format!("it compiles, with {n} warnings"),
    };
    screen.line(format!("{}: {warned}", about.name))?;
    let listed = |names: &[[String; 2]]| {
        let item = |[name, unit]: &[String; 2]| if unit == "1" { name.clone() } else { format!("{name} ({unit})") };
        names.iter().map(item).collect::<Vec<_>>()
    };
    let freedom = about.degrees_of_freedom.map_or_else(|| "not known".to_owned(), |count| count.to_string());
    let mut rows = vec![vec!["degrees of freedom".to_owned(), freedom]];
    let mut row = |what: &str, names: Vec<String>| {
        if !names.is_empty() {
            rows.push(vec![what.to_owned(), names.len().to_string(), some_of(&names)]);
        }
    };
    row("coordinates", listed(&about.coordinates));
    row("velocities", listed(&about.velocities));
    row("constraints", listed(&about.constraints));
    row("contacts", about.contacts.clone());
    row("parameters", listed(&about.parameters));
    row("inputs", listed(&about.inputs));
    row("outputs", listed(&about.outputs));
    let operations = about.operations.iter().map(|(name, count)| format!("{name} {count}"));
    rows.push(vec!["operations".to_owned(), String::new(), operations.collect::<Vec<_>>().join(", ")]);
    Ok(screen.table(&rows)?)
}

/// The names, or the first of many.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 12;
    match names.len() {
        n if n > SHOWN => format!("{}, … {}", names[..SHOWN - 1].join(", "), names[n - 1]),
        _ => names.join(", "),
    }
}
