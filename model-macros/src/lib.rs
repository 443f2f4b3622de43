//! The `multibody!` macro. The compiler itself is `hamel_compiler`.

/// Compiles a mechanical system to a type that implements `hamel::Model`.
///
/// The language is described in the project's README; `hamel inspect` shows what a model becomes.
#[proc_macro]
pub fn multibody(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    hamel_compiler::compile(input.into()).into()
}
