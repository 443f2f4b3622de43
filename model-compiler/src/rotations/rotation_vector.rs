//! Rotation vectors: axis times angle, in [`coefficients`] of the squared angle w = φ·φ.
//!
//! exp φ = 1 + a φ̃ + b φ̃² turns by φ; the axes of a rotation that changes turn at (1 − b φ̃ + c φ̃²) φ̇, seen in
//! themselves, with a = sin √w / √w, b = (1 − cos √w)/w, c = (1 − a)/w. These are analytic in w, but their closed forms
//! divide by w: where it is small, their Taylor polynomials stand for them, whose first omitted term is below
//! round-off. The way back from Euler parameters goes by τ = tan(½ angle) axis, the quotient e₁₂₃/e₀, which does not
//! depend on the norm of e nor on its sign.

use crate::expr::{ExprId, Graph};
use crate::spatial::{self, Matrix3, Vector3};

/// Terms of the Taylor polynomials in w, below a quarter.
const TERMS: i64 = 8;
/// Terms of the arc tangent's, below 1/64.
const ARC_TANGENT_TERMS: i64 = 9;

/// a, b and c of the squared angle.
pub fn coefficients(graph: &mut Graph, w: ExprId) -> [ExprId; 3] {
    let limit = graph.ratio(1, 4);
    let far = graph.max(w, limit);
    let angle = graph.sqrt(far);
    let (sine, cosine, one) = (graph.sin(angle), graph.cos(angle), graph.one());
    let a = graph.div(sine, angle);
    let (versine, rest) = (graph.sub(one, cosine), graph.sub(one, a));
    let closed = [a, graph.div(versine, far), graph.div(rest, far)];
    [1, 2, 3].map(|first| {
        // 1/first! − w/(first + 2)! + w²/(first + 4)! − …
        let taylor: Vec<i64> = (0..TERMS).map(|k| sign(k) * (1..=2 * k + first).product::<i64>()).collect();
        let near = polynomial(graph, w, (1, &taylor));
        graph.select(w, limit, near, closed[first as usize - 1])
    })
}

/// exp φ: the turned axes as columns.
pub fn matrix(graph: &mut Graph, vector: Vector3, [a, b, _]: [ExprId; 3]) -> Matrix3 {
    let one = graph.one();
    let sines = spatial::scale(graph, a, vector);
    let scaled = spatial::scale(graph, b, vector);
    let squares: Vector3 = std::array::from_fn(|i| graph.mul(scaled[i], vector[i]));
    let mut result = [[one; 3]; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let others = graph.add(squares[j], squares[k]);
        result[i][i] = graph.sub(one, others);
        let product = graph.mul(scaled[i], vector[j]);
        result[i][j] = graph.sub(product, sines[k]);
        result[j][i] = graph.add(product, sines[k]);
    }
    result
}

/// How fast exp φ turns, in the turned axes: a φ̇ − b φ × φ̇ + c φ (φ·φ̇).
pub fn angular_rate(graph: &mut Graph, vector: Vector3, rate: Vector3, [a, b, c]: [ExprId; 3]) -> Vector3 {
    let along = spatial::dot(graph, vector, rate);
    let along = graph.mul(c, along);
    let turned = spatial::cross(graph, vector, rate);
    let [straight, across, axial] =
        [(a, rate), (b, turned), (along, vector)].map(|(factor, part)| spatial::scale(graph, factor, part));
    let sum = spatial::sub(graph, straight, across);
    spatial::add(graph, sum, axial)
}

/// ∫₀¹ exp(t φ) x dt = x + b φ × x + c φ × (φ × x): where an arc ends whose tangent x turns by φ.
pub(crate) fn along_arc(graph: &mut Graph, vector: Vector3, x: Vector3, [_, b, c]: [ExprId; 3]) -> Vector3 {
    let once = spatial::cross(graph, vector, x);
    let twice = spatial::cross(graph, vector, once);
    let (first, second) = (spatial::scale(graph, b, once), spatial::scale(graph, c, twice));
    let sum = spatial::add(graph, x, first);
    spatial::add(graph, sum, second)
}

/// The Euler parameters of exp φ; not to be differentiated at φ = 0.
pub fn euler_parameters(graph: &mut Graph, vector: Vector3) -> [ExprId; 4] {
    let half = graph.ratio(1, 2);
    let halved = spatial::scale(graph, half, vector);
    let w = spatial::dot(graph, halved, halved);
    let angle = graph.sqrt(w);
    let [a, ..] = coefficients(graph, w);
    let [x, y, z] = spatial::scale(graph, a, halved);
    [graph.cos(angle), x, y, z]
}

/// Angle by tan(½ angle): φ = factor τ, where the squared tangent is τ·τ.
pub(crate) fn factor_of_tangent(graph: &mut Graph, squared: ExprId) -> ExprId {
    let limit = graph.ratio(1, 64);
    let far = graph.max(squared, limit);
    let tangent = graph.sqrt(far);
    let (half_angle, two) = (graph.atan(tangent), graph.integer(2));
    let doubled = graph.mul(two, half_angle);
    let closed = graph.div(doubled, tangent);
    // 2 − 2 u/3 + 2 u²/5 − …
    let taylor: Vec<i64> = (0..ARC_TANGENT_TERMS).map(|k| sign(k) * (2 * k + 1)).collect();
    let near = polynomial(graph, squared, (2, &taylor));
    graph.select(squared, limit, near, closed)
}

/// φ of τ = tan(½ angle) axis.
pub(crate) fn of_tangents(graph: &mut Graph, tangents: Vector3) -> Vector3 {
    let squared = spatial::dot(graph, tangents, tangents);
    let factor = factor_of_tangent(graph, squared);
    spatial::scale(graph, factor, tangents)
}

/// τ of a rotation matrix, by its skew part and 1 + tr R = 4 cos²(½ angle); without a value at half a turn.
pub(crate) fn tangents(graph: &mut Graph, axes: &Matrix3) -> Vector3 {
    let one = graph.one();
    let whole = graph.sum(&[one, axes[0][0], axes[1][1], axes[2][2]]);
    let reciprocal = graph.div(one, whole);
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let twice = graph.sub(axes[k][j], axes[j][k]);
        graph.mul(twice, reciprocal)
    })
}

/// The torque on exp φ, seen where φ is, whose power is m·φ̇: with φ̇ = (1 − ½ φ̃ + d φ̃²) ω it is
/// m + ½ φ × m + d φ × (φ × m), d = (1 − ½ |φ| cot ½|φ|)/φ·φ.
pub(crate) fn torque(graph: &mut Graph, tangents: Vector3, m: Vector3) -> Vector3 {
    let squared = spatial::dot(graph, tangents, tangents);
    let (factor, half, one) = (factor_of_tangent(graph, squared), graph.ratio(1, 2), graph.one());
    let halved = graph.mul(half, factor);
    let limit = graph.ratio(1, 64);
    let far = graph.max(squared, limit);
    let rest = graph.sub(one, halved);
    let closed = graph.div(rest, far);
    // 1/3 − u/5 + u²/7 − …
    let taylor: Vec<i64> = (0..ARC_TANGENT_TERMS).map(|k| sign(k) * (2 * k + 3)).collect();
    let near = polynomial(graph, squared, (1, &taylor));
    let second = graph.select(squared, limit, near, closed);
    let once = spatial::cross(graph, tangents, m);
    let twice = spatial::cross(graph, tangents, once);
    let (first, second) = (spatial::scale(graph, halved, once), spatial::scale(graph, second, twice));
    let sum = spatial::add(graph, m, first);
    spatial::add(graph, sum, second)
}

fn sign(k: i64) -> i64 {
    if k % 2 == 0 { 1 } else { -1 }
}

/// Σ numerator/denominatorₖ xᵏ, by Horner's scheme.
fn polynomial(graph: &mut Graph, x: ExprId, (numerator, denominators): (i64, &[i64])) -> ExprId {
    let mut sum = graph.zero();
    for &denominator in denominators.iter().rev() {
        let coefficient = graph.ratio(numerator, denominator);
        let product = graph.mul(sum, x);
        sum = graph.add(coefficient, product);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Stage, evaluate};
    use crate::rotations::euler_parameter_rotation;

    /// Angles on both sides of where the polynomials end: √w = ½, and an angle of 0.2487, the tangent of whose half is ⅛.
    const SIZES: [f64; 8] = [0.0, 1e-9, 1e-3, 0.248, 0.249, 0.499_999, 0.500_001, 2.5];

    fn values(size: f64, build: impl Fn(&mut Graph, Vector3) -> Vec<ExprId>) -> Vec<f64> {
        let mut graph = Graph::new();
        let vector = ["x", "y", "z"].map(|name| graph.symbol(name, Stage::Position));
        let results = build(&mut graph, vector);
        evaluate(&graph, &results, &[2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0].map(|axis| size * axis))
    }

    fn all_coefficients(graph: &mut Graph, vector: Vector3) -> [ExprId; 3] {
        let w = spatial::dot(graph, vector, vector);
        coefficients(graph, w)
    }

    fn assert_close(found: &[f64], expected: &[f64], what: &str) {
        let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 2e-15, "{what}: {error:.1e}\n{found:?}\n{expected:?}");
    }

    #[test]
    fn the_matrix_is_that_of_the_euler_parameters() {
        for size in SIZES {
            let found = values(size, |graph, vector| {
                let coefficients = all_coefficients(graph, vector);
                matrix(graph, vector, coefficients).concat()
            });
            let expected = values(size, |graph, vector| {
                let e = euler_parameters(graph, vector);
                euler_parameter_rotation(graph, &e).concat()
            });
            assert_close(&found, &expected, &format!("angle {size}"));
        }
    }

    #[test]
    fn tangents_lead_back_to_the_vector() {
        for size in SIZES {
            let back = values(size, |graph, vector| {
                let [e0, x, y, z] = euler_parameters(graph, vector);
                // Neither the norm nor the sign counts.
                let scale = graph.integer(-3);
                let e = [e0, x, y, z].map(|component| graph.mul(scale, component));
                let tangents = [e[1], e[2], e[3]].map(|component| graph.div(component, e[0]));
                of_tangents(graph, tangents).to_vec()
            });
            assert_close(&back, &values(size, |_, vector| vector.to_vec()), &format!("angle {size}"));
        }
    }

    /// The way back from a matrix; the power of a torque is that of what it stands for, because the rates of φ that turn
    /// exp φ by ω in its own axes are transposed where ω is seen from outside.
    #[test]
    fn matrices_lead_back_to_the_vector_and_torques_to_its_rates() {
        let m = |graph: &mut Graph| [0.3, -1.1, 0.7].map(|component| graph.float(component));
        for size in SIZES {
            let back = values(size, |graph, vector| {
                let coefficients = all_coefficients(graph, vector);
                let (axes, m) = (matrix(graph, vector, coefficients), m(graph));
                let tangents = tangents(graph, &axes);
                let torque = torque(graph, tangents, m);
                let conjugate = angular_rate(graph, vector, torque, coefficients);
                [of_tangents(graph, tangents), conjugate].concat()
            });
            let expected = values(size, |graph, vector| [vector, m(graph)].concat());
            assert_close(&back, &expected, &format!("angle {size}"));
        }
    }

    /// Rᵀ Ṙ, by differentiation of the matrix.
    #[test]
    fn the_angular_rate_is_that_of_the_matrix() {
        let rate = |graph: &mut Graph| [0.3, -1.1, 0.7].map(|component| graph.float(component));
        for size in SIZES {
            let found = values(size, |graph, vector| {
                let (coefficients, rate) = (all_coefficients(graph, vector), rate(graph));
                angular_rate(graph, vector, rate, coefficients).to_vec()
            });
            let expected = values(size, |graph, vector| {
                let (coefficients, rate) = (all_coefficients(graph, vector), rate(graph));
                let axes = matrix(graph, vector, coefficients);
                let rates: Vec<_> = vector.into_iter().zip(rate).collect();
                let moved = graph.directional(&axes.concat(), &rates);
                let moved: Matrix3 = std::array::from_fn(|i| std::array::from_fn(|j| moved[3 * i + j]));
                let spin = spatial::multiply(graph, &spatial::transpose(&axes), &moved);
                vec![spin[2][1], spin[0][2], spin[1][0]]
            });
            assert_close(&found, &expected, &format!("angle {size}"));
        }
    }

    /// The tangent of the arc that ends at t φ is exp(t φ) x: d/dt t ∫₀¹ exp(s t φ) x ds.
    #[test]
    fn arcs_follow_their_tangent() {
        for size in SIZES {
            let build = |graph: &mut Graph, vector: Vector3, is_tangent: bool| {
                let (t, zero) = (graph.symbol("t", Stage::Position), graph.zero());
                let x = [1, -2, 3].map(|component| graph.integer(component));
                let turned = spatial::scale(graph, t, vector);
                let coefficients = all_coefficients(graph, turned);
                if is_tangent {
                    let axes = matrix(graph, turned, coefficients);
                    return spatial::apply(graph, &axes, x).to_vec();
                }
                let end = along_arc(graph, turned, x, coefficients);
                let end = spatial::scale(graph, t, end);
                assert_ne!(end[0], zero);
                let one = graph.one();
                graph.directional(&end, &[(t, one)])
            };
            let at = |is_tangent| {
                let mut graph = Graph::new();
                let vector = ["x", "y", "z"].map(|name| graph.symbol(name, Stage::Position));
                let results = build(&mut graph, vector, is_tangent);
                evaluate(&graph, &results, &[2.0 / 7.0 * size, -3.0 / 7.0 * size, 6.0 / 7.0 * size, 1.0])
            };
            let (found, expected): (Vec<f64>, Vec<f64>) = (at(false), at(true));
            let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-14, "angle {size}: {error:.1e}");
        }
    }
}
