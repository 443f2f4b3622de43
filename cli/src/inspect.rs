//! `hamel inspect`: what the compiler makes of a model of this program, or of one in a file.

use clap::ValueEnum;
use hamel_compiler::derive::FunctionRole;
use hamel_compiler::{Stages, emit, inspect as show};
use hamel_report::graph;

use crate::failure::Failure;
use crate::screen::{Destination, Screen};
use crate::source::Choice;

/// Arguments of `hamel inspect`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Show one function, e.g. mass_matrix, residual, iteration_matrix.
    #[arg(long, value_name = "FUNCTION")]
    term: Option<String>,
    /// What to show.
    #[arg(long = "as", value_enum, default_value_t = Form::Text)]
    form: Form,
    /// Show sizes, sparsity, operation counts and rounding errors instead; with --term the counts of its results.
    #[arg(long, conflicts_with = "form")]
    stats: bool,
    #[command(flatten)]
    destination: Destination,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Generated code.
    Rust,
    /// A graph for Graphviz: the mechanism, or with --term the expressions of that function.
    Dot,
    /// The same graph as a picture.
    Svg,
    /// The model in C99.
    C,
    /// Declarations of the model in C99.
    CHeader,
    /// Formulas in LaTeX.
    Latex,
    /// Formulas in plain text.
    Text,
}

/// Prints the equations, the code or the counts.
pub(crate) fn inspect(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    screen.direct(&arguments.destination)?;
    let stages = arguments.choice.stages()?;
    let term = arguments.term.as_deref().map(|name| term(&stages, name)).transpose()?;
    let text = rendered(&stages, term.as_ref(), arguments)?;
    Ok(screen.line(text.trim_end())?)
}

fn rendered(stages: &Stages, term: Option<&(FunctionRole, String)>, arguments: &Arguments) -> Result<String, Failure> {
    let (term, name) = (term.map(|(role, _)| *role), term.map(|(_, name)| name.as_str()));
    let (equations, schedule) = (&stages.simplified, &stages.schedule);
    if arguments.stats {
        let (sizes, counts) = (show::shapes(equations, schedule), show::counts(equations, schedule));
        return Ok(match term {
            Some(term) => show::entry_counts(&stages.equations, equations, term),
            None => format!("{sizes}\n{counts}\n{}", show::accuracy(&stages.log)),
        });
    }
    let dot = || term.map_or_else(|| show::topology(&stages.system), |term| show::expressions(equations, term));
    match arguments.form {
        Form::Rust => {
            stages.code().and_then(|code| show::rust(&code, name)).map_err(|error| Failure::Usage(error.to_string()))
        }
        Form::Dot => Ok(dot()),
        Form::Svg => graph::svg(&dot()).map_err(Failure::Usage),
        Form::C => Ok(show_c(stages).source),
        Form::CHeader => Ok(show_c(stages).header),
        Form::Latex => Ok(show::latex(equations, schedule, term)),
        Form::Text => Ok(show::text(equations, schedule, term)),
    }
}

fn show_c(stages: &Stages) -> emit::Files {
    emit::c(&stages.system.name.to_string(), &stages.simplified, &stages.schedule)
}

/// A function that the model does not have is an error, not an empty result.
fn term(stages: &Stages, name: &str) -> Result<(FunctionRole, String), Failure> {
    let (equations, schedule) = (&stages.simplified, &stages.schedule);
    let known = show::terms(equations, schedule);
    let known = known.iter().map(String::as_str);
    show::find_term(equations, schedule, name).ok_or_else(|| Failure::unknown("function", name, known))
}
