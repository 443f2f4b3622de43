//! Simplifies all functions of all kernels, separately and in parallel, and puts the results of a kernel back into one
//! graph, so that what depends on parameters alone is shared by all its functions.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxHashMap;

use super::{Limits, Simplified, Watch, balance_fused, constants, simplify_watched};
use crate::derive::{Entry, Equations, Function, FunctionRole, Kernel, Output, roots};
use crate::expr::{ExprId, Graph};
use crate::parallel;

/// The log of the simplification of one function.
#[derive(Clone, Debug)]
pub struct FunctionLog {
    /// Kernel it belongs to.
    pub kernel: String,
    /// Which function.
    pub role: FunctionRole,
    /// The frame that it is about, if it is about one.
    pub frame: Option<String>,
    /// Passes that were tried, and the accuracy that was measured.
    pub result: Simplified,
}

/// The same equations, cheaper.
pub fn simplify_equations(equations: &Equations, limits: &Limits) -> (Equations, Vec<FunctionLog>) {
    simplify_equations_watched(equations, limits, &|_| {})
}

/// The same; `watch` is called after each pass.
pub fn simplify_equations_watched(
    equations: &Equations,
    limits: &Limits,
    watch: Watch,
) -> (Equations, Vec<FunctionLog>) {
    let mut tasks: Vec<Task> = Vec::new();
    let tasks_of: Vec<Vec<usize>> = equations.kernels.iter().map(|kernel| distinct_tasks(kernel, &mut tasks)).collect();
    // The most expensive first, so that no thread is left with it at the end.
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&task| Reverse(tasks[task].size));
    let done = parallel::map(&order, |&task| {
        watch("begin");
        tasks[task].simplify(equations.is_fused, limits, watch)
    });
    let mut results: Vec<(usize, Simplified)> = order.into_iter().zip(done).collect();
    results.sort_by_key(|&(task, _)| task);

    let mut simplified = equations.clone();
    let mut logs = Vec::new();
    for (kernel, tasks_of) in simplified.kernels.iter_mut().zip(tasks_of) {
        let results = tasks_of.into_iter().map(|task| (&tasks[task], &results[task].1));
        replace(kernel, results, &mut logs);
        constants::tidy(kernel, limits);
    }
    (simplified, logs)
}

/// Puts the results of the functions of a kernel into one graph.
fn replace<'r>(
    kernel: &mut Kernel,
    results: impl Iterator<Item = (&'r Task<'r>, &'r Simplified)>,
    logs: &mut Vec<FunctionLog>,
) {
    let mut graph = Graph::with_symbols_of(&kernel.graph);
    for (function, (task, result)) in kernel.functions.iter_mut().zip(results) {
        let values = transfer(&mut graph, &result.graph, &result.roots);
        let images: FxHashMap<ExprId, ExprId> = task.values.iter().copied().zip(values).collect();
        for Entry { value, .. } in function.outputs.iter_mut().flat_map(|Output { entries, .. }| entries) {
            *value = match kernel.graph.as_number(*value) {
                Some(number) => graph.number(number),
                None => images[value],
            };
        }
        let (role, frame) = (function.role, function.frame.clone());
        logs.push(FunctionLog { kernel: kernel.name.clone(), role, frame, result: result.clone() });
    }
    kernel.graph = graph;
}

/// Expressions that are simplified together.
struct Task<'k> {
    graph: &'k Graph,
    /// Each once, and no constants.
    values: Vec<ExprId>,
    /// Nodes that they are made of.
    size: usize,
    is_rare: bool,
}

impl Task<'_> {
    fn simplify(&self, is_fused: bool, limits: &Limits, watch: Watch) -> Simplified {
        let mut alone = Graph::with_symbols_of(self.graph);
        let values = transfer(&mut alone, self.graph, &self.values);
        let limits = if self.is_rare { &limits.light() } else { limits };
        let mut result = simplify_watched(&alone, &values, limits, watch);
        if is_fused {
            (result.graph, result.roots) = balance_fused(&result.graph, &result.roots);
        }
        result
    }
}

/// Adds what is to be simplified of a kernel and tells the task of every function. Functions with the same results,
/// such as a residual and the inverse dynamics, share a task.
fn distinct_tasks<'k>(kernel: &'k Kernel, tasks: &mut Vec<Task<'k>>) -> Vec<usize> {
    let graph = &kernel.graph;
    let mut known: HashMap<(BTreeSet<ExprId>, bool), usize> = HashMap::new();
    let task_of = |function: &Function| {
        let mut values = roots(function);
        values.retain(|&value| graph.as_number(value).is_none());
        let is_rare = is_rare(function.role);
        let key = (values.iter().copied().collect::<BTreeSet<_>>(), is_rare);
        *known.entry(key).or_insert_with(|| {
            let mut seen = BTreeSet::new();
            values.retain(|&value| seen.insert(value));
            let size = graph.reachable(&values).len();
            tasks.push(Task { graph, values, size, is_rare });
            tasks.len() - 1
        })
    };
    kernel.functions.iter().map(task_of).collect()
}

/// Whether a function is evaluated only once or for results, and not by the schemes in each step.
fn is_rare(role: FunctionRole) -> bool {
    match role {
        FunctionRole::Energy
        | FunctionRole::Power
        | FunctionRole::Outputs
        | FunctionRole::InitialPosition
        | FunctionRole::InitialVelocity
        | FunctionRole::AssemblySides
        | FunctionRole::ConstraintDerivatives
        | FunctionRole::ContactDerivatives
        | FunctionRole::InputDerivatives
        | FunctionRole::OutputDerivatives
        | FunctionRole::ParameterDerivatives
        | FunctionRole::ContactParameterDerivatives
        | FunctionRole::OutputParameterDerivatives
        | FunctionRole::InitialDerivatives
        | FunctionRole::SwitchingFunctions => true,
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
        | FunctionRole::ForwardDynamicsDerivatives
        | FunctionRole::InverseDynamicsSecondDerivatives
        | FunctionRole::InverseMassMatrix
        | FunctionRole::MassMatrixFactors
        | FunctionRole::CoriolisMatrix
        | FunctionRole::GravityForces
        | FunctionRole::Regressor
        | FunctionRole::CenterOfMass
        | FunctionRole::CentroidalMomentumMatrix
        | FunctionRole::CentroidalMomentumBias
        | FunctionRole::ConstraintAccelerationDerivatives
        | FunctionRole::OfFrame(_) => false,
    }
}

/// Copies expressions between graphs that have the same symbols.
fn transfer(to: &mut Graph, from: &Graph, roots: &[ExprId]) -> Vec<ExprId> {
    to.import(from, roots, &|graph, symbol| graph.symbol_expr(symbol))
}
