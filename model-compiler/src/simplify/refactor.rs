//! Repeated factoring, one window of neighbouring operations at a time.
//!
//! The form of a whole function is written out everywhere or nowhere, but the best form differs from place to place.
//! Each window is brought into several forms and factored from each, and the cheapest result replaces it. Values from
//! outside are symbols there, so a window never becomes more expensive, and the work is linear in the number of
//! operations.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::factor::{Ties, factor};
use super::polynomial::Polynomials;
use super::reading::Form;
use super::windows::{Order, Window, Windows};
use crate::expr::cost::hot_weight;
use crate::expr::fingerprint::merge_equal;
use crate::expr::{ExprId, Graph, Node, SymbolId};

/// Forms in which a window is factored.
const FORMS: [Form; 3] = [
    Form::Derived,
    Form::Expanded { terms: 6, reduce_squares: false },
    Form::Expanded { terms: 16, reduce_squares: true },
];

/// Additions and multiplications of a multiplied-out window per operation; some are allowed in any case.
const GROWTH: usize = 4;

/// Versions of a window that exceed the cheapest by this weight are not merged.
const MARGIN: u64 = 2;

/// Factors all windows of `size` operations, the first of which has `first`.
pub(super) fn refactor_windows(
    graph: &Graph,
    roots: &[ExprId],
    order: Order,
    (first, size): (usize, usize),
) -> (Graph, Vec<ExprId>) {
    let windows = Windows::new(graph, roots, order);
    let mut output = Graph::with_symbols_of(graph);
    let mut images: Vec<Option<ExprId>> = vec![None; graph.len()];
    // Values that are not computed in each step remain unchanged.
    for (id, node) in graph.nodes() {
        images[id.index()] = match node {
            Node::Symbol(symbol) => Some(output.symbol_expr(symbol)),
            _ if graph.is_hot(id) => None,
            _ => Some(output.build(node.map(|operand| image_in(&images, operand)))),
        };
    }
    for window in windows.iter(first, size) {
        let alone = Alone::new(graph, &window);
        let inputs = alone.inputs.clone();
        let (cheapest, values) = alone.cheapest();
        let symbols = |_: &mut Graph, symbol: SymbolId| image_in(&images, inputs[symbol.index()]);
        let values = output.import(&cheapest, &values, &symbols);
        for (id, value) in window.outputs.into_iter().zip(values) {
            images[id.index()] = Some(value);
        }
    }
    let roots: Vec<ExprId> = roots.iter().map(|&root| image_in(&images, root)).collect();
    output.compact(&roots)
}

/// Windows come in an order in which operands precede users, so the image of an operand exists.
fn image_in(images: &[Option<ExprId>], id: ExprId) -> ExprId {
    images[id.index()].expect("operands are factored before their users")
}

/// A window as a function of its own.
struct Alone {
    graph: Graph,
    roots: Vec<ExprId>,
    /// The expressions that the symbols represent.
    inputs: Vec<ExprId>,
}

impl Alone {
    fn new(graph: &Graph, window: &Window) -> Alone {
        let mut alone = Alone { graph: Graph::new(), roots: Vec::new(), inputs: Vec::new() };
        let mut images: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &id in window.operations {
            let node =
                graph.node(id).map(|operand| *images.entry(operand).or_insert_with(|| alone.input(graph, operand)));
            images.insert(id, alone.graph.build(node));
        }
        alone.roots = window.outputs.iter().map(|output| images[output]).collect();
        alone
    }

    fn input(&mut self, graph: &Graph, id: ExprId) -> ExprId {
        if let Node::Number(number) = graph.node(id) {
            return self.graph.number(number);
        }
        let name = format!("x{}", self.inputs.len());
        self.inputs.push(id);
        self.graph.symbol(&name, graph.stage(id))
    }

    /// The cheapest version; the window as it is, if there is none.
    fn cheapest(self) -> (Graph, Vec<ExprId>) {
        let mut weight = hot_weight(&self.graph, &self.roots);
        let size_limit = GROWTH * (self.graph.len() + 20);
        let (mut cheapest, mut sizes) = (None, BTreeSet::new());
        for form in FORMS {
            let polynomials = Polynomials::within(&self.graph, &self.roots, form, size_limit);
            // Forms of one size are the same form in practice.
            let Some(polynomials) = polynomials.filter(|polynomials| sizes.insert(polynomials.size())) else {
                continue;
            };
            let (graph, roots) = factor(polynomials, &self.graph, Ties::SumsFirst);
            if hot_weight(&graph, &roots) > weight + MARGIN {
                continue;
            }
            let merged = merge_equal(&graph, &roots);
            let merged_weight = hot_weight(&merged.0, &merged.1);
            if merged_weight < weight {
                (cheapest, weight) = (Some(merged), merged_weight);
            }
        }
        cheapest.unwrap_or((self.graph, self.roots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::field::are_equal;
    use crate::expr::{Stage, evaluate};
    use crate::random::Random;
    use crate::simplify::fixture::random_function;

    #[test]
    fn windows_of_any_size_keep_the_function_and_never_cost_more() {
        for seed in [7, 8, 9] {
            let (before, results) = random_function(&mut Random(seed));
            for borders in [(0, 1), (3, 7), (20, 40), (0, 1_000)] {
                for order in [Order::DepthFirst, Order::ByLevel] {
                    let (graph, roots) = refactor_windows(&before, &results, order, borders);
                    assert!(are_equal((&before, &results), (&graph, &roots)), "{order:?}, {borders:?}");
                    assert!(hot_weight(&graph, &roots) <= hot_weight(&before, &results), "{order:?}, {borders:?}");
                }
            }
        }
    }

    #[test]
    fn a_product_is_multiplied_out_where_that_pays_and_nowhere_else() {
        let mut graph = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| graph.symbol(name, Stage::Position));
        // (x + y)(x − y) + y² is x²; x (y + z) is best as it is.
        let (sum, difference, square) = (graph.add(x, y), graph.sub(x, y), graph.mul(y, y));
        let product = graph.mul(sum, difference);
        let first = graph.add(product, square);
        let sum = graph.add(y, z);
        let second = graph.mul(x, sum);
        let (refactored, roots) = refactor_windows(&graph, &[first, second], Order::DepthFirst, (0, 100));
        assert_eq!(hot_weight(&refactored, &roots), 3);
        assert_eq!(evaluate(&refactored, &roots, &[3.0, 4.0, 5.0]), [9.0, 27.0]);
    }
}
