//! Equations and results: constraints, initial conditions, outputs.

use proc_macro2::Ident;
use syn::Result;

use super::expression::{Axes, Value};
use super::reader::Reader;
use super::value;

/// `constraint name: lhs == rhs;`, `… as velocity;`, or `drive name: lhs == rhs;`
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Written with `drive`: the right side is a law in time.
    pub is_drive: bool,
    /// Written `as velocity`.
    pub is_velocity: bool,
    /// Its name.
    pub name: Ident,
    /// Left side.
    pub lhs: Value,
    /// Right side.
    pub rhs: Value,
}

/// `initial lhs = rhs in body;`
#[derive(Clone, Debug)]
pub struct Initial {
    /// The quantity.
    pub lhs: Value,
    /// Its value.
    pub rhs: Value,
    /// In whose axes the value is given.
    pub axes: Option<Axes>,
}

/// `output name = value in body;`
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: Value,
    /// In whose axes the value is expressed.
    pub axes: Option<Axes>,
}

pub(super) fn constraint(reader: &mut Reader, is_drive: bool) -> Result<Constraint> {
    let name = value::indexed_name(reader, if is_drive { "the name of a drive" } else { "the name of a constraint" })?;
    reader.colon_after(&name)?;
    let lhs = value::value(reader)?;
    if !reader.take("==") {
        return Err(reader.expected("an operator or `==`"));
    }
    let rhs = value::value(reader)?;
    let is_velocity = !is_drive && reader.take_word("as");
    if is_velocity && !reader.take_word("velocity") {
        return Err(reader.expected("`velocity`"));
    }
    value::end(reader)?;
    Ok(Constraint { is_drive, is_velocity, name, lhs, rhs })
}

pub(super) fn initial(reader: &mut Reader) -> Result<Initial> {
    let lhs = value::value(reader)?;
    if reader.sees("==") || !reader.take("=") {
        return Err(reader.expected("an operator or `=`"));
    }
    let rhs = value::value(reader)?;
    Ok(Initial { lhs, rhs, axes: axes(reader)? })
}

pub(super) fn output(reader: &mut Reader) -> Result<Output> {
    let name = value::indexed_name(reader, "the name of an output")?;
    reader.expect("=")?;
    let value = value::value(reader)?;
    Ok(Output { name, value, axes: axes(reader)? })
}

/// Reads `in body;` or `;`.
fn axes(reader: &mut Reader) -> Result<Option<Axes>> {
    if !reader.take_word("in") {
        return value::end(reader).map(|()| None);
    }
    let axes = value::axes(reader)?;
    reader.expect(";")?;
    Ok(Some(axes))
}
