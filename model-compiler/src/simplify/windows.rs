//! Windows: neighbouring operations of a function, processed separately by passes that take more than linear time.
//!
//! Depth first from the roots, a window contains operations of one result; level by level, operations of all results.

use crate::expr::{ExprId, Graph};

/// Consecutive operations of a function, operands before users.
pub(super) struct Window<'w> {
    pub(super) operations: &'w [ExprId],
    /// Those that later windows use, or that are roots.
    pub(super) outputs: Vec<ExprId>,
}

/// Which operations are neighbours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Order {
    /// Operands and their user.
    DepthFirst,
    /// Operations at the end of equally long chains.
    ByLevel,
}

/// The windows of a function, those with operands before those with users.
pub(super) struct Windows {
    operations: Vec<ExprId>,
    /// The position of the last user of a node.
    last_user: Vec<usize>,
}

impl Windows {
    pub(super) fn new(graph: &Graph, roots: &[ExprId], order: Order) -> Windows {
        let mut operations = depth_first_operations(graph, roots);
        if order == Order::ByLevel {
            let mut levels = vec![0_usize; graph.len()];
            for &id in &operations {
                let below = graph.operands(id).map(|operand| levels[operand.index()]).max();
                levels[id.index()] = below.unwrap_or(0) + 1;
            }
            operations.sort_by_key(|id| levels[id.index()]);
        }
        let mut last_user = vec![0; graph.len()];
        for (position, &id) in operations.iter().enumerate() {
            for operand in graph.operands(id) {
                last_user[operand.index()] = position;
            }
        }
        for root in roots {
            last_user[root.index()] = usize::MAX;
        }
        Windows { operations, last_user }
    }

    /// Number of operations.
    pub(super) fn len(&self) -> usize {
        self.operations.len()
    }

    /// Windows of `size` operations, the first of which has `first`.
    pub(super) fn iter(&self, first: usize, size: usize) -> impl Iterator<Item = Window<'_>> {
        let (head, tail) = self.operations.split_at(first.min(self.operations.len()));
        let chunks = std::iter::once(head).filter(|head| !head.is_empty()).chain(tail.chunks(size.max(1)));
        let mut end = 0;
        chunks.map(move |operations| {
            end += operations.len();
            let is_output = |id: &ExprId| self.last_user[id.index()] >= end;
            Window { operations, outputs: operations.iter().copied().filter(is_output).collect() }
        })
    }
}

/// Everything that is computed in every step, operands before users and close to them.
fn depth_first_operations(graph: &Graph, roots: &[ExprId]) -> Vec<ExprId> {
    let mut order = Vec::new();
    let mut is_reached = vec![false; graph.len()];
    let mut pending: Vec<(ExprId, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
    while let Some((id, is_complete)) = pending.pop() {
        if is_complete {
            order.push(id);
            continue;
        }
        let node = graph.node(id);
        if node.is_leaf() || !graph.is_hot(id) || std::mem::replace(&mut is_reached[id.index()], true) {
            continue;
        }
        pending.push((id, true));
        let operands: Vec<ExprId> = node.operands().collect();
        pending.extend(operands.into_iter().rev().map(|operand| (operand, false)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::simplify::fixture::random_function;

    #[test]
    fn windows_cover_all_operations_and_announce_what_others_need() {
        let (graph, roots) = random_function(&mut Random(7));
        let borders = [(0, 1), (3, 7), (0, 1_000)];
        let orders = [Order::DepthFirst, Order::ByLevel];
        for (order, (first, size)) in orders.into_iter().flat_map(|order| borders.map(|borders| (order, borders))) {
            let windows = Windows::new(&graph, &roots, order);
            let mut known: Vec<ExprId> = Vec::new();
            let mut count = 0;
            for Window { operations, outputs } in windows.iter(first, size) {
                count += operations.len();
                for operand in operations.iter().flat_map(|&id| graph.operands(id)) {
                    let is_free = graph.node(operand).is_leaf() || !graph.is_hot(operand);
                    assert!(is_free || operations.contains(&operand) || known.contains(&operand));
                }
                known.extend(outputs);
            }
            assert_eq!(count, windows.len());
            assert!(roots.iter().all(|root| known.contains(root) || !graph.is_hot(*root)));
        }
    }
}
