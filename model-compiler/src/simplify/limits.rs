//! How much work simplification may do. Limits are counts, never times, so that results do not depend on the machine.

use crate::expr::fingerprint::MOST_PAIRS;

/// Bounds on the passes; larger bounds find cheaper code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Percentage of a function's weight that its first version must save before it is rewritten and, if it is large,
    /// before other starts are tried.
    pub slack: u64,
    /// Times that a version is rewritten, factored and merged.
    pub rounds: usize,
    /// Versions that are rewritten, the cheapest of different starts.
    pub rewritten_versions: usize,
    /// Operations per rewriting window, one size for every round, so that borders move.
    pub window_sizes: Vec<usize>,
    /// Nodes of an e-graph per operation that it begins with.
    pub egraph_growth: usize,
    /// Nodes of all e-graphs of a round together; those of large functions grow less.
    pub egraph_nodes: usize,
    /// Rewriting iterations in one e-graph.
    pub egraph_iterations: usize,
    /// Operations of a function up to which it is rewritten by e-graphs.
    pub rewrite_below: usize,
    /// Operations of a function up to which other starts are tried if the first one pays. What starts of larger functions
    /// differ by is less than a thousandth.
    pub start_again_below: usize,
    /// Operations of a function up to which it is small: multiplied-out forms are tried.
    pub expand_below: usize,
    /// Additions and multiplications of a multiplied-out form per operation of the function; some are allowed in any case.
    pub growth: usize,
    /// Versions whose windows are factored again, the cheapest of different starts, if savings are likely.
    pub refactored_versions: usize,
    /// Operations per window that is factored again, one size for each round.
    pub refactoring_sizes: Vec<usize>,
    /// Consecutive rounds without improvement that are allowed.
    pub idle_rounds: usize,
    /// Operations of small functions that may be factored again without gain, per version.
    pub refactored_operations: usize,
    /// Operations that may be factored again without gain, per unit of weight saved by the starts.
    pub worth_of_starts: usize,
    /// Most operations that may be factored again without gain, per version.
    pub most_refactored_operations: usize,
    /// Operations that are factored again per unit of weight that this has saved.
    pub refactoring_worth: usize,
    /// Pairs of expressions per pass that are tried as operands of a third.
    pub pairs: usize,
    /// Most points at which rounding errors are compared.
    pub accuracy_points: usize,
}

impl Limits {
    /// Limits for functions that are evaluated rarely: no rewriting, and multiplied-out forms of the smallest only.
    pub fn light(&self) -> Limits {
        Limits { rounds: 0, refactored_versions: 0, expand_below: self.expand_below / 8, ..self.clone() }
    }

    /// Limits for models that are compiled in memory and run at once: what the first passes find.
    pub fn at_once() -> Limits {
        Limits { pairs: 1_000_000, accuracy_points: 20, ..Limits::least() }
    }

    /// The least work: equal expressions are merged and common factors extracted, once.
    pub fn least() -> Limits {
        Limits { rounds: 0, refactored_versions: 0, expand_below: 0, accuracy_points: 4, ..Limits::default() }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            slack: 8,
            rounds: 2,
            rewritten_versions: 1,
            window_sizes: vec![250, 333],
            egraph_growth: 15,
            egraph_nodes: 6_000,
            egraph_iterations: 6,
            rewrite_below: 400,
            start_again_below: 20_000,
            expand_below: 400,
            growth: 6,
            refactored_versions: 2,
            refactoring_sizes: vec![300, 200, 130, 300, 150],
            idle_rounds: 3,
            refactored_operations: 1_000,
            worth_of_starts: 15,
            most_refactored_operations: 3_000,
            refactoring_worth: 80,
            pairs: MOST_PAIRS,
            accuracy_points: 200,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_work_has_lower_limits() {
        let [full, light, least] = [Limits::default(), Limits::default().light(), Limits::least()];
        let counts =
            |limits: &Limits| [limits.rounds, limits.refactored_versions, limits.expand_below, limits.accuracy_points];
        let [full, light, least] = [full, light, least].map(|limits| counts(&limits));
        assert_eq!([light[0], light[1]], [0, 0], "light: nothing is rewritten");
        assert_eq!([least[0], least[1], least[2]], [0, 0, 0], "least: nothing is rewritten or multiplied out");
        assert!((0..4).all(|i| least[i] <= light[i] && light[i] <= full[i]), "{least:?} {light:?} {full:?}");
        assert!(full.iter().all(|&count| count > 0), "{full:?}");
    }
}
