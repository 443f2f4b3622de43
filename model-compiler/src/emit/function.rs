//! One function of a kernel: generic over the scalar, straight-line, reading only what it needs.

use std::fmt::Write;

use super::docs;
use super::formula::Notation;
use crate::schedule::vocabulary::{function_name, role_name};
use crate::schedule::{Argument, ArgumentNames, Routine, ScheduledFunction, ScheduledOutput};

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

/// The function's text.
pub(super) fn function(function: &ScheduledFunction, names: &ArgumentNames) -> String {
    let groups = groups(&function.routine);
    let notation = Notation {
        argument: Box::new(|argument| names.of(argument).to_owned()),
        routine: &function.routine,
        is_generic: true,
    };
    let mut text = docs::function(function);
    let _ = write!(text, "pub fn {}<T: Real>(", function_name(function.role));
    for (group, _) in &groups {
        let _ = match group {
            Group::Constants => write!(text, "constants: &Constants<T>, "),
            Group::Time => write!(text, "t: T, "),
            _ => write!(text, "{}: &[T; {}], ", group.name(), group.len(names)),
        };
    }
    let results: Vec<(usize, &ScheduledOutput)> = results(function).collect();
    for (_, output) in &results {
        let _ = write!(text, "{}: &mut [T; {}], ", role_name(output.role), output.entries.len());
    }
    text.push_str(") {\n");
    for (group, indices) in &groups {
        text.push_str(&unpack(*group, indices, names));
    }
    for (_, output) in results.iter().filter(|(_, output)| !output.is_complete()) {
        let entries: Vec<String> = (0..output.entries.len()).map(|i| output.entry_name(i)).collect();
        let _ = writeln!(text, "let [{}] = {};", entries.join(", "), role_name(output.role));
    }
    text.push_str(&notation.numbers());
    text.push_str(&notation.statements(&|output, position| {
        let output = &function.outputs[output];
        if output.is_complete() {
            format!("{}[{position}]", role_name(output.role))
        } else {
            format!("*{}", output.entry_name(position))
        }
    }));
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
    let mut elements: Vec<&str> = (0..end).map(|i| if read.contains(&i) { names[i].as_str() } else { "_" }).collect();
    if end < names.len() {
        elements.push("..");
    }
    format!("[{}]", elements.join(", "))
}
