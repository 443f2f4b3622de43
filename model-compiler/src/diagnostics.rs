//! Errors in what users write: how they are collected, and the text of every one of them.
//!
//! A message is lower case, names are in backticks, what was expected stands before what was found, and a `help:` line
//! follows where there is a next step. It points at the smallest wrong token.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt::Display;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Error;

use crate::limits;
use crate::space::Shape;
use crate::spelling::{nearest, spelled};
use crate::units::Unit;

/// Collects errors, so that all of a stage are reported at once; of very many the first.
#[derive(Debug, Default)]
pub struct Errors {
    kept: RefCell<Vec<Error>>,
    /// Places and texts of those that are kept.
    seen: RefCell<HashSet<(String, String)>>,
    found: Cell<usize>,
}

impl Errors {
    /// Adds an error, unless one that says the same at the same place has been added: the rounds of a loop share their
    /// tokens.
    pub fn push(&self, error: Error) {
        if self.is_full() {
            return;
        }
        self.found.update(|found| found + 1);
        let text: String = error.to_string().chars().filter(|character| !character.is_ascii_digit()).collect();
        if self.seen.borrow_mut().insert((format!("{:?}", error.span()), text)) {
            self.kept.borrow_mut().push(error);
        }
    }

    /// Whether further errors are not worth looking into.
    pub(crate) fn is_full(&self) -> bool {
        self.found.get() >= limits::ERRORS
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
        let all = self.kept.into_inner().into_iter().reduce(|mut all, error| {
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

impl From<&Ident> for Place {
    fn from(name: &Ident) -> Place {
        Place::at(name.span())
    }
}

fn error(place: impl Into<Place>, message: impl Display) -> Error {
    Error::new_spanned(place.into(), spelled(&message.to_string()))
}

/// An error with a next step.
fn advise(place: impl Into<Place>, message: impl Display, help: impl Display) -> Error {
    error(place, format!("{message}\nhelp: {help}"))
}

/// An error with a next step, if there is one.
fn advise_if(place: impl Into<Place>, message: impl Display, help: Option<impl Display>) -> Error {
    match help {
        Some(help) => advise(place, message, help),
        None => error(place, message),
    }
}

/// An error that has to do with another place.
fn beside(mut error: Error, other: Span, note: impl Display) -> Error {
    error.combine(Error::new(other, spelled(&note.to_string())));
    error
}

/// An error about a word, and as help the nearest candidate or else all of them.
fn unknown(name: &Ident, message: impl Display, candidates: &[&str]) -> Error {
    let help = match nearest(&name.to_string(), candidates.iter().copied()) {
        Some(nearest) => Some(did_you_mean(nearest)),
        None if candidates.is_empty() => None,
        None => Some(format!("known are {}", list(candidates))),
    };
    advise_if(name, message, help)
}

fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn plural(word: &str, count: usize) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

pub(crate) fn expected(place: Place, what: &str, found: &str) -> Error {
    error(place, format!("expected {what}, found {found}"))
}

pub(crate) fn name_too_long(name: &Ident, most: usize) -> Error {
    error(Place::at(name.span()), format!("expected a name of at most {most} characters"))
}

pub(crate) fn raw_name(name: &Ident) -> Error {
    let help = "names are those of other languages too: write it without `r#`, and no keyword";
    advise(name, format!("expected a name, found `{name}`"), help)
}

pub(crate) fn path_to_the_runtime(place: Place) -> Error {
    let help = "name the dependency, as `crate = dynamics;`, or where this crate has it, as `crate = crate::dynamics;`";
    advise(place, "expected a path to the crate `hamel` that means the same in every module", help)
}

/// A type of this name would hide what code beside it and in it means.
pub(crate) fn name_of_another_type(name: &Ident) -> Error {
    let help = format!("types have names such as `{}`", camel_case(&name.to_string()));
    advise(name, format!("expected a name for a type, found `{name}`, which Rust and generated code use"), help)
}

fn camel_case(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

pub(crate) fn nested_too_deeply(place: Place, most: usize) -> Error {
    let message = format!("expected at most {most} levels within each other");
    advise(place, message, "name parts of an expression with `let`")
}

pub(crate) fn too_many_tokens(span: Span, most: usize) -> Error {
    let message = format!("expected at most {most} tokens in a model");
    advise(span, message, "write what is repeated with `for` and `[value; n]`")
}

pub(crate) fn too_many_substituted_tokens(range: Place, most: usize) -> Error {
    let message = format!("expected at most {most} tokens from all rounds of all loops together");
    advise(range, message, "shorten what the names of the loops stand for, or name it with `let`")
}

pub(crate) fn too_many_terms(place: Place, most: usize) -> Error {
    let message = format!("expected at most {most} terms in a model, with its names replaced by what they stand for");
    advise(place, message, "use the names of long expressions less often")
}

pub(crate) fn ambiguous_unit(symbol: &Ident) -> Error {
    let message = format!("expected `/` between units after `/`, found `{symbol}`");
    advise(symbol, message, "write `J/kg/K` or `J kg^-1 K^-1`")
}

pub(crate) fn unknown_item(word: &Ident, items: &[&str]) -> Error {
    unknown(word, format!("unknown item `{word}`"), items)
}

pub(crate) fn unknown_name(name: &Ident, candidates: &[&str]) -> Error {
    if crate::units::find(&name.to_string()).is_some() && !candidates.contains(&name.to_string().as_str()) {
        let help = "a unit follows a number, and units beside each other multiply: `1.0 kg m^2`";
        return advise(name, format!("unknown name `{name}`, which is a unit"), help);
    }
    let near = nearest(&name.to_string(), candidates.iter().copied());
    unknown(name, format!("unknown name `{name}`"), near.as_slice())
}

/// `what` says of what kind the word should be, e.g. "kind of joint".
pub(crate) fn unknown_word(what: &str, word: &Ident, candidates: &[&str]) -> Error {
    unknown(word, format!("unknown {what} `{word}`"), candidates)
}

pub(crate) fn unknown_unit(symbol: &str, span: Span) -> Error {
    let known = || crate::units::SYMBOLS.iter().map(|symbol| symbol.name);
    // `Nm` means `N m`, and `KG` is `kg`.
    let is_known = |word: &str| known().any(|known| known == word);
    let parts = symbol.char_indices().map(|(at, _)| symbol.split_at(at));
    // A doubled letter is a slip.
    let is_meant = |(a, b): &(&str, &str)| is_known(a) && is_known(b) && !a.ends_with(b);
    let two = parts.into_iter().find(is_meant).map(|(a, b)| format!("{a} {b}"));
    let same = || known().find(|known| known.eq_ignore_ascii_case(symbol)).map(str::to_owned);
    let near = || nearest(symbol, known()).map(str::to_owned);
    let meant = two.or_else(same).or_else(near);
    advise_if(span, format!("unknown unit `{symbol}`"), meant.as_deref().map(did_you_mean))
}

pub(crate) fn unknown_quantity(of: &str, name: &Ident, candidates: &[&str]) -> Error {
    unknown(name, format!("{of} has no `{name}`"), candidates)
}

/// A coordinate whose rate is not one of the velocities of its joint.
pub(crate) fn no_rate(name: &Ident, velocities: &[&str]) -> Error {
    let help = format!("the joint moves with {}", velocities.join(", "));
    advise(name, format!("this coordinate has no `{name}` of its own"), &help)
}

pub(crate) fn duplicate_name(name: &Ident, first: Span) -> Error {
    beside(error(name, format!("duplicate name `{name}`")), first, format!("`{name}` is declared here first"))
}

/// `v_x` beside a vector `v`.
pub(crate) fn equal_components(name: &Ident, first: &Ident, component: &str) -> Error {
    let message = format!("`{name}` and `{first}` both have the name `{component}` for a component");
    beside(advise(name, message, "rename one of them"), first.span(), format!("`{first}` is declared here"))
}

pub(crate) fn reserved_name(name: &Ident) -> Error {
    error(name, format!("expected a name, found reserved word `{name}`"))
}

pub(crate) fn used_before_declaration(name: &Ident, declared: Span) -> Error {
    let message = format!("`{name}` is used before its declaration");
    let error = advise(name, message, "declare it further up");
    beside(error, declared, format!("`{name}` is declared here"))
}

pub(crate) fn defined_by_itself(name: &Ident) -> Error {
    error(name, format!("`{name}` is defined by itself"))
}

/// A note where a name is declared that is used with a wrong unit.
pub(crate) fn declared_here(error: Error, declared: Span, name: &Ident, found: Unit) -> Error {
    beside(error, declared, format!("`{name}` is given as {} here", unit(found)))
}

pub(crate) fn marker_has_its_place(place: Place, marker: &Ident) -> Error {
    let help = "name its body to attach to another point";
    advise(place, format!("marker `{marker}` has its place and axes already"), help)
}

/// A force on a coordinate that is not moved by a velocity of its own.
pub(crate) fn no_force_on(place: Place, velocities: &[&str]) -> Error {
    advise(
        place,
        "this coordinate has no force of its own",
        format!("name a velocity of the joint: {}", list(velocities)),
    )
}

/// `expected` and `found` are kinds with an article, e.g. "a body".
pub(crate) fn wrong_kind(place: impl Into<Place>, expected: &str, found: &str) -> Error {
    error(place, format!("expected {expected}, found {found}"))
}

/// A number that may be degrees as well as radians.
pub(crate) fn angle_without_unit(place: Place, text: &str, can_have_unit: bool) -> Error {
    let help = match can_have_unit {
        true => format!("write `{text} deg` or `{text} rad`"),
        false => format!("write `({text}) * 1 deg` or `({text}) * 1 rad`"),
    };
    advise(place, format!("expected an angle with its unit, found the number `{text}`"), help)
}

pub(crate) fn not_a_value(place: Place, found: &str, help: &str) -> Error {
    advise(place, format!("expected a value, found {found}"), help)
}

pub(crate) fn unknown_field(of: &str, name: &Ident, candidates: &[&str]) -> Error {
    unknown(name, format!("unknown field `{name}` of {of}"), candidates)
}

pub(crate) fn missing_field(name: &Ident, of: &str, field: &str) -> Error {
    error(name, format!("missing field `{field}` of {of} `{name}`"))
}

pub(crate) fn duplicate_field(name: &Ident, first: Span) -> Error {
    beside(error(name, format!("duplicate field `{name}`")), first, format!("`{name}` is given here first"))
}

pub(crate) fn repeated_setting(span: Span, word: &str, first: Span) -> Error {
    beside(error(span, format!("`{word}` is written twice")), first, "first written here")
}

pub(crate) fn option_needs_value(option: &Ident, example: &str) -> Error {
    advise(option, format!("expected a value of `{option}`"), format!("write `{option}: {example}`"))
}

pub(crate) fn option_takes_no_value(option: &Ident) -> Error {
    error(option, format!("`{option}` takes no value"))
}

pub(crate) fn named_twice(again: &Ident) -> Error {
    error(again, format!("expected one name of the coordinate, found another: `{again}`"))
}

/// `needed` says what the joint must have, e.g. "exactly one coordinate".
pub(crate) fn option_of_other_joints(option: &Ident, needed: &str, kind: &str) -> Error {
    error(option, format!("`{option}` needs a joint with {needed}, found `{kind}`"))
}

pub(crate) fn about_in_field(point: &Ident, field: &Ident) -> Error {
    error(point, format!("`about` belongs to an inertia, found it in `{field}`"))
}

pub(crate) fn wrong_reference_point(point: &Ident) -> Error {
    let help = "without `about origin` an inertia is about the center of mass";
    advise(point, format!("expected `origin`, found `{point}`"), help)
}

pub(crate) fn input_not_in_si(place: Place, unit: Unit) -> Error {
    let message = format!("expected an input in SI units, found a multiple of {unit}");
    advise(place, message, "convert it where it is used")
}

/// A state whose declaration ends before its rate.
pub(crate) fn state_without_rate(place: Place, name: &Ident) -> Error {
    let message = format!("expected `:` and the rate of change of state `{name}`");
    advise(place, message, format!("for example `state {name} m/s: (v - {name}) / (10 s);`, without unit for a number"))
}

pub(crate) fn state_not_in_si(place: Place, unit: Unit) -> Error {
    let message = format!("expected a state in SI units, found a multiple of {unit}");
    advise(place, message, "convert it where it is used")
}

pub(crate) fn wrong_unit(place: Place, expected: Unit, found: Unit) -> Error {
    let written = expected.written().filter(|_| found.is_one());
    let help = written.map(|written| format!("write the unit after the number: `1.0 {written}`"));
    advise_if(place, format!("expected {}, found {}", unit(expected), unit(found)), help)
}

/// `doing` says what is done with the two, e.g. "add".
pub(crate) fn different_units(span: Span, doing: &str, lhs: Unit, rhs: Unit) -> Error {
    error(span, format!("cannot {doing} different units: {} and {}", unit(lhs), unit(rhs)))
}

fn unit(unit: Unit) -> String {
    if unit.is_one() { "a pure number".to_owned() } else { unit.to_string() }
}

pub(crate) fn already_has_unit(place: Place, unit: Unit) -> Error {
    let help = "leave the unit out; a plain `0` fits every unit";
    advise(place, format!("expected pure numbers before a unit, found {unit}"), help)
}

pub(crate) fn no_such_power(place: Place, unit: Unit) -> Error {
    error(place, format!("this power of {unit} is not a unit"))
}

pub(crate) fn exponent_not_constant(place: Place, unit: Unit) -> Error {
    error(place, format!("expected a constant exponent of {unit}, found an expression"))
}

pub(crate) fn wrong_shape(place: Place, expected: Shape, found: Shape) -> Error {
    wrong_shape_in_words(place, &shape(expected), found)
}

pub(crate) fn wrong_shape_in_words(place: Place, expected: &str, found: Shape) -> Error {
    error(place, format!("expected {expected}, found {}", shape(found)))
}

/// `doing` says what is done with the two, e.g. "add".
pub(crate) fn different_shapes(span: Span, doing: &str, lhs: Shape, rhs: Shape) -> Error {
    error(span, format!("cannot {doing} {} and {}", shape(lhs), shape(rhs)))
}

pub(crate) fn no_product(span: Span, lhs: Shape, rhs: Shape) -> Error {
    let are_vectors = matches!((lhs, rhs), (Shape::Vector(_), Shape::Vector(_)));
    let help = are_vectors.then_some("write `dot(a, b)` or `cross(a, b)`");
    advise_if(span, format!("cannot multiply {} by {}", shape(lhs), shape(rhs)), help)
}

fn shape(shape: Shape) -> String {
    match shape {
        Shape::Scalar => "a scalar".to_owned(),
        Shape::Vector(n) => format!("a vector of {n}"),
        Shape::Matrix(rows, columns) => format!("a {rows} × {columns} matrix"),
    }
}

pub(crate) fn empty_vector(place: Place) -> Error {
    error(place, "expected components, found an empty list")
}

pub(crate) fn number_out_of_range(place: Place) -> Error {
    error(place, "number is too large")
}

pub(crate) fn index_not_integer(place: Place) -> Error {
    error(place, "expected an integer index, counted from 0")
}

pub(crate) fn not_an_integer(place: Place) -> Error {
    advise(place, "expected an integer", "write a number, or a `const` that is declared further up")
}

pub(crate) fn not_a_count(place: Place, most: i64) -> Error {
    error(place, format!("expected a number of components from 1 to {most}"))
}

pub(crate) fn too_many_values(count: Place, most: i64) -> Error {
    let message = format!("expected at most {most} repeated values in a model");
    advise(count, message, "check this count, and the loops around it")
}

pub(crate) fn too_many_rounds(range: Place, most: usize) -> Error {
    advise(range, format!("expected at most {most} rounds of all loops together"), "check the bounds of this range")
}

pub(crate) fn too_many_items(range: Place, most: usize) -> Error {
    let message = format!("expected at most {most} items, those of all rounds counted");
    advise(range, message, "check the bounds of the loops")
}

const ABSOLUTE: &str = "write `coordinates absolute;`, with which code does not grow with the number of members";

/// A joint that moves more than is worth it; `most` pairs of velocities may share inertia.
pub(crate) fn too_many_coupled(joint: &Ident, most: usize) -> Error {
    let message = format!(
        "up to here, joint coordinates couple more than {most} pairs of velocities: each with those before it in the tree"
    );
    advise(joint, message, ABSOLUTE)
}

pub(crate) fn too_many_velocities(joint: &Ident, most: usize) -> Error {
    let message = format!("expected at most {most} velocities in joint coordinates");
    advise(joint, message, ABSOLUTE)
}

/// Conditions on so many velocities that their derivatives fill the memory.
pub(crate) fn too_many_initial_conditions(condition: Span, velocities: usize, most: usize) -> Error {
    let message = format!("expected at most {} initial conditions on {velocities} velocities", most / velocities);
    let help = format!("conditions by velocities may be {most}; give only those from which the others follow");
    advise(Place::at(condition), message, help)
}

pub(crate) fn too_many_elements(member: &Ident, most: i64) -> Error {
    let message = format!("expected at most {most} elements of all flexible members of this kind together");
    advise(member, message, "use fewer elements, or fewer members")
}

pub(crate) fn wrong_number_of_values(span: Span, names: usize, found: usize) -> Error {
    error(span, format!("expected {names} {}, found {found}", plural("value", names)))
}

pub(crate) fn index_out_of_range(place: Place, length: usize) -> Error {
    error(place, format!("expected an index below {length}"))
}

pub(crate) fn wrong_argument_count(function: &Ident, expected: usize, found: usize) -> Error {
    error(function, format!("expected {expected} {} of `{function}`, found {found}", plural("argument", expected)))
}

pub(crate) fn expression_too_deep(place: Place, most: usize) -> Error {
    let message =
        format!("expected at most {most} operations within each other where names are replaced by what they stand for");
    advise(place, message, "begin a chain of `let` again from a parameter or a quantity of the motion")
}

pub(crate) fn expression_too_large(place: Place, most: usize) -> Error {
    error(place, format!("expected at most {most} terms where names are replaced by what they stand for"))
}

/// `member` says what depends, e.g. "a parameter"; `allowed` and `found` on what.
pub(crate) fn wrong_dependence(span: Span, member: &str, allowed: &str, found: &str) -> Error {
    error(span, format!("{member} may depend on {allowed} only, found {found}"))
}

/// An acceleration in an applied force, which would make the mass matrix depend on it.
pub fn acceleration_in_force(span: Span) -> Error {
    error(span, "a force may not depend on accelerations")
}

/// A velocity in a constraint on positions.
pub fn velocity_in_constraint(span: Span) -> Error {
    let help = "write the constraint at position level, its rates follow; or end it with `as velocity` if it has none";
    advise(span, "expected positions in a constraint, found a velocity", help)
}

/// A constraint on velocities, or a slip, that is not linear in them; `what` says which.
pub(crate) fn not_linear_in_velocities(span: Span, what: &str) -> Error {
    let help = "its coefficients may depend on positions and time, but not on velocities";
    advise(span, format!("expected {what} that is linear in velocities"), help)
}

/// An input in a constraint; nobody knows its rates.
pub fn input_in_constraint(span: Span, name: &str) -> Error {
    error(span, format!("a constraint may not depend on the input `{name}`: its rates are not known"))
}

/// `what` is e.g. "a constraint", `without` what it lacks, e.g. "velocities".
pub(crate) fn no_motion(place: Place, what: &str, without: &str) -> Error {
    error(place, format!("expected {what} on the motion, found an expression without {without}"))
}

pub(crate) fn only_in_space(place: impl Into<Place>, what: &str) -> Error {
    error(place, format!("{what} is spatial, but the model is `planar`"))
}

pub(crate) fn only_in_plane(place: impl Into<Place>, what: &str) -> Error {
    error(place, format!("{what} needs a `planar` model"))
}

pub(crate) fn needs_joint_coordinates(place: Place, what: &str) -> Error {
    error(place, format!("{what} needs `coordinates joint` and a joint of the spanning tree"))
}

/// `on hinge.velocity` where `on hinge` is meant.
pub(crate) fn force_on_value(place: Place, joint: &Ident) -> Error {
    advise(place, "expected a joint or one of its coordinates, found a value", format!("write `on {joint}`"))
}

/// Forward and inverse dynamics in the coordinates of joints, where there are none or they are constrained.
pub(crate) fn provided_without_freedom(function: &Ident, is_constrained: bool) -> Error {
    let message = format!("`{function}` needs joint coordinates without constraints");
    let help = if is_constrained {
        "leave out the joints that close loops and the constraints, or take `residual`, which every model has"
    } else {
        "write `coordinates joint;`"
    };
    advise(function, message, help)
}

pub(crate) fn default_not_finite(place: Place, name: &Ident, value: f64) -> Error {
    error(place, format!("expected a finite default of `{name}`, found {value}"))
}

pub(crate) fn wrong_number_of_ends(name: &Ident, kind: &Ident, expected: &str, found: usize) -> Error {
    let ends = plural("end", if expected == "1" { 1 } else { 2 });
    error(kind, format!("expected {expected} {ends} of `{name}`, found {found}"))
}

pub(crate) fn not_a_body(coordinate: &Ident) -> Error {
    error(coordinate, format!("expected a body, found `.{coordinate}`"))
}

pub(crate) fn point_has_no_axes(place: Place) -> Error {
    let help = "give a vector in the axes of a body with `in`";
    advise(place, "a force acts at a point, which has no axes", help)
}

pub(crate) fn round_has_no_axes(place: Place) -> Error {
    error(place, "a point, a disc or a ball has no axes")
}

/// Modes in a model, which has the coordinates of all nodes.
pub(crate) fn modes_at_run_time(field: &Ident, member: &Ident) -> Error {
    let help = format!(
        "leave `modes` out; `hamel::modal::Reduced::member(&model, \"{member}\", 10)` is the model with 10 of them"
    );
    advise(field, format!("the modes of `{member}` depend on parameters, and are taken when the model runs"), help)
}

/// A restitution or a coefficient of friction that no contact has.
pub(crate) fn law_out_of_range(place: Place, law: &str, contact: &Ident, largest: f64, found: f64) -> Error {
    let range = if largest.is_finite() { format!("from 0 to {largest}") } else { "that is not negative".to_owned() };
    let law = law.replace('_', " ");
    error(place, format!("expected a {law} of `{contact}` {range}, found {found}"))
}

/// A tangential law of a contact without a direction in which it acts.
pub(crate) fn friction_without_slip(law: &Ident) -> Error {
    let help = "add `slip: …`, a displacement or a velocity along the surface, and `friction: …`";
    advise(law, format!("`{law}` has nothing to act against"), help)
}

/// A gap, or a slip, that no motion changes.
pub(crate) fn contact_at_rest(span: Span, contact: &str, what: &str) -> Error {
    error(span, format!("no motion changes the {what} of `{contact}`"))
}

pub(crate) fn coordinate_has_no_point(place: Place) -> Error {
    error(place, "a force on a coordinate has no point")
}

pub(crate) fn coordinate_not_named(joint: &Ident, known: &[&str]) -> Error {
    let help = known.first().map(|first| format!("name one of {}: `{joint}.{first}`", list(known)));
    advise_if(joint, format!("expected one coordinate, found the {} of joint `{joint}`", known.len()), help)
}

pub(crate) fn nothing_beside_a_coordinate(name: &Ident) -> Error {
    error(name, format!("a force on a coordinate takes neither `from` nor `in`, found `{name}`"))
}

pub(crate) fn torque_has_no_point(place: Place) -> Error {
    error(place, "a torque acts on a whole body, not at a point")
}

pub(crate) fn force_without_effect(name: &Ident) -> Error {
    let help = "a force acts on a body, from the ground or from another body";
    advise(name, format!("`{name}` moves nothing"), help)
}

pub(crate) fn needs_an_angle(name: &Ident, kind: &str) -> Error {
    error(name, format!("`{kind}` needs a coordinate that is an angle"))
}

pub(crate) fn no_bodies(model: &Ident) -> Error {
    error(model, format!("model `{model}` has no body"))
}

pub(crate) fn joint_to_itself(end: &Ident) -> Error {
    error(end, format!("expected two bodies, found `{end}` twice"))
}

pub(crate) fn unattached_body(body: &Ident, is_flexible: bool) -> Error {
    let spelled = spelled(&body.to_string());
    if is_flexible {
        let help =
            format!("a joint leads to a flexible member through its first end: `revolute(ground, {spelled}.root)`");
        return advise(body, format!("flexible member `{body}` is not attached"), help);
    }
    let (stem, index) = spelled.split_at(spelled.find('[').unwrap_or(spelled.len()));
    let help = format!("add a joint, or let it move freely: `joint {stem}_motion{index}: free(ground, {spelled});`");
    advise(body, format!("body `{body}` is not attached"), help)
}

pub(crate) fn reversed_joint(joint: &Ident, far: &Ident, near: &Ident) -> Error {
    let message = format!("joint `{joint}` attaches `{far}` to `{near}`, but names `{far}` first");
    advise(far, message, "name the end nearer to the ground first")
}

pub(crate) fn not_positive(place: Place, what: &str, body: &Ident, value: f64) -> Error {
    error(place, format!("expected a positive {what} of `{body}`, found {value}"))
}

pub(crate) fn wrong_number_of_elements(place: Place, most: i64) -> Error {
    let message = format!("expected a number of elements from 1 to {most}");
    advise(place, message, "write a number, or a `const` that is declared further up")
}

pub(crate) fn needs_euler_parameters(place: Place, what: &str) -> Error {
    advise(place, format!("{what} needs absolute coordinates with Euler parameters"), "write `coordinates absolute;`")
}

pub(crate) fn stiffness_not_positive_definite(place: Place, member: &Ident) -> Error {
    let message = format!("expected a symmetric and positive definite stiffness of `{member}`");
    advise(place, message, "coupling may not outweigh what resists by itself")
}

pub(crate) fn negative_damping(place: Place, member: &Ident, value: f64) -> Error {
    error(place, format!("expected a damping of `{member}` that is not negative, found {value}"))
}

pub(crate) fn not_a_floating_frame(place: Place) -> Error {
    error(place, "expected a floating frame: `tangent` or `pinned`")
}

pub(crate) fn not_a_section(place: Place) -> Error {
    let help = "or leave it out and give `area` and `second_moment`";
    advise(place, "expected a cross-section: `rectangle(width, height)`, its height in the plane of the motion", help)
}

pub(crate) fn fields_exclude_each_other(place: Place, field: &str, other: &str) -> Error {
    error(place, format!("`{field}` is determined by `{other}`, which is given too"))
}

/// A flexible member where only its ends are bodies.
pub(crate) fn needs_an_end(place: Place, member: &Ident) -> Error {
    let message = format!("expected a rigid body, found flexible member `{member}`");
    advise(place, message, format!("name one of its ends: `{member}.root` or `{member}.tip`"))
}

pub(crate) fn only_as_an_output(name: &Ident, member: &Ident) -> Error {
    let help = format!("write `output loads = {member}.{name};`");
    advise(name, format!("`{name}` of a flexible member is an output of its own"), help)
}

pub(crate) fn total_of_flexible_model(name: &Ident) -> Error {
    let message = format!("`{name}` does not count flexible members");
    advise(name, message, "energies are in every trajectory")
}

pub(crate) fn provided_for_rigid_bodies(function: &Ident) -> Error {
    let message = format!("`{function}` needs a model of rigid bodies");
    advise(function, message, "take `residual`, which every model has")
}

pub(crate) fn inertia_not_symmetric(place: Place, body: &Ident) -> Error {
    error(place, format!("expected a symmetric inertia of `{body}`"))
}

pub(crate) fn added_mass_not_symmetric(place: Place, field: &Ident, body: &Ident) -> Error {
    let message = format!("expected a symmetric `{field}` of the added mass of `{body}`");
    advise(place, message, "a computed matrix A that is not quite symmetric becomes so as `(A + transpose(A)) / 2`")
}

/// A field of an added mass that goes with another convention.
pub(crate) fn field_of_other_convention(field: &Ident, convention: &str) -> Error {
    error(field, format!("`{field}` belongs to `velocity: {convention}`"))
}

pub(crate) fn inertia_not_positive_definite(place: Place, body: &Ident) -> Error {
    error(place, format!("expected an inertia without negative principal moments of `{body}`"))
}

pub(crate) fn inertia_violates_triangle(place: Place, body: &Ident, [a, b, c]: [f64; 3]) -> Error {
    let message = format!(
        "no rigid body has the inertia of `{body}`: its principal moments {a}, {b}, {c} violate the triangle inequality"
    );
    advise(place, message, "no moment may exceed the sum of the other two")
}

pub(crate) fn axis_not_constant(place: Place) -> Error {
    let help = "turn the joint with `rotated` where the direction depends on parameters";
    advise(place, "expected numbers in the direction of an axis", help)
}

pub(crate) fn axis_is_zero(place: Place) -> Error {
    error(place, "expected a direction, found a zero vector")
}

pub(crate) fn not_a_rotation(place: Place) -> Error {
    let message = "expected a rotation, found a matrix whose columns are not orthonormal and right-handed";
    advise(place, message, "use `rotation_x`, `rotation_y`, `rotation_z` or `euler_zyx`")
}

/// A written constraint, or a drive, that no coordinate can change, and is not satisfied.
pub fn constant_constraint(span: Span, member: &str, residual: f64) -> Error {
    let message =
        format!("no motion satisfies `{member}`: a residual of {residual:.1e} remains wherever the bodies are");
    advise(span, message, "expected a condition on something that moves")
}

/// A mass matrix of a body and its water that is not positive definite; `along` says where, with what is left there.
pub fn total_mass_not_positive(span: Span, body: &str, along: &str, found: f64) -> Error {
    let message = format!("expected a positive mass of `{body}` with its added mass {along}, found {found}");
    advise(span, message, "both together must be positive definite")
}

/// A coordinate without inertia: the mass matrix is singular.
pub fn massless_coordinate(span: Span, coordinate: &str) -> Error {
    let message = format!("coordinate `{coordinate}` moves no mass, so the mass matrix is singular");
    advise(span, message, "give what it moves an inertia, or let a joint hold it")
}

/// Constraints that no configuration satisfies; `residual` is what remains.
pub fn unassemblable(span: Span, residual: f64) -> Error {
    let message = format!("no configuration satisfies the constraints: a residual of {residual:.1e} remains");
    advise(span, message, "check lengths and the `initial` positions")
}

/// A delimiter of a file without its partner.
#[cfg(any(test, feature = "file"))]
pub(crate) fn delimiter_not_closed(opening: char) -> String {
    let closing = match opening {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    format!("`{opening}` is never closed\nhelp: add `{closing}`")
}

/// A delimiter of a file within too many others.
#[cfg(any(test, feature = "file"))]
pub(crate) fn delimiters_too_deep(most: usize) -> String {
    format!("expected at most {most} delimiters within each other")
}

/// A file that is too long.
#[cfg(any(test, feature = "file"))]
pub(crate) fn too_many_bytes(most: usize) -> String {
    format!("expected at most {most} bytes in a file\nhelp: write what is repeated with `for` and `[value; n]`")
}

/// A closing delimiter of a file, where none is open.
#[cfg(any(test, feature = "file"))]
pub(crate) fn delimiter_not_opened(closing: char) -> String {
    format!("`{closing}` closes nothing")
}
