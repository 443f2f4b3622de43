//! `impl ClosedForm`: accelerations over any scalar, for instances that are computed with in lanes.

use super::kernel::given;
use super::setup::notation;
use super::{Header, paths};
use crate::derive::{FunctionRole, Layout};
use crate::reserved;
use crate::schedule::Schedule;
use crate::schedule::groups::{Group, groups};
use crate::schedule::members::Members;
use crate::schedule::methods::contributions;
use crate::schedule::vocabulary::function_name;

/// The implementation; empty for a model without forward dynamics, or with several kernels of them.
pub(super) fn closed_form(header: &Header, layout: &Layout, schedule: &Schedule, members: &[Members]) -> String {
    let contributions = contributions(members, FunctionRole::ForwardDynamics);
    let [(members, function)] = contributions.as_slice() else { return String::new() };
    let groups = groups(&function.routine);
    let in_order = groups.iter().all(|(group, _)| group.table().is_none_or(|table| !members.has_table(table)));
    if !members.is_single() || members.rows.is_regular() || !in_order {
        return String::new();
    }
    let module = format!("{}::{}", reserved::KERNELS, members.module);
    let name = header.name;
    let (real, generated, vec) = (paths::REAL, paths::GENERATED, paths::VEC);
    let has_constants = !members.scheduled.constants.is_empty();
    let (kind, row, constants) = if has_constants {
        let results = notation(schedule, &schedule.members).results();
        let row: Vec<String> =
            members.rows.0.iter().flat_map(|rows| &results[rows.first.clone()]).flatten().cloned().collect();
        let given = given(&schedule.parameters.parameters, &schedule.members);
        let temporaries = notation(schedule, &schedule.members).temporaries();
        let row = format!("let {given} = self.parameters.components();\n{temporaries}[{}].to_vec()", row.join(", "));
        let constants = format!("{module}::Constants::new(*{generated}::array(parameters))");
        (format!("{module}::Constants<T>"), row, constants)
    } else {
        ("[T; 0]".to_owned(), format!("{vec}::new()"), "[]".to_owned())
    };
    let arguments: Vec<String> = groups
        .iter()
        .map(|(group, _)| match group {
            Group::Constants => "constants".to_owned(),
            Group::Time => "t".to_owned(),
            Group::Forces => format!("&[T::from_f64(0.0); {}]", layout.velocities.len()),
            Group::Inputs => format!("{generated}::array(inputs)"),
            _ => group.name().to_owned(),
        })
        .chain(["a".to_owned()])
        .collect();
    let [nq, nv] = [&layout.coordinates, &layout.velocities].map(|channels| channels.len());
    format!(
        "impl {generated}::ClosedForm for {name} {{\ntype Constants<T: {real}> = {kind};\n\
         type Coordinates<T: {real}> = [T; {nq}];\ntype Velocities<T: {real}> = [T; {nv}];\n\
         fn coordinates_in_lanes<T: {real}>() -> [T; {nq}] {{\n[T::from_f64(0.0); {nq}]\n}}\n\
         fn velocities_in_lanes<T: {real}>() -> [T; {nv}] {{\n[T::from_f64(0.0); {nv}]\n}}\n\
         fn parameters_in_lanes(&self) -> {vec}<f64> {{\n{row}\n}}\n\
         #[allow(unused_variables, reason = \"some read no parameters\")]\n\
         fn constants_in_lanes<T: {real}>(parameters: &[T]) -> Self::Constants<T> {{\n{constants}\n}}\n\
         #[allow(unused_variables, reason = \"some read no time, inputs or constants\")]\n\
         #[inline(always)]\n\
         fn acceleration_in_lanes<T: {real}>(constants: &Self::Constants<T>, t: T, inputs: &[T], q: &[T; {nq}], v: &[T; {nv}], a: &mut [T; {nv}]) {{\n\
         {module}::{}({});\n}}\n}}\n",
        function_name(function.role),
        arguments.join(", ")
    )
}
