//! What a kind of applied force is.

use crate::expr::{ExprId, Graph};
use crate::spatial::{Vector3, Wrench};

/// What a force acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Two frames, in opposite directions: `force s: spring(ground at […], bob) { … }`.
    Between,
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
    /// Value in SI units when the field is left out; without one it is required.
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
}

/// What a force sees: the motion of its ends or of its coordinate, and the values of its fields.
#[derive(Debug)]
pub struct Situation<'a> {
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
    /// The values it needs.
    fn fields(&self) -> &'static [FieldKind];
    /// Whether it has a potential.
    fn stores_energy(&self) -> bool {
        false
    }
    /// What it does.
    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action;
}
