//! Planar beam element in a floating frame: q = (X, Y, θ, q₁ … q₆), the nodal displacements seen from the frame,
//! [rezaei, App. C]; the upper triangle of M and the velocity forces −M'v + ∂(½ vᵀMv)/∂q, with their Jacobians.
//!
//! Derived from M as it stands, and by hand from vectors in the frame's axes, which is what one would write.

use hamel_compiler::expr::{ExprId, Graph, Stage};

use super::super::{Formulas, Function};
use super::algebra::{Matrix, Vector, apply, symbols, times, upper_triangle, velocity_forces, zeros};
use super::written;

pub(super) fn functions() -> Vec<Function> {
    let function = |name: &str, is_by_hand: bool, has_jacobians: bool| {
        Function::new(name, move |stage| Ok(element(is_by_hand, has_jacobians, stage)))
    };
    vec![
        function("FFRF 2D", false, false),
        function("FFRF 2D +Jac", false, true),
        function("FFRF 2D by hand", true, false),
        function("FFRF 2D by hand +Jac", true, true),
    ]
}

/// A displacement along an axis: lengthᵖ · Σ cᵢ ξⁱ with ξ from 0 to 1 along the beam.
struct Shape {
    axis: usize,
    power: i32,
    coefficients: [i64; 4],
}

/// Axially linear, across by Hermite's cubics.
const SHAPES: [Shape; 6] = [
    Shape { axis: 0, power: 0, coefficients: [1, -1, 0, 0] },
    Shape { axis: 1, power: 0, coefficients: [1, 0, -3, 2] },
    Shape { axis: 1, power: 1, coefficients: [0, 1, -2, 1] },
    Shape { axis: 0, power: 0, coefficients: [0, 1, 0, 0] },
    Shape { axis: 1, power: 0, coefficients: [0, 0, 3, -2] },
    Shape { axis: 1, power: 1, coefficients: [0, 0, -1, 1] },
];

/// Mass times the integrals of the shapes.
struct Element {
    mass: ExprId,
    length: ExprId,
    /// Of the first node, along the frame's x axis.
    offset: ExprId,
    /// ∫ S, `[2 × 6]`.
    first: Matrix,
    /// ∫ x S along the shape's axis, where x is the place in the undeformed beam.
    moments: Vector,
    /// ∫ Sᵢ Sⱼ of shapes along the axes a and b.
    second: [[Matrix; 2]; 2],
}

impl Element {
    fn new(g: &mut Graph, stage: Stage) -> Element {
        let [mass, length, offset] = ["m", "l", "x0"].map(|name| g.symbol(name, stage));
        let scaled = |g: &mut Graph, weights: &[(i64, i64)], power: i32| {
            let terms: Vec<ExprId> = weights.iter().map(|&(n, d)| g.ratio(n, d)).collect();
            let (number, factor) = (g.sum(&terms), g.powi(length, power));
            g.product(&[mass, number, factor])
        };
        let integral = |shape: &Shape, shift: i64| -> Vec<(i64, i64)> {
            shape.coefficients.iter().zip(1..).map(|(&c, i)| (c, i + shift)).collect()
        };
        let mut first = zeros(g, 2, SHAPES.len());
        let mut moments = Vector::new();
        for (k, shape) in SHAPES.iter().enumerate() {
            first[shape.axis][k] = scaled(g, &integral(shape, 0), shape.power);
            let shifted = g.mul(offset, first[shape.axis][k]);
            let along = scaled(g, &integral(shape, 1), shape.power + 1);
            moments.push(g.add(shifted, along));
        }
        let mut second = [0, 1].map(|_| [0, 1].map(|_| zeros(g, SHAPES.len(), SHAPES.len())));
        for (i, a) in SHAPES.iter().enumerate() {
            for (j, b) in SHAPES.iter().enumerate() {
                let products = a.coefficients.iter().zip(0..).flat_map(|(&x, p)| {
                    b.coefficients.iter().zip(0..).map(move |(&y, q): (_, i64)| (x * y, p + q + 1))
                });
                second[a.axis][b.axis][i][j] = scaled(g, &products.collect::<Vec<_>>(), a.power + b.power);
            }
        }
        Element { mass, length, offset, first, moments, second }
    }

    /// ∫ Sᵀ S.
    fn shapes_squared(&self, g: &mut Graph) -> Matrix {
        let one = g.one();
        super::algebra::plus_scaled(g, &self.second[0][0], one, &self.second[1][1])
    }

    /// ∫ x, of the undeformed beam.
    fn first_moment(&self, g: &mut Graph) -> ExprId {
        let half = g.ratio(1, 2);
        let middle = g.mul(half, self.length);
        let place = g.add(self.offset, middle);
        g.mul(self.mass, place)
    }

    /// ∫ x² of the undeformed beam.
    fn second_moment(&self, g: &mut Graph) -> ExprId {
        let third = g.ratio(1, 3);
        let (xx, xl, ll) = (
            g.mul(self.offset, self.offset),
            g.mul(self.offset, self.length),
            g.product(&[third, self.length, self.length]),
        );
        let sum = g.sum(&[xx, xl, ll]);
        g.mul(self.mass, sum)
    }

    /// ∫ u, where u is the place in the deformed beam.
    fn place(&self, g: &mut Graph, q: &Vector) -> Vector {
        let mut place = apply(g, &self.first, q);
        let undeformed = self.first_moment(g);
        place[0] = g.add(undeformed, place[0]);
        place
    }

    /// ∫ Sᵀ u, of which shapes across the beam get nothing from the undeformed beam.
    fn lever(&self, g: &mut Graph, q: &Vector) -> Vector {
        let squared = self.shapes_squared(g);
        let mut lever = apply(g, &squared, q);
        for k in (0..SHAPES.len()).filter(|&k| SHAPES[k].axis == 0) {
            lever[k] = g.add(lever[k], self.moments[k]);
        }
        lever
    }

    /// M of (X, Y, θ, q).
    fn mass_matrix(&self, g: &mut Graph, theta: ExprId, q: &Vector, is_by_hand: bool) -> Matrix {
        let (s, c) = (g.sin(theta), g.cos(theta));
        let (minus_s, minus_c) = (g.neg(s), g.neg(c));
        let axes = vec![vec![c, minus_s], vec![s, c]];
        let turned_axes = vec![vec![minus_s, minus_c], vec![c, minus_s]];
        let place = self.place(g, q);
        let turning = apply(g, &turned_axes, &place);
        let deforming = times(g, &axes, &self.first);
        let squared = self.shapes_squared(g);
        let mut mass = zeros(g, 9, 9);
        for axis in 0..2 {
            mass[axis][axis] = self.mass;
            mass[axis][2] = turning[axis];
            mass[axis][3..].copy_from_slice(&deforming[axis]);
        }
        mass[2][2] = self.turning_inertia(g, q, &squared, is_by_hand);
        for k in 0..SHAPES.len() {
            let undeformed = if SHAPES[k].axis == 1 { self.moments[k] } else { g.zero() };
            // ∫ z·(u × S): the shapes' axes do not agree where this is not zero.
            mass[2][3 + k] = (0..SHAPES.len()).fold(undeformed, |sum, j| {
                let (forth, back) = (g.mul(q[j], self.second[0][1][j][k]), g.mul(q[j], self.second[1][0][j][k]));
                let difference = g.sub(forth, back);
                g.add(sum, difference)
            });
            mass[3 + k][3..].copy_from_slice(&squared[k]);
        }
        for i in 0..mass.len() {
            for j in 0..i {
                mass[i][j] = mass[j][i];
            }
        }
        mass
    }

    /// ∫ u².
    fn turning_inertia(&self, g: &mut Graph, q: &Vector, squared: &Matrix, is_by_hand: bool) -> ExprId {
        let undeformed = self.second_moment(g);
        let axial: Vector =
            SHAPES.iter().zip(&self.moments).map(|(s, &m)| if s.axis == 0 { m } else { g.zero() }).collect();
        let linear = g.dot(&axial, q);
        if is_by_hand {
            // ∫ Sᵀu is needed for the forces, and q · ∫ Sᵀu is half of the linear part and all of the rest.
            let lever = self.lever(g, q);
            let rest = g.dot(q, &lever);
            return g.sum(&[undeformed, linear, rest]);
        }
        let two = g.integer(2);
        let (twice, turned) = (g.mul(two, linear), apply(g, squared, q));
        let quadratic = g.dot(q, &turned);
        g.sum(&[undeformed, twice, quadratic])
    }

    /// The velocity forces from u' = S q' in the frame's axes: ω² u for what turns, 2 ω z × u' for what moves in it.
    fn forces_by_hand(&self, g: &mut Graph, theta: ExprId, q: &Vector, omega: ExprId, rates: &Vector) -> Vector {
        let (s, c) = (g.sin(theta), g.cos(theta));
        let (place, moving, lever) = (self.place(g, q), apply(g, &self.first, rates), self.lever(g, q));
        let (two, square) = (g.integer(2), g.mul(omega, omega));
        let twice = g.mul(two, omega);
        let mut weighted = |a: ExprId, b: ExprId| {
            let (a, b) = (g.mul(square, a), g.mul(twice, b));
            (a, b)
        };
        let [along, across] = [weighted(place[0], moving[1]), weighted(place[1], moving[0])];
        let (along, across) = (g.add(along.0, along.1), g.sub(across.0, across.1));
        let (cx, sy, sx, cy) = (g.mul(c, along), g.mul(s, across), g.mul(s, along), g.mul(c, across));
        let mut forces = vec![g.sub(cx, sy), g.add(sx, cy)];
        let spreading = g.dot(rates, &lever);
        let torque = g.mul(twice, spreading);
        forces.push(g.neg(torque));
        for k in 0..SHAPES.len() {
            let difference: Vector =
                (0..SHAPES.len()).map(|j| g.sub(self.second[0][1][k][j], self.second[1][0][k][j])).collect();
            let gyration = g.dot(&difference, rates);
            let (outwards, across) = (g.mul(square, lever[k]), g.mul(twice, gyration));
            forces.push(g.add(outwards, across));
        }
        forces
    }
}

fn element(is_by_hand: bool, has_jacobians: bool, stage: Stage) -> Formulas {
    written(|g| {
        let theta = g.symbol("theta", Stage::Position);
        let q = symbols(g, "q", SHAPES.len(), Stage::Position);
        let speeds = symbols(g, "V", 2, Stage::Velocity);
        let omega = g.symbol("omega", Stage::Velocity);
        let rates = symbols(g, "v", SHAPES.len(), Stage::Velocity);
        let element = Element::new(g, stage);
        let mass = element.mass_matrix(g, theta, &q, is_by_hand);
        let forces = if is_by_hand {
            element.forces_by_hand(g, theta, &q, omega, &rates)
        } else {
            let coordinates = [vec![g.zero(); 2], vec![theta], q.clone()].concat();
            velocity_forces(g, &mass, &coordinates, &[speeds, vec![omega], rates.clone()].concat())
        };
        let mut values = upper_triangle(&mass);
        values.extend(&forces);
        if has_jacobians {
            values.extend(g.jacobian(&forces, &[vec![theta], q].concat()).concat());
            values.extend(g.jacobian(&forces, &[vec![omega], rates].concat()).concat());
        }
        values
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hamel_compiler::expr::evaluate;

    #[test]
    fn both_derivations_are_the_same_function() {
        let [derived, by_hand] = [false, true].map(|is_by_hand| element(is_by_hand, true, Stage::Parameter));
        let point: Vec<f64> = (0..derived.graph.symbols().len()).map(|k| 0.3 + (k as f64 * 0.7).sin()).collect();
        let expected = evaluate(&derived.graph, &derived.values, &point);
        let values = evaluate(&by_hand.graph, &by_hand.values, &point);
        for (value, expected) in values.iter().zip(&expected) {
            assert!((value - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{value} {expected}");
        }
    }

    #[test]
    fn the_columns_of_the_mass_matrix_are_consistent() {
        // At θ = 0 the whole beam moves along x with X as with q₁ = q₄.
        let formulas = element(false, false, Stage::Parameter);
        let point: Vec<f64> =
            formulas.graph.symbols().iter().map(|s| if s.name == "theta" { 0.0 } else { 0.7 }).collect();
        let values = evaluate(&formulas.graph, &formulas.values, &point);
        let entry = |i: usize, j: usize| values[i * 9 - i * (i + 1) / 2 + j];
        assert!((entry(0, 3) + entry(0, 6) - entry(0, 0)).abs() < 1e-14);
        assert!((entry(3, 3) + 2.0 * entry(3, 6) + entry(6, 6) - entry(0, 0)).abs() < 1e-14);
    }
}
