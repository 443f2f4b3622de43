//! One function of a kernel: generic over the scalar, straight-line, reading only what it needs.

use std::fmt::Write;

use super::docs;
use super::formula::{Language, Notation};
use crate::schedule::split::{MAX_STATEMENTS, Part, parts};
use crate::schedule::vocabulary::{function_name, role_name};
use crate::schedule::{Argument, ArgumentNames, Routine, ScheduledFunction, ScheduledOutput, Statement};

/// Groups of arguments that a function takes, in the order of its signature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Group {
    Constants,
    Time,
    Inputs,
    Positions,
    Velocities,
    Accelerations,
    Multipliers,
    Forces,
}

impl Group {
    /// Everything that belongs to an instant.
    pub const STATE: [Group; 6] =
        [Group::Time, Group::Inputs, Group::Positions, Group::Velocities, Group::Accelerations, Group::Multipliers];

    /// The name of the argument.
    pub fn name(self) -> &'static str {
        match self {
            Group::Constants => "constants",
            Group::Time => "t",
            Group::Inputs => "inputs",
            Group::Positions => "q",
            Group::Velocities => "v",
            Group::Accelerations => "a",
            Group::Multipliers => "lambda",
            Group::Forces => "tau",
        }
    }

    /// The table of an instance that says which of the model's values these are.
    pub fn table(self) -> Option<&'static str> {
        match self {
            Group::Constants | Group::Time => None,
            Group::Inputs => Some("inputs"),
            Group::Positions => Some("q"),
            Group::Velocities | Group::Accelerations | Group::Forces => Some("v"),
            Group::Multipliers => Some("lambda"),
        }
    }

    /// Name of one of its values.
    pub fn element(self, names: &ArgumentNames, index: usize) -> &str {
        let names = match self {
            Group::Constants => &names.constants,
            Group::Time => return &names.time,
            Group::Inputs => &names.inputs,
            Group::Positions => &names.q,
            Group::Velocities => &names.v,
            Group::Accelerations => &names.a,
            Group::Multipliers => &names.lambda,
            Group::Forces => &names.tau,
        };
        &names[index]
    }

    fn split(argument: Argument) -> Option<(Group, usize)> {
        Some(match argument {
            Argument::Parameter(_) => return None,
            Argument::Constant(i) => (Group::Constants, i),
            Argument::Time => (Group::Time, 0),
            Argument::Input(i) => (Group::Inputs, i),
            Argument::Position(i) => (Group::Positions, i),
            Argument::Velocity(i) => (Group::Velocities, i),
            Argument::Acceleration(i) => (Group::Accelerations, i),
            Argument::Multiplier(i) => (Group::Multipliers, i),
            Argument::Force(i) => (Group::Forces, i),
        })
    }

    /// Its length in this kernel.
    pub fn len(self, names: &ArgumentNames) -> usize {
        match self {
            Group::Constants => names.constants.len(),
            Group::Time => 1,
            Group::Inputs => names.inputs.len(),
            Group::Positions => names.q.len(),
            Group::Velocities => names.v.len(),
            Group::Accelerations => names.a.len(),
            Group::Multipliers => names.lambda.len(),
            Group::Forces => names.tau.len(),
        }
    }
}

/// The groups that a routine reads, with the indices read.
pub(super) fn groups(routine: &Routine) -> Vec<(Group, Vec<usize>)> {
    let mut groups: Vec<(Group, Vec<usize>)> = Vec::new();
    for (group, index) in routine.arguments().into_iter().filter_map(Group::split) {
        match groups.last_mut() {
            Some((last, indices)) if *last == group => indices.push(index),
            _ => groups.push((group, vec![index])),
        }
    }
    groups.sort();
    groups
}

/// The outputs of a function that have entries.
pub(super) fn results(function: &ScheduledFunction) -> impl Iterator<Item = (usize, &ScheduledOutput)> {
    function.outputs.iter().enumerate().filter(|(_, output)| !output.entries.is_empty())
}

/// The function's text; a long one calls its parts, which follow it.
pub(super) fn function(function: &ScheduledFunction, names: &ArgumentNames) -> String {
    let name = function_name(function.role);
    let parts = parts(&function.routine, MAX_STATEMENTS);
    let mut text = docs::function(function);
    if let [whole] = parts.as_slice() {
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
        let _ = writeln!(text, "{result}{name}_part_{}({});", index + 1, arguments.join(", "));
    }
    text.push_str("}\n");
    for (index, part) in parts.iter().enumerate() {
        text.push_str(&docs::comment(&[format!("Part {} of [`{name}`].", index + 1)]));
        text.push_str("#[inline(never)]\n");
        text.push_str(&definition(&format!("fn {name}_part_{}", index + 1), function, names, part, &parts[..index]));
    }
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
    let all = match group {
        Group::Time => return String::new(),
        Group::Constants => {
            let fields: Vec<&str> = indices.iter().map(|&i| names.constants[i].as_str()).collect();
            let rest = if fields.len() < names.constants.len() { ", .." } else { "" };
            return format!("let Constants {{ {}{rest} }} = *constants;\n", fields.join(", "));
        }
        Group::Inputs => &names.inputs,
        Group::Positions => &names.q,
        Group::Velocities => &names.v,
        Group::Accelerations => &names.a,
        Group::Multipliers => &names.lambda,
        Group::Forces => &names.tau,
    };
    format!("let {} = *{};\n", pattern(all, indices), group.name())
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
