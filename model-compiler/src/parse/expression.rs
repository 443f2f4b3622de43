//! Expressions and units, as written.

use proc_macro2::{Ident, Span};
use syn::Result;

use crate::diagnostics::{self, Place};
use crate::limits;
use crate::spelling::indexed;

/// An expression.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Where it is written.
    pub place: Place,
    /// Levels of operands below it.
    depth: usize,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// Digits of a number.
    Number(String),
    /// A value followed by its unit.
    WithUnit(Box<Value>, UnitExpression),
    /// A name.
    Name(Ident),
    /// `base.name`.
    Field(Box<Value>, Ident),
    /// `base[index, …]`: components, or a name with indices.
    Index(Box<Value>, Vec<Index>),
    /// `function(arguments)`.
    Call(Ident, Vec<Value>),
    /// `[a, b, …]`.
    Stack(Vec<Value>),
    /// `-a`.
    Negation(Box<Value>),
    /// `a + b` and the like.
    Operation(Operator, Span, Box<Value>, Box<Value>),
    /// `if a < b { x } else { y }`.
    Choice(Box<Choice>),
    /// `(body at position)`.
    Point(Box<Value>, Box<Value>),
    /// `(vector in body)`.
    In(Box<Value>, Axes),
}

/// Whose axes: those of a body, or of an end of a flexible member, `shaft.tip`.
#[derive(Clone, Debug)]
pub struct Axes {
    /// The body, or the member.
    pub name: Ident,
    /// The end of the member.
    pub end: Option<Ident>,
}

/// An index between brackets.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// Its value, if it is an integer from 0.
    pub value: Option<usize>,
    /// Where it is written.
    pub place: Place,
}

/// An arithmetic operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `^`
    Power,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// One of two values, by a comparison.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Left of the comparison.
    pub lhs: Value,
    /// The comparison.
    pub comparison: Comparison,
    /// Right of the comparison.
    pub rhs: Value,
    /// Value if it holds.
    pub then: Value,
    /// Value if not.
    pub otherwise: Value,
}

/// A unit, as written.
#[derive(Clone, Debug)]
pub struct UnitExpression {
    /// Its factors.
    pub factors: Vec<UnitFactor>,
    /// Where it is written.
    pub place: Place,
}

/// A power of a symbol.
#[derive(Clone, Debug)]
pub struct UnitFactor {
    /// The symbol.
    pub symbol: String,
    /// Its exponent, negative after `/`.
    pub exponent: i32,
    /// Whether it stands after `/`.
    pub divides: bool,
    /// Where it is written.
    pub span: Span,
}

impl ValueKind {
    /// The expressions that it is made of.
    pub(crate) fn parts(&self) -> Vec<&Value> {
        match self {
            ValueKind::Number(_) | ValueKind::Name(_) => Vec::new(),
            ValueKind::WithUnit(a, _)
            | ValueKind::Field(a, _)
            | ValueKind::Negation(a)
            | ValueKind::Index(a, _)
            | ValueKind::In(a, _) => vec![a],
            ValueKind::Operation(_, _, a, b) | ValueKind::Point(a, b) => vec![a, b],
            ValueKind::Call(_, parts) | ValueKind::Stack(parts) => parts.iter().collect(),
            ValueKind::Choice(choice) => {
                let Choice { lhs, rhs, then, otherwise, .. } = &**choice;
                vec![lhs, rhs, then, otherwise]
            }
        }
    }
}

impl Value {
    pub(super) fn new(kind: ValueKind, place: Place) -> Result<Value> {
        let below = kind.parts().into_iter().map(|part| part.depth).max().unwrap_or(0);
        if below == limits::DEPTH {
            return Err(diagnostics::nested_too_deeply(place, limits::DEPTH));
        }
        Ok(Value { kind, place, depth: below + 1 })
    }

    /// Number of values that it consists of, itself included.
    pub(super) fn size(&self) -> i64 {
        1 + self.kind.parts().into_iter().map(Value::size).sum::<i64>()
    }

    /// The name that it may be, with indices if it has any.
    pub fn as_name(&self) -> Option<Ident> {
        match &self.kind {
            ValueKind::Name(name) => Some(name.clone()),
            ValueKind::Index(base, indices) => {
                let ValueKind::Name(name) = &base.kind else { return None };
                let indices: Option<Vec<usize>> = indices.iter().map(|index| index.value).collect();
                Some(indexed(name, &indices?))
            }
            _ => None,
        }
    }
}
