//! Operation counts of a model: those of its functions, summed over instances.

use super::Schedule;
use super::count::total;
use crate::derive::{Equations, FunctionRole};

/// Operations of one function of the model, summed over the instances that call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionCounts {
    /// Which function.
    pub role: FunctionRole,
    /// Its name in generated code.
    pub name: String,
    /// As derived, written out; saturates.
    pub derived: u64,
    /// As derived, shared.
    pub shared: u64,
    /// After simplification, in every evaluation.
    pub simplified: u64,
    /// After simplification, once per model.
    pub hoisted: u64,
}

/// Counts of every function that a kernel contributes to, in the order of [`FunctionRole`]. A function that is composed of
/// others has their operations, without those of its loop.
pub fn functions(equations: &Equations, schedule: &Schedule) -> Vec<FunctionCounts> {
    let mut functions: Vec<FunctionCounts> = Vec::new();
    for instance in &equations.instances {
        for function in &schedule.kernels[instance.kernel].functions {
            let counts = &function.counts;
            let added = FunctionCounts {
                role: function.role,
                name: function.name.clone(),
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
    let mut all = schedule.kernels.iter().flat_map(|kernel| &kernel.functions);
    if let Some(composed) = all.find(|function| function.is_composed()).map(|function| function.role) {
        let parts = functions.iter().filter(|known| FunctionRole::OF_SLOPES_OF_ACCELERATIONS.contains(&known.role));
        let (mut derived, mut rest) = (0_u64, [0; 3]);
        for FunctionCounts { derived: more, shared, simplified, hoisted, .. } in parts {
            derived = derived.saturating_add(*more);
            rest.iter_mut().zip([shared, simplified, hoisted]).for_each(|(sum, more)| *sum += more);
        }
        for function in functions.iter_mut().filter(|function| function.role == composed) {
            [function.shared, function.simplified, function.hoisted] = rest;
            function.derived = derived;
        }
    }
    functions
}
