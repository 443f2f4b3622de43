//! Feeds hostile models to the compiler: `cargo run --release -p hamel-compiler --example fuzz -- TARGET COUNT [FIRST SEED]`.
//!
//! `tokens` mutates the tokens of models, `names` exchanges their names; every mutant goes through the front end, and of
//! those that it accepts every eighth seed, of `names` every thousandth, through all stages. `rustc` does both, and hands all
//! that is accepted to rustc and to the C compiler. A panic is reported with the smallest model found that still panics.

#[path = "../../tests/common/compilers.rs"]
mod compilers;
#[path = "../../tests/common/harness.rs"]
mod harness;
#[path = "../../tests/common/mutation.rs"]
mod mutation;
#[path = "../../src/random.rs"]
mod random;
#[path = "../../tests/common/renaming.rs"]
mod renaming;
mod rustc;
#[path = "../../tests/common/shrinking.rs"]
mod shrinking;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use hamel_compiler::simplify::Limits;
use hamel_compiler::{Family, Stages, stages_within, understand};
use harness::Request;
use mutation::Corpus;
use proc_macro2::TokenStream;
use renaming::Renaming;

fn main() -> ExitCode {
    let request = match Request::read(&["tokens", "names", "rustc"]) {
        Ok(request) => request,
        Err(code) => return code,
    };
    match request.target.as_str() {
        "tokens" => feed(&request, 8, Corpus::read, Corpus::mutant),
        "names" => feed(&request, 1000, Renaming::read, Renaming::mutant),
        _ => rustc::run(&request),
    }
}

/// Compiles the mutants of a corpus, through all stages every so manyth seed.
fn feed<C>(
    request: &Request,
    every: u64,
    prepare: impl Fn() -> C + Sync,
    mutant: impl Fn(&C, u64) -> TokenStream + Sync,
) -> ExitCode {
    let case = |corpus: &C, seed: u64| {
        let tokens = mutant(corpus, seed);
        match understand(tokens.clone()) {
            Err(_) => Ok("refused".to_owned()),
            Ok(_) if !seed.is_multiple_of(every) => Ok("accepted".to_owned()),
            Ok(_) => compiled(tokens).map(|stages| match stages {
                Some(_) => "compiled".to_owned(),
                None => "refused late".to_owned(),
            }),
        }
    };
    let panics = |tokens: &TokenStream| {
        let compile = || stages_within(tokens.clone(), &Limits::least()).is_ok();
        catch_unwind(AssertUnwindSafe(compile)).is_err()
    };
    let smallest = |corpus: &C, seed: u64| shrinking::smallest(mutant(corpus, seed), panics).to_string();
    harness::run(request, prepare, case, smallest)
}

/// All stages of a model; `None` if one refuses it. Text that is not Rust is no refusal: it breaks a law.
fn compiled(tokens: TokenStream) -> Result<Option<Stages>, String> {
    match stages_within(tokens.clone(), &Limits::least()) {
        Ok(stages) => Ok(Some(stages)),
        Err(error) if Family::of(&error.to_string()).0 == Some(Family::Defect) => Err(format!("{error}\n{tokens}")),
        Err(_) => Ok(None),
    }
}
