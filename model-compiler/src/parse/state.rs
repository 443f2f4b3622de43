//! First-order states: `state name unit: rate;`.

use proc_macro2::Ident;
use syn::Result;

use super::expression::{UnitExpression, Value};
use super::reader::Reader;
use super::unit;
use super::value;
use crate::diagnostics::{self, Place};

/// A quantity with an equation for its rate of change.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Ident,
    /// Its unit; none is written for a number.
    pub unit: Option<UnitExpression>,
    /// Its rate of change.
    pub rate: Value,
}

pub(super) fn state(reader: &mut Reader) -> Result<State> {
    let name = value::indexed_name(reader, "the name of a state")?;
    let is_complete = !reader.is_empty() && !reader.sees(";");
    let unit = if reader.sees(":") || !is_complete { None } else { Some(unit::required(reader)?) };
    if !reader.take(":") {
        return Err(diagnostics::state_without_rate(Place::at(reader.span()), &name));
    }
    let rate = value::value(reader)?;
    value::end(reader)?;
    Ok(State { name, unit, rate })
}
