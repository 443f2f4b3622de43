//! Lists of named values in braces: `{ mass: m, inertia: i }`.

use proc_macro2::{Delimiter, Ident};
use syn::Result;

use super::expression::Value;
use super::reader::Reader;
use super::value;
use crate::diagnostics::{self, Errors};

/// A named value.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: Value,
}

/// Reads a list in braces, each entry by `entry`; goes on after a `,` where an entry is wrong.
pub(super) fn list<T>(
    reader: &mut Reader,
    errors: &Errors,
    mut entry: impl FnMut(&mut Reader) -> Result<T>,
) -> Result<Vec<T>> {
    let mut inside = reader.group(Delimiter::Brace)?;
    let mut entries = Vec::new();
    while !inside.is_empty() {
        let separated = entry(&mut inside).and_then(|entry| {
            entries.push(entry);
            if inside.take(",") { Ok(()) } else { inside.finish("`,` or `}`") }
        });
        if errors.keep(separated).is_none() {
            inside.skip_past_comma();
        }
    }
    Ok(entries)
}

/// Reads `name: value`.
pub(super) fn field(reader: &mut Reader) -> Result<Field> {
    let name = match reader.literal() {
        // After the comma of `3,5 kg`.
        Some(literal) => return Err(diagnostics::decimal_comma(&literal)),
        None => reader.name("the name of a field")?,
    };
    reader.expect(":")?;
    Ok(Field { name, value: value::value(reader)? })
}
