//! Joints: `joint name: kind(end, end) { options }`, and the ends that joints and forces share.

use proc_macro2::{Delimiter, Ident};
use syn::Result;

use super::expression::Value;
use super::fields;
use super::reader::Reader;
use super::value;
use crate::diagnostics::Errors;

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name.
    pub name: Ident,
    /// The word for its kind.
    pub kind: Ident,
    /// What it connects.
    pub ends: Vec<End>,
    /// Options in the braces.
    pub options: Vec<JointOption>,
}

/// `marker name: end;`
#[derive(Clone, Debug)]
pub struct Marker {
    /// Its name.
    pub name: Ident,
    /// The frame it stands for.
    pub end: End,
}

/// Where a joint or a force is attached: `body at position rotated rotation axis direction`.
#[derive(Clone, Debug)]
pub struct End {
    /// A body, the ground, a marker, or for forces a joint or a coordinate.
    pub name: Ident,
    /// A coordinate of that joint: `joint.coordinate`.
    pub coordinate: Option<Ident>,
    /// Origin in the body's frame.
    pub position: Option<Value>,
    /// Axes in the body's frame.
    pub rotation: Option<Value>,
    /// Direction of the z axis in the body's frame.
    pub axis: Option<Value>,
}

/// An option of a joint: a word, or a word with a value.
#[derive(Clone, Debug)]
pub struct JointOption {
    /// The word.
    pub name: Ident,
    /// Its value.
    pub value: Option<Value>,
    /// The end of a range, `value..end`.
    pub end: Option<Value>,
}

pub(super) fn joint(reader: &mut Reader, errors: &Errors) -> Result<Joint> {
    let name = value::indexed_name(reader, "the name of a joint")?;
    reader.colon_after(&name)?;
    let kind = reader.name("a kind of joint")?;
    let ends = ends(reader)?;
    let options = if reader.sees_group(Delimiter::Brace) {
        fields::list(reader, errors, option)?
    } else {
        reader.expect(";")?;
        Vec::new()
    };
    Ok(Joint { name, kind, ends, options })
}

pub(super) fn marker(reader: &mut Reader) -> Result<Marker> {
    let name = value::indexed_name(reader, "the name of a marker")?;
    reader.colon_after(&name)?;
    let end = end(reader)?;
    if !reader.take(";") {
        return Err(reader.expected("`at`, `rotated`, `axis` or `;`"));
    }
    Ok(Marker { name, end })
}

fn option(reader: &mut Reader) -> Result<JointOption> {
    let name = reader.name("an option of the joint")?;
    let value = reader.take(":").then(|| value::value(reader)).transpose()?;
    let end = (value.is_some() && reader.take("..")).then(|| value::value(reader)).transpose()?;
    Ok(JointOption { name, value, end })
}

/// Reads `(end, end)`.
pub(super) fn ends(reader: &mut Reader) -> Result<Vec<End>> {
    let mut inside = reader.group(Delimiter::Parenthesis)?;
    let mut ends = Vec::new();
    while !inside.is_empty() {
        ends.push(end(&mut inside)?);
        if !inside.take(",") {
            inside.finish("`at`, `rotated`, `axis`, `,` or `)`")?;
        }
    }
    Ok(ends)
}

/// Reads one end.
pub(super) fn end(reader: &mut Reader) -> Result<End> {
    let name = value::indexed_name(reader, "`ground` or the name of a body")?;
    let coordinate = reader.take(".").then(|| reader.name("a coordinate")).transpose()?;
    let mut end = End { name, coordinate, position: None, rotation: None, axis: None };
    placement(reader, &mut end)?;
    Ok(end)
}

/// Reads `at position`, `rotated rotation` and `axis direction`.
pub(super) fn placement(reader: &mut Reader, end: &mut End) -> Result<()> {
    loop {
        let again = *reader;
        let slot = if reader.take_word("at") {
            &mut end.position
        } else if reader.take_word("rotated") {
            &mut end.rotation
        } else if reader.take_word("axis") {
            &mut end.axis
        } else {
            return Ok(());
        };
        if slot.is_some() {
            return Err(again.expected("`,` or `)`"));
        }
        *slot = Some(value::value(reader)?);
    }
}
