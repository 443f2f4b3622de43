//! Orders from refined steps.

/// log₂ of the ratio of errors when the number of steps is doubled.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

pub fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} instead of {expected} ± {tolerance}");
}

/// Errors of a computation with N, 2N, 4N, … steps, and the order that the finest pair above rounding shows.
pub struct Refinement {
    pub errors: Vec<f64>,
    /// Errors of N steps below this are rounding; it adds up from step to step.
    pub rounding: f64,
}

impl Refinement {
    pub fn order(&self) -> f64 {
        let rounding = |doublings: usize| self.rounding * f64::from(1 << doublings);
        let above = self.errors.windows(2).enumerate().rev().find(|(coarse, pair)| pair[1] > rounding(coarse + 1));
        let pair = above.map_or(&self.errors[..2], |(_, pair)| pair);
        order(pair[0], pair[1])
    }
}
