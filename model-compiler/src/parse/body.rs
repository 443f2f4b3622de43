//! Bodies: `body name { mass: …, inertia: … about origin, center_of_mass: … }`.

use proc_macro2::Ident;
use syn::Result;

use super::fields::{self, Field};
use super::reader::Reader;
use crate::diagnostics::Errors;

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: Ident,
    /// Its fields, as written.
    pub fields: Vec<BodyField>,
}

/// A field of a body.
#[derive(Clone, Debug)]
pub struct BodyField {
    /// Name and value.
    pub field: Field,
    /// The point that the value refers to, after `about`.
    pub about: Option<Ident>,
}

pub(super) fn body(reader: &mut Reader, errors: &Errors) -> Result<Body> {
    let name = reader.indexed_name("the name of a body")?;
    let fields = fields::list(reader, errors, |reader| {
        let field = fields::field(reader)?;
        let about = reader.take_word("about").then(|| reader.name("`origin`")).transpose()?;
        Ok(BodyField { field, about })
    })?;
    Ok(Body { name, fields })
}
