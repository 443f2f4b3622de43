//! `ship`: lecture notes on the rigid-body equations of motion of a ship, in body axes.
//!
//! `README.md` beside this file goes through the chapter equation by equation.

mod equations;
mod rotation;

pub(crate) use equations::coriolis;

use hamel_report::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "ship",
    reference: "Lecture notes on ship dynamics, chapter 2: Dynamics",
    coverage: include_str!("coverage.txt"),
    experiments: EXPERIMENTS,
};

/// In the order of the chapter.
static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "ship/equations/rotation",
        place: "both code cells",
        title: "Ṙ Rᵀ and the angular velocity in ground axes, derived without SymPy",
        cost: Cost::Seconds,
        run: rotation::run,
    },
    Experiment {
        id: "ship/equations/rigid_body",
        place: "all equations of the chapter",
        title: "Newton's and Euler's equations in body axes, expanded, and as a matrix equation",
        cost: Cost::Seconds,
        run: equations::run,
    },
];
