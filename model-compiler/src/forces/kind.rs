//! What a kind of applied force is.

use crate::expr::{ExprId, Graph};
use crate::space::Space;
use crate::spatial::{Matrix3, Vector3, Wrench};

/// What a force acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Two points, in opposite directions: `force s: spring(ground at […], bob) { … }`.
    Points,
    /// The same with the axes of their frames: `force b: bushing(chassis at […] rotated …, arm) { … }`.
    Frames,
    /// One frame, and if a second is named its opposite on that: `force f: […] N on hull at […];`.
    On,
    /// One coordinate of a tree joint: `force s: torsion_spring(hinge) { … }`.
    Coordinate,
}

/// Shape of a field's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldShape {
    /// A number.
    Scalar,
    /// A vector of the space's dimension.
    Vector,
    /// A vector in space, a number in the plane.
    Axial,
}

/// A value that a kind of force needs.
#[derive(Clone, Copy, Debug)]
pub struct FieldKind {
    /// Name in the braces.
    pub name: &'static str,
    /// Shape.
    pub shape: FieldShape,
    /// Unit, as users would write it; `*` accepts any.
    pub unit: &'static str,
    /// Value of every component in SI units when the field is left out; without one it is required.
    pub default: Option<i64>,
}

/// Motion of a frame that a force acts on, in ground axes.
#[derive(Clone, Debug)]
pub struct FrameMotion {
    /// Position of its origin, m.
    pub position: Vector3,
    /// Velocity of its origin, m/s.
    pub velocity: Vector3,
    /// Angular velocity of its body, rad/s.
    pub angular_velocity: Vector3,
    /// Its axes as columns.
    pub axes: Matrix3,
    /// Their angle in the plane, which counts turns; zero in space.
    pub angle: ExprId,
}

/// What a force sees: the motion of its ends or of its coordinate, and the values of its fields.
#[derive(Debug)]
pub struct Situation<'a> {
    /// Plane or space.
    pub space: Space,
    /// The frames it acts on.
    pub frames: &'a [FrameMotion],
    /// Coordinate and velocity it acts on, for [`Target::Coordinate`].
    pub coordinate: Option<(ExprId, ExprId)>,
    /// Components of each field's value, in the order of [`Force::fields`]; vectors have three components.
    pub fields: &'a [Vec<ExprId>],
    /// Their rates of change along the motion, for forces that store energy.
    pub rates: &'a [Vec<ExprId>],
}

/// What a force does.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// Wrench on each frame about the frame's origin, in ground axes.
    pub wrenches: Vec<Wrench>,
    /// Generalized force on the coordinate.
    pub generalized: Option<ExprId>,
    /// Potential energy, J, for conservative forces.
    pub potential: Option<ExprId>,
    /// How fast it and the energy that it comes from change together, W, for forces that store energy: the power of what
    /// has no potential, and of fields that change. Of all other forces it is the power of their wrenches.
    pub power: Option<ExprId>,
}

/// A kind of applied force.
pub trait Force: Sync + std::fmt::Debug {
    /// The word in the language.
    fn keyword(&self) -> &'static str;
    /// What it acts on.
    fn target(&self) -> Target;
    /// Where it has a meaning.
    fn spaces(&self) -> &'static [Space];
    /// The values it needs.
    fn fields(&self) -> &'static [FieldKind];
    /// Whether it has a potential.
    fn stores_energy(&self) -> bool {
        false
    }
    /// What it does.
    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action;
}
