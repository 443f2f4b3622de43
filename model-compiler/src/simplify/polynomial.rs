//! Expressions as sums of products of literals, the form in which common factors are visible.
//!
//! A literal is a symbol, a constant, a function of sums, the reciprocal of a sum, or a sum of its own. How they
//! are read from a graph is in [`reading`](super::reading), multiplying out in [`expand`](super::expand).

use std::collections::BTreeSet;
use std::hash::BuildHasher;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::expr::{Binary, ExprId, Graph, Number, Stage, SymbolId, Unary};

/// A factor, numbered in the order of first occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct LiteralId(u32);

impl LiteralId {
    /// A number such that sums of a few of them are distinct; see SplitMix64.
    pub(super) fn hash(self) -> u64 {
        let mut z = (u64::from(self.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ (z >> 27)
    }
}

/// A sum of products.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct SumId(u32);

impl SumId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of factors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Literal {
    /// Positive and not 1.
    Number(Number),
    Symbol(SymbolId),
    Sum(SumId),
    Reciprocal(SumId),
    Unary(Unary, SumId),
    Binary(Binary, SumId, SumId),
    Select([SumId; 4]),
}

impl Literal {
    fn sums(&self) -> impl Iterator<Item = SumId> + use<> {
        let sums = match *self {
            Literal::Number(_) | Literal::Symbol(_) => [None; 4],
            Literal::Sum(a) | Literal::Reciprocal(a) | Literal::Unary(_, a) => [Some(a), None, None, None],
            Literal::Binary(_, a, b) => [Some(a), Some(b), None, None],
            Literal::Select(sums) => sums.map(Some),
        };
        sums.into_iter().flatten()
    }
}

/// A product of literals, sorted, with repetition for powers.
pub(super) type Cube = Vec<LiteralId>;

/// A signed product.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Term {
    pub(super) is_negative: bool,
    pub(super) cube: Cube,
}

impl Term {
    pub(super) fn new(is_negative: bool, mut cube: Cube) -> Term {
        cube.sort_unstable();
        Term { is_negative, cube }
    }

    pub(super) fn negated(mut self) -> Term {
        self.is_negative = !self.is_negative;
        self
    }

    /// The sum of the hashes of all factors.
    pub(super) fn hash(&self) -> u64 {
        self.cube.iter().fold(0, |sum, literal| sum.wrapping_add(literal.hash()))
    }

    pub(super) fn times(&self, other: &Term) -> Term {
        let cube = self.cube.iter().chain(&other.cube).copied().collect();
        Term::new(self.is_negative ^ other.is_negative, cube)
    }
}

/// All sums of a set of roots.
#[derive(Default)]
pub(super) struct Polynomials {
    literals: IndexSet<Literal, rustc_hash::FxBuildHasher>,
    stages: Vec<Stage>,
    pub(super) sums: Vec<Vec<Term>>,
    /// Sums by the hash of their terms, or by the next free number.
    interned: FxHashMap<u64, SumId>,
    pub(super) roots: Vec<SumId>,
    /// The size of the sums that were read.
    pub(super) interned_size: usize,
}

impl Polynomials {
    pub(super) fn literal(&mut self, literal: Literal, stage: Stage) -> LiteralId {
        let (index, is_new) = self.literals.insert_full(literal);
        if is_new {
            self.stages.push(stage);
        }
        LiteralId(index as u32)
    }

    /// The literal that represents a sum.
    pub(super) fn sum_literal(&mut self, sum: SumId) -> LiteralId {
        let stage = self.stage_of_terms(&self.sums[sum.index()]);
        self.literal(Literal::Sum(sum), stage)
    }

    pub(super) fn number_literal(&mut self, number: Number) -> LiteralId {
        self.literal(Literal::Number(number), Stage::Constant)
    }

    pub(super) fn kind(&self, literal: LiteralId) -> Literal {
        self.literals[literal.0 as usize]
    }

    pub(super) fn find_literal(&self, literal: Literal) -> Option<LiteralId> {
        self.literals.get_index_of(&literal).map(|index| LiteralId(index as u32))
    }

    pub(super) fn is_hot(&self, literal: LiteralId) -> bool {
        self.stages[literal.0 as usize] > Stage::Parameter
    }

    /// Whether a literal is a number, or made of numbers alone.
    pub(super) fn is_constant(&self, literal: LiteralId) -> bool {
        self.stages[literal.0 as usize] == Stage::Constant
    }

    /// Adds a sum that is equal to no other.
    pub(super) fn push_sum(&mut self, terms: Vec<Term>) -> SumId {
        let id = SumId(self.sums.len() as u32);
        self.sums.push(terms);
        id
    }

    /// The sum of these terms, which are sorted.
    pub(super) fn intern_sum(&mut self, terms: &[Term]) -> SumId {
        let mut key = rustc_hash::FxBuildHasher.hash_one(terms);
        while let Some(&known) = self.interned.get(&key) {
            if self.sums[known.index()] == terms {
                return known;
            }
            key = key.wrapping_add(1);
        }
        self.interned_size += size_of(terms);
        let id = self.push_sum(terms.to_vec());
        self.interned.insert(key, id);
        id
    }

    fn stage_of_terms(&self, terms: &[Term]) -> Stage {
        let literals = terms.iter().flat_map(|term| &term.cube);
        literals.map(|literal| self.stages[literal.0 as usize]).max().unwrap_or_default()
    }

    /// The sums of which the roots consist, operands before users.
    pub(super) fn reachable(&self) -> Vec<SumId> {
        let mut order = Vec::new();
        let mut is_reached = vec![false; self.sums.len()];
        let mut pending: Vec<(SumId, bool)> = self.roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((sum, is_complete)) = pending.pop() {
            if is_complete {
                order.push(sum);
            } else if !std::mem::replace(&mut is_reached[sum.index()], true) {
                pending.push((sum, true));
                let literals = self.sums[sum.index()].iter().flat_map(|term| &term.cube);
                pending.extend(literals.flat_map(|&literal| self.kind(literal).sums()).map(|operand| (operand, false)));
            }
        }
        order
    }

    /// Number of additions and multiplications of the sums in their present form.
    pub(super) fn size(&self) -> usize {
        self.reachable().into_iter().map(|sum| size_of(&self.sums[sum.index()])).sum()
    }

    /// A graph of binary operations, with the symbols of `like`.
    pub(super) fn to_graph(&self, like: &Graph) -> (Graph, Vec<ExprId>) {
        let order = self.reachable();
        let mut writer = Writer {
            polynomials: self,
            shared_reciprocals: self.shared_reciprocals(&order),
            graph: Graph::with_symbols_of(like),
            images: vec![None; self.sums.len()],
        };
        for sum in order {
            let image = writer.write_sum(sum);
            writer.images[sum.index()] = Some(image);
        }
        let roots: Vec<ExprId> = self.roots.iter().map(|&root| writer.image(root)).collect();
        writer.graph.compact(&roots)
    }

    /// Reciprocals that more than one term contains: one division and products are cheaper than many divisions.
    fn shared_reciprocals(&self, order: &[SumId]) -> BTreeSet<LiteralId> {
        let mut seen = BTreeSet::new();
        let mut shared = BTreeSet::new();
        for literal in order.iter().flat_map(|sum| &self.sums[sum.index()]).flat_map(|term| &term.cube) {
            if matches!(self.kind(*literal), Literal::Reciprocal(_)) && !seen.insert(*literal) {
                shared.insert(*literal);
            }
        }
        shared
    }
}

fn size_of(terms: &[Term]) -> usize {
    terms.iter().map(|term| term.cube.len().max(1)).sum()
}

/// Writes sums of products as a graph.
struct Writer<'p> {
    polynomials: &'p Polynomials,
    shared_reciprocals: BTreeSet<LiteralId>,
    graph: Graph,
    images: Vec<Option<ExprId>>,
}

impl Writer<'_> {
    /// Operands precede their users, so the image of an operand exists.
    fn image(&self, sum: SumId) -> ExprId {
        self.images[sum.index()].expect("sums are written before their users")
    }

    /// Positive terms first, so that a sum starts without a negation where it can.
    fn write_sum(&mut self, sum: SumId) -> ExprId {
        let terms = &self.polynomials.sums[sum.index()];
        let (negative, positive): (Vec<&Term>, Vec<&Term>) = terms.iter().partition(|term| term.is_negative);
        let positive: Vec<ExprId> = positive.into_iter().map(|term| self.write_product(&term.cube)).collect();
        let negative: Vec<ExprId> = negative.into_iter().map(|term| self.write_product(&term.cube)).collect();
        if positive.is_empty() {
            let sum = self.graph.sum(&negative);
            return self.graph.neg(sum);
        }
        let sum = self.graph.sum(&positive);
        negative.into_iter().fold(sum, |difference, term| self.graph.sub(difference, term))
    }

    /// Early stages first, so that factors known early are multiplied once.
    fn write_product(&mut self, cube: &[LiteralId]) -> ExprId {
        let mut factors: Vec<LiteralId> = cube.to_vec();
        factors.sort_unstable_by_key(|&literal| (self.polynomials.stages[literal.0 as usize], literal));
        let (divisors, factors): (Vec<LiteralId>, Vec<LiteralId>) =
            factors.into_iter().partition(|&literal| self.is_division(literal));
        let one = self.graph.one();
        let numerator = factors.into_iter().fold(one, |product, literal| {
            let factor = self.write_literal(literal);
            self.graph.mul(product, factor)
        });
        let denominator = divisors.into_iter().fold(one, |product, literal| match self.polynomials.kind(literal) {
            Literal::Reciprocal(sum) => {
                let divisor = self.image(sum);
                self.graph.mul(product, divisor)
            }
            _ => product,
        });
        self.graph.div(numerator, denominator)
    }

    /// Whether division is better than multiplying by a reciprocal: it is used once and cannot be hoisted.
    fn is_division(&self, literal: LiteralId) -> bool {
        matches!(self.polynomials.kind(literal), Literal::Reciprocal(_))
            && self.polynomials.is_hot(literal)
            && !self.shared_reciprocals.contains(&literal)
    }

    fn write_literal(&mut self, literal: LiteralId) -> ExprId {
        match self.polynomials.kind(literal) {
            Literal::Number(number) => self.graph.number(number),
            Literal::Symbol(symbol) => self.graph.symbol_expr(symbol),
            Literal::Sum(sum) => self.image(sum),
            Literal::Reciprocal(sum) => {
                let (one, denominator) = (self.graph.one(), self.image(sum));
                self.graph.div(one, denominator)
            }
            Literal::Unary(op, a) => {
                let a = self.image(a);
                self.graph.unary(op, a)
            }
            Literal::Binary(op, a, b) => {
                let (a, b) = (self.image(a), self.image(b));
                self.graph.binary(op, a, b)
            }
            Literal::Select(parts) => {
                let [lhs, rhs, then, otherwise] = parts.map(|part| self.image(part));
                self.graph.select(lhs, rhs, then, otherwise)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::field::are_equal;
    use crate::simplify::reading::Form;

    #[test]
    fn round_trips_in_every_form() {
        let mut graph = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| graph.symbol(name, Stage::Position));
        let (sine, sum) = (graph.sin(x), graph.add(y, z));
        let product = graph.mul(sine, sum);
        let quotient = graph.div(product, sum);
        let smaller = graph.select(x, y, product, quotient);
        let square = graph.mul(sum, sum);
        let roots = [quotient, smaller, graph.sub(square, product), graph.atan2(square, sine)];
        for form in [
            Form::Derived,
            Form::Inlined { terms: 2 },
            Form::Expanded { terms: 12, reduce_squares: false },
            Form::Expanded { terms: 12, reduce_squares: true },
        ] {
            let (written, written_roots) = Polynomials::from_graph(&graph, &roots, form).to_graph(&graph);
            assert!(are_equal((&graph, &roots), (&written, &written_roots)), "{form:?}");
        }
    }
}
