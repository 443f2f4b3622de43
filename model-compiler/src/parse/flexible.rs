//! Flexible members: `flexible name: kind { length: …, elements: …, … }`.

use proc_macro2::Ident;
use syn::Result;

use super::fields::{self, Field};
use super::reader::Reader;
use super::value;
use crate::diagnostics::Errors;

/// A flexible member.
#[derive(Clone, Debug)]
pub struct Flexible {
    /// Its name.
    pub name: Ident,
    /// The word for its kind.
    pub kind: Ident,
    /// Its fields, as written.
    pub fields: Vec<Field>,
    /// The value of its field `elements`, if that is an integer: it decides how many coordinates there are.
    pub elements: Option<i64>,
}

pub(super) fn flexible(reader: &mut Reader, errors: &Errors) -> Result<Flexible> {
    let name = value::indexed_name(reader, "the name of a flexible member")?;
    reader.colon_after(&name)?;
    let kind = reader.name("a kind of flexible member")?;
    let fields = fields::list(reader, errors, fields::field)?;
    let elements = fields.iter().find(|field| field.name == "elements");
    let elements = elements.and_then(|field| reader.integers().evaluate(&field.value));
    Ok(Flexible { name, kind, fields, elements })
}
