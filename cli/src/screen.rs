//! Standard output, or a file in its place: text and aligned tables.

use std::fs::File;
use std::io::{self, BufWriter, Read, Stdout, Write};
use std::path::{Path, PathBuf};

use hamel_compiler::file;

use crate::failure::Failure;

/// The destination of the text.
#[derive(clap::Args)]
pub(crate) struct Destination {
    /// Write to this file instead of standard output; it is written completely or not at all.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "out")]
    force: bool,
}

/// Refuses to replace a file, unless that is asked for, or what it begins with says that it is of this kind and made by
/// this program.
pub(crate) fn new_or_forced(path: &Path, is_forced: bool, is_ours: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
    let begins_as_ours = || {
        let mut begin = Vec::new();
        let file = File::open(path).map(|file| file.take(BEGIN).read_to_end(&mut begin));
        file.is_ok() && is_ours(&begin)
    };
    if path.symlink_metadata().is_err() || is_forced || begins_as_ours() {
        return Ok(());
    }
    Err(Failure::Usage(format!("`{}` exists\nhelp: choose another file, or replace it with --force", path.display())))
}

/// How many bytes of a file are read to tell of which kind it is.
const BEGIN: u64 = 1000;

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
        new_or_forced(path, destination.force, |_| false)?;
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

    /// Shows what was said so far, before what takes long.
    pub(crate) fn show(&mut self) -> io::Result<()> {
        self.out.flush()
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
