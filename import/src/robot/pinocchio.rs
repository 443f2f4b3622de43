//! Where Pinocchio has the joints of a robot.

use super::mimic::Followed;
use super::placement::Placement;
use super::{Kind, Robot};
use crate::PinocchioJoint;

/// Joints that move in Pinocchio's order, with their names in the model: down to the tips before the next child, children
/// by the names of their joints.
pub(super) fn order(
    robot: &Robot,
    placement: &Placement,
    followed: &[Option<Followed>],
    free: &str,
    names: &[String],
) -> Vec<PinocchioJoint> {
    let mut children = vec![Vec::new(); robot.links.len()];
    let mut is_child = vec![false; robot.links.len()];
    for (index, joint) in robot.joints.iter().enumerate() {
        children[joint.parent].push(index);
        is_child[joint.child] = true;
    }
    // Of a stack the last comes first.
    children.iter_mut().for_each(|joints| joints.sort_by(|a, b| robot.joints[*b].name.0.cmp(&robot.joints[*a].name.0)));
    let (mut order, mut n_q, mut n_v) = (Vec::new(), 0, 0);
    let mut take = |name: &str, described: &str, q: usize, v: usize, followed: Option<&Followed>| {
        let (name, described) = (name.to_owned(), described.to_owned());
        let follows = followed.map(|f| (names[f.leader].clone(), f.ratio.value, f.offset.value));
        order.push(PinocchioJoint { name, described, q: n_q..n_q + q, v: n_v..n_v + v, follows });
        (n_q, n_v) = (n_q + q, n_v + v);
    };
    if placement.free.is_some() {
        take(free, "", 7, 6, None);
    }
    let roots = (0..robot.links.len()).filter(|&link| !is_child[link]);
    let mut ahead: Vec<usize> = roots.flat_map(|root| children[root].clone()).collect();
    while let Some(index) = ahead.pop() {
        let joint = &robot.joints[index];
        let sizes = match joint.kind {
            Kind::Fixed | Kind::Ball | Kind::Screw => None,
            Kind::Revolute if joint.is_endless => Some((2, 1)),
            Kind::Revolute | Kind::Prismatic => Some((1, 1)),
            Kind::Floating => Some((7, 6)),
            Kind::Planar => Some((4, 3)),
        };
        if let Some((q, v)) = sizes {
            take(&names[index], &joint.name.0, q, v, followed[index].as_ref());
        }
        ahead.extend_from_slice(&children[joint.child]);
    }
    order
}
