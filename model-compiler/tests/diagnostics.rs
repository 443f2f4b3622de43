//! What users are told: every file in `fail/` shows one mistake, and no input whatsoever makes the front end panic.

use crate::common::mutation::{Corpus, models, read};
use crate::common::random::Random;
use crate::common::renaming::Renaming;
use hamel_compiler::simplify::Limits;
use hamel_compiler::{Family, stages_within, understand};
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};

/// The errors of a model, each as `line:column: message`; the column counts from 1.
fn diagnose(text: &str) -> String {
    let error = match text.parse::<TokenStream>() {
        Ok(tokens) => understand(tokens).err(),
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

/// An item that cannot be read hides no mistake and causes none, whichever item it is.
#[test]
fn an_item_in_error_has_no_follow_up_errors() {
    let stray = Punct::new('?', Spacing::Alone);
    let (mut count, mut wrong) = (0, Vec::new());
    for path in models("pass") {
        let tokens: TokenStream = read(&path).parse().expect("a model is of tokens");
        for word in item_words(tokens.clone()) {
            let unknown = with_other_word(tokens.clone(), &mut (word + 1), |keyword| {
                vec![Ident::new(&format!("{keyword}q"), keyword.span()).into()]
            });
            let broken =
                with_other_word(tokens.clone(), &mut (word + 2), |name| vec![name.into(), stray.clone().into()]);
            for (mutant, expected) in [(unknown, "unknown item"), (broken, "expected")] {
                let errors = understand(mutant).err().into_iter().flatten();
                let messages: Vec<String> = errors.map(|error| error.to_string()).collect();
                if !matches!(messages.as_slice(), [message] if Family::of(message).1.starts_with(expected)) {
                    wrong.push(format!("{}, word {word}: {}", path.display(), messages.join("\n")));
                }
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 200, "{count} items");
}

/// Which words begin items, in loops or not: those that follow the beginning, `;`, braces, or a doc comment.
fn item_words(tokens: TokenStream) -> Vec<usize> {
    fn walk(tokens: TokenStream, is_list: bool, word: &mut usize, found: &mut Vec<usize>) {
        let (mut begins, mut opens_list) = (true, false);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    opens_list |= name == "model" || (is_list && begins && name == "for");
                    if is_list && begins && name != "for" {
                        found.push(*word);
                    }
                    *word += 1;
                    begins = false;
                }
                TokenTree::Group(group) => {
                    let is_brace = group.delimiter() == Delimiter::Brace;
                    let is_doc = group.to_string().replace(' ', "").starts_with("[doc");
                    walk(group.stream(), is_brace && opens_list, word, found);
                    opens_list &= !is_brace;
                    begins = is_brace || is_doc;
                }
                TokenTree::Punct(punct) => begins = punct.as_char() == ';',
                TokenTree::Literal(_) => begins = false,
            }
        }
    }
    let (mut word, mut found) = (0, Vec::new());
    walk(tokens, false, &mut word, &mut found);
    found
}

/// The tokens with others in place of the word that the countdown ends at.
fn with_other_word(
    tokens: TokenStream,
    countdown: &mut usize,
    other: impl Fn(Ident) -> Vec<TokenTree> + Copy,
) -> TokenStream {
    let replace = |token| match token {
        TokenTree::Ident(word) => {
            *countdown = countdown.wrapping_sub(1);
            if *countdown == 0 { other(word) } else { vec![word.into()] }
        }
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), with_other_word(group.stream(), countdown, other));
            replaced.set_span(group.span());
            vec![replaced.into()]
        }
        token => vec![token],
    };
    tokens.into_iter().flat_map(replace).collect()
}

#[test]
fn mutated_models_never_panic() {
    let corpus = Corpus::read();
    let (mut accepted, mut refused, mut compiled) = (0, 0, 0);
    for tokens in (0..6000).map(|seed| corpus.mutant(seed)) {
        match understand(tokens.clone()) {
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
        match understand(tokens.clone()) {
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
            assert!(understand(tokens).is_err(), "a model without bodies is accepted: {soup}");
        }
    }
    assert!(lexed > 1000, "{lexed} of the inputs lex");
}
