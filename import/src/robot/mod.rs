//! A robot, as readers of all formats understand it, with the places where its description says what it says; and the
//! model that it becomes.

mod looks;
pub(crate) mod merge;
mod mimic;
mod names;
pub(crate) mod number;
mod pinocchio;
mod placement;
pub(crate) mod pose;
mod write;

use std::fmt;

use hamel_compiler::escape;

use crate::error::{Errors, Place, Problem, Warning};
use crate::looks::Look;
use crate::{Import, OfLink, Options};
use number::{Angle, Number};
use pose::Pose;

/// The model of a robot; to the warnings is added what is decided here.
pub(crate) fn model(robot: &Robot, options: &Options, mut warnings: Vec<Warning>) -> Result<Import, Errors> {
    let (placement, followed) = Errors::both(placement::place(robot, options), mimic::followed(robot))?;
    check_links(robot, &placement, options)?;
    if options.provide.iter().any(|function| function.needs_freedom()) {
        let held = robot
            .joints
            .iter()
            .zip(&followed)
            .filter(|(joint, followed)| joint.follows.is_some() && followed.is_none());
        let held = held.map(|(joint, _)| {
            let place = joint.follows.as_ref().map_or(joint.place, |follows| follows.place);
            Problem::Held(joint.name.to_string()).at(place)
        });
        Errors::of(held.collect())?;
    }
    let poses = pose::poses(robot, &placement)?;
    let inertials = merge::merge(robot, &placement, &poses, options.repair_inertia, &mut warnings)?;
    let looks = match &options.visuals {
        Some(visuals) => looks::fields(robot, &placement, &poses, visuals, &mut warnings),
        None => looks::Fields { bodies: vec![Vec::new(); robot.links.len()], ground: Vec::new() },
    };
    let written = write::write(robot, &placement, &poses, &inertials, &followed, &looks, options, &mut warnings);
    warnings.sort_by_key(|warning| warning.place);
    // Pinocchio has planar joints in the plane of x and y, whatever their axis.
    let is_elsewhere = |joint: &Joint| {
        let [x, y, z] = joint.axis.each_ref().map(|part| part.value);
        joint.kind == Kind::Planar && !(x == 0.0 && y == 0.0 && z > 0.0)
    };
    let pinocchio = match robot.is_read_by_pinocchio && !robot.joints.iter().any(is_elsewhere) {
        true => pinocchio::order(robot, &placement, &followed, &written.free, &written.joints),
        false => Vec::new(),
    };
    Ok(Import { model: written.text, warnings, pinocchio, places: written.places })
}

/// Refuses functions of links that there are not, or that are fixed to the ground.
fn check_links(robot: &Robot, placement: &placement::Placement, options: &Options) -> Result<(), Errors> {
    let known: Vec<&str> = robot.links.iter().map(|link| link.name.0.as_str()).collect();
    let problem = |asked: &OfLink| match known.iter().position(|known| *known == asked.link) {
        None => Some(Problem::unknown("link", &asked.link, known.iter()).at(robot.place)),
        Some(link) if placement.links[link].body.is_none() => {
            Some(Problem::OnGround(robot.links[link].name.to_string()).at(robot.links[link].place))
        }
        Some(_) => None,
    };
    Errors::of(options.provide_of_links.iter().filter_map(problem).collect())
}

/// A name as written: any text, which is displayed on one line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Name(pub(crate) String);

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&escape::line(&self.0))
    }
}

/// A robot.
#[derive(Clone, Debug)]
pub(crate) struct Robot {
    pub(crate) name: Name,
    pub(crate) place: Place,
    /// As the language has it, with its unit.
    pub(crate) gravity: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) actuators: Vec<Actuator>,
    pub(crate) closures: Vec<Closure>,
    /// What links look like.
    pub(crate) looks: Vec<Look>,
    /// Whether Pinocchio orders the joints as it does those of URDF.
    pub(crate) is_read_by_pinocchio: bool,
}

/// An input that acts along the coordinate of a joint: a force or torque that is a sum of these times the input, 1, the
/// coordinate and the velocity, in SI units.
#[derive(Clone, Debug)]
pub(crate) struct Actuator {
    pub(crate) name: Name,
    pub(crate) place: Place,
    /// Index of the joint.
    pub(crate) joint: usize,
    pub(crate) input: Signal,
    pub(crate) of_input: f64,
    pub(crate) constant: f64,
    pub(crate) of_coordinate: f64,
    pub(crate) of_velocity: f64,
}

/// What an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signal {
    /// A force or torque.
    Effort,
    /// What a coordinate is to be.
    Coordinate,
    /// What a velocity is to be.
    Velocity,
}

/// What connects two links beside the joints of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    pub(crate) name: Name,
    pub(crate) place: Place,
    /// Fixed, a ball, revolute or prismatic.
    pub(crate) kind: Kind,
    /// In the axes of both frames.
    pub(crate) axis: [Number; 3],
    /// Links and frames in them.
    pub(crate) ends: [(usize, Pose); 2],
}

/// A frame, and what is fixed to it.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) name: Name,
    pub(crate) place: Place,
    pub(crate) inertial: Option<Inertial>,
}

/// Mass and inertia about the centre of mass.
#[derive(Clone, Debug)]
pub(crate) struct Inertial {
    /// Where the centre of mass stands in the link, and how the axes of the inertia are turned.
    pub(crate) origin: Origin,
    pub(crate) mass: Number,
    /// xx, xy, xz, yy, yz, zz.
    pub(crate) inertia: [Number; 6],
}

/// A frame in another: rotations about its fixed x, y and z axes, in this order.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) place: Place,
    pub(crate) xyz: [Number; 3],
    pub(crate) rpy: [Angle; 3],
}

/// A joint; its axes are those of the child.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) name: Name,
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    /// Turns without an end, as far as the description is concerned.
    pub(crate) is_endless: bool,
    /// Index of the link.
    pub(crate) parent: usize,
    /// Index of the link.
    pub(crate) child: usize,
    pub(crate) origin: Origin,
    /// Where the joint stands in its child.
    pub(crate) anchor: [Number; 3],
    /// In the frame of the joint.
    pub(crate) axis: [Number; 3],
    /// m per turn, of a screw.
    pub(crate) pitch: Option<Number>,
    /// Force or torque per velocity.
    pub(crate) damping: Option<Number>,
    /// Inertia of what turns or slides with the only coordinate and moves no link.
    pub(crate) rotor: Option<Number>,
    pub(crate) spring: Option<Spring>,
    /// Not of a joint that is fixed.
    pub(crate) follows: Option<Follower>,
    pub(crate) limits: Limits,
    /// Where a joint that moves freely starts, if it is not where its frames coincide.
    pub(crate) start: Option<Pose>,
}

impl Joint {
    /// A joint that stands there in its parent and of which nothing else is said.
    pub(crate) fn plain(name: Name, place: Place, kind: Kind, (parent, child): (usize, usize), at: &Pose) -> Joint {
        Joint {
            name,
            place,
            kind,
            is_endless: false,
            parent,
            child,
            origin: at.origin(&Origin::identity(place)),
            anchor: [(); 3].map(|()| Number::zero()),
            axis: [0, 0, 1].map(Number::whole),
            pitch: None,
            damping: None,
            rotor: None,
            spring: None,
            follows: None,
            limits: Limits::default(),
            start: None,
        }
    }
}

/// What pulls the coordinate of a joint to a value.
#[derive(Clone, Debug)]
pub(crate) struct Spring {
    pub(crate) stiffness: Number,
    pub(crate) rest: Number,
}

/// What the coordinate of a joint shall not leave; the motion does not heed it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) position: Option<[Number; 2]>,
    pub(crate) velocity: Option<Number>,
    /// Of force or torque.
    pub(crate) effort: Option<Number>,
}

/// The coordinate of a joint is `multiplier · coordinate of another joint + offset`.
#[derive(Clone, Debug)]
pub(crate) struct Follower {
    pub(crate) place: Place,
    /// Name of the other joint; without one the coordinate stays at the offset.
    pub(crate) joint: Option<Name>,
    pub(crate) multiplier: Number,
    pub(crate) offset: Number,
}

/// How a joint moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Revolute,
    Prismatic,
    Fixed,
    Floating,
    Planar,
    Ball,
    Screw,
}

impl Kind {
    /// Whether it has one coordinate.
    pub(crate) fn has_coordinate(self) -> bool {
        matches!(self, Kind::Revolute | Kind::Prismatic | Kind::Screw)
    }
}

impl Robot {
    /// Refuses what a reader has computed beyond all numbers.
    pub(crate) fn refuse_infinite(&self) -> Result<(), Errors> {
        let of_origin =
            |origin: &Origin| origin.xyz.iter().chain(origin.rpy.iter().map(|angle| &angle.written)).all(finite);
        let of_link = |link: &Link| {
            link.inertial
                .as_ref()
                .is_none_or(|known| of_origin(&known.origin) && finite(&known.mass) && known.inertia.iter().all(finite))
        };
        let of_joint = |joint: &Joint| {
            let limits = joint.limits.position.iter().flatten().chain(&joint.limits.effort);
            let spring = joint.spring.iter().flat_map(|spring| [&spring.stiffness, &spring.rest]);
            let start = joint.start.is_none_or(|start| start.position.iter().all(|component| component.is_finite()));
            let numbers = joint
                .anchor
                .iter()
                .chain(&joint.axis)
                .chain(&joint.pitch)
                .chain(&joint.rotor)
                .chain(limits)
                .chain(spring);
            of_origin(&joint.origin) && start && numbers.into_iter().all(finite)
        };
        let of_actuator = |actuator: &Actuator| {
            let Actuator { of_input, constant, of_coordinate, of_velocity, .. } = actuator;
            [of_input, constant, of_coordinate, of_velocity].iter().all(|factor| factor.is_finite())
        };
        let links = self.links.iter().filter(|link| !of_link(link)).map(|link| (&link.name, link.place));
        let joints = self.joints.iter().filter(|joint| !of_joint(joint)).map(|joint| (&joint.name, joint.place));
        let actuators =
            self.actuators.iter().filter(|known| !of_actuator(known)).map(|known| (&known.name, known.place));
        let of_closure =
            |closure: &Closure| closure.ends.iter().flat_map(|(_, pose)| pose.position).all(f64::is_finite);
        let closures = self.closures.iter().filter(|known| !of_closure(known)).map(|known| (&known.name, known.place));
        let wrong = links.chain(joints).chain(actuators).chain(closures);
        Errors::of(wrong.map(|(name, place)| Problem::NotFinite(name.to_string()).at(place)).collect())
    }
}

fn finite(number: &Number) -> bool {
    number.value.is_finite()
}

impl Inertial {
    /// That of a point at the origin.
    pub(crate) fn point(place: Place, mass: f64) -> Self {
        let inertia = [(); 6].map(|()| Number::zero());
        Self { origin: Origin::identity(place), mass: Number::computed(mass), inertia }
    }
}

impl Origin {
    /// No displacement, no rotation.
    pub(crate) fn identity(place: Place) -> Self {
        Self { place, xyz: [(); 3].map(|()| Number::zero()), rpy: [(); 3].map(|()| Number::zero().angle(false)) }
    }
}

#[cfg(test)]
mod tests;
