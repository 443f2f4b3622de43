//! The compiler behind `multibody!`: tokens in, tokens out.
//!
//! One intermediate representation per question: what was written ([`parse`]), what it means ([`resolve`]), what the
//! equations are ([`mod@derive`]), what is cheapest ([`simplify`]), in which order ([`schedule`]), in which tokens
//! ([`emit`]). It does not know `proc_macro`, and files only in the module `file`, so macro, build scripts, command line and
//! tests call the same functions.

pub mod cache;
mod diagnostics;
pub mod escape;
mod random;
mod reserved;
pub mod space;
pub mod spelling;
#[doc(hidden)]
pub mod units;

pub mod check;
pub mod derive;
pub mod emit;
pub mod inspect;
pub mod parallel;
pub mod parse;
pub mod resolve;
pub mod schedule;
pub mod simplify;

#[cfg(any(test, feature = "file"))]
pub mod file;

pub mod expr;
pub mod limits;
pub mod spatial;

pub mod contacts;
pub mod forces;
pub mod joints;
pub mod rotations;
pub mod solids;

#[cfg(any(test, feature = "file"))]
pub use file::compile_file;

pub use derive::picture;
pub use diagnostics::Family;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

/// Every intermediate result, for the command line, the tests and the curious.
#[derive(Debug)]
pub struct Stages {
    /// What was written.
    pub description: parse::Description,
    /// What it means.
    pub system: resolve::System,
    /// The equations as derived.
    pub equations: derive::Equations,
    /// The equations as they are computed.
    pub simplified: derive::Equations,
    /// What simplification did, function by function.
    pub log: Vec<simplify::FunctionLog>,
    /// Ordered, named statements.
    pub schedule: schedule::Schedule,
    /// The tokens as text, which generated code carries.
    pub source: String,
}

impl Stages {
    /// The generated code, in Rust.
    ///
    /// # Errors
    /// See [`emit::emit`].
    pub fn code(&self) -> syn::Result<TokenStream> {
        let header = emit::Header {
            name: &self.system.name,
            visibility: &self.system.visibility,
            runtime: self.description.runtime.as_ref(),
            doc: &self.system.doc,
            source: &self.source,
        };
        emit::emit(&header, &self.simplified, &self.schedule)
    }
}

/// Runs all stages up to the schedule, from which code is made.
///
/// # Errors
/// All errors of the first stage that finds any, combined.
pub fn stages(tokens: TokenStream) -> syn::Result<Stages> {
    stages_within(tokens, &simplify::Limits::default())
}

/// Reads a model and finds out what it means.
///
/// # Errors
/// All errors of both stages, combined. Items with errors in their syntax are left out of the second one, in which nothing
/// is said of what they may declare; where the missing item may be a setting or a loop, the second stage does not run.
///
/// # Examples
/// ```
/// let text = "model Rod { body rod { mass: 1 kg } contact c: { gap: rode.position.z } }";
/// let error = hamel_compiler::understand(text.parse().unwrap()).unwrap_err();
/// assert_eq!(error.into_iter().count(), 2, "the colon, and the inertia");
/// ```
pub fn understand(tokens: TokenStream) -> syn::Result<(parse::Description, resolve::System)> {
    let errors = diagnostics::Errors::default();
    let description = parse::read(tokens, &errors);
    let system = description
        .as_ref()
        .filter(|description| !description.unread.has_setting)
        .and_then(|description| resolve::resolve_into(description, &errors));
    errors.finish(description.zip(system))
}

/// The same, with as much work for simplification as `limits` allow.
///
/// # Errors
/// All errors of the first stage that finds any, combined.
pub fn stages_within(tokens: TokenStream, limits: &simplify::Limits) -> syn::Result<Stages> {
    let (description, system) = understand(tokens.clone())?;
    // Not before the depth of the tokens has been measured.
    let source = tokens.to_string();
    let equations = derive::derive(&system);
    let (simplified, log) = simplify::simplify_equations(&equations, limits);
    let schedule = schedule::schedule(&equations, &simplified);
    check::check(&system, &simplified, &schedule)?;
    Ok(Stages { description, system, equations, simplified, log, schedule, source })
}

/// Compile errors and a model of the same name that computes nothing: what uses it should not drown the messages that
/// matter in follow-up errors.
pub fn compile_errors(source: TokenStream, error: &syn::Error) -> TokenStream {
    let errors = error.to_compile_error();
    let runtime = parse::runtime(source.clone()).unwrap_or_else(|| quote!(::hamel));
    let placeholder = name(source).map(|name| {
        quote! {
            #[doc(hidden)]
            #[derive(::core::fmt::Debug, ::core::default::Default)]
            pub struct #name;
            #[doc(hidden)]
            impl #name {
                pub fn new<P>(_: P) -> Self {
                    Self
                }
            }
            impl #runtime::generated::Placeholder for #name {}
        }
    });
    quote! { #errors #placeholder }
}

/// Generated code that was kept as text and read into tokens again, as [`stages`] of its source would return it.
///
/// Whoever has rustc at hand should have it read the text: through `proc_macro2`, it is read twice.
pub fn read_back(source: TokenStream, code: TokenStream) -> Option<TokenStream> {
    let runtime = parse::runtime(source.clone());
    Some(emit::placed(&name(source)?, runtime.as_ref(), code))
}

/// The name in `… model Name { … }`.
fn name(source: TokenStream) -> Option<Ident> {
    let mut tokens = source.into_iter().skip_while(|token| token.to_string() != "model").skip(1);
    tokens.next().and_then(|token| if let TokenTree::Ident(name) = token { Some(name) } else { None })
}
