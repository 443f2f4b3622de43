//! Copies between graphs; substitution is a copy with other symbols.

use super::{ExprId, Graph, Node, SymbolId};

impl Graph {
    /// Rebuilds `roots` of another graph here, through the constructors, with `symbols` in the place of its symbols.
    pub fn import(
        &mut self,
        other: &Graph,
        roots: &[ExprId],
        symbols: &dyn Fn(&mut Graph, SymbolId) -> ExprId,
    ) -> Vec<ExprId> {
        let mut images: Vec<Option<ExprId>> = vec![None; other.len()];
        for id in other.reachable(roots) {
            let image = match other.node(id) {
                Node::Symbol(symbol) => symbols(self, symbol),
                node => self.build(node.map(|operand| image_of(&images, operand))),
            };
            images[id.index()] = Some(image);
        }
        roots.iter().map(|&root| image_of(&images, root)).collect()
    }

    /// A copy without unreachable nodes, with the same symbols under the same identifiers.
    pub(crate) fn compact(&self, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
        let mut graph = Graph::with_symbols_of(self);
        let roots = graph.import(self, roots, &|graph, symbol| graph.symbol_expr(symbol));
        (graph, roots)
    }
}

/// Operands precede their users, so the image of an operand of a visited node exists.
fn image_of(images: &[Option<ExprId>], id: ExprId) -> ExprId {
    images[id.index()].expect("operands are visited before their users")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;

    #[test]
    fn substitutes_while_copying() {
        let mut source = Graph::new();
        let (x, y) = (source.symbol("x", Stage::Position), source.symbol("y", Stage::Position));
        let sum = source.add(x, y);
        let sine = source.sin(sum);
        let mut target = Graph::new();
        let copies = target.import(&source, &[sine], &|graph, symbol| {
            if symbol.index() == 0 { graph.integer(0) } else { graph.symbol("z", Stage::Time) }
        });
        let z = target.symbol("z", Stage::Time);
        assert_eq!(copies, vec![target.sin(z)]);
    }
}
