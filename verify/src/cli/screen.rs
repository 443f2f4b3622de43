//! Standard output: text and aligned tables.

use std::io::{self, BufWriter, Stdout, Write};

/// Buffered standard output.
pub(super) struct Screen {
    out: BufWriter<Stdout>,
}

impl Screen {
    pub(super) fn new() -> Self {
        Self { out: BufWriter::new(io::stdout()) }
    }

    /// One line of text.
    pub(super) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Rows in aligned columns, indented by two spaces.
    pub(super) fn table(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| length(cell)).max();
        for row in rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let padding = if column + 1 < row.len() { width(column).unwrap_or(0) - length(cell) + 2 } else { 0 };
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', padding));
            }
            writeln!(self.out, "  {}", line.trim_end())?;
        }
        Ok(())
    }

    /// Sends everything out.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn length(cell: &str) -> usize {
    cell.chars().count()
}
