//! What a description says, with the places where it says it.

use std::fmt;

use hamel_compiler::escape;

use super::error::Place;
use super::number::{Angle, Number};

/// A name as written: any text, which is displayed on one line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Name(pub(super) String);

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&escape::line(&self.0))
    }
}

/// A robot.
#[derive(Clone, Debug)]
pub(super) struct Robot {
    pub(super) name: Name,
    pub(super) place: Place,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
}

/// A frame, and what is fixed to it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) name: Name,
    pub(super) place: Place,
    pub(super) inertial: Option<Inertial>,
}

/// Mass and inertia about the centre of mass.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    /// Where the centre of mass stands in the link, and how the axes of the inertia are turned.
    pub(super) origin: Origin,
    pub(super) mass: Number,
    /// xx, xy, xz, yy, yz, zz.
    pub(super) inertia: [Number; 6],
}

/// A frame in another: rotations about its fixed x, y and z axes, in this order.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) place: Place,
    pub(super) xyz: [Number; 3],
    pub(super) rpy: [Angle; 3],
}

/// A joint; its frame is that of the child.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) name: Name,
    pub(super) place: Place,
    pub(super) kind: Kind,
    /// Index of the link.
    pub(super) parent: usize,
    /// Index of the link.
    pub(super) child: usize,
    pub(super) origin: Origin,
    /// In the frame of the joint.
    pub(super) axis: [Number; 3],
    /// Force or torque per velocity.
    pub(super) damping: Option<Number>,
    /// Not of a joint that is fixed.
    pub(super) mimic: Option<Mimic>,
}

/// The coordinate of a joint is `multiplier · coordinate of another joint + offset`.
#[derive(Clone, Debug)]
pub(super) struct Mimic {
    pub(super) place: Place,
    /// Name of the other joint.
    pub(super) joint: Name,
    pub(super) multiplier: Number,
    pub(super) offset: Number,
}

/// How a joint moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Revolute,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

impl Origin {
    /// No displacement, no rotation.
    pub(super) fn identity(place: Place) -> Self {
        Self { place, xyz: [(); 3].map(|()| Number::zero()), rpy: [(); 3].map(|()| Number::zero().angle(false)) }
    }
}
