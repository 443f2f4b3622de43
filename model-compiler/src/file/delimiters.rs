//! Which delimiter is missing in a text that is not made of tokens.
//!
//! The lexer says only that something is wrong. As rustc does, the guess goes to the innermost pair whose two lines are
//! indented differently; without one, to the delimiter that is left over.

use super::Mistake;
use crate::{diagnostics, limits};

#[derive(Clone, Copy)]
struct Delimiter {
    symbol: char,
    line: usize,
    column: usize,
    indentation: usize,
    is_first: bool,
}

/// The delimiter that has no partner, if one is missing.
pub(super) fn mistake(text: &str) -> Option<Mistake> {
    let mut open: Vec<Delimiter> = Vec::new();
    let mut suspect: Option<Delimiter> = None;
    for delimiter in delimiters(text) {
        if "([{".contains(delimiter.symbol) {
            open.push(delimiter);
            continue;
        }
        match open.pop() {
            None => return Some(at(delimiter, diagnostics::delimiter_not_opened(delimiter.symbol))),
            Some(opening) if partner(opening.symbol) != delimiter.symbol => {
                return Some(at(opening, diagnostics::delimiter_not_closed(opening.symbol)));
            }
            // Only a closing delimiter at the beginning of its line says by its indentation what it means to close.
            Some(opening) if delimiter.is_first && delimiter.indentation != opening.indentation => {
                suspect.get_or_insert(opening);
            }
            Some(_) => {}
        }
    }
    let opening = suspect.filter(|_| !open.is_empty()).or(open.last().copied())?;
    Some(at(opening, diagnostics::delimiter_not_closed(opening.symbol)))
}

/// The first delimiter within more others than a file may have; lexers and parsers recurse.
pub(super) fn too_deep(text: &str) -> Option<Mistake> {
    let mut depth = 0_usize;
    delimiters(text).into_iter().find_map(|delimiter| {
        let is_opening = "([{".contains(delimiter.symbol);
        depth = if is_opening { depth + 1 } else { depth.saturating_sub(1) };
        let most = limits::NESTING_OF_FILES;
        (depth > most).then(|| at(delimiter, diagnostics::delimiters_too_deep(most)))
    })
}

fn at(place: Delimiter, message: String) -> Mistake {
    Mistake::at(place.line, place.column, &message)
}

fn partner(symbol: char) -> char {
    match symbol {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// The delimiters outside of comments, strings and characters.
fn delimiters(text: &str) -> Vec<Delimiter> {
    let mut found = Vec::new();
    let mut inside = Inside::Code;
    for (row, line) in text.lines().enumerate() {
        let characters: Vec<char> = line.chars().collect();
        let indentation = characters.iter().take_while(|c| c.is_whitespace()).count();
        let mut i = 0;
        while let Some(&symbol) = characters.get(i) {
            let next = characters.get(i + 1).copied();
            let step = match (inside, symbol, next) {
                (Inside::Code, '/', Some('/')) => break,
                (Inside::Comment(1), '*', Some('/')) => (Inside::Code, 2),
                (Inside::Comment(depth), '*', Some('/')) => (Inside::Comment(depth - 1), 2),
                (Inside::Comment(depth), '/', Some('*')) => (Inside::Comment(depth + 1), 2),
                (Inside::Code, '/', Some('*')) => (Inside::Comment(1), 2),
                (Inside::Code, '"', _) => (Inside::String, 1),
                (Inside::String, '\\', _) => (Inside::String, 2),
                (Inside::String, '"', _) => (Inside::Code, 1),
                // A character; anything else after an apostrophe is a lifetime.
                (Inside::Code, '\'', Some('\\')) => (Inside::Code, 4),
                (Inside::Code, '\'', _) if characters.get(i + 2) == Some(&'\'') => (Inside::Code, 3),
                (Inside::Code, '(' | ')' | '[' | ']' | '{' | '}', _) => {
                    let is_first = i == indentation;
                    found.push(Delimiter { symbol, line: row + 1, column: i + 1, indentation, is_first });
                    (Inside::Code, 1)
                }
                (inside, ..) => (inside, 1),
            };
            inside = step.0;
            i += step.1;
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Code,
    String,
    /// Comments nest.
    Comment(usize),
}
