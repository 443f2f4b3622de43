//! Constructors of numbers, sums and products, which fold constants and apply identities as [`build`](super::build) says.

use super::{Binary, ExprId, Graph, Node, Number, Unary};

impl Graph {
    /// A constant.
    pub fn number(&mut self, number: Number) -> ExprId {
        self.intern(Node::Number(number))
    }

    /// An integer constant.
    pub fn integer(&mut self, value: i64) -> ExprId {
        self.number(Number::from(value))
    }

    /// A rational constant.
    pub fn ratio(&mut self, numerator: i64, denominator: i64) -> ExprId {
        self.number(Number::ratio(numerator.into(), denominator.into()))
    }

    /// A floating-point constant, taken as the exact number it is.
    pub fn float(&mut self, value: f64) -> ExprId {
        self.number(Number::from_f64(value))
    }

    /// The constant 0.
    pub fn zero(&mut self) -> ExprId {
        self.number(Number::ZERO)
    }

    /// The constant 1.
    pub fn one(&mut self) -> ExprId {
        self.number(Number::ONE)
    }

    /// a + b.
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => return self.number(x + y),
            (Some(x), None) => return self.add_number(b, x),
            (None, Some(y)) => return self.add_number(a, y),
            (None, None) => {}
        }
        if let Some(y) = self.negated(b) {
            return self.sub(a, y);
        }
        if let Some(x) = self.negated(a) {
            return self.sub(b, x);
        }
        if a == b {
            let two = self.integer(2);
            return self.mul(two, a);
        }
        self.commutative(Binary::Add, a, b)
    }

    /// a − b.
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.zero();
        }
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => return self.number(x - y),
            (None, Some(y)) => return self.add_number(a, -y),
            (Some(x), None) if x.is_zero() => return self.neg(b),
            _ => {}
        }
        if let Some(y) = self.negated(b) {
            return self.add(a, y);
        }
        if let Some(x) = self.negated(a) {
            let sum = self.add(x, b);
            return self.neg(sum);
        }
        self.intern(Node::Binary(Binary::Sub, a, b))
    }

    /// −a.
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        match self.node(a) {
            Node::Number(x) => self.number(-x),
            Node::Unary(Unary::Neg, x) => x,
            Node::Binary(Binary::Sub, x, y) => self.sub(y, x),
            _ => self.intern(Node::Unary(Unary::Neg, a)),
        }
    }

    /// a·b.
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => return self.number(x * y),
            (Some(x), None) => return self.scale(x, b),
            (None, Some(y)) => return self.scale(y, a),
            (None, None) => {}
        }
        if let Some(x) = self.negated(a) {
            let product = self.mul(x, b);
            return self.neg(product);
        }
        if let Some(y) = self.negated(b) {
            let product = self.mul(a, y);
            return self.neg(product);
        }
        self.commutative(Binary::Mul, a, b)
    }

    /// a/b.
    pub fn div(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(divisor) = self.as_number(b) {
            return self.div_by_number(a, divisor);
        }
        if self.is_zero(a) {
            return a;
        }
        if let Some(x) = self.negated(a) {
            let quotient = self.div(x, b);
            return self.neg(quotient);
        }
        if let Some(y) = self.negated(b) {
            let quotient = self.div(a, y);
            return self.neg(quotient);
        }
        self.intern(Node::Binary(Binary::Div, a, b))
    }

    /// The sum of all terms, from left to right.
    pub fn sum(&mut self, terms: &[ExprId]) -> ExprId {
        let zero = self.zero();
        terms.iter().fold(zero, |sum, &term| self.add(sum, term))
    }

    /// The product of all factors, from left to right.
    pub fn product(&mut self, factors: &[ExprId]) -> ExprId {
        let one = self.one();
        factors.iter().fold(one, |product, &factor| self.mul(product, factor))
    }

    /// The scalar product of two vectors of one length.
    pub fn dot(&mut self, a: &[ExprId], b: &[ExprId]) -> ExprId {
        debug_assert_eq!(a.len(), b.len());
        let zero = self.zero();
        a.iter().zip(b).fold(zero, |sum, (&x, &y)| {
            let product = self.mul(x, y);
            self.add(sum, product)
        })
    }

    /// The operand of a negation.
    fn negated(&self, a: ExprId) -> Option<ExprId> {
        match self.node(a) {
            Node::Unary(Unary::Neg, x) => Some(x),
            _ => None,
        }
    }

    pub(super) fn commutative(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        self.intern(Node::Binary(op, a.min(b), a.max(b)))
    }

    /// x + c. Constants of one sum meet, and a negative one is subtracted.
    fn add_number(&mut self, x: ExprId, c: Number) -> ExprId {
        if c.is_zero() {
            return x;
        }
        match self.node(x) {
            Node::Unary(Unary::Neg, y) => {
                let constant = self.number(c);
                return self.sub(constant, y);
            }
            Node::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                if let Some((rest, own)) = self.split_constant(op, a, b)
                    && let Some(total) = own.checked_add(c)
                {
                    return match rest {
                        Rest::Plus(rest) => self.add_number(rest, total),
                        Rest::Minus(rest) => {
                            let constant = self.number(total);
                            self.sub(constant, rest)
                        }
                    };
                }
            }
            _ => {}
        }
        if c.is_negative() {
            let constant = self.number(-c);
            self.intern(Node::Binary(Binary::Sub, x, constant))
        } else {
            let constant = self.number(c);
            self.commutative(Binary::Add, constant, x)
        }
    }

    /// The constant of a two-term sum and what is left of the sum without it.
    fn split_constant(&self, op: Binary, a: ExprId, b: ExprId) -> Option<(Rest, Number)> {
        match (op, self.as_number(a), self.as_number(b)) {
            (Binary::Add, Some(x), _) => Some((Rest::Plus(b), x)),
            (Binary::Add, _, Some(y)) => Some((Rest::Plus(a), y)),
            (Binary::Sub, Some(x), _) => Some((Rest::Minus(b), x)),
            (Binary::Sub, _, Some(y)) => Some((Rest::Plus(a), -y)),
            _ => None,
        }
    }

    /// c·x. Constant factors meet, and signs move outwards.
    fn scale(&mut self, c: Number, x: ExprId) -> ExprId {
        if c.is_zero() {
            return self.zero();
        }
        if c.is_one() {
            return x;
        }
        if c.is_negative() {
            let product = self.scale(-c, x);
            return self.neg(product);
        }
        match self.node(x) {
            Node::Unary(Unary::Neg, y) => {
                let product = self.scale(c, y);
                return self.neg(product);
            }
            Node::Binary(Binary::Mul, a, b) => {
                if let Some(total) = self.as_number(a).and_then(|own| own.checked_mul(c)) {
                    return self.scale(total, b);
                }
                if let Some(total) = self.as_number(b).and_then(|own| own.checked_mul(c)) {
                    return self.scale(total, a);
                }
            }
            Node::Binary(Binary::Div, a, b) => {
                if let Some(total) = self.as_number(b).and_then(|own| c.checked_div(own)) {
                    return self.scale(total, a);
                }
                if let Some(total) = self.as_number(a).and_then(|own| own.checked_mul(c)) {
                    let numerator = self.number(total);
                    return self.div(numerator, b);
                }
            }
            _ => {}
        }
        let constant = self.number(c);
        self.commutative(Binary::Mul, constant, x)
    }

    /// x/c. A constant that x carries absorbs the divisor; a lone division stays, since 1/c is rarely a float.
    fn div_by_number(&mut self, x: ExprId, c: Number) -> ExprId {
        let constant = self.number(c);
        if c.is_zero() {
            return self.intern(Node::Binary(Binary::Div, x, constant));
        }
        if c.is_negative() {
            let quotient = self.div_by_number(x, -c);
            return self.neg(quotient);
        }
        if c.is_one() {
            return x;
        }
        if c.is_power_of_two() {
            return match Number::ONE.checked_div(c) {
                Some(reciprocal) => self.mul_number(reciprocal, x),
                None => self.intern(Node::Binary(Binary::Div, x, constant)),
            };
        }
        match self.node(x) {
            Node::Number(own) => {
                if let Some(quotient) = own.checked_div(c) {
                    return self.number(quotient);
                }
            }
            Node::Unary(Unary::Neg, y) => {
                let quotient = self.div_by_number(y, c);
                return self.neg(quotient);
            }
            Node::Binary(Binary::Mul, a, b) => {
                if let Some(total) = self.as_number(a).and_then(|own| own.checked_div(c)) {
                    return self.scale(total, b);
                }
                if let Some(total) = self.as_number(b).and_then(|own| own.checked_div(c)) {
                    return self.scale(total, a);
                }
            }
            Node::Binary(Binary::Div, a, b) => {
                if let Some(total) = self.as_number(b).and_then(|own| own.checked_mul(c)) {
                    return self.div_by_number(a, total);
                }
                if let Some(total) = self.as_number(a).and_then(|own| own.checked_div(c)) {
                    let numerator = self.number(total);
                    return self.div(numerator, b);
                }
            }
            _ => {}
        }
        self.intern(Node::Binary(Binary::Div, x, constant))
    }

    fn mul_number(&mut self, c: Number, x: ExprId) -> ExprId {
        match self.as_number(x) {
            Some(own) => self.number(own * c),
            None => self.scale(c, x),
        }
    }
}

/// What is left of a sum when its constant is taken out.
enum Rest {
    Plus(ExprId),
    Minus(ExprId),
}
