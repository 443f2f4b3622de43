//! Tokens before anything is made of them: how many and how deep, and names in one form, whatever they were typed on.
//!
//! rustc reads names in Unicode's normalization form C; files are read as they are.

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::Result;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::diagnostics::{self, Place};
use crate::limits;

/// Refuses more tokens than a model may have, and delimiters that are nested too deeply for what recurses later.
///
/// # Errors
/// At the first token that is too many or too deep.
pub fn measure(tokens: &TokenStream) -> Result<()> {
    let mut open: Vec<IntoIter> = vec![tokens.clone().into_iter()];
    let mut count = 0;
    while let Some(innermost) = open.last_mut() {
        let Some(token) = innermost.next() else {
            open.pop();
            continue;
        };
        count += 1;
        if count > limits::TOKENS {
            return Err(diagnostics::too_many_tokens(token.span(), limits::TOKENS));
        }
        if let TokenTree::Group(group) = token {
            if open.len() > limits::NESTING {
                return Err(diagnostics::nested_too_deeply(Place::at(group.span_open()), limits::NESTING));
            }
            open.push(group.stream().into_iter());
        }
    }
    Ok(())
}

/// Number of tokens; their depth has been measured.
pub(super) fn count(token: &TokenTree) -> usize {
    match token {
        TokenTree::Group(group) => 1 + group.stream().into_iter().map(|token| count(&token)).sum::<usize>(),
        _ => 1,
    }
}

/// The same tokens, with all names normalized; their depth has been measured.
pub(super) fn normalized(tokens: TokenStream) -> TokenStream {
    tokens.into_iter().map(normalized_token).collect()
}

fn normalized_token(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(group) => {
            let mut normal = Group::new(group.delimiter(), normalized(group.stream()));
            normal.set_span(group.span());
            normal.into()
        }
        TokenTree::Ident(name) => {
            let text = name.to_string();
            if is_nfc(&text) { name.into() } else { Ident::new(&text.nfc().collect::<String>(), name.span()).into() }
        }
        other => other,
    }
}
