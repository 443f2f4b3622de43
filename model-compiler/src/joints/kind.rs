//! What a kind of joint is, and residuals that several kinds have.

use crate::expr::{ExprId, Graph};
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Matrix3, Transform};
use crate::units::Unit;

/// A dimension of a joint that the model gives in its braces; a scalar of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JointField {
    /// Name in the braces.
    pub name: &'static str,
    /// Unit, as users would write it; `*` is that of the second coordinate by that of the first.
    pub unit: &'static str,
    /// Whether it must be positive.
    pub is_positive: bool,
}

/// What a joint connects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connects {
    /// Two frames, as part of a spanning tree or as a constraint.
    Frames,
    /// Two frames, always as a constraint: it has no coordinates.
    FramesAsConstraint,
    /// Coordinates of two other joints.
    Coordinates,
}

/// How far a tree joint has moved.
#[derive(Clone, Copy, Debug)]
pub struct Displacement<'a> {
    /// Plane or space.
    pub space: Space,
    /// Values of [`Joint::coordinates`].
    pub q: &'a [ExprId],
    /// The free rotation, where there is one.
    pub rotation: Option<Matrix3>,
    /// Values of [`Joint::fields`].
    pub fields: &'a [ExprId],
}

/// What a joint that closes a loop connects.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// Plane or space.
    pub space: Space,
    /// X_WP: the parent's frame in the ground.
    pub parent: Transform,
    /// X_WC: the child's frame in the ground.
    pub child: Transform,
    /// The two coordinates and their units, for [`Connects::Coordinates`].
    pub coordinates: &'a [(ExprId, Unit)],
    /// Values of [`Joint::fields`].
    pub fields: &'a [ExprId],
}

/// What must vanish where a joint closes a loop; its multiplier is work per unit of it.
#[derive(Clone, Copy, Debug)]
pub struct Residual {
    /// Value.
    pub value: ExprId,
    /// Its unit.
    pub unit: Unit,
    /// What is positive where the joint is assembled the right way round, if the residual also vanishes half a turn away
    /// from it, where this is negative.
    pub side: Option<ExprId>,
}

/// A kind of joint.
pub trait Joint: Sync + std::fmt::Debug {
    /// The word in the language.
    fn keyword(&self) -> &'static str;

    /// What it connects.
    fn connects(&self) -> Connects {
        Connects::Frames
    }

    /// Has no meaning in the plane.
    fn is_spatial(&self) -> bool {
        false
    }

    /// Dimensions that it needs.
    fn fields(&self) -> &'static [JointField] {
        &[]
    }

    /// Translations and angles that move freely, in this order; `q̇ = v` for them.
    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[]
    }

    /// Also rotates freely in space, in the coordinates the model has chosen; they follow the others.
    fn has_rotation(&self) -> bool {
        false
    }

    /// Moves freely in space: its velocities are those of the child's frame in its own axes.
    fn is_free(&self) -> bool {
        false
    }

    /// Passes a force or a torque from one body to another.
    fn passes_forces(&self) -> bool {
        self.connects() != Connects::Coordinates && !self.is_free()
    }

    /// X_PC(q): the child's frame in the parent's frame. At q = 0 it is where assembly starts.
    fn pose(&self, graph: &mut Graph, _at: &Displacement) -> Transform {
        Transform::identity(graph)
    }

    /// Residuals that vanish when this joint closes a loop.
    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual>;
}

/// Residuals of a unit from their values.
pub(super) fn residuals(unit: Unit, values: impl IntoIterator<Item = ExprId>) -> Vec<Residual> {
    values.into_iter().map(|value| Residual { value, unit, side: None }).collect()
}

/// Residuals of coinciding origins: all components in ground axes.
pub(super) fn coincidence(graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
    let offset = spatial::sub(graph, ends.child.position, ends.parent.position);
    residuals(Unit::METRE, offset.into_iter().take(ends.space.dimension()))
}

/// Components of the child's origin along the given axes of the parent's frame.
pub(super) fn offset_along(graph: &mut Graph, ends: &Ends, axes: &[usize]) -> Vec<Residual> {
    let offset = spatial::sub(graph, ends.child.position, ends.parent.position);
    let columns = spatial::transpose(&ends.parent.rotation);
    residuals(Unit::METRE, axes.iter().map(|&axis| spatial::dot(graph, columns[axis], offset)))
}

/// Direction cosines between axes of the parent's frame and axes of the child's frame.
pub(super) fn cosines(graph: &mut Graph, ends: &Ends, pairs: &[(usize, usize)]) -> Vec<Residual> {
    let (p, c) = (spatial::transpose(&ends.parent.rotation), spatial::transpose(&ends.child.rotation));
    residuals(Unit::ONE, pairs.iter().map(|&(i, j)| spatial::dot(graph, p[i], c[j])))
}

/// Residuals of equal axes: three vanishing direction cosines in space, one in the plane.
pub(super) fn alignment(graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
    let pairs: &[(usize, usize)] = match ends.space {
        Space::Planar => &[(1, 0)],
        Space::Spatial => &[(1, 0), (2, 0), (2, 1)],
    };
    let residuals = cosines(graph, ends, pairs);
    let axes = cosines(graph, ends, &[(0, 0), (1, 1), (2, 2)]);
    let both = residuals.into_iter().zip(axes);
    both.map(|(residual, axis)| Residual { side: Some(axis.value), ..residual }).collect()
}

/// Residuals of a common z axis: two vanishing direction cosines.
pub(super) fn common_axis(graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
    let mut residuals = cosines(graph, ends, &[(0, 2), (1, 2)]);
    residuals[0].side = Some(cosines(graph, ends, &[(2, 2)])[0].value);
    residuals
}
