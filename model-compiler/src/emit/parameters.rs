//! The public structs of parameters and inputs.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::docs;
use super::formula::{Language, Notation};
use super::kernel::given;
use super::paths;
use super::setup::notation;
use crate::derive::{Equations, Layout};
use crate::reserved;
use crate::schedule::requirements::{Requirement, requirements};
use crate::schedule::{Argument, Schedule};
use crate::space::Shape;

/// The struct of parameters with its `Default`, `set`, `components` and `validate`.
pub(super) fn parameters(model: &str, equations: &Equations, schedule: &Schedule) -> String {
    let layout = &equations.layout;
    let mut text = format!(
        "/// Parameters of [`{model}`], in SI units.\n#[derive({}, {}, {})]\npub struct {model}Parameters {{\n",
        paths::CLONE,
        paths::DEBUG,
        paths::PARTIAL_EQ,
    );
    for parameter in &layout.parameters {
        let _ =
            writeln!(text, "{}pub {}: {},", docs::parameter(parameter), parameter.name, field_type(parameter.shape));
    }
    text.push_str("}\n");
    text.push_str(&default(model, layout, schedule));
    text.push_str(&methods(model, equations, schedule));
    text
}

/// The struct of inputs, if there are any.
pub(super) fn inputs(model: &str, layout: &Layout) -> String {
    if layout.inputs.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "/// Inputs of [`{model}`]; zero until they are set.\n#[derive({}, {})]\npub struct {model}Inputs {{\n",
        paths::DEBUG,
        paths::DEFAULT,
    );
    for input in &layout.inputs {
        let unit = docs::comment(&[format!("Unit: {}.", input.unit)]);
        let _ = writeln!(text, "{unit}pub {}: {},", input.name, paths::SIGNAL);
    }
    text.push_str("}\n");
    text
}

fn field_type(shape: Shape) -> String {
    match shape {
        Shape::Scalar => "f64".to_owned(),
        Shape::Vector(n) => format!("[f64; {n}]"),
        Shape::Matrix(rows, columns) => format!("[[f64; {columns}]; {rows}]"),
    }
}

/// Components in row-major order as a value of the field.
fn field_value(shape: Shape, components: &[String]) -> String {
    match shape {
        Shape::Scalar => components.concat(),
        Shape::Vector(_) => format!("[{}]", components.join(", ")),
        Shape::Matrix(_, columns) => {
            let rows: Vec<String> = components.chunks(columns).map(|row| format!("[{}]", row.join(", "))).collect();
            format!("[{}]", rows.join(", "))
        }
    }
}

fn default(model: &str, layout: &Layout, schedule: &Schedule) -> String {
    let named = layout.parameters.iter().zip(&schedule.fields);
    let paths: Vec<String> = named.flat_map(|(parameter, local)| parameter.shape.paths(local)).collect();
    let mut lets = String::new();
    let mut fields = Vec::new();
    for (index, (parameter, routine)) in layout.parameters.iter().zip(&schedule.defaults).enumerate() {
        let argument = Box::new(|argument| match argument {
            Argument::Parameter(i) => paths[i].clone(),
            _ => String::new(),
        });
        let notation = Notation { argument, routine, language: Language::Float };
        lets.push_str(&notation.temporaries());
        let value = field_value(parameter.shape, &notation.results().concat());
        let (field, local) = (&parameter.name, &schedule.fields[index]);
        let _ = writeln!(lets, "let {local}: {} = {value};", field_type(parameter.shape));
        fields.push(if field == local { local.clone() } else { format!("{field}: {local}") });
    }
    format!(
        "impl {} for {model}Parameters {{\nfn default() -> Self {{\n{lets}Self {{ {} }}\n}}\n}}\n",
        paths::DEFAULT,
        fields.join(", ")
    )
}

/// Not everybody uses all of it.
pub(super) const INTERFACE: &str = "#[allow(dead_code, reason = \"interface of the model\")]\n";

fn methods(model: &str, equations: &Equations, schedule: &Schedule) -> String {
    let parameters = equations.layout.parameters.iter();
    let paths: Vec<String> = parameters.flat_map(|parameter| parameter.shape.paths(&parameter.name)).collect();
    let names = equations.parameter_graph.symbols().iter().map(|symbol| symbol.name.as_str());
    let error = paths::UNKNOWN_PARAMETER;
    let unknown =
        format!("{}::Err({}::unknown_parameter(name, &{}::INFO))", paths::RESULT, paths::GENERATED, reserved::KERNELS);
    let mut text = format!("{INTERFACE}impl {model}Parameters {{\n");
    text.push_str(&docs::comment(&[
        format!(
            "Sets one component by its name in [`ModelInfo::parameters`]({}) or by its path, in its SI unit.",
            paths::MODEL_INFO
        ),
        String::new(),
        "# Errors".to_owned(),
        "When no component has this name.".to_owned(),
    ]));
    let value = if paths.is_empty() { "_value" } else { "value" };
    let _ = writeln!(text, "pub fn set(&mut self, name: &str, {value}: f64) -> {}<(), {error}> {{", paths::RESULT);
    if paths.is_empty() {
        let _ = writeln!(text, "{unknown}\n}}");
    } else {
        text.push_str("match name {\n");
        for (path, name) in paths.iter().zip(names) {
            let name = if name == path { String::new() } else { format!("{name:?} | ") };
            let _ = writeln!(text, "{name}{path:?} => self.{path} = value,");
        }
        let _ = writeln!(text, "_ => return {unknown},\n}}\n{}(())\n}}", paths::OK);
    }
    let values: Vec<String> = paths.iter().map(|path| format!("self.{path}")).collect();
    let _ = writeln!(
        text,
        "/// All components, in the order of `ModelInfo::parameters`.\npub fn components(&self) -> [f64; {}] {{\n[{}]\n}}",
        paths.len(),
        values.join(", ")
    );
    text.push_str(&validate(equations, schedule));
    text.push_str("}\n");
    text
}

/// The same requirements as those on the defaults, which the compiler has checked.
fn validate(equations: &Equations, schedule: &Schedule) -> String {
    let (routine, error, helpers) = (&schedule.bodies, paths::PARAMETER_ERROR, paths::GENERATED);
    let kernels = reserved::KERNELS;
    let notation = notation(schedule, routine);
    let mut text = docs::comment(&[
        "Whether a mechanical system can have these parameters: all finite, every mass and inertia that of a rigid body, every mass with its added mass positive definite, every restitution from 0 to 1, no friction negative.".to_owned(),
        String::new(),
        "# Errors".to_owned(),
        "The first value that is not as expected.".to_owned(),
    ]);
    let _ = writeln!(
        text,
        "pub fn validate(&self) -> {}<(), {error}> {{\n{helpers}::check_finite(&{kernels}::INFO.parameters, &self.components())?;",
        paths::RESULT
    );
    let given = given(&schedule.parameters.parameters, routine);
    if given.contains(|c: char| c.is_ascii_alphabetic()) {
        let _ = writeln!(text, "let {given} = self.components();");
    }
    text.push_str(&notation.temporaries());
    let results = notation.results();
    let required = requirements(equations);
    let (bodies, others) = results.split_at(equations.bodies.len());
    // Bodies of equal mass and inertia are checked once, under the name of the first.
    let mut checked = BTreeSet::new();
    for (requirement, values) in required.iter().zip(bodies).filter(|(_, values)| checked.insert(values.to_vec())) {
        text.push_str(&checked_by(requirement, values));
    }
    if !equations.layout.contacts.is_empty() {
        let _ = writeln!(
            text,
            "{helpers}::check_contacts(&{kernels}::INFO.contacts, &{kernels}::contact_laws(self.components()))?;"
        );
    }
    for (requirement, values) in required[bodies.len()..].iter().zip(others) {
        text.push_str(&checked_by(requirement, values));
    }
    let _ = writeln!(text, "{}(())\n}}", paths::OK);
    text
}

/// The call of the runtime that checks a requirement on these values.
fn checked_by(requirement: &Requirement, values: &[String]) -> String {
    let helpers = paths::GENERATED;
    let list = |values: &[String]| values.join(", ");
    match requirement {
        Requirement::Body { name } => {
            let (mass, inertia) = (values[..1].concat(), list(&values[1..]));
            format!("{helpers}::check_body({name:?}, {mass}, &[{inertia}])?;\n")
        }
        Requirement::Positive { what, expected } => {
            format!("{helpers}::check_positive({what:?}, {}, {expected:?})?;\n", values.concat())
        }
        Requirement::Symmetric { what } => format!("{helpers}::check_symmetric({what:?}, &[{}])?;\n", list(values)),
        Requirement::TotalMass { of } => format!("{helpers}::check_total_mass({of:?}, &[{}])?;\n", list(values)),
    }
}
