//! What is eliminated: numbers, or lanes of them, each of which belongs to a matrix of its own.

use core::ops::BitAnd;

use super::is_regular;
use crate::real::Real;

pub(super) trait Number: Real {
    const ZERO: Self;
    /// For which matrices something holds.
    type Where: Copy + BitAnd<Output = Self::Where>;
    const EVERYWHERE: Self::Where;
    fn is_anywhere(holds: Self::Where) -> bool;
    /// Whether the absolute value is no larger than this; false for NaN.
    fn is_at_most(self, bound: f64) -> Self::Where;
    /// Whether a pivot of a scaled matrix of n rows exceeds round-off; false for NaN.
    fn is_regular(self, n: usize) -> Self::Where;
}

impl Number for f64 {
    const ZERO: Self = 0.0;
    type Where = bool;
    const EVERYWHERE: bool = true;

    #[inline(always)]
    fn is_anywhere(holds: bool) -> bool {
        holds
    }

    #[inline(always)]
    fn is_at_most(self, bound: f64) -> bool {
        self.abs() <= bound
    }

    #[inline(always)]
    fn is_regular(self, n: usize) -> bool {
        is_regular(self, n)
    }
}
