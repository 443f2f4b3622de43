//! Models with mistakes: tokens of the models in `pass/` and `fail/`, deleted, doubled, exchanged, nested, and spliced
//! into each other. A mutant is known by its seed.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::random::Random;

/// Numbers that are easily forgotten.
const NUMBERS: [&str; 18] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "256",
    "100000",
    "1e9",
    "1e308",
    "1e400",
    "1e-400",
    "1e999999999999",
    "0.1e-30",
    "1_000",
    "0x10",
    "1.5f32",
    "18446744073709551616",
    "340282366920938463463374607431768211456000",
];

/// All models of a folder beside this one's; packages beside the compiler include this file, too.
pub fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model-compiler/tests").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "model"));
    paths.sort();
    assert!(!paths.is_empty(), "{} has no models", folder.display());
    paths
}

/// The text of a model.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What mutants are made of.
pub struct Corpus {
    models: Vec<TokenStream>,
    /// Every token of every model, groups among them.
    tokens: Vec<TokenTree>,
    names: Vec<TokenTree>,
    /// Insides of groups.
    runs: Vec<Vec<TokenTree>>,
}

impl Corpus {
    /// Reads the models beside this file; those that are meant to be accepted come more often.
    pub fn read() -> Corpus {
        let parse = |path: PathBuf| -> TokenStream {
            read(&path).parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let models: Vec<TokenStream> = ["pass", "pass", "fail"].into_iter().flat_map(models).map(parse).collect();
        let tokens: Vec<TokenTree> = models.iter().cloned().flat_map(flatten).collect();
        let names = tokens.iter().filter(|token| matches!(token, TokenTree::Ident(_))).cloned().collect();
        let run = |token: &TokenTree| match token {
            TokenTree::Group(group) => Some(group.stream().into_iter().collect::<Vec<_>>()),
            _ => None,
        };
        let runs = tokens.iter().filter_map(run).filter(|run| !run.is_empty()).collect();
        Corpus { models, tokens, names, runs }
    }

    /// A model with one mutation, or up to three.
    pub fn mutant(&self, seed: u64) -> TokenStream {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.below(2);
        let mut tokens = random.pick(&self.models).clone();
        let mutations = 1 + random.below(4) * random.below(2);
        for _ in 0..mutations {
            tokens = self.mutate(tokens, &mut random);
        }
        tokens
    }

    fn mutate(&self, tokens: TokenStream, random: &mut Random) -> TokenStream {
        let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
        if tokens.is_empty() {
            return tokens.into_iter().collect();
        }
        let index = random.below(tokens.len());
        let other = random.below(tokens.len());
        if let TokenTree::Group(group) = &tokens[index]
            && random.below(8) > 0
        {
            tokens[index] = Group::new(group.delimiter(), self.mutate(group.stream(), random)).into();
            return tokens.into_iter().collect();
        }
        match random.below(12) {
            0 => drop(tokens.remove(index)),
            1 => tokens.insert(index, tokens[other].clone()),
            2 => tokens.swap(index, other),
            3 => tokens[index] = random.pick(&self.tokens).clone(),
            4 => tokens.insert(index, random.pick(&self.tokens).clone()),
            5 | 6 => tokens[index] = random.pick(&self.names).clone(),
            7 | 8 => replace_number(&mut tokens, index, random),
            9 => {
                let run = random.pick(&self.runs);
                let (a, b) = (random.below(run.len() + 1), random.below(run.len() + 1));
                drop(tokens.splice(index..index, run[a.min(b)..a.max(b)].iter().cloned()));
            }
            10 => {
                let range = tokens[index.min(other)..=index.max(other)].to_vec();
                let count = 1 + random.below(if range.len() > 4 { 3 } else { 200 });
                drop(tokens.splice(index..index, std::iter::repeat_n(range, count).flatten()));
            }
            _ => {
                let delimiter = *random.pick(&[Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::Brace]);
                for _ in 0..=random.below(300) {
                    tokens[index] = Group::new(delimiter, tokens[index].clone().into()).into();
                }
            }
        }
        tokens.into_iter().collect()
    }
}

/// Replaces the first number from `index` on.
fn replace_number(tokens: &mut [TokenTree], index: usize, random: &mut Random) {
    let number = random.pick(&NUMBERS).parse::<TokenStream>().ok().and_then(|tokens| tokens.into_iter().next());
    let place = tokens[index..].iter_mut().find(|token| matches!(token, TokenTree::Literal(_)));
    if let (Some(place), Some(number)) = (place, number) {
        *place = number;
    }
}

fn flatten(tokens: TokenStream) -> Vec<TokenTree> {
    let inside = |token: &TokenTree| match token {
        TokenTree::Group(group) => flatten(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(|token| [inside(&token), vec![token]].concat()).collect()
}
