//! `hamel inspect`: the equations and the generated code of a model of this program, or of a Rust file.
use super::{failure::Failure, screen::Screen};
#[derive(clap::Args)]
pub(super) struct Arguments {
    model: String,
}
pub(super) fn inspect(_arguments: &Arguments, _screen: &mut Screen) -> Result<(), Failure> {
    Ok(())
}
