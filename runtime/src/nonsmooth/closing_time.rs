//! The instants within a step at which a contact closes, and at which its sliding ends.

/// Steps to an impact that are shorter than this part of a step are none.
pub(crate) const LEAST_PART: f64 = 1e-9;
/// Steps that are tried at most.
const TRIES: usize = 100;
/// A gap below this part of what it changes by in the step is zero.
const CLOSED: f64 = 1e-13;

/// Narrows the length of a step that ends where the first of some contacts closes: false position, in which the gap of an
/// end that stays once more counts half.
pub(crate) struct ClosingTime {
    /// Two lengths, s, and the least gaps after them; contacts are open after the first, closed after the second.
    ends: [(f64, f64); 2],
    weights: [f64; 2],
    /// The end that stayed last.
    stayed: Option<usize>,
    passed: f64,
    tries: usize,
}

impl ClosingTime {
    /// For a step of this length, s, at whose ends there are these gaps.
    pub(crate) fn new(dt: f64, [before, after]: [f64; 2]) -> Self {
        let passed = before.abs() + after.abs();
        Self { ends: [(0.0, before), (dt, after)], weights: [1.0; 2], stayed: None, passed, tries: 0 }
    }

    /// Length of the step to be tried next, s; nothing where it is known.
    pub(crate) fn next(&self) -> Option<f64> {
        let [low, high] = self.ends;
        if -high.1 <= CLOSED * self.passed || self.tries == TRIES {
            return None;
        }
        let [a, b] = [self.weights[0] * low.1, self.weights[1] * high.1];
        let part = (high.0 * a - low.0 * b) / (a - b);
        let is_between = |length: f64| length > low.0 && length < high.0;
        // A contact that has just been left has a gap of zero at the beginning.
        let tried = if low.1 > 0.0 && is_between(part) { part } else { 0.5 * (low.0 + high.0) };
        is_between(tried).then_some(tried)
    }

    /// A step of this length, s, has led to this gap, and a contact has closed or not.
    pub(crate) fn narrow(&mut self, length: f64, gap: f64, has_closed: bool) {
        let (end, other) = if has_closed { (1, 0) } else { (0, 1) };
        self.ends[end] = (length, gap);
        self.weights[end] = 1.0;
        if self.stayed.replace(other) == Some(other) {
            self.weights[other] *= 0.5;
        }
        self.tries += 1;
    }

    /// Length of the step behind which the contact is closed, s.
    pub(crate) fn length(&self) -> f64 {
        self.ends[1].0
    }

    /// How closely the length is known, s.
    pub(crate) fn width(&self) -> f64 {
        self.ends[1].0 - self.ends[0].0
    }
}

/// Narrows the length of a step that ends where a contact stops to slide, before it sticks or slides the other way: by
/// secants through lengths at whose ends it still slides, because behind them the slip may be zero for any length.
pub(crate) struct StoppingTime {
    /// Lengths, s, and slips, m/s, after the two longest steps at whose ends the contact slid, and the shortest length at whose
    /// end it did not.
    slid: [(f64, f64); 2],
    stopped: f64,
    /// Slips up to this are none.
    rest: f64,
    tries: usize,
}

impl StoppingTime {
    /// For a step of this length, s, at whose beginning there is this slip, m/s, and at whose end there is none.
    pub(crate) fn new(dt: f64, slip: f64, rest: f64) -> Self {
        Self { slid: [(0.0, slip); 2], stopped: dt, rest, tries: 0 }
    }

    /// Length of the step to be tried next, s; nothing where it is known or not to be found.
    pub(crate) fn next(&self) -> Option<f64> {
        let [(a, slip_a), (b, slip_b)] = self.slid;
        if self.is_found() || self.tries == TRIES {
            return None;
        }
        // Where a slip is left that is seen.
        let secant = b + (slip_b - 3.0 * self.rest) * (b - a) / (slip_a - slip_b);
        let is_between = |length: f64| length > b && length < self.stopped;
        let tried = if is_between(secant) { secant } else { 0.5 * (b + self.stopped) };
        is_between(tried).then_some(tried)
    }

    /// A step of this length, s, has led to this slip, m/s; whether the contact still slides.
    pub(crate) fn narrow(&mut self, length: f64, slip: f64) -> bool {
        self.tries += 1;
        let slides = slip > self.rest;
        match slides {
            true => self.slid = [self.slid[1], (length, slip)],
            false => self.stopped = length,
        }
        slides
    }

    /// Whether hardly any slip is left.
    pub(crate) fn is_found(&self) -> bool {
        self.slid[1].1 <= 10.0 * self.rest
    }

    /// Length of the longest step at whose end the contact slides, s.
    pub(crate) fn length(&self) -> f64 {
        self.slid[1].0
    }
}

#[cfg(test)]
mod tests {
    use super::{ClosingTime, StoppingTime};

    #[test]
    fn sliding_is_followed_until_it_ends() {
        type Slip = fn(f64) -> f64;
        let slips: [(Slip, f64); 4] = [
            (|t| (0.3 - t).max(0.0), 0.3),
            (|t| if t < 0.3 { 0.3 - t } else { 3.0 * (0.3 - t) }, 0.3),
            (|t| ((-2.0 * t).exp() - 0.9).max(0.0), -0.5 * 0.9_f64.ln()),
            (|t| (0.01 - 1e-3 * t - t * t * t).max(0.0), 0.213_896_299_514_275_2),
        ];
        for (slip, exact) in slips {
            let mut time = StoppingTime::new(1.0, slip(0.0), 1e-9);
            while let Some(tried) = time.next() {
                time.narrow(tried, slip(tried));
            }
            assert!(time.is_found() && time.tries < 40, "{} in {}", time.length(), time.tries);
            assert!(
                slip(time.length()) > 0.0 && (time.length() - exact).abs() < 2e-7,
                "{} in {}",
                time.length(),
                time.tries
            );
        }
    }

    fn found(gap: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut time = ClosingTime::new(1.0, [gap(0.0), gap(1.0)]);
        while let Some(tried) = time.next() {
            time.narrow(tried, gap(tried), gap(tried) <= 0.0);
        }
        (time.length(), time.tries)
    }

    #[test]
    fn instants_are_found_to_rounding() {
        let (length, tries) = found(|t| 0.3 - t - 0.5 * t * t);
        assert!((length - (1.6_f64.sqrt() - 1.0)).abs() < 1e-12 && tries < 12, "{length} in {tries}");
        let (length, tries) = found(|t| (-5.0 * t).exp() - 0.9);
        assert!((length + 0.9_f64.ln() / 5.0).abs() < 1e-12 && tries < 20, "{length} in {tries}");
        assert_eq!(found(|t| 1.0 - t), (1.0, 0));
    }

    /// A contact that was left at the beginning, and whose gap is zero there up to rounding.
    #[test]
    fn flights_begin_where_they_ended() {
        for speed in [0.1, 1e-3, 1e-5] {
            let (length, tries) = found(|t| -1e-17 + speed * t - t * t);
            // The gap changes by `speed` in a second there.
            let gap = speed * (length - speed);
            assert!(gap.abs() < 2.0 * super::CLOSED && tries < 60, "{length} in {tries}");
        }
    }
}
