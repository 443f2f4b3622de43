//! Arithmetic, square root, sine and cosine with about 31 digits.

/// The sum of a leading part and a rest below half its last digit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleDouble {
    /// The leading part.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

impl DoubleDouble {
    const ONE: DoubleDouble = DoubleDouble { high: 1.0, low: 0.0 };
    /// π/2.
    const QUARTER_TURN: DoubleDouble =
        DoubleDouble { high: std::f64::consts::FRAC_PI_2, low: 6.123_233_995_736_766e-17 };

    /// The quotient of two integers.
    pub fn ratio(numerator: i128, denominator: i128) -> DoubleDouble {
        DoubleDouble::from_integer(numerator).div(DoubleDouble::from_integer(denominator))
    }

    /// The nearest `f64`.
    pub(crate) fn to_f64(self) -> f64 {
        self.high + self.low
    }

    /// This value.
    pub fn from_f64(value: f64) -> DoubleDouble {
        DoubleDouble { high: value, low: 0.0 }
    }

    fn from_integer(value: i128) -> DoubleDouble {
        let high = value as f64;
        quick_two_sum(high, value.saturating_sub(high as i128) as f64)
    }

    pub(super) fn neg(self) -> DoubleDouble {
        DoubleDouble { high: -self.high, low: -self.low }
    }

    pub(crate) fn add(self, other: DoubleDouble) -> DoubleDouble {
        let (high, low) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let sum = quick_two_sum(high.high, high.low + low.high);
        quick_two_sum(sum.high, sum.low + low.low)
    }

    pub(crate) fn sub(self, other: DoubleDouble) -> DoubleDouble {
        self.add(other.neg())
    }

    pub(crate) fn mul(self, other: DoubleDouble) -> DoubleDouble {
        let product = two_product(self.high, other.high);
        quick_two_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }

    fn scale(self, factor: f64) -> DoubleDouble {
        self.mul(DoubleDouble::from_f64(factor))
    }

    pub(crate) fn div(self, other: DoubleDouble) -> DoubleDouble {
        let first = self.high / other.high;
        let rest = self.sub(other.scale(first));
        let second = rest.high / other.high;
        let rest = rest.sub(other.scale(second));
        let third = rest.high / other.high;
        quick_two_sum(first, second).add(DoubleDouble::from_f64(third))
    }

    pub(super) fn sqrt(self) -> DoubleDouble {
        if self.high <= 0.0 {
            return DoubleDouble::from_f64(self.high.sqrt());
        }
        let root = self.high.sqrt();
        let rest = self.sub(two_product(root, root));
        let corrected = quick_two_sum(root, rest.high / (2.0 * root));
        let rest = self.sub(corrected.mul(corrected));
        corrected.add(DoubleDouble::from_f64(rest.high / (2.0 * root)))
    }

    /// Sine and cosine: reduction to |r| ≤ π/4, then both power series.
    pub(super) fn sin_cos(self) -> (DoubleDouble, DoubleDouble) {
        let turns = (self.high / std::f64::consts::FRAC_PI_2).round();
        let rest = self.sub(DoubleDouble::QUARTER_TURN.scale(turns));
        let (sine, cosine) = (rest.power_series(rest, 1), rest.power_series(DoubleDouble::ONE, 0));
        match (turns.rem_euclid(4.0)) as u8 {
            0 => (sine, cosine),
            1 => (cosine, sine.neg()),
            2 => (sine.neg(), cosine.neg()),
            _ => (cosine.neg(), sine),
        }
    }

    /// first·(1 − x²/((k+1)(k+2)) + …), the series of the sine for k = 1 and of the cosine for k = 0.
    fn power_series(self, first: DoubleDouble, k: u32) -> DoubleDouble {
        let square = self.mul(self);
        let (mut term, mut sum) = (first, first);
        let mut order = f64::from(k);
        // At π/4 the last of these terms is below 1e-33.
        for _ in 0..14 {
            term = term.mul(square).div(DoubleDouble::from_f64(-(order + 1.0) * (order + 2.0)));
            sum = sum.add(term);
            order += 2.0;
        }
        sum
    }

    pub(super) fn is_less(self, other: DoubleDouble) -> bool {
        self.sub(other).high < 0.0
    }
}

/// The exact sum of two `f64`.
pub(super) fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    let b_part = high - a;
    DoubleDouble { high, low: (a - (high - b_part)) + (b - b_part) }
}

/// The exact sum of two `f64` of which the first is not the smaller.
fn quick_two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    DoubleDouble { high, low: b - (high - a) }
}

/// The exact product of two `f64`.
fn two_product(a: f64, b: f64) -> DoubleDouble {
    let high = a * b;
    DoubleDouble { high, low: a.mul_add(b, -high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(value: DoubleDouble, expected: DoubleDouble) -> f64 {
        (value.sub(expected).high / expected.high).abs()
    }

    #[test]
    fn arithmetic_has_thirty_digits() {
        let third = DoubleDouble::ratio(1, 3);
        assert!(error(third.scale(3.0), DoubleDouble::ONE) < 1e-31);
        let root = DoubleDouble::from_f64(2.0).sqrt();
        assert!(error(root.mul(root), DoubleDouble::from_f64(2.0)) < 1e-31);
    }

    #[test]
    fn sine_and_cosine_have_thirty_digits() {
        for k in -40..40 {
            let x = DoubleDouble::ratio(k * 7 + 3, 30);
            let (sine, cosine) = x.sin_cos();
            let (half_sine, half_cosine) = x.scale(0.5).sin_cos();
            assert!(error(sine.mul(sine).add(cosine.mul(cosine)), DoubleDouble::ONE) < 1e-30);
            assert!(error(half_sine.mul(half_cosine).scale(2.0), sine) < 1e-28, "at {x:?}");
            assert!((sine.high - x.high.sin()).abs() < 1e-15 && (cosine.high - x.high.cos()).abs() < 1e-15);
        }
        // sin(1) to 32 digits is 0.84147098480789650665250232163030; the low part begins where the f64 ends.
        let sine = DoubleDouble::ONE.sin_cos().0;
        let expected = DoubleDouble::ratio(84_147_098_480_789_650_665_250_232_163_030, 10_i128.pow(32));
        assert!(error(sine, expected) < 2e-31);
    }
}
