//! Which links are bodies, which are frames of a body, and whether all of them hang on one root.

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
}

/// Where a link stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seat {
    /// The link whose body it is part of; `None` is the ground.
    pub(super) body: Option<usize>,
    /// The fixed joints between that body and the link.
    pub(super) path: Vec<usize>,
}

/// Places all links.
pub(super) fn place(robot: &Robot, options: &Options) -> Result<Placement, Error> {
    let root = root(robot)?;
    let mut placement = Placement {
        links: vec![Seat { body: None, path: Vec::new() }; robot.links.len()],
        free: None,
        joints: Vec::new(),
    };
    if options.is_floating {
        let body = floating(robot, root)?;
        placement.free = Some(body);
        placement.links[root].body = Some(body);
    }
    let mut is_reached = vec![false; robot.links.len()];
    is_reached[root] = true;
    let mut waiting: Vec<usize> = (0..robot.joints.len()).collect();
    loop {
        let (ready, rest): (Vec<usize>, Vec<usize>) =
            waiting.iter().partition(|&&joint| is_reached[robot.joints[joint].parent]);
        if ready.is_empty() {
            break;
        }
        for &index in &ready {
            let joint = &robot.joints[index];
            is_reached[joint.child] = true;
            placement.links[joint.child] = seat(robot, &mut placement, index)?;
        }
        waiting = rest;
    }
    placement.joints.sort_unstable();
    match waiting.first() {
        Some(&joint) => {
            let joint = &robot.joints[joint];
            Err(Error { place: joint.place, problem: Problem::Ring(robot.links[joint.child].name.clone()) })
        }
        None => Ok(placement),
    }
}

/// The only link that no joint moves.
fn root(robot: &Robot) -> Result<usize, Error> {
    let mut moved_by = vec![None; robot.links.len()];
    for joint in &robot.joints {
        if let Some(first) = moved_by[joint.child] {
            let link = robot.links[joint.child].name.clone();
            return Err(Error { place: joint.place, problem: Problem::SecondParent { link, first } });
        }
        moved_by[joint.child] = Some(joint.place);
    }
    let mut roots = (0..robot.links.len()).filter(|&link| moved_by[link].is_none());
    match (roots.next(), roots.next(), robot.links.first()) {
        (Some(root), None, _) => Ok(root),
        (Some(root), Some(other), _) => {
            let [root, link] = [root, other].map(|link| robot.links[link].name.clone());
            Err(Error { place: robot.links[other].place, problem: Problem::SeveralRoots { root, link } })
        }
        (None, _, Some(link)) => Err(Error { place: link.place, problem: Problem::Ring(link.name.clone()) }),
        (None, _, None) => Err(Error { place: robot.place, problem: Problem::NoLink }),
    }
}

/// The link that carries a floating root: the root itself, or one that coincides with it.
fn floating(robot: &Robot, root: usize) -> Result<usize, Error> {
    let mut link = root;
    loop {
        if robot.links[link].has_mass() {
            return Ok(link);
        }
        let coincides = |joint: &&super::robot::Joint| {
            joint.parent == link && joint.kind == Kind::Fixed && joint.origin.is_identity()
        };
        link = match robot.joints.iter().find(coincides) {
            Some(joint) => joint.child,
            None => {
                let root = &robot.links[root];
                return Err(Error { place: root.place, problem: Problem::NoInertia(root.name.clone()) });
            }
        }
    }
}

/// Where a joint puts its child.
fn seat(robot: &Robot, placement: &mut Placement, index: usize) -> Result<Seat, Error> {
    let joint = &robot.joints[index];
    let child = &robot.links[joint.child];
    if placement.free == Some(joint.child) {
        return Ok(Seat { body: Some(joint.child), path: Vec::new() });
    }
    if child.has_mass() {
        placement.joints.push(index);
        return Ok(Seat { body: Some(joint.child), path: Vec::new() });
    }
    if joint.kind != Kind::Fixed {
        let missing = if child.inertial.is_some() { Problem::NoMass } else { Problem::NoInertia };
        return Err(Error { place: child.place, problem: missing(child.name.clone()) });
    }
    let mut seat = placement.links[joint.parent].clone();
    seat.path.push(index);
    Ok(seat)
}
