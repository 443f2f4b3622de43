//! `hamel expand`: the generated Rust code of a model.

use hamel_compiler::inspect;

use crate::failure::Failure;
use crate::screen::{Destination, Screen};
use crate::source::Choice;

/// Arguments of `hamel expand`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    destination: Destination,
}

/// Prints the generated code, formatted.
pub(crate) fn expand(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    screen.direct(&arguments.destination)?;
    let stages = arguments.choice.stages()?;
    let code =
        stages.code().and_then(|code| inspect::rust(&code, None)).map_err(|error| Failure::Usage(error.to_string()))?;
    // The code ends its last line itself.
    Ok(screen.line(code.trim_end())?)
}
