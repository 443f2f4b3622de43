//! Operation counts and the weighted cost W that simplification minimises.

use std::fmt;

use super::{Binary, ExprId, Graph, Node, Unary};

/// Operations by kind; every shared expression counts once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operations {
    /// Additions and subtractions.
    pub adds: u64,
    /// Multiplications.
    pub muls: u64,
    /// Negations.
    pub negs: u64,
    /// Divisions.
    pub divs: u64,
    /// Square roots.
    pub sqrts: u64,
    /// Sines and cosines.
    pub trig: u64,
    /// Arguments of which both sine and cosine are needed; included in `trig`.
    pub pairs: u64,
    /// Powers with an exponent that is no small integer.
    pub powers: u64,
    /// Absolute values, signs, minima, maxima and selections.
    pub selects: u64,
    /// All other functions.
    pub other: u64,
}

impl Operations {
    /// All operations of `roots`.
    pub fn of(graph: &Graph, roots: &[ExprId]) -> Operations {
        Operations::count(graph, graph.reachable(roots).into_iter())
    }

    /// The operations of `roots` that are not done once per model but in every evaluation.
    pub fn hot(graph: &Graph, roots: &[ExprId]) -> Operations {
        Operations::count(graph, graph.reachable(roots).into_iter().filter(|&id| graph.is_hot(id)))
    }

    /// The weighted cost W: about 0.1 ns per unit on a current processor.
    pub fn weight(&self) -> u64 {
        let functions = 40 * (self.trig + self.powers + self.other) - 25 * self.pairs;
        self.adds + self.muls + self.negs + self.selects + 8 * self.divs + 12 * self.sqrts + functions
    }

    /// Additions, multiplications, divisions and powers, as operation counts are given in the literature.
    pub fn arithmetic(&self) -> u64 {
        self.adds + self.muls + self.divs + self.powers
    }

    fn count(graph: &Graph, nodes: impl Iterator<Item = ExprId>) -> Operations {
        let mut operations = Operations::default();
        let mut sines = Vec::new();
        let mut cosines = Vec::new();
        for id in nodes {
            match graph.node(id) {
                Node::Number(_) | Node::Symbol(_) => {}
                Node::Unary(op, a) => {
                    match op {
                        Unary::Sin => sines.push(a),
                        Unary::Cos => cosines.push(a),
                        _ => {}
                    }
                    *operations.unary_counter(op) += 1;
                }
                Node::Binary(op, ..) => *operations.binary_counter(op) += 1,
                Node::Select { .. } => operations.selects += 1,
            }
        }
        cosines.sort_unstable();
        operations.pairs = sines.iter().filter(|&a| cosines.binary_search(a).is_ok()).count() as u64;
        operations
    }

    fn unary_counter(&mut self, op: Unary) -> &mut u64 {
        match op {
            Unary::Neg => &mut self.negs,
            Unary::Sin | Unary::Cos => &mut self.trig,
            Unary::Sqrt => &mut self.sqrts,
            Unary::Abs | Unary::Sign => &mut self.selects,
            Unary::Tan | Unary::Asin | Unary::Acos | Unary::Atan | Unary::Exp | Unary::Ln | Unary::Tanh => {
                &mut self.other
            }
        }
    }

    fn binary_counter(&mut self, op: Binary) -> &mut u64 {
        match op {
            Binary::Add | Binary::Sub => &mut self.adds,
            Binary::Mul => &mut self.muls,
            Binary::Div => &mut self.divs,
            Binary::Power => &mut self.powers,
            Binary::Min | Binary::Max => &mut self.selects,
            Binary::Atan2 => &mut self.other,
        }
    }
}

/// The kinds that occur, as in `12 add, 20 mul, 1 div`.
impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.adds, "add"),
            (self.muls, "mul"),
            (self.negs, "neg"),
            (self.divs, "div"),
            (self.sqrts, "sqrt"),
            (self.trig, "sin/cos"),
            (self.powers, "pow"),
            (self.selects, "select"),
            (self.other, "other"),
        ];
        let present: Vec<String> =
            kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
        f.write_str(if present.is_empty() { "none" } else { "" })?;
        f.write_str(&present.join(", "))
    }
}

/// Number of operations of `roots` written out without any sharing; saturates.
pub(crate) fn tree_size(graph: &Graph, roots: &[ExprId]) -> u64 {
    let mut sizes = vec![0_u64; graph.len()];
    for id in graph.reachable(roots) {
        let node = graph.node(id);
        let own = u64::from(!node.is_leaf());
        sizes[id.index()] = node.operands().fold(own, |size, operand| size.saturating_add(sizes[operand.index()]));
    }
    roots.iter().fold(0, |size, root| size.saturating_add(sizes[root.index()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;

    #[test]
    fn counts_shared_expressions_once_and_parameters_not_at_all() {
        let mut graph = Graph::new();
        let (m, x) = (graph.symbol("m", Stage::Parameter), graph.symbol("x", Stage::Position));
        let mm = graph.mul(m, m);
        let (sine, cosine) = (graph.sin(x), graph.cos(x));
        let product = graph.mul(sine, cosine);
        let scaled = graph.mul(mm, product);
        let root = graph.add(scaled, product);
        let hot = Operations::hot(&graph, &[root]);
        assert_eq!((hot.adds, hot.muls, hot.trig, hot.pairs), (1, 2, 2, 1));
        assert_eq!(hot.weight(), 1 + 2 + 80 - 25);
        assert_eq!(Operations::of(&graph, &[root]).muls, 3);
        assert_eq!(tree_size(&graph, &[root]), 9);
        assert_eq!(hot.to_string(), "1 add, 2 mul, 2 sin/cos");
    }
}
