//! Repetition: `for k in 0..n { items }`, `for (i, sign) in [(1, -1), (2, 1)] { items }`; and integers and indexed names.
//!
//! The items of a loop are read once per round, from tokens in which its names are replaced by their values; every
//! token keeps its place in the source. A name with indices, `link[k + 1]`, is one identifier with middle dots, which
//! [`spelled`] writes as the user did. Not here: components of vectors, which look the same (see `resolve`).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::Result;
use syn::buffer::TokenBuffer;

use super::model::{self, Item};
use super::reader::Reader;
use super::value::{self, Operator, Value, ValueKind};
use crate::diagnostics::{self, Errors, Place};

/// Rounds of all loops together, so that a slip of the pen does not take all day.
const MOST_ROUNDS: usize = 10_000;
/// Items of a model with loops; the largest models have a third of them.
const MOST_ITEMS: usize = 30_000;
/// Values that `[value; n]` makes in a model, counted through all levels.
const MOST_REPEATED: i64 = 100_000;
/// Between a name and its indices.
const DOT: char = '·';

/// Integer constants that have been read so far, and how much has been repeated.
#[derive(Debug, Default)]
pub(super) struct Integers {
    known: RefCell<BTreeMap<String, i64>>,
    rounds: Cell<usize>,
    /// Values that `[value; n]` has made.
    repeated: Cell<i64>,
    /// There was too much of that: loops are not read to their ends.
    is_too_long: Cell<bool>,
}

impl Integers {
    /// Keeps a constant if it is an integer.
    pub(super) fn learn(&self, name: &Ident, value: &Value) {
        if let Some(integer) = self.evaluate(value) {
            self.known.borrow_mut().entry(name.to_string()).or_insert(integer);
        }
    }

    /// Counts values that `[value; n]` makes.
    pub(super) fn repeat(&self, count: i64, place: Place) -> Result<()> {
        let repeated = self.repeated.get().saturating_add(count);
        if repeated > MOST_REPEATED {
            self.is_too_long.set(true);
            return Err(diagnostics::too_many_values(place, MOST_REPEATED));
        }
        self.repeated.set(repeated);
        Ok(())
    }

    /// The value of an expression of integers.
    pub(super) fn evaluate(&self, value: &Value) -> Option<i64> {
        match &value.kind {
            ValueKind::Number(digits) => digits.parse().ok(),
            ValueKind::Name(name) => self.known.borrow().get(&name.to_string()).copied(),
            ValueKind::Negation(value) => self.evaluate(value)?.checked_neg(),
            ValueKind::Operation(operator, _, lhs, rhs) => {
                let (lhs, rhs) = (self.evaluate(lhs)?, self.evaluate(rhs)?);
                match operator {
                    Operator::Add => lhs.checked_add(rhs),
                    Operator::Subtract => lhs.checked_sub(rhs),
                    Operator::Multiply => lhs.checked_mul(rhs),
                    Operator::Divide => lhs.checked_rem(rhs).filter(|rest| *rest == 0).and(lhs.checked_div(rhs)),
                    Operator::Power => lhs.checked_pow(u32::try_from(rhs).ok()?),
                }
            }
            _ => None,
        }
    }
}

/// A name with indices as one identifier.
pub(crate) fn indexed(name: &Ident, indices: &[usize]) -> Ident {
    let dots: String = indices.iter().map(|index| format!("{DOT}{index}")).collect();
    Ident::new(&format!("{name}{dots}"), name.span())
}

/// Text in which names with indices are as the user writes them: `link[2].x`, `conrod[0,1]`.
pub(crate) fn spelled(text: &str) -> String {
    let mut result = String::new();
    let mut characters = text.chars().peekable();
    let mut is_open = false;
    while let Some(character) = characters.next() {
        let begins_index = character == DOT && characters.peek().is_some_and(char::is_ascii_digit);
        if begins_index {
            result.push(if is_open { ',' } else { '[' });
            is_open = true;
            continue;
        }
        if is_open && !character.is_ascii_digit() {
            result.push(']');
            is_open = false;
        }
        result.push(character);
    }
    if is_open {
        result.push(']');
    }
    result
}

/// What the names of a loop stand for in one round.
type Round = Vec<TokenTree>;

/// Reads a loop and adds the items of all its rounds.
pub(super) fn repetition(reader: &mut Reader, errors: &Errors, items: &mut Vec<Item>) -> Result<()> {
    reader.take_word("for");
    let names = names(reader)?;
    if !reader.take_word("in") {
        return Err(reader.expected("`in`"));
    }
    let first = reader.span();
    let rounds = if reader.sees_group(Delimiter::Bracket) { listed(reader, &names)? } else { range(reader, &names)? };
    let place = reader.since(first);
    let error = reader.expected("`{`");
    let Some(TokenTree::Group(body)) = reader.take_token() else {
        return Err(error);
    };
    if body.delimiter() != Delimiter::Brace {
        return Err(error);
    }
    for round in rounds {
        let integers = reader.integers();
        if integers.is_too_long.get() {
            break;
        }
        integers.rounds.update(|count| count + 1);
        if integers.rounds.get() > MOST_ROUNDS {
            integers.is_too_long.set(true);
            return Err(diagnostics::too_many_rounds(place, MOST_ROUNDS));
        }
        let tokens = substitute(TokenStream::from(TokenTree::from(body.clone())), &names, &round);
        let buffer = TokenBuffer::new2(tokens);
        let mut inside = reader.within(buffer.begin()).group(Delimiter::Brace)?;
        model::items(&mut inside, errors, items);
        if items.len() > MOST_ITEMS && !integers.is_too_long.replace(true) {
            return Err(diagnostics::too_many_items(place, MOST_ITEMS));
        }
    }
    Ok(())
}

/// `k` or `(i, sign)`.
fn names(reader: &mut Reader) -> Result<Vec<Ident>> {
    if !reader.sees_group(Delimiter::Parenthesis) {
        return Ok(vec![reader.name("the name of an index")?]);
    }
    let mut inside = reader.group(Delimiter::Parenthesis)?;
    let mut names = Vec::new();
    while !inside.is_empty() {
        names.push(inside.name("the name of an index")?);
        if !inside.take(",") {
            inside.finish("`,` or `)`")?;
        }
    }
    Ok(names)
}

/// `[a, b, …]`, or `[(a, b), (c, d), …]` for several names.
fn listed(reader: &mut Reader, names: &[Ident]) -> Result<Vec<Round>> {
    let mut inside = reader.group(Delimiter::Bracket)?;
    let mut rounds = Vec::new();
    while !inside.is_empty() {
        let place = inside.span();
        let round = if names.len() == 1 {
            vec![entry(&mut inside)?]
        } else {
            let mut tuple = inside.group(Delimiter::Parenthesis)?;
            let mut round = Vec::new();
            while !tuple.is_empty() {
                round.push(entry(&mut tuple)?);
                tuple.take(",");
            }
            inside.take(",");
            round
        };
        if round.len() != names.len() {
            return Err(diagnostics::wrong_number_of_values(place, names.len(), round.len()));
        }
        inside.take(",");
        rounds.push(round);
    }
    Ok(rounds)
}

/// The tokens up to the next `,` as one.
fn entry(reader: &mut Reader) -> Result<TokenTree> {
    let error = reader.expected("a value");
    let mut tokens = Vec::new();
    while !reader.is_empty() && !reader.sees(",") {
        tokens.extend(reader.take_token());
    }
    match tokens.len() {
        0 => Err(error),
        1 => Ok(tokens.remove(0)),
        _ => Ok(Group::new(Delimiter::Parenthesis, tokens.into_iter().collect()).into()),
    }
}

/// `first..end` or `first..=last`.
fn range(reader: &mut Reader, names: &[Ident]) -> Result<Vec<Round>> {
    let place = reader.span();
    if names.len() != 1 {
        return Err(diagnostics::wrong_number_of_values(place, names.len(), 1));
    }
    let first = integer(reader)?;
    if !reader.take("..") {
        return Err(reader.expected("`..`"));
    }
    let is_inclusive = reader.take("=");
    let end = integer(reader)?.saturating_add(i64::from(is_inclusive));
    if end.saturating_sub(first) > MOST_ROUNDS as i64 {
        return Err(diagnostics::too_many_rounds(reader.since(place), MOST_ROUNDS));
    }
    let number = |k: i64| match TokenTree::from(proc_macro2::Literal::u64_unsuffixed(k.unsigned_abs())) {
        digits if k >= 0 => digits,
        digits => {
            let minus = TokenTree::from(proc_macro2::Punct::new('-', proc_macro2::Spacing::Alone));
            Group::new(Delimiter::Parenthesis, [minus, digits].into_iter().collect()).into()
        }
    };
    Ok((first..end).map(|k| vec![number(k)]).collect())
}

fn integer(reader: &mut Reader) -> Result<i64> {
    let value = value::value(reader)?;
    reader.integers().evaluate(&value).ok_or_else(|| diagnostics::not_an_integer(value.place))
}

/// The indices of a name: integers from 0.
pub(super) fn indices(reader: &mut Reader) -> Result<Vec<usize>> {
    let mut inside = reader.group(Delimiter::Bracket)?;
    let values = value::list(&mut inside, "`]`")?;
    let index = |value: &Value| {
        let integer = inside.integers().evaluate(value).and_then(|integer| usize::try_from(integer).ok());
        integer.ok_or_else(|| diagnostics::index_not_integer(value.place))
    };
    values.iter().map(index).collect()
}

/// Replaces names by values, except where they name a field or a component.
fn substitute(tokens: TokenStream, names: &[Ident], round: &Round) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_punct = |index: Option<usize>, symbol: char| {
        index
            .and_then(|index| tokens.get(index))
            .is_some_and(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == symbol))
    };
    let replace = |(index, token): (usize, &TokenTree)| match token {
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), substitute(group.stream(), names, round));
            replaced.set_span(group.span());
            replaced.into()
        }
        TokenTree::Ident(word) => {
            let before = index.checked_sub(1);
            let is_component = is_punct(before, '.') && !is_punct(before.and_then(|index| index.checked_sub(1)), '.');
            let is_field = is_punct(Some(index + 1), ':');
            match names.iter().position(|name| name == word) {
                Some(which) if !is_component && !is_field => at(round[which].clone(), word.span()),
                _ => token.clone(),
            }
        }
        _ => token.clone(),
    };
    tokens.iter().enumerate().map(replace).collect()
}

/// The same token, standing here.
fn at(mut token: TokenTree, span: Span) -> TokenTree {
    token.set_span(span);
    token
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn indices_are_spelled_as_they_are_written() {
        for (name, expected) in
            [("a", "a"), ("a·1", "a[1]"), ("a·1·20.x", "a[1,20].x"), ("a·1_x of b·2", "a[1]_x of b[2]")]
        {
            assert_eq!(spelled(name), expected);
        }
    }
}
