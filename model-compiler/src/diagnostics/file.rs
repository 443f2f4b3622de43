//! Messages of files that are not made of tokens.

/// A delimiter of a file without its partner.
pub(crate) fn delimiter_not_closed(opening: char) -> String {
    let closing = match opening {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    format!("`{opening}` is never closed\nhelp: add `{closing}`")
}

/// A delimiter of a file within too many others.
pub(crate) fn delimiters_too_deep(most: usize) -> String {
    format!("expected at most {most} delimiters within each other")
}

/// A file that is too long.
pub(crate) fn too_many_bytes(most: usize) -> String {
    format!("expected at most {most} bytes in a file\nhelp: write what is repeated with `for` and `[value; n]`")
}

/// A closing delimiter of a file, where none is open.
pub(crate) fn delimiter_not_opened(closing: char) -> String {
    format!("`{closing}` closes nothing")
}
