//! `iftomm`: the benchmarks of rigid mechanisms of the IFToMM library, several schemes on each, held to six digits.
//!
//! A case is a model whose outputs are known at an instant, and schemes with their steps; a new one is a [`Case`] and an
//! experiment. The references are closed forms (A01, A02), an integration with 113 bits (A03) and integrations of reduced
//! equations without constraints (A04, A05), computed independently of this project. `README.md` beside this file lists
//! the experiments.

mod bricard;
mod spatial_slider_crank;

use hamel::scheme::StepError;
use hamel::{Model, Simulation, initial_state, schemes};
use hamel_compiler::parallel;
use hamel_models::point_pendulum::{PointPendulum, PointPendulumParameters};
use hamel_models::{AndrewsSqueezer, AndrewsSqueezerAbsolute, FlyballGovernor, FlyballGovernorAbsolute, FourBars};
use hamel_report::{Cell, Claim, Column, Cost, Experiment, Origin, Paper, Report, Table, at_most};

use self::bricard::{Bricard, BricardJoint};
use self::spatial_slider_crank::{SpatialSliderCrank, SpatialSliderCrankJoint};
use crate::convergence::largest;

pub(crate) const PAPER: Paper = Paper {
    key: "iftomm",
    reference: "IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems, A01 to A05",
    coverage: "",
    experiments: EXPERIMENTS,
};

static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "iftomm/pendulum",
        place: "A01",
        title: "A point on a circle, let go horizontally, for ten seconds",
        cost: Cost::Seconds,
        run: || run(&PENDULUM),
    },
    Experiment {
        id: "iftomm/four_bars/two",
        place: "A02, N = 2",
        title: "Two four-bars whose rods fall in line twice a turn, for ten seconds",
        cost: Cost::Seconds,
        run: || run(&TWO_FOUR_BARS),
    },
    Experiment {
        id: "iftomm/four_bars/forty",
        place: "A02, N = 40",
        title: "Forty four-bars whose rods fall in line twice a turn, for ten seconds",
        cost: Cost::Minutes,
        run: || run(&FORTY_FOUR_BARS),
    },
    Experiment {
        id: "iftomm/andrews",
        place: "A03",
        title: "Andrews' squeezing mechanism for a twentieth of a second",
        cost: Cost::Seconds,
        run: || run(&ANDREWS),
    },
    Experiment {
        id: "iftomm/bricard",
        place: "A04",
        title: "Bricard's mechanism with all its constraints, of which one follows from the others, for ten seconds",
        cost: Cost::Seconds,
        run: || run(&BRICARD),
    },
    Experiment {
        id: "iftomm/governor",
        place: "A05",
        title: "A flyball governor with very stiff springs for ten seconds",
        cost: Cost::Seconds,
        run: || run(&GOVERNOR),
    },
    Experiment {
        id: "iftomm/spatial_slider_crank",
        place: "spatial slider-crank",
        title: "A slider-crank in space, let go with a turning crank, for five seconds",
        cost: Cost::Seconds,
        run: || run(&SPATIAL_SLIDER_CRANK),
    },
];

hamel_models::four_bars!(FourBars40, 40);

/// Bricard's mechanism in absolute coordinates.
pub(crate) fn bricard() -> Box<dyn Model> {
    Box::new(Bricard::default())
}

/// The slider-crank in space in absolute coordinates.
pub(crate) fn spatial_slider_crank() -> Box<dyn Model> {
    Box::new(SpatialSliderCrank::default())
}

/// A mechanism with known outputs at an instant.
struct Case {
    /// Formulations of the model, by name.
    models: &'static [(&'static str, fn() -> Box<dyn Model>)],
    /// Schemes with their steps, s.
    runs: &'static [(&'static str, f64)],
    /// The instant, s.
    until: f64,
    /// Outputs there, components by their names.
    reference: &'static [(&'static str, f64)],
    /// Digits that every run must have.
    digits: f64,
    /// Where the reference comes from.
    source: &'static str,
}

static PENDULUM: Case = Case {
    models: &[("absolute", || {
        let parameters =
            PointPendulumParameters { angle: -std::f64::consts::FRAC_PI_2, speed: 0.0, ..Default::default() };
        Box::new(PointPendulum::new(parameters))
    })],
    runs: &[("radau_iia5", 2e-3), ("esdirk436", 2.5e-4), ("mssth5", 1.25e-4), ("generalized_alpha", 5e-5)],
    until: 10.0,
    reference: &[("bob_x", -0.275_087_462_576_116_9), ("bob_y", -0.961_419_205_099_125_1)],
    digits: 6.0,
    source: "Elliptic functions.",
};

static TWO_FOUR_BARS: Case = Case {
    models: &[("absolute", || Box::new(FourBars::default()))],
    runs: &[("radau_iia5", 1e-3), ("esdirk436", 5e-4)],
    until: 10.0,
    reference: &[
        ("angle", -30.179_800_860_191_205),
        ("rate", -1.506_642_180_841_829_5),
        ("tip_x", 0.328_458_111_540_815_4),
        ("tip_y", 0.944_518_538_178_601),
    ],
    digits: 6.0,
    source: "All cranks share one angle, whose equation has elliptic functions as solutions.",
};

static FORTY_FOUR_BARS: Case = Case {
    models: &[("absolute", || Box::new(FourBars40::default()))],
    runs: &[("radau_iia5", 2e-3), ("esdirk436", 2.5e-4)],
    until: 10.0,
    reference: &[
        ("angle", -30.026_637_417_190_84),
        ("rate", -1.167_622_108_751_707),
        ("tip_x", 0.180_512_226_687_728_4),
        ("tip_y", 0.983_572_740_582_311_6),
    ],
    digits: 6.0,
    source: "All cranks share one angle, whose equation has elliptic functions as solutions.",
};

static ANDREWS: Case = Case {
    models: &[
        ("joint", || Box::new(AndrewsSqueezer::default())),
        ("absolute", || Box::new(AndrewsSqueezerAbsolute::default())),
    ],
    runs: &[("radau_iia5", 2e-5), ("esdirk436", 2.5e-6)],
    until: 0.05,
    reference: &[
        ("beta", 33.825_867_766_954_52),
        ("theta", -33.583_431_517_463_87),
        ("gamma", 0.113_395_073_812_599_02),
        ("phi", -0.407_852_860_560_188_44),
        ("delta", 0.526_060_444_916_995_8),
        ("omega", 0.407_852_860_560_188_44),
        ("epsilon", 1.056_902_429_434_963),
    ],
    digits: 6.0,
    source: "An integration with 113 bits from the start of the test set.",
};

static BRICARD: Case = Case {
    models: &[("absolute", || Box::new(Bricard::default())), ("joint", || Box::new(BricardJoint::default()))],
    runs: &[("radau_iia5", 5e-3), ("esdirk436", 1e-3), ("mssth5", 1e-3), ("generalized_alpha", 5e-4)],
    until: 10.0,
    reference: &[
        ("p1_x", 0.999_999_963_806_4),
        ("p1_y", 0.0),
        ("p1_z", -0.000_269_048_877_033_2),
        ("p2_x", 0.999_730_987_304_3),
        ("p2_y", -0.999_999_963_825_8),
        ("p2_z", -0.000_268_976_509_204_7),
        ("p3_x", 0.999_999_963_803_8),
        ("p3_y", -1.000_269_012_693),
        ("p3_z", 0.999_730_951_123),
        ("p4_x", 0.0),
        ("p4_y", -0.999_999_963_823_6),
        ("p4_z", 0.999_731_023_492_3),
    ],
    digits: 6.0,
    source: "An integration of the one free angle, to 8·10⁻¹¹.",
};

static GOVERNOR: Case = Case {
    models: &[
        ("joint", || Box::new(FlyballGovernor::default())),
        ("absolute", || Box::new(FlyballGovernorAbsolute::default())),
    ],
    runs: &[("radau_iia5", 1e-2), ("radau_iia3", 1e-3), ("esdirk436", 5e-4)],
    until: 10.0,
    reference: &[
        ("height", 0.619_622_917_061),
        ("slider_velocity", -0.747_603_354_2),
        ("shaft_rate", 5.548_203_622_66),
    ],
    digits: 6.0,
    source: "An integration of three equations without constraints, to 3·10⁻¹¹.",
};

static SPATIAL_SLIDER_CRANK: Case = Case {
    models: &[
        ("absolute", || Box::new(SpatialSliderCrank::default())),
        ("joint", || Box::new(SpatialSliderCrankJoint::default())),
    ],
    runs: &[("radau_iia5", 5e-4), ("runge_kutta", 5e-4)],
    until: 5.0,
    reference: &[
        ("crank_rate", 11.494_996_3),
        ("tip_x", 0.0),
        ("tip_y", 0.163950134),
        ("tip_z", 0.071933584),
        ("slider_x", 0.240_719_573_75),
        ("slider_v", -0.595_984_412),
    ],
    digits: 6.0,
    source: "An integration of a study of its own, of which two tolerances agree to 7·10⁻⁸; the tip from its angle, 54.33333217 rad.",
};

/// What a scheme did on a formulation.
struct Outcome {
    model: &'static str,
    scheme: String,
    dt: f64,
    /// Largest error of an output, relative to its value where that is above one.
    error: f64,
    iterations: u32,
}

fn run(case: &'static Case) -> Result<Report, StepError> {
    let jobs: Vec<_> = case.models.iter().flat_map(|model| case.runs.iter().map(move |run| (model, run))).collect();
    let outcomes = parallel::map(&jobs, |&(&(name, model), &(scheme, dt))| outcome(case, name, &*model(), scheme, dt));
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(Report {
        claims: outcomes.iter().map(|outcome| claim(case, outcome)).collect(),
        tables: vec![table(case, &outcomes)],
        notes: vec![format!("Reference: {}", case.source)],
        ..Report::default()
    })
}

fn outcome(case: &Case, name: &'static str, model: &dyn Model, scheme: &str, dt: f64) -> Result<Outcome, StepError> {
    let scheme = schemes::by_name(scheme, &[])?;
    let run =
        Simulation::new(model, &*scheme).step(dt).until(case.until).record_every(usize::MAX).run(initial_state(model)?);
    let iterations = run.outcome?.newton_iterations;
    let errors = case.reference.iter().map(|&(output, value)| {
        let found = run.trajectory.column(output).ok().and_then(|mut column| column.next_back()).unwrap_or(f64::NAN);
        (found - value).abs() / value.abs().max(1.0)
    });
    Ok(Outcome { model: name, scheme: scheme.name(), dt, error: largest(errors), iterations })
}

fn claim(case: &Case, outcome: &Outcome) -> Claim {
    let what = format!(
        "largest error at {} s, {}, {} coordinates, h = {} s",
        case.until, outcome.scheme, outcome.model, outcome.dt
    );
    Claim::new(
        what,
        "1",
        at_most(
            10_f64.powf(-case.digits),
            Origin::Chosen(
                "The benchmark asks for six digits; steps are such that each scheme has them, and some have more.",
            ),
        ),
        outcome.error,
    )
}

fn table(case: &Case, outcomes: &[Outcome]) -> Table {
    let row = |outcome: &Outcome| {
        vec![
            outcome.model.into(),
            Cell::Text(outcome.scheme.clone()),
            Cell::number(outcome.dt, 3),
            Cell::number(outcome.error, 3),
            Cell::number(-outcome.error.log10(), 3),
            Cell::number(f64::from(outcome.iterations), 7),
        ]
    };
    Table {
        slug: "errors".into(),
        title: format!("Errors at {} s", case.until),
        columns: vec![
            Column::text("coordinates"),
            Column::text("scheme"),
            Column::new("h", "s"),
            Column::new("largest error", "1"),
            Column::new("digits", "1"),
            Column::new("Newton iterations", "1"),
        ],
        rows: outcomes.iter().map(row).collect(),
    }
}
