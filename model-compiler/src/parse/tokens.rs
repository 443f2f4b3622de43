//! Tokens before anything is made of them: names in one form, whatever keyboard they were typed on.
//!
//! rustc reads names in Unicode's normalization form C; files are read as they are.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The same tokens, with all names normalized.
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
