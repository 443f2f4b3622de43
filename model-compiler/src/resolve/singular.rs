//! What of the expressions of a model may have no value or no derivative somewhere: divisions, roots, powers, logarithms
//! and the like of what varies. Where a simulation meets such a place, its error can say which they are.

use std::collections::BTreeSet;

use super::Singular;
use crate::forces;
use crate::parse::{Description, ForceForm, Item, Noun, Operator, Value, ValueKind};
use crate::spelling::spelled;

/// All of a model, each once: the rounds of a loop differ in numbers only, and the first stands for all.
pub(super) fn singular(description: &Description) -> Vec<Singular> {
    let fixed = description.items.iter().filter_map(|item| match item {
        Item::Parameter(parameter) => Some(parameter.name.to_string()),
        _ => None,
    });
    let fixed: BTreeSet<String> = fixed.chain(["pi".to_owned()]).collect();
    let mut found = Vec::new();
    for item in &description.items {
        let mut add = |what: &str, name: String, values: &[&Value]| {
            let place = format!("{what} `{}`", spelled(&name));
            for value in values {
                collect(value, &fixed, &mut |text| found.push(Singular { text, place: place.clone() }));
            }
        };
        match item {
            Item::Definition(definition) => add("let", definition.name.to_string(), &[&definition.value]),
            Item::State(state) => add("state", state.name.to_string(), &[&state.rate]),
            Item::Constraint(c) => add("constraint", c.name.to_string(), &[&c.lhs, &c.rhs]),
            Item::Contact(contact) => {
                let values: Vec<&Value> = contact.fields.iter().map(|field| &field.value).collect();
                add("contact", contact.name.to_string(), &values);
            }
            Item::Output(output) => add("output", output.name.to_string(), &[&output.value]),
            Item::Force(force) => {
                let noun = if force.noun == Noun::Torque { "torque" } else { "force" };
                match &force.form {
                    ForceForm::Value { value, .. } => add(noun, force.name.to_string(), &[value]),
                    ForceForm::Kind { kind, fields, .. } => {
                        let values: Vec<&Value> = fields.iter().map(|field| &field.value).collect();
                        add(noun, force.name.to_string(), &values);
                        let is_given = |name: &str| fields.iter().any(|field| field.name == name);
                        let kind = forces::find(&kind.to_string());
                        if kind.is_some_and(|kind| kind.divides_by_distance(&is_given)) {
                            let place = format!("{noun} `{}`", spelled(&force.name.to_string()));
                            found.push(Singular { text: "1 / distance".to_owned(), place });
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let without_digits = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let mut seen = BTreeSet::new();
    found.retain(|one| seen.insert((without_digits(&one.text), without_digits(&one.place))));
    found
}

/// Whether a value depends on anything but numbers and parameters.
fn varies(value: &Value, fixed: &BTreeSet<String>) -> bool {
    match &value.kind {
        ValueKind::Name(name) => !fixed.contains(&name.to_string()),
        ValueKind::Field(..) | ValueKind::Point(..) | ValueKind::In(..) => true,
        kind => kind.parts().into_iter().any(|part| varies(part, fixed)),
    }
}

fn collect(value: &Value, fixed: &BTreeSet<String>, add: &mut dyn FnMut(String)) {
    value.kind.parts().into_iter().for_each(|part| collect(part, fixed, add));
    let is_singular = match &value.kind {
        ValueKind::Operation(Operator::Divide, _, _, divisor) => varies(divisor, fixed),
        // Small whole powers are products.
        ValueKind::Operation(Operator::Power, _, base, exponent) => {
            let is_product = matches!(&exponent.kind, ValueKind::Number(digits) if !digits.contains(['.', 'e', 'E']));
            !is_product && (varies(base, fixed) || varies(exponent, fixed))
        }
        ValueKind::Call(name, arguments) => {
            const FUNCTIONS: [&str; 7] = ["sqrt", "norm", "ln", "tan", "asin", "acos", "atan2"];
            FUNCTIONS.iter().any(|known| name == known) && arguments.iter().any(|argument| varies(argument, fixed))
        }
        _ => false,
    };
    if is_singular {
        add(value.to_string());
    }
}
