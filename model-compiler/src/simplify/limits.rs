//! How much work simplification may do. Limits are counts, never times, so that results do not depend on the machine.

/// Bounds on the passes; larger bounds find cheaper code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Times that factoring, rewriting and merging follow each other.
    pub rounds: usize,
    /// Versions that are rewritten, the cheapest of different starts.
    pub rewritten_versions: usize,
    /// Operations per rewriting window, one size for every round, so that borders move.
    pub window_sizes: Vec<usize>,
    /// Nodes of one e-graph.
    pub egraph_nodes: usize,
    /// Rewriting iterations in one e-graph.
    pub egraph_iterations: usize,
    /// Operations of a function up to which it is rewritten by e-graphs.
    pub rewrite_below: usize,
    /// Nodes of a function up to which multiplied-out forms are tried.
    pub expand_below: usize,
    /// Factor by which a multiplied-out form may exceed the function.
    pub growth: usize,
    /// Points at which rounding errors are compared.
    pub accuracy_points: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            rounds: 2,
            rewritten_versions: 2,
            window_sizes: vec![250, 333],
            egraph_nodes: 10_000,
            egraph_iterations: 12,
            rewrite_below: 4_000,
            expand_below: 400,
            growth: 3,
            accuracy_points: 200,
        }
    }
}
