//! Errors in what users write: how they are collected, and the text of every one of them.
//!
//! A message is lower case, names are in backticks, what was expected stands before what was found, and a `help:` line
//! follows where there is a next step. It points at the smallest wrong token.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Error;

use crate::resolve::Shape;
use crate::units::Unit;

/// Collects errors, so that all of a stage are reported at once.
#[derive(Debug, Default)]
pub struct Errors(RefCell<Vec<Error>>);

impl Errors {
    /// Adds an error.
    pub fn push(&self, error: Error) {
        self.0.borrow_mut().push(error);
    }

    /// The value of a result, or `None` after taking its error.
    pub fn keep<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// The result of a stage: all errors combined, if there are any.
    ///
    /// # Errors
    ///
    /// What has been collected.
    pub fn finish<T>(self, result: Option<T>) -> syn::Result<T> {
        let all = self.0.into_inner().into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        match (all, result) {
            (None, Some(result)) => Ok(result),
            (Some(all), _) => Err(all),
            (None, None) => Err(Error::new(Span::call_site(), "the model could not be read")),
        }
    }
}

/// A range of tokens.
///
/// Spans cannot be joined on stable Rust, but an error may have a first and a last token.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Span of the first token.
    pub first: Span,
    /// Span of the last token.
    pub last: Span,
}

impl Place {
    /// One token.
    pub fn at(span: Span) -> Place {
        Place { first: span, last: span }
    }

    fn error(self, message: impl Display) -> Error {
        Error::new_spanned(self, message)
    }
}

impl ToTokens for Place {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for span in [self.first, self.last] {
            Ident::new("place", span).to_tokens(tokens);
        }
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Place {
        Place::at(span)
    }
}

/// The candidate that is nearest to a misspelled word, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (1 + length / 4).min(length.saturating_sub(1));
    let distances = candidates.into_iter().map(|candidate| (distance(word, candidate), candidate));
    distances
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, nearest)| nearest)
}

/// Number of characters to insert, delete, replace or exchange with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// `message`, and as help the nearest candidate or else all of them.
fn unknown(name: &Ident, message: String, candidates: &[&str]) -> Error {
    let help = match nearest(&name.to_string(), candidates.iter().copied()) {
        Some(nearest) => format!("\nhelp: did you mean `{nearest}`?"),
        None if candidates.is_empty() => String::new(),
        None => format!("\nhelp: known are {}", list(candidates.iter().copied())),
    };
    Error::new(name.span(), message + &help)
}

// Syntax.

pub(crate) fn expected(place: Place, what: &str, found: &str) -> Error {
    place.error(format!("expected {what}, found {found}"))
}

pub(crate) fn nested_too_deeply(place: Place) -> Error {
    place.error("expression is nested too deeply\nhelp: name parts of it with `let`")
}

pub(crate) fn ambiguous_unit(symbol: &Ident) -> Error {
    Error::new(
        symbol.span(),
        format!("expected `/` between units after `/`, found `{symbol}`\nhelp: write `J/kg/K` or `J kg^-1 K^-1`"),
    )
}

pub(crate) fn unknown_item(word: &Ident) -> Error {
    unknown(word, format!("unknown item `{word}`"), &crate::parse::ITEMS)
}

// Names.

pub(crate) fn unknown_name(name: &Ident, candidates: &[&str]) -> Error {
    let near = nearest(&name.to_string(), candidates.iter().copied());
    unknown(name, format!("unknown name `{name}`"), near.as_slice())
}

/// `what` says of what kind the name should be, e.g. "kind of joint"; help lists the candidates.
pub(crate) fn unknown_word(what: &str, name: &Ident, candidates: &[&str]) -> Error {
    unknown(name, format!("unknown {what} `{name}`"), candidates)
}

pub(crate) fn unknown_unit(symbol: &str, span: Span) -> Error {
    let near = nearest(symbol, crate::units::SYMBOLS.iter().map(|symbol| symbol.name));
    let help = near.map(|near| format!("\nhelp: did you mean `{near}`?")).unwrap_or_default();
    Error::new(span, format!("unknown unit `{symbol}`{help}"))
}

pub(crate) fn unknown_quantity(of: &str, name: &Ident, candidates: &[&str]) -> Error {
    unknown(name, format!("{of} has no `{name}`"), candidates)
}

pub(crate) fn duplicate_name(name: &Ident, first: Span) -> Error {
    let mut error = Error::new(name.span(), format!("duplicate name `{name}`"));
    error.combine(Error::new(first, format!("`{name}` is declared here first")));
    error
}

pub(crate) fn reserved_name(name: &Ident) -> Error {
    Error::new(name.span(), format!("expected a name, found reserved word `{name}`"))
}

pub(crate) fn used_before_declaration(name: &Ident, declared: Span) -> Error {
    let mut error =
        Error::new(name.span(), format!("`{name}` is used before its declaration\nhelp: declare it further up"));
    error.combine(Error::new(declared, format!("`{name}` is declared here")));
    error
}

/// `expected` and `found` are kinds with an article, e.g. "a body".
pub(crate) fn wrong_kind_of_name(place: impl Into<Place>, expected: &str, found: &str, help: &str) -> Error {
    let help = if help.is_empty() { String::new() } else { format!("\nhelp: {help}") };
    place.into().error(format!("expected {expected}, found {found}{help}"))
}

// Fields and settings.

pub(crate) fn unknown_field(of: &str, name: &Ident, candidates: &[&str]) -> Error {
    if candidates.is_empty() {
        return Error::new(name.span(), format!("unknown field `{name}`: {of} has no fields"));
    }
    unknown(name, format!("unknown field `{name}` of {of}"), candidates)
}

pub(crate) fn missing_field(name: &Ident, of: &str, field: &str) -> Error {
    Error::new(name.span(), format!("missing field `{field}` of {of} `{name}`"))
}

pub(crate) fn duplicate_field(name: &Ident, first: Span) -> Error {
    let mut error = Error::new(name.span(), format!("duplicate field `{name}`"));
    error.combine(Error::new(first, format!("`{name}` is given here first")));
    error
}

pub(crate) fn repeated_setting(span: Span, word: &str, first: Span) -> Error {
    let mut error = Error::new(span, format!("`{word}` is written twice"));
    error.combine(Error::new(first, "first written here"));
    error
}

pub(crate) fn option_needs_value(name: &Ident, example: &str) -> Error {
    Error::new(name.span(), format!("expected a value of `{name}`\nhelp: write `{name}: {example}`"))
}

pub(crate) fn option_takes_no_value(name: &Ident) -> Error {
    Error::new(name.span(), format!("`{name}` takes no value"))
}

pub(crate) fn named_twice(again: &Ident) -> Error {
    Error::new(again.span(), format!("expected one name of the coordinate, found another: `{again}`"))
}

pub(crate) fn not_one_coordinate(option: &Ident, kind: &str, needed: &str) -> Error {
    Error::new(option.span(), format!("`{option}` needs a joint with {needed}, found `{kind}`"))
}

pub(crate) fn wrong_reference_point(point: &Ident) -> Error {
    Error::new(
        point.span(),
        format!(
            "expected `origin`, found `{point}`\nhelp: without `about origin` an inertia is about the center of mass"
        ),
    )
}

pub(crate) fn about_in_field(point: &Ident, field: &Ident) -> Error {
    Error::new(point.span(), format!("`about` belongs to an inertia, found it in `{field}`"))
}

pub(crate) fn input_not_in_si(place: Place, unit: Unit) -> Error {
    place.error(format!("expected an input in SI units, found a multiple of {unit}\nhelp: convert it where it is used"))
}

// Units and shapes.

pub(crate) fn wrong_unit(place: Place, expected: Unit, found: Unit) -> Error {
    let help = if found.is_one() {
        format!("\nhelp: write the unit after the number: `1.0 {expected}`")
    } else {
        String::new()
    };
    place.error(format!("expected {}, found {}{help}", named(expected), named(found)))
}

pub(crate) fn different_units(span: Span, doing: &str, lhs: Unit, rhs: Unit) -> Error {
    Error::new(span, format!("cannot {doing} different units: {} and {}", named(lhs), named(rhs)))
}

fn named(unit: Unit) -> String {
    if unit.is_one() { "a pure number".to_owned() } else { unit.to_string() }
}

pub(crate) fn already_has_unit(place: Place, unit: Unit) -> Error {
    place.error(format!("expected pure numbers before a unit, found {unit}"))
}

pub(crate) fn no_such_power(place: Place, unit: Unit) -> Error {
    place.error(format!("this power of {unit} is not a unit"))
}

pub(crate) fn exponent_not_constant(place: Place, unit: Unit) -> Error {
    place.error(format!("expected a constant exponent of {unit}, found an expression"))
}

pub(crate) fn wrong_shape(place: Place, expected: Shape, found: Shape) -> Error {
    place.error(format!("expected {}, found {}", shape(expected), shape(found)))
}

pub(crate) fn wrong_shape_in_words(place: Place, expected: &str, found: Shape) -> Error {
    place.error(format!("expected {expected}, found {}", shape(found)))
}

pub(crate) fn different_shapes(span: Span, doing: &str, lhs: Shape, rhs: Shape) -> Error {
    Error::new(span, format!("cannot {doing} {} and {}", shape(lhs), shape(rhs)))
}

pub(crate) fn no_product(span: Span, lhs: Shape, rhs: Shape) -> Error {
    let help = match (lhs, rhs) {
        (Shape::Vector(_), Shape::Vector(_)) => "\nhelp: write `dot(a, b)` or `cross(a, b)`",
        _ => "",
    };
    Error::new(span, format!("cannot multiply {} by {}{help}", shape(lhs), shape(rhs)))
}

fn shape(shape: Shape) -> String {
    match shape {
        Shape::Scalar => "a scalar".to_owned(),
        Shape::Vector(n) => format!("a vector of {n}"),
        Shape::Matrix(rows, columns) => format!("a {rows} × {columns} matrix"),
    }
}

pub(crate) fn empty_vector(place: Place) -> Error {
    place.error("expected components, found an empty list")
}

pub(crate) fn number_out_of_range(place: Place) -> Error {
    place.error("number is too large")
}

pub(crate) fn index_not_integer(place: Place) -> Error {
    place.error("expected an integer index, counted from 0")
}

pub(crate) fn index_out_of_range(place: Place, length: usize) -> Error {
    place.error(format!("expected an index below {length}"))
}

pub(crate) fn wrong_argument_count(function: &Ident, expected: usize, found: usize) -> Error {
    let plural = if expected == 1 { "" } else { "s" };
    Error::new(function.span(), format!("expected {expected} argument{plural} of `{function}`, found {found}"))
}

// What may stand where.

/// `where_` says where, e.g. "a parameter"; `what` what it may not depend on, e.g. "the motion".
pub(crate) fn not_allowed_in(span: Span, where_: &str, allowed: &str, found: &str) -> Error {
    Error::new(span, format!("{where_} may depend on {allowed} only, found {found}"))
}

/// An acceleration in an applied force, which would make the mass matrix depend on it.
pub fn acceleration_in_force(span: Span) -> Error {
    Error::new(span, "a force may not depend on accelerations")
}

/// A constraint on velocities, where the language has constraints on positions.
pub fn velocity_in_constraint(span: Span) -> Error {
    Error::new(
        span,
        "expected positions in a constraint, found a velocity\nhelp: write the constraint at position level; its rates follow",
    )
}

/// A constraint that depends on an input, whose rates nobody knows.
pub fn input_in_constraint(span: Span, name: &str) -> Error {
    Error::new(span, format!("a constraint may not depend on the input `{name}`: its rates are not known"))
}

pub(crate) fn only_in_space(place: impl Into<Place>, what: &str) -> Error {
    place.into().error(format!("{what} is spatial, but the model is `planar`"))
}

pub(crate) fn only_in_plane(place: impl Into<Place>, what: &str) -> Error {
    place.into().error(format!("{what} needs a `planar` model"))
}

pub(crate) fn needs_joint_coordinates(place: Place, what: &str) -> Error {
    place.error(format!("{what} needs `coordinates joint` and a joint of the spanning tree"))
}

pub(crate) fn no_motion(place: Place, what: &str) -> Error {
    place.error(format!("expected {what} on the motion, found an expression without positions or velocities"))
}

pub(crate) fn default_not_finite(place: Place, name: &Ident, value: f64) -> Error {
    place.error(format!("expected a finite default of `{name}`, found {value}"))
}

// Ends of joints and forces.

pub(crate) fn not_a_body(coordinate: &Ident) -> Error {
    Error::new(coordinate.span(), format!("expected a body, found `.{coordinate}`"))
}

pub(crate) fn point_has_no_axes(place: Place) -> Error {
    place.error("a force acts at a point, which has no axes\nhelp: give a vector in the axes of a body with `in`")
}

pub(crate) fn coordinate_has_no_points(place: Place) -> Error {
    place.error("a force on a coordinate has no point")
}

pub(crate) fn coordinate_not_named(joint: &Ident) -> Error {
    Error::new(
        joint.span(),
        format!("joint `{joint}` does not have exactly one coordinate\nhelp: name one: `{joint}.x`"),
    )
}

pub(crate) fn nothing_beside_a_coordinate(name: &Ident) -> Error {
    Error::new(name.span(), format!("a force on a coordinate takes neither `from` nor `in`, found `{name}`"))
}

pub(crate) fn torque_has_no_point(place: Place) -> Error {
    place.error("a torque acts on a whole body, not at a point")
}

pub(crate) fn needs_an_angle(place: Place, kind: &str) -> Error {
    place.error(format!("`{kind}` needs a coordinate that is an angle"))
}

// Mechanics.

pub(crate) fn no_bodies(model: &Ident) -> Error {
    Error::new(model.span(), format!("model `{model}` has no body"))
}

pub(crate) fn wrong_number_of_ends(name: &Ident, kind: &Ident, expected: &str, found: usize) -> Error {
    let plural = if expected == "1" { "" } else { "s" };
    Error::new(kind.span(), format!("expected {expected} end{plural} of `{name}`, found {found}"))
}

pub(crate) fn joint_to_itself(end: &Ident) -> Error {
    Error::new(end.span(), format!("expected two bodies, found `{end}` twice"))
}

pub(crate) fn unattached_body(body: &Ident) -> Error {
    Error::new(
        body.span(),
        format!(
            "body `{body}` is not attached\nhelp: add a joint, or let it move freely: `joint {body}_motion: free(ground, {body});`"
        ),
    )
}

pub(crate) fn reversed_joint(joint: &Ident, far: &Ident, near: &Ident) -> Error {
    Error::new(
        far.span(),
        format!(
            "joint `{joint}` attaches `{far}` to `{near}`, but names `{far}` first\nhelp: name the end nearer to the ground first"
        ),
    )
}

pub(crate) fn not_positive(place: Place, what: &str, body: &Ident, value: f64) -> Error {
    place.error(format!("expected a positive {what} of `{body}`, found {value}"))
}

pub(crate) fn inertia_not_symmetric(place: Place, body: &Ident) -> Error {
    place.error(format!("expected a symmetric inertia of `{body}`"))
}

pub(crate) fn inertia_not_positive_definite(place: Place, body: &Ident) -> Error {
    place.error(format!("expected a positive definite inertia of `{body}`"))
}

pub(crate) fn inertia_violates_triangle(place: Place, body: &Ident, moments: [f64; 3]) -> Error {
    let [a, b, c] = moments;
    place.error(format!(
        "no rigid body has the inertia of `{body}`: its principal moments {a}, {b}, {c} violate the triangle inequality\nhelp: no moment may exceed the sum of the other two"
    ))
}

pub(crate) fn axis_not_constant(place: Place) -> Error {
    place.error("expected numbers in the direction of an axis\nhelp: turn the joint with `rotated` where the direction depends on parameters")
}

pub(crate) fn not_a_rotation(place: Place) -> Error {
    place.error("expected a rotation, found a matrix whose columns are not orthonormal and right-handed\nhelp: use `rotation_x`, `rotation_y`, `rotation_z` or `euler_zyx`")
}

pub(crate) fn axis_is_zero(place: Place) -> Error {
    place.error("expected a direction, found a zero vector")
}

pub(crate) fn axis_and_rotation(place: Place) -> Error {
    place.error("expected either `axis` or `rotated`, found both")
}

pub(crate) fn expression_too_large(place: Place) -> Error {
    place.error("expression grows too large where its names are replaced by what they stand for")
}

/// Constraints of a joint (or a written constraint) that follow from the others; `surplus` of them.
pub fn redundant_constraints(span: Span, member: &str, surplus: usize) -> Error {
    let verb = if surplus == 1 { "constraint follows" } else { "constraints follow" };
    Error::new(
        span,
        format!(
            "{surplus} {verb} from the others at `{member}`\nhelp: replace the joint by one that leaves more freedom, e.g. `spherical` for `revolute`"
        ),
    )
}

/// A coordinate without inertia: the mass matrix is singular.
pub fn massless_coordinate(span: Span, coordinate: &str) -> Error {
    Error::new(span, format!("coordinate `{coordinate}` moves no mass, so the mass matrix is singular"))
}

/// Constraints and initial conditions that no configuration satisfies; `residual` is what remains.
pub fn unassemblable(span: Span, residual: f64) -> Error {
    Error::new(
        span,
        format!(
            "no configuration satisfies the constraints: a residual of {residual:.1e} remains\nhelp: check lengths and the `initial` positions"
        ),
    )
}
