//! How motions are integrated: options that runs and sweeps share.

use hamel::adaptive::Control;
use hamel::gradient::suitable_scheme;
use hamel::newton::Tolerance;
use hamel::nonsmooth::ContactOptions;
use hamel::simulation::Steps;
use hamel::{ConstraintLevel, Drift, Model, Options, RotationReference, Scheme, Watchers, schemes};

use crate::failure::Failure;

/// Options of the integration.
#[derive(clap::Args)]
pub(crate) struct Integration {
    /// Name of a scheme, see `hamel list`; by default one that suits the model.
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
    /// Step size, s; by default steps are chosen by a tolerance where the scheme can do that.
    #[arg(long, visible_alias = "step", value_name = "H", allow_hyphen_values = true, value_parser = crate::quantity::seconds)]
    pub dt: Option<f64>,
    /// Choose step sizes by this relative and absolute tolerance; `--dt` is the first step. Only for schemes that
    /// estimate their error, see `hamel list schemes`.
    #[arg(long, value_name = "TOLERANCE", allow_hyphen_values = true)]
    pub adaptive: Option<f64>,
    /// End of the motion, s.
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = crate::quantity::seconds)]
    pub until: f64,
    /// Set a parameter of the scheme, see `hamel list schemes`: --with rho_infinity=0.5
    #[arg(long = "with", value_name = "NAME=VALUE", value_parser = crate::runnable::assignment)]
    pub scheme_parameters: Vec<(String, f64)>,
    /// Level at which constraints on coordinates are imposed; by default the one that the scheme prefers.
    #[arg(long, value_name = "LEVEL")]
    constraints: Option<Level>,
    /// Treatment of the drift of coordinates, where constraints are imposed on velocities; removed by default.
    #[arg(long, value_name = "WHAT")]
    drift: Option<DriftArgument>,
    /// Largest residual of a constraint on positions, relative to the model's lengths; a run that exceeds it ends with
    /// an error. `inf` turns the check off.
    #[arg(long, value_name = "RATIO")]
    max_residual: Option<f64>,
    /// Largest energy that the scheme may add, relative to the energy in motion; a run that exceeds it ends with an
    /// error. `inf` turns the check off.
    #[arg(long, value_name = "RATIO")]
    max_energy_gain: Option<f64>,
    /// Relative tolerance of Newton's method.
    #[arg(long, value_name = "E")]
    newton_tolerance: Option<f64>,
    /// Measure rotations from the orientation of the last stage instead of the one at the beginning of the step.
    #[arg(long)]
    last_point_rotations: bool,
    /// Impacts at the instants at which contacts close, for which steps are divided; by default they are at the ends of steps.
    #[arg(long)]
    follow_impacts: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Level {
    /// On positions (index 3).
    Position,
    /// On velocities (index 2).
    Velocity,
    /// On accelerations (index 1).
    Acceleration,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum DriftArgument {
    /// Coordinates and velocities are projected onto the constraints after every step.
    Removed,
    /// Coordinates are not corrected, as in the published schemes.
    Kept,
}

impl Integration {
    /// Times must be positive.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        positive("--until", self.until)?;
        self.dt.map_or(Ok(()), |dt| positive("--dt", dt))
    }
}

/// A time or a step must be positive.
fn positive(option: &str, value: f64) -> Result<(), Failure> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(Failure::Usage(format!("{option} must be a positive time, but is {value}"))),
    }
}

/// Options must be positive numbers.
pub(crate) fn are_positive(numbers: &[(&str, f64)]) -> Result<(), Failure> {
    match numbers.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
        Some((option, value)) => Err(Failure::Usage(format!("{option} must be a positive number, but is {value}"))),
        None => Ok(()),
    }
}

/// How a model is integrated.
pub(crate) struct Plan {
    /// Name of the scheme in the registry.
    pub name: String,
    pub scheme: Box<dyn Scheme>,
    pub steps: Steps,
    /// What was chosen that nobody asked for.
    pub said: Vec<String>,
}

impl Plan {
    /// The plan for a model.
    pub(crate) fn new(arguments: &Integration, model: &dyn Model) -> Result<Plan, Failure> {
        let mut said = Vec::new();
        // Names have underscores, as those of models do; hyphens are accepted as well.
        let name = match &arguments.scheme {
            Some(name) => name.replace('-', "_"),
            None => {
                let name = schemes::suitable(model);
                let kind = if model.describe().contacts.is_empty() { "without" } else { "with" };
                said.push(format!("scheme {name}, for a model {kind} contacts; see `hamel list schemes` and --scheme"));
                name.to_owned()
            }
        };
        let scheme = scheme(&name, &arguments.scheme_parameters)?;
        let until = arguments.until;
        let chosen = |steps: Steps| match steps {
            Steps::Chosen(control) => {
                Steps::Chosen(Control { first_step: arguments.dt.unwrap_or(control.first_step), ..control })
            }
            fixed @ Steps::Fixed(_) => fixed,
        };
        let steps = match (arguments.adaptive, arguments.dt) {
            (Some(tolerance), _) => chosen(Steps::with_tolerance(tolerance, until)),
            (None, Some(dt)) => Steps::Fixed(dt),
            (None, None) => chosen(Steps::suitable(model, &*scheme, until)),
        };
        match steps {
            Steps::Chosen(control) if arguments.adaptive.is_none() => said.push(format!(
                "steps chosen by a tolerance of {:e}, of {} s at most (a force that acts for a shorter time may be passed over); see --adaptive and --dt",
                control.relative, control.longest_step
            )),
            Steps::Fixed(dt) if arguments.dt.is_none() => said.push(format!(
                "steps of {dt} s; whether they are short enough, a run with --dt {} shows",
                dt / 2.0
            )),
            _ => {}
        }
        Ok(Plan { name, scheme, steps, said })
    }
}

pub(crate) fn scheme(name: &str, parameters: &[(String, f64)]) -> Result<Box<dyn Scheme>, Failure> {
    let Some(entry) = schemes::entries().find(|entry| entry.name == name) else {
        return Err(Failure::unknown("scheme", name, schemes::entries().map(|entry| entry.name)));
    };
    let given: Vec<(&str, f64)> = parameters.iter().map(|(name, value)| (&**name, *value)).collect();
    Ok(entry.scheme(&given)?)
}

/// The scheme of a motion whose slopes are asked for, its name and its options: the one that is named, or one that suits the
/// model.
pub(crate) fn of_slopes(
    model: &dyn Model,
    name: Option<&str>,
    parameters: &[(String, f64)],
) -> Result<(String, Box<dyn Scheme>, Options), Failure> {
    let (name, options) = match name {
        Some(name) => (name.replace('-', "_"), Options::default()),
        None => {
            let (name, options) = suitable_scheme(model);
            (name.to_owned(), options)
        }
    };
    let scheme = scheme(&name, parameters)?;
    Ok((name, scheme, options))
}

pub(crate) fn options(arguments: &Integration) -> Result<Options, Failure> {
    let limits = [
        ("--max-residual", arguments.max_residual),
        ("--max-energy-gain", arguments.max_energy_gain),
        ("--newton-tolerance", arguments.newton_tolerance),
    ];
    for (option, value) in limits.into_iter().filter_map(|(option, value)| Some((option, value?))) {
        if value.is_nan() || value <= 0.0 {
            return Err(Failure::Usage(format!("{option} must be a positive number, but is {value}")));
        }
    }
    let level = |level| match level {
        Level::Position => ConstraintLevel::Position,
        Level::Velocity => ConstraintLevel::Velocity,
        Level::Acceleration => ConstraintLevel::Acceleration,
    };
    let rotation_reference = match arguments.last_point_rotations {
        true => RotationReference::LastPoint,
        false => RotationReference::StepStart,
    };
    let drift = match arguments.drift {
        None | Some(DriftArgument::Removed) => Drift::Removed,
        Some(DriftArgument::Kept) => Drift::Kept,
    };
    let usual = Watchers::default();
    let watchers = Watchers {
        constraints: arguments.max_residual.map_or(usual.constraints, Some),
        energy: arguments.max_energy_gain.map_or(usual.energy, Some),
        ..usual
    };
    let usual = Tolerance::default();
    let tolerance = Tolerance { relative: arguments.newton_tolerance.unwrap_or(usual.relative), ..usual };
    let constraint_level = arguments.constraints.map(level);
    let contacts = ContactOptions { follow_impacts: arguments.follow_impacts, ..ContactOptions::default() };
    Ok(Options { tolerance, constraint_level, drift, rotation_reference, watchers, contacts, ..Options::default() })
}
