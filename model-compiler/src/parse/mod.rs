//! Tokens → Description: names, spans and untyped expressions.
//!
//! Only syntax is judged here; what names mean, and whether units and shapes fit, is `resolve`'s business. After an
//! error reading goes on at the next item, so that all syntax errors are reported at once. One file per kind of item.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod body;
mod condition;
mod contact;
mod expression;
mod fields;
mod flexible;
mod force;
mod integers;
mod joint;
mod keywords;
mod model;
mod parameter;
mod reader;
mod repeat;
mod state;
mod text;
mod tokens;
mod unit;
mod value;

pub use body::{AddedMass, Body, BodyField, BodyShape};
pub use condition::{Constraint, Initial, Output};
pub use contact::{Contact, ContactKind};
pub use expression::{Axes, Choice, Comparison, Index, Operator, UnitExpression, UnitFactor, Value, ValueKind};
pub use fields::Field;
pub use flexible::Flexible;
pub use force::{Force, ForceForm, Noun};
pub use joint::{End, Joint, JointOption, Marker};
pub use model::{Coordinates, Description, Item, Request, Unread};
pub use parameter::{Definition, Gravity, Input, Parameter};
pub use state::State;
pub use tokens::measure;

pub(crate) use keywords::CONNECTIVES;

use proc_macro2::TokenStream;
use syn::buffer::TokenBuffer;

use crate::diagnostics::Errors;

/// The path to the runtime that a macro call asks for, whether the rest of it can be read or not.
pub(crate) fn runtime(tokens: TokenStream) -> Option<TokenStream> {
    let (buffer, integers) = (TokenBuffer::new2(tokens), integers::Integers::default());
    model::runtime(&mut reader::Reader::new(buffer.begin(), &integers)).ok().flatten()
}

/// Reads the tokens of a macro call.
///
/// # Errors
///
/// All syntax errors that could be told apart, combined.
pub fn parse(tokens: TokenStream) -> syn::Result<Description> {
    let errors = Errors::default();
    let description = read(tokens, &errors);
    errors.finish(description)
}

/// Reads the tokens of a macro call as far as they can be read; without a description if not even its head can be.
pub(crate) fn read(tokens: TokenStream, errors: &Errors) -> Option<Description> {
    errors.keep(measure(&tokens))?;
    let buffer = TokenBuffer::new2(tokens::normalized(tokens));
    let integers = integers::Integers::default();
    errors.keep(model::description(reader::Reader::new(buffer.begin(), &integers), errors))
}
