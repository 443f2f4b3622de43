//! `simo`: the time integration of the SIMO theory manual.
//!
//! `README.md` beside this file goes through the chapter section by section. Here: its equations of motion, and what it says about stability.

mod corrector;
mod decay;
mod equations;
mod explicit;
mod misprints;
mod motion;
mod newmark;

use hamel_report::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "simo",
    reference: "SINTEF Ocean, SIMO theory manual, chapter Equations of motion",
    coverage: include_str!("coverage.txt"),
    experiments: EXPERIMENTS,
};

/// In the order of the chapter.
static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "simo/equations/kinetics",
        place: "Sect. 1",
        title: "Momenta, equations of motion and added mass, as printed and corrected",
        cost: Cost::Seconds,
        run: equations::kinetics,
    },
    Experiment {
        id: "simo/equations/conventions",
        place: "Sect. 1, velocities in added-mass forces",
        title: "Conventions for the velocities in added-mass forces, and steady current",
        cost: Cost::Seconds,
        run: equations::conventions,
    },
    Experiment {
        id: "simo/equations/kinematics",
        place: "Sects. 2, 3",
        title: "Axes, angles, and the form x″ = f(x, x′, ξ)",
        cost: Cost::Seconds,
        run: equations::kinematics,
    },
    Experiment {
        id: "simo/motion/ideal_fluid",
        place: "Sect. 1, after the conventions",
        title: "No force, a moment: d'Alembert, Munk and Kirchhoff",
        cost: Cost::Seconds,
        run: motion::ideal_fluid,
    },
    Experiment {
        id: "simo/motion/forms",
        place: "Sect. 3, steps 1 to 6",
        title: "The recipe for x″, the 12 states of [ship] and a compiled model agree",
        cost: Cost::Seconds,
        run: motion::forms,
    },
    Experiment {
        id: "simo/motion/decay",
        place: "Sect. 3, the equations with damping, restoring and memory",
        title: "Decay tests: periods, decrements, memory of the water, quadratic drag",
        cost: Cost::Seconds,
        run: decay::run,
    },
    Experiment {
        id: "simo/motion/orders",
        place: "Sect. 4",
        title: "Orders of the three integrators on a moored ship",
        cost: Cost::Seconds,
        run: motion::orders,
    },
    Experiment {
        id: "simo/stability/explicit",
        place: "Sects. 4.1, 4.2",
        title: "Stability of modified Euler and of the scheme like Runge and Kutta's",
        cost: Cost::Seconds,
        run: explicit::run,
    },
    Experiment {
        id: "simo/stability/newmark",
        place: "Sect. 4.3",
        title: "What β and γ do to Newmark's scheme",
        cost: Cost::Seconds,
        run: newmark::run,
    },
    Experiment {
        id: "simo/stability/corrector",
        place: "Sect. 4.3",
        title: "A fixed number of corrections is another scheme",
        cost: Cost::Seconds,
        run: corrector::run,
    },
    Experiment {
        id: "simo/misprints/step_e",
        place: "Sect. 4.2, step (e)",
        title: "The scheme like Runge and Kutta's, as printed and corrected",
        cost: Cost::Seconds,
        run: misprints::step_e,
    },
    Experiment {
        id: "simo/misprints/corrector",
        place: "Sect. 4.3, step (b)",
        title: "Newmark's corrector and its end, as printed and corrected",
        cost: Cost::Seconds,
        run: misprints::corrector,
    },
];
