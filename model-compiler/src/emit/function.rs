//! One function of a kernel: generic over the scalar, straight-line, reading only what it needs.

use std::fmt::Write;

use super::docs;
use super::formula::{Language, Notation};
use crate::derive::FunctionRole;
use crate::parallel;
use crate::schedule::groups::{Group, groups};
use crate::schedule::split::{MAX_STATEMENTS, Part, parts};
use crate::schedule::vocabulary::role_name;
use crate::schedule::{ArgumentNames, Routine, ScheduledFunction, ScheduledOutput, Statement};

/// The function's text; a long one calls its parts, which follow it, each in a module of its own: rustc gives modules to
/// units of code that it compiles at the same time, and functions of one module to the same unit.
pub(super) fn function(function: &ScheduledFunction, names: &ArgumentNames) -> String {
    let name = &function.name;
    let parts = parts(&function.routine, MAX_STATEMENTS);
    let mut text = docs::function(function);
    if let [whole] = parts.as_slice() {
        if function.role == FunctionRole::ForwardDynamics {
            // So that lanes have the registers of the function that calls it.
            text.push_str("#[inline(always)]\n");
        }
        text.push_str(&definition(&format!("pub fn {name}"), function, names, whole, &[]));
        return text;
    }
    let parameters = parameters(function, &function.routine, names);
    let _ = writeln!(text, "pub fn {name}<T: Real>({}) {{", parameters.join(", "));
    for (index, part) in parts.iter().enumerate() {
        let result = if part.gives.is_empty() { String::new() } else { format!("let part_{} = ", index + 1) };
        let arguments: Vec<String> = taken(part)
            .map(|earlier| format!("&part_{}", earlier + 1))
            .chain(groups(&part.routine).iter().map(|(group, _)| group.name().to_owned()))
            .chain(stored(function, &part.routine).map(|(output, _)| role_name(output.role).to_owned()))
            .collect();
        let _ = writeln!(text, "{result}{name}_part_{}::part({});", index + 1, arguments.join(", "));
    }
    text.push_str("}\n");
    let places: Vec<usize> = (0..parts.len()).collect();
    text.extend(parallel::map(&places, |&index| {
        let doc = docs::comment(&[format!("Part {} of [`{name}`].", index + 1)]);
        let part = definition("#[inline(never)]\npub fn part", function, names, &parts[index], &parts[..index]);
        format!("mod {name}_part_{} {{\nuse super::*;\n{doc}{part}}}\n", index + 1)
    }));
    text
}

/// Earlier parts of which something is read.
pub(super) fn taken(part: &Part) -> impl Iterator<Item = usize> {
    part.takes.iter().enumerate().filter(|(_, positions)| !positions.is_empty()).map(|(earlier, _)| earlier)
}

/// Outputs that a routine stores, with the entries stored.
pub(super) fn stored<'f>(
    function: &'f ScheduledFunction,
    routine: &'f Routine,
) -> impl Iterator<Item = (&'f ScheduledOutput, Vec<usize>)> {
    let mut entries: Vec<Vec<usize>> = vec![Vec::new(); function.outputs.len()];
    for statement in &routine.statements {
        if let Statement::Store { output, position, .. } = statement {
            entries[*output].push(*position);
        }
    }
    function.outputs.iter().zip(entries).filter(|(_, entries)| !entries.is_empty())
}

fn parameters(function: &ScheduledFunction, routine: &Routine, names: &ArgumentNames) -> Vec<String> {
    let groups = groups(routine);
    let given = groups.iter().map(|(group, _)| match group {
        Group::Constants => "constants: &Constants<T>".to_owned(),
        Group::Time => "t: T".to_owned(),
        _ => format!("{}: &[T; {}]", group.name(), group.len(names)),
    });
    let filled =
        stored(function, routine).map(|(output, _)| format!("{}: &mut {}", role_name(output.role), array(output)));
    given.chain(filled).collect()
}

/// The type that holds an output: rows of a dense matrix, the entries of a sparse one.
fn array(output: &ScheduledOutput) -> String {
    match (output.is_dense, output.shape) {
        (true, (rows, 1)) => format!("[T; {rows}]"),
        (true, (rows, columns)) => format!("[[T; {columns}]; {rows}]"),
        (false, _) => format!("[T; {}]", output.entries.len()),
    }
}

/// A function with the statements of a part, which may read what `earlier` parts give.
fn definition(
    head: &str,
    function: &ScheduledFunction,
    names: &ArgumentNames,
    part: &Part,
    earlier: &[Part],
) -> String {
    let routine = &part.routine;
    let notation =
        Notation { argument: Box::new(|argument| names.of(argument).to_owned()), routine, language: Language::Generic };
    let locals = |indices: &[usize]| indices.iter().map(|&i| routine.locals[i].clone()).collect::<Vec<_>>();
    let from: Vec<String> =
        taken(part).map(|index| format!("part_{}: &[T; {}]", index + 1, earlier[index].gives.len())).collect();
    let parameters = [from, parameters(function, routine, names)].concat();
    let result = if part.gives.is_empty() { String::new() } else { format!(" -> [T; {}]", part.gives.len()) };
    let mut text = format!("{head}<T: Real>({}){result} {{\n", parameters.join(", "));
    for index in taken(part) {
        let all = locals(&earlier[index].gives);
        let _ = writeln!(text, "let {} = *part_{};", pattern(&all, &part.takes[index]), index + 1);
    }
    for (group, indices) in &groups(routine) {
        text.push_str(&unpack(*group, indices, names));
    }
    for (output, mut entries) in stored(function, routine).filter(|(output, _)| !output.is_indexed()) {
        entries.sort_unstable();
        let all: Vec<String> = (0..output.entries.len()).map(|i| output.entry_name(i)).collect();
        let _ = writeln!(text, "let {} = {};", pattern(&all, &entries), role_name(output.role));
    }
    text.push_str(&notation.numbers());
    text.push_str(&notation.statements(&|output, position| {
        let output = &function.outputs[output];
        let (row, column) = output.entries[position];
        match output.shape {
            _ if !output.is_indexed() => format!("*{}", output.entry_name(position)),
            (_, 1) => format!("{}[{row}]", role_name(output.role)),
            _ => format!("{}[{row}][{column}]", role_name(output.role)),
        }
    }));
    if !part.gives.is_empty() {
        let _ = writeln!(text, "[{}]", locals(&part.gives).join(", "));
    }
    text.push_str("}\n");
    text
}

/// `let [x, y, ..] = *q;` with the names of what is read.
fn unpack(group: Group, indices: &[usize], names: &ArgumentNames) -> String {
    match group {
        Group::Time => String::new(),
        Group::Constants => {
            let fields: Vec<&str> = indices.iter().map(|&i| names.constants[i].as_str()).collect();
            let rest = if fields.len() < names.constants.len() { ", .." } else { "" };
            format!("let Constants {{ {}{rest} }} = *constants;\n", fields.join(", "))
        }
        _ => format!("let {} = *{};\n", pattern(group.all(names), indices), group.name()),
    }
}

/// A pattern that names the elements read; the first `..` or `_` says that others are not.
pub(super) fn pattern(names: &[String], read: &[usize]) -> String {
    let end = read.iter().max().map_or(0, |last| last + 1);
    let mut elements = vec!["_"; end];
    read.iter().for_each(|&i| elements[i] = &names[i]);
    if end < names.len() {
        elements.push("..");
    }
    format!("[{}]", elements.join(", "))
}
