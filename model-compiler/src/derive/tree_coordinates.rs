//! Indices of the coordinates of a spanning tree, and how they move.

use super::equations::{Channel, Layout};
use super::kernel::{KernelBuilder, Symbols, symbol_name};
use crate::expr::{ExprId, Graph};
use crate::joints::is_pose;
use crate::resolve::{FlexibleMember, Joint, JointId, System};
use crate::rotations::RotationKind;
use crate::space::Space;

/// Indices of the coordinates of a tree joint, and how they move.
pub(super) struct Run {
    pub joint: JointId,
    pub q: std::ops::Range<usize>,
    pub v: std::ops::Range<usize>,
    pub moves: Moves,
}

/// How the coordinates of a joint move with its velocities.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    /// q̇ = v.
    Vector,
    /// The last coordinates are those of a rotation.
    Rotation,
    /// Position and rotation, velocities in the axes of the child.
    Pose,
}

pub(super) fn moves(system: &System, joint: &Joint) -> Moves {
    if is_pose(joint.kind, system.space) {
        Moves::Pose
    } else if joint.kind.has_rotation() && system.space == Space::Spatial {
        Moves::Rotation
    } else {
        Moves::Vector
    }
}

/// Those of all tree joints, in the order of the tree.
pub(super) fn runs(system: &System) -> Vec<Run> {
    let (mut first_q, mut first_v) = (0, 0);
    system
        .tree_joints()
        .map(|(id, joint)| {
            let inner = system.member_before(id).map_or(0, FlexibleMember::inner_coordinates);
            (first_q, first_v) = (first_q + inner, first_v + inner);
            let (q, v) = joint.channels(system.space, system.rotation);
            let (q, v) = (first_q..first_q + q.len(), first_v..first_v + v.len());
            let run = Run { joint: id, q, v, moves: moves(system, joint) };
            (first_q, first_v) = (run.q.end, run.v.end);
            run
        })
        .collect()
}

/// Declares the coordinates of all joints in a kernel, as [`coordinates`] does; a joint that follows another has those
/// of its leader.
pub(super) fn all_coordinates(
    builder: &mut KernelBuilder,
    system: &System,
    runs: &[Run],
) -> Vec<(JointId, usize, Symbols)> {
    let mut all: Vec<_> = runs.iter().map(|run| coordinates(builder, system, run)).collect();
    for place in 0..all.len() {
        let joint = all[place].0;
        let Some(follows) = &system.joints[joint.0].follows else { continue };
        if let Some((_, first, symbols)) = all.iter().find(|(joint, ..)| *joint == follows.leader) {
            all[place] = (joint, *first, symbols.clone());
        }
    }
    all
}

/// Declares the coordinates of a joint in a kernel. Returns the index of its first velocity there, and its symbols.
pub(super) fn coordinates(builder: &mut KernelBuilder, system: &System, run: &Run) -> (JointId, usize, Symbols) {
    let first = builder.n_velocities();
    let (q_names, v_names) = run_names(builder.layout, run.q.clone(), run.v.clone());
    let rotation = system.rotation;
    if run.moves == Moves::Pose {
        let map = move |graph: &mut Graph, q: &[ExprId]| pose_velocity_map(graph, rotation, q);
        let symbols = builder.coordinates((&q_names, &v_names), (run.q.start, run.v.start), Some(&map));
        return (run.joint, first, symbols);
    }
    let turning = if run.moves == Moves::Rotation { rotation.coordinates().len() } else { 0 };
    let n_own = run.q.len() - turning;
    let own = (&q_names[..n_own], &v_names[..n_own]);
    let mut symbols = builder.coordinates(own, (run.q.start, run.v.start), None);
    if run.moves == Moves::Rotation {
        let map = move |graph: &mut Graph, q: &[ExprId]| rotation.velocity_map(graph, q);
        let names = (&q_names[n_own..], &v_names[n_own..]);
        let free = builder.coordinates(names, (run.q.start + n_own, run.v.start + n_own), Some(&map));
        symbols.q.extend(free.q);
        symbols.v.extend(free.v);
        symbols.a.extend(free.a);
    }
    (run.joint, first, symbols)
}

/// Declares, in a builder, consecutive coordinates of the layout.
fn run_names(layout: &Layout, q: std::ops::Range<usize>, v: std::ops::Range<usize>) -> (Vec<String>, Vec<String>) {
    let names = |channels: &[Channel]| channels.iter().map(|channel| symbol_name(&channel.name)).collect();
    (names(&layout.coordinates[q]), names(&layout.velocities[v]))
}

/// q̇ = N v of a pose, row by row: the position moves along the axes of the child.
fn pose_velocity_map(graph: &mut Graph, rotation: RotationKind, q: &[ExprId]) -> Vec<Vec<ExprId>> {
    let zero = graph.zero();
    let (axes, turning) = (rotation.matrix(graph, &q[3..]), rotation.velocity_map(graph, &q[3..]));
    let moving = axes.iter().map(|row| [row.as_slice(), &[zero; 3]].concat());
    moving.chain(turning.iter().map(|row| [&[zero; 3], row.as_slice()].concat())).collect()
}
