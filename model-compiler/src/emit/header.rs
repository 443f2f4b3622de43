//! The head of a model.

use proc_macro2::{Ident, TokenStream};

/// What generated code takes from the model's head.
pub struct Header<'a> {
    /// Name of the type.
    pub name: &'a Ident,
    /// Its visibility.
    pub visibility: &'a syn::Visibility,
    /// The path to the runtime, if it is not `::hamel`.
    pub runtime: Option<&'a TokenStream>,
    /// Its doc comment, one line per entry.
    pub doc: &'a [String],
    /// What stands between the braces of the macro.
    pub source: &'a str,
}
