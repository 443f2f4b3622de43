//! Messages of names and what they stand for.

use proc_macro2::{Ident, Span};
use syn::Error;

use super::words::{advise, beside, error, unit, unknown};
use super::{Family, Place};
use crate::spelling::{nearest, spelled, stem};
use crate::units::Unit;

pub(crate) fn unknown_name(name: &Ident, candidates: &[&str]) -> Error {
    if crate::units::find(&name.to_string()).is_some() && !candidates.contains(&name.to_string().as_str()) {
        // A tonne, which is seldom meant.
        let help = match name == "t" {
            true => "the time is `time`, and the unit follows a number: `2 t`",
            false => "a unit follows a number, and units beside each other multiply: `1.0 kg m^2`",
        };
        return advise(Family::UnknownName, name, format!("unknown name `{name}`, which is a unit"), help);
    }
    let text = name.to_string();
    let mut with_indices =
        candidates.iter().copied().filter(|&other| stem(other) == stem(&text) && stem(other) != other);
    if let Some(first) = with_indices.next() {
        let (first, last) = (spelled(first), with_indices.next_back().map_or_else(|| spelled(first), spelled));
        let help = format!("indices are whole numbers; there are `{first}` to `{last}`");
        return advise(Family::UnknownName, name, format!("unknown name `{name}`"), help);
    }
    let near = nearest(&text, candidates.iter().copied());
    unknown(Family::UnknownName, name, format!("unknown name `{name}`"), near.as_slice())
}

/// `what` says of what kind the word should be, e.g. "kind of joint".
pub(crate) fn unknown_word(what: &str, word: &Ident, candidates: &[&str]) -> Error {
    unknown(Family::UnknownWord, word, format!("unknown {what} `{word}`"), candidates)
}

pub(crate) fn unknown_quantity(of: &str, name: &Ident, candidates: &[&str]) -> Error {
    unknown(Family::UnknownName, name, format!("{of} has no `{name}`"), candidates)
}

/// The motion of a vector that stands for a value alone.
pub(crate) fn vector_without_motion(name: &Ident) -> Error {
    let help = "a `let` is a value; the name of a point that moves is a `marker`: `marker tip: arm at [1, 0] m;`";
    advise(Family::UnknownName, name, format!("a vector has no `{name}`"), help)
}

/// A coordinate whose rate is not one of the velocities of its joint.
pub(crate) fn no_rate(name: &Ident, velocities: &[&str]) -> Error {
    let help = format!("the joint moves with {}", velocities.join(", "));
    advise(Family::UnknownName, name, format!("this coordinate has no `{name}` of its own"), &help)
}

pub(crate) fn duplicate_name(name: &Ident, first: Span) -> Error {
    beside(
        error(Family::DuplicateName, name, format!("duplicate name `{name}`")),
        first,
        format!("`{name}` is declared here first"),
    )
}

/// A constant in a list of parameters by which derivatives are asked for.
pub(crate) fn constant_differentiated(name: &Ident) -> Error {
    let help = format!("declare it as `param {name} = …;`");
    advise(Family::WrongKind, name, format!("expected a parameter, found the constant `{name}`"), &help)
}

/// `v_x` beside a vector `v`.
pub(crate) fn equal_components(name: &Ident, first: &Ident, component: &str) -> Error {
    let message = format!("`{name}` and `{first}` both have the name `{component}` for a component");
    beside(
        advise(Family::DuplicateName, name, message, "rename one of them"),
        first.span(),
        format!("`{first}` is declared here"),
    )
}

pub(crate) fn reserved_name(name: &Ident) -> Error {
    error(Family::NotAName, name, format!("expected a name, found reserved word `{name}`"))
}

/// An output with the name that the column of the time has in tables of results.
pub(crate) fn output_named_time(name: &Ident) -> Error {
    let help = "tables of results have it already; another name tells them apart";
    advise(Family::DuplicateName, name, format!("`{name}` is the column of the time"), help)
}

pub(crate) fn used_before_declaration(name: &Ident, declared: Span) -> Error {
    let message = format!("`{name}` is used before its declaration");
    let error = advise(Family::Order, name, message, "declare it further up");
    beside(error, declared, format!("`{name}` is declared here"))
}

pub(crate) fn defined_by_itself(name: &Ident) -> Error {
    error(Family::Order, name, format!("`{name}` is defined by itself"))
}

/// A note where a name is declared that is used with a wrong unit.
pub(crate) fn declared_here(error: Error, declared: Span, name: &Ident, found: Unit) -> Error {
    beside(error, declared, format!("`{name}` is given as {} here", unit(found)))
}

/// A type of this name would hide what code beside it and in it means.
pub(crate) fn name_of_another_type(name: &Ident) -> Error {
    let help = format!("types have names such as `{}`", camel_case(&name.to_string()));
    advise(
        Family::NotAName,
        name,
        format!("expected a name for a type, found `{name}`, which Rust and generated code use"),
        help,
    )
}

fn camel_case(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

/// `expected` and `found` are kinds with an article, e.g. "a body".
pub(crate) fn wrong_kind(place: impl Into<Place>, expected: &str, found: &str) -> Error {
    error(Family::WrongKind, place, format!("expected {expected}, found {found}"))
}
