//! Results of a sweep: a table with a row for each case, as Parquet or as comma-separated values.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::Field;
use parquet::schema::types::{Type, TypePtr};
use serde::{Deserialize, Serialize};

use crate::error::SweepError;

/// Rows that are written together, column by column.
const ROWS: usize = 1 << 16;
/// The key of the description in a file.
const DESCRIPTION: &str = "hamel_sweep";

/// Name and SI unit of a column, `1` if it has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: String,
}

/// How a case ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The outputs, in their units; none if the run has failed.
    pub outputs: Vec<f64>,
    /// Why the run has failed.
    pub failure: Option<String>,
    /// Warnings about the results.
    pub cautions: Vec<String>,
}

impl Outcome {
    pub(crate) fn failed(reason: impl Into<String>) -> Outcome {
        Outcome { failure: Some(reason.into()), ..Outcome::default() }
    }

    /// Whether all outputs are finite numbers.
    pub fn is_finite(&self) -> bool {
        self.failure.is_none() && self.outputs.iter().all(|value| value.is_finite())
    }
}

/// A row: number of the case, values of its variables, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of the case, from zero.
    pub case: u64,
    /// Values of the variables, in their units.
    pub variables: Vec<f64>,
    /// Outputs or failure.
    pub outcome: Outcome,
}

/// The results of a sweep or of a part of it, in ascending order of the cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What was computed, as JSON.
    pub description: String,
    /// Variables.
    pub variables: Vec<Column>,
    /// Outputs.
    pub outputs: Vec<Column>,
    /// Rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// Whether a table of this name is written as Parquet.
    pub fn is_parquet(path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
    }

    /// Writes the table to a file, whole or not at all: as Parquet where its name ends in `.parquet`, otherwise as
    /// comma-separated values. Numbers are read back exactly.
    ///
    /// The columns are `case`, variables and outputs as `name [unit]`, `failure` and `cautions`. Outputs of failed cases
    /// are null, or empty; a failure is null, or empty, where there is none.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), SweepError> {
        SweepError::write_whole(path, |file| match Table::is_parquet(path) {
            true => Ok(self.write_parquet(file)?),
            false => self.write_csv(io::BufWriter::new(file)),
        })
    }

    fn titles(&self) -> impl Iterator<Item = String> + '_ {
        let title = |column: &Column| format!("{} [{}]", column.name, column.unit);
        let columns = self.variables.iter().chain(&self.outputs).map(title);
        ["case".to_owned()].into_iter().chain(columns).chain(["failure".to_owned(), "cautions".to_owned()])
    }

    fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(self.titles())?;
        for row in &self.rows {
            let outputs = match row.outcome.failure {
                None => row.outcome.outputs.iter().map(|value| format!("{value:?}")).collect(),
                Some(_) => vec![String::new(); self.outputs.len()],
            };
            out.write_field(row.case.to_string())?;
            row.variables.iter().try_for_each(|value| out.write_field(format!("{value:?}")))?;
            outputs.iter().try_for_each(|value| out.write_field(value))?;
            out.write_field(row.outcome.failure.as_deref().unwrap_or_default())?;
            out.write_field(row.outcome.cautions.join("\n"))?;
            out.write_record(None::<&[u8]>)?;
        }
        out.flush()
    }

    fn write_parquet(&self, out: impl Write + Send) -> Result<(), ParquetError> {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(vec![KeyValue::new(DESCRIPTION.to_owned(), self.description.clone())]));
        let mut file = SerializedFileWriter::new(out, self.schema()?, Arc::new(properties.build()))?;
        for rows in self.rows.chunks(ROWS) {
            let mut group = file.next_row_group()?;
            let cases: Vec<i64> = rows.iter().map(|row| row.case as i64).collect();
            write_column::<Int64Type>(&mut group, &cases, None)?;
            for place in 0..self.variables.len() {
                let values: Vec<f64> = rows.iter().map(|row| row.variables[place]).collect();
                write_column::<DoubleType>(&mut group, &values, None)?;
            }
            for place in 0..self.outputs.len() {
                // A column with gaps: its values, and where there is one.
                let output = |row: &Row| row.outcome.outputs.get(place).copied();
                let values: Vec<f64> = rows.iter().filter_map(output).collect();
                let levels: Vec<i16> = rows.iter().map(|row| i16::from(output(row).is_some())).collect();
                write_column::<DoubleType>(&mut group, &values, Some(&levels))?;
            }
            let joined = |row: &Row| (!row.outcome.cautions.is_empty()).then(|| row.outcome.cautions.join("\n"));
            for text in [&|row: &Row| row.outcome.failure.clone(), &joined as &dyn Fn(&Row) -> Option<String>] {
                let texts: Vec<Option<String>> = rows.iter().map(text).collect();
                let levels: Vec<i16> = texts.iter().map(|text| i16::from(text.is_some())).collect();
                let values: Vec<ByteArray> =
                    texts.into_iter().flatten().map(|text| ByteArray::from(text.into_bytes())).collect();
                write_column::<ByteArrayType>(&mut group, &values, Some(&levels))?;
            }
            group.close()?;
        }
        file.close()?;
        Ok(())
    }

    fn schema(&self) -> Result<TypePtr, ParquetError> {
        let (case, failure) = (0, self.variables.len() + self.outputs.len() + 1);
        let column = |(place, title): (usize, String)| {
            let has_gaps = place > self.variables.len();
            let repetition = if has_gaps { Repetition::OPTIONAL } else { Repetition::REQUIRED };
            let builder = match place {
                place if place == case => Type::primitive_type_builder(&title, Physical::INT64),
                place if place >= failure => Type::primitive_type_builder(&title, Physical::BYTE_ARRAY)
                    .with_logical_type(Some(LogicalType::String)),
                _ => Type::primitive_type_builder(&title, Physical::DOUBLE),
            };
            builder.with_repetition(repetition).build().map(Arc::new)
        };
        let columns = self.titles().enumerate().map(column).collect::<Result<_, _>>()?;
        Type::group_type_builder("sweep").with_fields(columns).build().map(Arc::new)
    }

    /// The complete table of the sweep with this description, if this file has it; `None` if there is no file.
    ///
    /// # Errors
    /// When the file has anything else. Only Parquet files say which sweep they are of.
    pub fn of_sweep(path: &Path, description: &str) -> Result<Option<Table>, SweepError> {
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        match Table::read(path).ok().filter(|table| table.description == description) {
            Some(table) => Ok(Some(table)),
            None => Err(SweepError::Exists {
                path: path.to_owned(),
                reason: match Table::is_parquet(path) {
                    true => "holds something else",
                    false => "does not say which sweep it holds; Parquet files do",
                },
            }),
        }
    }

    /// Reads a table that [`Table::write`] has written as Parquet.
    ///
    /// # Errors
    /// When the file cannot be read or is no such table.
    pub fn read(path: &Path) -> Result<Table, SweepError> {
        let file = File::open(path).map_err(SweepError::reading(path))?;
        let wrong = |reason: &dyn std::fmt::Display| {
            SweepError::new(format!("`{}` is no table of a sweep as Parquet: {reason}", path.display()))
        };
        let reader = SerializedFileReader::new(file).map_err(|error| wrong(&error))?;
        let metadata = reader.metadata().file_metadata();
        let pairs = metadata.key_value_metadata().into_iter().flatten();
        let description = pairs.into_iter().find(|pair| pair.key == DESCRIPTION).and_then(|pair| pair.value.clone());
        let description = description.ok_or_else(|| wrong(&"it has no description"))?;
        let fields = metadata.schema().get_fields();
        let (mut variables, mut outputs) = (Vec::new(), Vec::new());
        for field in fields {
            // As they were written: names may have blanks and brackets.
            let Some((name, unit)) = field.name().strip_suffix(']').and_then(|title| title.rsplit_once(" [")) else {
                continue;
            };
            let column = Column { name: name.to_owned(), unit: unit.to_owned() };
            if field.is_optional() { outputs.push(column) } else { variables.push(column) }
        }
        if fields.len() != 3 + variables.len() + outputs.len() {
            return Err(wrong(&"its columns are others"));
        }
        let mut rows = Vec::new();
        for record in reader.get_row_iter(None).map_err(|error| wrong(&error))? {
            let record = record.map_err(|error| wrong(&error))?;
            let mut row = Row { case: 0, variables: Vec::new(), outcome: Outcome::default() };
            for (place, (_, field)) in record.get_column_iter().enumerate() {
                let is_failure = place == fields.len() - 2;
                match field {
                    Field::Long(case) if place == 0 => row.case = *case as u64,
                    Field::Double(value) if place <= variables.len() => row.variables.push(*value),
                    Field::Double(value) => row.outcome.outputs.push(*value),
                    Field::Str(text) if is_failure => row.outcome.failure = Some(text.clone()),
                    Field::Str(text) => row.outcome.cautions = text.lines().map(str::to_owned).collect(),
                    Field::Null => {}
                    other => return Err(wrong(&format!("`{other}` is in column {place}"))),
                }
            }
            rows.push(row);
        }
        Ok(Table { description, variables, outputs, rows })
    }
}

fn write_column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}
