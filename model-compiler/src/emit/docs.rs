//! Doc lines of generated items: what, shape, operations before and after.

use std::fmt::Write;

use crate::derive::ParameterChannel;
use crate::schedule::count::total;
use crate::schedule::vocabulary::{function_doc, role_symbol};
use crate::schedule::{ScheduledFunction, ScheduledKernel};

/// A doc comment, whatever characters its lines hold.
pub(super) fn comment(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "#[doc = {:?}]", format!(" {}", line.trim()));
        text
    })
}

/// What a function of a kernel computes and what it costs.
pub(super) fn function(function: &ScheduledFunction) -> String {
    let counts = &function.counts;
    let simplified = match total(&counts.simplified) {
        0 => "none".to_owned(),
        n => format!("{n} ({}{})", counts.simplified, fused(function)),
    };
    let hoisted = if counts.hoisted > 0 { format!(", and {} once per model", counts.hoisted) } else { String::new() };
    let shared = total(&counts.shared);
    comment(&[
        function_doc(function.role).to_owned(),
        String::new(),
        format!("Results: {}.", results(function)),
        String::new(),
        format!("Operations: {} as derived, {shared} shared, {simplified} simplified{hoisted}.", counts.derived),
    ])
}

/// How many products are computed in one operation with their sum.
fn fused(function: &ScheduledFunction) -> String {
    match function.routine.statements.iter().map(|statement| statement.value().fused()).sum() {
        0 => String::new(),
        n => format!("; {n} mul fused with add"),
    }
}

fn results(function: &ScheduledFunction) -> String {
    let outputs = function.outputs.iter().filter(|output| !output.entries.is_empty()).map(|output| {
        let (rows, columns) = output.shape;
        let (symbol, n) = (role_symbol(output.role).0, output.entries.len());
        match columns {
            1 if rows == 1 => symbol.to_owned(),
            1 if n == rows => format!("{symbol} `[{rows}]`"),
            1 => format!("{symbol} `[{rows}]`, non-zero entries: {n}"),
            _ => format!("{symbol} `[{rows} × {columns}]`, non-zero entries by columns: {n}"),
        }
    });
    outputs.collect::<Vec<_>>().join("; ")
}

/// The formula of a constant of a kernel.
pub(super) fn constant(kernel: &ScheduledKernel, index: usize) -> String {
    comment(&[format!("`{}`", kernel.constants[index])])
}

/// Unit and default of a parameter.
pub(super) fn parameter(parameter: &ParameterChannel) -> String {
    let unit = if parameter.unit == "1" { "Dimensionless".to_owned() } else { format!("Unit: {}", parameter.unit) };
    let default = if parameter.doc.is_empty() { String::new() } else { format!("; default `{}`", parameter.doc) };
    comment(&[format!("{unit}{default}.")])
}
