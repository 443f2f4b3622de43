//! Feeds hostile input to what surrounds the compiler: `cargo run --release -p hamel-cli --example fuzz_inputs -- TARGET COUNT [FIRST SEED]`.
//!
//! `urdf` translates descriptions of robots, `commands` calls the command line (build it before: `cargo build --release`),
//! `states` runs models with hostile states, parameters, steps and forces.

#[path = "../../tests/common/commands.rs"]
mod commands;
#[path = "../../../model-compiler/tests/common/harness.rs"]
mod harness;
#[path = "../../../model-compiler/src/random.rs"]
mod random;
#[path = "../../tests/common/robots.rs"]
mod robots;
#[path = "../../tests/common/states.rs"]
mod states;

use std::path::PathBuf;
use std::process::ExitCode;

use commands::Sandbox;
use harness::Request;

fn main() -> ExitCode {
    let request = match Request::read(&["urdf", "commands", "states"]) {
        Ok(request) => request,
        Err(code) => return code,
    };
    let seed_says_all = |_: &(), _| String::new();
    match request.target.as_str() {
        "urdf" => {
            let case = |_: &(), seed| {
                let text = robots::description(seed);
                let end = robots::translate(&text, seed);
                end.map(str::to_owned).map_err(|sentence| format!("{sentence}\n{text}"))
            };
            harness::run(&request, || (), case, |_, seed| robots::description(seed))
        }
        "states" => harness::run(&request, || (), |_, seed| states::run(seed), seed_says_all),
        _ => {
            let Some(program) = program() else {
                eprintln!("there is no program `hamel` beside this one: build it with `cargo build --release`");
                return ExitCode::from(2);
            };
            harness::run(&request, || Sandbox::new(&program), Sandbox::run, |_, _| String::new())
        }
    }
}

/// The command line that was built with the same profile.
fn program() -> Option<PathBuf> {
    let examples = std::env::current_exe().ok()?;
    let program = examples.parent()?.parent()?.join(format!("hamel{}", std::env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}
