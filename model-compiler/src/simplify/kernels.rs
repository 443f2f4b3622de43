//! Simplifies every function of every kernel, each on its own and side by side, and puts the results of a kernel back
//! into one graph, so that what depends on parameters alone is shared by all its functions.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::{Limits, Simplified, Watch, balance_fused, constants, simplify_watched};
use crate::derive::{Entry, Equations, FunctionRole, Kernel, Output, roots};
use crate::expr::{ExprId, Graph};
use crate::parallel;

/// What simplification did to one function.
#[derive(Clone, Debug)]
pub struct FunctionLog {
    /// Kernel it belongs to.
    pub kernel: String,
    /// Which function.
    pub role: FunctionRole,
    /// Passes that were tried, and the accuracy that was measured.
    pub result: Simplified,
}

/// The same equations, cheaper.
pub fn simplify_equations(equations: &Equations, limits: &Limits) -> (Equations, Vec<FunctionLog>) {
    simplify_equations_watched(equations, limits, &|_| {})
}

/// The same, while `watch` hears of every pass.
pub fn simplify_equations_watched(
    equations: &Equations,
    limits: &Limits,
    watch: Watch,
) -> (Equations, Vec<FunctionLog>) {
    let mut simplified = equations.clone();
    let mut logs = Vec::new();
    for kernel in &mut simplified.kernels {
        simplify_kernel(kernel, equations.is_fused, limits, watch, &mut logs);
    }
    (simplified, logs)
}

fn simplify_kernel(kernel: &mut Kernel, is_fused: bool, limits: &Limits, watch: Watch, logs: &mut Vec<FunctionLog>) {
    let source = &kernel.graph;
    let (tasks, task_of) = distinct_tasks(kernel);
    let results = parallel::map(&tasks, |task| {
        watch("begin");
        let mut alone = Graph::with_symbols_of(source);
        let values = transfer(&mut alone, source, &task.values);
        let limits = if task.is_rare { &limits.light() } else { limits };
        let mut result = simplify_watched(&alone, &values, limits, watch);
        if is_fused {
            (result.graph, result.roots) = balance_fused(&result.graph, &result.roots);
        }
        result
    });
    let mut graph = Graph::with_symbols_of(source);
    for (function, task) in kernel.functions.iter_mut().zip(task_of) {
        let result = &results[task];
        let values = transfer(&mut graph, &result.graph, &result.roots);
        let images: FxHashMap<ExprId, ExprId> = tasks[task].values.iter().copied().zip(values).collect();
        for Entry { value, .. } in function.outputs.iter_mut().flat_map(|Output { entries, .. }| entries) {
            *value = match source.as_number(*value) {
                Some(number) => graph.number(number),
                None => images[value],
            };
        }
        logs.push(FunctionLog { kernel: kernel.name.clone(), role: function.role, result: result.clone() });
    }
    kernel.graph = graph;
    constants::tidy(kernel, limits);
}

/// Expressions that are simplified together.
struct Task {
    /// Each once, and no constants.
    values: Vec<ExprId>,
    is_rare: bool,
}

/// What is to be simplified, the most expensive first so that no thread is left with it in the end, and the task of
/// every function. Functions with the same results, such as a residual and the inverse dynamics, share a task.
fn distinct_tasks(kernel: &Kernel) -> (Vec<Task>, Vec<usize>) {
    let mut tasks: IndexMap<(BTreeSet<ExprId>, bool), Task> = IndexMap::new();
    let mut keys = Vec::new();
    for function in &kernel.functions {
        let mut values = roots(function);
        values.retain(|&value| kernel.graph.as_number(value).is_none());
        let key = (values.iter().copied().collect::<BTreeSet<_>>(), is_rare(function.role));
        let mut seen = BTreeSet::new();
        values.retain(|&value| seen.insert(value));
        tasks.entry(key.clone()).or_insert(Task { values, is_rare: key.1 });
        keys.push(key);
    }
    tasks.sort_by_cached_key(|_, task| Reverse(kernel.graph.reachable(&task.values).len()));
    let task_of = keys.iter().filter_map(|key| tasks.get_index_of(key)).collect();
    (tasks.into_values().collect(), task_of)
}

/// Whether a function is evaluated once, or to look at results, and not by the schemes in every step.
fn is_rare(role: FunctionRole) -> bool {
    match role {
        FunctionRole::Energy
        | FunctionRole::Outputs
        | FunctionRole::InitialPosition
        | FunctionRole::InitialVelocity => true,
        FunctionRole::MassMatrix
        | FunctionRole::BiasForce
        | FunctionRole::AppliedForce
        | FunctionRole::Constraint
        | FunctionRole::ConstraintJacobian
        | FunctionRole::ConstraintBias
        | FunctionRole::ContactGap
        | FunctionRole::ContactJacobian
        | FunctionRole::ContactBias
        | FunctionRole::Residual
        | FunctionRole::Linearization
        | FunctionRole::NonlinearEffects
        | FunctionRole::InverseDynamics
        | FunctionRole::ForwardDynamics
        | FunctionRole::InverseDynamicsDerivatives
        | FunctionRole::ForwardDynamicsDerivatives => false,
    }
}

/// Copies expressions between graphs that have the same symbols.
fn transfer(to: &mut Graph, from: &Graph, roots: &[ExprId]) -> Vec<ExprId> {
    to.import(from, roots, &|graph, symbol| graph.symbol_expr(symbol))
}
