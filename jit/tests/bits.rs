//! Machine code compiled at run time, generated Rust and the interpreter compute the same, bit by bit.

use std::path::Path;
use std::sync::LazyLock;

use hamel::{Model, Simulation, initial_state};

use hamel_compiler::derive::Equations;
use hamel_compiler::schedule::Schedule;
use hamel_compiler::schedule::interpret::Point;
use hamel_jit::{JitModel, Level};
use hamel_models::ModelEntry;

use crate::common::digits::Digits;
use crate::common::functions::{bits, state, values};
use crate::common::interpreted::Interpreted;

/// Random states at which functions are compared.
const STATES: usize = 20;

/// A model as generated Rust, as statements, and compiled at both levels.
struct Subject {
    name: &'static str,
    generated: Box<dyn Model>,
    equations: Equations,
    schedule: Schedule,
    compiled: [JitModel; 2],
}

/// Every model of the repository.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let subject = |entry: &'static ModelEntry| {
        let generated = (entry.build)(&[]).expect("without parameters");
        let stages = hamel_compiler::stages(generated.describe().source.parse().expect("it lexes"));
        let stages = stages.expect("it compiles");
        let compiled = [Level::AtOnce, Level::Optimised]
            .map(|level| hamel_jit::compile(&stages, level).unwrap_or_else(|error| panic!("{}: {error}", entry.name)));
        Subject { name: entry.name, generated, equations: stages.simplified, schedule: stages.schedule, compiled }
    };
    hamel_compiler::parallel::map(hamel_models::ALL, subject)
});

#[test]
fn every_function_has_the_bits_of_generated_rust() {
    for Subject { name, generated, compiled, .. } in SUBJECTS.iter() {
        for (level, jit) in compiled.iter().enumerate() {
            // Tokens are spaced as who reads them out likes.
            let described = |model: &dyn Model| {
                let info = model.describe();
                format!("{info:?}").replace(&format!("{:?}", info.source), "")
            };
            assert!(described(&**generated) == described(jit), "the description of {name}");
            for seed in 0..STATES {
                let state = state(&**generated, seed);
                for ((function, expected), (_, found)) in values(&**generated, &state).iter().zip(values(jit, &state)) {
                    let other = bits(expected).iter().zip(bits(&found)).position(|(a, b)| *a != b);
                    let pair = other.map(|place| (place, expected[place], found[place]));
                    assert_eq!(pair, None, "{name}, {function}, level {level}");
                }
            }
        }
    }
}

/// The interpreter knows neither machine code nor Rust, and follows the statements one by one.
#[test]
fn every_function_has_the_bits_of_the_interpreter() {
    let check = |Subject { name, generated, equations, schedule, .. }: &Subject| {
        follows_the_statements(name, &**generated, equations, schedule);
    };
    hamel_compiler::parallel::map(&SUBJECTS, check);
}

/// The models on which the compiler is tested, which are not Rust.
#[test]
fn models_of_the_compiler_have_the_bits_of_the_interpreter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model-compiler/tests/pass");
    let mut compared = 0;
    for path in std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it is read").path()) {
        let text = std::fs::read_to_string(&path).expect("it is text");
        let stages = hamel_compiler::stages(text.parse().expect("it lexes")).expect("it compiles");
        for level in [Level::AtOnce, Level::Optimised] {
            let model = hamel_jit::compile(&stages, level).expect("it compiles");
            follows_the_statements(&path.display().to_string(), &model, &stages.simplified, &stages.schedule);
            compared += 1;
        }
    }
    assert!(compared >= 36);
}

fn follows_the_statements(name: &str, model: &dyn Model, equations: &Equations, schedule: &Schedule) {
    let interpreted = Interpreted::<Digits>::new(equations, schedule, model.describe());
    let digits = |values: &[f64]| values.iter().copied().map(Digits).collect::<Vec<_>>();
    let mut inputs = vec![0.0; equations.layout.inputs.len()];
    for seed in 0..STATES {
        let state = state(model, seed);
        model.input_values(state.t, &mut inputs);
        let [q, v, a, lambda] = [&state.q, &state.v, &state.a, &state.lambda].map(|values| digits(values.as_slice()));
        let point = Point { t: Digits(state.t), inputs: digits(&inputs), q, v, a, lambda, tau: Vec::new() };
        let mut known = 0;
        for (function, expected) in values(model, &state) {
            let Some(found) = interpreted.function(function, &point) else { continue };
            // The interpreter adds to zero what code stores where nothing else is added: −0 becomes 0.
            let found: Vec<f64> = found.into_iter().map(|Digits(value)| value + 0.0).collect();
            let expected: Vec<f64> = expected.into_iter().map(|value| value + 0.0).collect();
            let other = bits(&expected).iter().zip(bits(&found)).position(|(a, b)| *a != b);
            let pair = other.map(|place| (place, expected[place], found[place]));
            assert_eq!((expected.len(), pair), (found.len(), None), "{name}, {function}");
            known += 1;
        }
        assert!(known >= 12, "{name}: {known} functions");
    }
}

/// Motions follow, with contacts and constraints, Newton's method and projections.
#[test]
fn motions_have_the_bits_of_generated_rust() {
    for Subject { name: model, generated, compiled: [_, jit], .. } in SUBJECTS.iter() {
        let start = initial_state(&**generated).expect("it has a start");
        let name = if generated.describe().contacts.is_empty() { "generalized_alpha" } else { "bathe" };
        let scheme = hamel::schemes::by_name(name, &[]).expect("it exists");
        let run = |model: &dyn Model| {
            let simulation = Simulation::new(model, &*scheme).step(1e-4).until(1e-2);
            simulation.run(start.clone())
        };
        let (expected, found) = (run(&**generated), run(jit));
        assert_eq!(expected.outcome.map_err(|e| e.to_string()), found.outcome.map_err(|e| e.to_string()), "{model}");
        for (step, (expected, found)) in expected.trajectory.rows().zip(found.trajectory.rows()).enumerate() {
            assert_eq!(bits(expected), bits(found), "{model}, row {step}");
        }
        assert_eq!(bits(initial_state(jit).expect("it has a start").q.as_slice()), bits(start.q.as_slice()));
    }
}
