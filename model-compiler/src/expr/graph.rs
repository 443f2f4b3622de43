//! The arena: interning of nodes, symbols, stages, reachability.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::packed::Packed;
use super::{Binary, ExprId, Node, Number, Operands, Stage, Symbol, SymbolId};

/// A hash-consed expression graph. Identifiers ascend from operands to users, so arena order is evaluation order.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: IndexSet<Packed, FxBuildHasher>,
    stages: Vec<Stage>,
    /// The constants, each once.
    numbers: IndexSet<Number, FxBuildHasher>,
    /// Shared by the copies of a graph, of which simplification makes thousands.
    symbols: Arc<Symbols>,
    symbol_exprs: Vec<ExprId>,
    /// Derivatives keep the poles that they have at corners.
    keeps_poles: bool,
}

#[derive(Clone, Debug, Default)]
struct Symbols {
    list: Vec<Symbol>,
    by_name: FxHashMap<String, SymbolId>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Whether derivatives keep the poles that they have at corners, and whether they did before.
    pub(crate) fn keep_poles(&mut self, keeps_poles: bool) -> bool {
        std::mem::replace(&mut self.keeps_poles, keeps_poles)
    }

    /// Whether derivatives keep the poles that they have at corners.
    pub(super) fn keeps_poles(&self) -> bool {
        self.keeps_poles
    }

    /// An empty graph with the symbols of another, under the same [`SymbolId`]s.
    pub(crate) fn with_symbols_of(other: &Graph) -> Graph {
        let mut graph = Graph { symbols: Arc::clone(&other.symbols), ..Graph::new() };
        graph.nodes.reserve(other.len());
        graph.stages.reserve(other.len());
        for (index, symbol) in other.symbols().iter().enumerate() {
            graph.push_symbol(SymbolId(index as u32), symbol.stage);
        }
        graph
    }

    /// The symbol of this name; declared at `stage` when it is new, else as it was declared.
    pub fn symbol(&mut self, name: &str, stage: Stage) -> ExprId {
        if let Some(symbol) = self.find_symbol(name) {
            return self.symbol_expr(symbol);
        }
        let symbol = SymbolId(self.symbols().len() as u32);
        let symbols = Arc::make_mut(&mut self.symbols);
        symbols.list.push(Symbol { name: name.to_owned(), stage });
        symbols.by_name.insert(name.to_owned(), symbol);
        self.push_symbol(symbol, stage)
    }

    fn push_symbol(&mut self, symbol: SymbolId, stage: Stage) -> ExprId {
        let (index, _) = self.nodes.insert_full(Packed::symbol(symbol));
        let expr = ExprId(index as u32);
        self.stages.push(stage);
        self.symbol_exprs.push(expr);
        expr
    }

    /// All symbols, in the order of declaration.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols.list
    }

    /// The stage of each symbol.
    pub(crate) fn stages_of_symbols(&self) -> impl Iterator<Item = Stage> + '_ {
        self.symbols().iter().map(|symbol| symbol.stage)
    }

    /// The node of a symbol.
    pub(crate) fn symbol_expr(&self, symbol: SymbolId) -> ExprId {
        self.symbol_exprs[symbol.index()]
    }

    /// The symbol of this name, if it is declared.
    pub(crate) fn find_symbol(&self, name: &str) -> Option<SymbolId> {
        self.symbols.by_name.get(name).copied()
    }

    /// The node behind an identifier.
    pub fn node(&self, id: ExprId) -> Node {
        self.unpack(self.nodes[id.index()])
    }

    fn unpack(&self, packed: Packed) -> Node {
        packed.node(|index| self.numbers[index])
    }

    /// The operands of a node, from left to right.
    pub(crate) fn operands(&self, id: ExprId) -> Operands {
        self.nodes[id.index()].operands()
    }

    /// All nodes with their identifiers, operands before users.
    pub fn nodes(&self) -> impl Iterator<Item = (ExprId, Node)> + '_ {
        self.nodes_from(0)
    }

    /// The nodes from a position in the arena on.
    pub(crate) fn nodes_from(&self, first: usize) -> impl Iterator<Item = (ExprId, Node)> + '_ {
        (first..self.len()).map(|index| (ExprId(index as u32), self.unpack(self.nodes[index])))
    }

    /// Number of nodes, reachable or not.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The constant behind a node.
    pub(crate) fn as_number(&self, id: ExprId) -> Option<Number> {
        self.nodes[id.index()].number().map(|index| self.numbers[index])
    }

    /// Whether the node is the constant 0; structural zeros are exactly these.
    pub fn is_zero(&self, id: ExprId) -> bool {
        self.as_number(id).is_some_and(Number::is_zero)
    }

    /// When the value of a node becomes known.
    pub fn stage(&self, id: ExprId) -> Stage {
        self.stages[id.index()]
    }

    /// Whether the node is computed in every step, and not once per model.
    pub(crate) fn is_hot(&self, id: ExprId) -> bool {
        self.stage(id) > Stage::Parameter
    }

    /// The nodes that `roots` are made of, themselves included, ascending.
    pub(crate) fn reachable(&self, roots: &[ExprId]) -> Vec<ExprId> {
        if let Some(few) = self.few_reachable(roots) {
            return few;
        }
        let is_reached = self.reached(roots);
        (0..self.nodes.len() as u32).map(ExprId).filter(|id| is_reached[id.index()]).collect()
    }

    /// The factors of a product with their exponents, in the order in which they first occur, numbers before all others.
    pub(crate) fn factors(&self, product: ExprId) -> Vec<(ExprId, u32)> {
        let mut factors: Vec<(ExprId, u32)> = Vec::new();
        let mut pending = vec![product];
        while let Some(id) = pending.pop() {
            if let Node::Binary(Binary::Mul, a, b) = self.node(id) {
                pending.extend([b, a]);
            } else if let Some(known) = factors.iter_mut().find(|(factor, _)| *factor == id) {
                known.1 += 1;
            } else {
                factors.push((id, 1));
            }
        }
        factors.sort_by_key(|&(factor, _)| self.as_number(factor).is_none());
        factors
    }

    /// For every node how many nodes reachable from `roots`, and how many roots, use it.
    pub(crate) fn use_counts(&self, roots: &[ExprId]) -> Vec<u32> {
        let mut counts = vec![0; self.nodes.len()];
        for id in self.reachable(roots) {
            for operand in self.operands(id) {
                counts[operand.index()] += 1;
            }
        }
        for root in roots {
            counts[root.index()] += 1;
        }
        counts
    }

    /// The nodes below `roots` where they are few of the graph's, so that asking for each of many small expressions takes
    /// no more than all of them together.
    fn few_reachable(&self, roots: &[ExprId]) -> Option<Vec<ExprId>> {
        /// Nodes that are looked at one by one in the time of so many that are passed over.
        const COST: usize = 32;
        let most = self.nodes.len() / COST;
        let mut seen = FxHashSet::default();
        let mut pending = Vec::new();
        for &root in roots {
            if seen.insert(root) {
                pending.push(root);
            }
            if seen.len() > most {
                return None;
            }
        }
        while let Some(id) = pending.pop() {
            pending.extend(self.operands(id).filter(|operand| seen.insert(*operand)));
            if seen.len() > most {
                return None;
            }
        }
        let mut nodes: Vec<ExprId> = seen.into_iter().collect();
        nodes.sort_unstable();
        Some(nodes)
    }

    fn reached(&self, roots: &[ExprId]) -> Vec<bool> {
        let mut is_reached = vec![false; self.nodes.len()];
        for root in roots {
            is_reached[root.index()] = true;
        }
        // Users come after their operands.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if is_reached[index] {
                for operand in node.operands() {
                    is_reached[operand.index()] = true;
                }
            }
        }
        is_reached
    }

    /// The node as it stands, without any of the identities of the constructors.
    pub(crate) fn intern(&mut self, node: Node) -> ExprId {
        if let Node::Symbol(symbol) = node {
            return self.symbol_expr(symbol);
        }
        let packed = Packed::new(node, |number| self.numbers.insert_full(number).0);
        let (index, is_new) = self.nodes.insert_full(packed);
        if is_new {
            // Numbers have no operands and the first stage.
            let stage = packed.operands().map(|operand| self.stage(operand)).max().unwrap_or_default();
            self.stages.push(stage);
        }
        ExprId(index as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one_node() {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Velocity));
        let (left, right) = (graph.add(x, y), graph.add(y, x));
        assert_eq!(left, right);
        assert_eq!(graph.symbol("x", Stage::Time), x);
        assert_eq!(graph.stage(left), Stage::Velocity);
    }

    #[test]
    fn reachable_nodes_ascend_and_leave_out_the_rest() {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Position));
        let sum = graph.add(x, y);
        let unrelated = graph.sin(y);
        assert_eq!(graph.reachable(&[sum]), vec![x, y, sum]);
        assert_eq!(graph.reachable(&[unrelated]), vec![y, unrelated]);
    }
}
