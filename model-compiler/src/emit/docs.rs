//! Doc lines of generated items: what, shape, unit, operations before and after.

use std::fmt::Write;

use crate::derive::{Equations, FunctionRole, Layout, ParameterChannel};
use crate::resolve::JointLimits;
use crate::schedule::count::total;
use crate::schedule::totals;
use crate::schedule::vocabulary::{function_doc, role_name, role_symbol, role_unit};
use crate::schedule::{Schedule, ScheduledFunction, ScheduledKernel, ScheduledOutput};

/// A doc comment, whatever characters its lines hold.
pub(super) fn comment(lines: &[String]) -> String {
    // `/** … */` is one string of several lines.
    lines.iter().flat_map(|line| line.split(['\n', '\r'])).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "/// {}", line.trim());
        text
    })
}

/// What a function of a kernel computes and what it costs.
pub(super) fn function(function: &ScheduledFunction) -> String {
    let lines = lines(function);
    let separated: Vec<String> = lines.into_iter().flat_map(|line| [line, String::new()]).collect();
    comment(&separated[..separated.len() - 1])
}

/// Paragraphs on a function of a kernel: its formula, its results, its operations.
pub(super) fn lines(function: &ScheduledFunction) -> Vec<String> {
    let counts = &function.counts;
    let simplified = match total(&counts.simplified) {
        0 => "none".to_owned(),
        n => format!("{n} ({}{})", counts.simplified, fused(function)),
    };
    let hoisted = if counts.hoisted > 0 { format!(", and {} once per model", counts.hoisted) } else { String::new() };
    let shared = total(&counts.shared);
    let mut lines = vec![function_doc(function.role).to_owned()];
    if function.is_composed() {
        lines.push("There are no formulas of it: a loop makes it of `forward_dynamics` and `inverse_dynamics_derivatives`, with the factors of M.".to_owned());
    }
    lines.extend(function.outputs.iter().filter(|output| !output.entries.is_empty()).map(result));
    lines.push(format!(
        "Operations: {} as derived, {shared} shared, {simplified} simplified{hoisted}.",
        counted(counts.derived)
    ));
    lines
}

/// Paragraphs on a function of the model: its formula, its results, its operations.
pub(super) fn of_model(role: FunctionRole, equations: &Equations, schedule: &Schedule) -> Vec<String> {
    let mut lines = vec![function_doc(role).to_owned()];
    let functions = totals::functions(equations, schedule);
    lines.extend(functions.iter().filter(|counts| counts.role == role).map(|counts| {
        format!(
            "Operations: {} as derived, {} shared, {} simplified.",
            counted(counts.derived),
            counts.shared,
            counts.simplified
        )
    }));
    lines
}

/// Paragraphs on the limits of coordinates, if there are any.
pub(super) fn limits(layout: &Layout) -> Vec<String> {
    let of = |(coordinate, velocity, limits): &(usize, usize, JointLimits)| {
        let (q, v) = (&layout.coordinates[*coordinate], &layout.velocities[*velocity]);
        let effort = if q.unit == "m" { "N" } else { "N m" };
        let range = limits.range.map(|[lower, upper]| format!("{lower} to {upper} {}", q.unit));
        let others = [(limits.speed, v.unit.as_str()), (limits.effort, effort)];
        let others = others.into_iter().filter_map(|(most, unit)| Some(format!("at most {} {unit}", most?)));
        format!("- `{}`: {}", q.name, range.into_iter().chain(others).collect::<Vec<_>>().join(", "))
    };
    let list = layout.limits.iter().map(of);
    let head = ["", "Limits of coordinates, which the motion does not heed:", ""].map(str::to_owned);
    if layout.limits.is_empty() { Vec::new() } else { head.into_iter().chain(list).collect() }
}

/// A count of operations; what was derived may be more than numbers reach.
fn counted(count: u64) -> String {
    if count == u64::MAX { format!("more than {:.0e}", count as f64) } else { count.to_string() }
}

/// How many products are computed in one operation with their sum.
fn fused(function: &ScheduledFunction) -> String {
    match function.routine.statements.iter().map(|statement| statement.value().fused()).sum() {
        0 => String::new(),
        n => format!("; {n} mul fused with add"),
    }
}

/// Symbol, shape, unit and places of a result.
fn result(output: &ScheduledOutput) -> String {
    let (rows, columns) = output.shape;
    let (name, symbol, n) = (role_name(output.role), role_symbol(output.role).0, output.entries.len());
    let unit = role_unit(output.role);
    let shape = match columns {
        1 if rows == 1 => String::new(),
        1 => format!(" `[{rows}]`"),
        _ => format!(" `[{rows} × {columns}]`"),
    };
    let text = format!("`{name}` is {symbol}{shape}{unit}");
    if n == rows * columns {
        return if columns == 1 { format!("{text}.") } else { format!("{text}, by columns.") };
    }
    let place = |&(row, column): &(usize, usize)| {
        if columns == 1 { row.to_string() } else { format!("({row}, {column})") }
    };
    let what = if columns == 1 { "rows" } else { "(row, column)" };
    let places: Vec<String> = output.entries.iter().take(MAX_PLACES).map(place).collect();
    let rest = if n > MAX_PLACES { format!(", … ({n} in all)") } else { String::new() };
    format!("{text}, of which it holds {what} {}{rest}.", places.join(", "))
}

/// Most entries of a sparse result that are listed.
const MAX_PLACES: usize = 36;

/// The formula of a constant of a kernel.
pub(super) fn constant(kernel: &ScheduledKernel, index: usize) -> String {
    comment(&[format!("`{}`", kernel.constants[index])])
}

/// Unit and default of a parameter.
pub(super) fn parameter(parameter: &ParameterChannel) -> String {
    let unit = if parameter.unit == "1" { "Dimensionless".to_owned() } else { format!("Unit: {}", parameter.unit) };
    let mut lines = vec![format!("{unit}; default `{}`.", parameter.default)];
    if !parameter.doc.is_empty() {
        lines.splice(..0, [parameter.doc.clone(), String::new()]);
    }
    comment(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_comment_is_one() {
        let text = comment(&["one\n two \"three\"".to_owned(), String::new(), "\\ four\r\nfive".to_owned()]);
        assert_eq!(text, "/// one\n/// two \"three\"\n/// \n/// \\ four\n/// \n/// five\n");
    }
}
