//! The `hamel` command: lists, reproduces, runs and inspects.
//!
//! Exit codes: 0 when every result is within its tolerance, 1 when one is not, 2 for wrong usage, 3 when a solver failed,
//! 4 when results could not be written.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
