//! Registry of joints: where the child's frame stands in the parent's frame, and what closes a loop.
//!
//! A joint gives a pose and the residuals of its closure; velocities and Jacobians follow by differentiation.
//! To add one: write its file, and put its name into the list below.

use crate::expr::{ExprId, Graph};
use crate::resolve::Space;
use crate::rotations::RotationKind;
use crate::spatial::{self, Matrix3, Transform};

macro_rules! joints {
    ($($file:ident :: $name:ident),* $(,)?) => {
        $(mod $file;)*
        /// Every joint.
        pub static ALL: &[&dyn Joint] = &[$(&$file::$name),*];
    };
}

joints![fixed::Fixed, free::Free, prismatic::Prismatic, revolute::Revolute, spherical::Spherical];

/// A scalar coordinate or velocity of a joint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coordinate {
    /// Name, as users write it after the joint's name.
    pub name: &'static str,
    /// Its unit, as users would write it.
    pub unit: &'static str,
}

/// A kind of joint.
pub trait Joint: Sync + std::fmt::Debug {
    /// The word in the language.
    fn keyword(&self) -> &'static str;

    /// Translations and angles that move freely, in this order; `q̇ = v` for them.
    fn coordinates(&self, space: Space) -> &'static [Coordinate];

    /// Also rotates freely in space, in the coordinates the model has chosen; they follow the others.
    fn has_rotation(&self) -> bool {
        false
    }

    /// Moves freely in space: with Euler parameters its velocities are those of the child's frame in its own axes.
    fn is_free(&self) -> bool {
        false
    }

    /// X_PC(q): the child's frame in the parent's frame. `rotation` is the free rotation where there is one.
    fn pose(&self, graph: &mut Graph, space: Space, q: &[ExprId], rotation: Option<Matrix3>) -> Transform;

    /// Residuals that vanish when this joint closes a loop, from the poses of its two frames in the ground.
    fn closure(&self, graph: &mut Graph, space: Space, parent: &Transform, child: &Transform) -> Vec<ExprId>;
}

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
pub fn is_pose(joint: &dyn Joint, space: Space, rotation: RotationKind) -> bool {
    joint.is_free() && space == Space::Spatial && rotation == RotationKind::EulerParameters
}

/// Names and units of all coordinates and of all velocities of a tree joint.
pub fn channels(joint: &dyn Joint, space: Space, rotation: RotationKind) -> (Vec<Coordinate>, Vec<Coordinate>) {
    let own = joint.coordinates(space);
    let own_velocities = if is_pose(joint, space, rotation) { &BODY_VELOCITIES } else { own };
    let (mut q, mut v) = (own.to_vec(), own_velocities.to_vec());
    if joint.has_rotation() && space == Space::Spatial {
        q.extend(rotation.coordinates());
        v.extend(rotation.velocities());
    }
    (q, v)
}

/// Residuals of coinciding origins: all components in ground axes.
fn coincidence(graph: &mut Graph, space: Space, parent: &Transform, child: &Transform) -> Vec<ExprId> {
    spatial::sub(graph, child.position, parent.position)[..space.dimension()].to_vec()
}

/// Components of the child's origin along the given axes of the parent's frame.
fn offset_along(graph: &mut Graph, parent: &Transform, child: &Transform, axes: &[usize]) -> Vec<ExprId> {
    let offset = spatial::sub(graph, child.position, parent.position);
    let columns = spatial::transpose(&parent.rotation);
    axes.iter().map(|&axis| spatial::dot(graph, columns[axis], offset)).collect()
}

/// Direction cosines between axes of the parent's frame and axes of the child's frame.
fn cosines(graph: &mut Graph, parent: &Transform, child: &Transform, pairs: &[(usize, usize)]) -> Vec<ExprId> {
    let (p, c) = (spatial::transpose(&parent.rotation), spatial::transpose(&child.rotation));
    pairs.iter().map(|&(i, j)| spatial::dot(graph, p[i], c[j])).collect()
}

/// Residuals of equal axes: three vanishing direction cosines in space, one in the plane.
fn alignment(graph: &mut Graph, space: Space, parent: &Transform, child: &Transform) -> Vec<ExprId> {
    match space {
        Space::Planar => cosines(graph, parent, child, &[(1, 0)]),
        Space::Spatial => cosines(graph, parent, child, &[(1, 0), (2, 0), (2, 1)]),
    }
}
