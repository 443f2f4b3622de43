//! Machine code compiled at run time and generated Rust compute the same, bit by bit.

#[path = "common/functions.rs"]
mod functions;

use std::sync::LazyLock;

use hamel::{Model, Simulation, initial_state};

use hamel_jit::{JitModel, Level};
use hamel_models::ModelEntry;

use functions::{bits, state, values};

/// A model as generated Rust, and compiled at both levels.
struct Subject {
    name: &'static str,
    generated: Box<dyn Model>,
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
        Subject { name: entry.name, generated, compiled }
    };
    hamel_compiler::parallel::map(hamel_models::ALL, subject)
});

#[test]
fn every_function_has_the_bits_of_generated_rust() {
    for Subject { name, generated, compiled } in SUBJECTS.iter() {
        for (level, jit) in compiled.iter().enumerate() {
            // Tokens are spaced as who reads them out likes.
            let described = |model: &dyn Model| {
                let info = model.describe();
                format!("{info:?}").replace(&format!("{:?}", info.source), "")
            };
            assert!(described(&**generated) == described(jit), "the description of {name}");
            for seed in 0..100 {
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

/// Motions follow, with contacts and constraints, Newton's method and projections.
#[test]
fn motions_have_the_bits_of_generated_rust() {
    for Subject { name: model, generated, compiled: [_, jit] } in SUBJECTS.iter() {
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
