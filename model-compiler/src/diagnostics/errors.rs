//! Errors of a stage, and the places that they point at.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Error;

use super::Family;
use crate::limits;

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

    /// How many have been found, those that repeat others included.
    pub(crate) fn found(&self) -> usize {
        self.found.get()
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
            (None, None) => Err(Error::new(Span::call_site(), Family::Syntax.coded("the model could not be read"))),
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
