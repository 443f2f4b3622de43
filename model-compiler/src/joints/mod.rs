//! Registry of joints: where the child's frame stands in the parent's frame, and what closes a loop.
//!
//! A joint gives a pose and the residuals of its closure; velocities and Jacobians follow by differentiation.
//! To add one: write its file, and put its name into the list below.

use crate::rotations::{ANGULAR_VELOCITY, RotationKind};
use crate::space::{Coordinate, Space};

macro_rules! joints {
    ($($file:ident :: $name:ident),* $(,)?) => {
        $(mod $file;)*
        /// Every joint.
        pub static ALL: &[&dyn Joint] = &[$(&$file::$name),*];
    };
}

joints![
    cylindrical::Cylindrical,
    distance::Distance,
    fixed::Fixed,
    free::Free,
    gear::Gear,
    planar::Planar,
    point_on_line::PointOnLine,
    prismatic::Prismatic,
    revolute::Revolute,
    screw::Screw,
    spherical::Spherical,
    universal::Universal,
];

mod kind;
pub mod node;

pub use kind::{Connects, Displacement, Ends, Joint, JointField, Residual};

/// The joint with this keyword.
pub fn find(keyword: &str) -> Option<&'static dyn Joint> {
    ALL.iter().copied().find(|joint| joint.keyword() == keyword)
}

/// Velocity of the origin of a freely moving frame, in its own axes.
static BODY_VELOCITIES: [Coordinate; 3] = [
    Coordinate { name: "v_x", unit: "m/s" },
    Coordinate { name: "v_y", unit: "m/s" },
    Coordinate { name: "v_z", unit: "m/s" },
];

/// The coordinates of a tree joint are those of a pose: its velocities are a velocity and an angular velocity in the
/// axes of the child's frame, so that no rotation enters the mass matrix.
pub(crate) fn is_pose(joint: &dyn Joint, space: Space) -> bool {
    joint.is_free() && space == Space::Spatial
}

/// Names and units of all coordinates and of all velocities of a tree joint.
pub fn channels(joint: &dyn Joint, space: Space, rotation: RotationKind) -> (Vec<Coordinate>, Vec<Coordinate>) {
    let own = joint.coordinates(space);
    let own_velocities = if is_pose(joint, space) { &BODY_VELOCITIES } else { own };
    let (mut q, mut v) = (own.to_vec(), own_velocities.to_vec());
    if joint.has_rotation() && space == Space::Spatial {
        q.extend(rotation.coordinates());
        v.extend(ANGULAR_VELOCITY);
    }
    (q, v)
}
