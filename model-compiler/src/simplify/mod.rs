//! Makes expressions cheap to evaluate without changing what they compute.
//!
//! The portfolio: several starting forms of a function, from the form as derived to the expanded form, are merged where
//! expressions are equal (`expr::fingerprint`) and searched for common factors (`factor`). The best are rewritten by
//! equality saturation (`window`), and their parts are factored from different forms (`refactor`). The result is the
//! cheapest version that equals the input at separate points of a finite field (`expr::field`), has acceptable rounding
//! errors (`accuracy`), and still evaluates the square roots of the input, whose NaN is a signal. The input is one of
//! the versions, so the result is never more expensive. The work depends on the size of a function and on the savings
//! of the first passes. What is known before a simulation starts costs nothing. No pass uses times or unordered sets,
//! so equal inputs give equal results on all machines.
//!
//! Where the input divides by zero the result may be finite: common factors of numerator and denominator may cancel.

mod accuracy;
mod balance;
mod constants;
mod expand;
mod factor;
#[cfg(test)]
pub(crate) mod fixture;
mod kernels;
mod limits;
mod pairs;
mod polynomial;
mod reading;
mod refactor;
mod windows;

#[cfg(feature = "egraph")]
mod extract;
#[cfg(feature = "egraph")]
mod language;
#[cfg(feature = "egraph")]
mod rules;
#[cfg(feature = "egraph")]
mod window;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::expr::fingerprint::Searched;
use crate::expr::{ExprId, Graph, Node, Operations, Unary};
use crate::expr::{cost, field};
use factor::Ties;
use polynomial::Polynomials;
use reading::Form;
use windows::Order;

pub use balance::balance_fused;

pub use accuracy::{Accuracy, Errors};
pub use kernels::{FunctionLog, simplify_equations, simplify_equations_watched};
pub use limits::Limits;

/// A simplified function.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The expressions; symbols have the identifiers that they had.
    pub graph: Graph,
    /// The results, in the order in which they were asked for.
    pub roots: Vec<ExprId>,
    /// The result of each pass, in the order in which they ran.
    pub log: Vec<PassLog>,
    /// Rounding errors before and after.
    pub accuracy: Accuracy,
}

/// The result of one pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassLog {
    /// The form that the function was started from.
    pub start: &'static str,
    /// The pass.
    pub pass: &'static str,
    /// The operations that remain in each step.
    pub operations: Operations,
    /// Remarks, such as why rewriting stopped; may be empty.
    pub note: String,
}

/// Called after each pass, on the thread that ran it; it can measure times, which passes do not use.
pub type Watch<'w> = &'w (dyn Fn(&'static str) + Sync);

/// Whether an expression is zero as a formula, for all values of its symbols.
///
/// Its values at four random points of a field of 2⁶¹ − 1 elements vanish, which happens to any other expression with a
/// probability of less than (its degree · 2⁻⁶¹)⁴. Sines and cosines lie on the unit circle; functions without algebraic laws,
/// like exp, count as unknown, so that identities that need their laws are not recognised.
pub fn vanishes(graph: &Graph, expr: ExprId) -> bool {
    let order = graph.reachable(&[expr]);
    let is_zero = |seed| field::values_at_point(graph, &order, seed)[expr.index()] == field::Residue::ZERO;
    [31, 37, 41, 43].into_iter().all(is_zero)
}

/// The cheapest form found of the functions `roots`.
pub fn simplify(graph: &Graph, roots: &[ExprId], limits: &Limits) -> Simplified {
    simplify_watched(graph, roots, limits, &|_| {})
}

fn simplify_watched(graph: &Graph, roots: &[ExprId], limits: &Limits, watch: Watch) -> Simplified {
    let mut portfolio = Portfolio::new(graph, roots, limits, watch);
    portfolio.try_starts();
    if portfolio.is_slack() {
        portfolio.rewrite_best();
    }
    portfolio.refactor_best();
    let simplified = portfolio.select();
    watch("select");
    simplified
}

/// One form of the function.
#[derive(Clone)]
struct Version {
    start: &'static str,
    graph: Rc<Graph>,
    roots: Vec<ExprId>,
    weight: u64,
}

impl Version {
    fn new(start: &'static str, (graph, roots): (Graph, Vec<ExprId>)) -> Version {
        let weight = cost::hot_weight(&graph, &roots);
        Version { start, graph: Rc::new(graph), roots, weight }
    }

    fn operation_count(&self) -> usize {
        self.graph.reachable(&self.roots).into_iter().filter(|&id| self.graph.is_hot(id)).count()
    }
}

/// A version whose windows are factored again.
struct Refactored {
    version: Version,
    /// Operations that may still be factored without gain.
    allowance: usize,
    /// Rounds since the last improvement.
    idle_rounds: usize,
}

/// The form in which versions are factored again.
const INLINED: Form = Form::Inlined { terms: 2 };

struct Portfolio<'l> {
    limits: &'l Limits,
    watch: Watch<'l>,
    input: Version,
    versions: Vec<Version>,
    /// Sizes of the multiplied-out forms that were tried.
    expanded_sizes: BTreeSet<(usize, Ties)>,
    /// Results of merging for the versions.
    searched: Searched,
    log: Vec<PassLog>,
}

impl<'l> Portfolio<'l> {
    fn new(graph: &Graph, roots: &[ExprId], limits: &'l Limits, watch: Watch<'l>) -> Portfolio<'l> {
        let input = Version::new("derived", graph.compact(roots));
        let mut portfolio = Portfolio {
            limits,
            watch,
            input: input.clone(),
            versions: Vec::new(),
            expanded_sizes: BTreeSet::new(),
            searched: Searched::within(limits.pairs),
            log: Vec::new(),
        };
        portfolio.record("input", input, String::new());
        portfolio
    }

    /// Brings the function into its starting forms, and factors each.
    fn try_starts(&mut self) {
        let merged = self.merge(self.input.clone());
        self.start("inlined", &merged, INLINED, Ties::SumsFirst);
        let operations = merged.operation_count();
        let is_worth_more = operations <= self.limits.start_again_below && self.is_slack();
        if !is_worth_more && operations > self.limits.expand_below {
            return;
        }
        self.start("inlined", &merged, INLINED, Ties::LatestFirst);
        self.start("derived", &merged, Form::Derived, Ties::SumsFirst);
        let reduced = self.best().clone();
        if reduced.operation_count() > self.limits.expand_below {
            return;
        }
        for (source, ties) in [(merged, Ties::LatestFirst), (reduced, Ties::SumsFirst)] {
            for (name, terms, reduce_squares) in [
                ("expanded to 12", 12, false),
                ("expanded to 12, squares reduced", 12, true),
                ("expanded to 40", 40, false),
                ("expanded to 40, squares reduced", 40, true),
            ] {
                self.start(name, &source, Form::Expanded { terms, reduce_squares }, ties);
            }
        }
    }

    /// Whether the savings so far suggest that there are more. Functions derived by a recursion have little left to
    /// find.
    fn is_slack(&self) -> bool {
        100 * self.saved() >= self.limits.slack * self.input.weight
    }

    fn saved(&self) -> u64 {
        self.input.weight - self.best().weight
    }

    fn best(&self) -> &Version {
        &self.versions[self.best_indices(1)[0]]
    }

    fn start(&mut self, name: &'static str, source: &Version, form: Form, ties: Ties) {
        let is_expanded = matches!(form, Form::Expanded { .. });
        // Small functions may grow more: what matters is the work of factoring them.
        let limit = if is_expanded { self.limits.growth * (source.operation_count() + 50) } else { usize::MAX };
        let Some(polynomials) = Polynomials::within(&source.graph, &source.roots, form, limit) else { return };
        // Forms of one size are the same form in practice, for example where there are no squares to reduce.
        if is_expanded && !self.expanded_sizes.insert((polynomials.size(), ties)) {
            return;
        }
        let factored = factor::factor(polynomials, &source.graph, ties);
        let factored = self.record("factor", Version::new(name, factored), String::new());
        let factored = self.factor(factored, ties);
        self.merge(factored);
    }

    /// Rewrites the most promising versions, which come from different starts where possible.
    #[cfg(feature = "egraph")]
    fn rewrite_best(&mut self) {
        let rules = rules::rules();
        for index in self.best_indices(self.limits.rewritten_versions) {
            let mut version = self.versions[index].clone();
            for &size in self.limits.window_sizes.iter().cycle().take(self.limits.rounds) {
                if version.operation_count() > self.limits.rewrite_below {
                    break;
                }
                let (graph, roots, stops) =
                    window::rewrite_windows(&version.graph, &version.roots, size, &rules, self.limits);
                let rewritten = Version::new(version.start, (graph, roots));
                let rewritten = self.record("rewrite", rewritten, stops.to_string());
                let factored = self.factor(rewritten, Ties::SumsFirst);
                let merged = self.merge(factored);
                if merged.weight >= version.weight {
                    break;
                }
                version = merged;
            }
        }
    }

    #[cfg(not(feature = "egraph"))]
    fn rewrite_best(&mut self) {}

    /// Factors windows of the cheapest versions anew. The one that is ahead after a round goes on, with other borders
    /// in every round, as long as that pays.
    fn refactor_best(&mut self) {
        let (known, lightest) = (self.versions.len(), self.best().weight);
        let versions = if self.is_slack() { self.limits.refactored_versions } else { 1 };
        let first = self.limits.refactoring_sizes[0];
        let allowed: Vec<Refactored> =
            self.best_indices(versions).into_iter().map(|index| self.allowed(&self.versions[index])).collect();
        let begun: Vec<Refactored> =
            allowed.into_iter().filter_map(|state| self.refactor(state, Order::DepthFirst, (0, first))).collect();
        // One that was behind at first must now be clearly ahead.
        let ahead =
            begun.into_iter().reduce(|first, second| match 100 * second.version.weight < 97 * first.version.weight {
                true => second,
                false => first,
            });
        if let Some(ahead) = ahead {
            self.refactor_on(ahead);
        }
        // A version without gain is only another form, farther from the derived one.
        let candidates = self.versions.split_off(known);
        self.versions.extend(candidates.into_iter().filter(|version| version.weight < lightest));
    }

    /// The work allowed for a version depends on its size and on the savings of the starts.
    fn allowed(&self, version: &Version) -> Refactored {
        let is_small = version.operation_count() <= self.limits.expand_below;
        let free = if is_small { self.limits.refactored_operations } else { 0 };
        let earned = self.limits.worth_of_starts * self.saved() as usize;
        let allowance = (free + earned).min(self.limits.most_refactored_operations);
        Refactored { version: version.clone(), allowance, idle_rounds: 0 }
    }

    fn refactor_on(&mut self, mut state: Refactored) {
        let sizes = &self.limits.refactoring_sizes;
        let mut tried = BTreeSet::new();
        for (round, &size) in sizes.iter().cycle().enumerate().skip(1) {
            let operations = state.version.operation_count();
            let order = if round % 2 == 0 { Order::DepthFirst } else { Order::ByLevel };
            let first = if round / 2 % 2 == 0 { 0 } else { size / 2 };
            let is_whole = first >= operations || (first == 0 && size >= operations);
            // A window that is the whole function is the same in every size.
            let borders = if is_whole { (0, operations) } else { (first, size) };
            if state.idle_rounds > self.limits.idle_rounds {
                return;
            }
            if state.idle_rounds == 0 {
                tried.clear();
            }
            if tried.insert((order, borders)) {
                let Some(next) = self.refactor(state, order, (first, size)) else { return };
                state = next;
            } else {
                state.idle_rounds += 1;
            }
        }
    }

    /// One round; `None` if no more work is allowed.
    fn refactor(&mut self, state: Refactored, order: Order, borders: (usize, usize)) -> Option<Refactored> {
        let Refactored { version, allowance, idle_rounds } = state;
        let operations = version.operation_count();
        let allowance = allowance.checked_sub(operations)?;
        let refactored = refactor::refactor_windows(&version.graph, &version.roots, order, borders);
        let mut best = self.record("refactor", Version::new(version.start, refactored), String::new());
        // Windows that were exchanged for others of the same weight may lie better for the whole.
        if best.weight < version.weight || operations <= self.limits.expand_below {
            let factored = self.factor(best.clone(), Ties::SumsFirst);
            let merged = self.merge(factored);
            best = if merged.weight <= best.weight { merged } else { best };
        }
        if best.weight >= version.weight {
            return Some(Refactored { version, allowance, idle_rounds: idle_rounds + 1 });
        }
        let earned = self.limits.refactoring_worth * (version.weight - best.weight) as usize;
        Some(Refactored { version: best, allowance: allowance + earned, idle_rounds: 0 })
    }

    fn factor(&mut self, version: Version, ties: Ties) -> Version {
        let polynomials = Polynomials::from_graph(&version.graph, &version.roots, INLINED);
        let factored = factor::factor(polynomials, &version.graph, ties);
        self.record("factor", Version::new(version.start, factored), String::new())
    }

    fn merge(&mut self, version: Version) -> Version {
        let merged = self.searched.merge(&version.graph, &version.roots);
        self.record("merge", Version::new(version.start, merged), String::new())
    }

    fn record(&mut self, pass: &'static str, version: Version, note: String) -> Version {
        let operations = Operations::hot(&version.graph, &version.roots);
        self.log.push(PassLog { start: version.start, pass, operations, note });
        (self.watch)(pass);
        self.versions.push(version.clone());
        version
    }

    /// The cheapest version of each start, of all starts the `count` cheapest.
    fn best_indices(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.versions.len()).collect();
        // Of equal versions the last one has passed through most passes.
        order.sort_by_key(|&index| (self.versions[index].weight, Reverse(index)));
        let mut starts = BTreeSet::new();
        order.retain(|&index| starts.insert(self.versions[index].start));
        order.truncate(count);
        order
    }

    /// The cheapest version that is correct and accurate; among equals the one with the shortest chain of operations.
    fn select(mut self) -> Simplified {
        let points = accuracy::points_for(self.input.operation_count(), self.limits.accuracy_points);
        let reference = accuracy::Reference::new(&self.input.graph, &self.input.roots, points);
        let mut versions = std::mem::take(&mut self.versions);
        versions.sort_by_key(|version| version.weight);
        for equals in versions.chunk_by(|a, b| a.weight == b.weight) {
            let mut candidates: Vec<Version> = equals.iter().map(balanced).collect();
            candidates.sort_by_key(|version| cost::critical_path(&version.graph, &version.roots));
            for candidate in candidates {
                let errors = reference.measure(&candidate.graph, &candidate.roots);
                let is_sound = self.keeps_roots(&candidate)
                    && field::are_equal((&self.input.graph, &self.input.roots), (&candidate.graph, &candidate.roots));
                if is_sound && reference.accepts(errors) {
                    let accuracy = Accuracy { input: reference.errors(), output: errors };
                    let Version { graph, roots, .. } = candidate;
                    return Simplified { graph: Rc::unwrap_or_clone(graph), roots, log: self.log, accuracy };
                }
            }
        }
        let accuracy = Accuracy { input: reference.errors(), output: reference.errors() };
        let Version { graph, roots, .. } = self.input;
        Simplified { graph: Rc::unwrap_or_clone(graph), roots, log: self.log, accuracy }
    }

    /// Whether all radicands of the input are still radicands.
    fn keeps_roots(&self, version: &Version) -> bool {
        radicands(version).is_superset(&radicands(&self.input))
    }
}

/// The radicands of the square roots of each step, at one point of the finite field.
fn radicands(version: &Version) -> BTreeSet<field::Residue> {
    const SEED: u64 = 99;
    let order = version.graph.reachable(&version.roots);
    let symbols = field::any_point(version.graph.symbols().len(), SEED);
    let values = crate::expr::evaluate_all(&version.graph, &order, &symbols);
    let roots = order.into_iter().filter(|&id| version.graph.is_hot(id));
    roots
        .filter_map(|id| match version.graph.node(id) {
            Node::Unary(Unary::Sqrt, radicand) => Some(values[radicand.index()]),
            _ => None,
        })
        .collect()
}

/// The version with balanced chains, unless that makes it more expensive.
fn balanced(version: &Version) -> Version {
    let balanced = Version::new(version.start, balance::balance(&version.graph, &version.roots));
    if balanced.weight <= version.weight { balanced } else { version.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Stage, evaluate};
    use crate::random::Random;
    use fixture::random_function;

    #[test]
    fn results_do_not_depend_on_the_run() {
        let (graph, roots) = random_function(&mut Random(7));
        let [first, second] = [(); 2].map(|()| simplify(&graph, &roots, &Limits::default()));
        assert!(first.graph.nodes().eq(second.graph.nodes()));
        assert_eq!((first.roots, first.log), (second.roots, second.log));
    }

    #[test]
    fn square_roots_stay_evaluated() {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Stage::Position);
        let root = graph.sqrt(x);
        let square = graph.mul(root, root);
        let simplified = simplify(&graph, &[square], &Limits::default());
        assert!(evaluate(&simplified.graph, &simplified.roots, &[-1.0])[0].is_nan());
    }

    #[test]
    fn constants_and_symbols_are_left_alone() {
        let mut graph = Graph::new();
        let (x, zero) = (graph.symbol("x", Stage::Position), graph.zero());
        let simplified = simplify(&graph, &[x, zero, x], &Limits::default());
        assert_eq!(evaluate(&simplified.graph, &simplified.roots, &[3.0]), vec![3.0, 0.0, 3.0]);
        assert!(simplify(&graph, &[], &Limits::default()).roots.is_empty());
    }

    #[test]
    fn random_functions_keep_their_values() {
        let mut random = Random(2026);
        for _ in 0..25 {
            let (graph, roots) = random_function(&mut random);
            let simplified = simplify(&graph, &roots, &Limits::default());
            assert!(
                cost::hot_weight(&simplified.graph, &simplified.roots) <= cost::hot_weight(&graph, &roots),
                "never more expensive"
            );
            for point in [[0.7, 0.4, -0.9], [1.3, -0.2, 0.5]] {
                let expected = evaluate(&graph, &roots, &point);
                let values = evaluate(&simplified.graph, &simplified.roots, &point);
                let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(value.abs()));
                for (value, expected) in values.iter().zip(&expected) {
                    assert!((value - expected).abs() <= 1e-9 * scale, "{value} instead of {expected}");
                }
            }
        }
    }
}
