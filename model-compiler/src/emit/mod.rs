//! Schedule → TokenStream (C has [a file of its own](c())): a struct, its parameters and inputs, `impl Model`, and a private module of kernels.
//!
//! Kernels are free functions, generic over the scalar; instances of one kernel are a loop over tables of indices, and
//! what is long and regular is written [by rule](runs), so that code does not grow with their number. The text is written first and read into tokens once. Everything that
//! users did not name lives in the private module; the runtime is named in [`paths`] alone.

mod c;
mod docs;
mod formula;
mod formulas;
mod function;
mod info;
mod kernel;
mod members;
mod methods;
mod model;
mod parameters;
mod paths;
mod pattern;
mod runs;
mod setup;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;

pub use c::{Files, c};
pub use formulas::formulas;
pub(crate) use pattern::{Pattern, Patterns};

use crate::derive::Equations;
use crate::schedule::Schedule;
use crate::schedule::name::snake_case;

/// What generated code takes from the model's head.
pub struct Header<'a> {
    /// Name of the type.
    pub name: &'a Ident,
    /// Its visibility.
    pub visibility: &'a syn::Visibility,
    /// Its doc comment, one line per entry.
    pub doc: &'a [String],
    /// What stands between the braces of the macro.
    pub source: &'a str,
}

impl Header<'_> {
    fn visibility_text(&self) -> String {
        self.visibility.to_token_stream().to_string()
    }
}

/// The code of a model.
///
/// # Errors
/// Never for equations that `derive` makes: an error says that the text is not Rust.
pub fn emit(header: &Header, equations: &Equations, schedule: &Schedule) -> syn::Result<TokenStream> {
    let tokens: TokenStream = syn::parse_str(&text(header, equations, schedule))?;
    Ok(with_span_of(header.name, tokens))
}

fn text(header: &Header, equations: &Equations, schedule: &Schedule) -> String {
    let model = header.name.to_string();
    let kernels = format!("{}_kernels", snake_case(&model));
    let visibility = header.visibility_text();
    let layout = &equations.layout;
    let patterns = Patterns::of(equations, schedule);
    let members = members::members(equations, schedule, &patterns);

    let mut text = model::model(header, &kernels, layout, &members);
    text.push_str(&parameters::parameters(&model, &kernels, &visibility, equations, schedule));
    text.push_str(&parameters::inputs(&model, &visibility, layout));
    let _ = writeln!(
        text,
        "/// Kernels of [`{model}`] and where their instances stand.\n{}mod {kernels} {{",
        parameters::FORMULAS
    );
    members.iter().for_each(|members| text.push_str(&kernel::kernel(members)));
    text.push_str(&setup::constants(schedule, &members));
    text.push_str(&setup::reference_configuration(schedule));
    text.push_str(&setup::contact_laws(schedule));
    text.push_str(&info::info(header, equations, schedule, &patterns, methods::is_conservative(layout, &members)));
    text.push_str("}\n");
    text
}

/// The same tokens, with the name in the heads of items where the user wrote it, so that messages and editors point there.
pub(crate) fn with_span_of(name: &Ident, tokens: TokenStream) -> TokenStream {
    let respan = |token: TokenTree| match token {
        TokenTree::Ident(ident) if ident == *name => TokenTree::Ident(name.clone()),
        other => other,
    };
    tokens.into_iter().map(respan).collect()
}
