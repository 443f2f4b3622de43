//! Messages of what is written in no form that the language has.

use proc_macro2::{Ident, Literal, Span};
use syn::Error;

use super::words::{advise, error, plural, unknown};
use super::{Family, Place};

pub(crate) fn expected(place: Place, what: &str, found: &str) -> Error {
    error(Family::Syntax, place, format!("expected {what}, found {found}"))
}

/// A keyword of Rust where a name is read.
pub(crate) fn keyword_as_name(word: &Ident, what: &str) -> Error {
    let help = format!("keywords of Rust name nothing in a model: write `{word}_`, for instance");
    advise(Family::NotAName, word, format!("expected {what}, found keyword `{word}`"), help)
}

pub(crate) fn connective_in_expression(word: &Ident) -> Error {
    let message = format!("expected an expression, found `{word}`");
    advise(
        Family::Syntax,
        word,
        message,
        format!("`{word}` is a word of the language, so that nothing can have this name"),
    )
}

pub(crate) fn no_digit_before_point(point: Span) -> Error {
    advise(Family::Syntax, point, "expected an expression, found `.`", "a number has a digit before its point: `0.1`")
}

pub(crate) fn no_model(place: Place, found: &str) -> Error {
    advise(
        Family::Syntax,
        place,
        format!("expected `model`, found {found}"),
        "all items stand within a model: `model Name { … }`",
    )
}

pub(crate) fn decimal_comma(literal: &Literal) -> Error {
    let message = format!("expected the name of a field, found `{literal}`");
    advise(Family::Syntax, literal.span(), message, "fields are separated by `,`; decimals follow a point: `3.5`")
}

pub(crate) fn comment_after_hash(hash: Span) -> Error {
    advise(Family::Syntax, hash, "expected an item, found `#`", "comments begin with `//`")
}

pub(crate) fn name_too_long(name: &Ident, most: usize) -> Error {
    error(Family::Limit, Place::at(name.span()), format!("expected a name of at most {most} characters"))
}

pub(crate) fn raw_name(name: &Ident) -> Error {
    let help = "names are those of other languages too: write it without `r#`, and no keyword";
    advise(Family::NotAName, name, format!("expected a name, found `{name}`"), help)
}

pub(crate) fn path_to_the_runtime(place: Place) -> Error {
    let help = "name the dependency, as `crate = dynamics;`, or where this crate has it, as `crate = crate::dynamics;`";
    advise(Family::NotAName, place, "expected a path to the crate `hamel` that means the same in every module", help)
}

pub(crate) fn nested_too_deeply(place: Place, most: usize) -> Error {
    let message = format!("expected at most {most} levels within each other");
    advise(Family::Limit, place, message, "name parts of an expression with `let`")
}

pub(crate) fn too_many_tokens(span: Span, most: usize) -> Error {
    let message = format!("expected at most {most} tokens in a model");
    advise(Family::Limit, span, message, "write what is repeated with `for` and `[value; n]`")
}

pub(crate) fn too_many_substituted_tokens(range: Place, most: usize) -> Error {
    let message = format!("expected at most {most} tokens from all rounds of all loops together");
    advise(Family::Limit, range, message, "shorten what the names of the loops stand for, or name it with `let`")
}

pub(crate) fn ambiguous_unit(symbol: &Ident) -> Error {
    let message = format!("expected `/` between units after `/`, found `{symbol}`");
    advise(Family::UnknownUnit, symbol, message, "write `J/kg/K` or `J kg^-1 K^-1`")
}

/// A unit that a number is divided by, and the name of something in the model.
pub(crate) fn unit_is_a_name(place: Span, symbol: &str, before: &str) -> Error {
    let help = format!("write `({before}) / {symbol}` for the name, and `{before} {symbol}^-1` for the unit");
    advise(
        Family::UnknownUnit,
        Place::at(place),
        format!("`{symbol}` is a unit behind a number, and a name of this model"),
        help,
    )
}

pub(crate) fn unknown_item(word: &Ident, items: &[&str]) -> Error {
    unknown(Family::UnknownWord, word, format!("unknown item `{word}`"), items)
}

/// `contact left: { … }`
pub(crate) fn colon_without_kind(colon: Span, name: &Ident) -> Error {
    let message = format!("expected `{{` after `{name}`, found `:`");
    let help = format!(
        "a contact with a gap of its own has no colon: `contact {name} {{ gap: … }}`; \
         one of a kind has: `contact {name}: ball_on_plane(ball, ground) {{ … }}`"
    );
    advise(Family::Syntax, colon, message, help)
}

/// `body rod: { … }`
pub(crate) fn colon_of_body(colon: Span, name: &Ident) -> Error {
    let message = format!("expected `{{` after `{name}`, found `:`");
    advise(
        Family::Syntax,
        colon,
        message,
        format!("a body has no colon after its name: `body {name} {{ mass: …, inertia: … }}`"),
    )
}

/// `force push: { … }`
pub(crate) fn expected_a_force(brace: Span) -> Error {
    let help = "braces hold the fields of a kind: `spring(ground, bob) { stiffness: 20 N/m }`; \
                a vector acts `on` a body: `[0, 0, 1] N on bob`";
    advise(Family::Syntax, brace, "expected a kind of force with its ends, or an expression, found `{`", help)
}

/// A state whose declaration ends before its rate.
pub(crate) fn state_without_rate(place: Place, name: &Ident) -> Error {
    let message = format!("expected `:` and the rate of change of state `{name}`");
    advise(
        Family::Syntax,
        place,
        message,
        format!("for example `state {name} m/s: (v - {name}) / (10 s);`, without unit for a number"),
    )
}

pub(crate) fn index_not_integer(place: Place) -> Error {
    error(Family::Integer, place, "expected an integer index, counted from 0")
}

pub(crate) fn not_an_integer(place: Place) -> Error {
    advise(Family::Integer, place, "expected an integer", "write a number, or a `const` that is declared further up")
}

pub(crate) fn not_a_count(place: Place, most: i64) -> Error {
    error(Family::Integer, place, format!("expected a number of components from 1 to {most}"))
}

pub(crate) fn too_many_values(count: Place, most: i64) -> Error {
    let message = format!("expected at most {most} repeated values in a model");
    advise(Family::Limit, count, message, "check this count, and the loops around it")
}

pub(crate) fn too_many_rounds(range: Place, most: usize) -> Error {
    advise(
        Family::Limit,
        range,
        format!("expected at most {most} rounds of all loops together"),
        "check the bounds of this range",
    )
}

pub(crate) fn too_many_items(range: Place, most: usize) -> Error {
    let message = format!("expected at most {most} items, those of all rounds counted");
    advise(Family::Limit, range, message, "check the bounds of the loops")
}

pub(crate) fn wrong_number_of_values(span: Span, names: usize, found: usize) -> Error {
    error(Family::Integer, span, format!("expected {names} {}, found {found}", plural("value", names)))
}
