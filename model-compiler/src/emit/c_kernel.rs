//! Functions of a kernel in C.

use std::fmt::Write;

use super::docs;
use super::formula::{Language, Notation, c_identifier};
use super::function::{stored, taken};
use crate::derive::Role;
use crate::escape::comment;
use crate::schedule::groups::{Group, groups};
use crate::schedule::members::Members;
use crate::schedule::split::{MAX_STATEMENTS, Part, parts};
use crate::schedule::vocabulary::role_name;
use crate::schedule::{Argument, ArgumentNames, Routine, ScheduledFunction};

pub(super) fn is_empty(function: &ScheduledFunction) -> bool {
    function.outputs.iter().all(|output| output.entries.is_empty())
}

pub(super) fn given(group: Group) -> String {
    match group {
        Group::Time => "double t".to_owned(),
        group => format!("const double *{}", group.name()),
    }
}

pub(super) fn filled(role: Role) -> String {
    format!("double *restrict {}", role_name(role))
}

/// Parameters of one instance → its constants.
pub(super) fn setup(members: &Members) -> String {
    let kernel = members.scheduled;
    let notation = notation(&kernel.names, &kernel.setup);
    let arguments = kernel.setup.arguments();
    let mut text = format!(
        "/* {} */\nstatic void kernel_{}_constants(const double *parameters, double *restrict constants)\n{{\n",
        comment(&format!("What depends on parameters alone: {}.", kernel.names.constants.join(", "))),
        members.module
    );
    for argument in &arguments {
        if let Argument::Parameter(i) = argument {
            let _ = writeln!(text, "const double {} = parameters[{i}];", c_identifier(kernel.names.of(*argument)));
        }
    }
    if arguments.is_empty() {
        text.push_str("(void)parameters;\n");
    }
    text.push_str(&notation.statements(&|_, position| format!("constants[{position}]")));
    finished(&(text + "}\n"))
}

pub(super) fn notation<'a>(names: &'a ArgumentNames, routine: &'a Routine) -> Notation<'a> {
    let argument = |argument| c_identifier(names.of(argument));
    Notation { argument: Box::new(argument), routine, language: Language::C }
}

/// A function of a kernel, in parts if it is long.
pub(super) fn function(module: &str, function: &ScheduledFunction, names: &ArgumentNames) -> String {
    let name = format!("kernel_{module}_{}", c_identifier(&function.name));
    let doc: Vec<String> =
        docs::lines(function).iter().filter(|line| !line.is_empty()).map(|line| comment(line)).collect();
    let head = format!("/* {} */\n", doc.join("\n * "));
    let parts = parts(&function.routine, MAX_STATEMENTS);
    if let [whole] = parts.as_slice() {
        return head + &definition(&name, function, names, whole, &[]);
    }
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        text.push_str(&definition(&format!("{name}_part_{}", index + 1), function, names, part, &parts[..index]));
    }
    let _ = writeln!(text, "{head}static void {name}({})\n{{", parameters(function, &function.routine).join(", "));
    for (index, part) in parts.iter().enumerate() {
        let mut arguments: Vec<String> = taken(part).map(|earlier| format!("part_{}", earlier + 1)).collect();
        arguments.extend(groups(&part.routine).iter().map(|(group, _)| group.name().to_owned()));
        arguments.extend(stored(function, &part.routine).map(|(output, _)| role_name(output.role).to_owned()));
        if !part.gives.is_empty() {
            let _ = writeln!(text, "double part_{}[{}];", index + 1, part.gives.len());
            arguments.push(format!("part_{}", index + 1));
        }
        let _ = writeln!(text, "{name}_part_{}({});", index + 1, arguments.join(", "));
    }
    finished(&(text + "}\n"))
}

fn parameters(function: &ScheduledFunction, routine: &Routine) -> Vec<String> {
    let read = groups(routine).into_iter().map(|(group, _)| given(group));
    read.chain(stored(function, routine).map(|(output, _)| filled(output.role))).collect()
}

fn definition(
    name: &str,
    function: &ScheduledFunction,
    names: &ArgumentNames,
    part: &Part,
    earlier: &[Part],
) -> String {
    let routine = &part.routine;
    let notation = notation(names, routine);
    let from = taken(part).map(|index| format!("const double *part_{}", index + 1));
    let mut all: Vec<String> = from.chain(parameters(function, routine)).collect();
    if !part.gives.is_empty() {
        all.push("double *restrict gives".to_owned());
    }
    let mut text = format!("static void {name}({})\n{{\n", all.join(", "));
    for index in taken(part) {
        for &position in &part.takes[index] {
            let local = notation.local(earlier[index].gives[position]);
            let _ = writeln!(text, "const double {local} = part_{}[{position}];", index + 1);
        }
    }
    for (group, indices) in groups(routine).iter().filter(|(group, _)| *group != Group::Time) {
        for &i in indices {
            let _ = writeln!(text, "const double {} = {}[{i}];", c_identifier(group.element(names, i)), group.name());
        }
    }
    text.push_str(&notation.statements(&|output, position| {
        let output = &function.outputs[output];
        let (row, column) = output.entries[position];
        let place = if output.is_dense { row * output.shape.1 + column } else { position };
        format!("{}[{place}]", role_name(output.role))
    }));
    for (position, &local) in part.gives.iter().enumerate() {
        let _ = writeln!(text, "gives[{position}] = {};", notation.local(local));
    }
    finished(&(text + "}\n"))
}

/// The text indented, with an empty line after it.
pub(super) fn finished(text: &str) -> String {
    let mut depth = 0_usize;
    let mut indented = String::new();
    for line in text.lines() {
        if line.starts_with('}') {
            depth = depth.saturating_sub(1);
        }
        let _ = writeln!(indented, "{}{line}", "    ".repeat(depth));
        depth += usize::from(line.ends_with('{'));
    }
    indented + "\n"
}
