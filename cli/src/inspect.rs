//! `hamel inspect`: what the compiler makes of a model of this program, or of one in a file.

use clap::ValueEnum;
use hamel_compiler::derive::{Channel, FunctionRole};
use hamel_compiler::{Stages, emit, inspect as show};
use hamel_import::PinocchioJoint;
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
    /// List the coordinates and the velocities instead, with units and limits; of a robot also where Pinocchio has them.
    #[arg(long, conflicts_with_all = ["form", "term", "stats"])]
    coordinates: bool,
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
    if arguments.coordinates {
        let (stages, joints) = arguments.choice.with_pinocchio()?;
        return coordinates(&stages, &joints, screen);
    }
    let stages = arguments.choice.stages()?;
    let term = arguments.term.as_deref().map(|name| term(&stages, name)).transpose()?;
    let text = rendered(&stages, term.as_ref(), arguments)?;
    Ok(screen.line(text.trim_end())?)
}

/// Tables of q and v.
fn coordinates(stages: &Stages, joints: &[PinocchioJoint], screen: &mut Screen) -> Result<(), Failure> {
    let layout = &stages.simplified.layout;
    let text = |limit: Option<f64>| limit.map_or(String::new(), |limit| limit.to_string());
    for (symbol, channels, titles) in
        [("q", &layout.coordinates, ["lower", "upper"]), ("v", &layout.velocities, ["velocity", "effort"])]
    {
        let mut head = vec![symbol.to_owned(), "name".to_owned(), "unit".to_owned()];
        head.extend(titles.map(str::to_owned));
        if !joints.is_empty() {
            head.push(format!("{symbol} of Pinocchio"));
        }
        let mut rows = vec![head];
        for (place, Channel { name, unit }) in channels.iter().enumerate() {
            let mut row = vec![place.to_string(), name.clone(), unit.clone()];
            let limits = layout.limits.iter().find(|(q, v, _)| place == if symbol == "q" { *q } else { *v });
            let limits = limits.map(|(_, _, limits)| *limits).unwrap_or_default();
            let shown = match symbol {
                "q" => [limits.range.map(|range| range[0]), limits.range.map(|range| range[1])],
                _ => [limits.speed, limits.effort],
            };
            row.extend(shown.map(text));
            row.extend(joints.iter().find_map(|joint| pinocchio(joint, symbol == "q", name)));
            rows.push(row);
        }
        screen.table(&rows)?;
    }
    Ok(())
}

/// The place of a coordinate or velocity in Pinocchio, if it is that of this joint.
fn pinocchio(joint: &PinocchioJoint, is_coordinate: bool, channel: &str) -> Option<String> {
    let component = channel.strip_prefix(joint.name.as_str())?.strip_prefix('.')?;
    let first = if is_coordinate { joint.q.start } else { joint.v.start };
    let turning = |at: usize| format!("{}, {} (cos, sin)", first + at, first + at + 1);
    let at = |known: &[&str]| known.iter().position(|known| *known == component).map(|at| (first + at).to_string());
    match (joint.q.len(), is_coordinate) {
        (7, true) => at(&["x", "y", "z", "e1", "e2", "e3", "e0"]),
        (7, false) => at(&["v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"]),
        (4, true) if component == "angle" => Some(turning(2)),
        (4, true) => at(&["x", "y"]),
        // Its velocities have other axes there.
        (4, false) => Some(String::new()),
        (2, true) => Some(turning(0)),
        _ => Some(first.to_string()),
    }
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
