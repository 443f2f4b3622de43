//! The `hamel` command: one file per verb, and how a verb may fail.
//!
//! Exit codes: 0 when every result is within its tolerance, 1 when one is not, 2 for wrong usage, 3 when a solver failed,
//! 4 when results could not be written, 10 and the number of failed cases of a sweep, at most 110.

mod animate;
mod check;
#[cfg(feature = "papers")]
mod closed_forms;
#[cfg(feature = "papers")]
mod counts;
mod expand;
mod explain;
mod export;
mod failure;
mod film;
mod fit;
mod import;
mod inspect;
mod integration;
mod linearize;
mod list;
mod motion;
mod optimize;
mod own;
mod quantity;
mod recording;
#[cfg(feature = "papers")]
mod reproduce;
mod run;
mod runnable;
mod screen;
mod source;
#[cfg(feature = "papers")]
mod study;
mod sweep;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use screen::Screen;

/// Compiles multibody models symbolically, integrates them, and compares them with published results.
#[derive(Parser)]
#[command(name = "hamel", version, after_help = examples())]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List models, schemes and experiments.
    List(list::Arguments),
    #[cfg(feature = "papers")]
    /// Repeat published results and write a report.
    Reproduce(reproduce::Arguments),
    /// Say what a model is made of, and what is wrong with it.
    Check(check::Arguments),
    /// Integrate a model and write its motion.
    Run(Box<run::Arguments>),
    /// Show a motion: one HTML page with moving pictures and plots, which works offline.
    Animate(Box<animate::Arguments>),
    /// Run a model for many values of its parameters, inputs and initial conditions, and keep numbers of each motion.
    Sweep(Box<sweep::Arguments>),
    /// Linearise a model about an equilibrium or a motion: eigenvalues, modes, matrices, responses, root loci.
    Linearize(Box<linearize::Arguments>),
    /// Fit parameters of a model to measurements of its motion, with standard errors.
    Fit(Box<fit::Arguments>),
    /// Choose parameters and inputs of a model that make a number of its motion least, within bounds and conditions.
    Optimize(Box<optimize::Arguments>),
    /// Put together the results of the parts of a sweep.
    Merge(sweep::MergeArguments),
    /// Explain a message by its code, such as H0201, or list all codes.
    Explain(explain::Arguments),
    /// Show the equations and the generated code of a model.
    Inspect(inspect::Arguments),
    /// Print the generated Rust code of a model.
    Expand(expand::Arguments),
    #[cfg(feature = "papers")]
    /// Run all schemes on motions that are known exactly, with three step sizes each.
    ClosedForms(closed_forms::Arguments),
    #[cfg(feature = "papers")]
    /// Count the operations of reference functions and compare them with other tools.
    Counts(counts::Arguments),
    /// Translate the description of a robot, URDF, MJCF or SDFormat, into a model.
    Import(import::Arguments),
    /// Write a model for other programs.
    Export(export::Arguments),
    /// Print a script that completes commands in a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

const EXAMPLES: &str = "\
Examples:
  hamel reproduce                       all experiments of cost `seconds` or `minutes`, into results/
  hamel reproduce sherif --only sherif/heavy_top/fig2
  hamel run heavy_top --scheme hht --with alpha=-0.1 --dt 1e-4 --until 1
  hamel run crane.model --until 10 --initial hinge.angle=30deg
  hamel animate run -o crane.html       the motion of the last run
  hamel animate crane.model --until 10 -o crane.html
  hamel check crane.model --json
  hamel explain H0302                   what a message means, and how to mend what it is about
  hamel sweep crane.model --vary load=100..900:9 --outputs swing.max --until 20 --out loads.parquet
  hamel linearize bicycle --at steady --vary speed=0..10:101 --out bicycle
  hamel fit crane.model --data swing.csv --free load,drag=0..10
  hamel optimize crane.model --minimize sway.squared --samples force=-50..50:21 --subject-to place.final=2 --until 4
  hamel inspect pendulum --term mass_matrix --as latex
  hamel expand src/robot.rs --model Arm
  hamel closed-forms --only ball/ --scheme bathe
  hamel counts --only C6
  hamel reproduce --resume              continues an interrupted run
  hamel import robot.urdf --floating --out robot.rs
  hamel export fmu crane.model --out crane.fmu

Exit codes: 0 all within tolerance, 1 a result outside, 2 wrong usage, 3 a solver failed,
4 results could not be written; of a sweep 10 and the number of failed cases, at most 110.";

/// Examples of the verbs that this build has.
fn examples() -> String {
    let is_here = |line: &&str| {
        let needs_papers = ["hamel reproduce", "hamel closed-forms", "hamel counts"];
        cfg!(feature = "papers") || !needs_papers.iter().any(|verb| line.trim_start().starts_with(verb))
    };
    EXAMPLES.lines().filter(is_here).collect::<Vec<_>>().join("\n")
}

/// One page with all verbs.
fn manual(screen: &mut Screen) -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    Ok(screen.line(String::from_utf8_lossy(&page).trim_end())?)
}

fn main() -> ExitCode {
    let mut screen = Screen::new();
    let result = match Cli::parse().verb {
        Verb::List(arguments) => list::list(&arguments, &mut screen),
        #[cfg(feature = "papers")]
        Verb::Reproduce(arguments) => reproduce::reproduce(&arguments, &mut screen),
        Verb::Check(arguments) => check::check(&arguments, &mut screen),
        Verb::Run(arguments) => run::run(&arguments, &mut screen),
        Verb::Animate(arguments) => animate::animate(&arguments, &mut screen),
        Verb::Sweep(arguments) => sweep::sweep(&arguments, &mut screen),
        Verb::Linearize(arguments) => linearize::linearize(&arguments, &mut screen),
        Verb::Fit(arguments) => fit::fit(&arguments, &mut screen),
        Verb::Optimize(arguments) => optimize::optimize(&arguments, &mut screen),
        Verb::Merge(arguments) => sweep::merge(&arguments, &mut screen),
        Verb::Explain(arguments) => explain::explain(&arguments, &mut screen),
        Verb::Inspect(arguments) => inspect::inspect(&arguments, &mut screen),
        Verb::Expand(arguments) => expand::expand(&arguments, &mut screen),
        #[cfg(feature = "papers")]
        Verb::ClosedForms(arguments) => closed_forms::closed_forms(&arguments, &mut screen),
        #[cfg(feature = "papers")]
        Verb::Counts(arguments) => counts::counts(&arguments, &mut screen),
        Verb::Import(arguments) => import::import(&arguments, &mut screen),
        Verb::Export(arguments) => export::export(&arguments, &mut screen),
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "hamel", &mut script);
            screen.line(String::from_utf8_lossy(&script).trim_end()).map_err(Failure::from)
        }
        Verb::Man => manual(&mut screen),
    };
    match result.and_then(|()| screen.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
