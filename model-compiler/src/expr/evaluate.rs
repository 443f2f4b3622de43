//! Interpretation of a graph over any scalar.

use super::{Binary, ExprId, Graph, Node, Number, Unary};

/// A number type that a graph can be evaluated in.
pub trait Scalar: Clone {
    /// The nearest scalar.
    fn from_f64(value: f64) -> Self;

    /// The nearest scalar to an exact constant.
    fn from_number(number: Number) -> Self {
        Self::from_f64(number.to_f64())
    }

    /// `op(self)`.
    fn unary(&self, op: Unary) -> Self;

    /// `op(self, other)`.
    fn binary(&self, op: Binary, other: &Self) -> Self;

    /// Sine and cosine of angles that emitted code computes together, in lanes.
    fn sin_cos_each(angles: &[Self]) -> Vec<[Self; 2]> {
        angles.iter().map(|angle| [Unary::Sin, Unary::Cos].map(|op| angle.unary(op))).collect()
    }

    /// `self * factor + addend`, rounded once if the scalar rounds.
    fn mul_add(&self, factor: &Self, addend: &Self) -> Self {
        self.binary(Binary::Mul, factor).binary(Binary::Add, addend)
    }

    /// `lhs < rhs ? then : otherwise`.
    fn select_less(lhs: &Self, rhs: &Self, then: &Self, otherwise: &Self) -> Self;
}

/// The values of `roots`, given one value for every symbol of the graph.
pub fn evaluate<T: Scalar>(graph: &Graph, roots: &[ExprId], symbol_values: &[T]) -> Vec<T> {
    let values = evaluate_all(graph, &graph.reachable(roots), symbol_values);
    roots.iter().map(|root| values[root.index()].clone()).collect()
}

/// The values of the nodes in `order`, which holds operands before users, indexed like the arena; other entries are zero.
pub(crate) fn evaluate_all<T: Scalar>(graph: &Graph, order: &[ExprId], symbol_values: &[T]) -> Vec<T> {
    let mut values = vec![T::from_f64(0.0); graph.len()];
    evaluate_into(graph, order, symbol_values, &mut values);
    values
}

/// The same, into values that hold those of all other operands.
pub(crate) fn evaluate_into<T: Scalar>(graph: &Graph, order: &[ExprId], symbol_values: &[T], values: &mut [T]) {
    for &id in order {
        values[id.index()] = value_of(graph.node(id), values, symbol_values);
    }
}

/// The values of `roots` at each of several points, between which constants keep their values.
pub(crate) fn evaluate_each<T: Scalar>(
    graph: &Graph,
    roots: &[ExprId],
    points: impl IntoIterator<Item = Vec<T>>,
) -> Vec<Vec<T>> {
    let (constant, variable): (Vec<ExprId>, Vec<ExprId>) =
        graph.reachable(roots).into_iter().partition(|&id| graph.as_number(id).is_some());
    let mut values = evaluate_all(graph, &constant, &[]);
    let at = |symbol_values: Vec<T>| {
        for &id in &variable {
            values[id.index()] = value_of(graph.node(id), &values, &symbol_values);
        }
        roots.iter().map(|root| values[root.index()].clone()).collect()
    };
    points.into_iter().map(at).collect()
}

/// The value of a node, given those of its operands.
fn value_of<T: Scalar>(node: Node, values: &[T], symbol_values: &[T]) -> T {
    let value = |operand: ExprId| &values[operand.index()];
    match node {
        Node::Number(number) => T::from_number(number),
        Node::Symbol(symbol) => symbol_values[symbol.index()].clone(),
        Node::Unary(op, a) => value(a).unary(op),
        Node::Binary(op, a, b) => value(a).binary(op, value(b)),
        Node::Select { lhs, rhs, then, otherwise } => {
            T::select_less(value(lhs), value(rhs), value(then), value(otherwise))
        }
    }
}

impl Scalar for f64 {
    fn from_f64(value: f64) -> f64 {
        value
    }

    fn unary(&self, op: Unary) -> f64 {
        match op {
            Unary::Neg => -self,
            Unary::Sin => self.sin(),
            Unary::Cos => self.cos(),
            Unary::Tan => self.tan(),
            Unary::Asin => self.asin(),
            Unary::Acos => self.acos(),
            Unary::Atan => self.atan(),
            Unary::Sqrt => self.sqrt(),
            Unary::Exp => self.exp(),
            Unary::Ln => self.ln(),
            Unary::Tanh => self.tanh(),
            Unary::Abs => self.abs(),
            Unary::Sign if *self == 0.0 => 0.0,
            Unary::Sign => self.signum(),
        }
    }

    fn binary(&self, op: Binary, other: &f64) -> f64 {
        match op {
            Binary::Add => self + other,
            Binary::Sub => self - other,
            Binary::Mul => self * other,
            Binary::Div => self / other,
            Binary::Atan2 => self.atan2(*other),
            Binary::Power => self.powf(*other),
            Binary::Min => self.min(*other),
            Binary::Max => self.max(*other),
        }
    }

    fn mul_add(&self, factor: &f64, addend: &f64) -> f64 {
        f64::mul_add(*self, *factor, *addend)
    }

    fn select_less(lhs: &f64, rhs: &f64, then: &f64, otherwise: &f64) -> f64 {
        if lhs < rhs { *then } else { *otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;

    #[test]
    fn evaluates_roots_in_their_order() {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Position));
        let (difference, quotient) = (graph.sub(x, y), graph.div(x, y));
        assert_eq!(evaluate(&graph, &[quotient, difference], &[3.0, 4.0]), vec![0.75, -1.0]);
    }

    #[test]
    fn select_takes_the_branch() {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Position));
        let smaller = graph.select(x, y, x, y);
        assert_eq!(evaluate(&graph, &[smaller], &[3.0, 4.0]), vec![3.0]);
        assert_eq!(evaluate(&graph, &[smaller], &[5.0, 4.0]), vec![4.0]);
    }
}
