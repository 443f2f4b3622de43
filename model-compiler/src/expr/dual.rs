//! Forward-mode dual numbers with any number of directions.
//!
//! A direction in which an operand does not vary must not meet an infinite slope: the product is zero. So norms, absolute
//! values and their powers have the slope 0 where they are zero, as the derivatives of expressions have it.

use super::{Binary, Scalar, Unary};

/// A value with its slopes in some directions; missing slopes are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Dual {
    /// The value.
    pub value: f64,
    slopes: Vec<f64>,
}

impl Dual {
    /// A value that does not vary.
    pub fn constant(value: f64) -> Dual {
        Dual { value, slopes: Vec::new() }
    }

    /// The variable of one of `directions` directions.
    pub fn variable(value: f64, direction: usize, directions: usize) -> Dual {
        let slopes = (0..directions).map(|k| if k == direction { 1.0 } else { 0.0 }).collect();
        Dual { value, slopes }
    }

    /// A value with given slopes.
    pub fn with_slopes(value: f64, slopes: Vec<f64>) -> Dual {
        Dual { value, slopes }
    }

    /// The slope in one direction.
    pub fn slope(&self, direction: usize) -> f64 {
        self.slopes.get(direction).copied().unwrap_or(0.0)
    }

    fn scaled(&self, value: f64, factor: f64) -> Dual {
        Dual { value, slopes: self.slopes.iter().map(|&slope| times(factor, slope)).collect() }
    }

    fn varies(&self) -> bool {
        !self.slopes.is_empty()
    }

    /// `value` with the slopes `left·a' + right·b'`.
    fn combined(value: f64, left: f64, a: &Dual, right: f64, b: &Dual) -> Dual {
        let directions = a.slopes.len().max(b.slopes.len());
        let slopes = (0..directions).map(|k| times(left, a.slope(k)) + times(right, b.slope(k))).collect();
        Dual { value, slopes }
    }
}

fn times(partial: f64, slope: f64) -> f64 {
    if slope == 0.0 { 0.0 } else { partial * slope }
}

impl Scalar for Dual {
    fn from_f64(value: f64) -> Dual {
        Dual::constant(value)
    }

    fn unary(&self, op: Unary) -> Dual {
        let x = self.value;
        let y = x.unary(op);
        let slope = match op {
            Unary::Neg => -1.0,
            Unary::Sin => x.cos(),
            Unary::Cos => -x.sin(),
            Unary::Tan => 1.0 + y * y,
            Unary::Asin => 1.0 / (1.0 - x * x).sqrt(),
            Unary::Acos => -1.0 / (1.0 - x * x).sqrt(),
            Unary::Atan => 1.0 / (1.0 + x * x),
            Unary::Sqrt => 0.5 / y,
            Unary::Exp => y,
            Unary::Ln => 1.0 / x,
            Unary::Tanh => 1.0 - y * y,
            Unary::Abs => x.unary(Unary::Sign),
            Unary::Sign => 0.0,
        };
        self.scaled(y, slope)
    }

    fn binary(&self, op: Binary, other: &Dual) -> Dual {
        let (a, b) = (self.value, other.value);
        let y = a.binary(op, &b);
        let (left, right) = match op {
            Binary::Add => (1.0, 1.0),
            Binary::Sub => (1.0, -1.0),
            Binary::Mul => (b, a),
            Binary::Div => (1.0 / b, -y / b),
            Binary::Atan2 if a == 0.0 && b == 0.0 => (0.0, 0.0),
            Binary::Atan2 => (b / (a * a + b * b), -a / (a * a + b * b)),
            Binary::Power if a == 0.0 => (b * a.powf(b - 1.0), 0.0),
            Binary::Power => (b * a.powf(b - 1.0), y * a.ln()),
            // A bound that does not vary has the slope at the bound.
            Binary::Min if a < b || a == b && !self.varies() => (1.0, 0.0),
            Binary::Max if a > b || a == b && (other.varies() || !self.varies()) => (1.0, 0.0),
            Binary::Min | Binary::Max => (0.0, 1.0),
        };
        Dual::combined(y, left, self, right, other)
    }

    fn select_less(lhs: &Dual, rhs: &Dual, then: &Dual, otherwise: &Dual) -> Dual {
        if lhs.value < rhs.value { then.clone() } else { otherwise.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_agree_with_central_differences() {
        let step = 1e-6;
        for op in [
            Unary::Neg,
            Unary::Sin,
            Unary::Cos,
            Unary::Tan,
            Unary::Asin,
            Unary::Acos,
            Unary::Atan,
            Unary::Sqrt,
            Unary::Exp,
            Unary::Ln,
            Unary::Tanh,
            Unary::Abs,
        ] {
            let x = 0.6;
            let slope = Dual::variable(x, 0, 1).unary(op).slope(0);
            let difference = ((x + step).unary(op) - (x - step).unary(op)) / (2.0 * step);
            assert!((slope - difference).abs() < 1e-8, "{op:?}: {slope} {difference}");
        }
        for op in
            [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Atan2, Binary::Power, Binary::Min, Binary::Max]
        {
            let (a, b) = (0.6, 1.7);
            let dual = Dual::variable(a, 0, 2).binary(op, &Dual::variable(b, 1, 2));
            let left = ((a + step).binary(op, &b) - (a - step).binary(op, &b)) / (2.0 * step);
            let right = (a.binary(op, &(b + step)) - a.binary(op, &(b - step))) / (2.0 * step);
            assert!((dual.slope(0) - left).abs() < 1e-8 && (dual.slope(1) - right).abs() < 1e-8, "{op:?}");
        }
    }
}
