//! `meijaard`: the benchmark of Whipple's bicycle, whose linearised equations and eigenvalues are printed with fourteen
//! digits after the point.
//!
//! `README.md` beside this file lists the experiments.

mod eigenvalues;
mod matrices;
mod printed;
mod riding;
mod speeds;

use hamel_report::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "meijaard",
    reference: "J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer of a bicycle: a benchmark and review, Proceedings of the Royal Society A 463, 1955–1982 (2007)",
    coverage: "",
    experiments: EXPERIMENTS,
};

static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "meijaard/matrices",
        place: "coefficients of the benchmark bicycle",
        title: "The matrices M, C₁, K₀ and K₂ of lean and steer",
        cost: Cost::Seconds,
        run: matrices::run,
    },
    Experiment {
        id: "meijaard/eigenvalues",
        place: "Table 2b and 2c",
        title: "Eigenvalues straight ahead at 0, 1, …, 10 m/s",
        cost: Cost::Seconds,
        run: eigenvalues::run,
    },
    Experiment {
        id: "meijaard/speeds",
        place: "Table 2a",
        title: "Where the motion begins to oscillate, and the speeds between which the bicycle keeps upright",
        cost: Cost::Seconds,
        run: speeds::run,
    },
];
