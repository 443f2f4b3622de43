//! Inverse dynamics by the inertial parameters of the bodies, in which it is linear.

use super::links::Links;
use super::tree::{self, Inertia};
use crate::expr::{ExprId, Graph};
use crate::resolve::BodyId;
use crate::space::Space;
use crate::spatial::{self, Vector3};

/// Y with τ = Y π, row by row, for the accelerations `a` and the acceleration `base` of the ground, minus gravity. For each
/// body π holds m, m c and the moments of inertia xx, xy, yy, xz, yz, zz about its origin, in its axes; in the plane m,
/// m c and one moment.
pub(super) fn regressor(graph: &mut Graph, links: &Links, base: Vector3, a: &[ExprId]) -> Vec<Vec<ExprId>> {
    let accelerations = tree::accelerations(graph, links, base, a);
    let mut rows = vec![Vec::new(); a.len()];
    for (index, &(alpha, acceleration)) in accelerations.iter().enumerate() {
        for inertia in units(graph, links, BodyId(index)) {
            let omega = links.links[index].angular_velocity;
            let mut wrench = inertia.dynamic_wrench(graph, omega, alpha, acceleration);
            let mut column = vec![graph.zero(); a.len()];
            let mut next = Some(BodyId(index));
            while let Some(body) = next {
                let link = &links.links[body.0];
                let mut projected = Vec::new();
                wrench = tree::pass_up(graph, link, wrench, |row, value| projected.push((row, value)));
                for (row, value) in projected {
                    column[row] = graph.add(column[row], value);
                }
                next = link.parent;
            }
            rows.iter_mut().zip(column).for_each(|(row, value)| row.push(value));
        }
    }
    rows
}

/// The inertia of one unit of each parameter of a body, about its link's origin and in working axes.
fn units(graph: &mut Graph, links: &Links, body: BodyId) -> Vec<Inertia> {
    let (zero, one) = (graph.zero(), graph.one());
    let origin = spatial::zero(graph);
    let arm = links.arm(graph, body, origin);
    let none = Inertia::zero(graph);
    let mut units = vec![Inertia { mass: one, ..none }.seen_from(graph, arm)];
    let moments: &[(usize, usize)] = match links.space {
        Space::Spatial => &[(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)],
        Space::Planar => &[(2, 2)],
    };
    for axis in 0..links.space.dimension() {
        let mut first = [zero; 3];
        first[axis] = one;
        let first_moment = links.working(graph, body, first);
        units.push(Inertia { first_moment, ..none }.seen_from(graph, arm));
    }
    for &(i, j) in moments {
        let mut second_moment = [[zero; 3]; 3];
        (second_moment[i][j], second_moment[j][i]) = (one, one);
        if links.space == Space::Spatial {
            let axes = links.links[body.0].body_frame.rotation;
            second_moment = spatial::rotate_symmetric(graph, &axes, &second_moment);
        }
        units.push(Inertia { second_moment, ..none });
    }
    units
}
