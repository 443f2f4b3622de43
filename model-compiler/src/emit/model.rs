//! The model's type: parameters, inputs, constants, and `impl Model`.

use std::fmt::Write;

use proc_macro2::Ident;

use super::Header;
use super::docs;
use super::methods::{methods, provided};
use super::names;
use super::parameters::INTERFACE;
use super::paths;
use super::setup::with_constants;
use crate::derive::Layout;
use crate::reserved;
use crate::schedule::members::Members;

/// The type and its implementations.
pub(super) fn model(header: &Header, layout: &Layout, members: &[Members], has_switches: bool) -> String {
    let (name, kernels) = (header.name, reserved::KERNELS);
    let has_inputs = !layout.inputs.is_empty();
    let has_constants = with_constants(members).next().is_some();

    let mut doc = header.doc.to_vec();
    if !doc.is_empty() {
        doc.push(String::new());
    }
    doc.push(format!(
        "Coordinates: {}, velocities: {}, constraints: {}.",
        layout.coordinates.len(),
        layout.velocities.len(),
        layout.constraints.len()
    ));
    doc.extend(docs::limits(layout));
    let mut text = docs::comment(&doc);
    let _ = writeln!(text, "pub struct {name} {{");
    if has_inputs {
        let _ = writeln!(text, "/// Inputs; they may be set at any time.\npub inputs: {name}Inputs,");
    }
    let _ = writeln!(text, "parameters: {name}Parameters,");
    if has_constants {
        let _ = writeln!(text, "constants: {kernels}::Constants,");
    }
    text.push_str("}\n");

    let _ = writeln!(
        text,
        "{INTERFACE}impl {name} {{\n/// The model with these parameters; [`validate`]({name}Parameters::validate) tells whether there can be such a one.\npub fn new(parameters: {name}Parameters) -> Self {{\nSelf {{ {}{}parameters }}\n}}",
        if has_inputs { format!("inputs: {}::default(), ", paths::DEFAULT) } else { String::new() },
        if has_constants {
            format!("constants: {kernels}::Constants::new(parameters.components()), ")
        } else {
            String::new()
        },
    );
    let _ = writeln!(
        text,
        "/// The parameters it was made with.\npub fn parameters(&self) -> &{name}Parameters {{\n&self.parameters\n}}\n{}{}}}",
        names::limits(layout),
        provided(layout, members)
    );
    text.push_str(&common_traits(name, has_inputs));

    let _ = writeln!(text, "impl {} for {name} {{", paths::MODEL);
    let _ = writeln!(text, "fn describe(&self) -> &{} {{\n&{kernels}::INFO\n}}", paths::MODEL_INFO);
    let _ = writeln!(
        text,
        "fn validate(&self) -> {}<(), {}> {{\nself.parameters.validate()\n}}",
        paths::RESULT,
        paths::PARAMETER_ERROR
    );
    text.push_str(&methods(layout, members));
    if !layout.contacts.is_empty() {
        let _ = writeln!(
            text,
            "fn contact_laws(&self, out: &mut [{}]) {{\nout.copy_from_slice(&{kernels}::contact_laws(self.parameters.components()));\n}}",
            paths::CONTACT_LAW
        );
    }
    if has_switches {
        let _ = writeln!(
            text,
            "fn switching_times(&self, visit: &mut dyn {}([f64; 2], &[usize])) {{\n\
             let times = {kernels}::switching_times(self.parameters.components());\n\
             {}::visit_times(&times, &{kernels}::MOVED_BY, visit);\n}}",
            paths::FN_MUT,
            paths::GENERATED
        );
    }
    let _ = writeln!(
        text,
        "fn reference_configuration(&self, q: &mut [f64]) {{\nq.copy_from_slice(&{kernels}::reference_configuration(self.parameters.components()));\n}}"
    );
    if !layout.inputs.is_empty() {
        let values: Vec<String> =
            layout.inputs.iter().map(|input| format!("self.inputs.{}.value(t)", input.name)).collect();
        let _ = writeln!(
            text,
            "fn input_values(&self, t: f64, out: &mut [f64]) {{\nout.copy_from_slice(&[{}]);\n}}",
            values.join(", ")
        );
        let corners: Vec<String> =
            layout.inputs.iter().map(|input| format!("self.inputs.{}.corners(visit);", input.name)).collect();
        let _ = writeln!(
            text,
            "fn input_times(&self, visit: &mut dyn {}([f64; 2], bool)) {{\n{}\n}}",
            paths::FN_MUT,
            corners.join("\n")
        );
    }
    if !layout.singular_angles.is_empty() {
        let angles = &layout.singular_angles;
        let _ = writeln!(text, "fn singular_angles(&self) -> &'static [usize] {{\n&{angles:?}\n}}");
    }
    if layout.switches > 0 {
        let _ = writeln!(text, "fn n_switching_functions(&self) -> usize {{\n{}\n}}", layout.switches);
    }
    let (position, velocity) = (layout.initial_conditions.0.len(), layout.initial_conditions.1.len());
    let _ = writeln!(text, "fn n_initial_conditions(&self) -> (usize, usize) {{\n({position}, {velocity})\n}}\n}}");
    text
}

/// `Default`, `Debug` and, unless signals may hold functions, `Clone`: by the parameters, from which the constants follow.
/// Deriving them for the constants of every kernel would cost rustc more than anything else that is not a formula.
fn common_traits(name: &Ident, has_inputs: bool) -> String {
    let mut text =
        format!("impl {0} for {name} {{\nfn default() -> Self {{\nSelf::new({0}::default())\n}}\n}}\n", paths::DEFAULT);
    if !has_inputs {
        let _ = writeln!(
            text,
            "impl {0} for {name} {{\nfn clone(&self) -> Self {{\nSelf::new({0}::clone(&self.parameters))\n}}\n}}",
            paths::CLONE
        );
    }
    let inputs = if has_inputs { ".field(\"inputs\", &self.inputs)" } else { "" };
    let _ = writeln!(
        text,
        "impl {} for {name} {{\nfn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{\nf.debug_struct(\"{name}\"){inputs}.field(\"parameters\", &self.parameters).finish_non_exhaustive()\n}}\n}}",
        paths::DEBUG
    );
    text
}
