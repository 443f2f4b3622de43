//! Constructors that fold constants and apply identities: functions and selections, and any node by its operator. Sums
//! and products are in [`arithmetic`](super::arithmetic).
//!
//! Inputs are assumed finite: `0·x → 0` and `x − x → 0` hide a NaN or an infinity of `x`. Everything else holds bit for
//! bit or rounds at most as often as what was written: constants fold exactly, functions of constants fold only where the
//! value is exact, and a division becomes a multiplication only by a power of two. Poles stay: `x/x` is not 1.
//!
//! Normal form: negations are hoisted outwards, constants under products are positive, operands of commutative operators
//! are sorted.

use super::{Binary, ExprId, Graph, Node, Number, Unary};

/// Integer powers up to this size are expanded into products.
const MAX_EXPANDED_POWER: i128 = 64;

impl Graph {
    /// Applies the identities to a node; its operands must be nodes of this graph.
    pub fn build(&mut self, node: Node) -> ExprId {
        match node {
            Node::Number(_) | Node::Symbol(_) => self.intern(node),
            Node::Unary(op, a) => self.unary(op, a),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Select { lhs, rhs, then, otherwise } => self.select(lhs, rhs, then, otherwise),
        }
    }

    /// `op(a)`.
    pub(crate) fn unary(&mut self, op: Unary, a: ExprId) -> ExprId {
        match op {
            Unary::Neg => self.neg(a),
            Unary::Sin => self.sin(a),
            Unary::Cos => self.cos(a),
            Unary::Tan => self.tan(a),
            Unary::Asin => self.asin(a),
            Unary::Acos => self.acos(a),
            Unary::Atan => self.atan(a),
            Unary::Sqrt => self.sqrt(a),
            Unary::Exp => self.exp(a),
            Unary::Ln => self.ln(a),
            Unary::Tanh => self.tanh(a),
            Unary::Abs => self.abs(a),
            Unary::Sign => self.sign(a),
        }
    }

    /// `op(a, b)`.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        match op {
            Binary::Add => self.add(a, b),
            Binary::Sub => self.sub(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::Atan2 => self.atan2(a, b),
            Binary::Power => self.power(a, b),
            Binary::Min => self.min(a, b),
            Binary::Max => self.max(a, b),
        }
    }

    /// sin a.
    pub fn sin(&mut self, a: ExprId) -> ExprId {
        self.odd(Unary::Sin, a)
    }

    /// cos a.
    pub fn cos(&mut self, a: ExprId) -> ExprId {
        if self.is_zero(a) {
            return self.one();
        }
        self.even(Unary::Cos, a)
    }

    /// tan a.
    pub fn tan(&mut self, a: ExprId) -> ExprId {
        self.odd(Unary::Tan, a)
    }

    /// asin a.
    pub fn asin(&mut self, a: ExprId) -> ExprId {
        self.odd(Unary::Asin, a)
    }

    /// acos a.
    pub fn acos(&mut self, a: ExprId) -> ExprId {
        if self.as_number(a).is_some_and(Number::is_one) {
            return self.zero();
        }
        self.intern(Node::Unary(Unary::Acos, a))
    }

    /// atan a.
    pub fn atan(&mut self, a: ExprId) -> ExprId {
        self.odd(Unary::Atan, a)
    }

    /// √a. Squares of roots stay as they are, so that a negative radicand still gives NaN.
    pub fn sqrt(&mut self, a: ExprId) -> ExprId {
        match self.as_number(a).and_then(Number::exact_sqrt) {
            Some(root) => self.number(root),
            None => self.intern(Node::Unary(Unary::Sqrt, a)),
        }
    }

    /// eᵃ.
    pub fn exp(&mut self, a: ExprId) -> ExprId {
        if self.is_zero(a) {
            return self.one();
        }
        self.intern(Node::Unary(Unary::Exp, a))
    }

    /// ln a.
    pub fn ln(&mut self, a: ExprId) -> ExprId {
        if self.as_number(a).is_some_and(Number::is_one) {
            return self.zero();
        }
        self.intern(Node::Unary(Unary::Ln, a))
    }

    /// tanh a.
    pub fn tanh(&mut self, a: ExprId) -> ExprId {
        self.odd(Unary::Tanh, a)
    }

    /// |a|.
    pub fn abs(&mut self, a: ExprId) -> ExprId {
        match self.node(a) {
            Node::Number(x) => self.number(x.abs()),
            Node::Unary(Unary::Abs | Unary::Sqrt | Unary::Exp, _) => a,
            _ => self.even(Unary::Abs, a),
        }
    }

    /// The sign of a: −1, 0 or 1.
    pub fn sign(&mut self, a: ExprId) -> ExprId {
        match self.as_number(a) {
            Some(x) if x.is_zero() => a,
            Some(x) => self.integer(if x.is_negative() { -1 } else { 1 }),
            None => self.odd(Unary::Sign, a),
        }
    }

    /// The angle of the point (x, y).
    pub fn atan2(&mut self, y: ExprId, x: ExprId) -> ExprId {
        let is_on_positive_axis =
            self.is_zero(y) && self.as_number(x).is_some_and(|x| !x.is_zero() && !x.is_negative());
        if is_on_positive_axis { y } else { self.intern(Node::Binary(Binary::Atan2, y, x)) }
    }

    /// aᵇ. Small integer exponents become products, ±½ a square root.
    pub fn power(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let Some(exponent) = self.as_number(b) else {
            let is_one = self.as_number(a).is_some_and(Number::is_one);
            return if is_one { a } else { self.intern(Node::Binary(Binary::Power, a, b)) };
        };
        if let Some(n) = exponent.as_integer().filter(|n| n.abs() <= MAX_EXPANDED_POWER) {
            return self.powi(a, n as i32);
        }
        if exponent.abs() == Number::ratio(1, 2) {
            let root = self.sqrt(a);
            return if exponent.is_negative() { self.reciprocal(root) } else { root };
        }
        self.intern(Node::Binary(Binary::Power, a, b))
    }

    /// aⁿ by repeated squaring, so that powers of one base share their squares; the reciprocal of that for n < 0.
    pub fn powi(&mut self, a: ExprId, n: i32) -> ExprId {
        let mut power = self.one();
        let mut square = a;
        let mut remaining = n.unsigned_abs();
        while remaining > 0 {
            if remaining & 1 == 1 {
                power = self.mul(power, square);
            }
            remaining >>= 1;
            if remaining > 0 {
                square = self.mul(square, square);
            }
        }
        if n < 0 { self.reciprocal(power) } else { power }
    }

    /// min(a, b).
    pub fn min(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => self.number(x.min(y)),
            _ if a == b => a,
            _ => self.commutative(Binary::Min, a, b),
        }
    }

    /// max(a, b).
    pub fn max(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => self.number(x.max(y)),
            _ if a == b => a,
            _ => self.commutative(Binary::Max, a, b),
        }
    }

    /// `lhs < rhs ? then : otherwise`.
    pub fn select(&mut self, lhs: ExprId, rhs: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        if then == otherwise {
            return then;
        }
        match (self.as_number(lhs), self.as_number(rhs)) {
            (Some(x), Some(y)) => {
                if x < y {
                    then
                } else {
                    otherwise
                }
            }
            _ => self.intern(Node::Select { lhs, rhs, then, otherwise }),
        }
    }

    fn reciprocal(&mut self, a: ExprId) -> ExprId {
        let one = self.one();
        self.div(one, a)
    }

    /// f(−a) = −f(a), f(0) = 0.
    fn odd(&mut self, op: Unary, a: ExprId) -> ExprId {
        if self.is_zero(a) {
            return a;
        }
        match self.negative_of(a) {
            Some(x) => {
                let value = self.intern(Node::Unary(op, x));
                self.neg(value)
            }
            None => self.intern(Node::Unary(op, a)),
        }
    }

    /// f(−a) = f(a).
    fn even(&mut self, op: Unary, a: ExprId) -> ExprId {
        let argument = self.negative_of(a).unwrap_or(a);
        self.intern(Node::Unary(op, argument))
    }

    /// −a, if a is a negation or a negative constant.
    fn negative_of(&mut self, a: ExprId) -> Option<ExprId> {
        match self.node(a) {
            Node::Unary(Unary::Neg, x) => Some(x),
            Node::Number(x) if x.is_negative() => Some(self.number(-x)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Stage, print};

    /// Checks what an expression of x and y becomes.
    fn check(expected: &str, build: impl Fn(&mut Graph, ExprId, ExprId) -> ExprId) {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Position));
        let result = build(&mut graph, x, y);
        assert_eq!(print::text(&graph, result), expected);
    }

    #[test]
    fn sums() {
        check("0", |g, x, _| g.sub(x, x));
        check("2*x", |g, x, _| g.add(x, x));
        check("y - x", |g, x, y| {
            let minus = g.neg(x);
            g.add(minus, y)
        });
        check("-(x + y)", |g, x, y| {
            let minus = g.neg(x);
            g.sub(minus, y)
        });
        check("x + 5", |g, x, _| {
            let (two, three) = (g.integer(2), g.integer(3));
            let sum = g.add(x, two);
            g.add(three, sum)
        });
        check("1 - x", |g, x, _| {
            let (two, three) = (g.integer(2), g.integer(3));
            let difference = g.sub(three, x);
            g.sub(difference, two)
        });
        check("x - 2", |g, x, _| {
            let minus_two = g.integer(-2);
            g.add(x, minus_two)
        });
    }

    #[test]
    fn products() {
        check("0", |g, x, _| {
            let zero = g.zero();
            g.mul(x, zero)
        });
        check("-6*x", |g, x, _| {
            let (two, minus_three) = (g.integer(2), g.integer(-3));
            let product = g.mul(x, two);
            g.mul(product, minus_three)
        });
        check("x*y", |g, x, y| {
            let (minus_x, minus_y) = (g.neg(x), g.neg(y));
            g.mul(minus_x, minus_y)
        });
        check("x^6", |g, x, _| g.powi(x, 6));
        check("1/x^2", |g, x, _| g.powi(x, -2));
    }

    #[test]
    fn quotients() {
        check("x/x", |g, x, _| g.div(x, x));
        check("0.25*x", |g, x, _| {
            let four = g.integer(4);
            g.div(x, four)
        });
        check("x/3", |g, x, _| {
            let three = g.integer(3);
            g.div(x, three)
        });
        check("2/3*x", |g, x, _| {
            let (two, three) = (g.integer(2), g.integer(3));
            let quotient = g.div(x, three);
            g.mul(two, quotient)
        });
        check("1/6*x", |g, x, _| {
            let (two, three) = (g.integer(2), g.integer(3));
            let quotient = g.div(x, three);
            g.div(quotient, two)
        });
        check("x/0", |g, x, _| {
            let zero = g.zero();
            g.div(x, zero)
        });
    }

    #[test]
    fn functions() {
        check("-sin(x)", |g, x, _| {
            let minus = g.neg(x);
            g.sin(minus)
        });
        check("cos(x)", |g, x, _| {
            let minus = g.neg(x);
            g.cos(minus)
        });
        check("1.5", |g, _, _| {
            let square = g.ratio(9, 4);
            g.sqrt(square)
        });
        check("sin(1)", |g, _, _| {
            let one = g.one();
            g.sin(one)
        });
        check("sqrt(x)^2", |g, x, _| {
            let root = g.sqrt(x);
            g.mul(root, root)
        });
        check("1/sqrt(x)", |g, x, _| {
            let exponent = g.ratio(-1, 2);
            g.power(x, exponent)
        });
        check("y", |g, x, y| {
            let (two, three) = (g.integer(2), g.integer(3));
            g.select(three, two, x, y)
        });
    }
}
