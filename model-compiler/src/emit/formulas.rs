//! Formulas that belong to no model → a module of Rust: their constants, and one function of the state.
//!
//! For measurements: a function that stands alone is compiled and timed as the kernels of a model are.

use super::kernel;
use crate::derive::{Entry, Function, FunctionRole, Inputs, Kernel, Output, Role};
use crate::expr::{ExprId, Graph, Stage, SymbolId};
use crate::schedule::{identifier, scheduled};

/// The module `name` with `Constants` and `outputs`, which computes the values that are not zero; symbols are arguments
/// by their stage. `is_fused` asks for fused products and sums.
pub fn formulas(name: &str, graph: &Graph, values: &[ExprId], is_fused: bool) -> String {
    let of = |stage: Stage| -> Vec<SymbolId> {
        let symbols = graph.symbols().iter().enumerate().filter(|(_, symbol)| symbol.stage == stage);
        symbols.map(|(index, _)| SymbolId(index as u32)).collect()
    };
    let inputs = Inputs {
        parameters: of(Stage::Parameter),
        inputs: of(Stage::Time),
        q: of(Stage::Position),
        v: of(Stage::Velocity),
        a: of(Stage::Acceleration),
        ..Inputs::default()
    };
    let entries = values.iter().enumerate().map(|(row, &value)| Entry { row, column: 0, value }).collect();
    let outputs = vec![Output { role: Role::Outputs, shape: (values.len(), 1), entries }];
    let kernel = Kernel {
        name: identifier(name),
        doc: format!("The function {name}."),
        graph: graph.clone(),
        inputs,
        functions: vec![Function::new(FunctionRole::Outputs, outputs)],
    };
    kernel::module(&kernel.name, &kernel.doc, &scheduled(&kernel, &kernel, is_fused), "", "::hamel")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_arguments_by_their_stage() {
        let mut graph = Graph::new();
        let [length, angle] =
            [("length", Stage::Parameter), ("angle", Stage::Position)].map(|(name, stage)| graph.symbol(name, stage));
        let (sine, area) = (graph.sin(angle), graph.mul(length, length));
        let values = [graph.mul(area, sine), graph.add(sine, length)];
        let text = formulas("height", &graph, &values, false);
        let signature = "pub fn outputs<T: Real>(constants: &Constants<T>, q: &[T; 1], outputs: &mut [T; 2])";
        assert!(text.contains(signature), "{text}");
        assert!(text.contains("pub fn new([length]: [T; 1]) -> Self"), "{text}");
        assert!(syn::parse_str::<syn::ItemMod>(&text).is_ok(), "{text}");
    }
}
