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
use super::tokens;
use super::value::{self, Operator, Value, ValueKind};
use crate::diagnostics::{self, Errors, Place};
use crate::limits;

/// Between a name and its indices.
const DOT: char = '·';

/// Integer constants that have been read so far, and how much has been repeated.
#[derive(Debug, Default)]
pub(super) struct Integers {
    known: RefCell<BTreeMap<String, i64>>,
    rounds: Cell<usize>,
    /// Tokens that loops have made of their bodies.
    substituted: Cell<usize>,
    /// Values that `[value; n]` has made.
    repeated: Cell<i64>,
    /// There was too much of that: what follows is not read.
    is_too_long: Cell<bool>,
}

impl Integers {
    /// Keeps a constant if it is an integer.
    pub(super) fn learn(&self, name: &Ident, value: &Value) {
        if let Some(integer) = self.evaluate(value) {
            self.known.borrow_mut().entry(name.to_string()).or_insert(integer);
        }
    }

    /// Whether there was too much of something, so that nothing more is read.
    pub(super) fn is_too_long(&self) -> bool {
        self.is_too_long.get()
    }

    /// Refuses more items than a model may have, once.
    pub(super) fn count_items(&self, count: usize, place: Place) -> Result<()> {
        if count > limits::ITEMS && !self.is_too_long.replace(true) {
            return Err(diagnostics::too_many_items(place, limits::ITEMS));
        }
        Ok(())
    }

    /// Counts values that `[value; n]` makes.
    pub(super) fn repeat(&self, count: i64, place: Place) -> Result<()> {
        let repeated = self.repeated.get().saturating_add(count);
        if repeated > limits::REPEATED_VALUES {
            self.is_too_long.set(true);
            return Err(diagnostics::too_many_values(place, limits::REPEATED_VALUES));
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
        if integers.is_too_long() {
            break;
        }
        integers.rounds.update(|count| count + 1);
        if integers.rounds.get() > limits::ROUNDS {
            integers.is_too_long.set(true);
            return Err(diagnostics::too_many_rounds(place, limits::ROUNDS));
        }
        let substitution = Substitution::new(&names, &round, &integers.substituted);
        let Some(tokens) = substitution.apply(TokenStream::from(TokenTree::from(body.clone()))) else {
            integers.is_too_long.set(true);
            return Err(diagnostics::too_many_substituted_tokens(place, limits::SUBSTITUTED_TOKENS));
        };
        let buffer = TokenBuffer::new2(tokens);
        let mut inside = reader.within(buffer.begin()).group(Delimiter::Brace)?;
        model::items(&mut inside, errors, items, Some(place));
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
    if end.saturating_sub(first) > limits::ROUNDS as i64 {
        return Err(diagnostics::too_many_rounds(reader.since(place), limits::ROUNDS));
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

/// Names and the tokens that replace them, except where a name is that of a field or a component.
struct Substitution<'a> {
    names: &'a [Ident],
    /// For every name its tokens, and how many they are.
    values: Vec<(&'a TokenTree, usize)>,
    /// Tokens that all substitutions have made.
    made: &'a Cell<usize>,
}

impl<'a> Substitution<'a> {
    fn new(names: &'a [Ident], round: &'a Round, made: &'a Cell<usize>) -> Substitution<'a> {
        Substitution { names, values: round.iter().map(|value| (value, tokens::count(value))).collect(), made }
    }

    /// The tokens with all names replaced; `None` where they are too many.
    fn apply(&self, tokens: TokenStream) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_punct = |index: Option<usize>, symbol: char| {
            index
                .and_then(|index| tokens.get(index))
                .is_some_and(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == symbol))
        };
        let replace = |(index, token): (usize, &TokenTree)| match token {
            TokenTree::Group(group) => {
                self.count(1)?;
                let mut replaced = Group::new(group.delimiter(), self.apply(group.stream())?);
                replaced.set_span(group.span());
                Some(replaced.into())
            }
            TokenTree::Ident(word) => {
                let before = index.checked_sub(1);
                let is_component =
                    is_punct(before, '.') && !is_punct(before.and_then(|index| index.checked_sub(1)), '.');
                let is_field = is_punct(Some(index + 1), ':');
                let which = self.names.iter().position(|name| name == word);
                match which.and_then(|which| self.values.get(which)) {
                    Some(&(value, size)) if !is_component && !is_field => {
                        self.count(size)?;
                        Some(at(value.clone(), word.span()))
                    }
                    _ => self.count(1).map(|()| token.clone()),
                }
            }
            _ => self.count(1).map(|()| token.clone()),
        };
        tokens.iter().enumerate().map(replace).collect()
    }

    fn count(&self, tokens: usize) -> Option<()> {
        self.made.set(self.made.get() + tokens);
        (self.made.get() <= limits::SUBSTITUTED_TOKENS).then_some(())
    }
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
