//! Expressions as a hash-consed graph: exact constants, named symbols, elementary functions.
//!
//! Everything a kernel computes is a node of one [`Graph`]; equal expressions are the same node, so common subexpressions
//! are found while expressions are built. Constructors apply only identities that hold for all finite inputs.
//! Derivatives ([`Graph::jacobian`], [`Graph::gradient`]) are exact and live in the same graph; [`evaluate`] interprets a
//! graph over any [`Scalar`], which is how derivatives and accuracy are checked without compiling emitted code.
//!
//! Rewriting for speed is not here, see `simplify`.

pub(crate) mod cost;
pub(crate) mod field;
pub(crate) mod fingerprint;
pub mod print;

mod arithmetic;
mod build;
mod derivative;
mod double_double;
mod dual;
mod evaluate;
mod graph;
mod import;
mod node;
mod number;
mod operations;
mod packed;

pub use double_double::DoubleDouble;
pub use dual::Dual;
pub use evaluate::{Scalar, evaluate};
pub(crate) use evaluate::{evaluate_all, evaluate_each, evaluate_into};
pub use graph::Graph;
pub use node::{Binary, ExprId, Node, Operands, Stage, Symbol, SymbolId, Unary};
pub use number::Number;
pub use operations::Operations;
pub(crate) use operations::tree_size;
