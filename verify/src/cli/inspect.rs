//! `hamel inspect`: what the compiler makes of a model of this program, or of the models in a Rust file.

use std::path::Path;

use clap::ValueEnum;
use hamel_compiler::derive::FunctionRole;
use hamel_compiler::{Stages, emit, inspect as show};
use proc_macro2::TokenStream;

use super::failure::Failure;
use super::screen::Screen;
use super::source;

/// Arguments of `hamel inspect`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Name of a model, see `hamel list`, or a Rust file with `multibody!` calls.
    #[arg(value_name = "MODEL|FILE.rs")]
    what: String,
    /// Show one function, e.g. mass_matrix, residual, iteration_matrix.
    #[arg(long, value_name = "FUNCTION")]
    term: Option<String>,
    /// Show formulas as text or LaTeX, the generated code, or the model in C99 (source or header).
    #[arg(long = "as", value_enum, default_value_t = Form::Text)]
    form: Form,
    /// Show sizes, patterns and operation counts instead.
    #[arg(long)]
    stats: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Rust,
    C,
    CHeader,
    Latex,
    Text,
}

/// Prints the equations, the code or the counts of every model asked for.
pub(super) fn inspect(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let term = arguments.term.as_deref().map(term).transpose()?;
    let path = Path::new(&arguments.what);
    let models = match path.extension() {
        Some(extension) if extension == "rs" => source::calls(path)?,
        _ => vec![own_source(&arguments.what)?],
    };
    for tokens in models {
        let stages = hamel_compiler::stages(tokens).map_err(|error| source::located(path, error))?;
        screen.line(rendered(&stages, term, arguments).map_err(|error| source::located(path, error))?)?;
    }
    Ok(())
}

fn rendered(stages: &Stages, term: Option<FunctionRole>, arguments: &Arguments) -> syn::Result<String> {
    let (equations, schedule) = (&stages.simplified, &stages.schedule);
    if arguments.stats {
        return Ok(format!("{}\n{}", show::shapes(equations, schedule), show::counts(equations, schedule)));
    }
    match arguments.form {
        Form::Rust => show::rust(&stages.tokens, term),
        Form::C => Ok(show_c(stages).source),
        Form::CHeader => Ok(show_c(stages).header),
        Form::Latex => Ok(show::latex(equations, schedule, term)),
        Form::Text => Ok(show::text(equations, schedule, term)),
    }
}

fn show_c(stages: &Stages) -> emit::Files {
    emit::c(&stages.system.name.to_string(), &stages.simplified, &stages.schedule)
}

fn term(name: &str) -> Result<FunctionRole, Failure> {
    show::find_term(name).ok_or_else(|| Failure::unknown("function", name, show::terms()))
}

/// The tokens that a model of this program was compiled from.
fn own_source(name: &str) -> Result<TokenStream, Failure> {
    let names = hamel_models::ALL.iter().map(|entry| entry.name);
    let entry = hamel_models::find(name).ok_or_else(|| Failure::unknown("model", name, names))?;
    // Without parameters to set, nothing can be unknown, and what was compiled once is made of tokens.
    let model = (entry.build)(&[]).map_err(|error| Failure::Usage(error.to_string()))?;
    model.describe().source.parse().map_err(|error| Failure::Usage(format!("{name}: {error}")))
}
