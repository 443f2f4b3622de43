//! The smallest case that still breaks the same law.

use std::cell::Cell;

use proc_macro2::{Literal, TokenStream, TokenTree};

use super::case::Case;
use super::shrinking::smallest;
use super::{Failure, examine};

/// Cases that are tried on the way.
const TRIALS: u32 = 3000;

/// Leaves out lines, then parts of lines, and writes plainer numbers, as long as the law is broken.
pub fn smaller(case: &Case, seed: u64, failure: &Failure) -> Case {
    let left = Cell::new(TRIALS);
    let fails = |case: &Case| {
        let Some(fewer) = left.get().checked_sub(1) else { return false };
        left.set(fewer);
        examine(case, seed).failures.iter().any(|found| found.law == failure.law)
    };
    let mut case = case.clone();
    for formulation in case.formulations.clone() {
        let alone = Case { formulations: vec![formulation], ..case.clone() };
        if case.formulations.len() > 1 && fails(&alone) {
            case = alone;
        }
    }
    while let Some(fewer) = shorter(&case).into_iter().find(&fails) {
        case = fewer;
    }
    for line in 0..case.lines.len() {
        let with = |tokens: &TokenStream| {
            let mut case = case.clone();
            case.lines[line] = prefixed(&case.lines[line], tokens);
            case
        };
        let Ok(tokens) = item(&case.lines[line]).parse::<TokenStream>() else { continue };
        let before = tokens.to_string();
        let plainer = plain_numbers(tokens, &|tokens| fails(&with(tokens)));
        let tokens = smallest(plainer, |tokens| fails(&with(tokens)));
        if tokens.to_string() != before {
            case = with(&tokens);
        }
    }
    case
}

/// All cases with some neighbouring lines less, most of them first.
fn shorter(case: &Case) -> Vec<Case> {
    let (mut cases, mut length) = (Vec::new(), case.lines.len());
    while length > 0 {
        cases.extend((0..=case.lines.len() - length).map(|start| {
            let mut case = case.clone();
            case.lines.drain(start..start + length);
            case
        }));
        length /= 2;
    }
    cases
}

/// A line without the word that says to which formulations it belongs.
fn item(line: &str) -> &str {
    line.split_once(" | ").map_or(line, |(_, item)| item)
}

fn prefixed(line: &str, tokens: &TokenStream) -> String {
    match line.split_once(" | ") {
        Some((only, _)) => format!("{only} | {tokens}"),
        None => tokens.to_string(),
    }
}

/// Replaces numbers by one where the law is still broken.
fn plain_numbers(tokens: TokenStream, fails: &dyn Fn(&TokenStream) -> bool) -> TokenStream {
    let mut list: Vec<TokenTree> = tokens.into_iter().collect();
    for place in 0..list.len() {
        let before = list[place].clone();
        let with = |token: TokenTree| -> TokenStream {
            let mut list = list.clone();
            list[place] = token;
            list.into_iter().collect()
        };
        let after = match before {
            TokenTree::Literal(_) => {
                let one = TokenTree::from(Literal::f64_unsuffixed(1.0));
                if fails(&with(one.clone())) { one } else { before }
            }
            TokenTree::Group(group) => {
                let inside = plain_numbers(group.stream(), &|inside| {
                    fails(&with(proc_macro2::Group::new(group.delimiter(), inside.clone()).into()))
                });
                proc_macro2::Group::new(group.delimiter(), inside).into()
            }
            token => token,
        };
        list[place] = after;
    }
    list.into_iter().collect()
}
