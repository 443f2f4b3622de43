//! What an expression costs to evaluate: the weight W to minimise, and the latency of the longest chain.

use super::{Binary, ExprId, Graph, Node, Operations, Unary};

/// The weight of one operation, as [`Operations::weight`] has it for lone functions.
pub(crate) fn weight_of(node: Node) -> u32 {
    match node {
        Node::Number(_) | Node::Symbol(_) => 0,
        Node::Unary(op, _) => weight_of_unary(op),
        Node::Binary(op, ..) => weight_of_binary(op),
        Node::Select { .. } => 1,
    }
}

pub(crate) fn weight_of_unary(op: Unary) -> u32 {
    match op {
        Unary::Neg | Unary::Abs | Unary::Sign => 1,
        Unary::Sqrt => 12,
        _ => 40,
    }
}

pub(crate) fn weight_of_binary(op: Binary) -> u32 {
    match op {
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max => 1,
        Binary::Div => 8,
        Binary::Atan2 | Binary::Power => 40,
    }
}

/// The weight of what is evaluated in every step.
pub(crate) fn hot_weight(graph: &Graph, roots: &[ExprId]) -> u64 {
    Operations::hot(graph, roots).weight()
}

/// Clock cycles from operands to result on current x86-64 processors.
pub(crate) fn latency_of(node: Node) -> u32 {
    match node {
        Node::Number(_) | Node::Symbol(_) => 0,
        Node::Unary(Unary::Neg | Unary::Abs | Unary::Sign, _) => 1,
        Node::Unary(Unary::Sqrt, _) => 18,
        Node::Unary(..) => 50,
        Node::Binary(Binary::Add | Binary::Sub, ..) => 3,
        Node::Binary(Binary::Mul | Binary::Min | Binary::Max, ..) | Node::Select { .. } => 4,
        Node::Binary(Binary::Div, ..) => 14,
        Node::Binary(Binary::Atan2 | Binary::Power, ..) => 50,
    }
}

/// Clock cycles of a product and a sum in one operation.
pub(crate) const FUSED_LATENCY: u32 = 4;

/// Clock cycles of the longest chain of operations that are done in every step.
pub(crate) fn critical_path(graph: &Graph, roots: &[ExprId]) -> u32 {
    let mut arrival = vec![0; graph.len()];
    for id in graph.reachable(roots) {
        if graph.is_hot(id) {
            let node = graph.node(id);
            let start = node.operands().map(|operand| arrival[operand.index()]).max().unwrap_or(0);
            arrival[id.index()] = start + latency_of(node);
        }
    }
    roots.iter().map(|root| arrival[root.index()]).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;
    use crate::random::Random;
    use crate::simplify::fixture::random_function;

    #[test]
    fn weights_of_nodes_add_up_to_the_weight_of_the_function() {
        let (graph, roots) = random_function(&mut Random(7));
        let hot = graph.reachable(&roots).into_iter().filter(|&id| graph.is_hot(id));
        let sum: u64 = hot.map(|id| u64::from(weight_of(graph.node(id)))).sum();
        let pairs = Operations::hot(&graph, &roots).pairs;
        assert_eq!(sum - 25 * pairs, hot_weight(&graph, &roots));
    }

    #[test]
    fn the_critical_path_leaves_out_what_parameters_determine() {
        let mut graph = Graph::new();
        let (x, m) = (graph.symbol("x", Stage::Position), graph.symbol("m", Stage::Parameter));
        let root = graph.sqrt(m);
        let product = graph.mul(root, x);
        let sum = graph.add(product, x);
        assert_eq!(critical_path(&graph, &[sum]), 7);
    }
}
