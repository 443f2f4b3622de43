//! Units, as written: `kg m^2`, `N m s/rad`.
//!
//! Symbols side by side multiply; `/` divides by the one symbol that follows it, and goes on with the unit only if that
//! is a symbol of a unit, so that `2 m / x` divides by `x`.

use proc_macro2::{Ident, Span};
use syn::Result;

use super::expression::{UnitExpression, UnitFactor};
use super::keywords;
use super::reader::Reader;
use crate::diagnostics;
use crate::units;

/// Reads a unit where one must stand.
pub(super) fn required(reader: &mut Reader) -> Result<UnitExpression> {
    let first = reader.span();
    let is_one = reader.literal().is_some_and(|literal| literal.to_string() == "1");
    let leading = is_one.then(|| reader.take_literal()).flatten().map(|_| ("1".to_owned(), first));
    continued(reader, leading)?.ok_or_else(|| reader.expected("a unit"))
}

/// Reads the unit that follows a number, if one does. `leading` is a symbol that has been read already.
pub(super) fn continued(reader: &mut Reader, leading: Option<(String, Span)>) -> Result<Option<UnitExpression>> {
    let first = leading.as_ref().map_or_else(|| reader.span(), |(_, span)| *span);
    let mut factors = Vec::new();
    if let Some((symbol, span)) = leading {
        factors.push(UnitFactor { symbol, exponent: exponent(reader)?, divides: false, span });
    }
    while let Some(word) = symbol(*reader) {
        reader.take_any_word();
        let (symbol, span) = (word.to_string(), word.span());
        factors.push(UnitFactor { symbol, exponent: exponent(reader)?, divides: false, span });
    }
    if factors.is_empty() {
        return Ok(None);
    }
    while let Some(word) = symbol_after_slash(*reader) {
        reader.take("/");
        reader.take_any_word();
        let (symbol, span) = (word.to_string(), word.span());
        factors.push(UnitFactor { symbol, exponent: -exponent(reader)?, divides: true, span });
        if let Some(next) = reader.word().filter(|word| units::find(&word.to_string()).is_some()) {
            return Err(diagnostics::ambiguous_unit(&next));
        }
    }
    Ok(Some(UnitExpression { factors, place: reader.since(first) }))
}

/// The next word, if it may be meant as a symbol. An unknown one before a `:` is the name of a field after a missing `,`.
fn symbol(mut reader: Reader) -> Option<Ident> {
    let word = reader.take_any_word()?;
    let continues = keywords::is_connective(&word) || keywords::begins_item(&word) || keywords::is_rust_keyword(&word);
    let is_field = reader.sees(":") && units::find(&word.to_string()).is_none();
    (!continues && !is_field).then_some(word)
}

fn symbol_after_slash(mut reader: Reader) -> Option<Ident> {
    let is_slash = reader.take("/");
    reader.word().filter(|word| is_slash && units::find(&word.to_string()).is_some())
}

/// `^2`, `^-1`, or one if none is written.
fn exponent(reader: &mut Reader) -> Result<i32> {
    if !reader.take("^") {
        return Ok(1);
    }
    let sign = if reader.take("-") { -1 } else { 1 };
    let error = reader.expected("an integer exponent");
    let digits = reader.take_literal().and_then(|literal| literal.to_string().parse::<u16>().ok());
    digits.map(|digits| sign * i32::from(digits)).ok_or(error)
}
