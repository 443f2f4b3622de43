//! The slider-crank with a flexible rod of 20 elements. [rezaei, Secs. 4.1–4.3, 4.5]
//!
//! Independent values are those of an implementation in Python of the equations of App. C, written for comparison.

mod energy_decay;
mod frames;
mod meshes;
mod modes;
mod motion;
mod portrait;
mod sensitivity;
mod stability;
mod trace;

use hamel::modal::{self, Modes};
use hamel::scheme::{Scheme, StepError, Stepper};
use hamel::{Model, Signal, initial_state, schemes};
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use hamel_report::{Cost, Experiment};

/// Why some results are not judged.
const SMALL_IMPACTS: &str = "Small impacts are chaotic: which of them there are decides it.";
/// Tolerance of instants of impacts, s: they are known to a step, and ours are the same steps but for rounding.
const SAME_STEP: f64 = 1e-14;

/// In the order of the paper.
pub(super) const MESHES: Experiment = Experiment {
    id: "rezaei/flexible/fig20",
    place: "Sec. 4.1, Fig. 20",
    title: "Convergence with the number of elements of the rod",
    cost: Cost::Minutes,
    run: meshes::run,
};

pub(super) const MOTION: Experiment = Experiment {
    id: "rezaei/flexible/fig21",
    place: "Tables 1, 2, Fig. 21",
    title: "Motion of the slider-crank with a flexible rod, and with a nearly rigid one",
    cost: Cost::Minutes,
    run: motion::run,
};

pub(super) const STABILITY: Experiment = Experiment {
    id: "rezaei/flexible/figs_24_25_26_27",
    place: "Sec. 4.2, Figs. 24–27",
    title: "Angles, angular velocities, root torque and contact force: generalized-α and Bathe",
    cost: Cost::Minutes,
    run: stability::run,
};

pub(super) const ENERGY_DECAY: Experiment = Experiment {
    id: "rezaei/flexible/figs_28_29",
    place: "Sec. 4.3, Figs. 28, 29",
    title: "Angular velocities and contact force with long steps: ED-α and Bathe",
    cost: Cost::Minutes,
    run: energy_decay::run,
};

pub(super) const MODES: Experiment = Experiment {
    id: "rezaei/flexible/modes",
    place: "Sec. 4.5",
    title: "Natural frequencies of the rod, 52 of them effective, and convergence with their number",
    cost: Cost::Minutes,
    run: modes::run,
};

pub(super) const PORTRAIT: Experiment = Experiment {
    id: "rezaei/flexible/figs_30_31",
    place: "Sec. 4.5, Figs. 30, 31",
    title: "Path of the slider and contact force with few and with many modes",
    cost: Cost::Minutes,
    run: portrait::run,
};

pub(super) const FRAMES: Experiment = Experiment {
    id: "rezaei/flexible/fig32",
    place: "Sec. 4.5, App. C.8, Fig. 32",
    title: "Modes in a tangent and in a pinned frame beside finite elements",
    cost: Cost::Minutes,
    run: frames::run,
};

/// Δt of the paper, s.
const STEP: f64 = 1e-5;
/// Until shortly before the slider first strikes the guide at 0.00753 s, and until shortly after, s.
const BEFORE_IMPACT: f64 = 0.0075;
const AFTER_IMPACT: f64 = 0.0076;
/// Number of elements.
const ELEMENTS: usize = 20;

/// The mechanism of Table 2: from rest, driven by 1 N m (the table prints no unit of length), clearance 0.5 mm.
fn driven(change: impl FnOnce(&mut FlexibleSliderCrankParameters)) -> FlexibleSliderCrank {
    let mut parameters =
        FlexibleSliderCrankParameters { speed: 0.0, c: 5e-4, restitution: 0.1, friction: 0.1, ..Default::default() };
    change(&mut parameters);
    let mut model = FlexibleSliderCrank::new(parameters);
    model.inputs.drive = Signal::from(1.0);
    model
}

/// Modes of the rod alone: the slider weighs nothing.
fn rod_modes() -> Result<Modes, StepError> {
    let light = driven(|parameters| parameters.m3 = 1e-18);
    modal::member_modes(&light, "rod").map_err(|error| impossible(&light, &error.to_string()))
}

/// An error of this file rather than of a scheme.
pub(super) fn impossible(model: &dyn Model, reason: &str) -> StepError {
    StepError::Inconsistent { model: model.describe().name.clone(), reason: reason.to_owned(), residual: 0.0 }
}

fn bathe() -> Result<Box<dyn Scheme>, StepError> {
    schemes::by_name("bathe", &[])
}

/// Steps a model from its initial state, and shows every step to `watch`.
fn follow(
    model: &dyn Model,
    scheme: &dyn Scheme,
    dt: f64,
    until: f64,
    mut watch: impl FnMut(&dyn Stepper),
) -> Result<(), StepError> {
    let mut stepper = scheme.start(model, initial_state(model)?)?;
    let steps = (until / dt).round() as u64;
    for _ in 0..steps {
        stepper.step(dt)?;
        watch(stepper.as_ref());
    }
    Ok(())
}

/// Number of impacts so far, and what the contacts press on the slider in total, N.
fn contact(stepper: &dyn Stepper) -> (u64, f64) {
    stepper.contacts().map_or((0, 0.0), |record| (record.impacts, record.forces.iter().step_by(2).sum()))
}

/// The mechanism of Table 2 about its first impact, with Bathe's scheme.
struct Strike {
    /// What the tip moves across the rod, at every step before the impact, m.
    bending: Vec<f64>,
    /// Of the first impact, at all corners, N s.
    impulse: f64,
}

/// Steps a model of the mechanism of Table 2, whole or reduced, beyond its first impact.
fn strike(model: &dyn Model) -> Result<Strike, StepError> {
    let bending = model.describe().outputs.iter().position(|channel| channel.name == "bending").unwrap_or_default();
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    let mut strike = Strike { bending: Vec::new(), impulse: f64::NAN };
    follow(model, bathe()?.as_ref(), STEP, AFTER_IMPACT, |stepper| {
        if stepper.state().t < BEFORE_IMPACT {
            model.outputs(stepper.state(), &mut outputs);
            strike.bending.push(outputs[bending]);
        }
        if let Some(record) = stepper.contacts().filter(|record| record.impacts > 0 && strike.impulse.is_nan()) {
            strike.impulse = record.impulses.iter().step_by(2).sum();
        }
    })?;
    Ok(strike)
}

impl Strike {
    /// The largest difference at the tip before the impact, m.
    fn difference(&self, other: &Strike) -> f64 {
        let pairs = self.bending.iter().zip(&other.bending);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}
