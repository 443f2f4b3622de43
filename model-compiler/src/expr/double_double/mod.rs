//! Numbers of about 31 digits as unevaluated sums of two `f64`.
//!
//! Arithmetic, square root, sine and cosine have that accuracy; the other functions are corrected to first order around
//! their `f64` value and so keep the accuracy of the `f64` functions only.

mod arithmetic;

pub use arithmetic::DoubleDouble;

use super::{Binary, Dual, Number, Scalar, Unary};
use arithmetic::two_sum;

impl Scalar for DoubleDouble {
    fn from_f64(value: f64) -> DoubleDouble {
        DoubleDouble::from_f64(value)
    }

    fn from_number(number: Number) -> DoubleDouble {
        match number.as_ratio() {
            Some((numerator, denominator)) => DoubleDouble::ratio(numerator, denominator),
            None => DoubleDouble::from_f64(number.to_f64()),
        }
    }

    fn unary(&self, op: Unary) -> DoubleDouble {
        match op {
            Unary::Neg => self.neg(),
            Unary::Sin => self.sin_cos().0,
            Unary::Cos => self.sin_cos().1,
            Unary::Tan => {
                let (sine, cosine) = self.sin_cos();
                sine.div(cosine)
            }
            Unary::Sqrt => self.sqrt(),
            Unary::Abs if self.high < 0.0 => self.neg(),
            Unary::Abs => *self,
            Unary::Sign => DoubleDouble::from_f64(self.high.unary(Unary::Sign)),
            Unary::Asin | Unary::Acos | Unary::Atan | Unary::Exp | Unary::Ln | Unary::Tanh => {
                let dual = Dual::with_slopes(self.high, vec![self.low]).unary(op);
                two_sum(dual.value, dual.slope(0))
            }
        }
    }

    fn binary(&self, op: Binary, other: &DoubleDouble) -> DoubleDouble {
        match op {
            Binary::Add => self.add(*other),
            Binary::Sub => self.sub(*other),
            Binary::Mul => self.mul(*other),
            Binary::Div => self.div(*other),
            Binary::Min => Scalar::select_less(self, other, self, other),
            Binary::Max => Scalar::select_less(self, other, other, self),
            Binary::Atan2 | Binary::Power => {
                let (a, b) =
                    (Dual::with_slopes(self.high, vec![self.low]), Dual::with_slopes(other.high, vec![other.low]));
                let dual = a.binary(op, &b);
                two_sum(dual.value, dual.slope(0))
            }
        }
    }

    fn select_less(
        lhs: &DoubleDouble,
        rhs: &DoubleDouble,
        then: &DoubleDouble,
        otherwise: &DoubleDouble,
    ) -> DoubleDouble {
        if lhs.is_less(*rhs) { *then } else { *otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_keep_their_exact_value() {
        let tenth = DoubleDouble::from_number(Number::ratio(1, 10));
        let rest = tenth.mul(DoubleDouble::from_f64(10.0)).sub(DoubleDouble::from_f64(1.0));
        assert!(tenth.low != 0.0 && rest.high.abs() < 1e-31);
        assert!(DoubleDouble::from_f64(-1.0).is_less(tenth));
    }
}
