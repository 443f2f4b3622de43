//! Functions that expressions may call.

use std::rc::Rc;

use proc_macro2::Ident;
use syn::Result;

use super::dimensions::{self, Operand};
use super::{Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::{Binary, Number, Unary};
use crate::space::Shape;
use crate::units::Unit;

/// Names of all functions.
pub(super) static NAMES: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "cross",
    "diag",
    "dot",
    "euler_zyx",
    "exp",
    "ln",
    "max",
    "min",
    "norm",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "sign",
    "sin",
    "sqrt",
    "tan",
    "tanh",
    "transpose",
];

/// Calls a function.
pub(super) fn call(name: &Ident, arguments: Vec<Operand>, place: Place) -> Result<Term> {
    let span = name.span();
    match name.to_string().as_str() {
        "sin" => pure(Unary::Sin, name, arguments),
        "cos" => pure(Unary::Cos, name, arguments),
        "tan" => pure(Unary::Tan, name, arguments),
        "asin" => pure(Unary::Asin, name, arguments),
        "acos" => pure(Unary::Acos, name, arguments),
        "atan" => pure(Unary::Atan, name, arguments),
        "exp" => pure(Unary::Exp, name, arguments),
        "ln" => pure(Unary::Ln, name, arguments),
        "tanh" => pure(Unary::Tanh, name, arguments),
        "abs" => {
            let [argument] = exactly(name, arguments)?;
            let argument = argument.require_scalar()?;
            let unit = argument.unit;
            Ok(unary(Unary::Abs, argument, unit))
        }
        "sign" => {
            let [argument] = exactly(name, arguments)?;
            Ok(unary(Unary::Sign, argument.require_scalar()?, Unit::ONE))
        }
        "sqrt" => {
            let [argument] = exactly(name, arguments)?;
            let place = argument.place;
            let argument = argument.require_scalar()?;
            let root = argument.unit.power(1, 2);
            let unit = root.ok_or_else(|| diagnostics::no_such_power(place, argument.unit))?;
            Ok(unary(Unary::Sqrt, argument, unit))
        }
        "min" => at_least_two(name, Binary::Min, arguments),
        "max" => at_least_two(name, Binary::Max, arguments),
        "atan2" => {
            let both: [Operand; 2] = exactly(name, arguments)?;
            dimensions::fold(Binary::Atan2, both.into(), "take the angle of", span)
        }
        "dot" => {
            let [a, b] = exactly(name, arguments)?;
            let ((a, n), (b, m)) = (a.require_vector()?, b.require_vector()?);
            if n != m {
                return Err(diagnostics::different_shapes(span, "take the scalar product of", a.shape, b.shape));
            }
            let unit = a.unit.times(b.unit);
            Ok(Term::scalar(TermKind::Dot(Rc::new(a), Rc::new(b)), unit, span))
        }
        "cross" => cross(name, arguments),
        "norm" => {
            let [argument] = exactly(name, arguments)?;
            let (vector, _) = argument.require_vector()?;
            let unit = vector.unit;
            Ok(Term::scalar(TermKind::Norm(Rc::new(vector)), unit, span))
        }
        "transpose" => {
            let [Operand { term, place }] = exactly(name, arguments)?;
            let Shape::Matrix(rows, columns) = term.shape else {
                return Err(diagnostics::wrong_shape_in_words(place, "a matrix", term.shape));
            };
            let unit = term.unit;
            Ok(Term { kind: TermKind::Transpose(Rc::new(term)), shape: Shape::Matrix(columns, rows), unit, span })
        }
        "diag" => match arguments.is_empty() {
            true => Err(diagnostics::empty_vector(place)),
            false => dimensions::diagonal(arguments, place),
        },
        "rotation_x" => rotation(name, 0, arguments),
        "rotation_y" => rotation(name, 1, arguments),
        "rotation_z" => rotation(name, 2, arguments),
        "euler_zyx" => {
            let [phi, theta, psi] = exactly(name, arguments)?;
            let [phi, theta, psi] =
                [rotation(name, 0, vec![phi])?, rotation(name, 1, vec![theta])?, rotation(name, 2, vec![psi])?];
            let yx = Term::binary(Binary::Mul, theta, phi, Unit::ONE);
            Ok(Term::binary(Binary::Mul, psi, yx, Unit::ONE))
        }
        _ => Err(diagnostics::unknown_word("function", name, NAMES)),
    }
}

fn exactly<const N: usize>(name: &Ident, arguments: Vec<Operand>) -> Result<[Operand; N]> {
    arguments.try_into().map_err(|all: Vec<Operand>| diagnostics::wrong_argument_count(name, N, all.len()))
}

fn at_least_two(name: &Ident, function: Binary, arguments: Vec<Operand>) -> Result<Term> {
    match arguments.len() {
        0 | 1 => Err(diagnostics::wrong_argument_count(name, 2, arguments.len())),
        _ => dimensions::fold(function, arguments, "compare", name.span()),
    }
}

fn unary(function: Unary, argument: Term, unit: Unit) -> Term {
    let span = argument.span;
    Term::scalar(TermKind::Unary(function, Rc::new(argument)), unit, span)
}

/// A function from pure numbers to pure numbers.
fn pure(function: Unary, name: &Ident, arguments: Vec<Operand>) -> Result<Term> {
    let [argument] = exactly(name, arguments)?;
    Ok(unary(function, argument.require(Shape::Scalar, Unit::ONE)?, Unit::ONE))
}

/// A vector in space; in the plane the component along z.
fn cross(name: &Ident, arguments: Vec<Operand>) -> Result<Term> {
    let [a, b] = exactly(name, arguments)?;
    let ((a, n), (b, m)) = (a.require_vector()?, b.require_vector()?);
    let shape = match (n, m) {
        (2, 2) => Shape::Scalar,
        (3, 3) => Shape::Vector(3),
        _ => return Err(diagnostics::different_shapes(name.span(), "take the vector product of", a.shape, b.shape)),
    };
    let unit = a.unit.times(b.unit);
    Ok(Term { kind: TermKind::Cross(Rc::new(a), Rc::new(b)), shape, unit, span: name.span() })
}

/// The matrix of a rotation about a coordinate axis: the turned axes are its columns.
fn rotation(name: &Ident, axis: usize, arguments: Vec<Operand>) -> Result<Term> {
    let [angle] = exactly(name, arguments)?;
    let angle = angle.require(Shape::Scalar, Unit::ONE)?;
    let span = name.span();
    let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
    let entry = |row: usize, column: usize| match (row, column) {
        _ if row == column && row == axis => Term::number(Number::ONE, span),
        _ if row == column => unary(Unary::Cos, angle.clone(), Unit::ONE),
        _ if (row, column) == (third, second) => unary(Unary::Sin, angle.clone(), Unit::ONE),
        _ if (row, column) == (second, third) => unary(Unary::Sin, angle.clone(), Unit::ONE).negated(),
        _ => Term::number(Number::ZERO, span),
    };
    let rows = (0..3).map(|row| Term::stack((0..3).map(|column| entry(row, column)).collect(), Unit::ONE, span));
    Ok(Term::stack(rows.collect(), Unit::ONE, span))
}
