//! What users are told: every file in `fail/` shows one mistake, and no input whatsoever makes the front end panic.

#[path = "common/mutation.rs"]
mod mutation;
#[path = "../src/random.rs"]
mod random;
#[path = "common/renaming.rs"]
mod renaming;

use hamel_compiler::simplify::Limits;
use hamel_compiler::{parse, resolve, stages_within};
use mutation::{Corpus, models, read};
use proc_macro2::TokenStream;
use random::Random;
use renaming::Renaming;

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

#[test]
fn mutated_models_never_panic() {
    let corpus = Corpus::read();
    let (mut accepted, mut refused, mut compiled) = (0, 0, 0);
    for tokens in (0..6000).map(|seed| corpus.mutant(seed)) {
        match parse::parse(tokens.clone()).and_then(|description| resolve::resolve(&description)) {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    for tokens in (0..400).map(|seed| corpus.mutant(seed)) {
        // Most are refused; a generator that panics or emits what is no Rust fails here.
        compiled += usize::from(stages_within(tokens, &Limits::least()).is_ok());
    }
    assert!(compiled > 0, "no mutant compiles");
    assert!(accepted > 0 && refused > accepted, "mutations are too mild or too wild: {accepted} accepted");
}

#[test]
fn renamed_models_never_panic() {
    let corpus = Renaming::read();
    let (mut accepted, mut refused, mut compiled) = (0, 0, 0);
    for tokens in (0..3000).map(|seed| corpus.mutant(seed)) {
        match parse::parse(tokens.clone()).and_then(|description| resolve::resolve(&description)) {
            Ok(_) => {
                accepted += 1;
                // All stages of some; those of flexible members take long.
                if accepted % 100 == 1 && !tokens.to_string().contains("flexible") {
                    let stages = stages_within(tokens.clone(), &Limits::least());
                    compiled += 1;
                    assert!(stages.is_ok(), "names alone make no model impossible: {tokens}");
                }
            }
            Err(_) => refused += 1,
        }
    }
    assert!(
        refused > 300 && accepted > 300 && compiled > 3,
        "{accepted} accepted, {refused} refused, {compiled} compiled"
    );
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
