//! A small number of the cases of `cli/examples/fuzz_inputs`, and what these have found.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::commands::Sandbox;
use crate::common::robots;
use crate::common::states::{self, Pushed};
use hamel::{EquilibriumError, Options, StepError, Watchers};
use hamel::{Simulation, consistent_acceleration, equilibrium, initial_state, schemes};

/// How cases end that break no law.
fn ends<E: Into<String>>(
    seeds: std::ops::Range<u64>,
    case: impl Fn(u64) -> Result<E, String>,
) -> BTreeMap<String, usize> {
    let mut ends = BTreeMap::new();
    for seed in seeds {
        let end = case(seed).unwrap_or_else(|sentence| panic!("seed {seed}: {sentence}")).into();
        *ends.entry(end).or_default() += 1;
    }
    ends
}

fn pushed(name: &str, force: f64) -> Pushed {
    let entry = hamel_models::find(name).expect("the model exists");
    Pushed { model: (entry.build)(&[]).expect("without parameters"), force }
}

#[test]
fn descriptions_of_robots_are_refused_or_are_what_they_say() {
    let ends = ends(0..2000, |seed| robots::translate(&robots::description(seed), seed));
    assert!(ends["refused"] > 500 && ends["accepted"] > 50 && ends["compiled"] > 0, "{ends:?}");
}

#[test]
fn commands_end_with_a_code_and_a_message() {
    let sandbox = Sandbox::new(Path::new(env!("CARGO_BIN_EXE_hamel")));
    let ends = ends(0..40, |seed| sandbox.run(seed));
    assert!(ends.contains_key("code 0") && ends.contains_key("code 2"), "{ends:?}");
}

#[test]
fn hostile_states_end_in_errors_or_finite_records() {
    // Where a step once came to an end with values that are not finite: of coordinates, then of accelerations and
    // multipliers too, at last of velocities after an impact.
    let once = [111_720, 112_054, 113_571, 122_586, 126_053, 149_498, 1_014_901, 1_019_701, 1_028_081, 1_158_779];
    for seed in once.into_iter().chain([1_280_927, 1_384_849, 1_535_877, 1_586_729, 3_568_291]) {
        ends(seed..seed + 1, states::run);
    }
    let ends = ends(0..1000, states::run);
    for end in ["recorded to its end", "driven to its end", "BadState", "BadModel", "BadParameter"] {
        assert!(ends.contains_key(end), "no case ends with {end}: {ends:?}");
    }
}

/// Forces near the end of all numbers, with every scheme. A step that failed after others that were not recorded had its
/// state recorded as it was; Moreau's scheme once ended well with such states.
#[test]
fn what_is_not_finite_is_not_recorded() {
    for name in ["forced_oscillator", "pendulum_absolute", "bouncing_ball", "flexible_cantilever"] {
        let all = schemes::entries()
            .filter(|entry| name != "flexible_cantilever" || ["ss2", "ss3", "ss4"].contains(&entry.name));
        for entry in all {
            let scheme = entry.scheme(&[]).expect("defaults are in range");
            for (force, dt, every) in [(1e308, 1e-12, 7), (1e308, 1e-3, 1), (-1e308, 1.0, 7), (1e150, 1e-2, 7)] {
                let model = pushed(name, force);
                let Ok(initial) = initial_state(&model) else { continue };
                let run = Simulation::new(&model, &*scheme).step(dt).until(12.0 * dt).record_every(every).run(initial);
                let is_known = |place: usize| run.trajectory.columns()[place].name != "energy_balance";
                for row in run.trajectory.rows() {
                    let wrong = (0..row.len()).find(|&place| !row[place].is_finite() && is_known(place));
                    assert_eq!(wrong, None, "{name} pushed with {force:e} N, {}, {:?}", scheme.name(), run.outcome);
                }
            }
        }
    }
}

/// A projection that failed left the state of the step before it.
#[test]
fn a_failed_step_leaves_the_state_as_it_was() {
    let mut failures = 0;
    for (name, force) in [("heavy_top", 1e9), ("driven_pendulum_absolute", 0.0), ("slider_crank", 1e9)] {
        let model = pushed(name, force);
        for scheme in schemes::all() {
            for dt in [1.0, 1e-2, 0.3] {
                let started = initial_state(&model).and_then(|state| scheme.start(&model, state));
                let Ok(mut stepper) = started else { continue };
                for _ in 0..10 {
                    let before = stepper.state().clone();
                    if let Err(error) = stepper.step(dt) {
                        assert_eq!(*stepper.state(), before, "{name}, {}, {dt} s: {error}", scheme.name());
                        failures += 1;
                        break;
                    }
                }
            }
        }
    }
    assert!(failures > 20, "{failures}");
}

/// Nothing depends on where a free body is, so that nothing else notices.
#[test]
fn steps_to_infinity_are_errors() {
    for name in ["free_body_joint", "flyball_governor"] {
        for scheme in schemes::all() {
            let model = pushed(name, 0.0);
            let started = initial_state(&model).and_then(|state| scheme.start(&model, state));
            let Ok(mut stepper) = started else { continue };
            if stepper.step(1e300).is_ok() {
                let state = stepper.state();
                let is_finite = state.q.iter().chain(&state.v).chain(&state.a).all(|value| value.is_finite());
                assert!(is_finite, "{name}, {}: {state:?}", scheme.name());
            }
        }
    }
}

#[test]
fn limits_that_nothing_can_keep_end_runs_with_constraints_only() {
    let scheme = schemes::by_name("generalized_alpha", &[]).expect("the scheme exists");
    for (name, is_ok) in [("pendulum", true), ("pendulum_absolute", false)] {
        for limit in [-1.0, f64::NEG_INFINITY, f64::NAN] {
            let model = pushed(name, 0.0);
            let watchers = Watchers { constraints: Some(limit), ..Watchers::default() };
            let options = Options { watchers, ..Options::default() };
            let initial = initial_state(&model).expect("it starts");
            let run = Simulation::new(&model, &*scheme).options(options).step(1e-2).until(0.1).run(initial);
            assert_eq!(run.outcome.is_ok(), is_ok, "{name}, {limit}: {:?}", run.outcome);
        }
    }
}

#[test]
fn states_of_other_models_are_refused() {
    let model = pushed("pendulum_absolute", 0.0);
    let mut state = initial_state(&pushed("heavy_top", 0.0)).expect("it starts");
    let before = state.clone();
    assert!(matches!(consistent_acceleration(&model, &mut state), Err(StepError::BadState { .. })));
    assert_eq!(state, before);
    let found = equilibrium(&model, &state);
    assert!(matches!(found, Err(EquilibriumError::BadState(StepError::BadState { .. }))), "{found:?}");
}
