//! `rezaei`: timestepping schemes with high-frequency damping for nonsmooth mechanics.
//!
//! `README.md` beside this file goes through the paper section by section. Here: the linear analysis of its schemes, and
//! what they do with constraints, contacts and impacts.

mod bathe_iteration;
mod bathe_matrix;
mod bilateral;
mod comparison;
mod contact_newton;
mod displacement_bathe;
mod driven;
mod ed_alpha;
mod flexible;
mod generalized_alpha_matrix;
mod heap;
mod mechanism;
mod parameters;
mod rod;
mod spring;
mod stability_region;
mod unilateral;

use hamel_report::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "rezaei",
    reference: "Rezaei, Schindler (2015), Mixed timestepping schemes for nonsmooth mechanics with high frequency damping, \
                arXiv:1505.07666",
    coverage: include_str!("coverage.txt"),
    experiments: EXPERIMENTS,
};

/// In the order of the paper.
static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "rezaei/linear/fig6",
        place: "Fig. 6, Eq. 100",
        title: "Stability of generalized-α in the plane of its parameters",
        cost: Cost::Seconds,
        run: stability_region::run,
    },
    Experiment {
        id: "rezaei/linear/figs_7_8_9",
        place: "Figs. 7, 8, 9",
        title: "Dissipation and dispersion of HHT and generalized-α over their parameters",
        cost: Cost::Seconds,
        run: parameters::run,
    },
    Experiment {
        id: "rezaei/linear/figs_10_11_12",
        place: "Figs. 10, 11, 12",
        title: "Newmark, generalized-α, Bathe and ED-α compared",
        cost: Cost::Seconds,
        run: comparison::run,
    },
    Experiment {
        id: "rezaei/linear/eqs_96_101_103",
        place: "Eqs. 96, 101, 103",
        title: "Amplification matrix of generalized-α and its limits",
        cost: Cost::Seconds,
        run: generalized_alpha_matrix::run,
    },
    Experiment {
        id: "rezaei/linear/eq_106",
        place: "Eq. 106",
        title: "Amplification matrix of Bathe's scheme: two rows are exchanged",
        cost: Cost::Seconds,
        run: bathe_matrix::run,
    },
    Experiment {
        id: "rezaei/misprints/bathe_iteration",
        place: "Eqs. 75, 76",
        title: "Bathe's scheme as an iteration in displacements: a wrong index, and lost digits",
        cost: Cost::Seconds,
        run: bathe_iteration::run,
    },
    Experiment {
        id: "rezaei/misprints/ed_alpha",
        place: "Eqs. 86, 90",
        title: "ED-α in velocities, as printed and corrected",
        cost: Cost::Seconds,
        run: ed_alpha::run,
    },
    Experiment {
        id: "rezaei/misprints/contact_newton",
        place: "Eqs. 43, 52",
        title: "Derivatives of the equations of contact, as printed and corrected",
        cost: Cost::Seconds,
        run: contact_newton::run,
    },
    Experiment {
        id: "rezaei/misprints/flexible_rod",
        place: "Eqs. 144, 149, 152, 169",
        title: "Equations of the flexible slider-crank, as printed and as derived by the compiler",
        cost: Cost::Seconds,
        run: rod::misprints,
    },
    Experiment {
        id: "rezaei/spring/figs_15_16",
        place: "Figs. 15, 16",
        title: "Three masses with a stiff support",
        cost: Cost::Seconds,
        run: spring::stiff,
    },
    Experiment {
        id: "rezaei/spring/figs_17_18",
        place: "Figs. 17, 18",
        title: "Three masses with a constraint: all effects in closed form",
        cost: Cost::Seconds,
        run: spring::constrained,
    },
    Experiment {
        id: "rezaei/slider_crank/fig22",
        place: "Fig. 22",
        title: "Orders of position, velocity and contact force",
        cost: Cost::Seconds,
        run: bilateral::fig_22,
    },
    Experiment {
        id: "rezaei/slider_crank/table3",
        place: "Table 3",
        title: "Computing times without clearance",
        cost: Cost::Seconds,
        run: bilateral::table_3,
    },
    Experiment {
        id: "rezaei/slider_crank/table4",
        place: "Table 4",
        title: "Errors without clearance",
        cost: Cost::Seconds,
        run: bilateral::table_4,
    },
    Experiment {
        id: "rezaei/slider_crank/table5",
        place: "Table 5",
        title: "Computing times with clearance and impacts",
        cost: Cost::Seconds,
        run: unilateral::table_5,
    },
    Experiment {
        id: "rezaei/slider_crank/table6",
        place: "Table 6",
        title: "Errors with clearance and impacts",
        cost: Cost::Minutes,
        run: unilateral::table_6,
    },
    Experiment {
        id: "rezaei/slider_crank/table2",
        place: "Table 2",
        title: "Driven from rest with clearance, rigid",
        cost: Cost::Seconds,
        run: driven::run,
    },
    flexible::MESHES,
    flexible::MOTION,
    flexible::STABILITY,
    flexible::ENERGY_DECAY,
    flexible::MODES,
    flexible::PORTRAIT,
    flexible::FRAMES,
    rod::GAUSS,
    rod::MASS,
    rod::PATTERNS,
    rod::QUADRATIC,
    rod::STIFFNESS,
    rod::FREE,
    Experiment {
        id: "rezaei/heap",
        place: "our own example",
        title: "A heap of 190 discs with 534 contacts comes to rest",
        cost: Cost::Minutes,
        run: heap::run,
    },
];
