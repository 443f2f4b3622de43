//! `hamel inspect`: what the compiler makes of a model of this program, or of one in a file.

use clap::ValueEnum;
use hamel_compiler::derive::FunctionRole;
use hamel_compiler::schedule::vocabulary::{FUNCTIONS, function_name};
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
    let term = arguments.term.as_deref().map(term).transpose()?;
    let stages = arguments.choice.stages()?;
    if let Some(term) = term {
        must_have(&stages, term)?;
    }
    let text = rendered(&stages, term, arguments)?;
    Ok(screen.line(text.trim_end())?)
}

fn rendered(stages: &Stages, term: Option<FunctionRole>, arguments: &Arguments) -> Result<String, Failure> {
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
            stages.code().and_then(|code| show::rust(&code, term)).map_err(|error| Failure::Usage(error.to_string()))
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
fn must_have(stages: &Stages, term: FunctionRole) -> Result<(), Failure> {
    let functions = stages.simplified.kernels.iter().flat_map(|kernel| &kernel.functions);
    let there: Vec<FunctionRole> = functions.map(|function| function.role).collect();
    if there.contains(&term) {
        return Ok(());
    }
    let known: Vec<&str> = FUNCTIONS.into_iter().filter(|role| there.contains(role)).map(function_name).collect();
    let (model, name) = (&stages.system.name, function_name(term));
    Err(Failure::Usage(format!("{model} has no `{name}`, expected one of {}", known.join(", "))))
}

fn term(name: &str) -> Result<FunctionRole, Failure> {
    show::find_term(name).ok_or_else(|| Failure::unknown("function", name, show::terms()))
}
