//! States, tables and settings are the same after they were written as JSON and read again, or are refused.

use crate::common::{Oscillator, Pendulum, vector};
use hamel::adaptive::Control;
use hamel::schemes::RungeKutta;
use hamel::{ConstraintLevel, Drift, Options, Predictor, Simulation, State, StepError, Trajectory, Watchers, schemes};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn again<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn bits(state: &State) -> Vec<u64> {
    let parts = [&state.q, &state.v, &state.a, &state.lambda];
    std::iter::once(state.t).chain(parts.into_iter().flatten().copied()).map(f64::to_bits).collect()
}

#[test]
fn states_keep_every_digit() {
    let extreme = [1.0 / 3.0, -0.0, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 0.1 + 0.2, -1e-300, 5e15 + 1.0];
    let mut seed = 1_u64;
    let numbers: Vec<f64> = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(seed)
    })
    .filter(|number| number.is_finite())
    .take(2000)
    .collect();
    let state =
        State { t: 0.7, q: vector(&numbers), v: vector(&extreme), a: vector(&numbers[..3]), lambda: vector(&[]) };
    assert_eq!(bits(&again(&state)), bits(&state));
}

#[test]
fn states_are_written_as_lists() {
    let state = State { t: 0.5, q: vector(&[1.0, -2.5]), v: vector(&[0.25]), a: vector(&[3.0]), lambda: vector(&[]) };
    let text = r#"{"t":0.5,"q":[1.0,-2.5],"v":[0.25],"a":[3.0],"lambda":[]}"#;
    assert_eq!(serde_json::to_string(&state).unwrap(), text);
    // Whole numbers as people write them.
    let by_hand = r#"{"lambda": [], "t": 0.5, "q": [1, -2.5], "v": [0.25], "a": [3]}"#;
    assert_eq!(serde_json::from_str::<State>(by_hand).unwrap(), state);
    let undefined = by_hand.replace("0.25", "null");
    assert!(serde_json::from_str::<State>(&undefined).is_err());
}

/// A motion goes on from a file as if it had not been interrupted.
#[test]
fn a_motion_goes_on_from_what_was_read() {
    let from = |start: State, until: f64| {
        let mut end = start.clone();
        let run = Simulation::new(&Oscillator, &RungeKutta).step(0.01).until(until);
        run.on_step(|state| end = state.clone()).run(start).outcome.unwrap();
        end
    };
    let half = from(Oscillator::initial(), 1.0);
    assert_eq!(bits(&from(again(&half), 2.0)), bits(&from(half, 2.0)));
}

#[test]
fn states_of_another_model_are_refused_by_every_scheme() {
    let read = again(&Oscillator::initial());
    for scheme in schemes::all() {
        let run = Simulation::new(&Pendulum, &*scheme).step(0.01).until(0.1).run(read.clone());
        let Err(StepError::BadState { what, value, .. }) = run.outcome else { panic!("{:?}", run.outcome) };
        assert_eq!((what.as_str(), value), ("the number of coordinates", 1.0));
    }
    let short = serde_json::to_string(&Pendulum::initial()).unwrap().replace(r#""lambda":["#, r#""lambda":[0.0,"#);
    let run = Simulation::new(&Pendulum, &RungeKutta).step(0.01).until(0.1).run(serde_json::from_str(&short).unwrap());
    let Err(StepError::BadState { what, .. }) = run.outcome else { panic!("{:?}", run.outcome) };
    assert_eq!(what, "the number of multipliers");
}

#[test]
fn tables_are_what_they_were() {
    let run = Simulation::new(&Oscillator, &RungeKutta).step(0.1).until(1.0).run(Oscillator::initial());
    let read = again(&run.trajectory);
    assert_eq!(read.columns(), run.trajectory.columns());
    assert_eq!(read.len(), 11);
    let bits = |table: &Trajectory| table.rows().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
    // The model does not know the power of its forces: the balance of energy is not a number, JSON's null.
    assert!(read.column("energy_balance").unwrap().all(f64::is_nan));
    assert_eq!(bits(&read), bits(&run.trajectory));
}

#[test]
fn tables_of_no_shape_are_refused() {
    let why = |text: &str| serde_json::from_str::<Trajectory>(text).unwrap_err().to_string();
    let column = r#"{"name":"t","unit":"s"}"#;
    assert_eq!(why(r#"{"columns":[],"values":[]}"#), "expected at least one column");
    let error = why(&format!(r#"{{"columns":[{column},{column}],"values":[1.0,2,-3]}}"#));
    assert_eq!(error, "expected rows of 2 values, not 3 values in all");
    let error = why(&format!(r#"{{"columns":[{column}],"values":["x"]}}"#));
    assert!(error.starts_with(r#"invalid type: string "x", expected a number or null"#), "{error}");
}

#[test]
fn settings_are_read_in_parts() {
    let options = Options {
        constraint_level: Some(ConstraintLevel::Velocity),
        drift: Drift::Kept,
        predictor: Some(Predictor::TwoPoint),
        watchers: Watchers { energy: None, ..Watchers::default() },
        ..Options::default()
    };
    assert_eq!(again(&options), options);
    let by_hand = r#"{
        "constraint_level": "velocity", "drift": "kept", "predictor": "two_point", "watchers": { "energy": null }
    }"#;
    assert_eq!(serde_json::from_str::<Options>(by_hand).unwrap(), options);
    let error = serde_json::from_str::<Options>(r#"{"tolerance": {"relativ": 1e-9}}"#).unwrap_err().to_string();
    assert!(error.starts_with("unknown field `relativ`"), "{error}");
    // Steps without a bound.
    let control = Control::tolerance(1e-8);
    assert_eq!(again(&control), control);
}
