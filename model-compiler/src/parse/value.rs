//! Expressions, as written: numbers with units, names, operators, calls, points.
//!
//! `^` binds strongest, then the sign, then `*` and `/`, then `+` and `-`. A unit follows its number or its `]`
//! directly: `9.81 m/s^2`, `[0, 1] m`. Comparisons stand only in the condition of an `if`.

use proc_macro2::{Delimiter, Ident, Span};
use syn::Result;

use super::expression::{Axes, Choice, Comparison, Index, Operator, Value, ValueKind};
use super::keywords;
use super::reader::Reader;
use super::unit;
use crate::diagnostics::{self, Place};
use crate::limits;
use crate::spelling::indexed;

/// Reads the `;` after an expression.
pub(super) fn end(reader: &mut Reader) -> Result<()> {
    if reader.take(";") { Ok(()) } else { Err(reader.expected("an operator or `;`")) }
}

/// Reads an expression.
pub(super) fn value(reader: &mut Reader) -> Result<Value> {
    let mut sum = product(reader)?;
    loop {
        let span = reader.span();
        let operator = if reader.take("+") {
            Operator::Add
        } else if reader.take("-") {
            Operator::Subtract
        } else {
            return Ok(sum);
        };
        sum = operation(operator, span, sum, product(reader)?)?;
    }
}

fn product(reader: &mut Reader) -> Result<Value> {
    let mut product = signed(reader)?;
    loop {
        let span = reader.span();
        let operator = if reader.take("*") {
            Operator::Multiply
        } else if reader.take("/") {
            Operator::Divide
        } else {
            return Ok(product);
        };
        product = operation(operator, span, product, signed(reader)?)?;
    }
}

fn operation(operator: Operator, span: Span, lhs: Value, rhs: Value) -> Result<Value> {
    let place = Place { first: lhs.place.first, last: rhs.place.last };
    Value::new(ValueKind::Operation(operator, span, Box::new(lhs), Box::new(rhs)), place)
}

/// `-a`, where `a` may be a power.
fn signed(reader: &mut Reader) -> Result<Value> {
    let first = reader.span();
    let signs = signs(reader);
    negated_if(signs % 2 == 1, first, power(reader)?)
}

/// Reads signs; returns how many of them are minus.
fn signs(reader: &mut Reader) -> usize {
    let mut minus = 0;
    loop {
        if reader.take("-") {
            minus += 1;
        } else if !reader.take("+") {
            return minus;
        }
    }
}

fn negated_if(is_negative: bool, first: Span, value: Value) -> Result<Value> {
    let place = Place { first, last: value.place.last };
    if is_negative { Value::new(ValueKind::Negation(Box::new(value)), place) } else { Ok(value) }
}

/// `a ^ b ^ c`, which is `a ^ (b ^ c)`; exponents may have signs.
fn power(reader: &mut Reader) -> Result<Value> {
    let mut bases = vec![(operand(reader)?, reader.span())];
    while reader.take("^") {
        let first = reader.span();
        let is_negative = signs(reader) % 2 == 1;
        let exponent = negated_if(is_negative, first, operand(reader)?)?;
        bases.push((exponent, reader.span()));
    }
    let mut reversed = bases.into_iter().rev();
    let Some((mut result, _)) = reversed.next() else {
        return Err(reader.expected("an expression"));
    };
    for (base, span) in reversed {
        result = operation(Operator::Power, span, base, result)?;
    }
    Ok(result)
}

/// A primary followed by components and its unit.
fn operand(reader: &mut Reader) -> Result<Value> {
    let first = reader.span();
    let mut value = primary(reader)?;
    loop {
        let kind = if !reader.sees("..") && reader.take(".") {
            ValueKind::Field(Box::new(value), reader.name("a component or quantity")?)
        } else if reader.sees_group(Delimiter::Bracket) {
            let mut inside = reader.group(Delimiter::Bracket)?;
            let error = inside.expected("an index");
            let values = list(&mut inside, "`]`")?;
            if values.is_empty() {
                return Err(error);
            }
            let index = |value: &Value| {
                let integer = reader.integers().evaluate(value);
                Index { value: integer.and_then(|integer| usize::try_from(integer).ok()), place: value.place }
            };
            ValueKind::Index(Box::new(value), values.iter().map(index).collect())
        } else {
            return Ok(value);
        };
        value = Value::new(kind, reader.since(first))?;
    }
}

fn primary(reader: &mut Reader) -> Result<Value> {
    let first = reader.span();
    if reader.literal().is_some() {
        return number(reader);
    }
    if reader.sees_group(Delimiter::Parenthesis) {
        return parenthesized(reader);
    }
    if reader.sees_group(Delimiter::Bracket) {
        let parts = components(&mut reader.group(Delimiter::Bracket)?)?;
        let stack = Value::new(ValueKind::Stack(parts), reader.since(first))?;
        return with_unit(reader, stack);
    }
    if reader.sees_word("if") {
        return choice(reader);
    }
    if let Some(word) = reader.word().filter(keywords::is_connective) {
        return Err(diagnostics::connective_in_expression(&word));
    }
    if reader.sees(".") {
        return Err(diagnostics::no_digit_before_point(first));
    }
    let name = reader.name("an expression")?;
    if !reader.sees_group(Delimiter::Parenthesis) {
        return Value::new(ValueKind::Name(name), reader.since(first));
    }
    let may_have_unit = name == "diag";
    let arguments = list(&mut reader.group(Delimiter::Parenthesis)?, "`)`")?;
    let call = Value::new(ValueKind::Call(name, arguments), reader.since(first))?;
    if may_have_unit { with_unit(reader, call) } else { Ok(call) }
}

/// A number; the lexer joins letters that follow without a space, and they are a unit all the same.
fn number(reader: &mut Reader) -> Result<Value> {
    let first = reader.span();
    let error = reader.expected("an expression");
    let Some(literal) = reader.take_literal() else {
        return Err(error);
    };
    let (digits, suffix) = match syn::parse2::<syn::Lit>(proc_macro2::TokenTree::from(literal).into()) {
        Ok(syn::Lit::Int(int)) => (int.base10_digits().to_owned(), int.suffix().to_owned()),
        Ok(syn::Lit::Float(float)) => (float.base10_digits().to_owned(), float.suffix().to_owned()),
        _ => return Err(error),
    };
    let number = Value::new(ValueKind::Number(digits), reader.since(first))?;
    match unit::continued(reader, (!suffix.is_empty()).then_some((suffix, first)))? {
        Some(unit) => Value::new(ValueKind::WithUnit(Box::new(number), unit), reader.since(first)),
        None => Ok(number),
    }
}

fn with_unit(reader: &mut Reader, value: Value) -> Result<Value> {
    let first = value.place.first;
    match unit::continued(reader, None)? {
        Some(unit) => Value::new(ValueKind::WithUnit(Box::new(value), unit), reader.since(first)),
        None => Ok(value),
    }
}

/// `(expression)`, `(body at position)` or `(vector in body)`.
fn parenthesized(reader: &mut Reader) -> Result<Value> {
    let first = reader.span();
    let mut inside = reader.group(Delimiter::Parenthesis)?;
    let value = self::value(&mut inside)?;
    let value = if inside.take_word("at") {
        let position = self::value(&mut inside)?;
        Value::new(ValueKind::Point(Box::new(value), Box::new(position)), reader.since(first))?
    } else if inside.take_word("in") {
        let axes = axes(&mut inside)?;
        Value::new(ValueKind::In(Box::new(value), axes), reader.since(first))?
    } else {
        value
    };
    inside.finish("an operator or `)`")?;
    Ok(value)
}

/// `a, b, …` or `a; n`, which is n times a.
fn components(inside: &mut Reader) -> Result<Vec<Value>> {
    if inside.is_empty() {
        return Ok(Vec::new());
    }
    let first = value(inside)?;
    if !inside.take(";") {
        let mut values = vec![first];
        separator(inside, "`]`")?;
        values.extend(list(inside, "`]`")?);
        return Ok(values);
    }
    let count = value(inside)?;
    inside.finish("an operator or `]`")?;
    let n = inside.integers().evaluate(&count).filter(|n| (1..=limits::REPETITION).contains(n));
    let n = n.ok_or_else(|| diagnostics::not_a_count(count.place, limits::REPETITION))?;
    inside.integers().repeat(n * first.size(), count.place)?;
    Ok((0..n).map(|_| first.clone()).collect())
}

pub(super) fn list(inside: &mut Reader, end: &str) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    while !inside.is_empty() {
        values.push(value(inside)?);
        separator(inside, end)?;
    }
    Ok(values)
}

/// A comma, or the end.
pub(super) fn separator(inside: &mut Reader, end: &str) -> Result<()> {
    if inside.take(",") { Ok(()) } else { inside.finish(&format!("`,` or {end}")) }
}

/// `if a < b { x } else if c < d { y } else { z }`.
fn choice(reader: &mut Reader) -> Result<Value> {
    let mut branches = Vec::new();
    let otherwise = loop {
        let first = reader.span();
        if !reader.take_word("if") {
            break braced(reader)?;
        }
        let lhs = value(reader)?;
        let comparison = comparison(reader)?;
        let rhs = value(reader)?;
        branches.push((first, lhs, comparison, rhs, braced(reader)?));
        if !reader.take_word("else") {
            return Err(reader.expected("`else`"));
        }
    };
    branches.into_iter().rev().try_fold(otherwise, |otherwise, (first, lhs, comparison, rhs, then)| {
        let choice = Choice { lhs, comparison, rhs, then, otherwise };
        Value::new(ValueKind::Choice(Box::new(choice)), reader.since(first))
    })
}

fn braced(reader: &mut Reader) -> Result<Value> {
    let mut inside = reader.group(Delimiter::Brace)?;
    let value = value(&mut inside)?;
    inside.finish("an operator or `}`")?;
    Ok(value)
}

fn comparison(reader: &mut Reader) -> Result<Comparison> {
    let table = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];
    let found = table.into_iter().find(|(symbol, _)| reader.take(symbol));
    found.map(|(_, comparison)| comparison).ok_or_else(|| reader.expected("`<`, `<=`, `>` or `>=`"))
}

/// Reads whose axes are meant: `body`, `link[2]` or `shaft.tip`.
pub(super) fn axes(reader: &mut Reader) -> Result<Axes> {
    let name = indexed_name(reader, "the name of a body")?;
    let end = reader.take(".").then(|| reader.name("`root` or `tip`")).transpose()?;
    Ok(Axes { name, end })
}

/// Reads a name that may have indices: `link` or `link[k + 1]`.
pub(super) fn indexed_name(reader: &mut Reader, what: &str) -> Result<Ident> {
    let name = reader.name(what)?;
    if !reader.sees_group(Delimiter::Bracket) {
        return Ok(name);
    }
    Ok(indexed(&name, &indices(reader)?))
}

/// The indices of a name: integers from 0.
fn indices(reader: &mut Reader) -> Result<Vec<usize>> {
    let mut inside = reader.group(Delimiter::Bracket)?;
    let values = list(&mut inside, "`]`")?;
    let index = |value: &Value| {
        let integer = inside.integers().evaluate(value).and_then(|integer| usize::try_from(integer).ok());
        integer.ok_or_else(|| diagnostics::index_not_integer(value.place))
    };
    values.iter().map(index).collect()
}
