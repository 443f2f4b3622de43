//! Code does not grow with the number of equal members: a chain of a hundred links is that of ten with longer tables.

use hamel_compiler::Stages;

fn chain(n: usize) -> Stages {
    let text = include_str!("pass/chain.model").replace("const n = 5;", &format!("const n = {n};"));
    hamel_compiler::stages(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"))
}

/// The generated code without its tables of numbers and names.
fn without_tables(stages: &Stages) -> String {
    let is_word = |word: &&str| !word.starts_with(|c: char| c.is_ascii_digit() || c == '"') && *word != ",";
    let text = stages.tokens.to_string();
    let functions = text.split("MEMBERS").next().unwrap_or_default();
    functions.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_longer_chain_has_the_same_functions() {
    let (short, long) = (chain(10), chain(100));
    assert_eq!(short.simplified.kernels.len(), long.simplified.kernels.len());
    assert_eq!(long.simplified.instances.len(), 100 + 100 + 2 - 1);
    let count = |stages: &Stages| stages.tokens.to_string().matches("fn ").count();
    assert_eq!(count(&short), count(&long));
    assert_eq!(without_tables(&short).len(), without_tables(&long).len());
}
