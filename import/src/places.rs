//! Lines and columns of bytes: found in a table, because counting from the beginning takes as long as the text for each.

use std::ops::Range;

use crate::error::Place;

/// Bytes between two counts of characters.
const STRIDE: usize = 256;

/// A part of a text that another file has, and what stands for it in the first one.
#[derive(Clone, Debug)]
pub(crate) struct Inserted {
    /// Its bytes in the whole text.
    pub(crate) part: Range<usize>,
    /// Bytes of the first file.
    pub(crate) stands_for: Range<usize>,
    /// The other file, as it is named; `None` where the first one is expanded.
    pub(crate) file: Option<String>,
}

/// A description with what it includes, or expanded.
pub(crate) struct Whole {
    pub(crate) text: String,
    /// Which parts of it stand for what.
    pub(crate) inserted: Vec<Inserted>,
}

/// The places of a text.
pub(crate) struct Places<'a> {
    text: &'a str,
    /// What others insert into the text, in its order.
    inserted: &'a [Inserted],
    /// Where lines begin.
    lines: Vec<usize>,
    /// How many characters begin before every [`STRIDE`]th byte.
    characters: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self::with(text, &[])
    }

    /// The places of a text that is part of another one, with what is inserted into that.
    pub(crate) fn with(text: &'a str, inserted: &'a [Inserted]) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect();
        let mut characters = vec![0];
        for chunk in text.as_bytes().chunks(STRIDE) {
            characters.push(characters[characters.len() - 1] + beginnings(chunk));
        }
        Self { text, inserted, lines, characters }
    }

    /// The other file that has a byte of the whole text.
    pub(crate) fn file(&self, byte: usize) -> Option<&str> {
        self.before_or_in(byte)
            .filter(|inserted| byte < inserted.part.end)
            .and_then(|inserted| inserted.file.as_deref())
    }

    /// What is inserted before a byte, or has it.
    fn before_or_in(&self, byte: usize) -> Option<&Inserted> {
        let next = self.inserted.partition_point(|inserted| inserted.part.start <= byte);
        self.inserted[..next].last()
    }

    /// The place of a byte of the whole text; of one that another file has, where that is inserted.
    pub(crate) fn of(&self, byte: usize) -> Place {
        let byte = match self.before_or_in(byte) {
            None => byte,
            Some(Inserted { part, stands_for, .. }) if byte < part.end => stands_for.start,
            Some(Inserted { part, stands_for, .. }) => stands_for.end + (byte - part.end),
        };
        let line = self.lines.partition_point(|&begin| begin <= byte);
        let column = self.before(byte) - self.before(self.lines[line - 1]) + 1;
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Place { line: number(line), column: number(column) }
    }

    /// How many characters begin before a byte.
    fn before(&self, byte: usize) -> usize {
        let stride = byte / STRIDE;
        self.characters[stride] + beginnings(&self.text.as_bytes()[stride * STRIDE..byte])
    }
}

/// How many characters begin in these bytes of UTF-8.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let text = format!("日本\n{}x\n\ny", "ä".repeat(1000));
        let places = Places::new(&text);
        let mut expected = (1, 1);
        for (byte, letter) in text.char_indices() {
            let place = places.of(byte);
            assert_eq!((place.line, place.column), expected, "{byte}");
            expected = if letter == '\n' { (expected.0 + 1, 1) } else { (expected.0, expected.1 + 1) };
        }
        assert_eq!(Places::new("").of(0), Place { line: 1, column: 1 });
    }
}
