//! What is computed once per model, and its names.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::name::{self, ArgumentNames, Names};
use super::{Expression, Routine, Statement};
use crate::derive::{Kernel, constants};
use crate::expr::{ExprId, Node, SymbolId};

/// The constants of a kernel: parameters first, then the rest.
pub(super) fn hoisted(kernel: &Kernel) -> Vec<ExprId> {
    let mut hoisted = constants(kernel);
    let parameters: Vec<ExprId> = kernel.inputs.parameters.iter().map(|&id| kernel.graph.symbol_expr(id)).collect();
    let rank = |id: &ExprId| parameters.iter().position(|parameter| parameter == id).unwrap_or(parameters.len());
    hoisted.sort_by_key(rank);
    hoisted
}

/// Names the results of a setup: parameters keep their names, other constants are named after their formulas where those
/// are short, else `c1, c2, …`. A temporary that is a result gets its name.
pub(super) fn name_constants(
    kernel: &Kernel,
    hoisted: &[ExprId],
    setup: &mut Routine,
    names: &mut ArgumentNames,
    mut taken: Names,
) -> Names {
    let result = |statement: &Statement| match statement {
        Statement::Store { value: Expression::Local(stored), .. } => Some(*stored),
        _ => None,
    };
    let results: FxHashSet<usize> = setup.statements.iter().filter_map(result).collect();
    let is_result = |local: usize| results.contains(&local);
    // Numbers and other temporaries of the setup keep their names: 19 is `c19` there, and no constant may be.
    let mut scope = taken.clone();
    scope.take(setup.numbers.values().cloned());
    scope.take((0..setup.locals.len()).filter(|&local| !is_result(local)).map(|local| setup.locals[local].clone()));
    let symbols: FxHashMap<SymbolId, usize> =
        kernel.inputs.parameters.iter().enumerate().map(|(i, &symbol)| (symbol, i)).collect();
    let symbol = |id| symbols.get(&id).copied();
    for &id in hoisted {
        let word = name::of_constant(&kernel.graph, id, &|id| symbol(id).map(|i| names.parameters[i].clone()));
        let constant = match (kernel.graph.node(id), word) {
            (Node::Symbol(_), Some(name)) => name,
            (_, Some(name)) => scope.unique(&name),
            (_, None) => scope.next_numbered("c"),
        };
        names.constants.push(constant);
    }
    for statement in &setup.statements {
        if let Statement::Store { position, value: Expression::Local(local), .. } = statement {
            Arc::make_mut(&mut setup.locals)[*local].clone_from(&names.constants[*position]);
        }
    }
    taken.take(names.constants.iter().cloned());
    taken
}
