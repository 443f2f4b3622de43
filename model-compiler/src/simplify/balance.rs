//! Sums and products in the order in which their operands arrive.
//!
//! A chain a + b + c + d waits for every addition; a tree that adds what is known first shortens the longest chain of a
//! function without changing the number of operations. Only chains whose inner results nobody else uses are reordered.

use std::collections::BTreeSet;

use super::cost::latency_of;
use crate::expr::{Binary, ExprId, Graph, Node};

/// Rebuilds all chains as trees balanced by arrival.
pub(super) fn balance(graph: &Graph, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
    let order = graph.reachable(roots);
    let mut balancing = Balancing {
        source: graph,
        is_inner: inner_nodes(graph, roots, &order),
        output: Graph::with_symbols_of(graph),
        images: vec![None; graph.len()],
        arrivals: Vec::new(),
    };
    for id in order {
        if !balancing.is_inner[id.index()] {
            let image = balancing.rebuild(id);
            balancing.images[id.index()] = Some(image);
        }
    }
    let new_roots: Vec<ExprId> = roots.iter().map(|&root| balancing.image(root)).collect();
    balancing.output.compact(&new_roots)
}

/// Kinds of chains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    Sum,
    Product,
}

impl Chain {
    fn of(node: Node) -> Option<Chain> {
        match node {
            Node::Binary(Binary::Add | Binary::Sub, ..) => Some(Chain::Sum),
            Node::Binary(Binary::Mul, ..) => Some(Chain::Product),
            _ => None,
        }
    }
}

/// Nodes that are used once, by a node of the same chain and the same stage.
fn inner_nodes(graph: &Graph, roots: &[ExprId], order: &[ExprId]) -> Vec<bool> {
    let uses = graph.use_counts(roots);
    let mut is_inner = vec![false; graph.len()];
    for &id in order {
        let node = graph.node(id);
        if let Some(chain) = Chain::of(node) {
            for operand in node.operands() {
                let continues = Chain::of(graph.node(operand)) == Some(chain);
                // A part that is known earlier must stay together, or it could not be computed earlier.
                let is_simultaneous = graph.stage(operand) == graph.stage(id);
                is_inner[operand.index()] = continues && is_simultaneous && uses[operand.index()] == 1;
            }
        }
    }
    is_inner
}

struct Balancing<'g> {
    source: &'g Graph,
    is_inner: Vec<bool>,
    output: Graph,
    images: Vec<Option<ExprId>>,
    /// When each node of the output is ready, in clock cycles.
    arrivals: Vec<u32>,
}

/// A summand, or a factor, that waits for its partner. Ordered by arrival, then by age.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    arrival: u32,
    age: usize,
    is_negative: bool,
    value: ExprId,
}

impl Balancing<'_> {
    fn image(&self, id: ExprId) -> ExprId {
        self.images[id.index()].expect("operands are rebuilt before their users")
    }

    fn rebuild(&mut self, id: ExprId) -> ExprId {
        let node = self.source.node(id);
        match (Chain::of(node), node) {
            (Some(chain), _) => self.rebuild_chain(id, chain),
            (None, Node::Symbol(symbol)) => self.output.symbol_expr(symbol),
            (None, _) => {
                let node = node.map(|operand| self.image(operand));
                self.output.build(node)
            }
        }
    }

    /// Combines the two parts that arrive first, until one is left.
    fn rebuild_chain(&mut self, id: ExprId, chain: Chain) -> ExprId {
        let mut waiting: BTreeSet<Part> = BTreeSet::new();
        for (is_negative, part) in self.parts(id) {
            let value = self.image(part);
            let arrival = self.arrival(value);
            waiting.insert(Part { arrival, age: waiting.len(), is_negative, value });
        }
        let mut age = waiting.len();
        loop {
            let Some(first) = waiting.pop_first() else { return self.output.zero() };
            let Some(second) = waiting.pop_first() else {
                return if first.is_negative { self.output.neg(first.value) } else { first.value };
            };
            let (value, is_negative) = self.combine(chain, first, second);
            let arrival = self.arrival(value);
            waiting.insert(Part { arrival, age, is_negative, value });
            age += 1;
        }
    }

    fn combine(&mut self, chain: Chain, a: Part, b: Part) -> (ExprId, bool) {
        match (chain, a.is_negative, b.is_negative) {
            (Chain::Product, _, _) => (self.output.mul(a.value, b.value), false),
            (Chain::Sum, false, true) => (self.output.sub(a.value, b.value), false),
            (Chain::Sum, true, false) => (self.output.sub(b.value, a.value), false),
            (Chain::Sum, is_negative, _) => (self.output.add(a.value, b.value), is_negative),
        }
    }

    /// The ends of a chain, from left to right, with their signs.
    fn parts(&self, id: ExprId) -> Vec<(bool, ExprId)> {
        let mut parts = Vec::new();
        let mut pending = vec![(false, id)];
        while let Some((is_negative, part)) = pending.pop() {
            match self.source.node(part) {
                Node::Binary(op @ (Binary::Add | Binary::Sub | Binary::Mul), a, b)
                    if part == id || self.is_inner[part.index()] =>
                {
                    pending.push((is_negative ^ (op == Binary::Sub), b));
                    pending.push((is_negative, a));
                }
                _ => parts.push((is_negative, part)),
            }
        }
        parts
    }

    fn arrival(&mut self, id: ExprId) -> u32 {
        for (node_id, node) in self.output.nodes().skip(self.arrivals.len()) {
            let start = node.operands().map(|operand| self.arrivals[operand.index()]).max().unwrap_or(0);
            let latency = if self.output.is_hot(node_id) { latency_of(node) } else { 0 };
            self.arrivals.push(start + latency);
        }
        self.arrivals[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Operations, Stage};
    use crate::simplify::cost::critical_path;
    use crate::simplify::field::are_equal;

    #[test]
    fn shortens_chains_without_new_operations() {
        let mut graph = Graph::new();
        let symbols: Vec<ExprId> = (0..8).map(|k| graph.symbol(&format!("x{k}"), Stage::Position)).collect();
        let sum = symbols.iter().skip(1).fold(symbols[0], |sum, &x| graph.sub(sum, x));
        let product = graph.product(&symbols);
        let roots = [sum, product];
        let (balanced, balanced_roots) = balance(&graph, &roots);
        assert_eq!(Operations::of(&balanced, &balanced_roots), Operations::of(&graph, &roots));
        assert!(are_equal((&graph, &roots), (&balanced, &balanced_roots)));
        assert_eq!(critical_path(&graph, &roots), 28);
        assert_eq!(critical_path(&balanced, &balanced_roots), 12);
    }

    #[test]
    fn keeps_parameters_together() {
        let mut graph = Graph::new();
        let parameters: Vec<ExprId> = (0..4).map(|k| graph.symbol(&format!("p{k}"), Stage::Parameter)).collect();
        let x = graph.symbol("x", Stage::Position);
        let factor = graph.product(&parameters);
        let root = graph.mul(factor, x);
        let (balanced, roots) = balance(&graph, &[root]);
        assert_eq!(Operations::hot(&balanced, &roots).muls, 1);
    }
}
