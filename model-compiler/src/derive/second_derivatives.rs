//! Second derivatives of inverse dynamics as products with a vector: those of the scalar φ = wᵀ τ(q, v, a), the power of
//! the forces at the velocities w.
//!
//! Along the directions of the velocities, as the first ones are given: with D_i = ∑ N_ki ∂/∂q_k the blocks are D_j D_i φ,
//! D_i ∂φ/∂v_j, ∂²φ/∂v_i ∂v_j and D_i ∂φ/∂a_j, row i and column j. That by v and a, and that by a twice, are zero.
//!
//! By structure: with the twists W of the links where the joints move with w, φ = ∑ ∫ W · r̈ dm. A displacement along a
//! column S of joint i changes, in the axes of link i and for all that it carries, W by Ẇ = W_p × S, the velocity by
//! Ψ̇ and the acceleration by Ψ̈, as in `structured.rs`; so that
//!
//! D_i φ = Ẇ · f + Ψ̈ · p + Ψ̇ · k, ∂φ/∂v_i = (Ψ̇ + Ṡ) · p + S · k, ∂φ/∂a_i = S · p
//!
//! with what is summed over the links beyond: the force f = ∫ r̈ dm, the momentum p = ∫ W dm, and k = 2 ∫ ṙ × W dm, a free
//! vector. A displacement of a joint j nearer to the ground changes Ẇ, Ψ̇ and Ψ̈ by cross products with its own, and the
//! sums by I, 2B and 2B with W in place of the velocity. All is linear in what j changes: three wrenches for a column of a
//! joint, passed up to the ground and projected there on the columns of the others, give its rows of all blocks.

use super::equations::{Output, Role};
use super::kernel::KernelBuilder;
use super::links::Links;
use super::structured::{self, Column, Coriolis, Twist, cross, cross_wrench, lifted, project, response, sum};
use super::tree::{self, Inertia, add_to};
use crate::expr::{ExprId, Graph};
use crate::spatial::{self, Vector3, Wrench};

type Matrix = Vec<Vec<ExprId>>;

/// The blocks by q and q, q and v, v and v, q and a, each row by row.
pub(super) struct Blocks([Matrix; 4]);

impl Blocks {
    /// Those of wᵀ y, by differentiation.
    pub fn of(builder: &mut KernelBuilder, y: &[ExprId], w: &[ExprId]) -> Blocks {
        let weighted = builder.graph.dot(w, y);
        let (by_q, by_v) = builder.gradients(weighted);
        Blocks([
            builder.tangent(&by_q),
            builder.velocity_jacobian(&by_q),
            builder.velocity_jacobian(&by_v),
            builder.acceleration_jacobian(&by_q),
        ])
    }

    /// As outputs of a function.
    pub fn outputs(&self) -> Vec<Output> {
        let roles = [
            Role::ForceByPositions,
            Role::ForceByPositionAndVelocity,
            Role::ForceByVelocities,
            Role::ForceByPositionAndAcceleration,
        ];
        roles.into_iter().zip(&self.0).map(|(role, block)| Output::matrix(role, block)).collect()
    }

    /// These less others.
    pub fn minus(self, builder: &mut KernelBuilder, other: &Blocks) -> Blocks {
        let mut others = other.0.iter();
        Blocks(self.0.map(|block| match others.next() {
            Some(other) => builder.difference(block, other),
            None => block,
        }))
    }
}

/// What the links beyond a joint are together, each at the origin of its link.
struct Carried<'c> {
    inertia: &'c Inertia,
    /// 2B of the velocities, and of W in their place.
    coriolis: &'c Coriolis,
    weighted: &'c Coriolis,
    /// f, p and k.
    force: Wrench,
    momentum: Wrench,
    turning: Vector3,
}

/// A column of a joint, and Ẇ of a displacement along it.
struct Direction<'c> {
    column: &'c Column,
    weight: Twist,
}

/// The blocks by recursion, where the joints allow it (see [`structured::is_possible`]): `base` is the acceleration of the
/// ground, minus gravity.
pub(super) fn by_structure(
    graph: &mut Graph,
    (links, inertias): (&Links, &[Inertia]),
    base: Vector3,
    a: &[ExprId],
    w: &[ExprId],
) -> Blocks {
    let nv = a.len();
    let accelerations = tree::accelerations(graph, links, base, a);
    let mut forces = tree::inertia_wrenches(graph, links, inertias, &accelerations);
    tree::transmit(graph, links, &mut forces, nv);
    let columns = structured::all_columns(graph, links, base, &accelerations);
    let velocities = structured::velocities(links);
    let (carried_weights, weights) = weights(graph, links, w);
    let mut momenta: Vec<Wrench> =
        weights.iter().zip(inertias).map(|(w, inertia)| inertia.wrench(graph, w.angular, w.linear)).collect();
    tree::transmit(graph, links, &mut momenta, nv);
    let turnings = turnings(graph, links, inertias, (&velocities, &weights));
    let composites = tree::composites(graph, links, inertias);
    let coriolis = structured::composite_coriolis(graph, links, inertias, &velocities);
    let weighted = structured::composite_coriolis(graph, links, inertias, &weights);

    let directions: Vec<Vec<Direction>> = columns
        .iter()
        .zip(&carried_weights)
        .map(|(columns, carried)| {
            let direction = |column| Direction { column, weight: cross(graph, carried, &column.direction) };
            columns.iter().map(direction).collect()
        })
        .collect();
    let zeros = vec![vec![graph.zero(); nv]; nv];
    let mut blocks = Blocks([zeros.clone(), zeros.clone(), zeros.clone(), zeros]);
    for index in 0..links.links.len() {
        let carried = Carried {
            inertia: &composites[index],
            coriolis: &coriolis[index],
            weighted: &weighted[index],
            force: forces[index],
            momentum: momenta[index],
            turning: turnings[index],
        };
        for own in &directions[index] {
            rows(graph, links, &directions, (index, own), &carried, &mut blocks);
        }
    }
    blocks
}

/// W of the parent and of the link itself, in the link's axes at its origin.
fn weights(graph: &mut Graph, links: &Links, w: &[ExprId]) -> (Vec<Twist>, Vec<Twist>) {
    let zero = spatial::zero(graph);
    let still = Twist { angular: zero, linear: zero };
    let (mut carried, mut own) = (vec![still; links.links.len()], vec![still; links.links.len()]);
    for &index in &links.order {
        let link = &links.links[index];
        let above = link.parent.map_or(still, |parent| own[parent.0]);
        let turning = spatial::cross(graph, above.angular, link.offset);
        let moved = spatial::add(graph, above.linear, turning);
        carried[index] = Twist { angular: link.down(graph, above.angular), linear: link.down(graph, moved) };
        own[index] = carried[index];
        for (i, (&angular, &linear)) in link.angular.iter().zip(&link.linear).enumerate() {
            let w = w[link.first_velocity + i];
            let (angular, linear) = (spatial::scale(graph, w, angular), spatial::scale(graph, w, linear));
            own[index].angular = spatial::add(graph, own[index].angular, angular);
            own[index].linear = spatial::add(graph, own[index].linear, linear);
        }
    }
    (carried, own)
}

/// k = 2 ∫ ṙ × W dm of each link with all that it carries.
fn turnings(
    graph: &mut Graph,
    links: &Links,
    inertias: &[Inertia],
    (velocities, weights): (&[Twist], &[Twist]),
) -> Vec<Vector3> {
    let of_body = |((moving, weight), inertia): ((&Twist, &Twist), &Inertia)| {
        Coriolis::of(graph, moving, inertia).projected(graph, weight)
    };
    let mut turnings: Vec<Vector3> = velocities.iter().zip(weights).zip(inertias).map(of_body).collect();
    for &index in links.order.iter().rev() {
        let link = &links.links[index];
        let Some(parent) = link.parent else { continue };
        let above = link.up(graph, turnings[index]);
        turnings[parent.0] = spatial::add(graph, turnings[parent.0], above);
    }
    turnings
}

/// Fills what concerns one column S_i, the columns of its own joint, and those of all between it and the ground.
fn rows(
    graph: &mut Graph,
    links: &Links,
    directions: &[Vec<Direction>],
    (index, own): (usize, &Direction),
    carried: &Carried,
    Blocks([by_qq, by_qv, by_vv, by_qa]): &mut Blocks,
) {
    let Carried { inertia, coriolis, weighted, force, momentum, turning } = carried;
    let Column { velocity: row, direction, rate, acceleration, both_rates } = own.column;
    let row = *row;
    let two = graph.integer(2);
    let zero = spatial::zero(graph);

    // D_i φ by the changes of W, acceleration and velocity of all beyond the joint, and of its parent.
    let by_weight = response(graph, inertia, coriolis, rate.angular, acceleration);
    let turned = cross_wrench(graph, direction, force);
    let mut by_weight = sum(graph, &by_weight, &turned);
    let by_acceleration = inertia.wrench(graph, own.weight.angular, own.weight.linear);
    let turned = cross_wrench(graph, direction, momentum);
    let mut by_acceleration = sum(graph, &by_acceleration, &turned);
    let moved = weighted.applied(graph, rate.angular);
    let turned = cross_wrench(graph, rate, momentum);
    let turned = scaled(graph, two, &turned);
    let by_velocity = difference(graph, &turned, &moved);
    let (about, spun) = (coriolis.projected(graph, &own.weight), spatial::cross(graph, direction.angular, *turning));
    let torque = spatial::add(graph, about, spun);
    let mut by_velocity = sum(graph, &by_velocity, &Wrench { force: zero, torque });

    // ∂φ/∂v_i likewise; a velocity of the joint itself does not move its parent, so that S turns half as fast.
    let mut rate_by_weight = response(graph, inertia, coriolis, direction.angular, both_rates);
    let moved = weighted.applied(graph, direction.angular);
    let turned = cross_wrench(graph, direction, momentum);
    let rate_by_own_velocity = difference(graph, &turned, &moved);
    let mut rate_by_velocity = sum(graph, &rate_by_own_velocity, &turned);

    // ∂φ/∂a_i by W.
    let mut mass_by_weight = inertia.wrench(graph, direction.angular, direction.linear);

    let mut at = index;
    loop {
        let link = &links.links[at];
        for other in &directions[at] {
            let Column { velocity: column, direction, rate, acceleration, both_rates } = other.column;
            let column = *column;
            let is_beyond = at != index;

            let terms = [
                project(graph, &other.weight, &by_weight),
                project(graph, acceleration, &by_acceleration),
                project(graph, rate, &by_velocity),
            ];
            let value = graph.sum(&terms);
            add_to(graph, by_qq, (row, column), value);
            if is_beyond {
                add_to(graph, by_qq, (column, row), value);
            }

            let (weighted, moved) =
                (project(graph, &other.weight, &rate_by_weight), project(graph, rate, &rate_by_velocity));
            let value = graph.add(weighted, moved);
            add_to(graph, by_qv, (column, row), value);
            if is_beyond {
                let (accelerated, moved) =
                    (project(graph, both_rates, &by_acceleration), project(graph, direction, &by_velocity));
                let value = graph.add(accelerated, moved);
                add_to(graph, by_qv, (row, column), value);
            }

            let moved = if is_beyond { &rate_by_velocity } else { &rate_by_own_velocity };
            let value = project(graph, direction, moved);
            add_to(graph, by_vv, (column, row), value);
            if is_beyond {
                add_to(graph, by_vv, (row, column), value);
            }

            let value = project(graph, &other.weight, &mass_by_weight);
            add_to(graph, by_qa, (column, row), value);
            if is_beyond {
                let value = project(graph, direction, &by_acceleration);
                add_to(graph, by_qa, (row, column), value);
            }
        }
        let Some(parent) = link.parent else { break };
        for wrench in [
            &mut by_weight,
            &mut by_acceleration,
            &mut by_velocity,
            &mut rate_by_weight,
            &mut rate_by_velocity,
            &mut mass_by_weight,
        ] {
            *wrench = lifted(graph, link, *wrench);
        }
        at = parent.0;
    }
}

fn scaled(graph: &mut Graph, factor: ExprId, wrench: &Wrench) -> Wrench {
    Wrench { force: spatial::scale(graph, factor, wrench.force), torque: spatial::scale(graph, factor, wrench.torque) }
}

fn difference(graph: &mut Graph, a: &Wrench, b: &Wrench) -> Wrench {
    Wrench { force: spatial::sub(graph, a.force, b.force), torque: spatial::sub(graph, a.torque, b.torque) }
}
