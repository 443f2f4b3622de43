//! The smallest model that still goes wrong.

use proc_macro2::{Group, TokenStream, TokenTree};

/// Leaves out tokens as long as what remains goes wrong.
pub fn smallest(mut tokens: TokenStream, goes_wrong: impl Fn(&TokenStream) -> bool) -> TokenStream {
    while let Some(smaller) = smaller(&tokens).into_iter().find(&goes_wrong) {
        tokens = smaller;
    }
    tokens
}

/// All models with one run of tokens less, the shortest first.
fn smaller(tokens: &TokenStream) -> Vec<TokenStream> {
    let list: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut candidates = Vec::new();
    let mut length = list.len();
    while length > 0 {
        for start in (0..=list.len() - length).step_by(length) {
            let rest = list[..start].iter().chain(&list[start + length..]).cloned();
            candidates.push(rest.collect());
        }
        length /= 2;
    }
    for (place, token) in list.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            candidates.extend(smaller(&group.stream()).into_iter().map(|inside| {
                let mut list = list.clone();
                list[place] = Group::new(group.delimiter(), inside).into();
                list.into_iter().collect()
            }));
        }
    }
    candidates
}
