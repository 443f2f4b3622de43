//! Numbers with their slopes in some directions, all of them balls: exact derivatives with a bound on their errors.

use hamel_compiler::expr::{Binary, Number, Scalar, Unary};

use super::ball::Ball;

/// A value with its slopes; missing slopes are zero.
#[derive(Clone, Debug)]
pub struct Jet {
    /// The value.
    pub value: Ball,
    slopes: Vec<Ball>,
}

impl Jet {
    /// A value that does not vary.
    pub fn constant(value: Ball) -> Jet {
        Jet { value, slopes: Vec::new() }
    }

    /// A value with given slopes.
    pub fn with_slopes(value: Ball, slopes: Vec<Ball>) -> Jet {
        Jet { value, slopes }
    }

    /// Values each of which is the variable of its own direction.
    pub fn variables(values: &[Ball]) -> Vec<Jet> {
        let unit = |direction: usize, k: usize| if k == direction { Ball::exact(1.0) } else { Ball::ZERO };
        let slopes = |direction| (0..values.len()).map(|k| unit(direction, k)).collect();
        values.iter().enumerate().map(|(direction, &value)| Jet { value, slopes: slopes(direction) }).collect()
    }

    /// Values that move along one direction with these rates.
    pub fn moving(values: &[Ball], rates: &[Ball]) -> Vec<Jet> {
        values.iter().zip(rates).map(|(&value, &rate)| Jet { value, slopes: vec![rate] }).collect()
    }

    /// Values that do not vary.
    pub fn constants(values: &[Ball]) -> Vec<Jet> {
        values.iter().map(|&value| Jet::constant(value)).collect()
    }

    /// The slope in one direction.
    pub fn slope(&self, direction: usize) -> Ball {
        self.slopes.get(direction).copied().unwrap_or(Ball::ZERO)
    }

    fn combined(value: Ball, left: Ball, a: &Jet, right: Ball, b: &Jet) -> Jet {
        let directions = a.slopes.len().max(b.slopes.len());
        // Nothing is added to what does not vary, not even the error of an infinite slope: zero times a ball is zero.
        let slopes = (0..directions).map(|k| left * a.slope(k) + right * b.slope(k)).collect();
        Jet { value, slopes }
    }

    fn either(first: &Jet, second: &Jet) -> Jet {
        let directions = first.slopes.len().max(second.slopes.len());
        let slopes = (0..directions).map(|k| first.slope(k).or(second.slope(k))).collect();
        Jet { value: first.value.or(second.value), slopes }
    }
}

/// The slope of a function of one argument, given its argument and its value.
fn slope(op: Unary, x: Ball, y: Ball) -> Ball {
    let one = Ball::exact(1.0);
    let over = |a: Ball, b: Ball| a.binary(Binary::Div, &b);
    match op {
        Unary::Neg => -one,
        Unary::Sin => x.unary(Unary::Cos),
        Unary::Cos => -x.unary(Unary::Sin),
        Unary::Tan => one + y * y,
        Unary::Asin => over(one, (one - x * x).unary(Unary::Sqrt)),
        Unary::Acos => -over(one, (one - x * x).unary(Unary::Sqrt)),
        Unary::Atan => over(one, one + x * x),
        Unary::Sqrt => over(Ball::exact(0.5), y),
        Unary::Exp => y,
        Unary::Ln => over(one, x),
        Unary::Tanh => one - y * y,
        Unary::Abs => x.unary(Unary::Sign),
        Unary::Sign => Ball::ZERO,
    }
}

/// The slopes of a function of two arguments, given these and its value.
fn slopes(op: Binary, a: Ball, b: Ball, y: Ball) -> (Ball, Ball) {
    let (zero, one) = (Ball::ZERO, Ball::exact(1.0));
    let over = |a: Ball, b: Ball| a.binary(Binary::Div, &b);
    match op {
        Binary::Add => (one, one),
        Binary::Sub => (one, -one),
        Binary::Mul => (b, a),
        Binary::Div => (over(one, b), -over(y, b)),
        Binary::Atan2 => {
            let squared = a * a + b * b;
            (over(b, squared), -over(a, squared))
        }
        Binary::Power => (b * a.binary(Binary::Power, &(b - one)), y * a.unary(Unary::Ln)),
        Binary::Min | Binary::Max => match a.is_below(b) {
            Some(is_below) if is_below == (op == Binary::Min) => (one, zero),
            Some(_) => (zero, one),
            None => (Ball { mid: 0.5, rad: 0.5 }, Ball { mid: 0.5, rad: 0.5 }),
        },
    }
}

impl Scalar for Jet {
    fn from_f64(value: f64) -> Jet {
        Jet::constant(Ball::from_f64(value))
    }

    fn from_number(number: Number) -> Jet {
        Jet::constant(Ball::from_number(number))
    }

    fn unary(&self, op: Unary) -> Jet {
        let value = self.value.unary(op);
        if self.slopes.is_empty() {
            return Jet::constant(value);
        }
        let factor = slope(op, self.value, value);
        Jet { value, slopes: self.slopes.iter().map(|&slope| factor * slope).collect() }
    }

    fn binary(&self, op: Binary, other: &Jet) -> Jet {
        let value = self.value.binary(op, &other.value);
        if self.slopes.is_empty() && other.slopes.is_empty() {
            return Jet::constant(value);
        }
        let (left, right) = slopes(op, self.value, other.value, value);
        Jet::combined(value, left, self, right, other)
    }

    fn select_less(lhs: &Jet, rhs: &Jet, then: &Jet, otherwise: &Jet) -> Jet {
        match lhs.value.is_below(rhs.value) {
            Some(true) => then.clone(),
            Some(false) => otherwise.clone(),
            None if lhs.value.mid < rhs.value.mid => Jet::either(then, otherwise),
            None => Jet::either(otherwise, then),
        }
    }
}
