//! Messages of what only numbers can tell.

use proc_macro2::{Ident, Span};
use syn::Error;

use super::Family;
use super::words::{advise, error};

/// A gap, or a slip, that no motion changes.
pub(crate) fn contact_at_rest(span: Span, contact: &str, what: &str) -> Error {
    error(Family::ConstantCondition, span, format!("no motion changes the {what} of `{contact}`"))
}

/// A written constraint, or a drive, that no coordinate can change, and is not satisfied.
pub(crate) fn constant_constraint(span: Span, member: &str, residual: f64) -> Error {
    let message =
        format!("no motion satisfies `{member}`: a residual of {residual:.1e} remains wherever the bodies are");
    advise(Family::ConstantCondition, span, message, "expected a condition on something that moves")
}

/// A mass matrix of a body and its water that is not positive definite; `along` says where, with what is left there.
pub(crate) fn total_mass_not_positive(span: Span, body: &str, along: &str, found: f64) -> Error {
    let message = format!("expected a positive mass of `{body}` with its added mass {along}, found {found}");
    advise(Family::AddedMass, span, message, "both together must be positive definite")
}

/// Code that is not Rust, which no model is to blame for.
pub(crate) fn defect(model: &Ident, cause: &Error) -> Error {
    let message = format!("the generated code is not Rust, which is a defect of the compiler: {cause}");
    advise(Family::Defect, model, message, "please report this model")
}

/// A divisor that is zero as a formula.
pub(crate) fn division_by_zero(span: Span, model: &str) -> Error {
    let message = format!("an expression of `{model}` divides by zero whatever its motion is");
    advise(Family::NumberRange, span, message, "look for divisors such as `0`, `x - x` or `sin(0)`")
}

/// A coordinate without inertia: the mass matrix is singular.
pub(crate) fn massless_coordinate(span: Span, coordinate: &str) -> Error {
    let message = format!("coordinate `{coordinate}` moves no mass, so the mass matrix is singular");
    advise(Family::MasslessCoordinate, span, message, "give what it moves an inertia, or let a joint hold it")
}
