//! Trajectories as Parquet files, behind the feature `parquet`.
//!
//! Numbers are written as they are: without compression, which would need further crates, and without dictionaries,
//! which gain nothing where hardly a number occurs twice.

use alloc::sync::Arc;
use std::io::{self, Write};

use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use crate::prelude::*;
use crate::trajectory::Trajectory;

/// Rows of a group: a group is read and written as a whole, column by column.
const ROWS: usize = 1 << 16;

impl Trajectory {
    /// Writes the table as a Parquet file with the columns of [`write_csv`](Self::write_csv), `name [unit]`, all of them
    /// doubles. The unit of a column is in the file's metadata too, under the key `unit:name`.
    ///
    /// ```no_run
    /// # fn write(run: hamel::Run) -> std::io::Result<()> {
    /// run.trajectory.write_parquet(std::fs::File::create("swing.parquet")?)
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_parquet(&self, out: impl Write + Send) -> io::Result<()> {
        Ok(self.write_groups(out)?)
    }

    fn write_groups(&self, out: impl Write + Send) -> Result<(), ParquetError> {
        let units = self.columns().iter();
        let units = units.map(|column| KeyValue::new(format!("unit:{}", column.name), column.unit.clone())).collect();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(units));
        let mut file = SerializedFileWriter::new(out, self.schema()?, Arc::new(properties.build()))?;
        let mut values = Vec::new();
        for first in (0..self.len()).step_by(ROWS) {
            let mut group = file.next_row_group()?;
            let mut place = 0;
            while let Some(mut column) = group.next_column()? {
                values.clear();
                values.extend(self.rows().skip(first).take(ROWS).map(|row| row[place]));
                column.typed::<DoubleType>().write_batch(&values, None, None)?;
                column.close()?;
                place += 1;
            }
            group.close()?;
        }
        file.close()?;
        Ok(())
    }

    fn schema(&self) -> Result<TypePtr, ParquetError> {
        let column = |name: &str| {
            let column = Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED);
            column.build().map(Arc::new)
        };
        let columns = self.titles().map(|title| column(&title)).collect::<Result<_, _>>()?;
        Type::group_type_builder("trajectory").with_fields(columns).build().map(Arc::new)
    }
}
