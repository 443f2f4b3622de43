//! Which links are bodies, which are frames of a body, and whether all of them hang on one root.

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
    /// Joints between bodies, in the order of the description.
    pub(super) joints: Vec<usize>,
    /// All joints, each behind the one that moves its parent.
    pub(super) outwards: Vec<usize>,
}

/// Where a link stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seat {
    /// The link whose body it is part of; `None` is the ground.
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
        let body = floating(robot, &children, root)?;
        placement.free = Some(body);
        placement.links[root].body = Some(body);
    }
    // Joint by joint away from the root, those at the same distance in the order of the description.
    let mut ready = children[root].clone();
    while !ready.is_empty() {
        let mut next = Vec::new();
        for &index in &ready {
            let child = robot.joints[index].child;
            placement.links[child] = seat(robot, &mut placement, index)?;
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

/// The link that carries a floating root: the root itself, or one that coincides with it.
fn floating(robot: &Robot, children: &[Vec<usize>], root: usize) -> Result<usize, Error> {
    let mut link = root;
    loop {
        if robot.links[link].has_mass() {
            return Ok(link);
        }
        let mut joints = children[link].iter().map(|&joint| &robot.joints[joint]);
        link = match joints.find(|joint| joint.kind == Kind::Fixed && joint.origin.is_identity()) {
            Some(joint) => joint.child,
            None => {
                let root = &robot.links[root];
                return Err(Error { place: root.place, problem: Problem::NoInertia(root.name.to_string()) });
            }
        }
    }
}

/// Where a joint puts its child.
fn seat(robot: &Robot, placement: &mut Placement, index: usize) -> Result<Seat, Error> {
    let joint = &robot.joints[index];
    let child = &robot.links[joint.child];
    if placement.free == Some(joint.child) {
        return Ok(Seat::of(Some(joint.child)));
    }
    if child.has_mass() {
        placement.joints.push(index);
        return Ok(Seat::of(Some(joint.child)));
    }
    if joint.kind != Kind::Fixed {
        let missing = if child.inertial.is_some() { Problem::NoMass } else { Problem::NoInertia };
        return Err(Error { place: child.place, problem: missing(child.name.to_string()) });
    }
    let parent = placement.links[joint.parent];
    Ok(Seat { body: parent.body, joint: Some(index), depth: parent.depth + 1 })
}
