//! `sherif`: a modified HHT scheme for rotations in Euler parameters.
//!
//! `README.md` beside this file goes through the paper section by section.

mod heavy_top;
mod schemes;
mod single_axis_rotation;
mod v8_crank_drive;

use hamel_report::{Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "sherif",
    reference: "Sherif, Nachbagauer, Steiner (2019), A modified HHT method for the numerical simulation of rigid body \
                rotations with Euler parameters, Multibody System Dynamics 46, 181–202",
    coverage: include_str!("coverage.txt"),
    experiments: EXPERIMENTS,
};

/// In the order of the paper.
static EXPERIMENTS: &[Experiment] = &[
    single_axis_rotation::CLASSICAL_STEP,
    single_axis_rotation::MODIFIED_STEP,
    single_axis_rotation::SPIN_UP,
    single_axis_rotation::NORM_EXPANSION,
    heavy_top::INERTIA,
    heavy_top::STATE,
    heavy_top::FIG2,
    heavy_top::ORDERS,
    heavy_top::FIGS_3_4,
    heavy_top::FIG5,
    heavy_top::WEAK_DAMPING,
    v8_crank_drive::DATA,
    v8_crank_drive::FIG8,
    v8_crank_drive::FIG9,
    v8_crank_drive::ORDERS,
    v8_crank_drive::FIG10,
];
