//! What is accepted compiles: models with hostile names, and mutants, in Rust and in C.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::compilers::{Accepted, Rustc, has_c, rejected_by_c};
use crate::common::mutation::Corpus;
use crate::common::renaming::Renaming;
use hamel_compiler::simplify::Limits;
use hamel_compiler::stages_within;
use proc_macro2::TokenStream;

#[test]
fn rustc_and_cc_take_what_is_accepted() {
    let (mutated, renamed) = (Corpus::read(), Renaming::read());
    let mutants = (0..200).map(|seed| (format!("tokens_{seed}"), mutated.mutant(seed)));
    let named = (0..30).map(|seed| (format!("names_{seed}"), renamed.mutant(seed)));
    let accepted = |(name, source): (String, TokenStream)| {
        // Flexible members take long to compile.
        if source.to_string().contains("flexible") {
            return None;
        }
        let stages = stages_within(source.clone(), &Limits::least()).ok()?;
        Some(Accepted::new(name, &source, &stages))
    };
    let accepted: Vec<Accepted> = mutants.chain(named).filter_map(accepted).collect();
    let models: Vec<&Accepted> = accepted.iter().collect();
    assert!(models.len() > 10, "{} models are accepted", models.len());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("accepted");
    let told = |wrong: BTreeMap<String, String>| -> Vec<String> {
        let source = |name: &str| models.iter().find(|model| model.name == name).map(|model| model.source.as_str());
        wrong.iter().map(|(name, message)| format!("{message}\n{}", source(name).unwrap_or_default())).collect()
    };
    match Rustc::find(&folder.join("rust")) {
        Some(rustc) => assert_eq!(told(rustc.rejected(&models)), Vec::<String>::new()),
        None => println!("Rust is not checked: the runtime is not built, `cargo test --workspace` does"),
    }
    match has_c() {
        true => assert_eq!(told(rejected_by_c(&folder.join("c"), &models)), Vec::<String>::new()),
        false => println!("C is not checked: there is no compiler `cc`"),
    }
}
