//! Values with a name: parameters, inputs, definitions; and gravity.

use proc_macro2::{Ident, Span};
use syn::Result;

use super::expression::{UnitExpression, Value};
use super::reader::Reader;
use super::unit;
use super::value;

/// `param name = value;` or `const name = value;`
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Lines of its doc comment.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Ident,
    /// Written with `const`.
    pub is_constant: bool,
    /// Its default.
    pub value: Value,
}

/// `input name unit;`
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name.
    pub name: Ident,
    /// Its unit.
    pub unit: UnitExpression,
}

/// `let name = value;`
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: Ident,
    /// What it stands for.
    pub value: Value,
}

/// `gravity value;`
#[derive(Clone, Debug)]
pub struct Gravity {
    /// The word itself.
    pub span: Span,
    /// Acceleration of free fall.
    pub value: Value,
}

pub(super) fn parameter(reader: &mut Reader, doc: Vec<String>, is_constant: bool) -> Result<Parameter> {
    let name = reader.name("the name of a parameter")?;
    let value = binding(reader)?;
    if is_constant {
        reader.integers().learn(&name, &value);
    }
    Ok(Parameter { doc, name, is_constant, value })
}

pub(super) fn definition(reader: &mut Reader) -> Result<Definition> {
    let name = value::indexed_name(reader, "a name")?;
    let value = binding(reader)?;
    Ok(Definition { name, value })
}

/// Reads `= value;`.
fn binding(reader: &mut Reader) -> Result<Value> {
    reader.expect("=")?;
    let value = value::value(reader)?;
    value::end(reader)?;
    Ok(value)
}

pub(super) fn input(reader: &mut Reader) -> Result<Input> {
    let name = reader.name("the name of an input")?;
    let unit = unit::required(reader)?;
    reader.expect(";")?;
    Ok(Input { name, unit })
}

pub(super) fn gravity(reader: &mut Reader, span: Span) -> Result<Gravity> {
    let value = value::value(reader)?;
    value::end(reader)?;
    Ok(Gravity { span, value })
}
