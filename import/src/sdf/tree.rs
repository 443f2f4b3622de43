//! Which joints are those of a tree, and which close loops.

use std::collections::VecDeque;

use super::read::{Axis, Described, Reader};
use crate::error::Problem;
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Closure, Joint, Kind, Link, Name};

/// The joint of one of two axes.
pub(super) fn of_axis(name: &Name, axis: usize) -> Name {
    Name(format!("{}_{}", name.0, ["axis", "axis2"][axis.min(1)]))
}

/// The joints of a tree that begins in the world, and what closes loops. Joints of links that are `fixed` are left out
/// of `described`.
///
/// Joints are taken in their order, unless they connect what others connect already. What nothing connects with the world
/// begins at the first link that no joint moves. A joint may lead away from the world from its child to its parent: it
/// turns about the opposite axis then.
pub(super) fn grow(
    reader: &mut Reader,
    described: Vec<Described>,
    fixed: Vec<usize>,
    is_floating: bool,
) -> (Vec<Joint>, Vec<Closure>) {
    let count = reader.links.len();
    let mut groups = Groups((0..count).collect());
    for &link in &fixed {
        groups.join(0, link);
    }
    let is_of_tree: Vec<bool> = described.iter().map(|joint| groups.join(joint.ends[0], joint.ends[1])).collect();
    let mut is_moved = vec![false; count];
    for (joint, _) in described.iter().zip(&is_of_tree).filter(|(_, is_of_tree)| **is_of_tree) {
        is_moved[joint.ends[1]] = true;
    }
    // A ring of which nothing is the beginning begins at its first link.
    let mut roots: Vec<usize> = Vec::new();
    for is_sought in [false, true] {
        for link in 1..count {
            if is_moved[link] == is_sought && groups.join(0, link) {
                roots.push(link);
            }
        }
    }
    roots.sort_unstable();
    let mut joints: Vec<Joint> = Vec::new();
    for &root in &roots {
        joints.push(base(reader, root, is_floating, roots.len() > 1));
    }
    for link in fixed.iter().copied() {
        let at = reader.frames.between(0, reader.link_frames[link]);
        let Link { name, place, .. } = &reader.links[link];
        joints.push(Joint::plain(name.clone(), *place, Kind::Fixed, (0, link), &at));
    }
    let is_backwards = directions(&described, &is_of_tree, count, roots.into_iter().chain(fixed));
    let mut closures = Vec::new();
    for ((joint, is_of_tree), is_backwards) in described.into_iter().zip(is_of_tree).zip(is_backwards) {
        if is_of_tree {
            elementary(reader, joint, is_backwards, &mut joints);
        } else {
            closures.extend(closure(reader, joint));
        }
    }
    (joints, closures)
}

/// What is connected, as a number for each link that leads to that of its group.
struct Groups(Vec<usize>);

impl Groups {
    fn of(&mut self, link: usize) -> usize {
        let mut at = link;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// Connects two links; whether they were not connected before.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }
}

/// Of each joint of the tree whether it leads away from the world from its child to its parent.
fn directions(
    described: &[Described],
    is_of_tree: &[bool],
    count: usize,
    ready: impl Iterator<Item = usize>,
) -> Vec<bool> {
    let mut at = vec![Vec::new(); count];
    for (index, joint) in described.iter().enumerate().filter(|(index, _)| is_of_tree[*index]) {
        joint.ends.iter().for_each(|&end| at[end].push(index));
    }
    let mut is_reached = vec![false; count];
    let mut is_backwards = vec![false; described.len()];
    let mut ready: VecDeque<usize> = [0].into_iter().chain(ready).collect();
    ready.iter().for_each(|&link| is_reached[link] = true);
    while let Some(link) = ready.pop_front() {
        for &index in &at[link] {
            let [parent, child] = described[index].ends;
            let next = if parent == link { child } else { parent };
            if !is_reached[next] {
                is_backwards[index] = child == link;
                is_reached[next] = true;
                ready.push_back(next);
            }
        }
    }
    is_backwards
}

/// The joint between the world and what nothing else connects with it.
fn base(reader: &mut Reader, root: usize, is_floating: bool, is_named: bool) -> Joint {
    let pose = reader.frames.between(0, reader.link_frames[root]);
    let Link { name, place, .. } = reader.links[root].clone();
    if !is_floating {
        let message = "stands on the ground, because no joint connects it with the world; `--floating` (in Python \
                       `floating=True`) lets it move freely";
        reader.notes.warn(place, message, || format!("`{name}` {message}"));
        return Joint::plain(name, place, Kind::Fixed, (0, root), &pose);
    }
    let base = Name(if is_named { format!("{}_base", name.0) } else { "base".to_owned() });
    let start = (pose != Pose::IDENTITY).then_some(pose);
    Joint { start, ..Joint::plain(base, place, Kind::Floating, (0, root), &Pose::IDENTITY) }
}

/// A joint of the tree, as one or two of a single kind.
fn elementary(reader: &mut Reader, joint: Described, is_backwards: bool, joints: &mut Vec<Joint>) {
    let Described { name, place, kind, is_endless, mut ends, frame, mut axes, pitch } = joint;
    if is_backwards {
        ends.reverse();
    }
    let [from, to] = ends.map(|link| reader.link_frames[link]);
    // At rest the joint stands there in what it moves; its axes are those of that link. What does not turn moves the same
    // wherever it stands.
    let anchor = match kind {
        Kind::Fixed | Kind::Prismatic => [0.0; 3],
        _ => reader.frames.between(to, frame).position,
    };
    let at = reader.frames.between(from, to).then(&Pose { position: anchor, ..Pose::IDENTITY });
    let anchor = anchor.map(Number::computed);
    let [parent, child] = ends;
    if axes.is_empty() {
        // The rotation of a ball joint is that of the other end.
        if is_backwards && kind == Kind::Ball {
            let message = "a `ball` joint turns its parent here: its coordinates are those of the opposite rotation";
            reader.notes.warn(place, message, || message.to_owned());
        }
        joints.push(Joint { anchor, ..Joint::plain(name, place, kind, (parent, child), &at) });
        return;
    }
    let count = axes.len();
    let mut order: Vec<usize> = (0..count).collect();
    if is_backwards {
        order.reverse();
        axes.reverse();
    }
    let mut last = parent;
    for (step, (axis, which)) in axes.into_iter().zip(order).enumerate() {
        let own = if count == 1 { name.clone() } else { of_axis(&name, which) };
        let is_last = step + 1 == count;
        let next = if is_last {
            child
        } else {
            reader.links.push(Link { name: Name(format!("{}_frame", name.0)), place, inertial: None });
            reader.links.len() - 1
        };
        let at = if step == 0 { at } else { Pose::IDENTITY };
        let anchor = if is_last { anchor.clone() } else { [(); 3].map(|()| Number::zero()) };
        let direction = direction(reader, &axis, to, is_backwards);
        let Axis { damping, rotor, spring, follows, limits, .. } = axis;
        joints.push(Joint {
            anchor,
            axis: direction,
            pitch: pitch.clone(),
            is_endless,
            damping,
            rotor,
            spring,
            follows,
            limits,
            ..Joint::plain(own, place, kind, (last, next), &at)
        });
        last = next;
    }
}

/// An axis in a frame.
fn direction(reader: &Reader, axis: &Axis, frame: usize, is_backwards: bool) -> [Number; 3] {
    let between = Pose { position: [0.0; 3], ..reader.frames.between(frame, axis.frame) };
    // Digits are kept.
    if between == Pose::IDENTITY && !is_backwards {
        return axis.direction.clone();
    }
    let turned = between.then(&Pose { position: axis.direction.each_ref().map(|part| part.value), ..Pose::IDENTITY });
    turned.position.map(|part| Number::computed(if is_backwards { -part } else { part }))
}

/// A joint that closes a loop.
fn closure(reader: &mut Reader, joint: Described) -> Option<Closure> {
    let Described { name, place, kind, ends, frame, axes, .. } = joint;
    if kind == Kind::Screw || axes.len() > 1 {
        let what = format!("`{name}` closes a loop, which a joint with two axes and a screw do not");
        let help = "describe it before the other joints of the loop, so that one of those closes it";
        return reader.notes.wrong_at(place, Problem::Unsupported { what, help });
    }
    let said = |axis: &Axis| {
        axis.damping.is_some()
            || axis.rotor.is_some()
            || axis.spring.is_some()
            || axis.follows.is_some()
            || axis.limits.position.is_some()
    };
    if axes.iter().any(said) {
        let message = "`dynamics`, `limit` and `mimic` of a joint that closes a loop are ignored: it has no coordinate";
        reader.notes.warn(place, message, || message.to_owned());
    }
    let [from, to] = ends.map(|link| reader.link_frames[link]);
    let anchor = Pose { position: reader.frames.between(to, frame).position, ..Pose::IDENTITY };
    let at = reader.frames.between(from, to).then(&anchor);
    let axis = axes.first().map_or([0, 0, 1].map(Number::whole), |axis| direction(reader, axis, to, false));
    Some(Closure { name, place, kind, axis, ends: [(ends[0], at), (ends[1], anchor)] })
}
