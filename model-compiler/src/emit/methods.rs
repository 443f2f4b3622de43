//! `impl Model`: gather what a kernel reads, call it, scatter what it gives; one loop per kernel.

use std::fmt::Write;

use super::function::{Group, groups, results};
use super::members::{Members, scatter_name};
use super::paths;
use crate::derive::{FunctionRole, Layout, Role};
use crate::reserved;
use crate::schedule::vocabulary::{function_doc, function_name, role_name};
use crate::schedule::{ScheduledFunction, ScheduledOutput};

/// An argument of a method of the trait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Time,
    Positions,
    Velocities,
    Accelerations,
    Forces,
    State,
}

/// Where a result of a kernel goes.
struct Target {
    role: Role,
    /// The slice.
    slice: &'static str,
    /// The table of positions in the slice.
    table: String,
    /// Factor before it is added.
    factor: &'static str,
}

/// A method of the trait that overwrites slices.
struct Method<'g> {
    /// Documentation and visibility, where it is not a method of the trait.
    head: String,
    name: &'static str,
    /// The function of the kernels.
    function: FunctionRole,
    given: &'g [Given],
    /// Scalars after what is given.
    factors: &'static [&'static str],
    targets: Vec<Target>,
}

/// All methods that call kernels.
pub(super) fn methods(layout: &Layout, members: &[Members]) -> String {
    let mut text: String = all().iter().map(|method| method.text(layout, members)).collect();
    text.push_str(&energy(layout, members));
    text.push_str(&power(layout, members));
    text
}

fn all() -> Vec<Method<'static>> {
    use FunctionRole as F;
    use Given::{Positions, State, Time, Velocities};
    let plain = |function: F, given, results: &[(Role, &'static str)]| {
        let target = |&(role, slice): &(Role, &'static str)| Target {
            role,
            slice,
            table: scatter_name(function, role),
            factor: "1.0",
        };
        Method {
            head: String::new(),
            name: function_name(function),
            function,
            given,
            factors: &[],
            targets: results.iter().map(target).collect(),
        }
    };
    let initial = [(Role::InitialResidual, "residual"), (Role::InitialJacobian, "jacobian")];
    let bias = [(Role::ConstraintRate, "rate"), (Role::ConstraintAcceleration, "acceleration")];
    let relative = [(Role::ContactRate, "rate"), (Role::ContactAcceleration, "acceleration")];
    vec![
        plain(F::MassMatrix, &[Positions], &[(Role::MassMatrix, "out")]),
        plain(F::BiasForce, &[Positions, Velocities], &[(Role::BiasForce, "out")]),
        plain(F::AppliedForce, &[Time, Positions, Velocities], &[(Role::AppliedForce, "out")]),
        plain(F::Constraint, &[Time, Positions], &[(Role::Constraint, "out")]),
        plain(F::ConstraintJacobian, &[Time, Positions], &[(Role::ConstraintJacobian, "out")]),
        plain(F::ConstraintBias, &[Time, Positions, Velocities], &bias),
        plain(F::ContactGap, &[Time, Positions], &[(Role::ContactGap, "out")]),
        plain(F::ContactJacobian, &[Time, Positions], &[(Role::ContactJacobian, "out")]),
        plain(F::ContactBias, &[Time, Positions, Velocities], &relative),
        plain(F::Outputs, &[State], &[(Role::Outputs, "out")]),
        plain(F::Residual, &[State], &[(Role::Residual, "r"), (Role::Constraint, "g")]),
        iteration_matrix(),
        from_linearization(Role::Damping),
        from_linearization(Role::Stiffness),
        plain(F::InitialPosition, &[Time, Positions], &initial),
        plain(F::InitialVelocity, &[Time, Positions, Velocities], &initial),
    ]
}

/// Methods of the type itself, for the functions that the model asks for; empty if there are none.
pub(super) fn provided(layout: &Layout, members: &[Members]) -> String {
    use FunctionRole as F;
    use Given::{Accelerations, Forces, Positions, Time, Velocities};
    let instant = [Time, Positions, Velocities];
    let (driven, moved) = ([instant.as_slice(), &[Forces]].concat(), [instant.as_slice(), &[Accelerations]].concat());
    let mut text = String::new();
    let mut add = |function: F, given: &[Given], results: &[(Role, &'static str)]| {
        if !members.iter().any(|members| members.scheduled.functions.iter().any(|known| known.role == function)) {
            return;
        }
        let target = |&(role, slice): &(Role, &'static str)| Target {
            role,
            slice,
            table: scatter_name(function, role),
            factor: "1.0",
        };
        let shape = "Vectors are as long as v, matrices dense and row by row; every result is overwritten.";
        let head = super::docs::comment(&[function_doc(function).to_owned(), String::new(), shape.to_owned()]) + "pub ";
        let targets = results.iter().map(target).collect();
        let method = Method { head, name: function_name(function), function, given, factors: &[], targets };
        text.push_str(&method.text(layout, members));
    };
    add(F::NonlinearEffects, &instant, &[(Role::NonlinearEffects, "effects")]);
    add(F::InverseDynamics, &moved, &[(Role::Force, "tau")]);
    add(F::ForwardDynamics, &driven, &[(Role::Acceleration, "a")]);
    let results =
        [(Role::ForceByPosition, "tau_by_q"), (Role::ForceByVelocity, "tau_by_v"), (Role::MassMatrix, "mass_matrix")];
    add(F::InverseDynamicsDerivatives, &moved, &results);
    let results = [
        (Role::AccelerationByPosition, "a_by_q"),
        (Role::AccelerationByVelocity, "a_by_v"),
        (Role::InverseMassMatrix, "inverse_mass_matrix"),
    ];
    add(F::ForwardDynamicsDerivatives, &driven, &results);
    text
}

/// `[ ca M + cv D + cq K , −Gᵀ ; G , 0 ]`
fn iteration_matrix() -> Method<'static> {
    let block = |role: Role, ending: &str, factor: &'static str| {
        let table = scatter_name(FunctionRole::Linearization, role) + ending;
        Target { role, slice: "values", table, factor }
    };
    Method {
        head: String::new(),
        name: "iteration_matrix",
        function: FunctionRole::Linearization,
        given: &[Given::State],
        factors: &["ca", "cv", "cq"],
        targets: vec![
            block(Role::MassMatrix, "", "ca"),
            block(Role::Damping, "", "cv"),
            block(Role::Stiffness, "", "cq"),
            block(Role::ConstraintJacobian, "", "1.0"),
            block(Role::ConstraintJacobian, "_transposed", "-1.0"),
        ],
    }
}

fn from_linearization(role: Role) -> Method<'static> {
    Method {
        head: String::new(),
        name: role_name(role),
        function: FunctionRole::Linearization,
        given: &[Given::State],
        factors: &[],
        targets: vec![Target { role, slice: "out", table: role_name(role).to_owned(), factor: "1.0" }],
    }
}

/// A kernel and the function of it that a method calls.
type Contribution<'m, 'a> = (&'m Members<'a>, &'m ScheduledFunction);

impl Method<'_> {
    fn text(&self, layout: &Layout, members: &[Members]) -> String {
        let contributions: Vec<Contribution> = contributions(members, self.function)
            .into_iter()
            .filter(|(_, function)| self.targets.iter().any(|target| fills(function, target.role)))
            .collect();
        let mut slices: Vec<&str> = self.targets.iter().map(|target| target.slice).collect();
        slices.dedup();

        let mut text = format!("{}fn {}(&self, {}", self.head, self.name, arguments(self.given, &contributions));
        for &factor in self.factors {
            let is_used = self.targets.iter().any(|target| {
                target.factor == factor && contributions.iter().any(|(_, function)| fills(function, target.role))
            });
            let _ = write!(text, "{}{factor}: f64, ", if is_used { "" } else { "_" });
        }
        slices.iter().for_each(|slice| text.push_str(&format!("{slice}: &mut [f64], ")));
        let mut body = String::new();
        for slice in slices {
            let is_overwritten = |target: &Target| {
                let direct = self.direct(target, &contributions);
                target.slice == slice && direct.is_some_and(|output| !output.is_dense || output.is_complete())
            };
            if !self.targets.iter().any(is_overwritten) {
                let _ = writeln!(body, "{slice}.fill(0.0);");
            }
        }
        body.push_str(&inputs(layout, self.given, &contributions));
        for &contribution in &contributions {
            body.push_str(&self.call(contribution, &contributions));
        }
        format!("{text}) {{\n{}{body}}}\n", helpers(&body))
    }

    /// The output of the only kernel that fills this target, if it does it in the model's own order, so that it can write
    /// there.
    fn direct<'m>(&self, target: &Target, contributions: &[Contribution<'m, '_>]) -> Option<&'m ScheduledOutput> {
        let [(members, function)] = contributions else { return None };
        let is_alone = self.targets.iter().filter(|other| other.slice == target.slice).count() == 1;
        let is_in_order = is_alone && members.is_single() && !members.has_table(&target.table);
        results(function).map(|(_, output)| output).find(|output| is_in_order && output.role == target.role)
    }

    fn call(&self, contribution: Contribution, contributions: &[Contribution]) -> String {
        let (members, function) = contribution;
        let direct = |output: &ScheduledOutput| {
            self.targets
                .iter()
                .find(|target| target.role == output.role && self.direct(target, contributions).is_some())
        };
        let filled: Vec<&ScheduledOutput> = results(function).map(|(_, output)| output).collect();
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
            for Target { slice, table, factor, .. } in self.targets.iter().filter(|target| target.role == output.role) {
                let _ = if members.has_table(table) {
                    writeln!(after, "scatter({slice}, &{}, {factor}, &{name});", members.indices(table))
                } else {
                    writeln!(after, "add({slice}, {factor}, &{name});")
                };
            }
        }
        call(contribution, self.given, &results, &before, &after)
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

/// Whether energy changes by constraints and contacts alone.
pub(super) fn is_conservative(layout: &Layout, members: &[Members]) -> bool {
    !layout.has_unknown_power && contributions(members, FunctionRole::Power).is_empty()
}

/// What functions of one instant are given.
const INSTANT: [Given; 3] = [Given::Time, Given::Positions, Given::Velocities];

/// Adds the single entries of all results where their names say.
fn sums(layout: &Layout, contributions: &[Contribution], sum: impl Fn(&str) -> String) -> String {
    let mut body = inputs(layout, &INSTANT, contributions);
    for &contribution in contributions {
        let names: Vec<&str> = results(contribution.1).map(|(_, output)| role_name(output.role)).collect();
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
    let called: Vec<&str> = ["add", "array", "array_mut", "gather", "places", "rows_mut", "scatter"]
        .into_iter()
        .filter(is_called)
        .collect();
    match called.as_slice() {
        [] => String::new(),
        [single] => format!("use {}::{single};\n", paths::GENERATED),
        several => format!("use {}::{{{}}};\n", paths::GENERATED, several.join(", ")),
    }
}

/// The kernels that have this function.
fn contributions<'m, 'a>(members: &'m [Members<'a>], role: FunctionRole) -> Vec<Contribution<'m, 'a>> {
    let of = |members: &'m Members<'a>| {
        let functions = members.scheduled.functions.iter().filter(move |function| function.role == role);
        functions.map(move |function| (members, function))
    };
    members.iter().flat_map(of).filter(|(_, function)| results(function).next().is_some()).collect()
}

fn fills(function: &ScheduledFunction, role: Role) -> bool {
    results(function).any(|(_, output)| output.role == role)
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
    let statement = format!("{module}::{}({});\n", function_name(function.role), arguments.join(", "));
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
