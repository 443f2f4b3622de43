//! `impl Model`: gather what a kernel reads, call it, scatter what it gives; one loop per kernel.

use std::fmt::Write;

use super::paths;
use crate::derive::{FunctionRole, Layout};
use crate::reserved;
use crate::schedule::ScheduledOutput;
use crate::schedule::groups::{Group, groups};
use crate::schedule::members::Members;
use crate::schedule::methods::{
    Contribution, Factor, Given, INSTANT, Method, Target, contributions, fills, of_model, on_request,
};
use crate::schedule::vocabulary::{function_doc, function_name, role_name};

/// All methods that call kernels.
pub(super) fn methods(layout: &Layout, members: &[Members]) -> String {
    let mut text: String = of_model(layout, members).iter().map(|method| method.text(layout, members)).collect();
    text.push_str(&energy(layout, members));
    text.push_str(&power(layout, members));
    text.push_str(&acceleration(layout, members));
    text.push_str(&constraint_acceleration_derivatives(members));
    text
}

/// Methods of the type itself, for the functions that the model asks for; empty if there are none.
pub(super) fn provided(layout: &Layout, members: &[Members]) -> String {
    let mut text = String::new();
    for method in on_request(members) {
        let shape = "Vectors are as long as v, matrices dense and row by row; every result is overwritten.";
        let doc = [function_doc(method.function).to_owned(), String::new(), shape.to_owned()];
        text.push_str(&(super::docs::comment(&doc) + "pub " + &method.text(layout, members)));
    }
    text
}

fn has(members: &[Members], role: FunctionRole) -> bool {
    members.iter().any(|members| members.scheduled.functions.iter().any(|known| known.role == role))
}

impl Method {
    fn text(&self, layout: &Layout, members: &[Members]) -> String {
        if self.is_composed(members) {
            return self.composed(layout);
        }
        let contributions = self.contributions(members);
        let slices = self.slices();
        let mut text = format!("fn {}(&self, {}", self.name, arguments(&self.given, &contributions));
        for (index, factor) in self.factors.iter().enumerate() {
            let is_used = self.targets.iter().any(|target| {
                target.factor == Factor::Argument(index)
                    && contributions.iter().any(|(_, function)| fills(function, target.role))
            });
            let _ = write!(text, "{}{factor}: f64, ", if is_used { "" } else { "_" });
        }
        slices.iter().for_each(|slice| text.push_str(&format!("{slice}: &mut [f64], ")));
        let mut body = String::new();
        for &slice in &slices {
            if self.is_zeroed(slice, &contributions) {
                let _ = writeln!(body, "{slice}.fill(0.0);");
            }
        }
        body.push_str(&inputs(layout, &self.given, &contributions));
        for &contribution in &contributions {
            body.push_str(&self.call(contribution, &contributions));
        }
        let (result, end) = if self.is_optional { ("-> bool ", "true\n") } else { ("", "") };
        format!("{text}) {result}{{\n{}{body}{end}}}\n", helpers(&body))
    }

    /// Slopes of accelerations, of those of forces at the accelerations that the forces cause.
    fn composed(&self, layout: &Layout) -> String {
        let (n, slices) = (layout.velocities.len(), self.slices());
        let given: String = slices.iter().map(|slice| format!("{slice}: &mut [f64], ")).collect();
        let results = slices.join(", ");
        let [accelerations, slopes] = FunctionRole::OF_SLOPES_OF_ACCELERATIONS.map(function_name);
        let body = format!(
            "let mut a = [0.0; {n}];\nself.{accelerations}(t, q, v, tau, &mut a);\n\
             self.{slopes}(t, q, v, &a, {results});\nsolve_for_accelerations({results});\n"
        );
        format!(
            "fn {}(&self, t: f64, q: &[f64], v: &[f64], tau: &[f64], {given}) {{\n{}{body}}}\n",
            self.name,
            helpers(&body)
        )
    }

    fn factor(&self, target: &Target) -> &'static str {
        match target.factor {
            Factor::One => "1.0",
            Factor::MinusOne => "-1.0",
            Factor::Argument(index) => self.factors[index],
        }
    }

    fn call(&self, contribution: Contribution, contributions: &[Contribution]) -> String {
        let (members, function) = contribution;
        let direct = |output: &ScheduledOutput| {
            self.targets
                .iter()
                .find(|target| target.role == output.role && self.direct(target, contributions).is_some())
        };
        let filled: Vec<&ScheduledOutput> = function.results().map(|(_, output)| output).collect();
        let mut results = Vec::new();
        let mut before = String::new();
        let mut after = String::new();
        for output in filled {
            // Not the plain name: that may be the caller's slice.
            let name = format!("{}_part", role_name(output.role));
            if let Some(target) = direct(output) {
                let array = if output.is_dense && output.shape.1 > 1 { "rows_mut" } else { "array_mut" };
                results.push(format!("{array}({})", target.slice));
                continue;
            }
            let _ = writeln!(before, "let mut {name} = [0.0; {}];", output.entries.len());
            results.push(format!("&mut {name}"));
            for target in self.targets.iter().filter(|target| target.role == output.role) {
                let (Target { slice, table, .. }, factor) = (target, self.factor(target));
                let _ = if members.has_table(table) {
                    writeln!(after, "scatter({slice}, &{}, {factor}, &{name});", members.indices(table))
                } else {
                    writeln!(after, "add({slice}, {factor}, &{name});")
                };
            }
        }
        call(contribution, &self.given, &results, &before, &after)
    }
}

/// `energy`, which returns its results.
fn energy(layout: &Layout, members: &[Members]) -> String {
    let contributions = contributions(members, FunctionRole::Energy);
    let head = format!("fn energy(&self, {}) -> {} {{\n", arguments(&INSTANT, &contributions), paths::ENERGY);
    if contributions.is_empty() {
        return format!("{head}{}::default()\n}}\n", paths::DEFAULT);
    }
    let body = sums(layout, &contributions, |name| format!("energy.{name}"));
    format!(
        "{head}{}let mut energy: {} = {}::default();\n{body}energy\n}}\n",
        helpers(&body),
        paths::ENERGY,
        paths::DEFAULT
    )
}

/// `power`; nothing where it is not known, as the trait has it.
fn power(layout: &Layout, members: &[Members]) -> String {
    if layout.has_unknown_power {
        return String::new();
    }
    let contributions = contributions(members, FunctionRole::Power);
    let head = format!("fn power(&self, {}) -> {}<f64> {{\n", arguments(&INSTANT, &contributions), paths::OPTION);
    if contributions.is_empty() {
        return format!("{head}{}(0.0)\n}}\n", paths::SOME);
    }
    let body = sums(layout, &contributions, |_| "sum".to_owned());
    format!("{head}{}let mut sum = 0.0;\n{body}{}(sum)\n}}\n", helpers(&body), paths::SOME)
}

/// `acceleration`, which is forward dynamics without other forces; nothing where the model has none, as the trait has it.
fn acceleration(layout: &Layout, members: &[Members]) -> String {
    if !has(members, FunctionRole::ForwardDynamics) {
        return String::new();
    }
    let n = layout.velocities.len();
    format!(
        "fn acceleration(&self, t: f64, q: &[f64], v: &[f64], a: &mut [f64]) -> bool {{\nself.forward_dynamics(t, q, v, &[0.0; {n}], a);\ntrue\n}}\n"
    )
}

/// The method of the trait, which calls that of the type; nothing where the model has none, as the trait has it.
fn constraint_acceleration_derivatives(members: &[Members]) -> String {
    if !has(members, FunctionRole::ConstraintAccelerationDerivatives) {
        return String::new();
    }
    format!(
        "fn constraint_acceleration_derivatives(&self, state: &{}, by_q: &mut [f64], by_v: &mut [f64]) -> bool {{\n\
         let (q, v, a) = (state.q.as_slice(), state.v.as_slice(), state.a.as_slice());\n\
         self.constraint_acceleration_derivatives(state.t, q, v, a, by_q, by_v);\ntrue\n}}\n",
        paths::STATE
    )
}

/// Whether energy changes by constraints and contacts alone.
pub(super) fn is_conservative(layout: &Layout, members: &[Members]) -> bool {
    !layout.has_unknown_power && contributions(members, FunctionRole::Power).is_empty()
}

/// Adds the single entries of all results where their names say.
fn sums(layout: &Layout, contributions: &[Contribution], sum: impl Fn(&str) -> String) -> String {
    let mut body = inputs(layout, &INSTANT, contributions);
    for &contribution in contributions {
        let names: Vec<&str> = contribution.1.results().map(|(_, output)| role_name(output.role)).collect();
        let before: String = names.iter().map(|name| format!("let mut {name} = [0.0];\n")).collect();
        let after: String = names.iter().map(|name| format!("{} += {name}[0];\n", sum(name))).collect();
        let outputs: Vec<String> = names.iter().map(|name| format!("&mut {name}")).collect();
        body.push_str(&call(contribution, &INSTANT, &outputs, &before, &after));
    }
    body
}

/// Imports the runtime's helpers that a body calls; calls are written by this file alone, so they can be looked for.
fn helpers(body: &str) -> String {
    let is_called = |helper: &&str| body.contains(&format!("{helper}("));
    let called: Vec<&str> =
        ["add", "array", "array_mut", "gather", "places", "rows_mut", "scatter", "solve_for_accelerations"]
            .into_iter()
            .filter(is_called)
            .collect();
    match called.as_slice() {
        [] => String::new(),
        [single] => format!("use {}::{single};\n", paths::GENERATED),
        several => format!("use {}::{{{}}};\n", paths::GENERATED, several.join(", ")),
    }
}

/// The arguments of a method; those that no kernel reads begin with an underscore.
fn arguments(given: &[Given], contributions: &[Contribution]) -> String {
    let is_read = |read: &[Group]| {
        contributions
            .iter()
            .any(|(_, function)| groups(&function.routine).iter().any(|(group, _)| read.contains(group)))
    };
    let argument = |given: &Given| {
        let (name, kind, is_read) = match given {
            Given::Time => ("t", "f64".to_owned(), is_read(&[Group::Time, Group::Inputs])),
            Given::Positions => ("q", "&[f64]".to_owned(), is_read(&[Group::Positions])),
            Given::Velocities => ("v", "&[f64]".to_owned(), is_read(&[Group::Velocities])),
            Given::Accelerations => ("a", "&[f64]".to_owned(), is_read(&[Group::Accelerations])),
            Given::Forces => ("tau", "&[f64]".to_owned(), is_read(&[Group::Forces])),
            Given::Weights => ("w", "&[f64]".to_owned(), is_read(&[Group::Weights])),
            Given::State => ("state", format!("&{}", paths::STATE), is_read(&Group::STATE)),
        };
        format!("{}{name}: {kind}, ", if is_read { "" } else { "_" })
    };
    given.iter().map(argument).collect()
}

/// Values of the inputs, if a kernel reads any.
fn inputs(layout: &Layout, given: &[Given], contributions: &[Contribution]) -> String {
    let is_read = contributions
        .iter()
        .any(|(_, function)| groups(&function.routine).iter().any(|(group, _)| *group == Group::Inputs));
    if !is_read {
        return String::new();
    }
    let t = source(Group::Time, given);
    let values: Vec<String> =
        layout.inputs.iter().map(|input| format!("self.inputs.{}.value({t})", input.name)).collect();
    format!("let inputs = [{}];\n", values.join(", "))
}

/// The model's values of a group.
fn source(group: Group, given: &[Given]) -> String {
    let name = group.name();
    match group {
        Group::Inputs => "&inputs".to_owned(),
        _ if !given.contains(&Given::State) => name.to_owned(),
        Group::Time => "state.t".to_owned(),
        _ => format!("state.{name}.as_slice()"),
    }
}

/// Calls a function for every instance of its kernel, between `before` and `after`.
fn call(contribution: Contribution, given: &[Given], outputs: &[String], before: &str, after: &str) -> String {
    let (members, function) = contribution;
    let module = format!("{}::{}", reserved::KERNELS, members.module);
    let groups = groups(&function.routine);
    let reads_constants = groups.iter().any(|(group, _)| *group == Group::Constants);
    let mut arguments = Vec::new();
    for (group, _) in &groups {
        let source = source(*group, given);
        arguments.push(match group.table() {
            None if *group == Group::Time => source,
            None => members.constants(),
            Some(table) if members.has_table(table) => format!("&gather({source}, &{})", members.indices(table)),
            Some(_) if *group == Group::Inputs => source,
            Some(_) => format!("array({source})"),
        });
    }
    arguments.extend(outputs.iter().cloned());
    let statement = format!("{module}::{}({});\n", function.name, arguments.join(", "));
    let body = format!("{before}{statement}{after}");
    let constants = format!("self.constants.{}", members.module);
    let own_constants = members.has_own_constants() && reads_constants;
    let (member, all) = match members.is_regular() {
        true => ("place", format!("places(&{module}::RUNS)")),
        false => ("member", format!("&{module}::MEMBERS")),
    };
    let uses_member = [&statement, after]
        .iter()
        .any(|text| [format!("&{member}."), format!("[{member}.")].iter().any(|read| text.contains(read)));
    match (members.is_single(), own_constants, uses_member) {
        (true, _, false) => body,
        (true, _, true) => format!("{{\nlet member = &{module}::MEMBERS[0];\n{body}}}\n"),
        (false, true, true) => {
            format!("for (constants, {member}) in {}(&{constants}, {all}) {{\n{body}}}\n", paths::ZIP)
        }
        (false, true, false) => format!("for constants in &{constants} {{\n{body}}}\n"),
        (false, false, true) => format!("for {member} in {all} {{\n{body}}}\n"),
        (false, false, false) => format!("for _ in 0..{} {{\n{body}}}\n", members.instances.len()),
    }
}
