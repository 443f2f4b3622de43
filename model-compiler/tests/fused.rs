//! `fused_multiply_add;` changes the last digits and nothing else, and not for the worse.

use crate::common::random::Random;
use hamel_compiler::derive::FunctionRole;
use hamel_compiler::expr::{DoubleDouble, Scalar};
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::{Stages, inspect};

const POINTS: usize = 40;

fn stages(text: &str) -> Stages {
    let tokens = text.parse().expect("the model lexes");
    hamel_compiler::stages(tokens).unwrap_or_else(|error| panic!("{error}"))
}

/// Numbers between −1.4 and 1.4, different at every call.
fn vector(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| 1.4 * random.signed()).collect()
}

fn values<T: Scalar>(stages: &Stages, role: FunctionRole, point: &Point<f64>) -> Vec<T> {
    let of = |values: &[f64]| values.iter().map(|&value| T::from_f64(value)).collect::<Vec<T>>();
    let model = Interpreter::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let point = Point {
        t: T::from_f64(point.t),
        inputs: of(&point.inputs),
        q: of(&point.q),
        v: of(&point.v),
        a: of(&point.a),
        lambda: of(&point.lambda),
        tau: of(&point.tau),
    };
    model.evaluate(role, &point).into_iter().flat_map(|(_, dense)| dense.values).collect()
}

/// Largest and mean error over points and results, relative to the largest result at each point.
fn errors(stages: &Stages, role: FunctionRole) -> (f64, f64) {
    let layout = &stages.simplified.layout;
    let mut random = Random(11);
    let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0);
    for _ in 0..POINTS {
        let point = Point {
            t: 0.3,
            inputs: vector(&mut random, layout.inputs.len()),
            q: vector(&mut random, layout.coordinates.len()),
            v: vector(&mut random, layout.velocities.len()),
            a: vector(&mut random, layout.velocities.len()),
            lambda: vector(&mut random, layout.constraints.len()),
            tau: vector(&mut random, layout.velocities.len()),
        };
        let exact: Vec<DoubleDouble> = values(stages, role, &point);
        let rounded: Vec<f64> = values(stages, role, &point);
        let largest = exact.iter().fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.high.abs()));
        for (exact, rounded) in exact.iter().zip(&rounded) {
            let error = ((rounded - exact.high) - exact.low).abs() / largest;
            worst = worst.max(error);
            sum += error;
            count += 1;
        }
    }
    (worst, sum / f64::from(count))
}

#[test]
fn fused_models_are_as_accurate() {
    let (mut mean_plain, mut mean_fused) = (0.0, 0.0);
    for name in ["double_pendulum", "heavy_top_absolute", "heavy_top_joint", "slider_crank", "spatial_chain"] {
        let path = format!("{}/tests/pass/{name}.model", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a model file");
        let plain = stages(&text);
        let fused = stages(&text.replacen('{', "{ fused_multiply_add;", 1));
        let code = inspect::rust(&fused.code().unwrap(), None).expect("generated code is Rust");
        assert!(code.contains(".mul_add("), "{name}");
        assert!(!plain.code().unwrap().to_string().contains("mul_add"), "{name}");
        for role in [FunctionRole::Residual, FunctionRole::Linearization] {
            let [(worst, mean), (worst_fused, mean_of_fused)] = [&plain, &fused].map(|stages| errors(stages, role));
            assert!(worst_fused <= 1e-14, "{name}, {role:?}: {worst_fused} instead of {worst}");
            mean_plain += mean;
            mean_fused += mean_of_fused;
        }
    }
    assert!(mean_fused <= mean_plain, "{mean_fused} instead of {mean_plain}");
}
