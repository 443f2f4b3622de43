//! Angles (φ, θ, ψ): R = Rz(ψ) Ry(θ) Rx(φ). (`simo`)

use crate::expr::{ExprId, Graph};
use crate::space::Coordinate;
use crate::spatial::{Matrix3, Vector3};

pub(super) static COORDINATES: [Coordinate; 3] = [
    Coordinate { name: "phi", unit: "rad" },
    Coordinate { name: "theta", unit: "rad" },
    Coordinate { name: "psi", unit: "rad" },
];

pub(super) fn rotation_matrix(graph: &mut Graph, q: &[ExprId]) -> Matrix3 {
    let [(sin_phi, cos_phi), (sin_theta, cos_theta), (sin_psi, cos_psi)] =
        [q[0], q[1], q[2]].map(|angle| (graph.sin(angle), graph.cos(angle)));
    let (sin_sin, sin_cos) = (graph.mul(sin_theta, sin_phi), graph.mul(sin_theta, cos_phi));
    let combine = |graph: &mut Graph, a: (ExprId, ExprId), b: (ExprId, ExprId), sign: i64| {
        let (first, second) = (graph.mul(a.0, a.1), graph.mul(b.0, b.1));
        if sign > 0 { graph.add(first, second) } else { graph.sub(first, second) }
    };
    [
        [
            graph.mul(cos_psi, cos_theta),
            combine(graph, (cos_psi, sin_sin), (sin_psi, cos_phi), -1),
            combine(graph, (cos_psi, sin_cos), (sin_psi, sin_phi), 1),
        ],
        [
            graph.mul(sin_psi, cos_theta),
            combine(graph, (sin_psi, sin_sin), (cos_psi, cos_phi), 1),
            combine(graph, (sin_psi, sin_cos), (cos_psi, sin_phi), -1),
        ],
        [graph.neg(sin_theta), graph.mul(cos_theta, sin_phi), graph.mul(cos_theta, cos_phi)],
    ]
}

/// Columns of ω = S (φ̇, θ̇, ψ̇) in body axes.
pub fn subspace(graph: &mut Graph, q: &[ExprId]) -> Vec<Vector3> {
    let (zero, one) = (graph.zero(), graph.one());
    let (sin_phi, cos_phi) = (graph.sin(q[0]), graph.cos(q[0]));
    let (sin_theta, cos_theta) = (graph.sin(q[1]), graph.cos(q[1]));
    vec![
        [one, zero, zero],
        [zero, cos_phi, graph.neg(sin_phi)],
        [graph.neg(sin_theta), graph.mul(cos_theta, sin_phi), graph.mul(cos_theta, cos_phi)],
    ]
}

/// (φ̇, θ̇, ψ̇) = S⁻¹ ω, row by row. [simo, Eqs. 32, 33]
pub(super) fn velocity_map(graph: &mut Graph, q: &[ExprId]) -> Vec<Vec<ExprId>> {
    let (zero, one) = (graph.zero(), graph.one());
    let (sin_phi, cos_phi) = (graph.sin(q[0]), graph.cos(q[0]));
    let (sin_theta, cos_theta) = (graph.sin(q[1]), graph.cos(q[1]));
    let (about_y, about_z) = (graph.div(sin_phi, cos_theta), graph.div(cos_phi, cos_theta));
    vec![
        vec![one, graph.mul(sin_theta, about_y), graph.mul(sin_theta, about_z)],
        vec![zero, cos_phi, graph.neg(sin_phi)],
        vec![zero, about_y, about_z],
    ]
}
