//! Numbers at random that every run sees alike.

/// A small generator of numbers, so that every run sees the same inputs.
pub struct Random(pub u64);

impl Random {
    /// Below `bound`, which is not zero. [Knuth, MMIX]
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
