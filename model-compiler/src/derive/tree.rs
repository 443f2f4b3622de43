//! Joint coordinates: the recursions of Newton-Euler and of composite bodies over the links. [Featherstone 2008]
//!
//! Expanded Lagrange equations are not used: for a six-axis arm they take seven times as many operations before
//! simplification.

use super::links::{Link, Links, rigid_acceleration, turning};
use super::motion::{KernelScope, Totals};
use crate::expr::{ExprId, Graph};
use crate::resolve::BodyId;
use crate::space::Space;
use crate::spatial::{self, Matrix3, Vector3, Wrench};

/// Inertia about a point: mass, first moment, and moments of inertia.
#[derive(Clone, Copy)]
pub(super) struct Inertia {
    pub mass: ExprId,
    /// ∫ ρ dm.
    pub first_moment: Vector3,
    pub second_moment: Matrix3,
}

/// Inertia of every body about its link's origin, in working axes.
pub(super) fn inertias(scope: &mut KernelScope, links: &Links) -> Vec<Inertia> {
    (0..links.links.len())
        .map(|index| {
            let body = &scope.system.bodies[index];
            let name = body.name.to_string();
            let mass = scope.value(&format!("{name}_mass"), &body.mass)[0];
            let center = match &body.center_of_mass {
                Some(term) => scope.vector(&format!("{name}_center"), term),
                None => spatial::zero(&mut scope.builder.graph),
            };
            let about_center = scope.value(&format!("{name}_inertia"), &body.inertia);
            let graph = &mut scope.builder.graph;
            let arm = links.arm(graph, BodyId(index), center);
            let moments = in_link_axes(graph, links, index, &about_center);
            let central = Inertia { mass, first_moment: spatial::zero(graph), second_moment: moments };
            central.seen_from(graph, arm)
        })
        .collect()
}

/// Central moments of inertia in the link's axes: constant, so this work is hoisted.
fn in_link_axes(graph: &mut Graph, links: &Links, body: usize, about_center: &[ExprId]) -> Matrix3 {
    let zero = graph.zero();
    match (links.space, about_center) {
        (Space::Spatial, &[xx, xy, xz, yx, yy, yz, zx, zy, zz]) => spatial::rotate_symmetric(
            graph,
            &links.links[body].body_frame.rotation,
            &[[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]],
        ),
        _ => [[zero; 3], [zero; 3], [zero, zero, about_center[0]]],
    }
}

impl Inertia {
    pub fn zero(graph: &mut Graph) -> Self {
        let zero = graph.zero();
        Self { mass: zero, first_moment: [zero; 3], second_moment: [[zero; 3]; 3] }
    }

    pub fn plus(&self, graph: &mut Graph, other: &Inertia) -> Self {
        let mut second_moment = self.second_moment;
        for i in 0..3 {
            for j in i..3 {
                second_moment[i][j] = graph.add(self.second_moment[i][j], other.second_moment[i][j]);
                second_moment[j][i] = second_moment[i][j];
            }
        }
        Self {
            mass: graph.add(self.mass, other.mass),
            first_moment: spatial::add(graph, self.first_moment, other.first_moment),
            second_moment,
        }
    }

    pub fn rotated(&self, graph: &mut Graph, rotation: &Matrix3) -> Self {
        Self {
            mass: self.mass,
            first_moment: spatial::apply(graph, rotation, self.first_moment),
            second_moment: spatial::rotate_symmetric(graph, rotation, &self.second_moment),
        }
    }

    /// The same body about another point, from which the old one has the offset `arm`: h' = h + m r,
    /// J' = J − (h~ r~ + r~ h~) − m r~ r~, in the form J − (k~ r~ + r~ k~) with k = h + ½ m r.
    pub fn seen_from(&self, graph: &mut Graph, arm: Vector3) -> Self {
        let shift = spatial::scale(graph, self.mass, arm);
        let half = graph.ratio(1, 2);
        let half_shift = spatial::scale(graph, half, shift);
        let k = spatial::add(graph, self.first_moment, half_shift);
        let mut second_moment = self.second_moment;
        let twice = {
            let scalar = spatial::dot(graph, k, arm);
            let two = graph.integer(2);
            graph.mul(two, scalar)
        };
        for i in 0..3 {
            for j in i..3 {
                // −(k~ r~ + r~ k~) = 2 (k·r) 1 − k rᵀ − r kᵀ
                let (left, right) = (graph.mul(k[i], arm[j]), graph.mul(arm[i], k[j]));
                let both = graph.add(left, right);
                let moved = if i == j { graph.sub(twice, both) } else { graph.neg(both) };
                second_moment[i][j] = graph.add(second_moment[i][j], moved);
                second_moment[j][i] = second_moment[i][j];
            }
        }
        Self { mass: self.mass, first_moment: spatial::add(graph, self.first_moment, shift), second_moment }
    }

    /// A body that does not turn with the reference frame: only its mass matters.
    fn as_point(&self, graph: &mut Graph) -> Self {
        Self { mass: self.mass, ..Inertia::zero(graph) }
    }

    /// Force and torque about the same point in motion: m a + U h and h × a + J α + ω × J ω, with U of [`turning`]. Its
    /// entries, which the first moment needs anyway, are also the factors of the products of inertia.
    pub fn dynamic_wrench(&self, graph: &mut Graph, omega: Vector3, alpha: Vector3, a: Vector3) -> Wrench {
        let turning = turning(graph, alpha, omega);
        let (linear, swung) = (spatial::scale(graph, self.mass, a), spatial::apply(graph, &turning, self.first_moment));
        let carried = spatial::cross(graph, self.first_moment, a);
        let own = std::array::from_fn(|i| self.own_torque(graph, i, omega, alpha, &turning));
        Wrench { force: spatial::add(graph, linear, swung), torque: spatial::add(graph, own, carried) }
    }

    /// A component of J α + ω × J ω.
    fn own_torque(&self, graph: &mut Graph, i: usize, omega: Vector3, alpha: Vector3, turning: &Matrix3) -> ExprId {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let moments = &self.second_moment;
        let difference = graph.sub(moments[k][k], moments[j][j]);
        let opposite = graph.neg(difference);
        let principal = if moments[i][i] == difference {
            graph.mul(difference, turning[k][j])
        } else if moments[i][i] == opposite {
            graph.mul(difference, turning[j][k])
        } else {
            let (spun, product) = (graph.mul(moments[i][i], alpha[i]), graph.mul(omega[j], omega[k]));
            let gyroscopic = graph.mul(difference, product);
            graph.add(spun, gyroscopic)
        };
        let squares = [j, k].map(|axis| graph.mul(omega[axis], omega[axis]));
        let stretched = graph.sub(squares[0], squares[1]);
        let products = [graph.mul(moments[i][k], turning[j][i]), graph.mul(moments[j][k], stretched)];
        let against = graph.mul(moments[i][j], turning[k][i]);
        let sum = graph.sum(&[principal, products[0], products[1]]);
        graph.sub(sum, against)
    }

    /// Force and torque about the same point for an angular acceleration and an acceleration of that point.
    pub fn wrench(&self, graph: &mut Graph, alpha: Vector3, a: Vector3) -> Wrench {
        let (linear, tangential) =
            (spatial::scale(graph, self.mass, a), spatial::cross(graph, alpha, self.first_moment));
        let (turning, carried) =
            (spatial::apply(graph, &self.second_moment, alpha), spatial::cross(graph, self.first_moment, a));
        Wrench { force: spatial::add(graph, linear, tangential), torque: spatial::add(graph, turning, carried) }
    }
}

/// Angular acceleration and acceleration of every link's origin, working axes, for accelerations `a` of the joints.
/// `base` is the acceleration of the ground: minus gravity includes the weight of all bodies.
pub(super) fn accelerations(graph: &mut Graph, links: &Links, base: Vector3, a: &[ExprId]) -> Vec<(Vector3, Vector3)> {
    let zero = spatial::zero(graph);
    let mut result = vec![(zero, zero); links.links.len()];
    for &index in &links.order {
        let link = &links.links[index];
        let (parent_alpha, parent_a) = link.parent.map_or((zero, base), |parent| result[parent.0]);
        let parent_omega = link.parent.map_or(zero, |parent| links.links[parent.0].angular_velocity);
        let carried = rigid_acceleration(graph, parent_a, parent_alpha, parent_omega, link.offset);
        let (mut alpha, mut relative) = link.bias_acceleration;
        if link.turns_with_parent {
            let inherited = link.down(graph, parent_alpha);
            alpha = spatial::add(graph, inherited, alpha);
        }
        for i in 0..link.angular.len() {
            let a = a[link.first_velocity + i];
            let (w, u) = (spatial::scale(graph, a, link.angular[i]), spatial::scale(graph, a, link.linear[i]));
            alpha = spatial::add(graph, alpha, w);
            relative = spatial::add(graph, relative, u);
        }
        result[index] = (alpha, link.moved(graph, carried, relative));
    }
    result
}

/// Wrench that accelerates each body, about its link's origin.
pub(super) fn inertia_wrenches(
    graph: &mut Graph,
    links: &Links,
    inertias: &[Inertia],
    accelerations: &[(Vector3, Vector3)],
) -> Vec<Wrench> {
    links
        .links
        .iter()
        .enumerate()
        .map(|(index, link)| {
            let (alpha, a) = accelerations[index];
            inertias[index].dynamic_wrench(graph, link.angular_velocity, alpha, a)
        })
        .collect()
}

/// Generalized forces of wrenches on the links (about their origins, working axes), from the leaves to the ground.
pub(super) fn generalized(graph: &mut Graph, links: &Links, mut wrenches: Vec<Wrench>, nv: usize) -> Vec<ExprId> {
    transmit(graph, links, &mut wrenches, nv)
}

/// Generalized forces of wrenches on the links; each wrench is replaced by what the link's joint transmits.
pub(super) fn transmit(graph: &mut Graph, links: &Links, wrenches: &mut [Wrench], nv: usize) -> Vec<ExprId> {
    let mut result = vec![graph.zero(); nv];
    for &index in links.order.iter().rev() {
        let link = &links.links[index];
        let mut projected = Vec::new();
        let above = pass_up(graph, link, wrenches[index], |column, value| projected.push((column, value)));
        for (column, value) in projected {
            // Joints that follow another act on its velocity.
            result[column] = graph.add(result[column], value);
        }
        if let Some(parent) = link.parent {
            let sum = &mut wrenches[parent.0];
            sum.force = spatial::add(graph, sum.force, above.force);
            sum.torque = spatial::add(graph, sum.torque, above.torque);
        }
    }
    result
}

/// Projects a wrench on a link onto its joint, and returns the wrench on the parent's link.
pub(super) fn pass_up(
    graph: &mut Graph,
    link: &Link,
    wrench: Wrench,
    mut project: impl FnMut(usize, ExprId),
) -> Wrench {
    let force = link.up(graph, wrench.force);
    let pushed = if link.linear_in_own_axes { wrench.force } else { force };
    for (i, (&angular, &linear)) in link.angular.iter().zip(&link.linear).enumerate() {
        let (turning, pushing) = (spatial::dot(graph, angular, wrench.torque), spatial::dot(graph, linear, pushed));
        let value = graph.add(turning, pushing);
        project(link.first_velocity + i, value);
    }
    let mut torque = spatial::cross(graph, link.offset, force);
    if link.turns_with_parent {
        let turned = link.up(graph, wrench.torque);
        torque = spatial::add(graph, torque, turned);
    }
    Wrench { force, torque }
}

/// M by composite bodies: each column is the wrench of all that a joint moves, passed up to the ground.
pub(super) fn mass_matrix(graph: &mut Graph, links: &Links, inertias: &[Inertia], nv: usize) -> Vec<Vec<ExprId>> {
    let composites = composites(graph, links, inertias);
    let mut matrix = vec![vec![graph.zero(); nv]; nv];
    for (index, link) in links.links.iter().enumerate() {
        for (i, (&angular, &linear)) in link.angular.iter().zip(&link.linear).enumerate() {
            let row = link.first_velocity + i;
            let linear = if link.linear_in_own_axes { linear } else { link.down(graph, linear) };
            let mut wrench = composites[index].wrench(graph, angular, linear);
            let mut at = index;
            loop {
                let link = &links.links[at];
                let mut projected = Vec::new();
                wrench = pass_up(graph, link, wrench, |column, value| projected.push((column, value)));
                // Within a joint the upper triangle is reached first.
                projected.retain(|&(column, _)| at != index || column <= row);
                for (column, value) in projected {
                    add_to(graph, &mut matrix, (row, column), value);
                    // A joint that follows one nearer to the ground moves with the same velocity.
                    if at != index || column != row {
                        add_to(graph, &mut matrix, (column, row), value);
                    }
                }
                match link.parent {
                    Some(parent) => at = parent.0,
                    None => break,
                }
            }
        }
    }
    matrix
}

/// Adds to an entry of a matrix.
pub(super) fn add_to(graph: &mut Graph, matrix: &mut [Vec<ExprId>], (row, column): (usize, usize), value: ExprId) {
    matrix[row][column] = graph.add(matrix[row][column], value);
}

/// Inertia of each link with all links that it carries, about the link's origin.
pub(super) fn composites(graph: &mut Graph, links: &Links, inertias: &[Inertia]) -> Vec<Inertia> {
    let mut composites = inertias.to_vec();
    for &index in links.order.iter().rev() {
        let link = &links.links[index];
        let Some(parent) = link.parent else { continue };
        let mut seen = if link.turns_with_parent { composites[index] } else { composites[index].as_point(graph) };
        if links.space == Space::Spatial {
            for rotation in link.rotations() {
                seen = seen.rotated(graph, rotation);
            }
        }
        let seen = seen.seen_from(graph, link.offset);
        composites[parent.0] = composites[parent.0].plus(graph, &seen);
    }
    composites
}

/// Weight of every body about its link's origin.
pub(super) fn weights(graph: &mut Graph, links: &Links, inertias: &[Inertia], gravity: Vector3) -> Vec<Wrench> {
    let mut directions = vec![gravity; links.links.len()];
    for &index in &links.order {
        let link = &links.links[index];
        let above = link.parent.map_or(gravity, |parent| directions[parent.0]);
        directions[index] = link.down(graph, above);
    }
    directions
        .into_iter()
        .zip(inertias)
        .map(|(g, inertia)| Wrench {
            force: spatial::scale(graph, inertia.mass, g),
            torque: spatial::cross(graph, inertia.first_moment, g),
        })
        .collect()
}

/// Energies and momenta of all bodies; the potential is that of gravity.
pub(super) fn totals(graph: &mut Graph, links: &Links, inertias: &[Inertia], gravity: Option<Vector3>) -> Totals {
    let zero = graph.zero();
    let mut totals =
        Totals { kinetic_energy: zero, potential_energy: zero, momentum: [zero; 3], angular_momentum: [zero; 3] };
    let half = graph.ratio(1, 2);
    for (index, (link, inertia)) in links.links.iter().zip(inertias).enumerate() {
        let (omega, v) = (link.angular_velocity, link.velocity);
        let momentum = inertia.wrench(graph, omega, v);
        let (linear, angular) = (spatial::dot(graph, v, momentum.force), spatial::dot(graph, omega, momentum.torque));
        let twice = graph.add(linear, angular);
        let kinetic = graph.mul(half, twice);
        totals.kinetic_energy = graph.add(totals.kinetic_energy, kinetic);

        let body = BodyId(index);
        let (force, torque) =
            (links.to_ground(graph, body, momentum.force), links.to_ground(graph, body, momentum.torque));
        totals.momentum = spatial::add(graph, totals.momentum, force);
        let about_ground = spatial::cross(graph, link.pose.position, force);
        let about_ground = spatial::add(graph, torque, about_ground);
        totals.angular_momentum = spatial::add(graph, totals.angular_momentum, about_ground);

        if let Some(g) = gravity {
            let moment = links.to_ground(graph, body, inertia.first_moment);
            let at_origin = spatial::scale(graph, inertia.mass, link.pose.position);
            let moment = spatial::add(graph, at_origin, moment);
            let work = spatial::dot(graph, g, moment);
            totals.potential_energy = graph.sub(totals.potential_energy, work);
        }
    }
    totals
}
