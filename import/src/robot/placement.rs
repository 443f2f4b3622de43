//! Which links are bodies, which are part of a body, and whether all of them hang on one root.

use std::iter;

use super::{Joint, Kind, Robot};
use crate::Options;
use crate::error::{Errors, Problem};

/// Where everything stands.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    /// Of every link, in the order of the links.
    pub(crate) links: Vec<Seat>,
    /// The link that moves freely against the ground.
    pub(crate) free: Option<usize>,
    /// Joints that move, in the order of the description.
    pub(crate) joints: Vec<usize>,
    /// All joints, each behind the one that moves its parent.
    pub(crate) outwards: Vec<usize>,
}

/// Where a link stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seat {
    /// The link that a joint moves and that this one stands on or is; `None` is the ground.
    pub(crate) body: Option<usize>,
    /// The last of the fixed joints between that body and the link, if there are any.
    pub(crate) joint: Option<usize>,
    /// How many they are.
    pub(crate) depth: usize,
}

impl Seat {
    /// That of a link that is a body, or the ground.
    fn of(body: Option<usize>) -> Seat {
        Seat { body, joint: None, depth: 0 }
    }
}

impl Placement {
    /// Whether a joint moves the link, so that it gives its name to a body.
    pub(crate) fn is_body(&self, link: usize) -> bool {
        self.links[link] == Seat::of(Some(link))
    }

    /// The fixed joints between a link and the body it is part of, the last one first.
    pub(crate) fn inwards<'a>(&'a self, robot: &'a Robot, link: usize) -> impl Iterator<Item = usize> + 'a {
        iter::successors(self.links[link].joint, |&joint| self.links[robot.joints[joint].parent].joint)
    }
}

/// Places all links.
pub(crate) fn place(robot: &Robot, options: &Options) -> Result<Placement, Errors> {
    let root = root(robot)?;
    let mut children = vec![Vec::new(); robot.links.len()];
    for (index, joint) in robot.joints.iter().enumerate() {
        children[joint.parent].push(index);
    }
    let mut placement = Placement {
        links: vec![Seat::of(None); robot.links.len()],
        free: None,
        joints: Vec::new(),
        outwards: Vec::with_capacity(robot.joints.len()),
    };
    if options.is_floating {
        placement.free = Some(root);
        placement.links[root].body = Some(root);
    }
    // Joint by joint away from the root, those at the same distance in the order of the description.
    let mut ready = children[root].clone();
    while !ready.is_empty() {
        let mut next = Vec::new();
        for &index in &ready {
            let child = robot.joints[index].child;
            placement.links[child] = seat(robot, &mut placement, index);
            next.extend_from_slice(&children[child]);
        }
        placement.outwards.append(&mut ready);
        next.sort_unstable();
        ready = next;
    }
    placement.joints.sort_unstable();
    let mut is_reached = vec![false; robot.joints.len()];
    placement.outwards.iter().for_each(|&joint| is_reached[joint] = true);
    let in_rings = robot.joints.iter().zip(&is_reached).filter(|(_, is_reached)| !**is_reached);
    let ring = |joint: &Joint| Problem::Ring(robot.links[joint.child].name.to_string()).at(joint.place);
    Errors::of(in_rings.map(|(joint, _)| ring(joint)).collect())?;
    if placement.free.is_none() && placement.joints.is_empty() {
        return Err(Problem::NothingMoves.at(robot.place).into());
    }
    Ok(placement)
}

/// The only link that no joint moves.
fn root(robot: &Robot) -> Result<usize, Errors> {
    let mut moved_by = vec![None; robot.links.len()];
    let mut errors = Vec::new();
    for joint in &robot.joints {
        if let Some(first) = moved_by[joint.child] {
            let link = robot.links[joint.child].name.to_string();
            errors.push(Problem::SecondParent { link, first }.at(joint.place));
        } else {
            moved_by[joint.child] = Some(joint.place);
        }
    }
    let mut roots = (0..robot.links.len()).filter(|&link| moved_by[link].is_none());
    let root = roots.next();
    for other in roots {
        let [root, link] = [root.unwrap_or(other), other].map(|link| robot.links[link].name.to_string());
        errors.push(Problem::SeveralRoots { root, link }.at(robot.links[other].place));
    }
    match (root, robot.links.first()) {
        (None, Some(link)) => errors.push(Problem::Ring(link.name.to_string()).at(link.place)),
        (None, None) => errors.push(Problem::NoLink.at(robot.place)),
        _ => {}
    }
    Errors::of(errors).map(|()| root.unwrap_or_default())
}

/// Where a joint puts its child: on a body of its own, or on that of its parent.
fn seat(robot: &Robot, placement: &mut Placement, index: usize) -> Seat {
    let joint = &robot.joints[index];
    if joint.kind != Kind::Fixed {
        placement.joints.push(index);
        return Seat::of(Some(joint.child));
    }
    let parent = placement.links[joint.parent];
    Seat { body: parent.body, joint: Some(index), depth: parent.depth + 1 }
}
