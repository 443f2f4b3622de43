//! Exact derivatives, as nodes of the same graph.
//!
//! Forward sweeps ([`Graph::jacobian`], [`Graph::directional`]) visit only nodes that depend on the variable; the reverse sweep
//! ([`Graph::gradient`]) suits one output of many variables. Structural zeros of a Jacobian are the constant 0.
//! Kinks take one side: |x| has the slope sign x, which is 0 at 0; a selection has the slope of the chosen branch; of a
//! maximum or minimum the operand that is known before the simulation is chosen where both are equal.
//!
//! What is never negative and smooth has no slope where it is zero. Its root and its powers are kinks there, with no slope
//! of their own, but products such as `norm(v) * v` have the slope 0, and with it their formula: so |x|′ is 0 there and
//! not 0/0, as if the root had a *guarded* divisor, `0 < y ? y : 1`. Roots that divide are not defined at zero, and need
//! no guard. Second derivatives of such roots have no limit, in no product of the first order; they keep their pole. So
//! do all derivatives on demand ([`Graph::keep_poles`]): a constraint or a gap is no product, and where it has no gradient
//! nobody should be given one.

use super::{Binary, ExprId, Graph, Node, Number, Stage, Unary};

/// How deep sums and products are searched for squares.
const DEPTH: usize = 12;

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
        let divisors = self.divisors(&order);
        for id in order {
            if tangents[id.index()].is_none() {
                tangents[id.index()] = self.push_forward(id, &divisors, &tangents);
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
            depends[id.index()] |= self.operands(id).any(|operand| depends[operand.index()]);
        }
        let divisors = self.divisors(&order);
        let mut adjoints: Vec<Option<ExprId>> = vec![None; self.len()];
        adjoints[y.index()] = Some(self.one());
        for &id in order.iter().rev().filter(|id| depends[id.index()]) {
            if let Some(adjoint) = adjoints[id.index()] {
                self.pull_back(id, adjoint, (&divisors, &depends), &mut adjoints);
            }
        }
        xs.iter().map(|x| adjoints[x.index()].unwrap_or_else(|| self.zero())).collect()
    }

    /// The tangent of a node from those of its operands, `None` if none of them has one.
    fn push_forward(&mut self, id: ExprId, divisors: &[bool], tangents: &[Option<ExprId>]) -> Option<ExprId> {
        let tangent = |operand: ExprId| tangents[operand.index()];
        let node = self.node(id);
        node.operands().find_map(tangent)?;
        let zero = self.zero();
        let tangent = |operand: ExprId| tangent(operand).unwrap_or(zero);
        let result = match node {
            Node::Number(_) | Node::Symbol(_) => zero,
            Node::Unary(op, a) => self.times_slope(op, a, id, tangent(a), divisors[id.index()]),
            // One division serves both operands: (a' − y b')/b.
            Node::Binary(Binary::Div, a, b) => {
                let correction = self.mul(id, tangent(b));
                let numerator = self.sub(tangent(a), correction);
                let divisor = self.unguarded(b);
                self.div(numerator, divisor)
            }
            Node::Binary(op, a, b) => {
                let left = self.times_partial(op, Side::Left, (a, b), id, tangent(a));
                let right = self.times_partial(op, Side::Right, (a, b), id, tangent(b));
                self.add(left, right)
            }
            Node::Select { then, .. } if self.unguarded(id) != id => tangent(then),
            Node::Select { lhs, rhs, then, otherwise } => self.select(lhs, rhs, tangent(then), tangent(otherwise)),
        };
        Some(result)
    }

    /// Adds what the adjoint of a node contributes to those of its operands.
    fn pull_back(
        &mut self,
        id: ExprId,
        adjoint: ExprId,
        (divisors, depends): (&[bool], &[bool]),
        adjoints: &mut [Option<ExprId>],
    ) {
        let mut contributions = Vec::with_capacity(2);
        match self.node(id) {
            Node::Number(_) | Node::Symbol(_) => {}
            Node::Unary(op, a) => {
                contributions.push((a, self.times_slope(op, a, id, adjoint, divisors[id.index()])));
            }
            Node::Binary(op, a, b) => {
                for (side, operand) in [(Side::Left, a), (Side::Right, b)] {
                    if depends[operand.index()] {
                        contributions.push((operand, self.times_partial(op, side, (a, b), id, adjoint)));
                    }
                }
            }
            Node::Select { then, .. } if self.unguarded(id) != id => contributions.push((then, adjoint)),
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

    /// Which nodes of these divide others.
    fn divisors(&self, nodes: &[ExprId]) -> Vec<bool> {
        let mut divisors = vec![false; self.len()];
        for &id in nodes {
            if let Node::Binary(Binary::Div, _, divisor) = self.node(id) {
                divisors[divisor.index()] = true;
            }
        }
        divisors
    }

    /// `0 < |a| ? a : 1`: what divides where a quotient of zeros is to be zero.
    fn guarded(&mut self, a: ExprId) -> ExprId {
        let (zero, one, size) = (self.zero(), self.one(), self.abs(a));
        self.select(zero, size, a, one)
    }

    /// The value that was guarded, or the value itself: where a guard acts, there is no further derivative.
    fn unguarded(&self, id: ExprId) -> ExprId {
        match self.node(id) {
            Node::Select { lhs, rhs, then, otherwise } => {
                let is_size = rhs == then || self.node(rhs) == Node::Unary(Unary::Abs, then);
                let is_guard = self.is_zero(lhs) && is_size && self.as_number(otherwise).is_some_and(Number::is_one);
                if is_guard { then } else { id }
            }
            _ => id,
        }
    }

    /// Whether what divides by a value that vanishes with its tangent is to be guarded.
    fn is_flat(&self, id: ExprId) -> bool {
        !self.keeps_poles() && self.touches_zero(id, DEPTH)
    }

    /// Whether a value is never negative, and its tangent is zero where the value is: squares, absolute values and roots
    /// of such values, their sums, products and powers. What is known before the simulation may scale them.
    fn touches_zero(&self, id: ExprId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let touches = |id: ExprId| self.touches_zero(id, depth);
        let scales = |id: ExprId| touches(id) || self.stage(id) <= Stage::Parameter;
        match self.node(id) {
            Node::Number(number) => !number.is_negative(),
            Node::Unary(Unary::Abs | Unary::Exp, _) => true,
            Node::Unary(Unary::Sqrt, a) => touches(a),
            Node::Binary(Binary::Mul, a, b) => a == b || scales(a) && scales(b),
            Node::Binary(Binary::Div, a, b) => scales(a) && scales(b),
            Node::Binary(Binary::Power, a, b) => touches(a) && self.stage(b) <= Stage::Parameter,
            Node::Binary(Binary::Add | Binary::Min, a, b) => touches(a) && touches(b),
            Node::Binary(Binary::Max, a, b) => {
                let is_floor = |id: ExprId| self.as_number(id).is_some_and(|number| !number.is_negative());
                is_floor(a) || is_floor(b) || touches(a) && touches(b)
            }
            _ => false,
        }
    }

    /// `seed · f'(a)` for `y = f(a)`.
    fn times_slope(&mut self, op: Unary, a: ExprId, y: ExprId, seed: ExprId, divides: bool) -> ExprId {
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
                let divisor = if !divides && self.is_flat(a) { self.guarded(y) } else { y };
                self.div(numerator, divisor)
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
            (Binary::Div, Side::Left) => {
                let divisor = self.unguarded(b);
                self.div(seed, divisor)
            }
            (Binary::Div, Side::Right) => {
                let divisor = self.unguarded(b);
                let quotient = self.div(seed, divisor);
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
                let base = if self.is_flat(a) { self.guarded(a) } else { a };
                let power = self.power(base, exponent);
                let slope = self.mul(b, power);
                self.mul(seed, slope)
            }
            (Binary::Power, Side::Right) => {
                let base = self.guarded(a);
                let logarithm = self.ln(base);
                let slope = self.mul(y, logarithm);
                self.mul(seed, slope)
            }
            // With a bound that is known before the simulation, the slope at the bound is that of the bound.
            (Binary::Min, Side::Right) if self.stage(a) <= Stage::Parameter => {
                let zero = self.zero();
                self.select(b, a, seed, zero)
            }
            (Binary::Max, Side::Left) if self.stage(b) <= Stage::Parameter => {
                let zero = self.zero();
                self.select(b, a, seed, zero)
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
        let divisor = if self.keeps_poles() { squared_radius } else { self.guarded(squared_radius) };
        self.div(numerator, divisor)
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

    /// Functions of x, y and a parameter p whose derivatives by x and y vanish at x = y = 0, p = 1, though not all of their
    /// factors have one.
    fn flat_at_the_corner(graph: &mut Graph) -> (Vec<ExprId>, Vec<(&'static str, ExprId)>) {
        let (x, y) = (graph.symbol("x", Stage::Velocity), graph.symbol("y", Stage::Velocity));
        let p = graph.symbol("p", Stage::Parameter);
        let squared = graph.dot(&[x, y], &[x, y]);
        let norm = graph.sqrt(squared);
        let (zero, size, angle) = (graph.zero(), graph.abs(x), graph.atan2(y, x));
        let (small, half, steep) = (graph.ratio(3, 10), graph.ratio(1, 2), graph.ratio(5, 2));
        let scaled = graph.mul(p, squared);
        let factors = [
            ("norm", norm),
            ("norm of a scaled sum", graph.sqrt(scaled)),
            ("power of a norm", graph.power(norm, small)),
            ("power of a sum of squares", graph.power(squared, small)),
            ("root of an absolute value", graph.power(size, half)),
            ("power of an absolute value", graph.power(size, p)),
            ("root of a value above zero", {
                let above = graph.max(x, zero);
                graph.sqrt(above)
            }),
        ];
        let mut functions: Vec<(&'static str, ExprId)> =
            factors.into_iter().map(|(name, factor)| (name, graph.mul(factor, y))).collect();
        functions.push(("angle and square", graph.mul(angle, squared)));
        functions.push(("steep power", graph.power(x, steep)));
        functions.push(("absolute value", size));
        functions.push(("value above zero", graph.max(x, zero)));
        functions.push(("value below a bound", graph.min(zero, y)));
        functions.push(("value of a varying power", {
            let exponent = graph.add(p, squared);
            graph.power(size, exponent)
        }));
        (vec![x, y, p], functions)
    }

    #[test]
    fn products_with_norms_are_flat_where_the_norms_are_zero() {
        let mut graph = Graph::new();
        let (xs, functions) = flat_at_the_corner(&mut graph);
        for (name, f) in functions {
            let forward = graph.jacobian(&[f], &xs[..2]).remove(0);
            let reverse = graph.gradient(f, &xs[..2]);
            for point in [[0.0, 0.0, 1.0], [0.3, -0.7, 1.0], [-0.4, 0.2, 1.0], [0.2, 0.1, 1.6]] {
                let duals = [Dual::variable(point[0], 0, 2), Dual::variable(point[1], 1, 2), Dual::constant(point[2])];
                let expected = &evaluate(&graph, &[f], &duals)[0];
                if !expected.value.is_finite() {
                    // A power of a negative number.
                    continue;
                }
                for derivative in [&forward, &reverse] {
                    for (direction, value) in evaluate(&graph, derivative, &point).into_iter().enumerate() {
                        let slope = expected.slope(direction);
                        let error = (value - slope).abs();
                        assert!(error < 1e-12 * (1.0 + slope.abs()), "{name} at {point:?}: {value} {slope}");
                        if point[..2] == [0.0, 0.0] {
                            assert_eq!(value, 0.0, "{name}");
                        }
                    }
                }
            }
        }
    }

    /// Where a limit exists, the derivative is that of finite differences, also beside the corner.
    #[test]
    fn derivatives_go_to_their_values_at_the_corner() {
        let mut graph = Graph::new();
        let (_, functions) = flat_at_the_corner(&mut graph);
        let kinks = ["absolute value", "value above zero", "value below a bound", "value of a varying power"];
        for (name, f) in functions.into_iter().filter(|(name, _)| !kinks.contains(name)) {
            let value = |x: f64, y: f64| evaluate(&graph, &[f], &[x, y, 1.0])[0];
            let step = 1e-12;
            for difference in [value(step, step) - value(0.0, 0.0), value(0.0, step) - value(0.0, 0.0)] {
                assert!((difference / step).abs() < 1e-3, "{name}: {difference}");
            }
        }
    }

    #[test]
    fn what_has_no_derivative_is_not_finite() {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Position));
        let root = graph.sqrt(x);
        let steep = graph.derivative(root, x);
        let squared = graph.dot(&[x, y], &[x, y]);
        let norm = graph.sqrt(squared);
        let direction = graph.div(x, norm);
        let turning = graph.derivative(direction, y);
        let first = graph.derivative(norm, x);
        let second = graph.derivative(first, x);
        for (name, value) in [("root", steep), ("direction", turning), ("second derivative of a norm", second)] {
            assert!(!evaluate(&graph, &[value], &[0.0, 0.0])[0].is_finite(), "{name}");
        }
        assert_eq!(evaluate(&graph, &[first], &[0.0, 0.0]), [0.0]);
        assert!(!graph.keep_poles(true));
        let pole = graph.derivative(norm, x);
        assert!(graph.keep_poles(false) && evaluate(&graph, &[pole], &[0.0, 0.0])[0].is_nan());
        // A root that divides is not defined at zero: its derivative needs no guard.
        assert!(!graph.reachable(&[turning]).iter().any(|&id| matches!(graph.node(id), Node::Select { .. })));
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
