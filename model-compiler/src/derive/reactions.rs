//! What joints pass on: the force and the torque on the second body that each connects, in ground axes, the torque about
//! the origin of the joint's frame there.
//!
//! Joints that are constraints have multipliers, which do work on a displacement and on a turn of the second frame. Joints
//! of a spanning tree pass on what accelerates the bodies that they carry, less all other forces on these. [Featherstone
//! 2008, Sect. 5.3] What does work as the joint moves is none of it: it comes from forces on its coordinates.

use rustc_hash::FxHashMap;

use super::dynamics::{Applied, Dynamics};
use super::links::{Link, Links};
use super::motion::KernelScope;
use super::statements;
use super::tree;
use crate::expr::{ExprId, Graph, Stage};
use crate::joints::Ends;
use crate::resolve::{BodyId, Frame, Joint, JointId};
use crate::spatial::{self, Transform, Vector3, Wrench};

/// What the closure of a joint does with these multipliers: the wrench on its second frame about the origin of that, in
/// ground axes.
pub(super) fn of_closure(scope: &mut KernelScope, joint: &Joint, multipliers: &[ExprId]) -> Wrench {
    let parent = scope.frame_pose("parent", &joint.parent);
    let child = scope.frame_pose("child", &joint.child);
    let fields = scope.joint_fields(joint);

    // Formulas for any poses, into which those of the frames are put.
    let mut formulas = Graph::new();
    let mut given: Vec<ExprId> = Vec::new();
    let mut symbol = |formulas: &mut Graph, value: ExprId| {
        given.push(value);
        formulas.symbol(&format!("x{}", given.len()), Stage::Acceleration)
    };
    let [of_parent, of_child] = [parent, child].map(|pose| Transform {
        rotation: pose.rotation.map(|row| row.map(|entry| symbol(&mut formulas, entry))),
        position: pose.position.map(|entry| symbol(&mut formulas, entry)),
    });
    let fields: Vec<ExprId> = fields.into_iter().map(|field| symbol(&mut formulas, field)).collect();
    let multipliers: Vec<ExprId> = multipliers.iter().map(|&value| symbol(&mut formulas, value)).collect();
    let space = scope.system.space;
    let ends = Ends { space, parent: of_parent, child: of_child, coordinates: &[], fields: &fields };
    let residuals: Vec<ExprId> =
        joint.kind.closure(&mut formulas, &ends).into_iter().map(|residual| residual.value).collect();
    let work = formulas.dot(&multipliers, &residuals);
    let by_pose = formulas.gradient(work, &[&of_child.position[..], &of_child.rotation.concat()].concat());
    let force = [by_pose[0], by_pose[1], by_pose[2]];
    // An axis e of the frame moves by θ × e as it turns.
    let axes = spatial::transpose(&of_child.rotation);
    let mut torque = spatial::zero(&mut formulas);
    for (column, axis) in axes.into_iter().enumerate() {
        let by_axis = std::array::from_fn(|row| by_pose[3 + 3 * row + column]);
        let turning = spatial::cross(&mut formulas, axis, by_axis);
        torque = spatial::add(&mut formulas, torque, turning);
    }
    let values = scope.builder.graph.import(&formulas, &[force, torque].concat(), &|_, symbol| given[symbol.index()]);
    Wrench { force: [values[0], values[1], values[2]], torque: [values[3], values[4], values[5]] }
}

/// What all joints pass on in joint coordinates, with the kernel's accelerations and all multipliers of the model.
pub(super) fn in_tree(scope: &mut KernelScope, links: &Links) -> FxHashMap<JointId, Wrench> {
    let system = scope.system;
    let mut reactions = FxHashMap::default();
    let (a, multipliers) = (scope.builder.accelerations(), scope.builder.lambda());
    let gravity = system.gravity.as_ref().map(|term| scope.vector("gravity", term));
    // The inertia of each body as it is written: what is regrouped moves the bodies alike, but not what is between them.
    let inertias = tree::inertias(scope, links);
    let applied = Applied::new(scope, links);
    let graph = &mut scope.builder.graph;
    let dynamics = Dynamics::new(graph, links, &inertias, gravity, &applied, (&[], &[], &[]), a.len());
    let mut wrenches = dynamics.excess_wrenches(graph, &a);
    let mut first = 0;
    for (index, joint) in system.joints.iter().enumerate().filter(|(_, joint)| !joint.is_tree) {
        let own = statements::closure_rows(system, joint);
        let of_joint = &multipliers[first..first + own];
        first += own;
        // What couples coordinates acts within joints.
        if !joint.coordinates.is_empty() {
            continue;
        }
        let wrench = of_closure(scope, joint, of_joint);
        reactions.insert(JointId(index), wrench);
        let [on_parent, on_child] = [&joint.parent, &joint.child].map(|frame| scope.frame_pose("end", frame).position);
        let graph = &mut scope.builder.graph;
        let arm = spatial::sub(graph, on_child, on_parent);
        let moment = spatial::cross(graph, arm, wrench.force);
        let torque = spatial::add(graph, wrench.torque, moment);
        let opposite = Wrench { force: spatial::neg(graph, wrench.force), torque: spatial::neg(graph, torque) };
        for (frame, wrench) in [(&joint.parent, opposite), (&joint.child, wrench)] {
            if let Some(body) = frame.body {
                let seen = on_link(scope, links, (body, frame), wrench);
                let sum = &mut wrenches[body.0];
                let graph = &mut scope.builder.graph;
                sum.force = spatial::sub(graph, sum.force, seen.force);
                sum.torque = spatial::sub(graph, sum.torque, seen.torque);
            }
        }
    }
    // Each of them becomes what the joint of the link transmits.
    tree::transmit(&mut scope.builder.graph, links, &mut wrenches, a.len());
    for (index, link) in links.links.iter().enumerate() {
        let joint = &system.joints[link.joint.0];
        let point = scope.point("child", &joint.child);
        let graph = &mut scope.builder.graph;
        let arm = links.arm(graph, BodyId(index), point);
        let moment = spatial::cross(graph, arm, wrenches[index].force);
        let torque = spatial::sub(graph, wrenches[index].torque, moment);
        let wrench = without_work(graph, link, Wrench { force: wrenches[index].force, torque });
        let [force, torque] = [wrench.force, wrench.torque].map(|x| links.to_ground(graph, BodyId(index), x));
        reactions.insert(link.joint, Wrench { force, torque });
    }
    reactions
}

/// A wrench in ground axes about the origin of a frame on a body → about the origin of the body's link, in working axes.
fn on_link(scope: &mut KernelScope, links: &Links, (body, frame): (BodyId, &Frame), wrench: Wrench) -> Wrench {
    let point = scope.point("end", frame);
    let [force, torque] = [wrench.force, wrench.torque].map(|vector| links.in_working_axes(scope, body, vector));
    let graph = &mut scope.builder.graph;
    let arm = links.arm(graph, body, point);
    let moment = spatial::cross(graph, arm, force);
    Wrench { force, torque: spatial::add(graph, torque, moment) }
}

/// A wrench without the part that does work as the joint moves: a torque where that turns the body, else a force. The
/// columns of a joint that turns about several axes, or slides along several, are at right angles.
fn without_work(graph: &mut Graph, link: &Link, wrench: Wrench) -> Wrench {
    let Wrench { mut force, mut torque } = wrench;
    let is_zero = |graph: &Graph, vector: &Vector3| vector.iter().all(|&entry| graph.is_zero(entry));
    for (&turn, &push) in link.angular.iter().zip(&link.linear) {
        let push = if link.linear_in_own_axes { push } else { link.down(graph, push) };
        let (of_turn, of_push) = (spatial::dot(graph, turn, wrench.torque), spatial::dot(graph, push, wrench.force));
        let work = graph.add(of_turn, of_push);
        let (direction, sum) = if is_zero(graph, &turn) { (push, &mut force) } else { (turn, &mut torque) };
        let square = spatial::dot(graph, direction, direction);
        let part = graph.div(work, square);
        let along = spatial::scale(graph, part, direction);
        *sum = spatial::sub(graph, *sum, along);
    }
    Wrench { force, torque }
}
