//! Sums of products from a graph; the [`Form`] determines how much of it is written out.

use super::expand;
use super::polynomial::{Literal, Polynomials, SumId, Term};
use crate::expr::{Binary, ExprId, Graph, Node, Number, Unary};

/// How much of the graph's sharing is given up when sums of products are formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Shared expressions stay shared.
    Derived,
    /// Shared sums of a few short terms are written out where they are used.
    Inlined {
        /// The largest number of terms to write out.
        terms: usize,
    },
    /// Products of sums are multiplied out and like terms collected.
    Expanded {
        /// The largest number of terms to multiply out to.
        terms: usize,
        /// Whether squares of sines (or of cosines) are replaced by 1 minus the other's where that saves terms.
        reduce_squares: bool,
    },
}

impl Polynomials {
    /// The sums of products behind `roots`.
    pub(super) fn from_graph(graph: &Graph, roots: &[ExprId], form: Form) -> Polynomials {
        // Without a limit there is always a result.
        Polynomials::within(graph, roots, form, usize::MAX).unwrap_or_else(|| unreachable!("no limit is exceeded"))
    }

    /// The same, if their [`Self::size`] is within a limit.
    pub(super) fn within(graph: &Graph, roots: &[ExprId], form: Form, limit: usize) -> Option<Polynomials> {
        let mut polynomials = Polynomials::default();
        let reader = Reader { graph, form, uses: graph.use_counts(roots), values: vec![Vec::new(); graph.len()] };
        let is_small = reader.read(roots, &mut polynomials, limit) && polynomials.size() <= limit;
        is_small.then_some(polynomials)
    }
}

/// Reads a graph into sums of products.
struct Reader<'g> {
    graph: &'g Graph,
    form: Form,
    uses: Vec<u32>,
    values: Vec<Vec<Term>>,
}

impl Reader<'_> {
    /// Whether all could be read before the sums became much larger than a limit.
    fn read(mut self, roots: &[ExprId], polynomials: &mut Polynomials, limit: usize) -> bool {
        for id in self.graph.reachable(roots) {
            let mut terms = self.terms(id, polynomials);
            if let Form::Expanded { reduce_squares, .. } = self.form {
                terms = expand::collect(terms, polynomials);
                if reduce_squares {
                    terms = expand::reduce_squares(terms, polynomials);
                }
            }
            self.values[id.index()] = cancel_opposite(terms);
            // Part of the terms read may cancel.
            if polynomials.interned_size / 2 > limit {
                return false;
            }
        }
        polynomials.roots = roots.iter().map(|root| polynomials.intern_sum(&self.values[root.index()])).collect();
        true
    }

    fn terms(&self, id: ExprId, polynomials: &mut Polynomials) -> Vec<Term> {
        let stage = self.graph.stage(id);
        let function = |literal: Literal, polynomials: &mut Polynomials| {
            vec![Term::new(false, vec![polynomials.literal(literal, stage)])]
        };
        match self.graph.node(id) {
            Node::Number(number) => number_terms(number, polynomials),
            Node::Symbol(symbol) => function(Literal::Symbol(symbol), polynomials),
            Node::Unary(Unary::Neg, a) => self.view(a, polynomials).into_iter().map(Term::negated).collect(),
            Node::Unary(op, a) => {
                let literal = Literal::Unary(op, self.sum(a, polynomials));
                function(literal, polynomials)
            }
            Node::Binary(Binary::Add, a, b) => {
                let mut terms = self.view(a, polynomials);
                terms.extend(self.view(b, polynomials));
                terms
            }
            Node::Binary(Binary::Sub, a, b) => {
                let mut terms = self.view(a, polynomials);
                terms.extend(self.view(b, polynomials).into_iter().map(Term::negated));
                terms
            }
            Node::Binary(Binary::Mul, a, b) => self.product(a, b, polynomials),
            Node::Binary(Binary::Div, a, b) => {
                let divisor = self.sum(b, polynomials);
                let reciprocal = polynomials.literal(Literal::Reciprocal(divisor), self.graph.stage(b));
                let numerator = self.view(a, polynomials);
                let numerator = as_one_term(numerator, polynomials);
                vec![numerator.times(&Term::new(false, vec![reciprocal]))]
            }
            Node::Binary(op, a, b) => {
                let literal = Literal::Binary(op, self.sum(a, polynomials), self.sum(b, polynomials));
                function(literal, polynomials)
            }
            Node::Select { lhs, rhs, then, otherwise } => {
                let literal = Literal::Select([lhs, rhs, then, otherwise].map(|part| self.sum(part, polynomials)));
                function(literal, polynomials)
            }
        }
    }

    fn product(&self, a: ExprId, b: ExprId, polynomials: &mut Polynomials) -> Vec<Term> {
        if let Form::Expanded { terms, .. } = self.form {
            let (left, right) = (&self.values[a.index()], &self.values[b.index()]);
            let count = left.len() * right.len();
            if count > 1 && count <= terms {
                return left.iter().flat_map(|x| right.iter().map(|y| x.times(y))).collect();
            }
        }
        let (left, right) = (self.view(a, polynomials), self.view(b, polynomials));
        let left = as_one_term(left, polynomials);
        vec![left.times(&as_one_term(right, polynomials))]
    }

    fn sum(&self, id: ExprId, polynomials: &mut Polynomials) -> SumId {
        polynomials.intern_sum(&self.values[id.index()])
    }

    /// The terms of a node inside another; a shared one stays a literal unless the form writes it out.
    fn view(&self, id: ExprId, polynomials: &mut Polynomials) -> Vec<Term> {
        let terms = &self.values[id.index()];
        let is_single_literal = terms.len() == 1 && terms[0].cube.len() <= 1;
        if is_single_literal || self.uses[id.index()] <= 1 || self.writes_out(terms) {
            return terms.clone();
        }
        let sum = polynomials.intern_sum(terms);
        vec![Term::new(false, vec![polynomials.sum_literal(sum)])]
    }

    fn writes_out(&self, terms: &[Term]) -> bool {
        const MAX_INLINED_FACTORS: usize = 3;
        match self.form {
            Form::Derived => false,
            Form::Inlined { terms: limit } => {
                terms.len() <= limit && terms.iter().all(|term| term.cube.len() <= MAX_INLINED_FACTORS)
            }
            Form::Expanded { terms: limit, .. } => terms.len() <= limit,
        }
    }
}

/// A monomial as it is, anything else as the literal of a sum.
fn as_one_term(mut terms: Vec<Term>, polynomials: &mut Polynomials) -> Term {
    if terms.len() == 1
        && let Some(term) = terms.pop()
    {
        return term;
    }
    let sum = polynomials.intern_sum(&terms);
    Term::new(false, vec![polynomials.sum_literal(sum)])
}

fn number_terms(number: Number, polynomials: &mut Polynomials) -> Vec<Term> {
    if number.is_zero() {
        return Vec::new();
    }
    let magnitude = number.abs();
    let cube = if magnitude.is_one() { Vec::new() } else { vec![polynomials.number_literal(magnitude)] };
    vec![Term::new(number.is_negative(), cube)]
}

fn cancel_opposite(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_unstable();
    let mut kept: Vec<Term> = Vec::with_capacity(terms.len());
    for term in terms {
        let opposite = kept.iter().position(|other| other.cube == term.cube && other.is_negative != term.is_negative);
        match opposite {
            Some(position) => {
                kept.remove(position);
            }
            None => kept.push(term),
        }
    }
    kept
}
