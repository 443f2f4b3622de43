//! Exact derivatives, as nodes of the same graph.
//!
//! Forward sweeps ([`Graph::jacobian`], [`Graph::directional`]) visit only nodes that depend on the variable; the reverse sweep
//! ([`Graph::gradient`]) suits one output of many variables. Structural zeros of a Jacobian are the constant 0.
//! Kinks take one side: |x| has the slope sign x, which is 0 at 0; a selection has the slope of the chosen branch.

use super::{Binary, ExprId, Graph, Node, Unary};

impl Graph {
    /// ∂y/∂x, where x is a symbol.
    pub fn derivative(&mut self, y: ExprId, x: ExprId) -> ExprId {
        let one = self.one();
        self.directional(&[y], &[(x, one)])[0]
    }

    /// ∂y/∂x, one row for every y and one column for every symbol x.
    pub fn jacobian(&mut self, ys: &[ExprId], xs: &[ExprId]) -> Vec<Vec<ExprId>> {
        let one = self.one();
        let columns: Vec<Vec<ExprId>> = xs.iter().map(|&x| self.directional(ys, &[(x, one)])).collect();
        (0..ys.len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    }

    /// Σ ∂y/∂x ẋ for every y, where the symbols x change at the rates ẋ, by one forward sweep: what the ys share, their
    /// derivatives share.
    pub fn directional(&mut self, ys: &[ExprId], rates: &[(ExprId, ExprId)]) -> Vec<ExprId> {
        let order = self.reachable(ys);
        let mut tangents: Vec<Option<ExprId>> = vec![None; self.len()];
        for &(x, rate) in rates {
            tangents[x.index()] = Some(rate);
        }
        for id in order {
            if tangents[id.index()].is_none() {
                tangents[id.index()] = self.push_forward(id, &tangents);
            }
        }
        ys.iter().map(|y| tangents[y.index()].unwrap_or_else(|| self.zero())).collect()
    }

    /// ∂y/∂x for every symbol x, by one reverse sweep.
    pub fn gradient(&mut self, y: ExprId, xs: &[ExprId]) -> Vec<ExprId> {
        let order = self.reachable(&[y]);
        let mut depends = vec![false; self.len()];
        for &x in xs {
            depends[x.index()] = true;
        }
        for &id in &order {
            depends[id.index()] |= self.node(id).operands().any(|operand| depends[operand.index()]);
        }
        let mut adjoints: Vec<Option<ExprId>> = vec![None; self.len()];
        adjoints[y.index()] = Some(self.one());
        for &id in order.iter().rev().filter(|id| depends[id.index()]) {
            if let Some(adjoint) = adjoints[id.index()] {
                self.pull_back(id, adjoint, &depends, &mut adjoints);
            }
        }
        xs.iter().map(|x| adjoints[x.index()].unwrap_or_else(|| self.zero())).collect()
    }

    /// The tangent of a node from those of its operands, `None` if none of them has one.
    fn push_forward(&mut self, id: ExprId, tangents: &[Option<ExprId>]) -> Option<ExprId> {
        let tangent = |operand: ExprId| tangents[operand.index()];
        let node = self.node(id);
        node.operands().find_map(tangent)?;
        let zero = self.zero();
        let tangent = |operand: ExprId| tangent(operand).unwrap_or(zero);
        let result = match node {
            Node::Number(_) | Node::Symbol(_) => zero,
            Node::Unary(op, a) => self.times_slope(op, a, id, tangent(a)),
            // One division serves both operands: (a' − y b')/b.
            Node::Binary(Binary::Div, a, b) => {
                let correction = self.mul(id, tangent(b));
                let numerator = self.sub(tangent(a), correction);
                self.div(numerator, b)
            }
            Node::Binary(op, a, b) => {
                let left = self.times_partial(op, Side::Left, (a, b), id, tangent(a));
                let right = self.times_partial(op, Side::Right, (a, b), id, tangent(b));
                self.add(left, right)
            }
            Node::Select { lhs, rhs, then, otherwise } => self.select(lhs, rhs, tangent(then), tangent(otherwise)),
        };
        Some(result)
    }

    /// Adds what the adjoint of a node contributes to those of its operands.
    fn pull_back(&mut self, id: ExprId, adjoint: ExprId, depends: &[bool], adjoints: &mut [Option<ExprId>]) {
        let mut contributions = Vec::with_capacity(2);
        match self.node(id) {
            Node::Number(_) | Node::Symbol(_) => {}
            Node::Unary(op, a) => contributions.push((a, self.times_slope(op, a, id, adjoint))),
            Node::Binary(op, a, b) => {
                for (side, operand) in [(Side::Left, a), (Side::Right, b)] {
                    if depends[operand.index()] {
                        contributions.push((operand, self.times_partial(op, side, (a, b), id, adjoint)));
                    }
                }
            }
            Node::Select { lhs, rhs, then, otherwise } => {
                let zero = self.zero();
                contributions.push((then, self.select(lhs, rhs, adjoint, zero)));
                contributions.push((otherwise, self.select(lhs, rhs, zero, adjoint)));
            }
        }
        for (operand, contribution) in contributions {
            if depends[operand.index()] {
                let sum = match adjoints[operand.index()] {
                    Some(sum) => self.add(sum, contribution),
                    None => contribution,
                };
                adjoints[operand.index()] = Some(sum);
            }
        }
    }

    /// `seed · f'(a)` for `y = f(a)`.
    fn times_slope(&mut self, op: Unary, a: ExprId, y: ExprId, seed: ExprId) -> ExprId {
        match op {
            Unary::Neg => self.neg(seed),
            Unary::Sin => {
                let slope = self.cos(a);
                self.mul(seed, slope)
            }
            Unary::Cos => {
                let sine = self.sin(a);
                let product = self.mul(seed, sine);
                self.neg(product)
            }
            Unary::Tan => {
                let slope = self.one_plus_square(y);
                self.mul(seed, slope)
            }
            Unary::Asin => {
                let cosine = self.cosine_of_sine(a);
                self.div(seed, cosine)
            }
            Unary::Acos => {
                let sine = self.cosine_of_sine(a);
                let quotient = self.div(seed, sine);
                self.neg(quotient)
            }
            Unary::Atan => {
                let divisor = self.one_plus_square(a);
                self.div(seed, divisor)
            }
            Unary::Sqrt => {
                let half = self.ratio(1, 2);
                let numerator = self.mul(half, seed);
                self.div(numerator, y)
            }
            Unary::Exp => self.mul(seed, y),
            Unary::Ln => self.div(seed, a),
            Unary::Tanh => {
                let slope = self.one_minus_square(y);
                self.mul(seed, slope)
            }
            Unary::Abs => {
                let slope = self.sign(a);
                self.mul(seed, slope)
            }
            Unary::Sign => self.zero(),
        }
    }

    /// `seed · ∂f/∂side` for `y = f(a, b)`.
    fn times_partial(&mut self, op: Binary, side: Side, (a, b): (ExprId, ExprId), y: ExprId, seed: ExprId) -> ExprId {
        if self.is_zero(seed) {
            return seed;
        }
        match (op, side) {
            (Binary::Add, _) | (Binary::Sub, Side::Left) => seed,
            (Binary::Sub, Side::Right) => self.neg(seed),
            (Binary::Mul, Side::Left) => self.mul(seed, b),
            (Binary::Mul, Side::Right) => self.mul(seed, a),
            (Binary::Div, Side::Left) => self.div(seed, b),
            (Binary::Div, Side::Right) => {
                let quotient = self.div(seed, b);
                let product = self.mul(quotient, y);
                self.neg(product)
            }
            (Binary::Atan2, Side::Left) => {
                let slope = self.over_squared_radius(b, a, b);
                self.mul(seed, slope)
            }
            (Binary::Atan2, Side::Right) => {
                let slope = self.over_squared_radius(a, a, b);
                let product = self.mul(seed, slope);
                self.neg(product)
            }
            (Binary::Power, Side::Left) => {
                let one = self.one();
                let exponent = self.sub(b, one);
                let power = self.power(a, exponent);
                let slope = self.mul(b, power);
                self.mul(seed, slope)
            }
            (Binary::Power, Side::Right) => {
                let logarithm = self.ln(a);
                let slope = self.mul(y, logarithm);
                self.mul(seed, slope)
            }
            (Binary::Min, Side::Left) | (Binary::Max, Side::Right) => {
                let zero = self.zero();
                self.select(a, b, seed, zero)
            }
            (Binary::Min, Side::Right) | (Binary::Max, Side::Left) => {
                let zero = self.zero();
                self.select(a, b, zero, seed)
            }
        }
    }

    /// numerator/(y² + x²).
    fn over_squared_radius(&mut self, numerator: ExprId, y: ExprId, x: ExprId) -> ExprId {
        let (yy, xx) = (self.mul(y, y), self.mul(x, x));
        let squared_radius = self.add(yy, xx);
        self.div(numerator, squared_radius)
    }

    fn one_plus_square(&mut self, a: ExprId) -> ExprId {
        let (one, square) = (self.one(), self.mul(a, a));
        self.add(one, square)
    }

    fn one_minus_square(&mut self, a: ExprId) -> ExprId {
        let (one, square) = (self.one(), self.mul(a, a));
        self.sub(one, square)
    }

    /// √(1 − a²), the cosine of the angle whose sine is a.
    fn cosine_of_sine(&mut self, a: ExprId) -> ExprId {
        let square = self.one_minus_square(a);
        self.sqrt(square)
    }
}

/// Which operand of a function of two arguments.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Dual, Scalar, Stage, evaluate};

    /// One function that contains every operator, and the point to differentiate it at.
    fn every_operator(graph: &mut Graph) -> (Vec<ExprId>, ExprId) {
        let x = graph.symbol("x", Stage::Position);
        let y = graph.symbol("y", Stage::Position);
        let z = graph.symbol("z", Stage::Position);
        let unaries = [
            Unary::Neg,
            Unary::Sin,
            Unary::Cos,
            Unary::Tan,
            Unary::Asin,
            Unary::Acos,
            Unary::Atan,
            Unary::Sqrt,
            Unary::Exp,
            Unary::Ln,
            Unary::Tanh,
            Unary::Abs,
            Unary::Sign,
        ];
        let mut terms: Vec<ExprId> = Vec::new();
        let xy = graph.mul(x, y);
        for op in unaries {
            let value = graph.unary(op, xy);
            terms.push(graph.mul(value, z));
        }
        let yz = graph.add(y, z);
        for op in
            [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Atan2, Binary::Power, Binary::Min, Binary::Max]
        {
            let value = graph.binary(op, xy, yz);
            terms.push(graph.mul(value, x));
        }
        terms.push(graph.select(xy, yz, terms[3], terms[4]));
        (vec![x, y, z], graph.sum(&terms))
    }

    #[test]
    fn both_sweeps_agree_with_dual_numbers() {
        let mut graph = Graph::new();
        let (xs, f) = every_operator(&mut graph);
        let forward = graph.jacobian(&[f], &xs).remove(0);
        let reverse = graph.gradient(f, &xs);
        for point in [[0.3, 0.7, 1.9], [0.9, 0.4, 0.2], [0.5, 0.25, -0.2]] {
            let duals: Vec<Dual> = (0..3).map(|k| Dual::variable(point[k], k, 3)).collect();
            let expected = &evaluate(&graph, &[f], &duals)[0];
            for derivative in [&forward, &reverse] {
                let values = evaluate(&graph, derivative, &point);
                for (direction, value) in values.iter().enumerate() {
                    let slope = expected.slope(direction);
                    assert!((value - slope).abs() < 1e-12 * (1.0 + slope.abs()), "{value} {slope} at {point:?}");
                }
            }
            assert!(f64::from_f64(expected.value).is_finite());
        }
    }

    #[test]
    fn rates_go_through_as_through_the_jacobian() {
        let mut graph = Graph::new();
        let (xs, f) = every_operator(&mut graph);
        // Rates may depend on the variables themselves.
        let rates: Vec<ExprId> = xs.iter().map(|&x| graph.sin(x)).collect();
        let pairs: Vec<(ExprId, ExprId)> = xs.iter().copied().zip(rates.iter().copied()).collect();
        let along = graph.directional(&[f, xs[1]], &pairs);
        assert_eq!(along[1], rates[1]);
        let row = graph.jacobian(&[f], &xs).remove(0);
        let expected = graph.dot(&row, &rates);
        let values = evaluate(&graph, &[along[0], expected], &[0.3, 0.7, 1.9]);
        assert!((values[0] - values[1]).abs() < 1e-12 * values[1].abs(), "{values:?}");
    }

    #[test]
    fn structural_zeros_are_the_zero_node() {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Position));
        let (sine, square) = (graph.sin(x), graph.mul(y, y));
        let jacobian = graph.jacobian(&[sine, square], &[x, y]);
        assert!(graph.is_zero(jacobian[0][1]) && graph.is_zero(jacobian[1][0]));
        assert_eq!(jacobian[0][0], graph.cos(x));
    }
}
