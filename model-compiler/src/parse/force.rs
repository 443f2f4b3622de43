//! Syntax of forces and torques: `force name: kind(ends) { fields }`, or `force name: expression on end;`.

use proc_macro2::{Delimiter, Ident};
use syn::Result;

use super::expression::{Axes, Value};
use super::fields::{self, Field};
use super::joint::{self, End};
use super::reader::Reader;
use super::value;
use crate::diagnostics::{self, Errors};

/// A force or torque.
#[derive(Clone, Debug)]
pub struct Force {
    /// Its name.
    pub name: Ident,
    /// The word it begins with.
    pub noun: Noun,
    /// How it is written.
    pub form: ForceForm,
}

/// The word that a force begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Noun {
    /// `force`
    Force,
    /// `torque`
    Torque,
}

/// How a force is written.
#[derive(Clone, Debug)]
pub enum ForceForm {
    /// A kind with its ends and fields.
    Kind {
        /// The word for the kind.
        kind: Ident,
        /// What it acts on.
        ends: Vec<End>,
        /// Its fields.
        fields: Vec<Field>,
    },
    /// `value on end from end in body;`
    Value {
        /// The force or torque.
        value: Box<Value>,
        /// What it acts on.
        on: Box<End>,
        /// What the opposite force acts on.
        from: Option<Box<End>>,
        /// In whose axes the value is given.
        axes: Option<Axes>,
    },
}

pub(super) fn force(reader: &mut Reader, noun: Ident, errors: &Errors) -> Result<Force> {
    let noun = if noun == "torque" { Noun::Torque } else { Noun::Force };
    let name = value::indexed_name(reader, "the name of a force")?;
    reader.colon_after(&name)?;
    if reader.sees_group(Delimiter::Brace) {
        return Err(diagnostics::expected_a_force(reader.open_span()));
    }
    let form = if is_kind(*reader) { kind(reader, errors)? } else { given(reader)? };
    Ok(Force { name, noun, form })
}

/// A word with parentheses and then braces or `;` is a kind; anything else begins an expression.
fn is_kind(mut reader: Reader) -> bool {
    let has_word = reader.take_any_word().is_some();
    let has_ends = reader.group(Delimiter::Parenthesis).is_ok();
    has_word && has_ends && (reader.sees_group(Delimiter::Brace) || reader.sees(";"))
}

fn kind(reader: &mut Reader, errors: &Errors) -> Result<ForceForm> {
    let kind = reader.name("a kind of force")?;
    let ends = joint::ends(reader)?;
    let fields = if reader.sees_group(Delimiter::Brace) {
        fields::list(reader, errors, fields::field)?
    } else {
        reader.expect(";")?;
        Vec::new()
    };
    Ok(ForceForm::Kind { kind, ends, fields })
}

fn given(reader: &mut Reader) -> Result<ForceForm> {
    let value = Box::new(value::value(reader)?);
    if !reader.take_word("on") {
        return Err(reader.expected("an operator or `on`"));
    }
    let on = Box::new(joint::end(reader)?);
    let from = reader.take_word("from").then(|| joint::end(reader).map(Box::new)).transpose()?;
    let axes = reader.take_word("in").then(|| value::axes(reader)).transpose()?;
    reader.expect(";")?;
    Ok(ForceForm::Value { value, on, from, axes })
}
