//! How much work simplification may do. Limits are counts, never times, so that results do not depend on the machine.

/// Bounds on the passes; larger bounds find cheaper code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Times that a version is rewritten, factored and merged.
    pub rounds: usize,
    /// Versions that are rewritten, the cheapest of different starts.
    pub rewritten_versions: usize,
    /// Nodes of all e-graphs together; when they are used up, no further round begins.
    pub egraph_budget: usize,
    /// Operations per rewriting window, one size for every round, so that borders move.
    pub window_sizes: Vec<usize>,
    /// Fewest and most nodes of one e-graph; in between, the budget is divided among the windows.
    pub egraph_nodes: [usize; 2],
    /// Rewriting iterations in one e-graph.
    pub egraph_iterations: usize,
    /// Operations of a function up to which it is rewritten by e-graphs.
    pub rewrite_below: usize,
    /// Nodes of a function up to which multiplied-out forms are tried.
    pub expand_below: usize,
    /// Additions and multiplications of a multiplied-out form per operation of the function; some are allowed in any case.
    pub growth: usize,
    /// Most points at which rounding errors are compared.
    pub accuracy_points: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            rounds: 2,
            rewritten_versions: 2,
            egraph_budget: 6_000,
            window_sizes: vec![250, 333],
            egraph_nodes: [1_000, 3_000],
            egraph_iterations: 6,
            rewrite_below: 2_000,
            expand_below: 400,
            growth: 6,
            accuracy_points: 200,
        }
    }
}
