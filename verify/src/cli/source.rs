//! The `multibody!` calls of a Rust file, and errors with their places in it.

use std::path::Path;

use proc_macro2::TokenStream;
use syn::visit::{self, Visit};

use super::failure::Failure;

/// The tokens inside every `multibody!` call of a file, in order.
pub(super) fn calls(path: &Path) -> Result<Vec<TokenStream>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read `{}`: {error}", path.display())))?;
    let file = syn::parse_file(&text).map_err(|error| located(path, error))?;
    let mut finder = Finder::default();
    finder.visit_file(&file);
    if finder.calls.is_empty() {
        return Err(Failure::Usage(format!("no `multibody!` call in `{}`", path.display())));
    }
    Ok(finder.calls)
}

/// All messages of an error, each as `file:line:column: message`.
pub(super) fn located(path: &Path, error: syn::Error) -> Failure {
    let message = |error: syn::Error| {
        let start = error.span().start();
        // Columns are counted from zero by the parser and from one by editors.
        format!("{}:{}:{}: {error}", path.display(), start.line, start.column + 1)
    };
    Failure::Usage(error.into_iter().map(message).collect::<Vec<_>>().join("\n"))
}

#[derive(Default)]
struct Finder {
    calls: Vec<TokenStream>,
}

impl Visit<'_> for Finder {
    fn visit_macro(&mut self, node: &syn::Macro) {
        if node.path.segments.last().is_some_and(|segment| segment.ident == "multibody") {
            self.calls.push(node.tokens.clone());
        }
        visit::visit_macro(self, node);
    }
}
