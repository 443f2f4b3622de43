//! Rewriting by equality saturation, one window of neighbouring operations at a time.
//!
//! Windows keep the cost linear in the size of a function: with more than a few hundred operations an e-graph reaches
//! any limit long before it is saturated.

use std::fmt;
use std::time::Duration;

use egg::{BackoffScheduler, Id, Rewrite, Runner, StopReason};
use rustc_hash::FxHashMap;

use super::extract::{Extracted, extract};
use super::language::{Expressions, Facts, Operator, Term};
use super::limits::Limits;
use super::windows::{Order, Windows};
use crate::expr::{ExprId, Graph, Node};

/// Why the e-graphs of a pass stopped growing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stops {
    pub(super) saturated: usize,
    pub(super) iteration_limit: usize,
    pub(super) node_limit: usize,
}

impl fmt::Display for Stops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stops { saturated, iteration_limit, node_limit } = self;
        write!(f, "{saturated} saturated, {iteration_limit} at the iteration limit, {node_limit} at the node limit")
    }
}

/// Rewrites all windows of `size` operations.
pub(super) fn rewrite_windows(
    graph: &Graph,
    roots: &[ExprId],
    size: usize,
    rules: &[Rewrite<Term, Facts>],
    limits: &Limits,
) -> (Graph, Vec<ExprId>, Stops) {
    let windows = Windows::new(graph, roots, Order::DepthFirst);
    let growth = limits.egraph_growth.min(limits.egraph_nodes / windows.len().max(1));
    let mut rewriting = Rewriting::new(graph, rules, growth, limits.egraph_iterations);
    for window in windows.iter(0, size) {
        rewriting.rewrite(window.operations, &window.outputs);
    }
    let new_roots: Vec<ExprId> = roots.iter().map(|&root| rewriting.image(root)).collect();
    let (graph, roots) = rewriting.output.compact(&new_roots);
    (graph, roots, rewriting.stops)
}

struct Rewriting<'g> {
    graph: &'g Graph,
    rules: &'g [Rewrite<Term, Facts>],
    /// Nodes of an e-graph per operation.
    growth: usize,
    iterations: usize,
    output: Graph,
    images: Vec<Option<ExprId>>,
    stops: Stops,
}

impl<'g> Rewriting<'g> {
    fn new(graph: &'g Graph, rules: &'g [Rewrite<Term, Facts>], growth: usize, iterations: usize) -> Rewriting<'g> {
        let mut output = Graph::with_symbols_of(graph);
        let mut images = vec![None; graph.len()];
        // Values that are not computed in each step remain unchanged.
        for (id, node) in graph.nodes() {
            images[id.index()] = match node {
                Node::Symbol(symbol) => Some(output.symbol_expr(symbol)),
                _ if graph.is_hot(id) => None,
                _ => Some(output.build(node.map(|operand| image_in(&images, operand)))),
            };
        }
        Rewriting { graph, rules, growth, iterations, output, images, stops: Stops::default() }
    }

    fn image(&self, id: ExprId) -> ExprId {
        image_in(&self.images, id)
    }

    fn rewrite(&mut self, window: &[ExprId], outputs: &[ExprId]) {
        let loaded = Loaded::new(self.graph, window);
        let roots: Vec<Id> = outputs.iter().map(|output| loaded.classes[output]).collect();
        let inputs = loaded.inputs;
        match self.saturate(loaded.egraph, window.len()) {
            Some(egraph) => {
                let extracted = extract(&egraph, &roots, &loaded.terms);
                let built = self.build(&extracted, &inputs);
                for (output, &root) in outputs.iter().zip(&extracted.roots) {
                    self.images[output.index()] = Some(built[root]);
                }
            }
            None => {
                for &id in window {
                    let node = self.graph.node(id).map(|operand| self.image(operand));
                    self.images[id.index()] = Some(self.output.build(node));
                }
            }
        }
    }

    /// Applies the rules within the limits; `None` if they led to a contradiction.
    fn saturate(&mut self, egraph: Expressions, operations: usize) -> Option<Expressions> {
        // `egg` stops after five seconds unless told otherwise, which would make results depend on the machine.
        const NEVER: Duration = Duration::from_secs(24 * 3600);
        let runner = Runner::<Term, Facts>::new(Facts::default())
            .with_egraph(egraph)
            .with_node_limit(self.growth * operations)
            .with_iter_limit(self.iterations)
            .with_time_limit(NEVER)
            .with_scheduler(BackoffScheduler::default())
            .run(self.rules);
        match runner.stop_reason {
            Some(StopReason::Saturated) => self.stops.saturated += 1,
            Some(StopReason::NodeLimit(_)) => self.stops.node_limit += 1,
            _ => self.stops.iteration_limit += 1,
        }
        (!runner.egraph.analysis.is_contradictory).then_some(runner.egraph)
    }

    fn build(&mut self, extracted: &Extracted, inputs: &[ExprId]) -> Vec<ExprId> {
        let mut built: Vec<ExprId> = Vec::with_capacity(extracted.terms.len());
        for (operator, operands) in &extracted.terms {
            let operand = |k: usize| built[operands[k]];
            let id = match *operator {
                Operator::Number(number) => self.output.number(number),
                Operator::Variable(index) => self.image(inputs[index as usize]),
                Operator::Unary(op) => self.output.unary(op, operand(0)),
                Operator::Binary(op) => self.output.binary(op, operand(0), operand(1)),
                Operator::Select => self.output.select(operand(0), operand(1), operand(2), operand(3)),
            };
            built.push(id);
        }
        built
    }
}

/// Windows come in an order in which operands precede users, so the image of an operand exists.
fn image_in(images: &[Option<ExprId>], id: ExprId) -> ExprId {
    images[id.index()].expect("operands are rewritten before their users")
}

/// A window as an e-graph, with everything from outside as a variable.
struct Loaded {
    egraph: Expressions,
    classes: FxHashMap<ExprId, Id>,
    terms: Vec<(Id, Term)>,
    inputs: Vec<ExprId>,
}

impl Loaded {
    fn new(graph: &Graph, window: &[ExprId]) -> Loaded {
        let mut loaded = Loaded {
            egraph: Expressions::new(Facts::default()),
            classes: FxHashMap::default(),
            terms: Vec::new(),
            inputs: Vec::new(),
        };
        for &id in window {
            let node = graph.node(id);
            let operands: Vec<Id> = node.operands().map(|operand| loaded.class_of(graph, operand)).collect();
            let operator = match node {
                Node::Unary(op, _) => Operator::Unary(op),
                Node::Binary(op, ..) => Operator::Binary(op),
                Node::Select { .. } => Operator::Select,
                Node::Number(_) | Node::Symbol(_) => continue,
            };
            loaded.add(id, Term::new(operator, &operands));
        }
        loaded.egraph.rebuild();
        loaded
    }

    /// The class of an operand, which is a new variable if it is from outside.
    fn class_of(&mut self, graph: &Graph, id: ExprId) -> Id {
        if let Some(&class) = self.classes.get(&id) {
            return class;
        }
        let term = match graph.node(id) {
            Node::Number(number) => Term::number(number),
            _ => {
                let index = self.inputs.len() as u32;
                self.inputs.push(id);
                self.egraph.analysis.variable_stages.push(graph.stage(id));
                Term::new(Operator::Variable(index), &[])
            }
        };
        self.add(id, term)
    }

    fn add(&mut self, id: ExprId, term: Term) -> Id {
        let class = self.egraph.add(term);
        self.classes.insert(id, class);
        self.terms.push((class, term));
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;
    use crate::expr::cost::hot_weight;
    use crate::expr::field::are_equal;
    use crate::random::Random;
    use crate::simplify::fixture::random_function;
    use crate::simplify::rules::rules;

    #[test]
    fn windows_of_any_size_keep_the_function_and_never_cost_more() {
        let (before, results) = random_function(&mut Random(7));
        let rules = rules();
        for size in [1, 7, 40, 1_000] {
            let (graph, roots, _) = rewrite_windows(&before, &results, size, &rules, &Limits::default());
            assert!(are_equal((&before, &results), (&graph, &roots)), "windows of {size}");
            assert!(hot_weight(&graph, &roots) <= hot_weight(&before, &results), "windows of {size}");
        }
    }

    #[test]
    fn a_division_by_a_parameter_is_hoisted() {
        let mut graph = Graph::new();
        let (x, m) = (graph.symbol("x", Stage::Position), graph.symbol("m", Stage::Parameter));
        let quotient = graph.div(x, m);
        let (graph, roots, stops) = rewrite_windows(&graph, &[quotient], 10, &rules(), &Limits::default());
        assert_eq!(hot_weight(&graph, &roots), 1);
        assert_eq!(stops.saturated + stops.iteration_limit + stops.node_limit, 1);
    }
}
