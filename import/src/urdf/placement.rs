//! Which links are bodies, which are part of a body, and whether all of them hang on one root.

use std::iter;

use super::Options;
use super::error::{Error, Problem};
use super::robot::{Kind, Robot};

/// Where everything stands.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    /// Of every link, in the order of the links.
    pub(super) links: Vec<Seat>,
    /// The link that moves freely against the ground.
    pub(super) free: Option<usize>,
    /// Joints that move, in the order of the description.
    pub(super) joints: Vec<usize>,
    /// All joints, each behind the one that moves its parent.
    pub(super) outwards: Vec<usize>,
}

/// Where a link stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seat {
    /// The link that a joint moves and that this one stands on or is; `None` is the ground.
    pub(super) body: Option<usize>,
    /// The last of the fixed joints between that body and the link, if there are any.
    pub(super) joint: Option<usize>,
    /// How many they are.
    pub(super) depth: usize,
}

impl Seat {
    /// That of a link that is a body, or the ground.
    fn of(body: Option<usize>) -> Seat {
        Seat { body, joint: None, depth: 0 }
    }
}

impl Placement {
    /// Whether a joint moves the link, so that it gives its name to a body.
    pub(super) fn is_body(&self, link: usize) -> bool {
        self.links[link] == Seat::of(Some(link))
    }

    /// The fixed joints between a link and the body it is part of, the last one first.
    pub(super) fn inwards<'a>(&'a self, robot: &'a Robot, link: usize) -> impl Iterator<Item = usize> + 'a {
        iter::successors(self.links[link].joint, |&joint| self.links[robot.joints[joint].parent].joint)
    }
}

/// Places all links.
pub(super) fn place(robot: &Robot, options: &Options) -> Result<Placement, Error> {
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
    match is_reached.iter().position(|is_reached| !is_reached) {
        Some(joint) => {
            let joint = &robot.joints[joint];
            Err(Error { place: joint.place, problem: Problem::Ring(robot.links[joint.child].name.to_string()) })
        }
        None if placement.free.is_none() && placement.joints.is_empty() => {
            Err(Error { place: robot.place, problem: Problem::NothingMoves })
        }
        None => Ok(placement),
    }
}

/// The only link that no joint moves.
fn root(robot: &Robot) -> Result<usize, Error> {
    let mut moved_by = vec![None; robot.links.len()];
    for joint in &robot.joints {
        if let Some(first) = moved_by[joint.child] {
            let link = robot.links[joint.child].name.to_string();
            return Err(Error { place: joint.place, problem: Problem::SecondParent { link, first } });
        }
        moved_by[joint.child] = Some(joint.place);
    }
    let mut roots = (0..robot.links.len()).filter(|&link| moved_by[link].is_none());
    match (roots.next(), roots.next(), robot.links.first()) {
        (Some(root), None, _) => Ok(root),
        (Some(root), Some(other), _) => {
            let [root, link] = [root, other].map(|link| robot.links[link].name.to_string());
            Err(Error { place: robot.links[other].place, problem: Problem::SeveralRoots { root, link } })
        }
        (None, _, Some(link)) => Err(Error { place: link.place, problem: Problem::Ring(link.name.to_string()) }),
        (None, _, None) => Err(Error { place: robot.place, problem: Problem::NoLink }),
    }
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
