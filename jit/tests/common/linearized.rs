//! Models for tests of linearisation, compiled from text.

use hamel::linearize::{About, Linearization};
use hamel::nalgebra::Complex;
use hamel::{initial_state, linearize};
use hamel_jit::{JitModel, Level};

/// The text of a model, compiled with what a linearisation needs.
pub fn model(text: &str) -> JitModel {
    let text = hamel_jit::with_linearization(text.parse().unwrap());
    hamel_jit::model(text.clone(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The linearisation about what the initial conditions say.
pub fn about(model: &JitModel, about: About) -> Linearization {
    let start = initial_state(model).unwrap_or_else(|error| panic!("{error}"));
    linearize(model, &start, about).unwrap_or_else(|error| panic!("{error}"))
}

/// The text of a model of the package of models.
pub fn text_of(name: &str) -> String {
    let model = (hamel_models::find(name).unwrap().build)(&[]).unwrap();
    model.describe().source.clone()
}

/// Eigenvalues other than zero.
pub fn nonzero(linear: &Linearization) -> Vec<Complex<f64>> {
    let all = linear.eigenvalues().unwrap();
    let size = all.iter().fold(0.0_f64, |most, value| most.max(value.norm()));
    all.into_iter().filter(|value| value.norm() > 1e-6 * size).collect()
}

/// The largest distance when each value is paired with the nearest that is left.
pub fn distance(found: &[Complex<f64>], expected: &[Complex<f64>]) -> f64 {
    if found.len() != expected.len() {
        return f64::INFINITY;
    }
    let mut left = expected.to_vec();
    let mut worst = 0.0_f64;
    for value in found {
        let (place, nearest) = left
            .iter()
            .enumerate()
            .map(|(place, other)| (place, (value - other).norm()))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, f64::INFINITY));
        left.remove(place);
        worst = worst.max(nearest);
    }
    worst
}
