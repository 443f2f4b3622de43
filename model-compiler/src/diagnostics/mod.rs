//! Errors in what users write: how they are collected, and the text of every one of them.
//!
//! A message is lower case, names are in backticks, what was expected stands before what was found, and a `help:` line
//! follows where there is a next step. It points at the smallest wrong token, and its family has a page in `docs/errors`.
//!
//! One file per stage; those of `resolve` are in three: on names, on expressions, and on members.

mod check;
mod errors;
mod expressions;
mod family;
#[cfg(any(test, feature = "file"))]
mod file;
mod names;
mod parse;
mod resolve;
mod words;

pub(crate) use check::*;
pub use errors::{Errors, Place};
pub(crate) use expressions::*;
pub use family::Family;
#[cfg(any(test, feature = "file"))]
pub(crate) use file::*;
pub(crate) use names::*;
pub(crate) use parse::*;
pub(crate) use resolve::*;
