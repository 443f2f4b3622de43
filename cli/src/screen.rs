//! Standard output, or a file in its place: text and aligned tables.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::PathBuf;

use hamel_compiler::file;

use crate::failure::Failure;

/// The destination of the text.
#[derive(clap::Args)]
pub(crate) struct Destination {
    /// Write to this file instead of standard output; it is written completely or not at all.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "out")]
    force: bool,
}

/// Buffered standard output, or the text of a file.
pub(crate) struct Screen {
    out: BufWriter<Stdout>,
    file: Option<(PathBuf, String)>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        Self { out: BufWriter::new(io::stdout()), file: None }
    }

    /// Directs the text to a file, if one is given.
    pub(crate) fn direct(&mut self, destination: &Destination) -> Result<(), Failure> {
        let Some(path) = &destination.out else { return Ok(()) };
        if path.symlink_metadata().is_ok() && !destination.force {
            let path = path.display();
            return Err(Failure::Usage(format!(
                "`{path}` exists\nhelp: choose another file, or replace it with --force"
            )));
        }
        self.file = Some((path.clone(), String::new()));
        Ok(())
    }

    /// One line of text.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        match &mut self.file {
            Some((_, content)) => {
                content.push_str(text.as_ref());
                content.push('\n');
                Ok(())
            }
            None => writeln!(self.out, "{}", text.as_ref()),
        }
    }

    /// Rows in aligned columns, indented by two spaces.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| length(cell)).max();
        for row in rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let padding = if column + 1 < row.len() { width(column).unwrap_or(0) - length(cell) + 2 } else { 0 };
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', padding));
            }
            self.line(format!("  {}", line.trim_end()))?;
        }
        Ok(())
    }

    /// Writes everything.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if let Some((path, content)) = self.file.take() {
            file::write(path, |file| file.write_all(content.as_bytes()))?;
        }
        Ok(self.out.flush()?)
    }
}

fn length(cell: &str) -> usize {
    cell.chars().count()
}
