//! Operation counts of a function: as derived, after common subexpressions are shared, after simplification.

use crate::derive::{FunctionRole, Kernel};
use crate::expr::{ExprId, Operations, tree_size};

/// Operations of one function of one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// As derived, every expression written out as a tree; saturates.
    pub derived: u64,
    /// As derived, every common subexpression computed once.
    pub shared: Operations,
    /// After simplification, in every evaluation.
    pub simplified: Operations,
    /// After simplification, once per model.
    pub hoisted: u64,
}

impl Counts {
    /// Counts of the function with this role.
    pub(super) fn of(derived: &Kernel, simplified: &Kernel, role: FunctionRole) -> Counts {
        let (before, after) = (roots(derived, role), roots(simplified, role));
        let hot = Operations::hot(&simplified.graph, &after);
        Counts {
            derived: tree_size(&derived.graph, &before),
            shared: Operations::of(&derived.graph, &before),
            simplified: hot,
            hoisted: total(&Operations::of(&simplified.graph, &after)) - total(&hot),
        }
    }
}

/// Number of operations of all kinds.
pub fn total(operations: &Operations) -> u64 {
    let Operations { adds, muls, negs, divs, sqrts, trig, powers, selects, other, pairs: _ } = *operations;
    adds + muls + negs + divs + sqrts + trig + powers + selects + other
}

fn roots(kernel: &Kernel, role: FunctionRole) -> Vec<ExprId> {
    let functions = kernel.functions.iter().filter(|function| function.role == role);
    functions
        .flat_map(|function| &function.outputs)
        .flat_map(|output| &output.entries)
        .map(|entry| entry.value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kind is another power of two, so that every one that is left out or counted twice changes the sum.
    #[test]
    fn all_kinds_of_operations_are_counted_once() {
        let operations = Operations {
            adds: 1,
            muls: 2,
            negs: 4,
            divs: 8,
            sqrts: 16,
            trig: 32,
            powers: 64,
            selects: 128,
            other: 256,
            pairs: 512,
        };
        assert_eq!(total(&operations), 511);
    }
}
