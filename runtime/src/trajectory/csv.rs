//! Tables as comma-separated values, written and read back.

#[cfg(feature = "std")]
use std::io::{self, Write};

use crate::prelude::*;

use thiserror::Error;

use super::{Column, Trajectory};

/// A text that is no table of a motion.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct CsvError {
    /// The line, counted from 1.
    pub line: usize,
    /// What was expected and found.
    pub what: String,
}

impl Trajectory {
    /// Name and unit of each column, as they stand in files.
    #[cfg(feature = "std")]
    pub(crate) fn titles(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|column| format!("{} [{}]", column.name, column.unit))
    }

    /// Writes the table as comma-separated values, with names and units in the first line; numbers are read back
    /// exactly.
    ///
    /// # Errors
    /// If the writer fails.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = Oscillator::default();
    /// let mut table = hamel::Trajectory::new(&model);
    /// table.record(&model, &hamel::initial_state(&model)?);
    /// let mut file = Vec::new();
    /// table.write_csv(&mut file)?;
    /// let text = String::from_utf8(file)?;
    /// assert!(text.starts_with("t [s],rail.displacement [m],velocity(rail.displacement) [m/s],"));
    /// assert_eq!(text.lines().count(), 2);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "std")]
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        let header: Vec<String> = self.titles().map(|title| quoted(&title)).collect();
        writeln!(out, "{}", header.join(","))?;
        for row in self.rows() {
            for (index, value) in row.iter().enumerate() {
                if index > 0 {
                    write!(out, ",")?;
                }
                write!(out, "{value:e}")?;
            }
            writeln!(out)?;
        }
        out.flush()
    }

    /// Reads what [`write_csv`](Trajectory::write_csv) has written.
    ///
    /// # Errors
    /// For a text that is no such table, with the line.
    ///
    /// # Examples
    /// ```
    /// use hamel::Trajectory;
    ///
    /// let table = Trajectory::read_csv("t [s],hinge.angle [rad]\n0e0,1e-1\n5e-1,2e-1\n")?;
    /// assert_eq!(table.column("hinge.angle").map(Iterator::collect), Ok(vec![0.1, 0.2]));
    /// assert_eq!(table.columns()[1].unit, "rad");
    /// assert!(Trajectory::read_csv("t [s],hinge.angle [rad]\n0e0\n").is_err());
    /// # Ok::<(), hamel::trajectory::CsvError>(())
    /// ```
    pub fn read_csv(text: &str) -> Result<Trajectory, CsvError> {
        // Spreadsheets begin files with a mark of their encoding.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (titles, rest) = header(text);
        let line = 1 + text[..text.len() - rest.len()].matches('\n').count();
        let columns = titles.iter().map(|title| {
            // As they were written: names may have blanks and brackets.
            let parts = title.strip_suffix(']').and_then(|title| title.rsplit_once(" ["));
            let what = || format!("expected names with units, such as `t [s]`, found `{title}`");
            let (name, unit) = parts.ok_or_else(|| CsvError { line: 1, what: what() })?;
            Ok(Column { name: name.to_owned(), unit: unit.to_owned() })
        });
        let columns: Vec<Column> = columns.collect::<Result<_, _>>()?;
        let mut values = Vec::new();
        for (index, row) in rest.lines().enumerate() {
            let wrong = |what: String| CsvError { line: line + index, what };
            let first = values.len();
            for field in row.split(',') {
                let value = field.trim().parse::<f64>();
                values.push(value.map_err(|_| wrong(format!("expected a number, found `{field}`")))?);
            }
            let found = values.len() - first;
            if found != columns.len() {
                return Err(wrong(format!("expected {} numbers, found {found}", columns.len())));
            }
        }
        Ok(Trajectory { columns, values })
    }
}

/// The fields of the first line, which may contain ends of lines within quotes, and what follows.
fn header(text: &str) -> (Vec<String>, &str) {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let mut is_quoted = false;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek().is_some_and(|&(_, next)| next == '"') => {
                field.push('"');
                letters.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(core::mem::take(&mut field)),
            '\n' if !is_quoted => {
                let rest = &text[at + 1..];
                fields.push(field.trim_end_matches('\r').to_owned());
                return (fields, rest);
            }
            letter => field.push(letter),
        }
    }
    fields.push(field);
    (fields, "")
}

/// A field of a CSV line, in quotes if necessary.
#[cfg(feature = "std")]
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Models written by hand may have any names of columns; each must be read back as one field.
    #[test]
    fn any_name_is_one_field_of_csv() {
        let letters = (0..0x3000).filter_map(char::from_u32);
        let alone = letters.map(|letter| letter.to_string());
        let mixed = ["a,b\"c\nd\re", "\"", "\"\"", ",", "\r\n", " x ", "\u{202e}x", "\u{feff}x"].map(str::to_owned);
        let names: Vec<String> = std::iter::once("t".to_owned()).chain(alone).chain(mixed).collect();
        let columns: Vec<Column> =
            names.iter().map(|name| Column { name: name.clone(), unit: "1".to_owned() }).collect();
        let values: Vec<f64> = (0..names.len()).map(|i| i as f64).collect();
        let mut written = Vec::new();
        Trajectory { columns: columns.clone(), values: values.clone() }.write_csv(&mut written).unwrap();
        let text = String::from_utf8(written.clone()).unwrap();
        assert_eq!(Trajectory::read_csv(&text).unwrap().columns, columns);
        let mut reader = ::csv::Reader::from_reader(written.as_slice());
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(header, names.iter().map(|name| format!("{name} [1]")).collect::<Vec<_>>());
        let rows: Vec<Vec<f64>> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows, [values]);
    }
}
