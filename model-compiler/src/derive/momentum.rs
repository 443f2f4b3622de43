//! Centre of mass and momentum of a tree, by its velocities.

use super::equations::{Output, Role};
use super::kernel::{KernelBuilder, cheapest};
use super::links::Links;
use super::motion::Totals;
use super::tree::{self, Inertia};
use crate::expr::{ExprId, Graph};
use crate::resolve::BodyId;
use crate::space::Space;
use crate::spatial::{self, Vector3};

/// Centre of mass in ground axes.
fn center(graph: &mut Graph, links: &Links, inertias: &[Inertia]) -> Vector3 {
    let mut sum = spatial::zero(graph);
    for (index, (link, inertia)) in links.links.iter().zip(inertias).enumerate() {
        let moment = links.to_ground(graph, BodyId(index), inertia.first_moment);
        let at_origin = spatial::scale(graph, inertia.mass, link.pose.position);
        sum = spatial::add(graph, sum, at_origin);
        sum = spatial::add(graph, sum, moment);
    }
    let share = inverse_mass(graph, inertias);
    spatial::scale(graph, share, sum)
}

/// The reciprocal of the mass of all bodies.
fn inverse_mass(graph: &mut Graph, inertias: &[Inertia]) -> ExprId {
    let masses: Vec<ExprId> = inertias.iter().map(|inertia| inertia.mass).collect();
    let (one, mass) = (graph.one(), graph.sum(&masses));
    graph.div(one, mass)
}

/// Momentum, and angular momentum about the ground's origin, per unit of each velocity; by composite bodies, which all
/// have to turn with what carries them.
fn columns(graph: &mut Graph, links: &Links, inertias: &[Inertia], nv: usize) -> Option<Vec<(Vector3, Vector3)>> {
    if !links.links.iter().all(|link| link.turns_with_parent) {
        return None;
    }
    let composites = tree::composites(graph, links, inertias);
    let zero = spatial::zero(graph);
    let mut columns = vec![(zero, zero); nv];
    for (index, link) in links.links.iter().enumerate() {
        for (i, (&angular, &linear)) in link.angular.iter().zip(&link.linear).enumerate() {
            let linear = if link.linear_in_own_axes { linear } else { link.down(graph, linear) };
            let momentum = composites[index].wrench(graph, angular, linear);
            let [push, turn] =
                [momentum.force, momentum.torque].map(|vector| links.to_ground(graph, BodyId(index), vector));
            let moment = spatial::cross(graph, link.pose.position, push);
            let turn = spatial::add(graph, turn, moment);
            let (momentum, about_ground) = &mut columns[link.first_velocity + i];
            *momentum = spatial::add(graph, *momentum, push);
            *about_ground = spatial::add(graph, *about_ground, turn);
        }
    }
    Some(columns)
}

/// The same by differentiation.
fn differentiated(builder: &mut KernelBuilder, totals: &Totals) -> Vec<(Vector3, Vector3)> {
    let [momentum, angular] =
        [totals.momentum, totals.angular_momentum].map(|vector| builder.velocity_jacobian(&vector));
    let column = |rows: &Vec<Vec<ExprId>>, j: usize| [rows[0][j], rows[1][j], rows[2][j]];
    (0..builder.n_velocities()).map(|j| (column(&momentum, j), column(&angular, j))).collect()
}

/// Of both the one whose results, as `results` makes them of a column for each velocity, take the fewest operations.
fn shortest(
    builder: &mut KernelBuilder,
    links: &Links,
    inertias: &[Inertia],
    totals: &Totals,
    results: impl Fn(&mut Graph, Vec<(Vector3, Vector3)>) -> Vec<Output>,
) -> Vec<Output> {
    let nv = builder.n_velocities();
    let candidates = [columns(&mut builder.graph, links, inertias, nv), Some(differentiated(builder, totals))];
    let candidates: Vec<Vec<Output>> =
        candidates.into_iter().flatten().map(|columns| results(&mut builder.graph, columns)).collect();
    cheapest(builder.counting, &builder.graph, candidates)
}

/// A matrix from its columns.
fn matrix<C: AsRef<[ExprId]>>(role: Role, n: usize, columns: &[C]) -> Output {
    let row = |i: usize| columns.iter().map(|column| column.as_ref()[i]).collect();
    Output::matrix(role, &(0..n).map(row).collect::<Vec<_>>())
}

/// The centre of mass, and its velocity by the velocities.
pub(super) fn center_of_mass(
    builder: &mut KernelBuilder,
    links: &Links,
    inertias: &[Inertia],
    totals: &Totals,
) -> Vec<Output> {
    let n = links.space.dimension();
    let center = center(&mut builder.graph, links, inertias);
    let share = inverse_mass(&mut builder.graph, inertias);
    shortest(builder, links, inertias, totals, |graph, columns| {
        let velocity = |(momentum, _): (Vector3, Vector3)| spatial::scale(graph, share, momentum);
        let columns: Vec<Vector3> = columns.into_iter().map(velocity).collect();
        vec![Output::vector(Role::Position, &center[..n]), matrix(Role::LinearJacobian, n, &columns)]
    })
}

/// Momentum and angular momentum about the centre of mass by the velocities.
pub(super) fn centroidal_matrix(
    builder: &mut KernelBuilder,
    links: &Links,
    inertias: &[Inertia],
    totals: &Totals,
) -> Vec<Output> {
    let center = center(&mut builder.graph, links, inertias);
    shortest(builder, links, inertias, totals, |graph, columns| {
        let about_center = |(momentum, about_ground)| about_center(graph, links.space, center, momentum, about_ground);
        let columns: Vec<Vec<ExprId>> = columns.into_iter().map(about_center).collect();
        vec![matrix(Role::MomentumMatrix, size(links.space), &columns)]
    })
}

/// Rate of the same momentum where the accelerations are zero.
pub(super) fn centroidal_bias(builder: &mut KernelBuilder, links: &Links, inertias: &[Inertia]) -> Vec<Output> {
    let nv = builder.n_velocities();
    let graph = &mut builder.graph;
    let (at_rest, none) = (spatial::zero(graph), vec![graph.zero(); nv]);
    let accelerations = tree::accelerations(graph, links, at_rest, &none);
    let wrenches = tree::inertia_wrenches(graph, links, inertias, &accelerations);
    let (mut force, mut torque) = (at_rest, at_rest);
    for (index, wrench) in wrenches.into_iter().enumerate() {
        let [push, turn] = [wrench.force, wrench.torque].map(|vector| links.to_ground(graph, BodyId(index), vector));
        let moment = spatial::cross(graph, links.links[index].pose.position, push);
        force = spatial::add(graph, force, push);
        torque = spatial::add(graph, torque, turn);
        torque = spatial::add(graph, torque, moment);
    }
    let center = center(graph, links, inertias);
    let rate = about_center(graph, links.space, center, force, torque);
    vec![Output::vector(Role::MomentumRate, &rate)]
}

/// Number of components of momentum and angular momentum.
fn size(space: Space) -> usize {
    match space {
        Space::Spatial => 6,
        Space::Planar => 3,
    }
}

/// Both parts in one list, the second about the centre of mass instead of the ground's origin.
fn about_center(
    graph: &mut Graph,
    space: Space,
    center: Vector3,
    linear: Vector3,
    about_ground: Vector3,
) -> Vec<ExprId> {
    let moment = spatial::cross(graph, center, linear);
    let angular = spatial::sub(graph, about_ground, moment);
    match space {
        Space::Spatial => [linear, angular].concat(),
        Space::Planar => vec![linear[0], linear[1], angular[2]],
    }
}
