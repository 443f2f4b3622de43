//! Bodies: `body name { mass: …, inertia: … about origin, center_of_mass: …, added_mass: { … } }`.

use proc_macro2::{Delimiter, Ident};
use syn::Result;

use super::fields::{self, Field};
use super::reader::Reader;
use super::value;
use crate::diagnostics::{self, Errors};

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: Ident,
    /// Its fields, as written.
    pub fields: Vec<BodyField>,
    /// Its fields in braces of their own: `added_mass`, of which it should have at most one.
    pub added_mass: Vec<AddedMass>,
}

/// A field of a body.
#[derive(Clone, Debug)]
pub struct BodyField {
    /// Name and value.
    pub field: Field,
    /// The point that the value refers to, after `about`.
    pub about: Option<Ident>,
}

/// `added_mass: { … }`.
#[derive(Clone, Debug)]
pub struct AddedMass {
    /// The word itself.
    pub word: Ident,
    /// Its fields, as written.
    pub fields: Vec<Field>,
}

pub(super) fn body(reader: &mut Reader, errors: &Errors) -> Result<Body> {
    let name = value::indexed_name(reader, "the name of a body")?;
    let colon = reader.span();
    if reader.take(":") {
        // Its fields can be read all the same.
        errors.push(diagnostics::colon_of_body(colon, &name));
    }
    let mut added_mass = Vec::new();
    let fields = fields::list(reader, errors, |reader| {
        let mut ahead = *reader;
        let begins = ahead.take_any_word().is_some() && ahead.take(":") && ahead.sees_group(Delimiter::Brace);
        if begins || reader.sees_word("added_mass") {
            let word = reader.name("the name of a field")?;
            reader.expect(":")?;
            let fields = fields::list(reader, errors, fields::field)?;
            added_mass.push(AddedMass { word, fields });
            return Ok(None);
        }
        let field = fields::field(reader)?;
        let about = reader.take_word("about").then(|| reader.name("`origin`")).transpose()?;
        Ok(Some(BodyField { field, about }))
    })?;
    Ok(Body { name, fields: fields.into_iter().flatten().collect(), added_mass })
}
