//! Motions of the mechanisms that experiments are about, for animations: computed only where they are asked for.
//!
//! They are not what claims rest on. Each is one scheme with one step, over the time that the result is about or its part
//! that shows most.

use std::fmt;

use hamel::scheme::StepError;
use hamel::{Model, Simulation, Trajectory, initial_state, schemes};

use crate::iftomm;

/// A motion that shows what an experiment is about.
#[derive(Clone, Copy)]
pub struct Shown {
    /// The experiment, e.g. `sherif/heavy_top/figs_3_4`.
    pub experiment: &'static str,
    /// What tells it from others of the experiment.
    pub label: &'static str,
    model: Mechanism,
    /// Components of parameters that are not the defaults, and their values in SI units.
    pub parameters: &'static [(&'static str, f64)],
    scheme: (&'static str, &'static [(&'static str, f64)]),
    /// s.
    step: f64,
    /// s.
    until: f64,
}

#[derive(Clone, Copy)]
enum Mechanism {
    /// By its name among the models.
    Named(&'static str),
    /// One that only an experiment has.
    Own(fn() -> Box<dyn Model>),
}

/// A motion with the model that has moved.
pub struct Moved {
    /// The model with these parameters.
    pub model: Box<dyn Model>,
    /// About a thousand instants.
    pub trajectory: Trajectory,
}

/// Why there is nothing to show.
#[derive(Debug)]
pub enum Missing {
    /// A model or parameter of this name is not there.
    Model(String),
    /// The motion ended early.
    Step(StepError),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(name) => write!(f, "there is no model with these parameters: {name}"),
            Self::Step(error) => error.fmt(f),
        }
    }
}

impl From<StepError> for Missing {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

/// Instants that are recorded.
const INSTANTS: f64 = 1000.0;

/// All of them, in the order of the papers.
pub static SHOWN: &[Shown] = &[
    named("simo/motion/ideal_fluid", "ellipsoid", ("esdirk436", &[]), 1e-2, 20.0),
    named("simo/motion/orders", "moored_ship", ("esdirk436", &[]), 0.25, 400.0),
    labelled("support as a spring", named("rezaei/spring/figs_15_16", "three_mass_oscillator", BATHE, 1e-3, 10.0)),
    named("rezaei/spring/figs_17_18", "three_mass_oscillator_constrained", BATHE, 0.05, 10.0),
    named("rezaei/slider_crank/table3", "slider_crank", GENERALIZED_ALPHA, 1e-5, 0.05),
    named("rezaei/slider_crank/table5", "slider_crank_clearance", GENERALIZED_ALPHA, 1e-5, 0.05),
    labelled("flexible rod", named("rezaei/flexible/fig21", "flexible_slider_crank", BATHE, 1e-5, 0.1)),
    named("rezaei/heap", "disc_pile", ("moreau", &[]), 1e-3, 0.25),
    named(
        "sherif/single_axis_rotation/spin_up",
        "single_axis_rotation",
        ("modified_hht", &[("alpha", -0.3)]),
        1e-3,
        5.0,
    ),
    named("sherif/heavy_top/figs_3_4", "heavy_top", ("modified_hht", &[("alpha", -0.2)]), 1e-4, 2.0),
    named("sherif/v8_crank_drive/fig8", "v8_crank_drive", ("modified_hht", &[("alpha", -0.3)]), 1e-4, 3.0),
    named("zhang/andrews/figs_9_10", "andrews_squeezer_absolute", ("lms4", &[("rho_infinity", 0.6)]), 1e-5, 0.05),
    named("zhang/four_bar/figs_14_15_16", "flexible_four_bar", LMS4, 4e-3, 33.9),
    named("zhang/thin_beam/figs_18_19_20", "thin_beam", LMS4, 2.5e-4, 0.4),
    named("zhang/shaft/figs_22_23_24", "rotating_shaft", LMS4, 5e-4, 2.5),
    with(
        &[("angle", -std::f64::consts::FRAC_PI_2), ("speed", 0.0)],
        named("iftomm/pendulum", "point_pendulum", RADAU, 2e-3, 10.0),
    ),
    named("iftomm/four_bars/two", "four_bars", RADAU, 1e-3, 10.0),
    named("iftomm/andrews", "andrews_squeezer", RADAU, 1e-4, 0.05),
    own("iftomm/bricard", iftomm::bricard, RADAU, 5e-3, 10.0),
    named("iftomm/governor", "flyball_governor_absolute", RADAU, 1e-3, 10.0),
    own("iftomm/spatial_slider_crank", iftomm::spatial_slider_crank, RADAU, 2e-3, 5.0),
    with(&[("speed", 4.6), ("lean_rate", 0.5)], named("meijaard/eigenvalues", "bicycle", RADAU, 5e-3, 5.0)),
    named("schemes/free_body/euler_parameters", "free_body", RADAU, 5e-3, 5.0),
    named("schemes/heavy_top/orders", "heavy_top", RADAU, 1e-3, 2.0),
];

const BATHE: (&str, &[(&str, f64)]) = ("bathe", &[]);
const GENERALIZED_ALPHA: (&str, &[(&str, f64)]) = ("generalized_alpha", &[]);
const LMS4: (&str, &[(&str, f64)]) = ("lms4", &[("rho_infinity", 0.0)]);
const RADAU: (&str, &[(&str, f64)]) = ("radau_iia5", &[]);

const fn named(
    experiment: &'static str,
    model: &'static str,
    scheme: (&'static str, &'static [(&'static str, f64)]),
    step: f64,
    until: f64,
) -> Shown {
    Shown { experiment, label: model, model: Mechanism::Named(model), parameters: &[], scheme, step, until }
}

const fn own(
    experiment: &'static str,
    model: fn() -> Box<dyn Model>,
    scheme: (&'static str, &'static [(&'static str, f64)]),
    step: f64,
    until: f64,
) -> Shown {
    Shown { experiment, label: experiment, model: Mechanism::Own(model), parameters: &[], scheme, step, until }
}

const fn labelled(label: &'static str, shown: Shown) -> Shown {
    Shown { label, ..shown }
}

const fn with(parameters: &'static [(&'static str, f64)], shown: Shown) -> Shown {
    Shown { parameters, ..shown }
}

impl Shown {
    /// The motion.
    ///
    /// # Errors
    /// If a step fails, or the model does not exist.
    pub fn moved(&self) -> Result<Moved, Missing> {
        self.moved_until(self.until)
    }

    /// The scheme and its step in words.
    pub fn scheme(&self) -> String {
        let name = schemes::by_name(self.scheme.0, self.scheme.1).map_or(self.scheme.0.to_owned(), |one| one.name());
        format!("{name}, h = {} s", self.step)
    }

    fn moved_until(&self, until: f64) -> Result<Moved, Missing> {
        let parameters: Vec<(String, f64)> =
            self.parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let model = match self.model {
            Mechanism::Own(make) => make(),
            Mechanism::Named(name) => {
                let built = hamel_models::find(name).and_then(|entry| (entry.build)(&parameters).ok());
                built.ok_or_else(|| Missing::Model(name.to_owned()))?
            }
        };
        let scheme = schemes::by_name(self.scheme.0, self.scheme.1)?;
        let every = (until / self.step / INSTANTS).floor().max(1.0) as usize;
        let simulation = Simulation::new(&*model, &*scheme).step(self.step).until(until).record_every(every);
        let run = simulation.run(initial_state(&*model)?);
        run.outcome?;
        Ok(Moved { model, trajectory: run.trajectory })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_belongs_to_an_experiment_and_moves() {
        let ids: Vec<&str> = crate::PAPERS.iter().flat_map(|paper| paper.experiments).map(|one| one.id).collect();
        for shown in SHOWN {
            assert!(ids.contains(&shown.experiment), "{}", shown.experiment);
            let moved = shown.moved_until(3.0 * shown.step).map_err(|error| error.to_string());
            let moved = moved.unwrap_or_else(|error| panic!("{}: {error}", shown.experiment));
            assert!(moved.trajectory.times().count() > 1 && !moved.model.describe().source.is_empty());
        }
    }
}
