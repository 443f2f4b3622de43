//! Repetition: `for k in 0..n { items }`, `for (i, sign) in [(1, -1), (2, 1)] { items }`.
//!
//! The items of a loop are read once per round, from tokens in which its names are replaced by their values; every
//! token keeps its place in the source.

use std::cell::Cell;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::Result;
use syn::buffer::TokenBuffer;

use super::reader::Reader;
use super::tokens;
use super::value;
use crate::diagnostics::{self, Place};
use crate::limits;

/// What the names of a loop stand for in one round.
type Round = Vec<TokenTree>;

/// Reads a loop; the items of every round by `items`, which is told where the loop stands.
pub(super) fn repetition(reader: &mut Reader, mut items: impl FnMut(&mut Reader, Place)) -> Result<()> {
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
        items(&mut inside, place);
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
