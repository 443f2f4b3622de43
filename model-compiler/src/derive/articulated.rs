//! Forward dynamics by articulated bodies: the inertia and force of a link with all links that it carries, whose joints
//! move freely. The work grows with the number of links; that of factorizing M grows with its square along a chain.
//! [Featherstone 2008, Sec. 7.3]

use super::factorization::Factorization;
use super::links::{Link, Links, rigid_acceleration};
use super::tree::{self, Inertia};
use crate::expr::{ExprId, Graph};
use crate::space::Space;
use crate::spatial::{self, Matrix3, Vector3, Wrench};

/// Inertia about a point, whose mass may depend on the direction: `f = A a + B α`, `τ = Bᵀ a + J α`.
#[derive(Clone, Copy)]
struct Articulated {
    /// A, symmetric.
    linear: Matrix3,
    /// B.
    coupling: Matrix3,
    /// J, symmetric.
    angular: Matrix3,
}

/// Values of a joint stored on the way to the ground: D⁻¹ u, and D⁻¹ Uᵀ row by row.
#[derive(Clone, Default)]
struct Freed {
    free: Vec<ExprId>,
    rows: Vec<Wrench>,
}

/// Accelerations of the joints under `external` wrenches on the links, working axes, and `tau` on them; `rotors` have
/// inertia that is accelerated with a coordinate alone; `base` is the acceleration of the ground.
pub(super) fn accelerations(
    graph: &mut Graph,
    links: &Links,
    inertias: &[Inertia],
    rotors: &[(usize, ExprId)],
    base: Vector3,
    (external, tau): (&[Option<Wrench>], &[ExprId]),
) -> Vec<ExprId> {
    let zero = spatial::zero(graph);
    let biases: Vec<(Vector3, Vector3)> =
        links.links.iter().map(|link| moved(graph, links, link, (zero, zero))).collect();
    let mut wrenches = tree::inertia_wrenches(graph, links, inertias, &vec![(zero, zero); links.links.len()]);
    for (wrench, external) in wrenches.iter_mut().zip(external) {
        if let Some(external) = external {
            wrench.force = spatial::sub(graph, wrench.force, external.force);
            wrench.torque = spatial::sub(graph, wrench.torque, external.torque);
        }
    }
    let mut bodies: Vec<Articulated> = inertias.iter().map(|inertia| Articulated::of(graph, inertia)).collect();
    let mut joints = vec![Freed::default(); links.links.len()];
    for &index in links.order.iter().rev() {
        let link = &links.links[index];
        let (body, freed, wrench) = free(graph, link, bodies[index], wrenches[index], biases[index], (tau, rotors));
        joints[index] = freed;
        let Some(parent) = link.parent else { continue };
        let above = tree::pass_up(graph, link, wrench, |_, _| {});
        wrenches[parent.0] = plus(graph, wrenches[parent.0], above);
        let seen = body.seen_by_parent(graph, links, link);
        bodies[parent.0] = bodies[parent.0].plus(graph, &seen);
    }

    let mut result = vec![graph.zero(); tau.len()];
    let mut motions = vec![(zero, zero); links.links.len()];
    for &index in &links.order {
        let link = &links.links[index];
        let above = link.parent.map_or((zero, base), |parent| motions[parent.0]);
        let (mut alpha, mut a) = moved(graph, links, link, above);
        let carried = (alpha, a);
        for (i, (&free, row)) in joints[index].free.iter().zip(&joints[index].rows).enumerate() {
            let held = power(graph, carried, row);
            let acceleration = graph.sub(free, held);
            result[link.first_velocity + i] = acceleration;
            let (angular, linear) = column(graph, link, i);
            let (turned, pushed) =
                (spatial::scale(graph, acceleration, angular), spatial::scale(graph, acceleration, linear));
            (alpha, a) = (spatial::add(graph, alpha, turned), spatial::add(graph, a, pushed));
        }
        motions[index] = (alpha, a);
    }
    result
}

/// Angular acceleration and acceleration of a link's origin while its joint does not accelerate.
fn moved(graph: &mut Graph, links: &Links, link: &Link, parent: (Vector3, Vector3)) -> (Vector3, Vector3) {
    let zero = spatial::zero(graph);
    let parent_omega = link.parent.map_or(zero, |parent| links.links[parent.0].angular_velocity);
    let carried = rigid_acceleration(graph, parent.1, parent.0, parent_omega, link.offset);
    let (mut alpha, relative) = link.bias_acceleration;
    if link.turns_with_parent {
        let inherited = link.down(graph, parent.0);
        alpha = spatial::add(graph, inherited, alpha);
    }
    (alpha, link.moved(graph, carried, relative))
}

/// Angular acceleration and acceleration of a link per unit of an acceleration of its joint, in the link's axes.
fn column(graph: &mut Graph, link: &Link, i: usize) -> (Vector3, Vector3) {
    let linear = link.linear[i];
    (link.angular[i], if link.linear_in_own_axes { linear } else { link.down(graph, linear) })
}

/// α · τ + a · f.
fn power(graph: &mut Graph, motion: (Vector3, Vector3), wrench: &Wrench) -> ExprId {
    let (turning, pushing) =
        (spatial::dot(graph, motion.0, wrench.torque), spatial::dot(graph, motion.1, wrench.force));
    graph.add(turning, pushing)
}

fn plus(graph: &mut Graph, a: Wrench, b: Wrench) -> Wrench {
    Wrench { force: spatial::add(graph, a.force, b.force), torque: spatial::add(graph, a.torque, b.torque) }
}

fn scaled(graph: &mut Graph, factor: ExprId, wrench: &Wrench) -> Wrench {
    Wrench { force: spatial::scale(graph, factor, wrench.force), torque: spatial::scale(graph, factor, wrench.torque) }
}

/// Releases a joint: the articulated inertia and wrench beyond it, and the terms of the joint's acceleration.
fn free(
    graph: &mut Graph,
    link: &Link,
    body: Articulated,
    wrench: Wrench,
    bias: (Vector3, Vector3),
    (tau, rotors): (&[ExprId], &[(usize, ExprId)]),
) -> (Articulated, Freed, Wrench) {
    let n = link.angular.len();
    let columns: Vec<(Vector3, Vector3)> = (0..n).map(|i| column(graph, link, i)).collect();
    let asked: Vec<Wrench> = columns.iter().map(|&(alpha, a)| body.wrench(graph, alpha, a)).collect();
    let mut matrix: Vec<Vec<ExprId>> =
        columns.iter().map(|&column| asked.iter().map(|wrench| power(graph, column, wrench)).collect()).collect();
    for &(row, inertia) in rotors {
        if let Some(own) = row.checked_sub(link.first_velocity).filter(|&own| own < n) {
            matrix[own][own] = graph.add(matrix[own][own], inertia);
        }
    }
    let excess: Vec<ExprId> = columns
        .iter()
        .enumerate()
        .map(|(i, &column)| {
            let opposed = power(graph, column, &wrench);
            graph.sub(tau[link.first_velocity + i], opposed)
        })
        .collect();
    let factors = Factorization::new(graph, &matrix);
    let free = factors.solve(graph, &excess);
    let mut rows = asked.clone();
    for axis in 0..3 {
        let forces: Vec<ExprId> = asked.iter().map(|wrench| wrench.force[axis]).collect();
        let torques: Vec<ExprId> = asked.iter().map(|wrench| wrench.torque[axis]).collect();
        let (forces, torques) = (factors.solve(graph, &forces), factors.solve(graph, &torques));
        for (row, (force, torque)) in rows.iter_mut().zip(forces.into_iter().zip(torques)) {
            (row.force[axis], row.torque[axis]) = (force, torque);
        }
    }
    let mut rest = body;
    for (wrench, row) in asked.iter().zip(&rows) {
        rest = rest.without(graph, wrench, row);
    }
    let carried = rest.wrench(graph, bias.0, bias.1);
    let mut left = plus(graph, wrench, carried);
    for (wrench, &free) in asked.iter().zip(&free) {
        let part = scaled(graph, free, wrench);
        left = plus(graph, left, part);
    }
    (rest, Freed { free, rows }, left)
}

impl Articulated {
    /// A rigid body: m 1, −h~, J.
    fn of(graph: &mut Graph, inertia: &Inertia) -> Self {
        let (zero, m) = (graph.zero(), inertia.mass);
        let [x, y, z] = inertia.first_moment;
        let [minus_x, minus_y, minus_z] = spatial::neg(graph, inertia.first_moment);
        Self {
            linear: [[m, zero, zero], [zero, m, zero], [zero, zero, m]],
            coupling: [[zero, z, minus_y], [minus_z, zero, x], [y, minus_x, zero]],
            angular: inertia.second_moment,
        }
    }

    fn wrench(&self, graph: &mut Graph, alpha: Vector3, a: Vector3) -> Wrench {
        let (pushed, turned) = (spatial::apply(graph, &self.linear, a), spatial::apply(graph, &self.coupling, alpha));
        let (carried, spun) =
            (spatial::apply_transposed(graph, &self.coupling, a), spatial::apply(graph, &self.angular, alpha));
        Wrench { force: spatial::add(graph, pushed, turned), torque: spatial::add(graph, carried, spun) }
    }

    fn plus(&self, graph: &mut Graph, other: &Self) -> Self {
        let mut sum = |a: &Matrix3, b: &Matrix3| [0, 1, 2].map(|i| spatial::add(graph, a[i], b[i]));
        Self {
            linear: sum(&self.linear, &other.linear),
            coupling: sum(&self.coupling, &other.coupling),
            angular: sum(&self.angular, &other.angular),
        }
    }

    /// Subtracts the dyad of a wrench and a row of D⁻¹ Uᵀ; the sum over all rows of a joint is symmetric.
    fn without(&self, graph: &mut Graph, wrench: &Wrench, row: &Wrench) -> Self {
        let mut less = |matrix: &Matrix3, left: Vector3, right: Vector3| {
            [0, 1, 2].map(|i| {
                [0, 1, 2].map(|j| {
                    let product = graph.mul(left[i], right[j]);
                    graph.sub(matrix[i][j], product)
                })
            })
        };
        Self {
            linear: symmetric(less(&self.linear, wrench.force, row.force)),
            coupling: less(&self.coupling, wrench.force, row.torque),
            angular: symmetric(less(&self.angular, wrench.torque, row.torque)),
        }
    }

    /// About the origin of the parent's link, in its working axes: a = a_p + α_p × r, τ_p = τ + r × f.
    fn seen_by_parent(&self, graph: &mut Graph, links: &Links, link: &Link) -> Self {
        let mut seen = *self;
        if !link.turns_with_parent {
            let zero = graph.zero();
            (seen.coupling, seen.angular) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        }
        if links.space == Space::Spatial {
            for rotation in link.rotations() {
                seen = Self {
                    linear: spatial::rotate_symmetric(graph, rotation, &seen.linear),
                    coupling: spatial::rotate_dyad(graph, rotation, &seen.coupling),
                    angular: spatial::rotate_symmetric(graph, rotation, &seen.angular),
                };
            }
        }
        // B' = B − A r~ = B + (r~ A)ᵀ; J' = J + r~ B' − Bᵀ r~ = J + r~ B' + (r~ B)ᵀ.
        let pushed = spatial::transpose(&crossed(graph, link.offset, &seen.linear));
        let coupling: Matrix3 = [0, 1, 2].map(|i| spatial::add(graph, seen.coupling[i], pushed[i]));
        let (left, right) = (crossed(graph, link.offset, &coupling), crossed(graph, link.offset, &seen.coupling));
        let right = spatial::transpose(&right);
        let angular = [0, 1, 2].map(|i| {
            let both = spatial::add(graph, left[i], right[i]);
            spatial::add(graph, seen.angular[i], both)
        });
        Self { linear: seen.linear, coupling, angular: symmetric(angular) }
    }
}

/// r~ M: the cross product of r with each column.
fn crossed(graph: &mut Graph, r: Vector3, matrix: &Matrix3) -> Matrix3 {
    let columns = spatial::transpose(matrix).map(|column| spatial::cross(graph, r, column));
    spatial::transpose(&columns)
}

/// The upper triangle on both sides, so that equal entries are equal expressions.
fn symmetric(matrix: Matrix3) -> Matrix3 {
    [0, 1, 2].map(|i: usize| [0, 1, 2].map(|j: usize| matrix[i.min(j)][i.max(j)]))
}
