//! The vocabulary of the graph: identifiers, stages, operators and nodes.

use super::Number;

/// A node of a [`Graph`](super::Graph). Operands always have smaller identifiers than the node that uses them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub(super) u32);

impl ExprId {
    /// Position in the graph's arena, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A symbol of a [`Graph`](super::Graph), numbered in the order of declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId(pub(crate) u32);

impl SymbolId {
    /// Position in [`Graph::symbols`](super::Graph::symbols) and in the values given to [`evaluate`](super::evaluate).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// When a value becomes known while a model runs. A node belongs to the latest stage among its symbols.
///
/// What is known at [`Stage::Parameter`] is computed once per model and costs nothing per step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Stage {
    /// Known when the model is compiled.
    #[default]
    Constant,
    /// Known when the model is constructed.
    Parameter,
    /// A function of time.
    Time,
    /// A function of the coordinates q.
    Position,
    /// A function of the velocities v.
    Velocity,
    /// A function of the accelerations a or of the constraint multipliers.
    Acceleration,
}

/// A named input of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name as declared.
    pub name: String,
    /// When the value becomes known.
    pub stage: Stage,
}

/// Functions of one argument.
#[allow(missing_docs, reason = "the names are the mathematical ones")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Unary {
    Neg,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sqrt,
    Exp,
    Ln,
    Tanh,
    Abs,
    /// -1, 0 or 1; zero at zero, unlike `f64::signum`.
    Sign,
}

/// Functions of two arguments.
#[allow(missing_docs, reason = "the names are the mathematical ones")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// `atan2(y, x)`, the first operand is y.
    Atan2,
    /// Base and exponent.
    Power,
    Min,
    Max,
}

impl Unary {
    /// The word of the language for it; generated code and LaTeX depart from it where theirs differ.
    pub fn word(self) -> &'static str {
        match self {
            Unary::Neg => "-",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tan => "tan",
            Unary::Asin => "asin",
            Unary::Acos => "acos",
            Unary::Atan => "atan",
            Unary::Sqrt => "sqrt",
            Unary::Exp => "exp",
            Unary::Ln => "ln",
            Unary::Tanh => "tanh",
            Unary::Abs => "abs",
            Unary::Sign => "sign",
        }
    }
}

impl Binary {
    /// The operator, or the word of the language for it; generated code departs from it where its words differ.
    pub fn word(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Atan2 => "atan2",
            Binary::Power => "^",
            Binary::Min => "min",
            Binary::Max => "max",
        }
    }

    /// Whether the operands may be exchanged.
    pub(crate) fn is_commutative(self) -> bool {
        matches!(self, Binary::Add | Binary::Mul | Binary::Min | Binary::Max)
    }
}

/// One node of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// An exact constant.
    Number(Number),
    /// A named input.
    Symbol(SymbolId),
    /// A function of one argument.
    Unary(Unary, ExprId),
    /// A function of two arguments.
    Binary(Binary, ExprId, ExprId),
    /// `lhs < rhs ? then : otherwise`. Both branches are evaluated.
    Select {
        /// Left of the comparison.
        lhs: ExprId,
        /// Right of the comparison.
        rhs: ExprId,
        /// Value if `lhs < rhs`.
        then: ExprId,
        /// Value if not.
        otherwise: ExprId,
    },
}

/// The operands of a node, from left to right.
///
/// Adapters of the standard library would do, but without optimisation, as macros are built, they take a tenth of
/// the time of the whole compiler.
#[derive(Clone, Debug)]
pub struct Operands {
    ids: [ExprId; 4],
    next: usize,
    end: usize,
}

impl Operands {
    /// The first `end` of these.
    pub(super) fn first(ids: [ExprId; 4], end: usize) -> Operands {
        Operands { ids, next: 0, end }
    }
}

impl Iterator for Operands {
    type Item = ExprId;

    fn next(&mut self) -> Option<ExprId> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(self.ids[self.next - 1])
    }
}

impl Node {
    /// The operands, from left to right.
    pub(crate) fn operands(&self) -> Operands {
        let (ids, end) = match *self {
            Node::Number(_) | Node::Symbol(_) => ([ExprId(0); 4], 0),
            Node::Unary(_, a) => ([a; 4], 1),
            Node::Binary(_, a, b) => ([a, b, b, b], 2),
            Node::Select { lhs, rhs, then, otherwise } => ([lhs, rhs, then, otherwise], 4),
        };
        Operands::first(ids, end)
    }

    /// Whether the node has no operands.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self, Node::Number(_) | Node::Symbol(_))
    }

    /// The same operator on other operands.
    pub fn map(&self, mut operand: impl FnMut(ExprId) -> ExprId) -> Node {
        match *self {
            leaf @ (Node::Number(_) | Node::Symbol(_)) => leaf,
            Node::Unary(op, a) => Node::Unary(op, operand(a)),
            Node::Binary(op, a, b) => Node::Binary(op, operand(a), operand(b)),
            Node::Select { lhs, rhs, then, otherwise } => Node::Select {
                lhs: operand(lhs),
                rhs: operand(rhs),
                then: operand(then),
                otherwise: operand(otherwise),
            },
        }
    }
}
