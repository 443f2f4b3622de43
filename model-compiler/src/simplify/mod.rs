//! Makes expressions cheap to evaluate without changing what they compute.
//!
//! The portfolio: several starting forms of a function, from as derived to multiplied out, go through merging of equal
//! expressions ([`fingerprint`]) and extraction of common factors ([`factor`]); the best go on through rewriting by
//! equality saturation ([`window`]). The cheapest version wins that equals the input at points of a finite field of their
//! own ([`field`]), keeps its rounding errors ([`accuracy`]), and still evaluates its square roots, whose NaN is a signal.
//! The input is one of the versions, so the result is never more expensive. What is known before a simulation starts is
//! free. No pass knows the time or an unordered set: equal inputs give equal results everywhere.
//!
//! Where the input divides by zero the result may be finite: common factors of numerator and denominator may cancel.

mod accuracy;
mod balance;
#[cfg(test)]
mod cases;
mod cost;
mod expand;
mod factor;
mod field;
pub(crate) mod fingerprint;
mod kernels;
mod limits;
mod polynomial;

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

use crate::expr::{ExprId, Graph, Node, Operations, Unary};

pub use accuracy::{Accuracy, Errors};
pub use kernels::{FunctionLog, simplify_equations};
pub use limits::Limits;
pub use polynomial::Form;

/// A simplified function.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The expressions; symbols have the identifiers that they had.
    pub graph: Graph,
    /// The results, in the order in which they were asked for.
    pub roots: Vec<ExprId>,
    /// What every pass achieved, in the order in which they ran.
    pub log: Vec<PassLog>,
    /// Rounding errors before and after.
    pub accuracy: Accuracy,
}

/// What one pass achieved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassLog {
    /// The form that the function was started from.
    pub start: &'static str,
    /// The pass.
    pub pass: &'static str,
    /// What is left to compute in every step.
    pub operations: Operations,
    /// What else there is to say, such as why rewriting stopped; may be empty.
    pub note: String,
}

/// The cheapest form found of the functions `roots`.
pub fn simplify(graph: &Graph, roots: &[ExprId], limits: &Limits) -> Simplified {
    let mut portfolio = Portfolio::new(graph, roots, limits);
    portfolio.try_starts();
    portfolio.rewrite_best();
    portfolio.select()
}

/// One form of the function.
#[derive(Clone)]
struct Version {
    start: &'static str,
    graph: Graph,
    roots: Vec<ExprId>,
    weight: u64,
}

impl Version {
    fn new(start: &'static str, (graph, roots): (Graph, Vec<ExprId>)) -> Version {
        let weight = cost::hot_weight(&graph, &roots);
        Version { start, graph, roots, weight }
    }

    fn operation_count(&self) -> usize {
        self.graph.reachable(&self.roots).into_iter().filter(|&id| self.graph.is_hot(id)).count()
    }
}

struct Portfolio<'l> {
    limits: &'l Limits,
    input: Version,
    versions: Vec<Version>,
    log: Vec<PassLog>,
}

impl<'l> Portfolio<'l> {
    fn new(graph: &Graph, roots: &[ExprId], limits: &'l Limits) -> Portfolio<'l> {
        let input = Version::new("derived", graph.compact(roots));
        let mut portfolio = Portfolio { limits, input: input.clone(), versions: Vec::new(), log: Vec::new() };
        portfolio.record("input", input, String::new());
        portfolio
    }

    /// Brings the function into its starting forms, and factors each.
    fn try_starts(&mut self) {
        const INLINED: Form = Form::Inlined { terms: 2 };
        let merged = self.merge(self.input.clone());
        self.start("derived", &merged, Form::Derived);
        self.start("inlined", &merged, INLINED);
        let reduced = self.versions[self.best_indices(1)[0]].clone();
        if reduced.operation_count() > self.limits.expand_below {
            return;
        }
        for source in [merged, reduced] {
            for (name, terms, reduce_squares) in [
                ("expanded to 12", 12, false),
                ("expanded to 12, squares reduced", 12, true),
                ("expanded to 40", 40, false),
                ("expanded to 40, squares reduced", 40, true),
            ] {
                self.start(name, &source, Form::Expanded { terms, reduce_squares });
            }
        }
    }

    fn start(&mut self, name: &'static str, source: &Version, form: Form) {
        let size_limit = match form {
            Form::Expanded { .. } => self.limits.growth * source.operation_count(),
            Form::Derived | Form::Inlined { .. } => usize::MAX,
        };
        let Some(factored) = factor::factor(&source.graph, &source.roots, form, size_limit) else {
            return self.note_abandoned(name, source);
        };
        let factored = self.record("factor", Version::new(name, factored), String::new());
        let factored = self.factor(factored);
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
                let factored = self.factor(rewritten);
                version = self.merge(factored);
            }
        }
    }

    #[cfg(not(feature = "egraph"))]
    fn rewrite_best(&mut self) {}

    fn factor(&mut self, version: Version) -> Version {
        const FORM: Form = Form::Inlined { terms: 2 };
        match factor::factor(&version.graph, &version.roots, FORM, usize::MAX) {
            Some(factored) => self.record("factor", Version::new(version.start, factored), String::new()),
            None => version,
        }
    }

    fn merge(&mut self, version: Version) -> Version {
        let merged = fingerprint::merge_equal(&version.graph, &version.roots);
        self.record("merge", Version::new(version.start, merged), String::new())
    }

    fn record(&mut self, pass: &'static str, version: Version, note: String) -> Version {
        let operations = Operations::hot(&version.graph, &version.roots);
        self.log.push(PassLog { start: version.start, pass, operations, note });
        self.versions.push(version.clone());
        version
    }

    fn note_abandoned(&mut self, start: &'static str, source: &Version) {
        let operations = Operations::hot(&source.graph, &source.roots);
        self.log.push(PassLog { start, pass: "factor", operations, note: "abandoned: too large".to_owned() });
    }

    /// The cheapest version of each start, of all starts the `count` cheapest.
    fn best_indices(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.versions.len()).collect();
        // Of equal versions the last one went through most passes.
        order.sort_by_key(|&index| (self.versions[index].weight, Reverse(index)));
        let mut starts = BTreeSet::new();
        order.retain(|&index| starts.insert(self.versions[index].start));
        order.truncate(count);
        order
    }

    /// The cheapest version that is correct and accurate; among equals the one with the shortest chain of operations.
    fn select(mut self) -> Simplified {
        let reference = accuracy::Reference::new(&self.input.graph, &self.input.roots, self.limits.accuracy_points);
        let mut versions = std::mem::take(&mut self.versions);
        versions.sort_by_key(|version| version.weight);
        for equals in versions.chunk_by(|a, b| a.weight == b.weight) {
            let mut candidates: Vec<Version> = equals.iter().map(balanced).collect();
            candidates.sort_by_key(|version| cost::critical_path(&version.graph, &version.roots));
            for candidate in candidates {
                let errors = reference.measure(&candidate.graph, &candidate.roots);
                let is_sound = self.keeps_roots(&candidate)
                    && field::are_equal(
                        (&self.input.graph, &self.input.roots),
                        (&candidate.graph, &candidate.roots),
                    );
                if is_sound && reference.accepts(errors) {
                    let accuracy = Accuracy { input: reference.errors(), output: errors };
                    let Version { graph, roots, .. } = candidate;
                    return Simplified { graph, roots, log: self.log, accuracy };
                }
            }
        }
        let accuracy = Accuracy { input: reference.errors(), output: reference.errors() };
        Simplified { graph: self.input.graph, roots: self.input.roots, log: self.log, accuracy }
    }

    /// Whether all radicands of the input are still radicands.
    fn keeps_roots(&self, version: &Version) -> bool {
        radicands(version).is_superset(&radicands(&self.input))
    }
}

/// The values of what square roots are taken of in every step, at one point of the finite field.
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
