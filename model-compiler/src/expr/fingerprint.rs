//! Merging of expressions that are equal as formulas but not as graphs.
//!
//! Every node is evaluated at two points of a finite field. A node whose value is known already becomes that earlier node,
//! its negative, or a constant; a node that is the sum, difference or product of two earlier nodes is computed from
//! these when that frees more work than it costs. Nodes known at an earlier stage count as earlier.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cost::weight_of;
use super::field::{Residue, values_at_point};
use super::{Binary, ExprId, Graph, Node, Number, Scalar, Unary};

/// Pairs of nodes that one pass may try: all of a function of ten thousand operations.
pub(crate) const MOST_PAIRS: usize = 100_000_000;

/// Merges until nothing changes, at most three times.
pub(crate) fn merge_equal(graph: &Graph, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
    Searched::within(MOST_PAIRS).merge(graph, roots)
}

/// What earlier searches in forms of the same function have found out.
///
/// Forms of a function have most of their values in common, and pairs of these need not be tried again.
pub(crate) struct Searched {
    /// Pairs of nodes that may be tried in a pass.
    most_pairs: usize,
    /// Values that nodes had.
    values: FxHashSet<Fingerprint>,
    /// Values for which no operation was found among those that were visited before them. An operation on a known value
    /// that comes later in one form and earlier in the next is missed, which costs a little and spoils nothing.
    unreachable: FxHashSet<Fingerprint>,
}

impl Searched {
    /// Nothing yet; a pass will try at most about this many pairs of nodes.
    ///
    /// In a function that has more, each node is tried with those visited last, which are likely to have to do with it.
    pub(crate) fn within(most_pairs: usize) -> Searched {
        Searched { most_pairs, values: FxHashSet::default(), unreachable: FxHashSet::default() }
    }

    /// Merges a form until nothing changes, at most three times.
    pub(crate) fn merge(&mut self, graph: &Graph, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
        const MAX_PASSES: usize = 3;
        let mut current = graph.compact(roots);
        for _ in 0..MAX_PASSES {
            let mut merge = Merge::new(&current.0, &current.1, self);
            merge.run();
            let is_done = merge.replaced == 0;
            let rebuilt = merge.rebuild();
            let first: Vec<Fingerprint> =
                merge.visited_first.iter().map(|visited| merge.prints[visited.id.index()]).collect();
            self.values.extend(first);
            current = rebuilt;
            if is_done {
                break;
            }
        }
        current
    }
}

/// The values of one node at both points.
type Fingerprint = [Residue; 2];

fn combine(a: Fingerprint, b: Fingerprint, op: impl Fn(Residue, Residue) -> Residue) -> Fingerprint {
    [op(a[0], b[0]), op(a[1], b[1])]
}

/// What a node becomes. All nodes mentioned are visited earlier.
#[derive(Clone, Copy)]
enum Replacement {
    Number(Number),
    Same(ExprId),
    Negated(ExprId),
    Operation(Binary, ExprId, ExprId),
}

/// What the search for an operation reads of every visited node, all in one place.
#[derive(Clone, Copy)]
struct Visited {
    id: ExprId,
    support: u64,
    /// At the first point.
    value: Residue,
    inverse: Residue,
}

struct Merge<'g> {
    graph: &'g Graph,
    roots: &'g [ExprId],
    /// By stage, then ascending: what is known early is never computed from what is known late.
    order: Vec<ExprId>,
    prints: Vec<Fingerprint>,
    /// One bit for every few symbols, set where the node depends on one of them in every step.
    supports: Vec<u64>,
    inverses: Vec<Fingerprint>,
    uses: Vec<u32>,
    replacements: Vec<Option<Replacement>>,
    earliest: FxHashMap<Fingerprint, ExprId>,
    /// Says quickly of most values that no visited node has them or their negative.
    filter: Filter,
    /// Visited nodes that still stand for themselves or for an operation.
    visited: Vec<Visited>,
    /// Those of them whose values no earlier search has met.
    visited_first: Vec<Visited>,
    /// Number of visited nodes with which a node is tried.
    reach: usize,
    searched: &'g mut Searched,
    replaced: usize,
}

impl<'g> Merge<'g> {
    fn new(graph: &'g Graph, roots: &'g [ExprId], searched: &'g mut Searched) -> Merge<'g> {
        const SEEDS: [u64; 2] = [4242, 2424];
        let mut order = graph.reachable(roots);
        let points = SEEDS.map(|seed| values_at_point(graph, &order, seed));
        let supports = supports(graph, &order);
        order.sort_by_key(|&id| (graph.stage(id), id));
        let prints: Vec<Fingerprint> = (0..graph.len()).map(|k| [points[0][k], points[1][k]]).collect();
        Merge {
            graph,
            roots,
            inverses: invert_all(&prints),
            supports,
            prints,
            uses: graph.use_counts(roots),
            replacements: vec![None; graph.len()],
            earliest: FxHashMap::with_capacity_and_hasher(order.len(), Default::default()),
            filter: Filter::for_entries(order.len()),
            visited: Vec::with_capacity(order.len()),
            visited_first: Vec::new(),
            reach: reach(order.len(), searched.most_pairs),
            searched,
            replaced: 0,
            order,
        }
    }

    fn run(&mut self) {
        for id in self.order.clone() {
            if self.uses[id.index()] == 0 {
                continue;
            }
            if !self.graph.node(id).is_leaf()
                && let Some(replacement) = self.find_replacement(id)
            {
                self.replacements[id.index()] = Some(replacement);
                self.replaced += 1;
            }
            self.visit(id);
        }
    }

    /// Offers a visited node as an operand to later ones.
    fn visit(&mut self, id: ExprId) {
        if matches!(self.replacements[id.index()], Some(Replacement::Same(_) | Replacement::Number(_))) {
            return;
        }
        let print = self.prints[id.index()];
        let is_known = self.earliest.get(&print).is_some_and(|known| self.uses[known.index()] > 0);
        if !is_known {
            self.earliest.insert(print, id);
            self.filter.insert(print[0]);
            self.filter.insert(-print[0]);
        }
        let (support, inverse) = (self.supports[id.index()], self.inverses[id.index()][0]);
        let visited = Visited { id, support, value: print[0], inverse };
        if !self.searched.values.contains(&print) {
            self.visited_first.push(visited);
        }
        self.visited.push(visited);
    }

    /// Finds a cheaper definition of a node, and updates the use counts to it.
    fn find_replacement(&mut self, id: ExprId) -> Option<Replacement> {
        let print = self.prints[id.index()];
        if let Some(known) = self.find_live(print) {
            self.uses[known.index()] += 1;
            self.release_operands(id);
            return Some(Replacement::Same(known));
        }
        if let Some(&number) = SMALL_CONSTANTS.get(&print) {
            self.release_operands(id);
            return Some(Replacement::Number(number));
        }
        if !self.graph.is_hot(id) {
            return None;
        }
        self.find_negative(id).or_else(|| self.find_operation(id))
    }

    fn find_negative(&mut self, id: ExprId) -> Option<Replacement> {
        if matches!(self.graph.node(id), Node::Unary(Unary::Neg, _)) {
            return None;
        }
        let print = self.prints[id.index()];
        let known = self.find_live(print.map(|value| -value))?;
        self.uses[known.index()] += 1;
        let released = self.release_operands(id);
        if released.weight > 1 {
            return Some(Replacement::Negated(known));
        }
        self.retain(&released);
        self.uses[known.index()] -= 1;
        None
    }

    fn find_operation(&mut self, id: ExprId) -> Option<Replacement> {
        let released = self.release_operands(id);
        let found = if released.weight > 1 { self.search_operation(id) } else { None };
        match found {
            Some((op, a, b)) => {
                self.uses[a.index()] += 1;
                self.uses[b.index()] += 1;
                Some(Replacement::Operation(op, a, b))
            }
            None => {
                self.retain(&released);
                None
            }
        }
    }

    /// Two visited nodes in use whose sum, difference or product has the value of `id`.
    fn search_operation(&mut self, id: ExprId) -> Option<(Binary, ExprId, ExprId)> {
        let print = self.prints[id.index()];
        // Where there was nothing before, one of the two must be new.
        let is_complete = !self.searched.unreachable.contains(&print);
        let found = self.search_with(id, is_complete);
        if found.is_none() {
            self.searched.unreachable.insert(print);
        }
        found
    }

    /// The same among all, or where one of the two has a value that earlier searches have not met.
    fn search_with(&self, id: ExprId, is_complete: bool) -> Option<(Binary, ExprId, ExprId)> {
        let (print, elsewhere) = (self.prints[id.index()], !self.supports[id.index()]);
        let candidates = if is_complete { &self.visited } else { &self.visited_first };
        let first = candidates.len().saturating_sub(self.reach);
        for &Visited { id: a, support, value, inverse } in &candidates[first..] {
            // What depends on more than the result is left out: it would have to cancel.
            if support & elsewhere != 0 {
                continue;
            }
            // Most candidates fail in the filter, which needs the first point only.
            let may_be_operand =
                self.filter.may_contain(print[0] - value) || !is_complete && self.filter.may_contain(print[0] + value);
            let may_be_product = self.filter.may_contain(print[0] * inverse);
            if !(may_be_operand | may_be_product) || self.uses[a.index()] == 0 {
                continue;
            }
            let (value, inverse) = (self.prints[a.index()], self.inverses[a.index()]);
            if let Some(b) = self.find_live(combine(print, value, |x, y| x - y)) {
                return Some((Binary::Add, a, b));
            }
            if let Some(b) = self.find_live(combine(value, print, |x, y| x - y)) {
                return Some((Binary::Sub, a, b));
            }
            if let Some(b) = self.find_live(combine(print, value, |x, y| x + y)) {
                return Some((Binary::Sub, b, a));
            }
            if may_be_product
                && value[0] != Residue::ZERO
                && let Some(b) = self.find_live(combine(print, inverse, |x, y| x * y))
            {
                return Some((Binary::Mul, a, b));
            }
        }
        None
    }

    fn find_live(&self, print: Fingerprint) -> Option<ExprId> {
        self.earliest.get(&print).copied().filter(|known| self.uses[known.index()] > 0)
    }

    fn operands(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<> {
        let node = match self.replacements[id.index()] {
            None => self.graph.node(id),
            Some(Replacement::Number(number)) => Node::Number(number),
            // Any operation on one operand has the operand of these.
            Some(Replacement::Same(a) | Replacement::Negated(a)) => Node::Unary(Unary::Neg, a),
            Some(Replacement::Operation(op, a, b)) => Node::Binary(op, a, b),
        };
        node.operands()
    }

    fn weight(&self, id: ExprId) -> u32 {
        match self.replacements[id.index()] {
            _ if !self.graph.is_hot(id) => 0,
            None => weight_of(self.graph.node(id)),
            Some(Replacement::Number(_) | Replacement::Same(_)) => 0,
            Some(Replacement::Negated(_) | Replacement::Operation(..)) => 1,
        }
    }

    /// Drops the operands of a node, and theirs where they are not used elsewhere; includes the node itself.
    fn release_operands(&mut self, id: ExprId) -> Released {
        let mut released = Released { weight: 0, nodes: vec![id] };
        let mut next = 0;
        while let Some(&node) = released.nodes.get(next) {
            next += 1;
            released.weight += self.weight(node);
            for operand in self.operands(node) {
                let uses = &mut self.uses[operand.index()];
                *uses -= 1;
                if *uses == 0 {
                    released.nodes.push(operand);
                }
            }
        }
        released
    }

    /// Undoes [`Self::release_operands`].
    fn retain(&mut self, released: &Released) {
        for &node in released.nodes.iter().rev() {
            for operand in self.operands(node) {
                self.uses[operand.index()] += 1;
            }
        }
    }

    fn rebuild(&self) -> (Graph, Vec<ExprId>) {
        let mut graph = Graph::with_symbols_of(self.graph);
        let mut images: Vec<Option<ExprId>> = vec![None; self.graph.len()];
        for &id in self.order.iter().filter(|id| self.uses[id.index()] > 0) {
            let image_of = |operand: ExprId| images[operand.index()].expect("operands in use are visited first");
            let image = match self.replacements[id.index()] {
                None => match self.graph.node(id) {
                    Node::Symbol(symbol) => graph.symbol_expr(symbol),
                    node => graph.build(node.map(image_of)),
                },
                Some(Replacement::Number(number)) => graph.number(number),
                Some(Replacement::Same(a)) => image_of(a),
                Some(Replacement::Negated(a)) => graph.neg(image_of(a)),
                Some(Replacement::Operation(op, a, b)) => graph.binary(op, image_of(a), image_of(b)),
            };
            images[id.index()] = Some(image);
        }
        let roots: Vec<ExprId> =
            self.roots.iter().map(|root| images[root.index()].expect("roots are in use")).collect();
        graph.compact(&roots)
    }
}

/// Number of earlier nodes with which each of `nodes` is tried.
///
/// In functions of more than [`LARGE`] nodes it falls with their square: what a node has to do with was derived beside it,
/// so that nearly all that is found is near, and the work of large functions grows with their size alone.
fn reach(nodes: usize, most_pairs: usize) -> usize {
    const LARGE: usize = 10_000;
    const LEAST: usize = 100;
    let reach = most_pairs / nodes.max(1);
    reach.min((reach * LARGE / nodes.max(1)).max(LEAST))
}

/// Nodes that are no longer computed.
struct Released {
    weight: u32,
    nodes: Vec<ExprId>,
}

/// A set of values that may claim to contain one that it does not.
struct Filter {
    /// Indexing a boxed slice calls no function where nothing is inlined.
    words: Box<[u64]>,
    mask: u64,
}

impl Filter {
    fn for_entries(entries: usize) -> Filter {
        const BITS_PER_ENTRY: usize = 128;
        let words = (entries * BITS_PER_ENTRY / 64 + 1).next_power_of_two();
        Filter { words: vec![0; words].into(), mask: words as u64 * 64 - 1 }
    }

    fn insert(&mut self, value: Residue) {
        let bit = value.value() & self.mask;
        self.words[(bit >> 6) as usize] |= 1 << (bit & 63);
    }

    // Most of the time of this pass is spent here, also in a compiler that is built without optimisation.
    #[inline(always)]
    fn may_contain(&self, value: Residue) -> bool {
        let bit = value.value() & self.mask;
        self.words[(bit >> 6) as usize] >> (bit & 63) & 1 == 1
    }
}

/// For every node one bit for every few symbols, set where it depends on one of them in every step.
fn supports(graph: &Graph, order: &[ExprId]) -> Vec<u64> {
    let mut supports = vec![0; graph.len()];
    for &id in order {
        supports[id.index()] = match graph.node(id) {
            Node::Symbol(symbol) if graph.is_hot(id) => 1 << (symbol.index() % 64),
            node => node.operands().fold(0, |support, operand| support | supports[operand.index()]),
        };
    }
    supports
}

/// Constants that formulas like sin² + cos² may turn out to be.
static SMALL_CONSTANTS: LazyLock<FxHashMap<Fingerprint, Number>> = LazyLock::new(|| {
    let mut constants = FxHashMap::default();
    for denominator in [1, 2, 3, 4] {
        for numerator in -8..=8 {
            let number = Number::ratio(numerator, denominator);
            constants.insert([Residue::from_number(number); 2], number);
        }
    }
    constants
});

/// All inverses with one inversion per point: the inverse of the product of all, divided down factor by factor.
fn invert_all(prints: &[Fingerprint]) -> Vec<Fingerprint> {
    let mut inverses = vec![[Residue::ZERO; 2]; prints.len()];
    for point in 0..2 {
        let mut product = Residue::ONE;
        for (print, inverse) in prints.iter().zip(&mut inverses) {
            inverse[point] = product;
            if print[point] != Residue::ZERO {
                product = product * print[point];
            }
        }
        let mut remaining = product.inverse();
        for (print, inverse) in prints.iter().zip(&mut inverses).rev() {
            if print[point] != Residue::ZERO {
                inverse[point] = inverse[point] * remaining;
                remaining = remaining * print[point];
            } else {
                inverse[point] = Residue::ZERO;
            }
        }
    }
    inverses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Operations, Stage, print};

    #[test]
    fn merges_equal_and_opposite_expressions() {
        let mut graph = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| graph.symbol(name, Stage::Position));
        let (xy, yz, xz) = (graph.mul(x, y), graph.mul(y, z), graph.mul(x, z));
        let (first, second, third) = (graph.mul(xy, z), graph.mul(x, yz), graph.mul(xz, y));
        let sum = graph.add(first, second);
        let root = graph.sub(sum, third);
        let (merged, roots) = merge_equal(&graph, &[root, first]);
        assert_eq!(Operations::of(&merged, &roots).weight(), 2);
        assert_eq!(roots[0], roots[1]);
    }

    #[test]
    fn recognises_constants() {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Stage::Position);
        let (sine, cosine) = (graph.sin(x), graph.cos(x));
        let (ss, cc) = (graph.mul(sine, sine), graph.mul(cosine, cosine));
        let sum = graph.add(ss, cc);
        let root = graph.mul(sum, x);
        let (merged, roots) = merge_equal(&graph, &[root]);
        assert_eq!(print::text(&merged, roots[0]), "x");
    }

    #[test]
    fn computes_from_existing_nodes_where_that_frees_work() {
        let mut graph = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| graph.symbol(name, Stage::Position));
        let (xy, zz) = (graph.mul(x, y), graph.mul(z, z));
        let first = graph.add(xy, zz);
        // x(y + z) + z² − xz is the first expression, written so that no node is shared.
        let sum = graph.add(y, z);
        let product = graph.mul(x, sum);
        let second = graph.sin(product);
        let xz = graph.mul(x, z);
        let third = graph.add(xy, xz);
        let root = graph.add(second, third);
        let (merged, roots) = merge_equal(&graph, &[first, root]);
        assert!(Operations::of(&merged, &roots).weight() < Operations::of(&graph, &[first, root]).weight());
    }

    #[test]
    fn does_not_compute_parameters_from_states() {
        let mut graph = Graph::new();
        let (x, m) = (graph.symbol("x", Stage::Position), graph.symbol("m", Stage::Parameter));
        let (sine, cosine) = (graph.sin(x), graph.cos(x));
        let (ss, cc) = (graph.mul(sine, sine), graph.mul(cosine, cosine));
        let (left, right) = (graph.mul(ss, m), graph.mul(cc, m));
        let mass = graph.add(left, right);
        let square = graph.mul(mass, mass);
        let other = graph.mul(m, m);
        let (merged, roots) = merge_equal(&graph, &[square, other]);
        assert_eq!(Operations::hot(&merged, &roots).weight(), 0);
    }
}
