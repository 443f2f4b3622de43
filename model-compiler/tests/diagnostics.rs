//! What users are told: every file in `fail/` shows one mistake, and no input whatsoever makes the front end panic.

use std::fs;
use std::path::Path;

use hamel_compiler::{parse, resolve};
use proc_macro2::{TokenStream, TokenTree};

/// The errors of a model, each as `line:column: message`; the column counts from 1.
fn diagnose(text: &str) -> String {
    let error = match text.parse::<TokenStream>() {
        Ok(tokens) => parse::parse(tokens).and_then(|description| resolve::resolve(&description)).err(),
        Err(error) => return format!("does not lex: {error}"),
    };
    let lines = error.into_iter().flatten().map(|error| {
        let start = error.span().start();
        format!("{}:{}: {error}", start.line, start.column + 1)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_mistake_has_its_message() {
    insta::glob!("fail/*.model", |path| {
        let messages = diagnose(&read(path));
        assert!(!messages.is_empty(), "{} is accepted", path.display());
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(messages) });
    });
}

#[test]
fn every_valid_model_is_accepted() {
    for path in models("pass") {
        assert_eq!(diagnose(&read(&path)), "", "{}", path.display());
    }
}

fn models(folder: &str) -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "model"));
    paths.sort();
    assert!(!paths.is_empty(), "{} has no models", folder.display());
    paths
}

/// A small generator of numbers, so that every run sees the same inputs.
struct Random(u64);

impl Random {
    /// Below `bound`, which is not zero. [Knuth, MMIX]
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Deletes, doubles, exchanges or replaces one token, at any depth.
fn mutate(tokens: TokenStream, donor: &[TokenTree], random: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if tokens.is_empty() {
        return tokens.into_iter().collect();
    }
    let index = random.below(tokens.len());
    let other = random.below(tokens.len());
    match (random.below(5), &tokens[index]) {
        (0..=2, TokenTree::Group(group)) => {
            let inside = mutate(group.stream(), donor, random);
            tokens[index] = proc_macro2::Group::new(group.delimiter(), inside).into();
        }
        (0, _) => drop(tokens.remove(index)),
        (1, _) => tokens.insert(index, tokens[other].clone()),
        (2, _) => tokens.swap(index, other),
        _ => tokens[index] = donor[random.below(donor.len())].clone(),
    }
    tokens.into_iter().collect()
}

fn flatten(tokens: TokenStream) -> Vec<TokenTree> {
    let inside = |token: &TokenTree| match token {
        TokenTree::Group(group) => flatten(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(|token| [inside(&token), vec![token]].concat()).collect()
}

#[test]
fn mutated_models_never_panic() {
    let models: Vec<TokenStream> = ["pass", "fail"]
        .into_iter()
        .flat_map(models)
        .map(|path| read(&path).parse().unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .collect();
    let donor: Vec<TokenTree> = models.iter().cloned().flat_map(flatten).collect();
    let mut random = Random(1);
    let (mut accepted, mut refused) = (0, 0);
    for model in models.iter().cycle().take(6000) {
        let mut tokens = model.clone();
        for _ in 0..=random.below(4) {
            tokens = mutate(tokens, &donor, &mut random);
        }
        match parse::parse(tokens).and_then(|description| resolve::resolve(&description)) {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 0 && refused > accepted, "mutations are too mild or too wild: {accepted} accepted");
}

#[test]
fn soup_never_panics() {
    const CHARACTERS: &[u8] = b"abxmksN019.,;:=<>+-*/^()[]{}#!_ \n\"'\\$&|?@~%";
    let mut random = Random(2);
    let mut lexed = 0;
    for _ in 0..20_000 {
        let length = 1 + random.below(24);
        let soup: String = (0..length).map(|_| CHARACTERS[random.below(CHARACTERS.len())] as char).collect();
        let inputs = [soup.clone(), format!("model M {{ {soup} }}"), format!("model M {{ param a = {soup}; }}")];
        for tokens in inputs.iter().filter_map(|text| text.parse::<TokenStream>().ok()) {
            lexed += 1;
            let result = parse::parse(tokens).and_then(|description| resolve::resolve(&description));
            assert!(result.is_err(), "a model without bodies is accepted: {soup}");
        }
    }
    assert!(lexed > 1000, "{lexed} of the inputs lex");
}
