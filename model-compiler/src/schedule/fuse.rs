//! Which product every sum absorbs, where a product and a sum are one operation.
//!
//! A product is absorbed if nobody else uses it. Of two the one whose factors arrive last is taken, because the other
//! has time to be computed before. [`balance_fused`](crate::simplify::balance_fused) has put sums into an order in which
//! this loses no time.

use rustc_hash::FxHashMap;

use crate::expr::cost::{FUSED_LATENCY, latency_of};
use crate::expr::{Binary, ExprId, Graph, Node};

/// The parts of `±x y ± addend`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fused {
    /// The product that is not computed on its own.
    pub product: ExprId,
    /// Its factors.
    pub factors: [ExprId; 2],
    /// What it is added to.
    pub addend: ExprId,
    /// Whether the product is subtracted.
    pub is_product_negative: bool,
    /// Whether the addend is subtracted.
    pub is_addend_negative: bool,
}

/// The sums among `nodes` that absorb a product; `nodes` ascend, and what `is_given` needs no computing.
pub(super) fn fused(
    graph: &Graph,
    nodes: &[ExprId],
    uses: &FxHashMap<ExprId, usize>,
    is_given: &dyn Fn(ExprId) -> bool,
) -> FxHashMap<ExprId, Fused> {
    let mut fused = FxHashMap::default();
    let mut arrivals: FxHashMap<ExprId, u32> = FxHashMap::default();
    for &id in nodes.iter().filter(|&&id| !is_given(id)) {
        let node = graph.node(id);
        let latest = |operands: &[ExprId]| operands.iter().filter_map(|x| arrivals.get(x)).max().copied().unwrap_or(0);
        let is_absorbable = |product: ExprId| uses.get(&product) == Some(&1) && !is_given(product);
        let best = candidates(graph, node)
            .filter(|candidate| is_absorbable(candidate.product))
            .max_by_key(|candidate| latest(&candidate.factors));
        let arrival = match best {
            Some(Fused { factors: [x, y], addend, .. }) => latest(&[x, y, addend]) + FUSED_LATENCY,
            None => latest(&node.operands().collect::<Vec<_>>()) + latency_of(node),
        };
        arrivals.insert(id, arrival);
        if let Some(best) = best {
            fused.insert(id, best);
        }
    }
    fused
}

/// The ways of seeing a node as a product and something added.
fn candidates(graph: &Graph, node: Node) -> impl Iterator<Item = Fused> {
    let ways = match node {
        Node::Binary(Binary::Add, a, b) => [Some((a, b, false, false)), Some((b, a, false, false))],
        Node::Binary(Binary::Sub, a, b) => [Some((a, b, false, true)), Some((b, a, true, false))],
        _ => [None; 2],
    };
    ways.into_iter().flatten().filter_map(|(product, addend, is_product_negative, is_addend_negative)| {
        match graph.node(product) {
            Node::Binary(Binary::Mul, x, y) => {
                Some(Fused { product, factors: [x, y], addend, is_product_negative, is_addend_negative })
            }
            _ => None,
        }
    })
}
