//! `zhang`: implicit integration schemes of MBDyn, multistep, single-step and multistage.
//!
//! `README.md` beside this file goes through the paper section by section. Here: the linear analysis.

mod andrews;
mod employed;
mod figures;
mod four_bar;
mod higher_order;
mod iterations;
mod lost_order;
mod nodes;
mod parasitic;
mod predictor;
mod response;
mod rotation_reference;
mod shaft;
mod stiffness;
mod thin_beam;
mod tunable;

use hamel_report::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "zhang",
    reference: "Zhang, Zanoni, Masarati et al. (2021), on implicit integration schemes for multibody dynamics in MBDyn, \
                Multibody System Dynamics, doi:10.1007/s11044-021-09806-9",
    coverage: include_str!("coverage.txt"),
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
        title: "The predictor of two points, with and without its signs",
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
        id: "zhang/mssth/lost_order",
        place: "Sects. 3.1, 5.4",
        title: "What costs MSSTH(5) its order: the reference of rotations, and constraints",
        cost: Cost::Seconds,
        run: lost_order::run,
    },
    Experiment {
        id: "zhang/mssth/stiffness",
        place: "Sect. 5.4",
        title: "Why MSSTH(5) stays below its order on the shaft with constraints on velocities",
        cost: Cost::Minutes,
        run: stiffness::run,
    },
    Experiment {
        id: "zhang/andrews/figs_9_10",
        place: "Sect. 5.1, Figs. 9, 10",
        title: "Andrews' squeezing mechanism: speed and balance of energy with long steps",
        cost: Cost::Seconds,
        run: andrews::long_steps,
    },
    Experiment {
        id: "zhang/andrews/figs_11_12",
        place: "Sect. 5.1, Figs. 11, 12",
        title: "Andrews' squeezing mechanism: speed and balance of energy with short steps",
        cost: Cost::Seconds,
        run: andrews::short_steps,
    },
    Experiment {
        id: "zhang/four_bar/figs_14_15_16",
        place: "Sect. 5.2, Figs. 14, 15, 16",
        title: "The flexible four-bar mechanism: turn and oscillations of its coupler",
        cost: Cost::Minutes,
        run: four_bar::run,
    },
    Experiment {
        id: "zhang/thin_beam/figs_18_19_20",
        place: "Sect. 5.3, Figs. 18, 19, 20",
        title: "Lateral buckling of a thin beam",
        cost: Cost::Minutes,
        run: thin_beam::run,
    },
    Experiment {
        id: "zhang/shaft/figs_22_23_24",
        place: "Sect. 5.4, Figs. 22, 23, 24",
        title: "The flexible rotating shaft runs through its critical speed",
        cost: Cost::Minutes,
        run: shaft::responses::run,
    },
    Experiment {
        id: "zhang/shaft/orders",
        place: "Sect. 5.4, Figs. 25, 26, 27",
        title: "Orders of convergence on the flexible rotating shaft",
        cost: Cost::Minutes,
        run: shaft::orders::run,
    },
    Experiment {
        id: "zhang/iterations",
        place: "Sect. 5.5, Fig. 28",
        title: "Newton iterations in all examples",
        cost: Cost::Minutes,
        run: iterations::run,
    },
];

/// The x component of the rotation vector of a rotation matrix, row by row: what the figures call the rotation angle
/// about the x axis. Below half a turn.
fn turn_about_x(axes: &[f64; 9]) -> f64 {
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = *axes;
    let twice_sine = [zy - yz, xz - zx, yx - xy];
    let sine = 0.5 * twice_sine.iter().map(|component| component * component).sum::<f64>().sqrt();
    let angle = sine.atan2(0.5 * (xx + yy + zz - 1.0));
    // The rotation vector of a rotation too small to have an axis is that of its linear part.
    if sine > 0.0 { 0.5 * twice_sine[0] * angle / sine } else { 0.5 * twice_sine[0] }
}
