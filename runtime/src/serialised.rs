//! How states, tables and settings are written and read by serde, behind the feature `serde`.
//!
//! Vectors are plain sequences. Formats for people, such as JSON, have no numbers that are not finite and write `null`:
//! in a table it is read as not a number, as a bound it is none. A state has no such number, and `null` is an error there.
//!
//! What is read may be of another model or make no sense. A run checks its start, its parameters and its settings in the
//! same way wherever they come from; only what nobody looks at later, the shape of a table, is checked here.

use core::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use crate::prelude::*;
use crate::trajectory::{Column, Trajectory};

/// Vectors as sequences of numbers.
pub(crate) mod vector {
    use nalgebra::DVector;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::prelude::*;

    pub(crate) fn serialize<S: Serializer>(vector: &DVector<f64>, to: S) -> Result<S::Ok, S::Error> {
        vector.as_slice().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DVector<f64>, D::Error> {
        Vec::deserialize(from).map(DVector::from_vec)
    }
}

/// A bound which `null` says that there is none.
pub(crate) fn unbounded<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Number::deserialize(from)?.0.unwrap_or(f64::INFINITY))
}

/// A table as it was written.
#[derive(Deserialize)]
#[serde(rename = "Trajectory")]
pub(crate) struct Table {
    columns: Vec<Column>,
    values: Vec<Number>,
}

impl TryFrom<Table> for Trajectory {
    type Error = String;

    fn try_from(Table { columns, values }: Table) -> Result<Self, String> {
        if columns.is_empty() {
            return Err("expected at least one column".to_owned());
        }
        if !values.len().is_multiple_of(columns.len()) {
            return Err(format!("expected rows of {} values, not {} values in all", columns.len(), values.len()));
        }
        let values = values.into_iter().map(|Number(value)| value.unwrap_or(f64::NAN)).collect();
        Ok(Self::from_parts(columns, values))
    }
}

/// A number, or `null` where the format has it.
struct Number(Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // Other formats do not say what follows, and have all numbers.
        if from.is_human_readable() { from.deserialize_any(NumberOrNull) } else { from.deserialize_f64(NumberOrNull) }
    }
}

struct NumberOrNull;

impl Visitor<'_> for NumberOrNull {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or null")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number(Some(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number(Some(value as f64)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number(Some(value as f64)))
    }

    fn visit_unit<E: Error>(self) -> Result<Number, E> {
        Ok(Number(None))
    }
}
