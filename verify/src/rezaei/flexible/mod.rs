//! The slider-crank with a flexible rod of 20 elements. [rezaei, Sec. 4.2]
//!
//! Independent values are those of an implementation in Python of the equations of App. C, written for comparison.

mod modes;
mod motion;
mod stability;

use hamel::modal::{self, Modes};
use hamel::scheme::{Scheme, StepError, Stepper};
use hamel::{Model, Signal, initial_state, schemes};
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;

use crate::experiment::{Cost, Experiment};

pub(super) const MODES: Experiment = Experiment {
    id: "rezaei/flexible/modes",
    place: "Sec. 4.2, Figs. 30, 31",
    title: "Natural frequencies of the rod, and convergence with the number of modes",
    cost: Cost::Minutes,
    run: modes::run,
};

pub(super) const MOTION: Experiment = Experiment {
    id: "rezaei/flexible/motion",
    place: "Tables 1, 2, Figs. 20, 21, 24, 25, 32",
    title: "Motion of the slider-crank with a flexible rod, and with a nearly rigid one",
    cost: Cost::Minutes,
    run: motion::run,
};

pub(super) const STABILITY: Experiment = Experiment {
    id: "rezaei/flexible/stability",
    place: "Sec. 4.2, Figs. 26, 27, 28",
    title: "Damping of high frequencies: generalized-α and Bathe on the flexible rod",
    cost: Cost::Minutes,
    run: stability::run,
};

/// Δt of the paper, s.
const STEP: f64 = 1e-5;
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
    let mut q = vec![0.0; light.dims().nq];
    light.reference_configuration(&mut q);
    let modes = modal::flexible_velocities(&light, "rod").and_then(|run| modal::natural_modes(&light, run, &q));
    modes.map_err(|error| impossible(&light, &error.to_string()))
}

/// An error of this file rather than of a scheme.
fn impossible(model: &dyn Model, reason: &str) -> StepError {
    StepError::Inconsistent { model: model.describe().name, reason: reason.to_owned(), residual: 0.0 }
}

fn bathe() -> Result<Box<dyn Scheme>, StepError> {
    schemes::by_name("bathe", &[])
}

/// Steps a model from its initial state, and shows every step to `watch`.
fn follow(
    model: &dyn Model,
    scheme: &dyn Scheme,
    until: f64,
    mut watch: impl FnMut(&dyn Stepper),
) -> Result<(), StepError> {
    let mut stepper = scheme.start(model, initial_state(model)?)?;
    let steps = (until / STEP).round() as u64;
    for _ in 0..steps {
        stepper.step(STEP)?;
        watch(stepper.as_ref());
    }
    Ok(())
}

/// Number of impacts so far, and what the contacts press on the slider in total, N.
fn contact(stepper: &dyn Stepper) -> (u64, f64) {
    stepper.contacts().map_or((0, 0.0), |record| (record.impacts, record.forces.iter().step_by(2).sum()))
}
