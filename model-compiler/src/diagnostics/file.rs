//! Messages of files that are not made of tokens.

use std::fmt::Display;

use super::Family;

/// What the lexer, or the parser of Rust around models, says of a text.
pub(crate) fn no_text(message: impl Display) -> String {
    Family::Syntax.coded(message)
}

/// A character at which no token begins.
pub(crate) fn unexpected_character(wrong: char) -> String {
    let meant = match wrong {
        '°' => "deg",
        '·' | '×' | '⋅' => "*",
        '−' | '–' => "-",
        '÷' => "/",
        '²' => "^2",
        '³' => "^3",
        '√' => "sqrt(…)",
        '…' => "..",
        _ => return no_text(format!("unexpected `{wrong}`")),
    };
    no_text(format!("unexpected `{wrong}`\nhelp: write `{meant}`"))
}

/// A delimiter of a file without its partner.
pub(crate) fn delimiter_not_closed(opening: char) -> String {
    let closing = match opening {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    Family::Delimiter.coded(format!("`{opening}` is never closed\nhelp: add `{closing}`"))
}

/// A delimiter of a file within too many others.
pub(crate) fn delimiters_too_deep(most: usize) -> String {
    Family::Limit.coded(format!("expected at most {most} delimiters within each other"))
}

/// A file that is too long.
pub(crate) fn too_many_bytes(most: usize) -> String {
    let message = format!("expected at most {most} bytes in a file");
    Family::Limit.coded(format!("{message}\nhelp: write what is repeated with `for` and `[value; n]`"))
}

/// A closing delimiter of a file, where none is open.
pub(crate) fn delimiter_not_opened(closing: char) -> String {
    Family::Delimiter.coded(format!("`{closing}` closes nothing"))
}
