//! Numbers with a bound on their error: whatever is rounded on the way, the exact value lies in the ball.
//!
//! Two computations of one quantity agree if their balls meet. The tolerance of every law comes from here, so that a
//! model with parameters of any size needs no exception: where rounding destroys a value, its ball is large, and says so.

use std::ops::{Add, Mul, Neg, Sub};

use hamel_compiler::expr::{Binary, Number, Scalar, Unary};

/// Rounding errors of one operation, relative to its result: half a unit of the last digit, doubled for the rounding of
/// the radius itself.
const ROUNDED: f64 = f64::EPSILON;
/// The same of functions, of which libraries promise one or two units.
const FUNCTION: f64 = 4.0 * f64::EPSILON;

/// All numbers within `rad` of `mid`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// The value as it is computed.
    pub mid: f64,
    /// Its distance from the exact value is not larger.
    pub rad: f64,
}

impl Ball {
    /// Nothing but zero.
    pub const ZERO: Ball = Ball { mid: 0.0, rad: 0.0 };

    /// A number without an error.
    pub fn exact(mid: f64) -> Ball {
        Ball { mid, rad: 0.0 }
    }

    /// A number and those beside it at a distance relative to `size`: inputs of which only exact neighbours obey a law.
    pub fn near(mid: f64, size: f64) -> Ball {
        Ball { mid, rad: 4.0 * ROUNDED * size }
    }

    /// Whether it is zero without an error, as structural zeros are.
    pub fn is_zero(self) -> bool {
        self.mid == 0.0 && self.rad == 0.0
    }

    /// The largest absolute value.
    pub fn reach(self) -> f64 {
        self.mid.abs() + self.rad
    }

    /// A result with what its operands contribute to its error; `relative` is that of the operation.
    fn of(mid: f64, rad: f64, relative: f64) -> Ball {
        let rad = rad * (1.0 + 8.0 * ROUNDED) + relative * mid.abs() + f64::MIN_POSITIVE;
        if mid.is_finite() && rad.is_finite() { Ball { mid, rad } } else { Ball { mid, rad: f64::INFINITY } }
    }

    fn low(self) -> f64 {
        self.mid - self.rad
    }

    fn high(self) -> f64 {
        self.mid + self.rad
    }

    /// This, or the other: what is unknown about it goes to the radius.
    pub fn or(self, other: Ball) -> Ball {
        Ball { mid: self.mid, rad: self.rad.max((self.mid - other.mid).abs() + other.rad) }
    }

    /// Whether it is below another one for certain, or certainly not.
    pub fn is_below(self, other: Ball) -> Option<bool> {
        match (self.high() < other.low(), self.low() >= other.high()) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// A function that is monotone between two bounds of its argument.
    fn monotone(self, op: Unary, least: f64, most: f64) -> Ball {
        let at = |x: f64| x.clamp(least, most).unary(op);
        let mid = self.mid.unary(op);
        let rad = (mid - at(self.low())).abs().max((mid - at(self.high())).abs());
        Ball::of(mid, rad + FUNCTION * mid.abs(), FUNCTION)
    }

    fn tangent(self) -> Ball {
        let [low, mid, high] = [self.low(), self.mid, self.high()].map(f64::tan);
        let is_on_one_branch = self.rad < 1.0 && low <= mid && mid <= high;
        let rad = if is_on_one_branch { (high - mid).max(mid - low) } else { f64::INFINITY };
        Ball::of(mid, rad + FUNCTION * mid.abs(), FUNCTION)
    }

    fn sign(self) -> Ball {
        let mid = self.mid.unary(Unary::Sign);
        let is_known = self.is_zero() || self.mid.abs() > self.rad;
        Ball { mid, rad: if is_known { 0.0 } else { 2.0 } }
    }

    fn divided(self, other: Ball) -> Ball {
        let least = other.mid.abs() - other.rad;
        let mid = self.mid / other.mid;
        if least <= 0.0 {
            return Ball { mid, rad: f64::INFINITY };
        }
        Ball::of(mid, (self.rad + mid.abs() * other.rad) / least, ROUNDED)
    }

    fn angle_of(self, x: Ball) -> Ball {
        let (y, mid) = (self, self.mid.atan2(x.mid));
        let distance = x.mid.hypot(y.mid);
        let off = x.rad.hypot(y.rad);
        let crosses_cut = x.low() <= 0.0 && y.mid.abs() <= y.rad;
        let rad = if off >= distance || crosses_cut {
            2.0 * std::f64::consts::PI
        } else {
            // asin t ≤ π/2 t.
            1.6 * off / distance
        };
        Ball::of(mid, rad, FUNCTION)
    }

    fn power(self, exponent: Ball) -> Ball {
        let (a, b) = (self, exponent);
        let mid = a.mid.powf(b.mid);
        if a.low() > 0.0 {
            let logarithm = a.low().ln().abs().max(a.high().ln().abs());
            let relative = (b.reach() * a.rad / a.low() + logarithm * b.rad).exp_m1();
            // Errors of the function itself grow with the logarithm of its value.
            return Ball::of(mid, relative * mid.abs(), FUNCTION * (1.0 + (b.mid * logarithm).abs()));
        }
        // About zero a power is defined for whole exponents and continuous for positive ones.
        let is_smooth = b.rad == 0.0 && b.mid >= 1.0;
        let rad = match b.rad == 0.0 && b.mid > 0.0 {
            true if is_smooth => b.mid * a.reach().powf(b.mid - 1.0) * a.rad,
            true => a.reach().powf(b.mid) + mid.abs(),
            false => f64::INFINITY,
        };
        Ball::of(mid, rad, FUNCTION * 8.0)
    }
}

impl Scalar for Ball {
    fn from_f64(value: f64) -> Ball {
        Ball::exact(value)
    }

    fn from_number(number: Number) -> Ball {
        let mid = f64::from_number(number);
        let rad = if Number::from_f64(mid) == number { 0.0 } else { ROUNDED * mid.abs() };
        Ball { mid, rad }
    }

    fn unary(&self, op: Unary) -> Ball {
        let a = *self;
        match op {
            Unary::Neg => Ball { mid: -a.mid, rad: a.rad },
            Unary::Abs => Ball { mid: a.mid.abs(), rad: a.rad },
            Unary::Sign => a.sign(),
            Unary::Sin | Unary::Cos => Ball::of(a.mid.unary(op), a.rad.min(2.0), FUNCTION),
            Unary::Tan => a.tangent(),
            // Near the ends of their domains exact arguments may be inside where rounded ones are outside.
            Unary::Asin | Unary::Acos => a.monotone(op, -1.0, 1.0),
            Unary::Sqrt if a.is_zero() => Ball::ZERO,
            Unary::Sqrt => a.monotone(op, 0.0, f64::INFINITY),
            Unary::Ln if a.low() <= 0.0 => Ball { mid: a.mid.ln(), rad: f64::INFINITY },
            Unary::Atan | Unary::Exp | Unary::Ln | Unary::Tanh => a.monotone(op, f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    fn binary(&self, op: Binary, other: &Ball) -> Ball {
        let (a, b) = (*self, *other);
        match op {
            Binary::Add if a.is_zero() => b,
            Binary::Add | Binary::Sub if b.is_zero() => a,
            Binary::Add => Ball::of(a.mid + b.mid, a.rad + b.rad, ROUNDED),
            Binary::Sub => Ball::of(a.mid - b.mid, a.rad + b.rad, ROUNDED),
            Binary::Mul if a.is_zero() || b.is_zero() => Ball::ZERO,
            Binary::Mul => Ball::of(a.mid * b.mid, a.mid.abs() * b.rad + b.mid.abs() * a.rad + a.rad * b.rad, ROUNDED),
            Binary::Div if a.is_zero() && b.mid.abs() > b.rad => Ball::ZERO,
            Binary::Div => a.divided(b),
            Binary::Atan2 => a.angle_of(b),
            Binary::Power => a.power(b),
            Binary::Min | Binary::Max => Ball { mid: a.mid.binary(op, &b.mid), rad: a.rad.max(b.rad) },
        }
    }

    fn select_less(lhs: &Ball, rhs: &Ball, then: &Ball, otherwise: &Ball) -> Ball {
        match lhs.is_below(*rhs) {
            Some(true) => *then,
            Some(false) => *otherwise,
            None if lhs.mid < rhs.mid => then.or(*otherwise),
            None => otherwise.or(*then),
        }
    }
}

impl Add for Ball {
    type Output = Ball;
    fn add(self, other: Ball) -> Ball {
        self.binary(Binary::Add, &other)
    }
}

impl Sub for Ball {
    type Output = Ball;
    fn sub(self, other: Ball) -> Ball {
        self.binary(Binary::Sub, &other)
    }
}

impl Mul for Ball {
    type Output = Ball;
    fn mul(self, other: Ball) -> Ball {
        self.binary(Binary::Mul, &other)
    }
}

impl Neg for Ball {
    type Output = Ball;
    fn neg(self) -> Ball {
        self.unary(Unary::Neg)
    }
}

/// The sum of products.
pub fn dot<'a>(a: impl IntoIterator<Item = &'a Ball>, b: impl IntoIterator<Item = &'a Ball>) -> Ball {
    a.into_iter().zip(b).fold(Ball::ZERO, |sum, (a, b)| sum + *a * *b)
}

#[cfg(test)]
mod tests {
    use super::super::random::noise;
    use super::*;
    use hamel_compiler::expr::DoubleDouble;

    const OPERATIONS: [Binary; 7] =
        [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Atan2, Binary::Min, Binary::Max];
    const FUNCTIONS: [Unary; 8] =
        [Unary::Neg, Unary::Sin, Unary::Cos, Unary::Tan, Unary::Sqrt, Unary::Abs, Unary::Tanh, Unary::Exp];

    /// A ball, and a value that lies in it anywhere.
    fn pair(index: usize) -> (Ball, DoubleDouble) {
        let mid = noise(index) * 10.0_f64.powi((index % 7) as i32 - 3);
        let rad = mid.abs() * if index.is_multiple_of(3) { 0.0 } else { 1e-9 };
        let exact = DoubleDouble::from_f64(mid).binary(Binary::Add, &DoubleDouble::from_f64(rad * noise(index + 5)));
        (Ball { mid, rad }, exact)
    }

    fn contains(ball: Ball, exact: DoubleDouble) -> bool {
        let off = exact.binary(Binary::Sub, &DoubleDouble::from_f64(ball.mid));
        off.high.is_nan() || off.high.abs() <= ball.rad
    }

    /// Against numbers of twice as many digits, which know nothing of bounds.
    #[test]
    fn the_exact_value_lies_in_the_ball() {
        for index in 0..3000 {
            let ((a, x), (b, y)) = (pair(index), pair(7 * index + 3));
            for op in OPERATIONS {
                assert!(contains(a.binary(op, &b), x.binary(op, &y)), "{op:?} of {a:?} and {b:?}");
            }
            for op in FUNCTIONS {
                assert!(contains(a.unary(op), x.unary(op)), "{op:?} of {a:?}");
            }
            let squared = a.binary(Binary::Power, &Ball::exact(2.0));
            assert!(contains(squared, x.binary(Binary::Mul, &x)), "the square of {a:?}");
        }
    }

    /// The radius of a long computation stays near its error: a bound that is too wide finds nothing.
    #[test]
    fn radii_are_small_beside_what_cancels() {
        let terms = (1..1000).map(|index| Ball::exact(noise(index)) * Ball::exact(noise(index + 1)));
        let sum = terms.fold(Ball::ZERO, |sum, term| sum + term);
        assert!(sum.rad < 1e-11, "{sum:?}");
    }
}
