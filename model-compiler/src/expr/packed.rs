//! Nodes as a graph keeps them: twenty bytes, where a [`Node`] with an exact number takes 48.

use std::hash::{Hash, Hasher};

use super::node::Operands;
use super::{Binary, ExprId, Node, Number, SymbolId, Unary};

/// A node whose number, if it is one, is kept elsewhere. Unused operands are zero, so that equal nodes are equal bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Packed {
    kind: Kind,
    /// Operands, or the place of a number or symbol.
    fields: [u32; 4],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Number,
    Symbol,
    Unary(Unary),
    Binary(Binary),
    Select,
}

impl Kind {
    /// A number of its own for each.
    fn code(self) -> u64 {
        match self {
            Kind::Number => 0,
            Kind::Symbol => 1,
            Kind::Select => 2,
            Kind::Unary(op) => 0x100 | op as u64,
            Kind::Binary(op) => 0x200 | op as u64,
        }
    }
}

impl Hash for Packed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [a, b, c, d] = self.fields.map(u64::from);
        state.write_u64(self.kind.code() << 32 | a);
        state.write_u64(b << 32 | c);
        if d != 0 {
            state.write_u64(d);
        }
    }
}

impl Packed {
    pub(super) fn symbol(SymbolId(symbol): SymbolId) -> Packed {
        Packed { kind: Kind::Symbol, fields: [symbol, 0, 0, 0] }
    }

    /// `place_of` tells where a number is kept.
    pub(super) fn new(node: Node, place_of: impl FnOnce(Number) -> usize) -> Packed {
        let (kind, fields) = match node {
            Node::Symbol(symbol) => return Packed::symbol(symbol),
            Node::Number(number) => (Kind::Number, [place_of(number) as u32, 0, 0, 0]),
            Node::Unary(op, ExprId(a)) => (Kind::Unary(op), [a, 0, 0, 0]),
            Node::Binary(op, ExprId(a), ExprId(b)) => (Kind::Binary(op), [a, b, 0, 0]),
            Node::Select { lhs, rhs, then, otherwise } => (Kind::Select, [lhs.0, rhs.0, then.0, otherwise.0]),
        };
        Packed { kind, fields }
    }

    /// `number_at` gives the number that is kept at a place.
    pub(super) fn node(self, number_at: impl FnOnce(usize) -> Number) -> Node {
        let [a, b, c, d] = self.fields;
        match self.kind {
            Kind::Number => Node::Number(number_at(a as usize)),
            Kind::Symbol => Node::Symbol(SymbolId(a)),
            Kind::Unary(op) => Node::Unary(op, ExprId(a)),
            Kind::Binary(op) => Node::Binary(op, ExprId(a), ExprId(b)),
            Kind::Select => Node::Select { lhs: ExprId(a), rhs: ExprId(b), then: ExprId(c), otherwise: ExprId(d) },
        }
    }

    /// Where its number is kept, if it is one.
    pub(super) fn number(self) -> Option<usize> {
        (self.kind == Kind::Number).then_some(self.fields[0] as usize)
    }

    pub(super) fn operands(self) -> Operands {
        let count = match self.kind {
            Kind::Number | Kind::Symbol => 0,
            Kind::Unary(_) => 1,
            Kind::Binary(..) => 2,
            Kind::Select => 4,
        };
        Operands::first(self.fields.map(ExprId), count)
    }
}
