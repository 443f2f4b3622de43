//! What depends on the model's parameters alone: constants of every instance, the reference configuration.

use std::fmt::Write;

use super::formula::{Language, Notation};
use super::kernel::given;
use super::paths;
use super::runs;
use crate::contacts::LAW_FIELDS;
use crate::schedule::members::Members;
use crate::schedule::{Argument, Routine, Rows, Schedule, Series};

/// Kernels with constants.
pub(super) fn with_constants<'m, 'a>(members: &'m [Members<'a>]) -> impl Iterator<Item = &'m Members<'a>> {
    members.iter().filter(|members| !members.scheduled.constants.is_empty())
}

/// The struct `Constants` with the constants of every instance, if there are any.
pub(super) fn constants(schedule: &Schedule, members: &[Members]) -> String {
    if with_constants(members).next().is_none() {
        return String::new();
    }
    let mut text = "/// Constants of every instance of every kernel.\npub struct Constants {\n".to_owned();
    for kernel in with_constants(members) {
        let module = &kernel.module;
        let _ = match kernel.rows.len() {
            1 => writeln!(text, "pub {module}: {module}::Constants<f64>,"),
            _ if kernel.rows.is_regular() => writeln!(text, "pub {module}: {}<{module}::Constants<f64>>,", paths::VEC),
            n => writeln!(text, "pub {module}: [{module}::Constants<f64>; {n}],"),
        };
    }
    let routine = &schedule.members;
    let notation = notation(schedule, routine);
    let names = &schedule.parameters.parameters;
    text.push_str("}\nimpl Constants {\n/// Computes them from the components of the parameters.\n");
    let _ = writeln!(text, "pub fn new({}: [f64; {}]) -> Self {{", given(names, routine), names.len());
    text.push_str(&helpers(with_constants(members).map(|kernel| kernel.rows)));
    text.push_str(&notation.temporaries());
    let results = notation.results();
    let row = |row: &Vec<String>| format!("[{}]", row.join(", "));
    text.push_str("Self {\n");
    for kernel in with_constants(members) {
        let module = &kernel.module;
        let _ = match listed(kernel.rows, &results, row) {
            List::Regular(runs) => {
                writeln!(text, "{module}: expanded({runs}, {module}::Constants::new),")
            }
            List::Plain(rows) if rows.len() == 1 => {
                writeln!(text, "{module}: {module}::Constants::new({}),", rows.concat())
            }
            List::Plain(rows) => writeln!(text, "{module}: [{}].map({module}::Constants::new),", rows.join(", ")),
        };
    }
    text.push_str("}\n}\n}\n");
    text
}

/// Rows of a series.
enum List {
    /// One by one.
    Plain(Vec<String>),
    /// An array of runs.
    Regular(String),
}

fn listed(series: &Series, results: &[Vec<String>], row: impl Fn(&Vec<String>) -> String) -> List {
    if !series.is_regular() {
        return List::Plain(series.0.iter().flat_map(|rows| &results[rows.first.clone()]).map(row).collect());
    }
    let run = |rows: &Rows| {
        let [first, step] = [&rows.first, &rows.step].map(|range| results[range.clone()].iter().map(&row));
        runs::literal(rows.count, first, step)
    };
    let runs: Vec<String> = series.0.iter().map(run).collect();
    List::Regular(format!("&[{}]", runs.join(", ")))
}

/// What rows by rule are written with, if there are some.
fn helpers<'s>(mut all: impl Iterator<Item = &'s Series>) -> String {
    match all.any(Series::is_regular) {
        true => format!("use {}::{{Repetition, expanded}};\n", paths::GENERATED),
        false => String::new(),
    }
}

/// The function `reference_configuration`.
pub(super) fn reference_configuration(schedule: &Schedule) -> String {
    let routine = &schedule.reference_configuration;
    let names = &schedule.parameters.parameters;
    let notation = notation(schedule, routine);
    let mut text = "/// Configuration to start assembly from.\n".to_owned();
    let n = schedule.reference_coordinates.len();
    let (kind, values) = match listed(&schedule.reference_coordinates, &notation.results(), |row| row.concat()) {
        List::Regular(runs) => (format!("{}<f64>", paths::VEC), format!("expanded({runs}, |coordinate| coordinate)")),
        List::Plain(values) => (format!("[f64; {n}]"), format!("[{}]", values.join(", "))),
    };
    let _ = writeln!(
        text,
        "pub fn reference_configuration({}: [f64; {}]) -> {kind} {{\n{}{}{values}\n}}",
        given(names, routine),
        names.len(),
        helpers(std::iter::once(&schedule.reference_coordinates)),
        notation.temporaries(),
    );
    text
}

/// The function `contact_laws`, if there are contacts.
pub(super) fn contact_laws(schedule: &Schedule) -> String {
    if schedule.law_of_contact.is_empty() {
        return String::new();
    }
    let (routine, names, law) = (&schedule.contact_laws, &schedule.parameters.parameters, paths::CONTACT_LAW);
    let notation = notation(schedule, routine);
    let (given, n) = (given(names, routine), schedule.law_of_contact.len());
    let mut text = format!(
        "/// Laws of the contacts.\npub fn contact_laws({given}: [f64; {}]) -> [{law}; {n}] {{\n{}let laws = [\n",
        names.len(),
        notation.temporaries()
    );
    for values in notation.results() {
        let fields: Vec<String> =
            LAW_FIELDS.iter().zip(values).map(|(field, value)| format!("{field}: {value}")).collect();
        let _ = writeln!(text, "{law} {{ {} }},", fields.join(", "));
    }
    let places: Vec<String> = schedule.law_of_contact.iter().map(usize::to_string).collect();
    let all_equal = schedule.contact_laws.outputs.len() == 1;
    let _ = match all_equal {
        true => writeln!(text, "];\n[laws[0]; {n}]\n}}"),
        false => writeln!(text, "];\n[{}].map(|law: usize| laws[law])\n}}", places.join(", ")),
    };
    text
}

/// The function `switching_times`, if there are such.
pub(super) fn switching_times(schedule: &Schedule) -> String {
    let n = schedule.moved_by.len();
    if n == 0 {
        return String::new();
    }
    let (routine, names) = (&schedule.switches, &schedule.parameters.parameters);
    let notation = notation(schedule, routine);
    let given = given(names, routine);
    let times: Vec<String> = notation.results().into_iter().map(|pair| format!("[{}]", pair.join(", "))).collect();
    let moved_by: Vec<String> = schedule.moved_by.iter().map(|places| format!("&{places:?}")).collect();
    format!(
        "/// Times at which formulas give way to others, s, and after what time each recurs, zero if it does not.\n\
         pub fn switching_times({given}: [f64; {}]) -> [[f64; 2]; {n}] {{\n{}[{}]\n}}\n\
         /// For each of them the parameters that move it, among those with respect to which there are derivatives.\n\
         pub const MOVED_BY: [&[usize]; {n}] = [{}];\n",
        names.len(),
        notation.temporaries(),
        times.join(", "),
        moved_by.join(", ")
    )
}

pub(super) fn notation<'a>(schedule: &'a Schedule, routine: &'a Routine) -> Notation<'a> {
    Notation {
        argument: Box::new(|argument: Argument| schedule.parameters.of(argument).to_owned()),
        routine,
        language: Language::Float,
    }
}
