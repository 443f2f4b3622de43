//! The module of a kernel: constants, functions, instances.

use std::fmt::Write;

use super::docs;
use super::formula::{Language, Notation};
use super::function::{function, pattern};
use crate::parallel;
use crate::reserved;
use crate::schedule::members::Members;
use crate::schedule::{Argument, Routine, ScheduledKernel};

/// The module of a kernel and its instances.
pub(super) fn kernel(members: &Members) -> String {
    let runtime = format!("super::{}", reserved::RUNTIME);
    module(&members.module, &members.kernel.doc, members.scheduled, &members.text(), &runtime)
}

/// The module of a kernel, with `rest` at its end; `runtime` leads to the runtime.
pub(super) fn module(name: &str, doc: &String, kernel: &ScheduledKernel, rest: &str, runtime: &str) -> String {
    let mut text = docs::comment(std::slice::from_ref(doc));
    let _ = writeln!(text, "pub mod {name} {{");
    if !kernel.constants.is_empty() || !kernel.functions.is_empty() {
        let _ = writeln!(text, "use {runtime}::real::Real;");
    }
    if !kernel.constants.is_empty() {
        text.push_str(&constants(kernel));
    }
    let functions = parallel::map(&kernel.functions, |scheduled| function(scheduled, &kernel.names));
    text.extend(functions);
    text.push_str(rest);
    text.push_str("}\n");
    text
}

fn constants(kernel: &ScheduledKernel) -> String {
    let mut text = "/// What depends on parameters alone.\npub struct Constants<T> {\n".to_owned();
    for (i, name) in kernel.names.constants.iter().enumerate() {
        let _ = writeln!(text, "{}pub {name}: T,", docs::constant(kernel, i));
    }
    let notation = Notation {
        argument: Box::new(|argument| kernel.names.of(argument).to_owned()),
        routine: &kernel.setup,
        language: Language::Generic,
    };
    let parameters = given(&kernel.names.parameters, &kernel.setup);
    let _ = writeln!(text, "}}\nimpl<T: Real> Constants<T> {{\n/// Computes them from the parameters of one instance.");
    let _ = writeln!(text, "pub fn new({parameters}: [T; {}]) -> Self {{", kernel.names.parameters.len());
    text.push_str(&notation.numbers());
    text.push_str(&notation.temporaries());
    text.push_str("Self { ");
    for (name, value) in kernel.names.constants.iter().zip(notation.results().concat()) {
        let _ = if *name == value { write!(text, "{name}, ") } else { write!(text, "{name}: {value}, ") };
    }
    text.push_str("}\n}\n}\n");
    text
}

/// The pattern that takes a routine's parameters.
pub(super) fn given(names: &[String], routine: &Routine) -> String {
    let read: Vec<usize> = routine
        .arguments()
        .into_iter()
        .filter_map(|argument| match argument {
            Argument::Parameter(i) => Some(i),
            _ => None,
        })
        .collect();
    if read.is_empty() { "_".to_owned() } else { pattern(names, &read) }
}
