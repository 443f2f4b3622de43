//! Which operations are counted when several derivations of the same function are compared.

use crate::expr::{ExprId, Graph, Operations, Stage};

/// Which operations are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Those of each evaluation; what depends on parameters alone is computed once per model.
    #[default]
    EveryEvaluation,
    /// All of them, as if parameters were different in every evaluation.
    All,
}

impl Counting {
    /// Operations that these values need.
    pub(super) fn operations(self, graph: &Graph, values: &[ExprId]) -> u64 {
        match self {
            Counting::EveryEvaluation => Operations::hot(graph, values).arithmetic(),
            Counting::All => Operations::of(graph, values).arithmetic(),
        }
    }

    /// Whether operations on this value alone are not counted.
    pub(super) fn is_free(self, graph: &Graph, value: ExprId) -> bool {
        graph.as_number(value).is_some()
            || (self == Counting::EveryEvaluation && graph.stage(value) <= Stage::Parameter)
    }
}
