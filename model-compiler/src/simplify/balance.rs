//! Sums and products in the order in which their operands become available.
//!
//! A chain a + b + c + d waits for each addition; a tree that first adds what is available first shortens the longest
//! chain of a function without changing the number of operations. Only chains whose inner results are not used
//! elsewhere are reordered.
//!
//! Where a product and a sum are one operation, a product that only its sum uses takes no extra time: it is added when
//! its factors are available.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::cost::{FUSED_LATENCY, latency_of};
use crate::expr::{Binary, ExprId, Graph, Node};

/// Rebuilds all chains as trees balanced by the time at which operands are available.
pub(super) fn balance(graph: &Graph, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
    rebuilt(graph, roots, false)
}

/// The same for products that are computed together with their sum.
pub fn balance_fused(graph: &Graph, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
    rebuilt(graph, roots, true)
}

fn rebuilt(graph: &Graph, roots: &[ExprId], is_fused: bool) -> (Graph, Vec<ExprId>) {
    let order = graph.reachable(roots);
    let mut balancing = Balancing {
        source: graph,
        uses: is_fused.then(|| graph.use_counts(roots)),
        fused: BTreeMap::new(),
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
                // A part that is known at an earlier stage must stay together to be computed at that stage.
                let is_simultaneous = graph.stage(operand) == graph.stage(id);
                is_inner[operand.index()] = continues && is_simultaneous && uses[operand.index()] == 1;
            }
        }
    }
    is_inner
}

struct Balancing<'g> {
    source: &'g Graph,
    /// How often every node is used, if products are fused.
    uses: Option<Vec<u32>>,
    /// Sums of the output with the product that each absorbs.
    fused: BTreeMap<ExprId, ExprId>,
    is_inner: Vec<bool>,
    output: Graph,
    images: Vec<Option<ExprId>>,
    /// When each node of the output is ready, in clock cycles.
    arrivals: Vec<u32>,
}

/// A summand or factor that waits for its partner, ordered by time of availability, then by age.
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

    /// Combines the two parts that are available first, until one remains.
    fn rebuild_chain(&mut self, id: ExprId, chain: Chain) -> ExprId {
        let (mut values, mut products) = (BTreeSet::new(), BTreeSet::new());
        let mut age = 0;
        for (is_negative, part) in self.parts(id) {
            let value = self.image(part);
            match self.factors_arrival(part, value).filter(|_| chain == Chain::Sum) {
                Some(arrival) => products.insert(Part { arrival, age, is_negative, value }),
                None => values.insert(Part { arrival: self.arrival(value), age, is_negative, value }),
            };
            age += 1;
        }
        if values.is_empty() {
            // The first of several products is not added to anything.
            values.extend(products.pop_first().map(|first| Part { arrival: self.arrival(first.value), ..first }));
        }
        loop {
            let Some(first) = values.pop_first() else { return self.output.zero() };
            let is_fused = products.first().is_some_and(|product| values.first().is_none_or(|value| product < value));
            let next = if is_fused { products.pop_first() } else { values.pop_first() };
            let Some(second) = next else {
                return if first.is_negative { self.output.neg(first.value) } else { first.value };
            };
            let (value, is_negative) = self.combine(chain, first, second);
            if is_fused {
                self.fused.insert(value, second.value);
            }
            values.insert(Part { arrival: self.arrival(value), age, is_negative, value });
            age += 1;
        }
    }

    /// When the factors of a product that its sum can absorb are available.
    fn factors_arrival(&mut self, part: ExprId, image: ExprId) -> Option<u32> {
        let is_used_once = self.uses.as_ref().is_some_and(|uses| uses[part.index()] == 1);
        match self.output.node(image) {
            Node::Binary(Binary::Mul, a, b) if is_used_once && self.output.is_hot(image) => {
                Some(self.arrival(a).max(self.arrival(b)))
            }
            _ => None,
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
        for (node_id, node) in self.output.nodes_from(self.arrivals.len()) {
            let arrivals = &self.arrivals;
            let latest = |node: Node| node.operands().map(|operand| arrivals[operand.index()]).max().unwrap_or(0);
            let arrival = match self.fused.get(&node_id) {
                _ if !self.output.is_hot(node_id) => 0,
                Some(&product) => {
                    let addends = node.operands().filter(|&operand| operand != product);
                    let addend = addends.map(|operand| arrivals[operand.index()]).max().unwrap_or(0);
                    latest(self.output.node(product)).max(addend) + FUSED_LATENCY
                }
                None => latest(node) + latency_of(node),
            };
            self.arrivals.push(arrival);
        }
        self.arrivals[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::cost::critical_path;
    use crate::expr::field::are_equal;
    use crate::expr::{Operations, Stage};

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
    fn products_wait_for_nothing_but_their_sum() {
        let mut graph = Graph::new();
        let symbols: Vec<ExprId> = (0..9).map(|k| graph.symbol(&format!("x{k}"), Stage::Position)).collect();
        let products: Vec<ExprId> = symbols.windows(2).map(|pair| graph.mul(pair[0], pair[1])).collect();
        let product = graph.mul(symbols[8], symbols[0]);
        let late = graph.sum(&products);
        let root = graph.sub(product, late);
        let (balanced, roots) = balance_fused(&graph, &[root]);
        assert!(are_equal((&graph, &[root]), (&balanced, &roots)));
        assert_eq!(Operations::of(&balanced, &roots), Operations::of(&graph, &[root]));
        let again = balance_fused(&graph, &[root]);
        assert!(again.0.nodes().eq(balanced.nodes()));
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
