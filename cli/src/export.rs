//! `hamel export`: models for other programs.

use std::io::Write;
use std::path::{Path, PathBuf};

use hamel::simulation::Steps;
use hamel::{Model, initial_state, redundant_constraints, schemes};
use hamel_compiler::emit::{CMotion, CPrecision, CStepper, Numbers, c_casadi, c_motion, c_name};
use hamel_compiler::file::{self, FileError, Source};
use hamel_fmu::{Contents, ExportError, Kind, Stepping, Version};
use hamel_jit::JitModel;
use proc_macro2::TokenStream;

use crate::failure::Failure;
use crate::integration;
use crate::runnable::{Settings, assignment};
use crate::screen::{Screen, new_or_forced};
use crate::source::Choice;

/// Arguments of `hamel export`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    format: Format,
}

#[derive(clap::Subcommand)]
enum Format {
    /// Write a functional mock-up unit, which programs for simulation and co-simulation read (FMI 3.0 or 2.0).
    Fmu(Box<Fmu>),
    /// Write a program in C99 that moves by fixed steps, for processors without an operating system.
    C(Box<Program>),
    /// Write functions with exact derivatives for CasADi: sources in C99, and a Python module that compiles and loads them.
    Casadi(Box<Functions>),
}

/// Arguments of `hamel export casadi`.
#[derive(clap::Args)]
struct Functions {
    #[command(flatten)]
    choice: Choice,
    /// The folder of its four files, made where it is missing.
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    settings: Settings,
    /// Replace files that exist.
    #[arg(long)]
    force: bool,
}

/// Arguments of `hamel export c`.
#[derive(clap::Args)]
struct Program {
    #[command(flatten)]
    choice: Choice,
    /// The folder of its four files, made where it is missing.
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
    /// Its steps: the classical Runge-Kutta scheme, half-explicit steps of second order, which take half the time, or the
    /// implicit generalized-α scheme for stiff models.
    #[arg(long, value_enum, default_value_t = StepperArgument::Rk4)]
    stepper: StepperArgument,
    /// The type of its numbers.
    #[arg(long, value_enum, default_value_t = FloatArgument::Double)]
    float: FloatArgument,
    #[command(flatten)]
    settings: Settings,
    /// Replace files that exist.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum StepperArgument {
    /// Classical Runge-Kutta, fourth order.
    Rk4,
    /// Half-explicit, second order.
    #[value(name = "half_explicit", alias = "half-explicit")]
    HalfExplicit,
    /// Generalized-α, implicit, second order, for stiff models.
    #[value(name = "generalized_alpha", alias = "generalized-alpha")]
    GeneralizedAlpha,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FloatArgument {
    /// double
    Double,
    /// float
    Single,
}

/// Arguments of `hamel export fmu`.
#[derive(clap::Args)]
struct Fmu {
    #[command(flatten)]
    choice: Choice,
    /// The file.
    #[arg(long, short, value_name = "FILE.fmu")]
    out: PathBuf,
    /// Version of the interface.
    #[arg(long, value_enum, default_value_t = Number::Three)]
    fmi: Number,
    /// How importers are to use it. By default both.
    #[arg(long, value_enum)]
    kind: Option<KindArgument>,
    /// Scheme by which the unit integrates by itself, see `hamel list schemes`; by default one that suits the model.
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// Set a parameter of the scheme: --with rho_infinity=0.5
    #[arg(long = "with", value_name = "NAME=VALUE", value_parser = assignment)]
    scheme_parameters: Vec<(String, f64)>,
    /// Its steps, s; by default they are chosen by a tolerance where the scheme can do that.
    #[arg(long, visible_alias = "step", value_name = "H", allow_hyphen_values = true, value_parser = crate::quantity::seconds, conflicts_with = "adaptive")]
    dt: Option<f64>,
    /// Choose its steps by this relative and absolute tolerance.
    #[arg(long, value_name = "TOLERANCE", allow_hyphen_values = true)]
    adaptive: Option<f64>,
    /// End of the motion that importers compute where nobody asks for another, s.
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = crate::quantity::seconds, default_value_t = 10.0)]
    until: f64,
    #[command(flatten)]
    settings: Settings,
    /// Write sources in C99 in the place of a library, for every system with a compiler: without contacts and derivatives, by
    /// itself with fixed steps of `runge_kutta` or `half_explicit`.
    #[arg(long, conflicts_with_all = ["library", "adaptive"])]
    sources: bool,
    /// Leave directional and adjoint derivatives out, which take the longer to compile the larger the model.
    #[arg(long)]
    no_derivatives: bool,
    /// The library that units contain; by default the one beside this program.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Number {
    /// FMI 3.0.
    #[value(name = "3")]
    Three,
    /// FMI 2.0.
    #[value(name = "2")]
    Two,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum KindArgument {
    /// Model exchange: the importer integrates.
    Me,
    /// Co-simulation: the unit integrates.
    Cs,
    /// Both.
    Both,
}

pub(crate) fn export(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    match &arguments.format {
        Format::Fmu(arguments) => fmu(arguments, screen),
        Format::C(arguments) => program(arguments, screen),
        Format::Casadi(arguments) => functions(arguments, screen),
    }
}

/// A model whose parameters are numbers that other languages have.
fn compiled(
    settings: &Settings,
    choice: &Choice,
    changed: impl Fn(TokenStream) -> TokenStream,
) -> Result<(Source, JitModel), Failure> {
    let (source, model) = settings.compiled(choice, changed)?;
    let mut named = model.describe().parameters.iter().zip(model.parameters());
    match named.find(|(_, value)| !value.is_finite()) {
        Some((channel, value)) => {
            Err(Failure::Usage(format!("parameter `{}` is {value}: expected a finite number", channel.name)))
        }
        None => Ok((source, model)),
    }
}

/// Functions that trees have with derivatives, beside those of any model.
const OF_TREES: [&str; 4] =
    ["forward_dynamics", "inverse_dynamics", "forward_dynamics_derivatives", "inverse_dynamics_derivatives"];

fn functions(arguments: &Functions, screen: &mut Screen) -> Result<(), Failure> {
    arguments.settings.refuse_inputs("inputs are an argument of the functions")?;
    let (source, model) = compiled(&arguments.settings, &arguments.choice, |text| text)?;
    let info = model.describe();
    if !info.contacts.is_empty() {
        return Err(Failure::Usage(format!(
            "`{}` has contacts, whose impacts and friction have no derivatives\nhelp: write the contact as a spring between bodies, `force NAME: …`",
            info.name
        )));
    }
    let name = c_name(&info.name);
    let state = initial_state(&model)?;
    let mut text = hamel_jit::with_linearization(source.tokens);
    if model.provides("forward_dynamics") {
        text = hamel_jit::with_functions(text, &OF_TREES);
    }
    let path = arguments.choice.path();
    let stages = hamel_compiler::stages(text).map_err(|error| FileError::model(path, error))?;
    let numbers = Numbers { parameters: model.parameters(), start: [state.q.as_slice(), state.v.as_slice()] };
    let files = c_casadi(&info.name, &stages.simplified, &stages.schedule, numbers);
    let texts = [
        (format!("{name}.h"), &files.model.header),
        (format!("{name}.c"), &files.model.source),
        (format!("{name}_casadi.c"), &files.functions),
        (format!("{name}_casadi.py"), &files.module),
    ];
    write(&arguments.out, &texts, arguments.force)?;
    screen.line(format!("{}: {}", arguments.out.display(), texts.map(|(name, _)| name).join(", ")))?;
    screen.line(format!("functions: {}", files.names.join(", ")))?;
    if model.provides("inverse_dynamics_second_derivatives") {
        screen.line(match files.has_hessians {
            true => "exact Hessians: of inverse_dynamics",
            false => "exact Hessians: none, because the model has inputs, time, or rotations in space as coordinates",
        })?;
    }
    Ok(())
}

/// Writes files into a folder, none of them if one must not be replaced.
fn write(folder: &Path, texts: &[(String, &String)], is_forced: bool) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Unwritten(format!("cannot write `{}`: {error}", folder.display())))?;
    for (name, _) in texts {
        new_or_forced(&folder.join(name), is_forced, |_| false)?;
    }
    for (name, text) in texts {
        file::write(folder.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

fn program(arguments: &Program, screen: &mut Screen) -> Result<(), Failure> {
    arguments.settings.refuse_inputs("inputs of the program are set by what calls it")?;
    let (source, model) = compiled(&arguments.settings, &arguments.choice, |text| text)?;
    let info = model.describe();
    if !info.contacts.is_empty() {
        return Err(Failure::Usage(format!(
            "`{}` has contacts, whose impacts and friction the program does not solve\nhelp: `hamel export fmu` makes a unit that does",
            info.name
        )));
    }
    let state = initial_state(&model)?;
    let left_out = redundant_constraints(&model, &state);
    let path = arguments.choice.path();
    let stages = hamel_compiler::stages(source.tokens).map_err(|error| FileError::model(path, error))?;
    let motion = CMotion {
        stepper: match arguments.stepper {
            StepperArgument::Rk4 => CStepper::RungeKutta,
            StepperArgument::HalfExplicit => CStepper::HalfExplicit,
            StepperArgument::GeneralizedAlpha => CStepper::GeneralizedAlpha { rho_infinity: 0.8 },
        },
        precision: match arguments.float {
            FloatArgument::Double => CPrecision::Double,
            FloatArgument::Single => CPrecision::Single,
        },
        start: [state.q.as_slice(), state.v.as_slice()],
        parameters: model.parameters(),
        left_out: &left_out,
        is_open: false,
    };
    let name = c_name(&info.name);
    let files = c_motion(&info.name, &stages.simplified, &stages.schedule, &motion);
    let [model_files, motion_files] = &files;
    let texts = [
        (format!("{name}.h"), &model_files.header),
        (format!("{name}.c"), &model_files.source),
        (format!("{name}_motion.h"), &motion_files.header),
        (format!("{name}_motion.c"), &motion_files.source),
    ];
    write(&arguments.out, &texts, arguments.force)?;
    screen.line(format!("{}: {}", arguments.out.display(), texts.map(|(name, _)| name).join(", ")))?;
    Ok(())
}

fn fmu(arguments: &Fmu, screen: &mut Screen) -> Result<(), Failure> {
    arguments.settings.refuse_inputs("inputs of the unit are set by the program that uses it")?;
    let numbers = [("--until", Some(arguments.until)), ("--dt", arguments.dt), ("--adaptive", arguments.adaptive)];
    let given: Vec<(&str, f64)> = numbers.into_iter().filter_map(|(option, value)| Some((option, value?))).collect();
    integration::are_positive(&given)?;
    new_or_forced(&arguments.out, arguments.force, |begin| begin.windows(FIRST.len()).any(|bytes| bytes == FIRST))?;
    // Units that integrate by themselves are asked for none.
    let has_derivatives =
        !arguments.sources && !arguments.no_derivatives && !matches!(arguments.kind, Some(KindArgument::Cs));
    let changed = |text| if has_derivatives { hamel_jit::with_linearization(text) } else { text };
    let (source, model) = compiled(&arguments.settings, &arguments.choice, changed)?;
    let name = match &arguments.scheme {
        Some(name) => name.replace('-', "_"),
        None if arguments.sources => "runge_kutta".to_owned(),
        None => schemes::suitable(&model).to_owned(),
    };
    let Some(entry) = schemes::entries().find(|entry| entry.name == name) else {
        return Err(Failure::unknown("scheme", &name, schemes::entries().map(|entry| entry.name)));
    };
    let given: Vec<(&str, f64)> =
        arguments.scheme_parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let scheme = entry.scheme(&given)?;
    if arguments.adaptive.is_some() && !scheme.estimates_errors() {
        return Err(Failure::Usage(format!("--adaptive: {} does not estimate its error; give --dt", scheme.label())));
    }
    let stepping = match (arguments.adaptive, arguments.dt) {
        (Some(tolerance), _) => Stepping::Tolerance(tolerance),
        (None, Some(dt)) => Stepping::Fixed(dt),
        (None, None) => match Steps::suitable(&model, &*scheme, arguments.until) {
            Steps::Chosen(control) => Stepping::Tolerance(control.relative),
            Steps::Fixed(dt) => Stepping::Fixed(dt),
        },
    };
    let contents = Contents {
        text: source.tokens.to_string(),
        version: match arguments.fmi {
            Number::Three => Version::Three,
            Number::Two => Version::Two,
        },
        kinds: match arguments.kind {
            None => Vec::new(),
            Some(KindArgument::Me) => vec![Kind::ModelExchange],
            Some(KindArgument::Cs) => vec![Kind::CoSimulation],
            Some(KindArgument::Both) => vec![Kind::ModelExchange, Kind::CoSimulation],
        },
        scheme: name,
        scheme_parameters: arguments.scheme_parameters.clone(),
        stepping,
        until: arguments.until,
    };
    let written = if arguments.sources {
        let path = arguments.choice.path();
        let stages = hamel_compiler::stages(source.tokens).map_err(|error| FileError::model(path, error))?;
        hamel_fmu::write_sources(&model, &stages, &contents, &arguments.out)
    } else {
        let library = arguments.library.clone().unwrap_or_else(beside_this_program);
        hamel_fmu::write(&model, &contents, &library, &arguments.out)
    };
    let settings = written.map_err(|error| match error {
        ExportError::Start(error) => error.into(),
        ExportError::File(error) => error.into(),
        other => Failure::Usage(other.to_string()),
    })?;
    let kinds: Vec<&str> = settings
        .kinds
        .iter()
        .map(|kind| match kind {
            Kind::ModelExchange => "model exchange",
            Kind::CoSimulation => "co-simulation",
        })
        .collect();
    let steps = match settings.stepping {
        Stepping::Fixed(dt) => format!("steps of {dt} s"),
        Stepping::Tolerance(tolerance) => format!("steps chosen by a tolerance of {tolerance:e}"),
    };
    screen.line(format!(
        "{}: {} for {}; by itself it integrates with {}, {steps}",
        arguments.out.display(),
        model.describe().name,
        kinds.join(" and "),
        settings.scheme,
    ))?;
    Ok(())
}

/// The name of the first file in an archive that is a unit.
const FIRST: &[u8] = b"modelDescription.xml";

/// Where the library is that `cargo build` makes with this program: beside it, or among its parts.
fn beside_this_program() -> PathBuf {
    let name = format!("{}hamel_fmu{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let program = std::env::current_exe().unwrap_or_default();
    let (beside, part) = (program.with_file_name(&name), program.with_file_name("deps").join(&name));
    if !beside.exists() && part.exists() { part } else { beside }
}
