//! Pseudorandom numbers (linear congruential), equal on all machines.

#[derive(Default, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// In [−1, 1).
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
