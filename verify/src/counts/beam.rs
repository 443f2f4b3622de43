//! Mass matrix of a planar two-node beam in a floating frame that is clamped at the first node, from its kinetic
//! energy: the integrals over the length are those of polynomials, and exact.

use hamel_compiler::expr::{ExprId, Graph, Stage};

use super::{Formulas, Function};

pub(super) fn functions() -> Vec<Function> {
    vec![Function::new("FB_M", |stage| Ok(mass_matrix(stage)))]
}

/// Coefficients of 1, ξ, ξ², ξ³ with ξ from 0 to 1 along the beam.
type Polynomial = [ExprId; 4];

/// M of (X, Y, θ, u, v, φ): M_ij = m ∫ ∂r/∂q_i · ∂r/∂q_j dξ.
fn mass_matrix(parameters: Stage) -> Formulas {
    let mut graph = Graph::new();
    let q = ["X", "Y", "theta", "u", "v", "phi"].map(|name| graph.symbol(name, Stage::Position));
    let [mass, length] = ["m", "l"].map(|name| graph.symbol(name, parameters));
    let position = position(&mut graph, &q, length);
    let columns: Vec<[Polynomial; 2]> = q
        .iter()
        .map(|&q| position.map(|component| component.map(|coefficient| graph.derivative(coefficient, q))))
        .collect();
    let mut values = Vec::new();
    for left in &columns {
        for right in &columns {
            let integral = integral_of_product(&mut graph, left, right);
            values.push(graph.mul(mass, integral));
        }
    }
    Formulas { graph, values }
}

/// Position of the beam's axis in ground axes.
fn position(graph: &mut Graph, q: &[ExprId; 6], length: ExprId) -> [Polynomial; 2] {
    let [origin_x, origin_y, theta, u, v, phi] = *q;
    let zero = graph.zero();
    let (sin, cos) = (graph.sin(theta), graph.cos(theta));
    // Axially linear; the deflection (3ξ² − 2ξ³) v + l (ξ³ − ξ²) φ is Hermite's.
    let stretched = graph.add(length, u);
    let (two, three, tilt) = (graph.integer(2), graph.integer(3), graph.mul(length, phi));
    let (thrice, twice) = (graph.mul(three, v), graph.mul(two, v));
    let along = [zero, stretched, zero, zero];
    let across = [zero, zero, graph.sub(thrice, tilt), graph.sub(tilt, twice)];
    let minus_sin = graph.neg(sin);
    [(origin_x, [cos, minus_sin]), (origin_y, [sin, cos])].map(|(origin, axes)| {
        let mut component: Polynomial = std::array::from_fn(|power| graph.dot(&axes, &[along[power], across[power]]));
        component[0] = graph.add(origin, component[0]);
        component
    })
}

/// ∫ a · b dξ from 0 to 1.
fn integral_of_product(graph: &mut Graph, a: &[Polynomial; 2], b: &[Polynomial; 2]) -> ExprId {
    let mut integral = graph.zero();
    for i in 0..a[0].len() {
        for j in 0..b[0].len() {
            let product = graph.dot(&[a[0][i], a[1][i]], &[b[0][j], b[1][j]]);
            let weight = graph.ratio(1, (i + j + 1) as i64);
            let term = graph.mul(weight, product);
            integral = graph.add(integral, term);
        }
    }
    integral
}
