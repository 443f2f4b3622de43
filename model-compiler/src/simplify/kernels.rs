//! Simplifies every function of every kernel, each on its own and side by side, and puts the results of a kernel back into one graph,
//! so that what depends on parameters alone is shared by all its functions.

use super::{Limits, Simplified, balance_fused, constants, parallel, simplify};
use crate::derive::{Entry, Equations, Function, FunctionRole, Kernel, Output, roots};
use crate::expr::{ExprId, Graph};

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
    let mut simplified = equations.clone();
    let mut logs = Vec::new();
    for kernel in &mut simplified.kernels {
        simplify_kernel(kernel, equations.is_fused, limits, &mut logs);
    }
    (simplified, logs)
}

fn simplify_kernel(kernel: &mut Kernel, is_fused: bool, limits: &Limits, logs: &mut Vec<FunctionLog>) {
    let source = &kernel.graph;
    let results = parallel::map(&kernel.functions, |function| {
        let mut alone = Graph::with_symbols_of(source);
        let values = transfer(&mut alone, source, &roots(function));
        let limits = if is_rare(function.role) { &limits.light() } else { limits };
        let mut result = simplify(&alone, &values, limits);
        if is_fused {
            (result.graph, result.roots) = balance_fused(&result.graph, &result.roots);
        }
        result
    });
    let mut graph = Graph::with_symbols_of(source);
    for (function, result) in kernel.functions.iter_mut().zip(results) {
        let values = transfer(&mut graph, &result.graph, &result.roots);
        replace(function, &values);
        logs.push(FunctionLog { kernel: kernel.name.clone(), role: function.role, result });
    }
    kernel.graph = graph;
    constants::tidy(kernel, limits);
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

fn replace(function: &mut Function, values: &[ExprId]) {
    let entries = function.outputs.iter_mut().flat_map(|Output { entries, .. }| entries);
    for (Entry { value, .. }, &new) in entries.zip(values) {
        *value = new;
    }
}
