//! Where a function along a step changes its sign: all places, in order.
//!
//! The function is known by its values alone. It is looked at in both ends and in four points between, and each part is
//! halved until the cubic through values and slopes at its ends tells value and slope in its middle. Between neighbours of one sign whose
//! slopes lead towards zero and away from it, the extremum is searched for.
//!
//! What can still be missed are two changes of sign next to each other that no sample shows: an excursion across zero
//! narrower than the parts, which leaves value and slope of the function as they are a tenth of a step away.

/// Equal parts into which a step is divided whatever the function is.
const PARTS: u32 = 5;
/// How often a part is halved at most: more than a thousand points a step for a function that nothing predicts.
const HALVINGS: u32 = 8;
/// Deviation from the cubic that counts as foreseen, relative to the values around.
const FORESEEN: f64 = 0.1;
/// Distance of the differences that are taken for slopes, in parts of the step.
const DIFFERENCE: f64 = 1e-7;
/// Bisections until a change of sign is located to rounding.
const BISECTIONS: usize = 60;
/// Golden sections until an extremum is located as well as values of a function can locate it.
const SECTIONS: usize = 40;

/// What is known of the function at a place.
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
