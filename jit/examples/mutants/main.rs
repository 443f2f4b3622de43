//! Runs hostile models as machine code: `cargo run --release -p hamel-jit --example mutants -- tokens COUNT [FIRST SEED]`.
//!
//! The mutants are those of the compiler's target of this name. Those that pass all stages are compiled at both levels, and
//! every function is called at two states: whatever the numbers are, both levels give the same bits. A panic is reported
//! with the smallest model that still panics; a crash ends the program after the line that tells the last seed.

#[path = "../../tests/common/functions.rs"]
mod functions;
#[path = "../../../model-compiler/tests/common/harness.rs"]
mod harness;
#[path = "../../../model-compiler/tests/common/mutation.rs"]
mod mutation;
#[path = "../../tests/common/on_request.rs"]
mod on_request;
#[path = "../../../model-compiler/src/random.rs"]
mod random;
#[path = "../../../model-compiler/tests/common/shrinking.rs"]
mod shrinking;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use functions::{bits, state, values};
use hamel_compiler::simplify::Limits;
use hamel_compiler::{Stages, stages_within, understand};
use hamel_jit::{Error, JitModel, Level, compile};
use harness::Request;
use mutation::Corpus;
use on_request::on_request;
use proc_macro2::TokenStream;

/// Every how manyth model that the front end accepts goes on: the other stages take a hundred times as long.
const EVERY: u64 = 8;

fn main() -> ExitCode {
    let request = match Request::read(&["tokens"]) {
        Ok(request) => request,
        Err(code) => return code,
    };
    let case = |corpus: &Corpus, seed: u64| {
        let tokens = corpus.mutant(seed);
        if understand(tokens.clone()).is_err() {
            return Ok("refused".to_owned());
        }
        if !seed.is_multiple_of(EVERY) {
            return Ok("accepted".to_owned());
        }
        match stages_within(tokens.clone(), &Limits::least()) {
            Ok(stages) => executed(&stages).map_err(|sentence| format!("{sentence}\n{tokens}")),
            Err(_) => Ok("refused late".to_owned()),
        }
    };
    let panics = |tokens: &TokenStream| {
        let run = || stages_within(tokens.clone(), &Limits::least()).map(|stages| executed(&stages));
        catch_unwind(AssertUnwindSafe(run)).is_err()
    };
    let smallest = |corpus: &Corpus, seed: u64| shrinking::smallest(corpus.mutant(seed), panics).to_string();
    harness::run(&request, Corpus::read, case, smallest)
}

/// Compiles at both levels and calls everything.
fn executed(stages: &Stages) -> Result<String, String> {
    let models = [Level::AtOnce, Level::Optimised].map(|level| compile(stages, level));
    let [Ok(at_once), Ok(optimised)] = models else {
        let refusals: Vec<Error> = models.into_iter().filter_map(Result::err).collect();
        return Err(format!("the code generator refuses: {refusals:?}"));
    };
    for seed in 0..2 {
        let at = state(&at_once, seed);
        let all = |model: &JitModel| -> Vec<(String, Vec<f64>)> {
            let of_all_models = values(model, &at).into_iter().map(|(name, values)| (name.to_owned(), values));
            of_all_models.chain(on_request(model, &at)).collect()
        };
        for ((function, a), (_, b)) in all(&at_once).into_iter().zip(all(&optimised)) {
            if let Some(place) = bits(&a).iter().zip(bits(&b)).position(|(a, b)| *a != b) {
                return Err(format!("{function}[{place}] is {:e} at once, {:e} optimised", a[place], b[place]));
            }
        }
    }
    Ok("executed".to_owned())
}
