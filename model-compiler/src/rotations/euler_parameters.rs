//! Euler parameters, e0 first. [sherif, Eqs. 1-7]

use crate::expr::{ExprId, Graph};
use crate::space::Coordinate;
use crate::spatial::Matrix3;

pub(super) static COORDINATES: [Coordinate; 4] = [
    Coordinate { name: "e0", unit: "1" },
    Coordinate { name: "e1", unit: "1" },
    Coordinate { name: "e2", unit: "1" },
    Coordinate { name: "e3", unit: "1" },
];

/// A(e) as printed in [sherif, Eq. 2]: quadratic, so its derivatives are right off the unit sphere too.
pub fn rotation_matrix(graph: &mut Graph, e: &[ExprId]) -> Matrix3 {
    let square = |graph: &mut Graph, signs: [i64; 4]| {
        let mut sum = graph.zero();
        for (&component, sign) in e.iter().zip(signs) {
            let squared = graph.mul(component, component);
            sum = if sign > 0 { graph.add(sum, squared) } else { graph.sub(sum, squared) };
        }
        sum
    };
    let twice = |graph: &mut Graph, (a, b): (usize, usize), (c, d): (usize, usize), sign: i64| {
        let (first, second) = (graph.mul(e[a], e[b]), graph.mul(e[c], e[d]));
        let both = if sign > 0 { graph.add(first, second) } else { graph.sub(first, second) };
        let two = graph.integer(2);
        graph.mul(two, both)
    };
    [
        [square(graph, [1, 1, -1, -1]), twice(graph, (1, 2), (0, 3), -1), twice(graph, (1, 3), (0, 2), 1)],
        [twice(graph, (1, 2), (0, 3), 1), square(graph, [1, -1, 1, -1]), twice(graph, (2, 3), (0, 1), -1)],
        [twice(graph, (1, 3), (0, 2), -1), twice(graph, (2, 3), (0, 1), 1), square(graph, [1, -1, -1, 1])],
    ]
}

/// L(e), 3 × 4: ω = 2 L ė in body axes. [sherif, Eqs. 3, 4]
pub fn angular_velocity_matrix(graph: &mut Graph, e: &[ExprId]) -> [[ExprId; 4]; 3] {
    let minus: Vec<ExprId> = e.iter().map(|&component| graph.neg(component)).collect();
    [[minus[1], e[0], e[3], minus[2]], [minus[2], minus[3], e[0], e[1]], [minus[3], e[2], minus[1], e[0]]]
}

/// ė = ½ L(e)ᵀ ω, row by row.
pub(super) fn velocity_map(graph: &mut Graph, e: &[ExprId]) -> Vec<Vec<ExprId>> {
    let l = angular_velocity_matrix(graph, e);
    let half = graph.ratio(1, 2);
    (0..4).map(|row| (0..3).map(|column| graph.mul(half, l[column][row])).collect()).collect()
}
