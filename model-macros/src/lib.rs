//! The `multibody!` macro. The compiler itself is `hamel_compiler`; a model that has not changed since it was compiled
//! is not compiled again.

use std::path::Path;

use hamel_compiler::cache::Cache;
use proc_macro::TokenStream;

/// Compiles a mechanical system to a type that implements `hamel::Model`.
///
/// `hamel expand FILE.rs` of the command line prints what a model becomes, `hamel inspect` its formulas.
///
#[doc = include_str!("../language.md")]
#[proc_macro]
pub fn multibody(input: TokenStream) -> TokenStream {
    let tokens = proc_macro2::TokenStream::from(input);
    // Before anything is done with them.
    if let Err(error) = hamel_compiler::parse::measure(&tokens) {
        return error.to_compile_error().into();
    }
    let source = tokens.to_string();
    let cache = Cache::new(Path::new(concat!(env!("OUT_DIR"), "/models")), env!("HAMEL_COMPILER"));
    let kept = cache.read(&source).and_then(|code| String::from_utf8(code).ok()?.parse::<TokenStream>().ok());
    if let Some(code) = kept.and_then(|code| hamel_compiler::read_back(tokens.clone(), code.into())) {
        return code.into();
    }
    match hamel_compiler::stages(tokens.clone()).and_then(|stages| stages.code()) {
        Ok(code) => {
            cache.write(&source, code.to_string().as_bytes());
            code.into()
        }
        Err(error) => hamel_compiler::compile_errors(tokens, &error).into(),
    }
}
