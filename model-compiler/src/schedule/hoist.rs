//! What is computed once per model: everything that depends on parameters alone and is read later.

use rustc_hash::FxHashSet;

use super::name::{self, ArgumentNames, Names};
use super::{Expression, Routine, Statement, values};
use crate::derive::Kernel;
use crate::expr::ExprId;

/// Values known when the model is constructed that results or later stages read: parameters first, then the rest.
pub(super) fn hoisted(kernel: &Kernel) -> Vec<ExprId> {
    let graph = &kernel.graph;
    let roots: Vec<ExprId> = kernel.functions.iter().flat_map(|function| values(graph, function)).flatten().collect();
    let is_constant = |id: &ExprId| !graph.is_hot(*id) && graph.as_number(*id).is_none();
    let hot = graph.reachable(&roots).into_iter().filter(|&id| graph.is_hot(id));
    let read: FxHashSet<ExprId> =
        hot.flat_map(|id| graph.node(id).operands()).chain(roots.iter().copied()).filter(is_constant).collect();
    let mut hoisted: Vec<ExprId> = read.into_iter().collect();
    let parameters: Vec<ExprId> = kernel.inputs.parameters.iter().map(|&id| graph.symbol_expr(id)).collect();
    let rank = |id: &ExprId| parameters.iter().position(|parameter| parameter == id).unwrap_or(parameters.len());
    hoisted.sort_unstable_by_key(|id| (rank(id), *id));
    hoisted
}

/// Names the results of a setup: parameters keep their names, other constants are named after their formulas where those
/// are short, else `c1, c2, …`. A temporary that is a result gets its name.
pub(super) fn name_constants(setup: &mut Routine, names: &mut ArgumentNames, mut taken: Names) -> Names {
    for statement in &setup.statements {
        let Statement::Store { value, .. } = statement else { continue };
        let local = match value {
            Expression::Local(local) => Some(*local),
            _ => None,
        };
        let formula = local.map_or(value, |local| definition(setup, local).unwrap_or(value));
        let leaf_name = |leaf: &Expression| match leaf {
            Expression::Argument(argument) => Some(names.of(*argument).to_owned()),
            Expression::Number(number) => Some(name::literal(number.abs())),
            _ => None,
        };
        let constant = match formula {
            Expression::Argument(argument) => names.of(*argument).to_owned(),
            _ => match name::from_formula(formula, &leaf_name).or_else(|| name::word(formula, &leaf_name)) {
                Some(name) => taken.unique(&name),
                None => taken.next_numbered("c"),
            },
        };
        if let Some(local) = local {
            setup.locals[local].clone_from(&constant);
        }
        names.constants.push(constant);
    }
    taken
}

/// The formula of a temporary, unless it is a sine or cosine.
fn definition(routine: &Routine, temporary: usize) -> Option<&Expression> {
    routine.statements.iter().find_map(|statement| match statement {
        Statement::Let { local, value } if *local == temporary => Some(value),
        _ => None,
    })
}
