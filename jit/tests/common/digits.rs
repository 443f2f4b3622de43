//! Numbers of double precision; sines and cosines that are computed together are those of the runtime.

use hamel_compiler::expr::{Binary, Number, Scalar, Unary};

#[derive(Clone, Copy, Debug)]
pub struct Digits(pub f64);

impl Scalar for Digits {
    fn from_f64(value: f64) -> Self {
        Self(value)
    }

    fn from_number(number: Number) -> Self {
        Self(f64::from_number(number))
    }

    fn unary(&self, op: Unary) -> Self {
        Self(self.0.unary(op))
    }

    fn sin_cos_each(angles: &[Self]) -> Vec<[Self; 2]> {
        let angles: Vec<f64> = angles.iter().map(|angle| angle.0).collect();
        let mut pairs = vec![0.0; 2 * angles.len()];
        hamel::generated::sin_cos_each(&angles, &mut pairs);
        pairs.chunks_exact(2).map(|pair| [Self(pair[0]), Self(pair[1])]).collect()
    }

    fn binary(&self, op: Binary, other: &Self) -> Self {
        Self(self.0.binary(op, &other.0))
    }

    fn mul_add(&self, factor: &Self, addend: &Self) -> Self {
        Self(Scalar::mul_add(&self.0, &factor.0, &addend.0))
    }

    fn select_less(lhs: &Self, rhs: &Self, then: &Self, otherwise: &Self) -> Self {
        Self(f64::select_less(&lhs.0, &rhs.0, &then.0, &otherwise.0))
    }
}
