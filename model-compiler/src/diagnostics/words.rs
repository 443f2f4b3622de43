//! How errors are made, and what their messages have in common.

use std::fmt::Display;

use proc_macro2::{Ident, Span};
use syn::Error;

use super::{Family, Place};
use crate::space::Shape;
use crate::spelling::{nearest, spelled};
use crate::units::{Declared, Unit};

/// An error, whose text begins with the code of its family.
///
/// An error of `syn` has nothing but text, and rustc lets no macro give a code beside it.
pub(super) fn error(family: Family, place: impl Into<Place>, message: impl Display) -> Error {
    Error::new_spanned(place.into(), family.coded(spelled(&message.to_string())))
}

/// An error with a next step.
pub(super) fn advise(family: Family, place: impl Into<Place>, message: impl Display, help: impl Display) -> Error {
    error(family, place, format!("{message}\nhelp: {help}"))
}

/// An error with a next step, if there is one.
pub(super) fn advise_if(
    family: Family,
    place: impl Into<Place>,
    message: impl Display,
    help: Option<impl Display>,
) -> Error {
    match help {
        Some(help) => advise(family, place, message, help),
        None => error(family, place, message),
    }
}

/// An error that has to do with another place.
pub(super) fn beside(mut error: Error, other: Span, note: impl Display) -> Error {
    error.combine(Error::new(other, format!("note: {}", spelled(&note.to_string()))));
    error
}

/// An error about a word, and as help the nearest candidate or else all of them.
pub(super) fn unknown(family: Family, name: &Ident, message: impl Display, candidates: &[&str]) -> Error {
    let help = match nearest(&name.to_string(), candidates.iter().copied()) {
        Some(nearest) => Some(did_you_mean(nearest)),
        None if candidates.is_empty() => None,
        None => Some(format!("known are {}", list(candidates))),
    };
    advise_if(family, name, message, help)
}

pub(super) fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

pub(super) fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

pub(super) fn plural(word: &str, count: usize) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

pub(super) fn unit(unit: Unit) -> String {
    Declared::from(unit).to_string()
}

pub(super) fn shape(shape: Shape) -> String {
    match shape {
        Shape::Scalar => "a scalar".to_owned(),
        Shape::Vector(n) => format!("a vector of {n}"),
        Shape::Matrix(rows, columns) => format!("a {rows} × {columns} matrix"),
    }
}
