//! Operation counts: as derived, after common subexpressions are shared, after simplification.

use super::Schedule;
use crate::derive::{Equations, FunctionRole, Kernel};
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

/// Operations of one function of the model, summed over the instances that call it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionCounts {
    /// Which function.
    pub role: FunctionRole,
    /// As derived, written out; saturates.
    pub derived: u64,
    /// As derived, shared.
    pub shared: u64,
    /// After simplification, in every evaluation.
    pub simplified: u64,
    /// After simplification, once per model.
    pub hoisted: u64,
}

/// Counts of every function that a kernel contributes to, in the order of [`FunctionRole`].
pub fn functions(equations: &Equations, schedule: &Schedule) -> Vec<FunctionCounts> {
    let mut functions: Vec<FunctionCounts> = Vec::new();
    for instance in &equations.instances {
        for function in &schedule.kernels[instance.kernel].functions {
            let counts = &function.counts;
            let added = FunctionCounts {
                role: function.role,
                derived: counts.derived,
                shared: total(&counts.shared),
                simplified: total(&counts.simplified),
                hoisted: counts.hoisted,
            };
            match functions.iter_mut().find(|known| known.role == function.role) {
                Some(known) => {
                    known.derived = known.derived.saturating_add(added.derived);
                    known.shared += added.shared;
                    known.simplified += added.simplified;
                    known.hoisted += added.hoisted;
                }
                None => functions.push(added),
            }
        }
    }
    functions.sort_by_key(|function| function.role);
    functions
}

fn roots(kernel: &Kernel, role: FunctionRole) -> Vec<ExprId> {
    let functions = kernel.functions.iter().filter(|function| function.role == role);
    functions
        .flat_map(|function| &function.outputs)
        .flat_map(|output| &output.entries)
        .map(|entry| entry.value)
        .collect()
}
