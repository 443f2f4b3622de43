//! Base parameters: inertia indistinguishable from that of the parent is moved there. [Khalil, Dombre 2002, Ch. 9]
//!
//! A body that turns about its z axis is equivalent to a rod along this axis that belongs to the parent, and a
//! remainder. The rod takes m, h_z and Σ_zz = ½ (J_xx + J_yy − J_zz); the remainder has m' = 0, h' = (h_x, h_y, 0),
//! J_xx' = J_xx − Σ_zz and J_yy' = J_yy − Σ_zz, so that J_zz = J_xx' + J_yy'. A body that only slides passes all of J
//! on, one on a fixed joint everything. The motion, the energies and the momenta are the same. Done where computing the
//! moved inertia costs nothing, because it consists of numbers or of parameters that are known before, and where it
//! lowers the number of operations.

use super::counting::Counting;
use super::links::{Link, Links};
use super::tree::Inertia;
use crate::expr::{ExprId, Graph};
use crate::space::Space;

/// The inertias, with everything movable that costs nothing (`free`) moved towards the ground.
pub(super) fn regroup(graph: &mut Graph, links: &Links, inertias: &[Inertia], free: Counting) -> Vec<Inertia> {
    let mut inertias = inertias.to_vec();
    if links.space == Space::Planar {
        return inertias;
    }
    for &index in links.order.iter().rev() {
        let link = &links.links[index];
        let Some(parent) = link.parent.filter(|_| is_constant(graph, link, &inertias[index], free)) else { continue };
        let Some((moved, rest)) = split(graph, link, &inertias[index], free) else { continue };
        inertias[parent.0] = inertias[parent.0].plus(graph, &moved);
        inertias[index] = rest;
    }
    inertias
}

fn is_constant(graph: &Graph, link: &Link, inertia: &Inertia, free: Counting) -> bool {
    let is_free_entry = |&entry: &ExprId| free.is_free(graph, entry);
    std::iter::once(&inertia.mass)
        .chain(&inertia.first_moment)
        .chain(inertia.second_moment.iter().flatten())
        .all(is_free_entry)
        && link.fixed.iter().flatten().all(is_free_entry)
}

/// The part that moves to the parent, in the parent's axes about its origin, and the part that stays.
fn split(graph: &mut Graph, link: &Link, inertia: &Inertia, free: Counting) -> Option<(Inertia, Inertia)> {
    let zero = graph.zero();
    let unit = [zero, zero, graph.one()];
    let nothing = Inertia::zero(graph);
    let is_offset_free = link.offset.iter().all(|&entry| free.is_free(graph, entry));
    if link.angular.is_empty() && link.linear.is_empty() && link.turns_with_parent && is_offset_free {
        let seen = inertia.rotated(graph, &link.fixed).seen_from(graph, link.offset);
        return Some((seen, nothing));
    }
    let [angular] = *link.angular.as_slice() else { return None };
    let [linear] = *link.linear.as_slice() else { return None };
    if angular == unit && linear == [zero; 3] && is_offset_free {
        let (rod, rest) = split_revolute(graph, inertia);
        let seen = rod.rotated(graph, &link.fixed).seen_from(graph, link.offset);
        return Some((seen, rest));
    }
    let slides = angular == [zero; 3] && link.turns_with_parent && link.has_constant_columns;
    let rigid = Inertia { second_moment: inertia.second_moment, ..nothing };
    let rest = Inertia { second_moment: [[zero; 3]; 3], ..*inertia };
    // Its moments about its own origin do not change with the displacement, so that they need not be shifted.
    slides.then(|| {
        let turned = rigid.rotated(graph, &link.fixed);
        (turned, rest)
    })
}

/// The rod along the z axis, and the rest.
fn split_revolute(graph: &mut Graph, inertia: &Inertia) -> (Inertia, Inertia) {
    let zero = graph.zero();
    let [xx, yy, zz] = [0, 1, 2].map(|i| inertia.second_moment[i][i]);
    let (sum, half) = (graph.add(xx, yy), graph.ratio(1, 2));
    let twice = graph.sub(sum, zz);
    let along = graph.mul(half, twice);
    let mut rod = Inertia::zero(graph);
    (rod.mass, rod.first_moment[2]) = (inertia.mass, inertia.first_moment[2]);
    let mut rest = *inertia;
    (rest.mass, rest.first_moment[2]) = (zero, zero);
    for i in 0..2 {
        rod.second_moment[i][i] = along;
        rest.second_moment[i][i] = graph.sub(inertia.second_moment[i][i], along);
    }
    (rod, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::evaluate;

    #[test]
    fn a_rod_and_the_rest_are_the_body() {
        let mut graph = Graph::new();
        let mut numbers = |values: [i64; 3]| values.map(|value| graph.ratio(value, 7));
        let first_moment = numbers([3, -1, 5]);
        let second_moment = [numbers([20, 1, -2]), numbers([1, 17, 3]), numbers([-2, 3, 9])];
        let mass = graph.integer(2);
        let body = Inertia { mass, first_moment, second_moment };
        let (rod, rest) = split_revolute(&mut graph, &body);
        let together = rod.plus(&mut graph, &rest);
        assert_eq!(together.mass, body.mass);
        assert_eq!(together.first_moment, body.first_moment);
        assert_eq!(together.second_moment, body.second_moment);
        let difference = {
            let sum = graph.add(rest.second_moment[0][0], rest.second_moment[1][1]);
            graph.sub(sum, rest.second_moment[2][2])
        };
        assert_eq!(evaluate(&graph, &[difference, rest.mass, rest.first_moment[2]], &[] as &[f64]), [0.0; 3]);
    }
}
