//! `hamel explain`: the page of a family of messages, which the book contains too.

use hamel_compiler::Family;

use crate::failure::Failure;
use crate::screen::Screen;

/// Arguments of `hamel explain`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The code that the message shows in brackets, such as H0201; without it all are listed.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Prints the page of a code, or all codes with their titles.
pub(crate) fn explain(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let Some(code) = &arguments.code else {
        let row = |family: &Family| vec![family.code().to_owned(), family.title().to_owned()];
        return Ok(screen.table(&Family::ALL.iter().map(row).collect::<Vec<_>>())?);
    };
    let family = Family::by_code(code).ok_or_else(|| {
        let help = "`hamel explain` lists all codes; they consist of H and four digits";
        Failure::Usage(format!("unknown code `{code}`\nhelp: {help}"))
    })?;
    Ok(screen.line(family.page().trim_end())?)
}
