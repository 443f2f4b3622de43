//! The functions that a compiled model provides on request, at a state, for comparisons bit by bit.

use hamel::State;
use hamel_jit::{Instant, JitModel};

/// What every provided function gives, its results one after the other; the accelerations of the state stand for forces
/// and weights, too.
pub fn on_request(model: &JitModel, state: &State) -> Vec<(String, Vec<f64>)> {
    let (q, v, a) = (state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
    let at = Instant { t: state.t, q, v, a, tau: a, w: a };
    let functions = model.provided().iter().enumerate();
    let all = functions.map(|(place, function)| {
        // Every result is overwritten.
        let mut results: Vec<Vec<f64>> =
            function.results.iter().map(|(_, shape)| vec![f64::NAN; shape.iter().product()]).collect();
        match results.as_mut_slice() {
            [one] => model.evaluate_provided(place, &at, [one]),
            [one, two] => model.evaluate_provided(place, &at, [one, two]),
            [one, two, three] => model.evaluate_provided(place, &at, [one, two, three]),
            [one, two, three, four] => model.evaluate_provided(place, &at, [one, two, three, four]),
            _ => unreachable!("`{}` has more results than any function", function.name),
        }
        (function.name.clone(), results.concat())
    });
    all.collect()
}
