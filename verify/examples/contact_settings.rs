//! What the settings of the contact solver change: `cargo run --release -p hamel-verify --example contact_settings --
//! [NAME …]`.
//!
//! Solves the closed forms with contacts, a table and a heap of balls in space, a heap of discs in the plane, and
//! collisions of all bodies of such heaps at once, with each setting halved and doubled, and prints what differs from
//! the settings that every scheme uses: the largest difference of a final output or coordinate, the number of
//! iterations of the contact solver relative to that of the defaults, the largest violation of the laws, and failures.

use hamel::nonsmooth::{ContactOptions, Settings};
use hamel::{Model, Options, initial_state, schemes};
use hamel_compiler::parallel;
use hamel_macros::multibody;
use hamel_verify::closed_forms::problems;

hamel_models::disc_pile!(Discs, 9);

hamel_models::ball_pile!(Balls, 3);

multibody! {
    /// A table that falls on one of its four legs first.
    pub model Table {
        coordinates absolute;
        gravity [0, 0, -9.81] m/s^2;
        body table { mass: 10 kg, inertia: diag(1, 1, 1.5) kg m^2 }
        for (k, sx, sy) in [(0, -1, -1), (1, 1, -1), (2, 1, 1), (3, -1, 1)] {
            contact leg[k]: point_on_plane(table at [sx * 0.5 m, sy * 0.5 m, -0.01 m], ground) { friction: 0.5 }
        }
        initial table.position = [0, 0, 0.31] m;
        initial table.velocity = [0, 0, 0];
        initial table.angular_velocity = [0, 0, 0];
        initial table.roll = 0.2 rad;
    }
}

/// Runs of one kind.
struct Group {
    name: &'static str,
    run: fn(&Settings) -> Vec<Outcome>,
}

const GROUPS: [Group; 6] = [
    Group { name: "closed forms", run: closed_forms },
    Group {
        name: "table",
        run: |settings| simulate(&Table::default(), &["bathe", "half_explicit"], settings, 1e-2, 80),
    },
    Group { name: "balls", run: |settings| simulate(&Balls::default(), &PILE, settings, 1e-3, 40) },
    Group { name: "discs", run: |settings| simulate(&Discs::default(), &PILE, settings, 1e-3, 40) },
    Group {
        name: "colliding balls",
        run: |settings| {
            let parameters = BallsParameters { apart: 0.0, friction: 0.5, ..BallsParameters::default() };
            collide(&Balls::new(parameters), settings)
        },
    },
    Group {
        name: "colliding discs",
        run: |settings| {
            let parameters =
                DiscsParameters { apart: 0.0, friction: 1.0, restitution: 0.5, ..DiscsParameters::default() };
            collide(&Discs::new(parameters), settings)
        },
    },
];
const PILE: [&str; 2] = ["moreau", "generalized_alpha"];

/// Lets the bodies of a heap in contact collide all at once, with velocities without a pattern.
fn collide(model: &dyn Model, settings: &Settings) -> Vec<Outcome> {
    let start = initial_state(model).expect("a start");
    let collision = |seed: u32| {
        let mut start = start.clone();
        for ((i, v), &q) in (0_u32..).zip(start.v.iter_mut()).zip(&start.q) {
            // The first Euler parameter of a body that is not turned is one and keeps that value.
            *v = if q == 1.0 { 0.0 } else { (1e4 * f64::from(1000 * seed + i).sin()).fract() };
        }
        run(model, start, "half_explicit", &options(settings), 1e-4, 1)
    };
    (0..3).map(collision).collect()
}

/// A run.
#[derive(Clone)]
struct Outcome {
    /// Coordinates at the end.
    end: Vec<f64>,
    iterations: u64,
    violation: f64,
    is_failure: bool,
}

fn run(model: &dyn Model, start: hamel::State, scheme: &str, options: &Options, dt: f64, steps: usize) -> Outcome {
    let scheme = schemes::by_name(scheme, &[]).expect("a scheme of the registry");
    let mut stepper = scheme.start_with(model, start, options).expect("a start");
    let is_failure = (0..steps).any(|_| stepper.step(dt).is_err());
    let record = stepper.contacts().expect("a model with contacts");
    Outcome {
        end: stepper.state().q.as_slice().to_vec(),
        iterations: record.iterations,
        violation: record.violation,
        is_failure,
    }
}

fn options(settings: &Settings) -> Options {
    Options { contacts: ContactOptions { settings: *settings, ..ContactOptions::default() }, ..Options::default() }
}

fn simulate(model: &dyn Model, schemes: &[&str], settings: &Settings, dt: f64, steps: usize) -> Vec<Outcome> {
    let start = initial_state(model).expect("a start");
    schemes.iter().map(|scheme| run(model, start.clone(), scheme, &options(settings), dt, steps)).collect()
}

fn closed_forms(settings: &Settings) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for problem in problems() {
        let model = (problem.model)();
        if model.describe().contacts.is_empty() {
            continue;
        }
        let options = Options { constraint_level: problem.level, ..options(settings) };
        let (dt, start) = (problem.steps[0], (problem.start)(&*model).expect("a start"));
        let steps = (problem.until / dt).round() as usize;
        for scheme in ["moreau", "half_explicit", "generalized_alpha", "bathe", "ed_alpha"] {
            outcomes.push(run(&*model, start.clone(), scheme, &options, dt, steps));
        }
    }
    outcomes
}

/// What differs between two groups of runs.
fn difference(name: &str, found: &[Outcome], default: &[Outcome]) -> String {
    let pairs = || found.iter().zip(default).flat_map(|(a, b)| a.end.iter().zip(&b.end));
    let change = pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let total = |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.iterations).sum::<u64>() as f64;
    let cost = 100.0 * (total(found) / total(default) - 1.0);
    let failures = found.iter().filter(|outcome| outcome.is_failure).count();
    let most = |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.violation).fold(0.0, f64::max);
    let mut text = match change {
        0.0 => format!("{name}: same digits"),
        change => format!("{name}: {change:.0e}"),
    };
    if cost != 0.0 {
        text.push_str(&format!(", cost {cost:+.1} %"));
    }
    if most(found) != most(default) {
        text.push_str(&format!(", violation {:.0e}", most(found)));
    }
    if failures > 0 {
        text.push_str(&format!(", {failures} of {} runs fail", found.len()));
    }
    text
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|name| !Settings::NAMES.contains(&name.as_str())) {
        eprintln!("error: no setting `{unknown}`; there are {}", Settings::NAMES.join(", "));
        std::process::exit(2);
    }
    let defaults: Vec<Vec<Outcome>> = parallel::map(&GROUPS, |group| (group.run)(&Settings::DEFAULT));
    for (group, outcomes) in GROUPS.iter().zip(&defaults) {
        let iterations: u64 = outcomes.iter().map(|outcome| outcome.iterations).sum();
        let violation = outcomes.iter().map(|outcome| outcome.violation).fold(0.0, f64::max);
        let failures = outcomes.iter().filter(|outcome| outcome.is_failure).count();
        println!(
            "{}: {iterations} iterations, violation {violation:.0e}, {failures} of {} fail",
            group.name,
            outcomes.len()
        );
    }
    let is_wanted = |name: &&str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let names: Vec<&str> = Settings::NAMES.iter().copied().filter(is_wanted).collect();
    parallel::map(&names, |name| {
        for (word, factor) in [("halved", 0.5), ("doubled", 2.0)] {
            let settings = Settings::DEFAULT.scaled(name, factor).expect("a name of the list");
            let texts: Vec<String> = GROUPS
                .iter()
                .zip(&defaults)
                .map(|(group, default)| difference(group.name, &(group.run)(&settings), default))
                .collect();
            println!("{name} {word}: {}", texts.join("; "));
        }
    });
}
