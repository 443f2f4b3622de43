//! Messages of units, shapes and dependence of expressions.

use proc_macro2::{Ident, Span};
use syn::Error;

use super::words::{advise, advise_if, did_you_mean, error, plural, shape, unit};
use super::{Family, Place};
use crate::space::Shape;
use crate::spelling::nearest;
use crate::units::{Declared, Unit};

/// Units by their names, without the `s` of several.
const WORDS: &[(&str, &str)] = &[
    ("radian", "rad"),
    ("degree", "deg"),
    ("kilogram", "kg"),
    ("gram", "g"),
    ("tonne", "t"),
    ("metre", "m"),
    ("meter", "m"),
    ("sec", "s"),
    ("second", "s"),
    ("minute", "min"),
    ("hour", "h"),
    ("knot", "kn"),
    ("hertz", "Hz"),
    ("newton", "N"),
    ("pascal", "Pa"),
    ("joule", "J"),
    ("watt", "W"),
    ("ampere", "A"),
    ("volt", "V"),
    ("kelvin", "K"),
];

pub(crate) fn unknown_unit(symbol: &str, span: Span) -> Error {
    let known = || crate::units::SYMBOLS.iter().map(|symbol| symbol.name);
    // `Nm` means `N m`, and `KG` is `kg`.
    let is_known = |word: &str| known().any(|known| known == word);
    let parts = symbol.char_indices().map(|(at, _)| symbol.split_at(at));
    // A doubled letter is a slip.
    let is_meant = |(a, b): &(&str, &str)| is_known(a) && is_known(b) && !a.ends_with(b);
    let two = parts.into_iter().find(is_meant).map(|(a, b)| format!("{a} {b}"));
    // Of `kn` and `kN`, `Kn` is the first and `KN` the second.
    let letters = |known: &&str| known.chars().zip(symbol.chars()).filter(|(a, b)| a == b).count();
    let same = known().filter(|known| known.eq_ignore_ascii_case(symbol)).max_by_key(letters).map(str::to_owned);
    let word = || WORDS.iter().find(|(word, _)| symbol.trim_end_matches('s').eq_ignore_ascii_case(word));
    let near = || nearest(symbol, known()).map(str::to_owned);
    let meant = same.or(two).or_else(|| word().map(|(_, symbol)| (*symbol).to_owned())).or_else(near);
    advise_if(Family::UnknownUnit, span, format!("unknown unit `{symbol}`"), meant.as_deref().map(did_you_mean))
}

pub(crate) fn input_not_in_si(place: Place, unit: Unit) -> Error {
    let message = format!("expected an input in SI units, found a multiple of {unit}");
    advise(Family::NotSi, place, message, "convert it where it is used")
}

pub(crate) fn state_not_in_si(place: Place, unit: Unit) -> Error {
    let message = format!("expected a state in SI units, found a multiple of {unit}");
    advise(Family::NotSi, place, message, "convert it where it is used")
}

pub(crate) fn wrong_unit(place: Place, expected: impl Into<Declared>, found: Unit) -> Error {
    let expected = expected.into();
    let written = expected.written().filter(|_| found.is_one());
    let help = written.map(|written| format!("write the unit after the number: `1.0 {written}`"));
    advise_if(Family::WrongUnit, place, format!("expected {expected}, found {}", unit(found)), help)
}

/// `doing` says what is done with the two, e.g. "add".
pub(crate) fn different_units(span: Span, doing: &str, lhs: Unit, rhs: Unit) -> Error {
    error(Family::WrongUnit, span, format!("cannot {doing} different units: {} and {}", unit(lhs), unit(rhs)))
}

pub(crate) fn already_has_unit(place: Place, unit: Unit) -> Error {
    let help = "leave the unit out; a plain `0` fits every unit";
    advise(Family::UnitTwice, place, format!("expected pure numbers before a unit, found {unit}"), help)
}

pub(crate) fn no_such_power(place: Place, unit: Unit) -> Error {
    error(Family::WrongUnit, place, format!("this power of {unit} is not a unit"))
}

pub(crate) fn exponent_not_constant(place: Place, unit: Unit) -> Error {
    error(Family::WrongUnit, place, format!("expected a constant exponent of {unit}, found an expression"))
}

pub(crate) fn wrong_shape(place: Place, expected: Shape, found: Shape) -> Error {
    wrong_shape_in_words(place, &shape(expected), found)
}

pub(crate) fn wrong_shape_in_words(place: Place, expected: &str, found: Shape) -> Error {
    error(Family::WrongShape, place, format!("expected {expected}, found {}", shape(found)))
}

/// `doing` says what is done with the two, e.g. "add".
pub(crate) fn different_shapes(span: Span, doing: &str, lhs: Shape, rhs: Shape) -> Error {
    error(Family::WrongShape, span, format!("cannot {doing} {} and {}", shape(lhs), shape(rhs)))
}

pub(crate) fn no_product(span: Span, lhs: Shape, rhs: Shape) -> Error {
    let are_vectors = matches!((lhs, rhs), (Shape::Vector(_), Shape::Vector(_)));
    let help = are_vectors.then_some("write `dot(a, b)` or `cross(a, b)`");
    advise_if(Family::WrongShape, span, format!("cannot multiply {} by {}", shape(lhs), shape(rhs)), help)
}

pub(crate) fn empty_vector(place: Place) -> Error {
    error(Family::WrongShape, place, "expected components, found an empty list")
}

pub(crate) fn number_out_of_range(place: Place) -> Error {
    error(Family::NumberRange, place, "number is too large")
}

pub(crate) fn index_out_of_range(place: Place, length: usize) -> Error {
    error(Family::Integer, place, format!("expected an index below {length}"))
}

pub(crate) fn wrong_argument_count(function: &Ident, expected: usize, found: usize) -> Error {
    error(
        Family::Arguments,
        function,
        format!("expected {expected} {} of `{function}`, found {found}", plural("argument", expected)),
    )
}

pub(crate) fn expression_too_deep(place: Place, most: usize) -> Error {
    let message =
        format!("expected at most {most} operations within each other where names are replaced by what they stand for");
    advise(Family::Limit, place, message, "begin a chain of `let` again from a parameter or a quantity of the motion")
}

pub(crate) fn expression_too_large(place: Place, most: usize) -> Error {
    error(
        Family::Limit,
        place,
        format!("expected at most {most} terms where names are replaced by what they stand for"),
    )
}

pub(crate) fn too_many_terms(place: Place, most: usize) -> Error {
    let message = format!("expected at most {most} terms in a model, with its names replaced by what they stand for");
    advise(Family::Limit, place, message, "use the names of long expressions less often")
}

/// A number that may be degrees as well as radians.
pub(crate) fn angle_without_unit(place: Place, text: &str, can_have_unit: bool) -> Error {
    let help = match can_have_unit {
        true => format!("write `{text} deg` or `{text} rad`"),
        false => format!("write `({text}) * 1 deg` or `({text}) * 1 rad`"),
    };
    advise(Family::AngleWithoutUnit, place, format!("expected an angle with its unit, found the number `{text}`"), help)
}

/// A number divided by an angle, as `90/2 deg`.
pub(crate) fn divided_by_angle(place: Place, text: &str, unit: &str) -> Error {
    let message = format!("expected an angle, found `{text}`, which divides by so many {unit}");
    let help = format!("units belong to the number before them: write `90 {unit} / 2` for half of 90 {unit}");
    advise(Family::AngleWithoutUnit, place, message, help)
}

pub(crate) fn not_a_value(place: Place, found: &str, help: &str) -> Error {
    advise(Family::WrongKind, place, format!("expected a value, found {found}"), help)
}

/// `member` says what depends, e.g. "a parameter"; `allowed` and `found` on what.
pub(crate) fn wrong_dependence(span: Span, member: &str, allowed: &str, found: &str) -> Error {
    error(Family::Dependence, span, format!("{member} may depend on {allowed} only, found {found}"))
}

/// An acceleration in an applied force, which would make the mass matrix depend on it.
pub(crate) fn acceleration_in_force(span: Span) -> Error {
    error(Family::Dependence, span, "a force may not depend on accelerations")
}

/// A velocity in a constraint on positions.
pub(crate) fn velocity_in_constraint(span: Span) -> Error {
    let help = "write the constraint at position level, its rates follow; or end it with `as velocity` if it has none";
    advise(Family::ConstraintLevel, span, "expected positions in a constraint, found a velocity", help)
}

/// A constraint on velocities, or a slip, that is not linear in them; `what` says which.
pub(crate) fn not_linear_in_velocities(span: Span, what: &str) -> Error {
    let help = "its coefficients may depend on positions and time, but not on velocities";
    advise(Family::ConstraintLevel, span, format!("expected {what} that is linear in velocities"), help)
}

/// An input in a constraint; nobody knows its rates.
pub(crate) fn input_in_constraint(span: Span, name: &str) -> Error {
    error(
        Family::Dependence,
        span,
        format!("a constraint may not depend on the input `{name}`: its rates are not known"),
    )
}

/// `what` is e.g. "a constraint", `without` what it lacks, e.g. "velocities".
pub(crate) fn no_motion(place: Place, what: &str, without: &str) -> Error {
    error(Family::NoMotion, place, format!("expected {what} on the motion, found an expression without {without}"))
}
