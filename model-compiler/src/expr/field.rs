//! Expressions evaluated in the finite field GF(2⁶¹ − 1), where equality is exact.
//!
//! Two expressions with equal values at random points are equal as formulas, up to a probability of about 2⁻⁶¹ times
//! their degree. Sine and cosine of an argument lie on the unit circle, so sin² + cos² = 1 holds; square roots are roots,
//! of random sign so that √(x²) is not mistaken for x; every other function is a hash of its argument.

use std::ops::{Add, Mul, Neg, Sub};

use super::{Binary, ExprId, Graph, Node, Number, Scalar, Unary, evaluate_all};

const MODULUS: u64 = (1 << 61) - 1;

/// An element of the field.
///
/// Its arithmetic is inlined even in a compiler that is built without optimisation, where it would be mostly calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Residue(u64);

impl Residue {
    pub(crate) const ZERO: Residue = Residue(0);
    pub(crate) const ONE: Residue = Residue(1);
    const TWO: Residue = Residue(2);

    /// A pseudo-random element that depends on all the words.
    pub(crate) fn hash(words: &[u64]) -> Residue {
        let mixed = words.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |state, &word| {
            let mut z = state.wrapping_add(word).wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Residue(mixed % MODULUS)
    }

    /// The representative below the modulus.
    #[inline(always)]
    pub(crate) fn value(self) -> u64 {
        self.0
    }

    pub(crate) fn inverse(self) -> Residue {
        self.power(MODULUS - 2)
    }

    fn power(self, mut exponent: u64) -> Residue {
        let (mut power, mut square) = (Residue::ONE, self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power * square;
            }
            square = square * square;
            exponent >>= 1;
        }
        power
    }

    /// A square root, if there is one: x^((p+1)/4) = x^(2⁵⁹), since the modulus is 3 mod 4.
    fn square_root(self) -> Option<Residue> {
        let mut root = self;
        for _ in 0..59 {
            root = root * root;
        }
        if root * root != self {
            return None;
        }
        Some(if Residue::hash(&[self.0, 1]).0 & 1 == 0 { root } else { -root })
    }

    fn from_integer(value: i128) -> Residue {
        let magnitude = Residue((value.unsigned_abs() % u128::from(MODULUS)) as u64);
        if value < 0 { -magnitude } else { magnitude }
    }

    /// A function without algebraic laws.
    fn opaque(self, function: u64) -> Residue {
        Residue::hash(&[self.0, 2, function])
    }

    /// f(−x) = −f(x): the smaller of x and −x decides.
    fn odd(self, function: impl Fn(Residue) -> Residue) -> Residue {
        if self <= -self { function(self) } else { -function(-self) }
    }

    /// f(−x) = f(x).
    fn even(self, function: impl Fn(Residue) -> Residue) -> Residue {
        function(self.min(-self))
    }

    /// The sine of an angle whose half has the tangent t: 2t/(1 + t²).
    fn sine(self) -> Residue {
        let t = self.opaque(Unary::Sin as u64);
        Residue::TWO * t * (Residue::ONE + t * t).inverse()
    }

    /// The cosine of the same angle: (1 − t²)/(1 + t²).
    fn cosine(self) -> Residue {
        let t = self.opaque(Unary::Sin as u64);
        (Residue::ONE - t * t) * (Residue::ONE + t * t).inverse()
    }
}

impl Add for Residue {
    type Output = Residue;
    #[inline(always)]
    fn add(self, other: Residue) -> Residue {
        let sum = self.0 + other.0;
        Residue(if sum >= MODULUS { sum - MODULUS } else { sum })
    }
}

impl Neg for Residue {
    type Output = Residue;
    #[inline(always)]
    fn neg(self) -> Residue {
        Residue(if self.0 == 0 { 0 } else { MODULUS - self.0 })
    }
}

impl Sub for Residue {
    type Output = Residue;
    #[inline(always)]
    fn sub(self, other: Residue) -> Residue {
        let difference = self.0.wrapping_sub(other.0);
        Residue(if self.0 < other.0 { difference.wrapping_add(MODULUS) } else { difference })
    }
}

impl Mul for Residue {
    type Output = Residue;
    #[inline(always)]
    fn mul(self, other: Residue) -> Residue {
        let product = u128::from(self.0) * u128::from(other.0);
        // 2⁶¹ is 1 modulo 2⁶¹ − 1, so the high part is added to the low part.
        let sum = (product as u64 & MODULUS) + (product >> 61) as u64;
        Residue(if sum >= MODULUS { sum - MODULUS } else { sum })
    }
}

impl Scalar for Residue {
    fn from_f64(value: f64) -> Residue {
        Residue::from_number(Number::from_f64(value))
    }

    fn from_number(number: Number) -> Residue {
        match number.as_ratio() {
            Some((numerator, 1)) => Residue::from_integer(numerator),
            Some((numerator, denominator)) => {
                Residue::from_integer(numerator) * Residue::from_integer(denominator).inverse()
            }
            None if number.is_negative() => -Residue::from_number(-number),
            None => Residue::hash(&[number.to_f64().to_bits(), 3]),
        }
    }

    fn unary(&self, op: Unary) -> Residue {
        match op {
            Unary::Neg => -*self,
            Unary::Sin => self.odd(Residue::sine),
            Unary::Cos => self.even(Residue::cosine),
            Unary::Sqrt => self.square_root().unwrap_or_else(|| self.opaque(op as u64)),
            Unary::Tan | Unary::Asin | Unary::Atan | Unary::Tanh | Unary::Sign => self.odd(|x| x.opaque(op as u64)),
            Unary::Abs => self.even(|x| x.opaque(op as u64)),
            Unary::Acos | Unary::Exp | Unary::Ln => self.opaque(op as u64),
        }
    }

    fn binary(&self, op: Binary, other: &Residue) -> Residue {
        let (a, b) = (*self, *other);
        match op {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            // Zero has no inverse: what is divided by it is like nothing else, and stays to be told.
            Binary::Div if b == Residue::ZERO => a.odd(|a| Residue::hash(&[a.0, 6])),
            Binary::Div => a * b.inverse(),
            Binary::Min | Binary::Max => Residue::hash(&[a.min(b).0, a.max(b).0, 4, op as u64]),
            Binary::Atan2 | Binary::Power => Residue::hash(&[a.0, b.0, 4, op as u64]),
        }
    }

    fn select_less(lhs: &Residue, rhs: &Residue, then: &Residue, otherwise: &Residue) -> Residue {
        Residue::hash(&[lhs.0, rhs.0, then.0, otherwise.0, 5])
    }
}

/// The values of all nodes in `order` at a pseudo-random point, indexed like the arena.
pub(crate) fn values_at_point(graph: &Graph, order: &[ExprId], seed: u64) -> Vec<Residue> {
    evaluate_all(graph, order, &point(graph, order, seed))
}

/// One pseudo-random value per symbol.
pub(crate) fn any_point(symbols: usize, seed: u64) -> Vec<Residue> {
    (0..symbols as u64).map(|symbol| Residue::hash(&[seed, symbol])).collect()
}

/// One value per symbol, such that every radicand is a square if such a point is found soon.
///
/// At other points √x·√x is not recognised as x, which loses simplifications but merges nothing wrongly.
fn point(graph: &Graph, order: &[ExprId], seed: u64) -> Vec<Residue> {
    const ATTEMPTS: u64 = 24;
    let radicands: Vec<ExprId> = order
        .iter()
        .filter_map(|&id| match graph.node(id) {
            Node::Unary(Unary::Sqrt, radicand) => Some(radicand),
            _ => None,
        })
        .collect();
    let candidate = |attempt: u64| any_point(graph.symbols().len(), seed ^ attempt << 32);
    if radicands.is_empty() {
        return candidate(0);
    }
    let missing_roots = |symbols: &[Residue]| {
        let values = evaluate_all(graph, order, symbols);
        radicands.iter().filter(|radicand| values[radicand.index()].square_root().is_none()).count()
    };
    let mut best = (usize::MAX, Vec::new());
    for attempt in 0..ATTEMPTS {
        let symbols = candidate(attempt);
        let missing = missing_roots(&symbols);
        if missing < best.0 {
            best = (missing, symbols);
        }
        if missing == 0 {
            break;
        }
    }
    best.1
}

/// Whether two sets of expressions over the same symbols are equal, judged at points of their own.
pub(crate) fn are_equal(left: (&Graph, &[ExprId]), right: (&Graph, &[ExprId])) -> bool {
    // A wrong sign of a square root survives each point with probability 1/2.
    const SEEDS: [u64; 8] = [77, 78, 79, 80, 81, 82, 83, 84];
    let (left_order, right_order) = (left.0.reachable(left.1), right.0.reachable(right.1));
    let has_roots = left_order.iter().any(|&id| matches!(left.0.node(id), Node::Unary(Unary::Sqrt, _)));
    SEEDS.iter().take(if has_roots { SEEDS.len() } else { 2 }).all(|&seed| {
        let symbols = point(left.0, &left_order, seed);
        let left_values = evaluate_all(left.0, &left_order, &symbols);
        let right_values = evaluate_all(right.0, &right_order, &symbols);
        left.1.iter().zip(right.1).all(|(x, y)| left_values[x.index()] == right_values[y.index()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;

    #[test]
    fn inverses_and_roots() {
        for k in 1..200 {
            let x = Residue::hash(&[k]);
            assert_eq!(x * x.inverse(), Residue::ONE);
            let root = (x * x).square_root().expect("a square has a root");
            assert!(root == x || root == -x);
        }
    }

    #[test]
    fn what_is_divided_by_zero_is_no_number() {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Stage::Position);
        let (zero, one) = (graph.zero(), graph.one());
        let nothing = {
            let (a, b) = (graph.mul(x, x), graph.sub(x, one));
            let (b, c) = (graph.mul(b, b), graph.mul(x, b));
            let rest = graph.sub(b, a);
            // (x − 1)² − x² + 2 x − 1
            let sum = graph.add(rest, x);
            let sum = graph.add(sum, x);
            let sum = graph.sub(sum, one);
            assert!(!are_equal((&graph, &[c]), (&graph, &[zero])));
            sum
        };
        assert!(are_equal((&graph, &[nothing]), (&graph, &[zero])));
        for divisor in [zero, nothing] {
            for dividend in [zero, one, x] {
                let quotient = graph.div(dividend, divisor);
                let is_folded = divisor == nothing && dividend == zero;
                assert_eq!(are_equal((&graph, &[quotient]), (&graph, &[zero])), is_folded);
            }
        }
    }

    #[test]
    fn identities_hold_and_others_do_not() {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Stage::Position);
        let (sine, cosine) = (graph.sin(x), graph.cos(x));
        let (ss, cc) = (graph.mul(sine, sine), graph.mul(cosine, cosine));
        let (sum, difference, one) = (graph.add(ss, cc), graph.sub(cc, ss), graph.one());
        assert!(are_equal((&graph, &[sum]), (&graph, &[one])));
        assert!(!are_equal((&graph, &[difference]), (&graph, &[one])));
        let root = graph.sqrt(x);
        let square = graph.mul(root, root);
        assert!(are_equal((&graph, &[square]), (&graph, &[x])));
        let xx = graph.mul(x, x);
        let magnitude = graph.sqrt(xx);
        assert!(!are_equal((&graph, &[magnitude]), (&graph, &[x])));
    }
}
