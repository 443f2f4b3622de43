//! Operations on typed expressions, with their rules for shapes and units.
//!
//! A zero without a unit fits every unit, so that `[0, l, 0]` and `x == 0` mean what they say.

use std::rc::Rc;

use proc_macro2::Span;
use syn::Result;

use super::{Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::{Binary, Number, Unary};
use crate::parse::Comparison;
use crate::space::Shape;
use crate::units::{Declared, Unit};

/// A term and where it is written, for messages.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) term: Term,
    pub(super) place: Place,
}

impl Term {
    /// A scalar.
    pub(super) fn scalar(kind: TermKind, unit: Unit, span: Span) -> Term {
        Term { kind, shape: Shape::Scalar, unit, span }
    }

    /// A pure number.
    pub(super) fn number(number: Number, span: Span) -> Term {
        Term::scalar(TermKind::Number(number), Unit::ONE, span)
    }

    /// An operation on scalars of known units; what they are is the caller's business.
    pub(super) fn binary(function: Binary, lhs: Term, rhs: Term, unit: Unit) -> Term {
        let (shape, span) = (product_shape(lhs.shape, rhs.shape).unwrap_or(lhs.shape), lhs.span);
        Term { kind: TermKind::Binary(function, Rc::new(lhs), Rc::new(rhs)), shape, unit, span }
    }

    /// `-self`.
    pub(super) fn negated(self) -> Term {
        let Term { shape, unit, span, .. } = self;
        let kind = match self.kind {
            TermKind::Number(number) => TermKind::Number(-number),
            _ => TermKind::Unary(Unary::Neg, Rc::new(self)),
        };
        Term { kind, shape, unit, span }
    }

    /// A component of a vector, or a row of a matrix; the index is in range.
    pub(super) fn component(self, index: usize) -> Term {
        let Term { shape, unit, span, .. } = self;
        match (shape, self.kind) {
            (_, TermKind::Stack(mut parts)) if index < parts.len() => parts.swap_remove(index),
            (Shape::Matrix(_, columns), kind) => {
                let matrix = Term { kind, shape, unit, span };
                let entry = |column| TermKind::Component(Rc::new(matrix.clone()), index * columns + column);
                let row = (0..columns).map(|column| Term::scalar(entry(column), unit, span)).collect();
                Term::stack(row, unit, span)
            }
            (_, kind) => {
                let vector = Term { kind, shape, unit, span };
                Term::scalar(TermKind::Component(Rc::new(vector), index), unit, span)
            }
        }
    }

    /// A vector or matrix of parts that have one shape and one unit.
    pub(super) fn stack(parts: Vec<Term>, unit: Unit, span: Span) -> Term {
        let shape = match parts.first().map(|part| part.shape) {
            Some(Shape::Vector(columns)) => Shape::Matrix(parts.len(), columns),
            _ => Shape::Vector(parts.len()),
        };
        Term { kind: TermKind::Stack(parts), shape, unit, span }
    }

    /// Whether it is a zero, or a vector or a diagonal of zeros, that is written without a unit.
    fn is_bare_zero(&self) -> bool {
        self.unit.is_one()
            && match &self.kind {
                TermKind::Number(number) => number.is_zero(),
                TermKind::Stack(parts) | TermKind::Diagonal(parts) => parts.iter().all(Term::is_bare_zero),
                _ => false,
            }
    }

    /// Gives a bare zero this unit.
    fn adopt(&mut self, unit: Unit) {
        if self.is_bare_zero() {
            self.relabel(unit);
        }
    }

    /// Gives a term of pure numbers this unit.
    fn relabel(&mut self, unit: Unit) {
        self.unit = unit;
        if let TermKind::Stack(parts) | TermKind::Diagonal(parts) = &mut self.kind {
            parts.iter_mut().for_each(|part| part.relabel(unit));
        }
    }

    /// The value of an exact constant expression.
    fn exact(&self) -> Option<Number> {
        match &self.kind {
            TermKind::Number(number) => Some(*number),
            TermKind::Unary(Unary::Neg, a) => a.exact()?.checked_neg(),
            TermKind::Binary(Binary::Add, a, b) => a.exact()?.checked_add(b.exact()?),
            TermKind::Binary(Binary::Sub, a, b) => a.exact()?.checked_sub(b.exact()?),
            TermKind::Binary(Binary::Mul, a, b) => a.exact()?.checked_mul(b.exact()?),
            TermKind::Binary(Binary::Div, a, b) => a.exact()?.checked_div(b.exact()?),
            _ => None,
        }
    }
}

impl Operand {
    /// Checks shape and unit, and gives the term.
    pub(super) fn require(mut self, shape: Shape, unit: impl Into<Declared>) -> Result<Term> {
        let unit = unit.into();
        if self.term.shape != shape {
            return Err(diagnostics::wrong_shape(self.place, shape, self.term.shape));
        }
        self.term.adopt(unit.unit);
        self.require_unit(unit)
    }

    /// Checks the unit, and gives the term.
    pub(super) fn require_unit(self, unit: impl Into<Declared>) -> Result<Term> {
        let unit = unit.into();
        match self.term.unit == unit.unit {
            true => Ok(self.term),
            false => Err(diagnostics::wrong_unit(self.place, unit, self.term.unit)),
        }
    }

    /// Checks that it is a scalar, and gives the term.
    pub(super) fn require_scalar(self) -> Result<Term> {
        match self.term.shape {
            Shape::Scalar => Ok(self.term),
            found => Err(diagnostics::wrong_shape(self.place, Shape::Scalar, found)),
        }
    }

    /// Checks that it is a vector, and gives the term and its length.
    pub(super) fn require_vector(self) -> Result<(Term, usize)> {
        match self.term.shape {
            Shape::Vector(length) => Ok((self.term, length)),
            found => Err(diagnostics::wrong_shape_in_words(self.place, "a vector", found)),
        }
    }
}

/// Two operands of one shape and one unit. `doing` and `span` say what is done with them, for messages.
pub(super) fn alike(mut lhs: Operand, mut rhs: Operand, doing: &str, span: Span) -> Result<(Term, Term)> {
    let shapes = (lhs.term.shape, rhs.term.shape);
    if shapes.0 != shapes.1 {
        return Err(diagnostics::different_shapes(span, doing, shapes.0, shapes.1));
    }
    lhs.term.adopt(rhs.term.unit);
    rhs.term.adopt(lhs.term.unit);
    if lhs.term.unit != rhs.term.unit {
        return Err(diagnostics::different_units(span, doing, lhs.term.unit, rhs.term.unit));
    }
    Ok((lhs.term, rhs.term))
}

/// `lhs + rhs`.
pub(super) fn add(lhs: Operand, rhs: Operand, span: Span) -> Result<Term> {
    let (lhs, rhs) = alike(lhs, rhs, "add", span)?;
    let unit = lhs.unit;
    Ok(Term::binary(Binary::Add, lhs, rhs, unit))
}

/// `lhs - rhs`; `doing` says how the difference arises.
pub(super) fn subtract(lhs: Operand, rhs: Operand, doing: &str, span: Span) -> Result<Term> {
    let (lhs, rhs) = alike(lhs, rhs, doing, span)?;
    let unit = lhs.unit;
    Ok(Term::binary(Binary::Sub, lhs, rhs, unit))
}

/// `lhs * rhs`.
pub(super) fn multiply(lhs: Operand, rhs: Operand, span: Span) -> Result<Term> {
    let (lhs, rhs) = (lhs.term, rhs.term);
    if product_shape(lhs.shape, rhs.shape).is_none() {
        return Err(diagnostics::no_product(span, lhs.shape, rhs.shape));
    }
    let unit = lhs.unit.times(rhs.unit);
    Ok(Term::binary(Binary::Mul, lhs, rhs, unit))
}

fn product_shape(lhs: Shape, rhs: Shape) -> Option<Shape> {
    match (lhs, rhs) {
        (Shape::Scalar, shape) | (shape, Shape::Scalar) => Some(shape),
        (Shape::Matrix(rows, inner), Shape::Vector(n)) if inner == n => Some(Shape::Vector(rows)),
        (Shape::Matrix(rows, inner), Shape::Matrix(n, columns)) if inner == n => Some(Shape::Matrix(rows, columns)),
        _ => None,
    }
}

/// `lhs / rhs`.
pub(super) fn divide(lhs: Operand, rhs: Operand) -> Result<Term> {
    let rhs = rhs.require_scalar()?;
    let unit = lhs.term.unit.over(rhs.unit);
    Ok(Term::binary(Binary::Div, lhs.term, rhs, unit))
}

/// `base ^ exponent`.
pub(super) fn power(base: Operand, exponent: Operand) -> Result<Term> {
    let (base_place, exponent_place) = (base.place, exponent.place);
    let base = base.require_scalar()?;
    let exponent = exponent.require(Shape::Scalar, Unit::ONE)?;
    let unit = if base.unit.is_one() {
        Unit::ONE
    } else {
        let exact = exponent.exact().and_then(Number::as_ratio);
        let (numerator, denominator) =
            exact.ok_or_else(|| diagnostics::exponent_not_constant(exponent_place, base.unit))?;
        let narrow = i64::try_from(numerator).ok().zip(i64::try_from(denominator).ok());
        let power = narrow.and_then(|(numerator, denominator)| base.unit.power(numerator, denominator));
        power.ok_or_else(|| diagnostics::no_such_power(base_place, base.unit))?
    };
    Ok(Term::binary(Binary::Power, base, exponent, unit))
}

/// `[a, b, …]`: a vector of scalars, or a matrix of rows.
pub(super) fn stack(mut parts: Vec<Operand>, place: Place) -> Result<Term> {
    let Some(shape) = parts.first().map(|part| part.term.shape) else {
        return Err(diagnostics::empty_vector(place));
    };
    if let Shape::Matrix(..) = shape {
        return Err(diagnostics::wrong_shape_in_words(place, "scalars or rows", shape));
    }
    let unit = common_unit(&mut parts);
    let terms = parts.into_iter().map(|part| part.require(shape, unit)).collect::<Result<_>>()?;
    Ok(Term::stack(terms, unit, place.first))
}

/// `diag(a, b, …)`.
pub(super) fn diagonal(mut parts: Vec<Operand>, place: Place) -> Result<Term> {
    let unit = common_unit(&mut parts);
    let n = parts.len();
    let terms = parts.into_iter().map(|part| part.require(Shape::Scalar, unit)).collect::<Result<_>>()?;
    Ok(Term { kind: TermKind::Diagonal(terms), shape: Shape::Matrix(n, n), unit, span: place.first })
}

/// The unit of the first part that is not a bare zero.
fn common_unit(parts: &mut [Operand]) -> Unit {
    parts.iter().find(|part| !part.term.is_bare_zero()).map_or(Unit::ONE, |part| part.term.unit)
}

/// The smaller or larger of several, or the angle of two.
pub(super) fn fold(function: Binary, parts: Vec<Operand>, doing: &str, span: Span) -> Result<Term> {
    let mut parts = parts.into_iter();
    let Some(mut result) = parts.next() else {
        return Err(diagnostics::empty_vector(Place::at(span)));
    };
    for part in parts {
        let place = part.place;
        let (lhs, rhs) = alike(result, part, doing, span)?;
        let lhs = Operand { term: lhs, place }.require_scalar()?;
        let unit = if function == Binary::Atan2 { Unit::ONE } else { lhs.unit };
        result = Operand { term: Term::binary(function, lhs, rhs, unit), place };
    }
    result.require_scalar()
}

/// `value` followed by a unit: a factor of SI units.
pub(super) fn with_unit(value: Operand, unit: Unit, factor: impl Fn(Number) -> Number) -> Result<Term> {
    let Operand { mut term, place } = value;
    if !term.unit.is_one() {
        // Of a vector the first component that has the unit.
        let place = match &term.kind {
            TermKind::Stack(parts) => {
                parts.iter().find(|part| !part.is_bare_zero()).map_or(place, |part| Place::at(part.span))
            }
            _ => place,
        };
        return Err(diagnostics::already_has_unit(place, term.unit));
    }
    scale(&mut term, &factor);
    term.relabel(unit);
    Ok(term)
}

fn scale(term: &mut Term, factor: &impl Fn(Number) -> Number) {
    let one = factor(Number::ONE);
    match &mut term.kind {
        TermKind::Number(number) => *number = factor(*number),
        TermKind::Stack(parts) | TermKind::Diagonal(parts) => parts.iter_mut().for_each(|part| scale(part, factor)),
        _ if one.is_one() => {}
        _ => {
            let unscaled = term.clone();
            *term = Term::binary(Binary::Mul, Term::number(one, term.span), unscaled, Unit::ONE);
        }
    }
}

/// `if lhs < rhs { then } else { otherwise }` and the like, by a strict comparison.
pub(super) fn select(comparison: Comparison, sides: (Term, Term), branches: (Term, Term), span: Span) -> Term {
    let ((lhs, rhs), (then, otherwise)) = (sides, branches);
    let ((lhs, rhs), (then, otherwise)) = match comparison {
        Comparison::Less => ((lhs, rhs), (then, otherwise)),
        Comparison::Greater => ((rhs, lhs), (then, otherwise)),
        Comparison::LessOrEqual => ((rhs, lhs), (otherwise, then)),
        Comparison::GreaterOrEqual => ((lhs, rhs), (otherwise, then)),
    };
    let (shape, unit) = (then.shape, then.unit);
    let [lhs, rhs, then, otherwise] = [lhs, rhs, then, otherwise].map(Rc::new);
    Term { kind: TermKind::Select { lhs, rhs, then, otherwise }, shape, unit, span }
}
