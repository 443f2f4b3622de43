//! All changes of sign of a function along a step, in order.
//!
//! Only values of the function are available. It is sampled at both ends and at four points between, and each part is
//! halved until the cubic through values and slopes at its ends predicts value and slope at its middle. Between
//! neighbouring samples of equal sign, with slopes towards zero and away from it, the extremum is located.
//!
//! Two adjacent changes of sign between samples can be missed: an excursion across zero that is narrower than a part
//! and does not change value and slope a tenth of a step away.

use crate::prelude::*;

/// Equal parts into which a step is divided whatever the function is.
const PARTS: u32 = 5;
/// Largest number of bisections of a part: more than a thousand samples per step for an unpredictable function.
const HALVINGS: u32 = 8;
/// Largest deviation from the cubic, relative to neighbouring values, at which the prediction is accepted.
const FORESEEN: f64 = 0.1;
/// Distance of the differences that are taken for slopes, in parts of the step.
const DIFFERENCE: f64 = 1e-7;
/// Bisections until a change of sign is located to rounding.
const BISECTIONS: usize = 60;
/// Golden sections until an extremum is located as well as values of a function can locate it.
const SECTIONS: usize = 40;

/// Value and slope of the function at a place.
#[derive(Clone, Copy)]
struct Sample {
    place: f64,
    value: f64,
    slope: f64,
}

/// The places in (0, 1] at which a function passes zero in a way that `counts`, given its values before and after.
pub(crate) fn sign_changes(function: &dyn Fn(f64) -> f64, counts: &dyn Fn(f64, f64) -> bool) -> Vec<f64> {
    let mut search = Search { function, samples: Vec::new() };
    let mut last = search.sample(0.0);
    search.samples.push(last);
    for part in 1..=PARTS {
        let next = search.sample(f64::from(part) / f64::from(PARTS));
        search.look_between(last, next, HALVINGS);
        last = next;
    }
    let passes = search.samples.windows(2).filter(|pair| counts(pair[0].value, pair[1].value));
    passes.map(|pair| bisect(function, pair[0], pair[1])).collect()
}

struct Search<'f> {
    function: &'f dyn Fn(f64) -> f64,
    /// In order; between neighbours the function changes its sign once at most, as far as can be seen.
    samples: Vec<Sample>,
}

impl Search<'_> {
    fn sample(&self, place: f64) -> Sample {
        let value = (self.function)(place);
        // Backwards at the end.
        let aside = if place < 0.5 { DIFFERENCE } else { -DIFFERENCE };
        Sample { place, value, slope: ((self.function)(place + aside) - value) / aside }
    }

    /// Adds the samples after `a` up to `b`.
    fn look_between(&mut self, a: Sample, b: Sample, halvings: u32) {
        let middle = self.sample(0.5 * (a.place + b.place));
        let width = b.place - a.place;
        let value = 0.5 * (a.value + b.value) + 0.125 * width * (a.slope - b.slope);
        let rise = 1.5 * (b.value - a.value) - 0.25 * width * (a.slope + b.slope);
        let size = a.value.abs().max(b.value.abs()).max(middle.value.abs());
        // A function that oscillates is foreseen by chance in its value, and by another chance in its slope.
        let deviation = (middle.value - value).abs().max((width * middle.slope - rise).abs());
        let is_known = deviation <= FORESEEN * size;
        for (a, b) in [(a, middle), (middle, b)] {
            if is_known || halvings == 0 {
                self.samples.extend(self.across_zero(a, b));
                self.samples.push(b);
            } else {
                self.look_between(a, b, halvings - 1);
            }
        }
    }

    /// A place between two values of one sign where the function has another one, if slopes tell of an extremum there.
    fn across_zero(&self, a: Sample, b: Sample) -> Option<Sample> {
        let sign = a.value.signum();
        if !(a.value * b.value > 0.0 && sign * a.slope < 0.0 && sign * b.slope > 0.0) {
            return None;
        }
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let at = |place: f64| (place, sign * (self.function)(place));
        let (mut low, mut high) = (a.place, b.place);
        let mut left = at(high - golden * (high - low));
        let mut right = at(low + golden * (high - low));
        for _ in 0..SECTIONS {
            let least = if left.1 < right.1 { left } else { right };
            if least.1 <= 0.0 {
                return Some(self.sample(least.0));
            }
            if left.1 < right.1 {
                (high, right) = (right.0, left);
                left = at(high - golden * (high - low));
            } else {
                (low, left) = (left.0, right);
                right = at(low + golden * (high - low));
            }
        }
        None
    }
}

/// The place between two samples of different signs where the sign of the first one ends.
fn bisect(function: &dyn Fn(f64) -> f64, a: Sample, b: Sample) -> f64 {
    let (mut low, mut high) = (a.place, b.place);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if function(middle) * a.value > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Where a function changes its sign, and at how many places it was looked at before these were located.
    fn found(function: &dyn Fn(f64) -> f64) -> (Vec<f64>, usize) {
        let looks = Cell::new(0);
        let counted = |place: f64| {
            looks.set(looks.get() + 1);
            function(place)
        };
        let places = sign_changes(&counted, &|a, b| (a > 0.0) != (b > 0.0));
        (places.clone(), looks.get() - BISECTIONS * places.len())
    }

    /// Values and slopes at the ends of the five parts, and in their middles, show that no more is needed.
    #[test]
    fn cubics_are_foreseen() {
        let roots = [0.13, 0.55, 0.86];
        let (places, looks) = found(&|s| roots.iter().map(|root| s - root).product());
        assert!(places.len() == 3 && places.iter().zip(roots).all(|(a, b)| (a - b).abs() < 1e-14), "{places:?}");
        assert_eq!(looks, 2 * (1 + 5 + 5));
        assert_eq!(found(&|_| 1.0), (Vec::new(), 22));
    }

    /// Eleven half waves in a step are more than ten parts can show.
    #[test]
    fn oscillations_are_followed() {
        let (places, looks) = found(&|s| (11.0 * std::f64::consts::PI * (s - 0.03)).sin());
        let expected = (0..11).map(|k| 0.03 + f64::from(k) / 11.0);
        assert!(places.len() == 11 && places.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{places:?}");
        assert!(looks > 22 && looks < 200, "{looks}");
    }

    /// A parabola across zero by 10⁻⁴, within a tenth of the step: its lowest point is searched for.
    #[test]
    fn excursions_between_neighbours_are_found() {
        for sign in [1.0, -1.0] {
            let (places, _) = found(&|s| sign * ((s - 0.437) * (s - 0.437) - 1e-4));
            assert!(places.len() == 2 && (places[0] - 0.427).abs() < 1e-12 && (places[1] - 0.447).abs() < 1e-12);
            let (none, _) = found(&|s| sign * ((s - 0.437) * (s - 0.437) + 1e-4));
            assert!(none.is_empty(), "{none:?}");
        }
    }

    #[test]
    fn slopes_are_taken_inside_the_step() {
        let root = |s: f64| s.sqrt() + (1.0 - s).sqrt();
        let search = Search { function: &root, samples: Vec::new() };
        for (place, expected) in [(0.2, 0.5 / 0.2_f64.sqrt() - 0.5 / 0.8_f64.sqrt()), (0.5, 0.0), (1.0, f64::NAN)] {
            let sample = search.sample(place);
            assert_eq!(sample.value, root(place));
            // At the end the slope is infinite, the difference large; that of a place beyond would be undefined.
            let is_near = (sample.slope - expected).abs() < 1e-6;
            assert!(is_near || expected.is_nan() && sample.slope < -1e3, "{place}: {}", sample.slope);
        }
    }
}
