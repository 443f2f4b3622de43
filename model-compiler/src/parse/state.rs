//! First-order states: `state name unit: rate;`.

use proc_macro2::Ident;
use syn::Result;

use super::reader::Reader;
use super::unit::{self, UnitExpression};
use super::value::{self, Value};

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
    let name = reader.indexed_name("the name of a state")?;
    let unit = if reader.sees(":") { None } else { Some(unit::required(reader)?) };
    reader.expect(":")?;
    let rate = value::value(reader)?;
    value::end(reader)?;
    Ok(State { name, unit, rate })
}
