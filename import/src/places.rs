//! Lines and columns of bytes: found in a table, because counting from the beginning takes as long as the text for each.

use crate::error::Place;

/// Bytes between two counts of characters.
const STRIDE: usize = 256;

/// The places of a text.
pub(crate) struct Places<'a> {
    text: &'a str,
    /// Where lines begin.
    lines: Vec<usize>,
    /// How many characters begin before every [`STRIDE`]th byte.
    characters: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect();
        let mut characters = vec![0];
        for chunk in text.as_bytes().chunks(STRIDE) {
            characters.push(characters[characters.len() - 1] + beginnings(chunk));
        }
        Self { text, lines, characters }
    }

    /// The place of a byte.
    pub(crate) fn of(&self, byte: usize) -> Place {
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
