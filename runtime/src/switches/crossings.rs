//! Where within a step signs change that choose between formulas.

use super::SwitchingFunctions;
use crate::model::{Model, State};
use crate::prelude::*;

/// Negative values of the cubic through both ends of a step below this part of its terms are rounding.
const ROUNDING: f64 = 1e-12;

/// Most slopes of switching functions by velocities: these are dense, and of more a run would take longer to look at them than
/// to make its steps.
const MOST_SLOPES: usize = 100_000;

/// A switching function that changes its sign within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CrossingWithin {
    pub(crate) switch: usize,
    /// After which part of the step, about; where it is farthest on the other side if it comes back.
    pub(crate) part: f64,
    /// Whether it comes back.
    pub(crate) returns: bool,
}

/// Compares switching functions at both ends of steps.
#[derive(Clone)]
pub(crate) struct Crossings {
    functions: SwitchingFunctions,
    /// Value and rate of each at the beginning, and at the end.
    ends: [Vec<[f64; 2]>; 2],
}

impl Crossings {
    /// Those of a model, if it has switching functions, and not too many of them.
    pub(crate) fn new(model: &dyn Model) -> Option<Self> {
        let n = model.n_switching_functions();
        (n > 0 && n * model.dims().nv <= MOST_SLOPES)
            .then(|| Self { functions: SwitchingFunctions::new(model), ends: [(); 2].map(|()| vec![[0.0; 2]; n]) })
    }

    /// A step begins in this state.
    pub(crate) fn begin(&mut self, model: &dyn Model, state: &State) {
        self.look(0, model, state);
    }

    /// It ends in this one.
    pub(crate) fn end(&mut self, model: &dyn Model, state: &State) {
        self.look(1, model, state);
    }

    /// The next step begins where the last one ended.
    pub(crate) fn go_on(&mut self) {
        self.ends.swap(0, 1);
    }

    fn look(&mut self, end: usize, model: &dyn Model, state: &State) {
        let Self { functions, ends } = self;
        functions.evaluate(model, state);
        for (switch, known) in ends[end].iter_mut().enumerate() {
            *known = [functions.values[switch], functions.rate(switch, state.a.as_slice())];
        }
    }

    /// Those that would change their sign within the step, of this length, s, by their rates at its beginning, and do not.
    pub(crate) fn foretold(&self, dt: f64) -> impl Iterator<Item = usize> {
        let [before, after] = &self.ends;
        let ends = before.iter().zip(after).enumerate();
        let is_foretold =
            move |[value, rate]: [f64; 2], after: f64| value * (value + rate * dt) < 0.0 && value * after > 0.0;
        ends.filter(move |(_, (before, after))| is_foretold(**before, after[0])).map(|(switch, _)| switch)
    }

    /// The changes of sign within the step, of this length, s.
    pub(crate) fn within(&self, dt: f64) -> impl Iterator<Item = CrossingWithin> {
        let [before, after] = &self.ends;
        before.iter().zip(after).enumerate().filter_map(move |(switch, (&before, &after))| {
            let (part, returns) = change_of_sign(before, after, dt)?;
            Some(CrossingWithin { switch, part, returns })
        })
    }
}

/// After which part of a step of this length, s, a function changes its sign, and whether it comes back, by its values and
/// rates at both ends.
fn change_of_sign([before, rate]: [f64; 2], [after, last_rate]: [f64; 2], dt: f64) -> Option<(f64, bool)> {
    // What begins at zero is on the side to which it goes.
    let side = if before == 0.0 { rate } else { before };
    if side * after < 0.0 {
        return Some((before / (before - after), false));
    }
    let side = side.signum();
    let [p, end, slope, last_slope] = [before, after, rate * dt, last_rate * dt].map(|value| side * value);
    if !(slope < 0.0 && last_slope > 0.0) {
        return None;
    }
    // p + slope u + b u² + c u³, whose least value is where the derivative rises through zero.
    let (b, c) = (3.0 * (end - p) - 2.0 * slope - last_slope, 2.0 * (p - end) + slope + last_slope);
    let least = -slope / (b + (b * b - 3.0 * c * slope).max(0.0).sqrt());
    let value = p + least * (slope + least * (b + least * c));
    (value < -ROUNDING * (p + end - slope)).then_some((least, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parabolas and cubics with known zeros.
    #[test]
    fn signs_that_change_once_and_twice_are_found() {
        let ends = |f: &dyn Fn(f64) -> [f64; 2], dt: f64| change_of_sign(f(0.0), f(dt), dt);
        let line = |t: f64| [t - 0.3, 1.0];
        assert_eq!(ends(&line, 1.0), Some((0.3, false)));
        assert_eq!(ends(&line, 0.2), None);
        for (shift, sign) in [(1e-3, 1.0), (1e-3, -1.0)] {
            let parabola = |t: f64| [sign * ((t - 0.4).powi(2) - shift), sign * 2.0 * (t - 0.4)];
            let (part, returns) = ends(&parabola, 2.0).unwrap();
            assert!(returns && (2.0 * part - 0.4).abs() < 1e-12, "{part}");
            let apart = |t: f64| [parabola(t)[0] + sign * 1.01 * shift, parabola(t)[1]];
            assert_eq!(ends(&apart, 2.0), None);
        }
        // It touches zero, begins there, stays there.
        assert_eq!(ends(&|t: f64| [(t - 0.4).powi(2), 2.0 * (t - 0.4)], 2.0), None);
        assert_eq!(ends(&|t: f64| [t * t + t, 2.0 * t + 1.0], 1.0), None);
        assert_eq!(ends(&|_| [0.0; 2], 1.0), None);
        let (part, returns) = ends(&|t: f64| [t * (t - 0.5), 2.0 * t - 0.5], 1.0).unwrap();
        assert!(part == 0.0 && !returns);
    }
}
