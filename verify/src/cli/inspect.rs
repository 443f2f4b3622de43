//! `hamel inspect`: what the compiler makes of a model of this program, or of one in a file.

use clap::ValueEnum;
use hamel_compiler::derive::FunctionRole;
use hamel_compiler::{Stages, inspect as show};

use super::failure::Failure;
use super::screen::Screen;
use super::source::Choice;

/// Arguments of `hamel inspect`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Show one function, e.g. mass_matrix, residual, iteration_matrix.
    #[arg(long, value_name = "FUNCTION")]
    term: Option<String>,
    /// Show formulas as text or LaTeX, or the generated code.
    #[arg(long = "as", value_enum, default_value_t = Form::Text)]
    form: Form,
    /// Show sizes, patterns and operation counts instead.
    #[arg(long)]
    stats: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Rust,
    Latex,
    Text,
}

/// Prints the equations, the code or the counts.
pub(super) fn inspect(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let term = arguments.term.as_deref().map(term).transpose()?;
    let stages = arguments.choice.stages()?;
    let text = rendered(&stages, term, arguments).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(screen.line(text.trim_end())?)
}

fn rendered(stages: &Stages, term: Option<FunctionRole>, arguments: &Arguments) -> syn::Result<String> {
    let (equations, schedule) = (&stages.simplified, &stages.schedule);
    if arguments.stats {
        return Ok(format!("{}\n{}", show::shapes(equations, schedule), show::counts(equations, schedule)));
    }
    match arguments.form {
        Form::Rust => show::rust(&stages.tokens, term),
        Form::Latex => Ok(show::latex(equations, schedule, term)),
        Form::Text => Ok(show::text(equations, schedule, term)),
    }
}

fn term(name: &str) -> Result<FunctionRole, Failure> {
    show::find_term(name).ok_or_else(|| Failure::unknown("function", name, show::terms()))
}
