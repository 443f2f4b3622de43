//! `schemes`: every registered scheme on the same problems, whatever document it comes from.
//!
//! No single paper compares all schemes, so the comparison is a chapter of its own beside the papers. The schemes come
//! from the registry; a new entry appears in every table and figure without a change here. `README.md` beside this file
//! lists the experiments.

mod iterations;
mod orders;
pub(crate) mod problem;
mod recorded;
pub(crate) mod refinement;
mod step_change;
mod work_precision;

use hamel_report::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "schemes",
    reference: "All schemes of Hamel on the same problems; a comparison across the sources, not a document",
    coverage: "",
    experiments: EXPERIMENTS,
};

/// From the simplest problem to the hardest.
static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "schemes/oscillator/orders",
        place: "all schemes",
        title: "Orders and work on the forced oscillator",
        cost: Cost::Seconds,
        run: || orders::run(&problem::OSCILLATOR),
    },
    Experiment {
        id: "schemes/pendulum/index_3",
        place: "all schemes",
        title: "Orders and work on the pendulum, constraint on positions",
        cost: Cost::Seconds,
        run: || orders::run(&problem::PENDULUM_INDEX_3),
    },
    Experiment {
        id: "schemes/pendulum/index_2",
        place: "all schemes",
        title: "Orders and work on the pendulum, constraint on velocities",
        cost: Cost::Seconds,
        run: || orders::run(&problem::PENDULUM_INDEX_2),
    },
    Experiment {
        id: "schemes/free_body/rotation_group",
        place: "all schemes",
        title: "Orders and work on a free body, rotation by increments",
        cost: Cost::Seconds,
        run: || orders::run(&problem::FREE_BODY_ROTATION),
    },
    Experiment {
        id: "schemes/free_body/euler_parameters",
        place: "all schemes",
        title: "Orders and work on a free body in Euler parameters",
        cost: Cost::Seconds,
        run: || orders::run(&problem::FREE_BODY_PARAMETERS),
    },
    Experiment {
        id: "schemes/heavy_top/orders",
        place: "all schemes",
        title: "Orders and work on the heavy top in Euler parameters",
        cost: Cost::Seconds,
        run: || orders::run(&problem::HEAVY_TOP),
    },
    Experiment {
        id: "schemes/recorded/orders",
        place: "all parameters",
        title: "Orders beside those of an independent computation",
        cost: Cost::Seconds,
        run: recorded::run,
    },
    Experiment {
        id: "schemes/newton/iterations",
        place: "all implicit schemes",
        title: "Newton iterations a step, by first guess",
        cost: Cost::Seconds,
        run: iterations::run,
    },
    Experiment {
        id: "schemes/step_change/rescaling",
        place: "SS, generalized-α",
        title: "What a change of the step size costs",
        cost: Cost::Seconds,
        run: step_change::run,
    },
    Experiment {
        id: "schemes/work_precision/andrews",
        place: "Hamel, IDA, Exudyn",
        title: "Work and precision on Andrews' mechanism beside other programs",
        cost: Cost::Seconds,
        run: || work_precision::run(&work_precision::CASES[0]),
    },
    Experiment {
        id: "schemes/work_precision/heavy_top",
        place: "Hamel, IDA, Exudyn",
        title: "Work and precision on the heavy top beside other programs",
        cost: Cost::Seconds,
        run: || work_precision::run(&work_precision::CASES[1]),
    },
    Experiment {
        id: "schemes/work_precision/slider_crank",
        place: "Hamel, IDA, Exudyn",
        title: "Work and precision on the slider-crank beside other programs",
        cost: Cost::Seconds,
        run: || work_precision::run(&work_precision::CASES[2]),
    },
    Experiment {
        id: "schemes/work_precision/four_bars",
        place: "Hamel, Exudyn",
        title: "Work and precision on A02 beside other programs",
        cost: Cost::Seconds,
        run: || work_precision::run(&work_precision::CASES[3]),
    },
    Experiment {
        id: "schemes/work_precision/v8",
        place: "Hamel, IDA, Exudyn",
        title: "Work and precision on the V8 beside other programs",
        cost: Cost::Seconds,
        run: || work_precision::run(&work_precision::CASES[4]),
    },
    Experiment {
        id: "schemes/work_precision/beam",
        place: "Hamel, IDA, Exudyn",
        title: "Work and precision on a cantilever beside other programs",
        cost: Cost::Seconds,
        run: || work_precision::run(&work_precision::CASES[5]),
    },
];
