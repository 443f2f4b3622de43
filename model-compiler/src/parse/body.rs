//! Bodies: `body name { mass: …, inertia: … about origin, center_of_mass: …, added_mass: { … }, shape: … at …, color: … }`.

use proc_macro2::{Delimiter, Ident, TokenTree};
use syn::{LitStr, Result};

use super::expression::Value;
use super::fields::{self, Field};
use super::joint::{self, End};
use super::reader::Reader;
use super::value;
use crate::diagnostics::{self, Errors, Place};

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: Ident,
    /// Its fields, as written.
    pub fields: Vec<BodyField>,
    /// Its fields in braces of their own: `added_mass`, of which it should have at most one.
    pub added_mass: Vec<AddedMass>,
    /// What it is drawn as.
    pub shapes: Vec<BodyShape>,
}

/// `shape: kind(dimensions) at position rotated rotation axis direction`; the dimensions of a mesh begin with its file.
#[derive(Clone, Debug)]
pub struct BodyShape {
    /// The word for the solid.
    pub kind: Ident,
    /// The file of a mesh, before its scale.
    pub file: Option<LitStr>,
    /// Its dimensions.
    pub dimensions: Vec<Value>,
    /// All of it up to the dimensions.
    pub place: Place,
    /// Where it stands on the body.
    pub at: End,
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
    let (mut added_mass, mut shapes) = (Vec::new(), Vec::new());
    let fields = fields::list(reader, errors, |reader| {
        let mut ahead = *reader;
        if ahead.take_word("shape") && ahead.sees(":") {
            shapes.push(shape(reader, &name)?);
            return Ok(None);
        }
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
    Ok(Body { name, fields: fields.into_iter().flatten().collect(), added_mass, shapes })
}

/// Reads the shape of a body.
fn shape(reader: &mut Reader, body: &Ident) -> Result<BodyShape> {
    reader.take_any_word();
    reader.expect(":")?;
    let first = reader.span();
    // `box` is a keyword of Rust.
    let Some(kind) = reader.take_any_word() else { return Err(reader.expected("a shape, such as `cylinder(r, l)`")) };
    let mut inside = reader.group(Delimiter::Parenthesis)?;
    let file = inside.literal().and_then(|literal| syn::parse2(TokenTree::from(literal).into()).ok());
    if file.is_some() {
        inside.take_literal();
        value::separator(&mut inside, "`)`")?;
    }
    let dimensions = value::list(&mut inside, "`)`")?;
    let place = reader.since(first);
    let mut at = End { name: body.clone(), coordinate: None, position: None, rotation: None, axis: None };
    joint::placement(reader, &mut at)?;
    Ok(BodyShape { kind, file, dimensions, place, at })
}
