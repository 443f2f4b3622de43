//! What comparisons have found: how many there were by law, how near the worst was to its bound, and the first that failed.

use std::collections::BTreeMap;

use super::ball::Ball;

/// A bound that exceeds this part of the largest value decides little; such comparisons are counted.
const WEAK: f64 = 1e-6;

/// The comparisons of one law.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// All of them, value by value.
    pub values: u64,
    /// Those whose bound, by rounding, is not small beside the largest value of their vector or matrix.
    pub weak: u64,
    /// Largest deviation relative to its bound.
    pub worst: f64,
}

/// A law that does not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its name.
    pub law: &'static str,
    /// With numbers.
    pub sentence: String,
}

/// The comparisons of a model.
#[derive(Default)]
pub struct Findings {
    /// By law.
    pub counts: BTreeMap<&'static str, Count>,
    /// The first of each law.
    pub failures: Vec<Failure>,
    /// What was not examined, and why.
    pub remarks: BTreeMap<String, u64>,
}

impl Findings {
    /// Notes a law that does not hold.
    pub fn fail(&mut self, law: &'static str, sentence: String) {
        if self.failures.iter().all(|known| known.law != law) {
            self.failures.push(Failure { law, sentence });
        }
    }

    /// Notes what was not examined.
    pub fn remark(&mut self, what: impl Into<String>) {
        *self.remarks.entry(what.into()).or_default() += 1;
    }

    /// Counts values that were compared without a bound.
    pub fn count(&mut self, law: &'static str, values: usize) {
        self.counts.entry(law).or_default().values += values as u64;
    }

    /// Compares a deviation with its bound; `scale` is the size of what deviates.
    pub fn bound(&mut self, law: &'static str, what: &str, deviation: f64, bound: f64, scale: f64) {
        let count = self.counts.entry(law).or_default();
        count.values += 1;
        count.weak += u64::from(bound > WEAK * scale);
        if deviation == 0.0 || bound == f64::INFINITY {
            return;
        }
        count.worst = count.worst.max(deviation / bound);
        if deviation.is_nan() || deviation > bound {
            self.fail(law, format!("{what} deviates by {deviation:e} with a bound of {bound:e}, of {scale:e}"));
        }
    }

    /// Compares two vectors or matrices: their balls must meet.
    pub fn same(&mut self, law: &'static str, what: &str, a: &[Ball], b: &[Ball]) {
        if a.len() != b.len() {
            self.fail(law, format!("{what} has {} and {} values", a.len(), b.len()));
            return;
        }
        let scale = a.iter().chain(b).map(|ball| ball.mid.abs()).fold(0.0, f64::max);
        for (place, (a, b)) in a.iter().zip(b).enumerate() {
            let deviation = (a.mid - b.mid).abs();
            if deviation > a.rad + b.rad {
                let what = format!("{what}[{place}], {:e} and {:e},", a.mid, b.mid);
                self.bound(law, &what, deviation, a.rad + b.rad, scale);
            } else {
                self.bound(law, what, deviation, a.rad + b.rad, scale);
            }
        }
    }

    /// Compares values with zero; `scale` is the size of what cancels in them.
    pub fn vanishes(&mut self, law: &'static str, what: &str, values: &[Ball], scale: f64) {
        for value in values {
            self.bound(law, what, value.mid.abs(), value.rad, scale.max(value.mid.abs()));
        }
    }

    /// Adds those of another model.
    pub fn add(&mut self, other: &Findings) {
        for (law, found) in &other.counts {
            let count = self.counts.entry(law).or_default();
            count.values += found.values;
            count.weak += found.weak;
            count.worst = count.worst.max(found.worst);
        }
        for (what, number) in &other.remarks {
            *self.remarks.entry(what.clone()).or_default() += number;
        }
    }
}
