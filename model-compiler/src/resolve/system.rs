//! The model's meaning: ids instead of names, shapes and units checked, a spanning tree where one is needed.
//!
//! Nothing here remembers how it was spelled, except for the spans that later messages need.

use std::rc::Rc;

use proc_macro2::{Ident, Span};

use crate::contacts::{ContactLaw, Kind as ContactKind};
use crate::expr::{Binary, Number, Unary};
use crate::forces::Force as ForceKind;
use crate::joints::{self, Joint as JointKind};
use crate::rotations::RotationKind;
use crate::solids::Solid;
use crate::space::{Coordinate, Shape, Space};
use crate::units::Unit;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub usize);
    )* };
}
ids! {
    /// Index into [`System::parameters`].
    ParameterId
    /// Index into [`System::inputs`].
    InputId
    /// Index into [`System::states`].
    StateId
    /// Index into [`System::bodies`].
    BodyId
    /// Index into [`System::joints`].
    JointId
}

/// A mechanical system.
#[derive(Debug)]
pub struct System {
    /// Name of the type to generate.
    pub name: Ident,
    /// Visibility of that type.
    pub visibility: syn::Visibility,
    /// Doc comment, one line per entry.
    pub doc: Vec<String>,
    /// Plane or space.
    pub space: Space,
    /// Which coordinates describe the motion.
    pub formulation: Formulation,
    /// Which coordinates describe a free rotation in space.
    pub rotation: RotationKind,
    /// Whether a product and the sum it goes into are computed in one operation where the processor has it.
    pub is_fused: bool,
    /// Parameters in order of declaration; a default may use earlier ones.
    pub parameters: Vec<Parameter>,
    /// Signals given at run time.
    pub inputs: Vec<Input>,
    /// Quantities with equations of first order.
    pub states: Vec<StateEquation>,
    /// Acceleration of free fall in ground axes, m/s²; a vector of the space's size.
    pub gravity: Option<Term>,
    /// Bodies without the ground.
    pub bodies: Vec<Body>,
    /// What the ground is drawn as, for each time it is written.
    pub ground: Vec<Look>,
    /// Joints; with joint coordinates those of the spanning tree come first, parents before children.
    pub joints: Vec<Joint>,
    /// Flexible members in a floating frame.
    pub members: Vec<FlexibleMember>,
    /// Geometrically exact beams.
    pub beams: Vec<Beam>,
    /// Applied forces other than gravity.
    pub forces: Vec<Rc<Force>>,
    /// Constraints written as equations, and drives; those on velocities come last.
    pub constraints: Vec<Constraint>,
    /// Unilateral contacts.
    pub contacts: Vec<Contact>,
    /// Conditions on the initial state.
    pub initial: Vec<Initial>,
    /// Named results.
    pub outputs: Vec<Output>,
    /// Expressions that may be undefined somewhere.
    pub singular: Vec<Singular>,
    /// Functions asked for beside those that every model has.
    pub provided: Vec<Provided>,
    /// Functions of frames asked for.
    pub provided_of_frames: Vec<ProvidedOfFrame>,
    /// Whether the derivatives are asked for that a linearisation needs.
    pub is_linearized: bool,
    /// Parameters with respect to which derivatives are asked for, each once, in the order of their declaration.
    pub differentiated: Vec<ParameterId>,
}

/// A function that a model in joint coordinates gives when it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Provided {
    /// h − f.
    NonlinearEffects,
    /// τ = M a + h − f.
    InverseDynamics,
    /// a = M⁻¹ (τ − h + f).
    ForwardDynamics,
    /// Derivatives of τ.
    InverseDynamicsDerivatives,
    /// Derivatives of a.
    ForwardDynamicsDerivatives,
    /// Second derivatives of wᵀ τ.
    InverseDynamicsSecondDerivatives,
    /// M⁻¹.
    InverseMassMatrix,
    /// L and D with M = Lᵀ D L.
    MassMatrixFactors,
    /// C with C v = h and Ṁ = C + Cᵀ.
    CoriolisMatrix,
    /// The forces that hold the weight.
    GravityForces,
    /// Inverse dynamics by inertial parameters.
    Regressor,
    /// Centre of mass and its Jacobian.
    CenterOfMass,
    /// Centroidal momentum by velocities.
    CentroidalMomentumMatrix,
    /// Rate of the centroidal momentum where a = 0.
    CentroidalMomentumBias,
    /// Derivatives of the accelerations of constraints.
    ConstraintAccelerationDerivatives,
}

/// The word after `provide` for what `hamel::linearize` needs of a model, in any coordinates.
pub const LINEARIZATION: &str = "linearization";

impl Provided {
    /// Every function.
    pub const ALL: [Provided; 15] = [
        Provided::NonlinearEffects,
        Provided::InverseDynamics,
        Provided::ForwardDynamics,
        Provided::InverseDynamicsDerivatives,
        Provided::ForwardDynamicsDerivatives,
        Provided::InverseDynamicsSecondDerivatives,
        Provided::InverseMassMatrix,
        Provided::MassMatrixFactors,
        Provided::CoriolisMatrix,
        Provided::GravityForces,
        Provided::Regressor,
        Provided::CenterOfMass,
        Provided::CentroidalMomentumMatrix,
        Provided::CentroidalMomentumBias,
        Provided::ConstraintAccelerationDerivatives,
    ];

    /// Relations of forces and accelerations, and their derivatives, of models without constraints.
    pub const DYNAMICS: [Provided; 5] = [
        Provided::NonlinearEffects,
        Provided::InverseDynamics,
        Provided::ForwardDynamics,
        Provided::InverseDynamicsDerivatives,
        Provided::ForwardDynamicsDerivatives,
    ];

    /// The word in the language, and the name of the method.
    pub fn keyword(self) -> &'static str {
        match self {
            Provided::NonlinearEffects => "nonlinear_effects",
            Provided::InverseDynamics => "inverse_dynamics",
            Provided::ForwardDynamics => "forward_dynamics",
            Provided::InverseDynamicsDerivatives => "inverse_dynamics_derivatives",
            Provided::ForwardDynamicsDerivatives => "forward_dynamics_derivatives",
            Provided::InverseDynamicsSecondDerivatives => "inverse_dynamics_second_derivatives",
            Provided::InverseMassMatrix => "inverse_mass_matrix",
            Provided::MassMatrixFactors => "mass_matrix_factors",
            Provided::CoriolisMatrix => "coriolis_matrix",
            Provided::GravityForces => "gravity_forces",
            Provided::Regressor => "regressor",
            Provided::CenterOfMass => "center_of_mass",
            Provided::CentroidalMomentumMatrix => "centroidal_momentum_matrix",
            Provided::CentroidalMomentumBias => "centroidal_momentum_bias",
            Provided::ConstraintAccelerationDerivatives => "constraint_acceleration_derivatives",
        }
    }

    /// Whether it is a relation of forces and accelerations, which constraints change.
    pub fn needs_freedom(self) -> bool {
        Provided::DYNAMICS.contains(&self) || self == Provided::InverseDynamicsSecondDerivatives
    }
}

/// What a model in joint coordinates gives of a frame when it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FrameFunction {
    /// Origin and axes.
    Pose,
    /// Velocity and angular velocity.
    Velocity,
    /// Acceleration and angular acceleration.
    Acceleration,
    /// Velocity and angular velocity by the velocities of the model.
    Jacobian,
    /// Acceleration and angular acceleration where a = 0.
    JacobianBias,
    /// Velocity and angular velocity by the coordinates.
    VelocityDerivatives,
    /// Acceleration and angular acceleration by the coordinates and by the velocities.
    AccelerationDerivatives,
}

impl FrameFunction {
    /// Every function.
    pub const ALL: [FrameFunction; 7] = [
        FrameFunction::Pose,
        FrameFunction::Velocity,
        FrameFunction::Acceleration,
        FrameFunction::Jacobian,
        FrameFunction::JacobianBias,
        FrameFunction::VelocityDerivatives,
        FrameFunction::AccelerationDerivatives,
    ];

    /// The word in the language.
    pub fn keyword(self) -> &'static str {
        match self {
            FrameFunction::Pose => "pose",
            FrameFunction::Velocity => "velocity",
            FrameFunction::Acceleration => "acceleration",
            FrameFunction::Jacobian => "jacobian",
            FrameFunction::JacobianBias => "jacobian_bias",
            FrameFunction::VelocityDerivatives => "velocity_derivatives",
            FrameFunction::AccelerationDerivatives => "acceleration_derivatives",
        }
    }
}

/// A function asked for of a frame.
#[derive(Debug)]
pub struct ProvidedOfFrame {
    /// What of it.
    pub function: FrameFunction,
    /// Vectors have components in the axes of the frame, and not of the ground.
    pub in_own_axes: bool,
    /// Name of the body or marker.
    pub name: String,
    /// The frame.
    pub frame: Frame,
}

/// Which coordinates describe the motion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formulation {
    /// Position and rotation of every body; every joint is a constraint.
    Absolute,
    /// Coordinates of the joints of a spanning tree; joints outside it are constraints.
    Joint,
}

/// A parameter of the model.
#[derive(Debug)]
pub struct Parameter {
    /// Name.
    pub name: Ident,
    /// Folded into the code (`const`) or a public field (`param`).
    pub is_constant: bool,
    /// Default, in SI units.
    pub value: Term,
    /// Its doc comment, or empty.
    pub doc: String,
    /// Its default as it is written, with its unit.
    pub text: String,
}

/// A signal given at run time.
#[derive(Debug)]
pub struct Input {
    /// Name.
    pub name: Ident,
    /// Unit.
    pub unit: Unit,
}

/// A quantity of first order: `ż = rate`.
#[derive(Debug)]
pub struct StateEquation {
    /// Name.
    pub name: Ident,
    /// Unit.
    pub unit: Unit,
    /// Rate of change; a scalar.
    pub rate: Term,
}

/// A rigid body, the floating frame or an end of a flexible member, or a node of a beam. Its frame has the body's axes.
#[derive(Debug)]
pub struct Body {
    /// Name.
    pub name: Ident,
    /// Mass, kg.
    pub mass: Term,
    /// Inertia about the centre of mass in body axes, kg m²: 3 × 3 in space, a scalar in the plane.
    pub inertia: Term,
    /// Centre of mass seen from the body's origin, body axes, m; at the origin when absent.
    pub center_of_mass: Option<Term>,
    /// Inertia of the water that moves with it.
    pub added_mass: Option<AddedMass>,
    /// Stands for a part of a flexible member, whose dimensions are checked as a whole, or is a frame without mass between
    /// joints, which no value of the parameters changes.
    pub is_part: bool,
    /// What it is drawn as; the equations do not contain it.
    pub shapes: Vec<BodyShape>,
    /// Its colour in drawings.
    pub color: Option<Color>,
}

/// What something is drawn as.
#[derive(Debug)]
pub struct Look {
    /// Its shapes.
    pub shapes: Vec<BodyShape>,
    /// Its colour.
    pub color: Option<Color>,
}

/// A solid that a body is drawn as.
#[derive(Debug)]
pub struct BodyShape {
    /// Kind, from the registry.
    pub solid: &'static Solid,
    /// The file of a mesh as written, relative to the folder of the model.
    pub file: Option<String>,
    /// Its dimensions, m, in the order of the registry; of a mesh what a unit of its file is long, or three such along its
    /// axes, or nothing where it is a metre.
    pub dimensions: Vec<Term>,
    /// Its centre and axes on the body.
    pub frame: Frame,
}

/// A colour of a body.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Color {
    /// A place in [`COLORS`](crate::solids::COLORS).
    Named(usize),
    /// Red, green and blue, 0 to 1.
    Rgb([f64; 3]),
}

/// Added mass of a body in an ideal fluid, about the body's origin in its axes. [simo, Eqs. 11-17]
///
/// The 6 × 6 matrix is symmetric; in the plane its blocks are 2 × 2, a vector of two and a scalar.
#[derive(Debug)]
pub struct AddedMass {
    /// A11: momentum by velocity, kg.
    pub force: Term,
    /// A12, and transposed A21: momentum by angular velocity, kg m; none when absent.
    pub coupling: Option<Term>,
    /// A22: angular momentum by angular velocity, kg m².
    pub moment: Term,
    /// Which velocities drive its quadratic terms.
    pub convention: Convention,
    /// Velocity of the fluid in ground axes, m/s; at rest when absent.
    pub current: Option<Term>,
}

/// Which velocities ṽ and ω̃ stand in the quadratic terms of an added mass. [simo, Eqs. 14-17]
#[derive(Debug)]
pub enum Convention {
    /// ṽ = v − U, ω̃ = ω: an unbounded ideal fluid, with the rate of change of v − U in the body's axes.
    Relative,
    /// ṽ = v − U, ω̃ = (0, 0, ω₃).
    YawOnly,
    /// ṽ = −U, ω̃ = 0.
    Blocked,
    /// ṽ = v_LF − U, ω̃ = (0, 0, ω₃,LF).
    LowFrequency {
        /// v_LF in ground axes, m/s.
        velocity: Rc<Term>,
        /// ω₃,LF, rad/s.
        yaw_rate: Rc<Term>,
    },
}

/// A planar beam in a floating frame, as long as its x axis from the first node to the last. [rezaei, App. C]
#[derive(Debug)]
pub struct FlexibleMember {
    /// Name.
    pub name: Ident,
    /// How its frame moves with it.
    pub frame: FloatingFrame,
    /// The body that stands for its frame.
    pub frame_body: BodyId,
    /// The tree joint that moves its last node against the frame; the coordinates of the nodes between stand before it.
    pub end: JointId,
    /// Number of elements.
    pub elements: usize,
    /// Length, m.
    pub length: Term,
    /// Mass, kg.
    pub mass: Term,
    /// Area of the cross-section, m².
    pub area: Term,
    /// Second moment of area of the cross-section, m⁴.
    pub second_moment: Term,
    /// Young's modulus, Pa.
    pub modulus: Term,
    /// Names of the outputs that are its section forces; they follow all others.
    pub section_forces: Vec<Ident>,
}

/// A geometrically exact beam of three nodes an element, along the x axis of its nodes. [zhang, Ref. 15]
#[derive(Debug)]
pub struct Beam {
    /// Name.
    pub name: Ident,
    /// Its first node; the others follow it, two an element.
    pub root: BodyId,
    /// Number of elements.
    pub elements: usize,
    /// Length, m.
    pub length: Term,
    /// Forces by strains (extension, shear along y and z), 3 × 3, N.
    pub force_stiffness: Term,
    /// Forces by curvatures, and transposed moments by strains, 3 × 3, N m; none when absent.
    pub coupling_stiffness: Option<Term>,
    /// Moments by curvatures (twist, bending about y and z), 3 × 3, N m².
    pub moment_stiffness: Term,
    /// Mass per length, kg/m.
    pub mass_per_length: Term,
    /// Inertia of the cross-sections about their axes x, y, z per length, kg m.
    pub inertia_per_length: Term,
    /// Curvature of the reference configuration in its own axes, 1/m; straight when absent.
    pub curvature: Option<Term>,
    /// Damping per stiffness, s; none when absent.
    pub damping: Option<Term>,
    /// Names of the outputs that are its section forces; they follow all others.
    pub section_forces: Vec<Ident>,
}

impl Beam {
    /// The body that is a node, counted from the root.
    pub fn node(&self, index: usize) -> BodyId {
        BodyId(self.root.0 + index)
    }

    /// Which node a body is.
    pub(crate) fn index_of(&self, body: BodyId) -> Option<usize> {
        body.0.checked_sub(self.root.0).filter(|&index| index <= 2 * self.elements)
    }

    /// All nodes from the root to the tip.
    pub fn nodes(&self) -> impl Iterator<Item = BodyId> + use<> {
        let first = self.root.0;
        (first..=first + 2 * self.elements).map(BodyId)
    }
}

/// How a floating frame moves with its member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatingFrame {
    /// With the first node: its x axis is the tangent there.
    Tangent,
    /// Its x axis goes through the first and the last node.
    Pinned,
}

impl FlexibleMember {
    /// Number of coordinates of the nodes between the first and the last.
    pub(crate) fn inner_coordinates(&self) -> usize {
        3 * (self.elements - 1)
    }
}

impl System {
    /// The member whose inner coordinates stand before those of this joint.
    pub(crate) fn member_before(&self, joint: JointId) -> Option<&FlexibleMember> {
        self.members.iter().find(|member| member.end == joint)
    }

    /// Joints of the spanning tree, parents before children.
    pub(crate) fn tree_joints(&self) -> impl Iterator<Item = (JointId, &Joint)> {
        self.joints.iter().enumerate().filter(|(_, joint)| joint.is_tree).map(|(index, joint)| (JointId(index), joint))
    }
}

/// A frame fixed to a body or to the ground.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The body; `None` is the ground.
    pub body: Option<BodyId>,
    /// Origin in the body's frame, m; the body's origin when absent.
    pub position: Option<Term>,
    /// Axes in the body's frame, 3 × 3 (columns are the frame's axes); the body's axes when absent. In the plane: an angle, rad.
    pub rotation: Option<Term>,
}

/// A joint between two frames.
#[derive(Debug)]
pub struct Joint {
    /// Name.
    pub name: Ident,
    /// Kind, from the registry.
    pub kind: &'static dyn JointKind,
    /// Frame on the first body named (the parent in the tree).
    pub parent: Frame,
    /// Frame on the second body named.
    pub child: Frame,
    /// The coordinates it couples, if its kind couples coordinates; its frames are the ground then.
    pub coordinates: Vec<Term>,
    /// Values of the kind's fields, in the kind's order.
    pub fields: Vec<Term>,
    /// Part of the spanning tree (joint coordinates only).
    pub is_tree: bool,
    /// In the plane: the coordinate is the child's angle against the ground, not against the parent; with this name.
    pub absolute_angle: Option<Ident>,
    /// A name for its coordinate, if it has exactly one and the model names it.
    pub coordinate_name: Option<Ident>,
    /// The joint of the tree that it follows, so that its coordinate is none of the model.
    pub follows: Option<Follows>,
    /// What its coordinate shall not leave, if it has exactly one; nothing in the equations heeds it.
    pub limits: JointLimits,
    /// The inertia of what turns or slides with its only coordinate and moves no body: a rotor behind a gear.
    pub rotor_inertia: Option<Term>,
}

/// The coordinate of a joint as a function of that of another: ratio · leader + offset.
#[derive(Clone, Debug)]
pub struct Follows {
    /// The other joint, which follows none.
    pub leader: JointId,
    /// Change of the coordinate by that of the leader; not zero.
    pub ratio: Term,
    /// The coordinate where that of the leader is zero; zero when absent.
    pub offset: Option<Term>,
}

impl Joint {
    /// Names and units of the coordinates and velocities that the joint of a tree adds to the model.
    pub(crate) fn channels(&self, space: Space, rotation: RotationKind) -> (Vec<Coordinate>, Vec<Coordinate>) {
        match self.follows {
            Some(_) => (Vec::new(), Vec::new()),
            None => joints::channels(self.kind, space, rotation),
        }
    }
}

/// Limits of the coordinate of a joint, in SI units.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct JointLimits {
    /// Lower and upper limit of the coordinate.
    pub range: Option<[f64; 2]>,
    /// Greatest velocity.
    pub speed: Option<f64>,
    /// Greatest force or torque along the coordinate.
    pub effort: Option<f64>,
}

impl JointLimits {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == JointLimits::default()
    }
}

/// An applied force.
#[derive(Debug)]
pub struct Force {
    /// Name.
    pub name: Ident,
    /// Kind, from the registry.
    pub kind: &'static dyn ForceKind,
    /// Frames it acts between or on, as its kind asks for.
    pub frames: Vec<Frame>,
    /// Joint coordinate it acts on, if its kind asks for one.
    pub coordinate: Option<(JointId, usize)>,
    /// Values of the kind's fields, in the kind's order, defaults filled in.
    pub fields: Vec<Term>,
}

/// A constraint `residual = 0`.
#[derive(Debug)]
pub struct Constraint {
    /// Name.
    pub name: Ident,
    /// Left side minus right side; a scalar or a vector.
    pub residual: Term,
    /// Holds for velocities, in which it is linear, and not for coordinates.
    pub is_velocity: bool,
}

impl Constraint {
    /// The shape and the unit of its multiplier.
    pub(super) fn multiplier(&self) -> (Shape, Unit) {
        let work = if self.is_velocity { Unit::JOULE.over(Unit::SECOND) } else { Unit::JOULE };
        (self.residual.shape, work.over(self.residual.unit))
    }
}

/// A unilateral contact.
#[derive(Debug)]
pub struct Contact {
    /// Name.
    pub name: Ident,
    /// How far apart what touches is, and how it slips.
    pub form: ContactForm,
    /// Its law, in functions of parameters.
    pub law: ContactLaw<Term>,
}

/// How a contact is given.
#[derive(Debug)]
pub enum ContactForm {
    /// By expressions.
    Written {
        /// Positive where the contact is open.
        gap: Rc<Term>,
        /// A displacement or a velocity, a scalar or two components in space; frictionless without it.
        slip: Option<Box<Slip>>,
    },
    /// By what touches.
    Kind {
        /// Kind, from the registry.
        kind: &'static ContactKind,
        /// The two frames.
        frames: Box<[Frame; 2]>,
        /// Value of the kind's field, m.
        radii: Option<Term>,
        /// Has friction.
        is_rough: bool,
    },
}

/// What friction acts against.
#[derive(Debug)]
pub struct Slip {
    /// A displacement, or a velocity that is linear in the velocities of the model.
    pub value: Term,
    /// It is a velocity.
    pub is_velocity: bool,
}

impl ContactForm {
    /// Directions in which friction acts.
    pub fn tangents(&self) -> usize {
        match self {
            ContactForm::Written { slip, .. } => slip.as_ref().map_or(0, |slip| slip.value.shape.size()),
            ContactForm::Kind { is_rough: false, .. } => 0,
            ContactForm::Kind { kind, .. } => kind.space.dimension() - 1,
        }
    }

    /// Unit of the gap.
    pub fn unit(&self) -> Unit {
        match self {
            ContactForm::Written { gap, .. } => gap.unit,
            ContactForm::Kind { .. } => Unit::METRE,
        }
    }
}

/// A condition `residual = 0` on the initial state.
#[derive(Debug)]
pub struct Initial {
    /// Left side minus right side; a scalar, vector or matrix.
    pub residual: Term,
    /// Contains velocities, or quantities of first order, which stand among them.
    pub is_velocity: bool,
    /// As it is written.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// A named result.
#[derive(Debug)]
pub struct Output {
    /// Name.
    pub name: Ident,
    /// Its value.
    pub value: Term,
}

/// An expression that may be undefined somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Singular {
    /// As it is written.
    pub text: String,
    /// The item it stands in, e.g. "force `drag`".
    pub place: String,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Its shape.
    pub shape: Shape,
    /// Its unit (values are in SI units).
    pub unit: Unit,
    /// Where it is written.
    pub span: Span,
}

/// What an expression is. Components of a vector or matrix are in row-major order.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// A number.
    Number(Number),
    /// A parameter.
    Parameter(ParameterId),
    /// An input.
    Input(InputId),
    /// Time, s.
    Time,
    /// A vector of scalars, or a matrix of its rows.
    Stack(Vec<Term>),
    /// A diagonal matrix.
    Diagonal(Vec<Term>),
    /// One component of a vector.
    Component(Rc<Term>, usize),
    /// A function of one scalar; `Neg` works component by component.
    Unary(Unary, Rc<Term>),
    /// A function of two scalars. `Add`, `Sub` also work on equal shapes, `Mul` and `Div` also scale by a scalar, `Mul` also multiplies matrix by vector or matrix.
    Binary(Binary, Rc<Term>, Rc<Term>),
    /// Scalar product.
    Dot(Rc<Term>, Rc<Term>),
    /// Vector product.
    Cross(Rc<Term>, Rc<Term>),
    /// Length of a vector.
    Norm(Rc<Term>),
    /// Transposed matrix.
    Transpose(Rc<Term>),
    /// `lhs < rhs ? then : otherwise`; the conditions are scalars.
    Select {
        /// Left side of the comparison.
        lhs: Rc<Term>,
        /// Right side of the comparison.
        rhs: Rc<Term>,
        /// Value if less.
        then: Rc<Term>,
        /// Value otherwise.
        otherwise: Rc<Term>,
    },
    /// A vector in ground axes, expressed in the axes of a body.
    ExpressedIn(Rc<Term>, BodyId),
    /// Components given in the axes of a body, as a vector in ground axes.
    GivenIn(Rc<Term>, BodyId),
    /// A quantity of the motion.
    Quantity(Quantity),
}

/// A quantity of the motion. Vectors are in ground axes.
#[derive(Clone, Debug)]
pub enum Quantity {
    /// Position of a frame's origin from the ground's origin, m.
    Position(Rc<Frame>),
    /// Velocity of a frame's origin, m/s.
    Velocity(Rc<Frame>),
    /// Acceleration of a frame's origin, m/s².
    Acceleration(Rc<Frame>),
    /// Rotation matrix of a body (ground from body), 3 × 3. Spatial only.
    Rotation(BodyId),
    /// Angle of a body against the ground, rad. Planar only.
    Angle(BodyId),
    /// Angular velocity of a body, rad/s: a vector in space, a scalar in the plane.
    AngularVelocity(BodyId),
    /// Angular acceleration of a body, rad/s²: a vector in space, a scalar in the plane.
    AngularAcceleration(BodyId),
    /// Roll, pitch or yaw of a body, rad: R = Rz(yaw) Ry(pitch) Rx(roll). Spatial only.
    EulerAngle(BodyId, usize),
    /// A quantity of first order.
    State(StateId),
    /// A joint's coordinate (joint coordinates, tree joints only).
    Coordinate(JointId, usize),
    /// A joint's velocity.
    CoordinateVelocity(JointId, usize),
    /// A joint's acceleration.
    CoordinateAcceleration(JointId, usize),
    /// Kinetic energy of the model, J.
    KineticEnergy,
    /// Energy of gravity and springs, J.
    PotentialEnergy,
    /// Linear momentum of all bodies, kg m/s.
    Momentum,
    /// Angular momentum of all bodies about the ground's origin, kg m²/s: a vector in space, a scalar in the plane.
    AngularMomentum,
    /// A value of an applied force.
    Force(Rc<Force>, ForceValue),
    /// What a joint passes on to the second body that it connects.
    Reaction(JointId, ReactionValue),
    /// The multipliers of the constraint or drive of this name: work, or power, per unit of it.
    Multiplier(Ident),
}

/// A value of what a joint passes on. Vectors are those on the second body, in ground axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReactionValue {
    /// The force, N.
    Force,
    /// The torque about the origin of the joint's frame on the second body, N m: a vector in space, a scalar in the plane.
    Torque,
}

/// A value of an applied force. Vectors are those on the body that a force `on` it acts on, and on the second one of two
/// between which a force acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForceValue {
    /// The force, N.
    Force,
    /// The torque about the origin of the frame it acts on, N m: a vector in space, a scalar in the plane.
    Torque,
    /// With how much a force between two points pulls them together, N.
    Tension,
    /// The force on a coordinate, N, or the torque, N m.
    OnCoordinate,
}
