//! `zhang`: implicit integration schemes of MBDyn, multistep, single-step and multistage.
//!
//! `README.md` beside this file goes through the paper section by section. Here: the linear analysis.

mod figures;
mod higher_order;
mod nodes;
mod parasitic;
mod predictor;
mod rotation_reference;
mod shaft;
mod tunable;

use crate::experiment::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "zhang",
    reference: "Zhang, Zanoni, Masarati et al. (2021), on implicit integration schemes for multibody dynamics in MBDyn, \
                Multibody System Dynamics, doi:10.1007/s11044-021-09806-9",
    experiments: EXPERIMENTS,
};

/// In the order of the paper.
static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "zhang/linear/figs_2_3_4",
        place: "Figs. 2, 3, 4",
        title: "Dissipation, dispersion and spectral radius of schemes with tunable dissipation",
        cost: Cost::Seconds,
        run: tunable::run,
    },
    Experiment {
        id: "zhang/linear/figs_5_6_7",
        place: "Figs. 5, 6, 7",
        title: "Dissipation, dispersion and spectral radius of schemes of higher order",
        cost: Cost::Seconds,
        run: higher_order::run,
    },
    Experiment {
        id: "zhang/linear/parasitic_roots",
        place: "Sect. 4",
        title: "Without dissipation, multistep schemes let rounding errors grow",
        cost: Cost::Seconds,
        run: parasitic::run,
    },
    Experiment {
        id: "zhang/misprints/predictor",
        place: "Eq. 14",
        title: "The predictor of two points, as printed and corrected",
        cost: Cost::Seconds,
        run: predictor::run,
    },
    Experiment {
        id: "zhang/mssth/nodes",
        place: "Sect. 2.3",
        title: "The nodes of MSSTH and the local error",
        cost: Cost::Seconds,
        run: nodes::run,
    },
    Experiment {
        id: "zhang/mssth/rotation_reference",
        place: "Sects. 3.1, 5",
        title: "What rotations refer to, and the fifth order of MSSTH(5)",
        cost: Cost::Seconds,
        run: rotation_reference::run,
    },
    Experiment {
        id: "zhang/shaft/orders",
        place: "Sect. 5.4, Figs. 25, 26, 27",
        title: "Orders of convergence on the flexible rotating shaft",
        cost: Cost::Minutes,
        run: shaft::run,
    },
];
