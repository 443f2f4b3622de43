//! Simplifies what depends on parameters alone.
//!
//! In a function such values cost nothing, so its simplification leaves them unchanged: multiples that are not merged,
//! the same value in two forms. When all functions of a kernel are simplified, their constants are simplified together,
//! as functions of the parameters, so that equal ones are merged and each is readable.

use rustc_hash::FxHashMap;

use super::{Limits, simplify};
use crate::derive::{Kernel, constants, roots};
use crate::expr::{ExprId, Graph, Stage};

/// The kernel with simplified constants.
pub(super) fn tidy(kernel: &mut Kernel, limits: &Limits) {
    let constants = constants(kernel);
    // Here the parameters are the variables.
    let mut alone = Graph::new();
    for symbol in kernel.graph.symbols() {
        alone.symbol(&symbol.name, Stage::Position);
    }
    let values = alone.import(&kernel.graph, &constants, &|graph, symbol| graph.symbol_expr(symbol));
    let tidy = simplify(&alone, &values, &limits.light());

    let mut graph = Graph::with_symbols_of(&kernel.graph);
    let tidied = graph.import(&tidy.graph, &tidy.roots, &|graph, symbol| graph.symbol_expr(symbol));
    let mut images: FxHashMap<ExprId, ExprId> = constants.into_iter().zip(tidied).collect();
    let all: Vec<ExprId> = kernel.functions.iter().flat_map(roots).collect();
    for id in kernel.graph.reachable(&all) {
        if !images.contains_key(&id) {
            // Intermediate values that only constants use have no image and are not needed.
            let node = kernel.graph.node(id);
            if node.operands().all(|operand| images.contains_key(&operand)) {
                let image = graph.build(node.map(|operand| images[&operand]));
                images.insert(id, image);
            }
        }
    }
    for entry in kernel.functions.iter_mut().flat_map(|f| &mut f.outputs).flat_map(|output| &mut output.entries) {
        entry.value = images[&entry.value];
    }
    kernel.graph = graph;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::evaluate;
    use crate::schedule::fixture::pendulum;

    #[test]
    fn equal_constants_become_one() {
        let mut kernel = pendulum().kernels.remove(0);
        let g = &mut kernel.graph;
        let [m, l] = ["mass", "length"].map(|name| g.symbol(name, Stage::Parameter));
        let x = g.symbol("hinge.angle", Stage::Position);
        // m l²/12 + m l²/4 and l (m l)/3 are the same.
        let ml = g.mul(m, l);
        let (twelfth, quarter, third) = (g.ratio(1, 12), g.ratio(1, 4), g.ratio(1, 3));
        let (rod, offset) = (g.product(&[twelfth, l, ml]), g.product(&[quarter, ml, l]));
        let (sum, same) = (g.add(rod, offset), g.product(&[third, ml, l]));
        let (sine, cosine) = (g.sin(x), g.cos(x));
        let values = [g.mul(sum, sine), g.mul(same, cosine)];
        kernel.functions.truncate(1);
        let output = &mut kernel.functions[0].outputs[0];
        let entry = output.entries[0];
        output.entries =
            values.iter().enumerate().map(|(row, &value)| crate::derive::Entry { row, value, ..entry }).collect();
        output.shape = (2, 1);

        let point: Vec<f64> = (0..kernel.graph.symbols().len()).map(|i| 0.7 + 0.3 * i as f64).collect();
        let before = evaluate(&kernel.graph, &roots(&kernel.functions[0]), &point);
        tidy(&mut kernel, &Limits::default());
        let after = evaluate(&kernel.graph, &roots(&kernel.functions[0]), &point);
        assert_eq!(constants(&kernel).len(), 1);
        for (before, after) in before.iter().zip(after) {
            assert!((before - after).abs() < 1e-15, "{before} and {after}");
        }
    }
}
