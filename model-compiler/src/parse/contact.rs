//! Contacts: `contact name { gap: …, slip: …, … }`, or `contact name: kind(end, end) { … }`.

use proc_macro2::{Delimiter, Ident};
use syn::Result;

use super::fields::{self, Field};
use super::joint::{self, End};
use super::reader::Reader;
use super::value;
use crate::diagnostics::{self, Errors};

/// A contact.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Its name.
    pub name: Ident,
    /// The kind that gives its gap and slip, where they are not written.
    pub kind: Option<ContactKind>,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A kind of contact and what it is between.
#[derive(Clone, Debug)]
pub struct ContactKind {
    /// The word for the kind.
    pub word: Ident,
    /// What touches.
    pub ends: Vec<End>,
}

pub(super) fn contact(reader: &mut Reader, errors: &Errors) -> Result<Contact> {
    let name = value::indexed_name(reader, "the name of a contact")?;
    let colon = reader.span();
    let kind = match reader.take(":") {
        // Its fields can be read all the same.
        true if reader.sees_group(Delimiter::Brace) => {
            errors.push(diagnostics::colon_without_kind(colon, &name));
            None
        }
        true => Some(kind(reader)?),
        false => None,
    };
    let fields = fields::list(reader, errors, fields::field)?;
    Ok(Contact { name, kind, fields })
}

fn kind(reader: &mut Reader) -> Result<ContactKind> {
    let word = reader.name("a kind of contact")?;
    Ok(ContactKind { word, ends: joint::ends(reader)? })
}
