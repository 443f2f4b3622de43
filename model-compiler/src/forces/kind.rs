//! Interface of a kind of applied force.

use crate::expr::{ExprId, Graph};
use crate::space::Space;
use crate::spatial::{Matrix3, Vector3, Wrench};

/// What a force acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Two points, with opposite forces: `force s: spring(ground at […], bob) { … }`.
    Points,
    /// Two frames, with opposite forces and torques: `force b: bushing(chassis at […] rotated …, arm) { … }`.
    Frames,
    /// One frame, and with the opposite sign a second one, if it is named: `force f: […] N on hull at […];`.
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
    /// Shape of the value.
    pub shape: FieldShape,
    /// Unit, as users would write it; `*` accepts any.
    pub unit: &'static str,
    /// Value of every component in SI units if the field is left out; a field without default is required.
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
    /// Its axes as columns, in ground axes.
    pub axes: Matrix3,
    /// Angle of the axes in the plane, rad, which counts turns; zero in space.
    pub angle: ExprId,
}

/// Arguments of a force: the motion of its frames or of its coordinate, and the values of its fields.
#[derive(Debug)]
pub struct Situation<'a> {
    /// Plane or space.
    pub space: Space,
    /// The frames it acts on.
    pub frames: &'a [FrameMotion],
    /// Coordinate and velocity it acts on, for [`Target::Coordinate`].
    pub coordinate: Option<(ExprId, ExprId)>,
    /// Components of each field in SI units, in the order of [`Force::fields`]; vectors have three components.
    pub fields: &'a [Vec<ExprId>],
    /// Rates of change of these components along the motion, for forces that store energy.
    pub rates: &'a [Vec<ExprId>],
}

/// Results of a force.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// Wrench on each frame about the frame's origin, in ground axes.
    pub wrenches: Vec<Wrench>,
    /// Generalized force on the coordinate.
    pub generalized: Option<ExprId>,
    /// Potential energy, J, for conservative forces.
    pub potential: Option<ExprId>,
    /// Power with which the force changes the mechanical energy, including its potential energy, W, for forces that
    /// store energy: that of dissipation, and of fields that vary. Without it the power is that of the wrenches.
    pub power: Option<ExprId>,
}

/// A kind of applied force.
pub trait Force: Sync + std::fmt::Debug {
    /// Keyword in the language.
    fn keyword(&self) -> &'static str;
    /// What the force acts on.
    fn target(&self) -> Target;
    /// Whether it exists in the plane, in space, or in both.
    fn spaces(&self) -> &'static [Space];
    /// Fields in the braces.
    fn fields(&self) -> &'static [FieldKind];
    /// Whether it has a potential energy.
    fn stores_energy(&self) -> bool {
        false
    }
    /// Whether it has no value where both points coincide, with the fields that are given: the error of a run that meets
    /// such a place names it.
    fn divides_by_distance(&self, _is_given: &dyn Fn(&str) -> bool) -> bool {
        false
    }
    /// Derives wrenches or the generalized force, potential energy and power.
    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action;
}
