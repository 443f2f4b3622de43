//! The equations to be computed, with shapes, before and after simplification.
//!
//! A kernel belongs to a kind of member and is found by structural equality; an instance says which rows and columns
//! of the model it fills, with which parameters. A model in joint coordinates is the special case of one kernel and one
//! instance.

use crate::contacts::ContactLaw;
use crate::expr::{ExprId, Graph, SymbolId};
use crate::resolve::{FrameFunction, JointLimits};
use crate::rotations::RotationKind;

/// The equations of a model.
#[derive(Clone, Debug)]
pub struct Equations {
    /// One kernel per kind of member.
    pub kernels: Vec<Kernel>,
    /// Every use of a kernel, in order of contribution.
    pub instances: Vec<Instance>,
    /// Functions of the model's own parameters: a graph whose symbols are the parameters, component by component, in
    /// the order of [`Layout::parameters`].
    pub parameter_graph: Graph,
    /// Defaults of the parameters, in that graph; a default may depend on earlier parameters.
    pub defaults: Vec<ExprId>,
    /// Configuration to start assembly from, in that graph, `[nq]`.
    pub reference_configuration: Vec<ExprId>,
    /// Mass and inertia of every body, in that graph, for the check of parameters at run time.
    pub bodies: Vec<BodyInertia>,
    /// Law of every contact, in that graph.
    pub contact_laws: Vec<ContactLaw<ExprId>>,
    /// Times at which formulas give way to others, in that graph, s, and after what time each recurs, zero if it does not;
    /// those that are not finite are never reached.
    pub switches: Vec<[ExprId; 2]>,
    /// Dimensions of flexible members, in that graph, for the same check.
    pub dimensions: Vec<Dimension>,
    /// Matrices that must be symmetric, in that graph, for the same check.
    pub symmetries: Vec<Symmetry>,
    /// Mass matrices of bodies with added mass, in that graph, for the same check.
    pub total_masses: Vec<TotalMass>,
    /// Names, units and structure.
    pub layout: Layout,
    /// Whether a product and the sum it goes into are computed in one operation where the processor has it.
    pub is_fused: bool,
}

/// Mass and inertia of a body, as expressions of parameters.
#[derive(Clone, Debug)]
pub struct BodyInertia {
    /// Name of the body.
    pub name: String,
    /// Mass, kg.
    pub mass: ExprId,
    /// Inertia about the centre of mass, kg m²: nine components row by row in space, one in the plane.
    pub inertia: Vec<ExprId>,
}

/// A dimension that must be positive.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// What it is, e.g. "length".
    pub what: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Name of the member.
    pub of: String,
    /// Its value, as an expression of parameters.
    pub value: ExprId,
}

/// A matrix that must be symmetric.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// What it is, e.g. "`force` of the added mass".
    pub what: &'static str,
    /// Name of the member.
    pub of: String,
    /// Components that must be equal, pair after pair: above and below the diagonal.
    pub pairs: Vec<ExprId>,
}

/// The mass matrix of a body with added mass, about its origin in its axes; it must be positive definite.
#[derive(Clone, Debug)]
pub struct TotalMass {
    /// Its index in the list of bodies of the system.
    pub body: usize,
    /// Name of the body.
    pub of: String,
    /// All components row by row: 6 × 6 in space, 3 × 3 in the plane.
    pub components: Vec<ExprId>,
}

/// Names, units and structure of a model, component by component.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Public parameters.
    pub parameters: Vec<ParameterChannel>,
    /// Inputs.
    pub inputs: Vec<Channel>,
    /// Coordinates q.
    pub coordinates: Vec<Channel>,
    /// Velocities v.
    pub velocities: Vec<Channel>,
    /// Limits of coordinates, in their order: the places of a coordinate and of its velocity.
    pub limits: Vec<(usize, usize, JointLimits)>,
    /// Constraints g; those on velocities come last.
    pub constraints: Vec<Channel>,
    /// How many of them are on velocities.
    pub velocity_constraints: usize,
    /// Contacts.
    pub contacts: Vec<ContactChannel>,
    /// Outputs.
    pub outputs: Vec<Channel>,
    /// Structure of the configuration space.
    pub blocks: Vec<Block>,
    /// First-order states: the last coordinates are their integrals, the last velocities are the states.
    pub states: usize,
    /// Coordinates that are angles whose odd multiples of 90° are singular.
    pub singular_angles: Vec<usize>,
    /// Initial conditions on coordinates and on velocities, as they are written, component by component.
    pub initial_conditions: (Vec<String>, Vec<String>),
    /// Expressions that may be undefined somewhere, as they are written, each with the item that contains it.
    pub singular: Vec<(String, String)>,
    /// Whether a potential depends on quantities whose rate does not follow from time, coordinates and velocities.
    pub has_unknown_power: bool,
    /// Whether the model has the derivatives that its linearisation needs beside those that schemes need.
    pub is_linearized: bool,
    /// Number of switching functions: of those whose signs choose between formulas of the equations.
    pub switches: usize,
    /// Components of parameters with respect to which the model has derivatives, as symbols of the graph of parameters.
    pub differentiated: Vec<SymbolId>,
}

impl Layout {
    /// Every name that users see.
    pub(super) fn names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Layout { inputs, coordinates, velocities, constraints, contacts, outputs, .. } = self;
        let channels = [inputs, coordinates, velocities, constraints, outputs].into_iter().flatten();
        channels.map(|channel| &mut channel.name).chain(contacts.iter_mut().map(|contact| &mut contact.name))
    }

    /// Rows of Wᵀ: contact by contact the normal, then the tangents.
    pub(crate) fn contact_rows(&self) -> usize {
        self.contacts.iter().map(|contact| 1 + contact.tangents).sum()
    }
}

/// A contact: its name, the unit of its gap, and the number of directions of friction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactChannel {
    /// Name.
    pub name: String,
    /// SI unit of the gap.
    pub unit: String,
    /// Directions in which friction acts.
    pub tangents: usize,
}

/// A named scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Name, e.g. `top.e0`.
    pub name: String,
    /// SI unit.
    pub unit: String,
}

/// A parameter and its shape: one public field of the generated type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterChannel {
    /// Name of the field.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Its shape; components follow each other in row-major order.
    pub shape: crate::space::Shape,
    /// Its doc comment, or empty.
    pub doc: String,
    /// Its default as it is written, with its unit.
    pub default: String,
}

/// How consecutive coordinates move with their velocities; mirrors the runtime's type of the same name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Block {
    /// `q̇ = v`.
    Vector(usize),
    /// Four redundant Euler parameters, `q̇ = v`.
    EulerParameters,
    /// Coordinates of a rotation, moved by an angular velocity in body axes.
    Rotation(RotationKind),
    /// Position and coordinates of a rotation, moved by a velocity and an angular velocity in body axes.
    Pose(RotationKind),
}

/// Formulas of one kind of member.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name of its module in the generated code, e.g. `rigid_body`.
    pub name: String,
    /// Doc line.
    pub doc: String,
    /// Expressions of all functions.
    pub graph: Graph,
    /// What the graph's symbols are.
    pub inputs: Inputs,
    /// What it computes.
    pub functions: Vec<Function>,
}

/// The symbols of a kernel, by role, each in local order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Parameters of the member.
    pub parameters: Vec<SymbolId>,
    /// Time, if it occurs.
    pub time: Option<SymbolId>,
    /// Run-time inputs.
    pub inputs: Vec<SymbolId>,
    /// Coordinates.
    pub q: Vec<SymbolId>,
    /// Velocities.
    pub v: Vec<SymbolId>,
    /// Accelerations.
    pub a: Vec<SymbolId>,
    /// Multipliers.
    pub lambda: Vec<SymbolId>,
    /// Forces along the velocities, for functions that take them as arguments.
    pub tau: Vec<SymbolId>,
    /// Weights of these forces, for functions that take them as arguments.
    pub w: Vec<SymbolId>,
}

/// Outputs that are evaluated together and simplified jointly.
#[derive(Clone, Debug)]
pub struct Function {
    /// Which function of the model it contributes to.
    pub role: FunctionRole,
    /// Name of the frame that it is about, if it is about one.
    pub frame: Option<String>,
    /// Its outputs.
    pub outputs: Vec<Output>,
}

/// Functions of a model. Every kernel contributes to those that its member takes part in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FunctionRole {
    /// M(q).
    MassMatrix,
    /// h(q, v).
    BiasForce,
    /// f(t, q, v).
    AppliedForce,
    /// g(t, q).
    Constraint,
    /// G(t, q).
    ConstraintJacobian,
    /// Parts of ġ and g̈ without the highest derivative.
    ConstraintBias,
    /// Gaps of the contacts.
    ContactGap,
    /// W(t, q)ᵀ.
    ContactJacobian,
    /// Parts of the contacts' relative velocities and accelerations without the highest derivative.
    ContactBias,
    /// Kinetic and potential energy.
    Energy,
    /// Power of everything that changes the energy apart from constraints and contacts.
    Power,
    /// r and g.
    Residual,
    /// M, ∂r/∂v, (∂r/∂q) N and G, jointly.
    Linearization,
    /// Outputs of the model.
    Outputs,
    /// Initial conditions on coordinates and their derivatives.
    InitialPosition,
    /// Initial conditions on velocities and their derivatives.
    InitialVelocity,
    /// On which sides of constraints joints are assembled.
    AssemblySides,
    /// Derivatives of ġ and g̈, of models that are linearised.
    ConstraintDerivatives,
    /// Derivatives of the contacts' relative velocities, of models that are linearised.
    ContactDerivatives,
    /// ∂r/∂u, of models that are linearised.
    InputDerivatives,
    /// Derivatives of the outputs, of models that are linearised.
    OutputDerivatives,
    /// Derivatives of r, g, ġ and g̈ with respect to parameters, on request.
    ParameterDerivatives,
    /// Derivatives of the contacts' gaps, relative velocities and laws with respect to parameters, on request.
    ContactParameterDerivatives,
    /// Derivatives of the outputs with respect to parameters, on request.
    OutputParameterDerivatives,
    /// Derivatives of the initial conditions beside those that a start needs, on request.
    InitialDerivatives,
    /// Functions whose signs choose between formulas, of models that are linearised.
    SwitchingFunctions,
    /// h − f, on request.
    NonlinearEffects,
    /// τ = M a + h − f, on request.
    InverseDynamics,
    /// a = M⁻¹ (τ − h + f), on request.
    ForwardDynamics,
    /// (∂τ/∂q) N, ∂τ/∂v and M, on request.
    InverseDynamicsDerivatives,
    /// (∂a/∂q) N, ∂a/∂v and M⁻¹, on request.
    ForwardDynamicsDerivatives,
    /// Second derivatives of wᵀ τ, on request.
    InverseDynamicsSecondDerivatives,
    /// M⁻¹, on request.
    InverseMassMatrix,
    /// L and D with M = Lᵀ D L, on request.
    MassMatrixFactors,
    /// C with C v = h and Ṁ = C + Cᵀ, on request.
    CoriolisMatrix,
    /// The forces that hold the weight, on request.
    GravityForces,
    /// Inverse dynamics by inertial parameters, on request.
    Regressor,
    /// Centre of mass and its Jacobian, on request.
    CenterOfMass,
    /// Centroidal momentum by velocities, on request.
    CentroidalMomentumMatrix,
    /// Rate of the centroidal momentum where a = 0, on request.
    CentroidalMomentumBias,
    /// Derivatives of G a + γ, on request.
    ConstraintAccelerationDerivatives,
    /// A function of a frame, on request.
    OfFrame(OfFrame),
}

/// A function of a frame, as a function of the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OfFrame {
    /// What is computed of it.
    pub function: FrameFunction,
    /// Vectors have components in the axes of the frame, and not of the ground.
    pub in_own_axes: bool,
    /// Its place among the functions of frames that the model asks for.
    pub place: usize,
}

impl FunctionRole {
    /// What a model composes derivatives of forward dynamics of, where they have no formulas.
    pub const OF_SLOPES_OF_ACCELERATIONS: [Self; 2] = [Self::ForwardDynamics, Self::InverseDynamicsDerivatives];

    /// Whether only models that request it contain it. The one kernel of such a model has the model's rows and columns.
    pub(crate) fn is_on_request(self) -> bool {
        self >= FunctionRole::NonlinearEffects
    }
}

impl Function {
    /// A function that there is once.
    pub(crate) fn new(role: FunctionRole, outputs: Vec<Output>) -> Self {
        Self { role, frame: None, outputs }
    }
}

/// One vector or matrix of a function.
#[derive(Clone, Debug)]
pub struct Output {
    /// What it is.
    pub role: Role,
    /// Rows and columns; a vector has one column.
    pub shape: (usize, usize),
    /// Entries that are not structurally zero, in column-major order.
    pub entries: Vec<Entry>,
}

/// One entry of an output; rows and columns are local to the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Row.
    pub row: usize,
    /// Column.
    pub column: usize,
    /// Value.
    pub value: ExprId,
}

/// What an output is. Rows and columns count local velocities, constraints, outputs or conditions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// M, `[nv × nv]`.
    MassMatrix,
    /// h, `[nv]`.
    BiasForce,
    /// f, `[nv]`.
    AppliedForce,
    /// g, `[nc]`.
    Constraint,
    /// G, `[nc × nv]`.
    ConstraintJacobian,
    /// ∂g/∂t, `[nc]`.
    ConstraintRate,
    /// g̈ − G a, `[nc]`.
    ConstraintAcceleration,
    /// Gaps, one a contact.
    ContactGap,
    /// Wᵀ, one row a normal or tangent, `[… × nv]`.
    ContactJacobian,
    /// Relative velocities less Wᵀ v, one row a normal or tangent.
    ContactRate,
    /// Relative accelerations less Wᵀ a, one row a normal or tangent.
    ContactAcceleration,
    /// Kinetic energy, `[1]`.
    KineticEnergy,
    /// Potential energy, `[1]`.
    PotentialEnergy,
    /// Power of what has no potential, and of potentials that depend on time, `[1]`.
    Power,
    /// r, `[nv]`.
    Residual,
    /// ∂r/∂v, `[nv × nv]`.
    Damping,
    /// (∂r/∂q) N, `[nv × nv]`.
    Stiffness,
    /// h − f, `[nv]`.
    NonlinearEffects,
    /// τ, `[nv]`.
    Force,
    /// (∂τ/∂q) N, `[nv × nv]`.
    ForceByPosition,
    /// ∂τ/∂v, `[nv × nv]`.
    ForceByVelocity,
    /// a, `[nv]`.
    Acceleration,
    /// (∂a/∂q) N, `[nv × nv]`.
    AccelerationByPosition,
    /// ∂a/∂v, `[nv × nv]`.
    AccelerationByVelocity,
    /// Derivatives along the directions of the velocities (columns) of (∂(wᵀ τ)/∂q) N (rows), `[nv × nv]`.
    ForceByPositions,
    /// ∂/∂v (columns) of (∂(wᵀ τ)/∂q) N (rows), `[nv × nv]`.
    ForceByPositionAndVelocity,
    /// ∂²(wᵀ τ)/∂v², `[nv × nv]`.
    ForceByVelocities,
    /// ∂/∂a (columns) of (∂(wᵀ τ)/∂q) N (rows), `[nv × nv]`.
    ForceByPositionAndAcceleration,
    /// ∂a/∂τ = M⁻¹, `[nv × nv]`.
    InverseMassMatrix,
    /// L of M = Lᵀ D L, with its diagonal of ones, `[nv × nv]`.
    Lower,
    /// The diagonal of D, `[nv]`.
    Pivots,
    /// C, `[nv × nv]`.
    CoriolisMatrix,
    /// τ that holds the weight, `[nv]`.
    GravityForces,
    /// ∂τ/∂π, `[nv × 10]` in space and `[nv × 4]` in the plane for each body.
    Regressor,
    /// A point, `[3]` or `[2]`.
    Position,
    /// Axes as columns, `[3 × 3]`.
    Rotation,
    /// An angle in the plane, `[1]`.
    Angle,
    /// A velocity, an acceleration or J̇ v of a point, `[3]` or `[2]`.
    Linear,
    /// The same of rotation, `[3]` or `[1]`.
    Angular,
    /// Jacobian of a point, `[3 × nv]` or `[2 × nv]`.
    LinearJacobian,
    /// Jacobian of rotation, `[3 × nv]` or `[1 × nv]`.
    AngularJacobian,
    /// (∂/∂q) N of the velocity or acceleration of a point, `[3 × nv]` or `[2 × nv]`.
    LinearByPosition,
    /// The same of rotation, `[3 × nv]` or `[1 × nv]`.
    AngularByPosition,
    /// ∂/∂v of the acceleration of a point, `[3 × nv]` or `[2 × nv]`.
    LinearByVelocity,
    /// The same of rotation, `[3 × nv]` or `[1 × nv]`.
    AngularByVelocity,
    /// Centroidal momentum by velocities, linear part first, `[6 × nv]` or `[3 × nv]`.
    MomentumMatrix,
    /// Rate of the centroidal momentum, linear part first, `[6]` or `[3]`.
    MomentumRate,
    /// (∂ġ/∂q) N with ġ = G v + rate, `[nc × nv]`.
    ConstraintRateByPosition,
    /// (∂(G a + γ)/∂q) N, `[nc × nv]`.
    ConstraintAccelerationByPosition,
    /// ∂γ/∂v, `[nc × nv]`.
    ConstraintAccelerationByVelocity,
    /// (∂/∂q) N of the contacts' relative velocities Wᵀ v + rate, one row a normal or tangent, `[… × nv]`.
    ContactRateByPosition,
    /// ∂r/∂u, `[nv × inputs]`.
    ForceByInput,
    /// Outputs, `[n]`.
    Outputs,
    /// (∂y/∂q) N, `[n × nv]`.
    OutputByPosition,
    /// ∂y/∂v, `[n × nv]`.
    OutputByVelocity,
    /// ∂y/∂a, `[n × nv]`.
    OutputByAcceleration,
    /// ∂y/∂λ, `[n × nc]`.
    OutputByMultiplier,
    /// ∂y/∂u, `[n × inputs]`.
    OutputByInput,
    /// Residuals of initial conditions, `[n]`.
    InitialResidual,
    /// Their derivatives, `[n × nv]`.
    InitialJacobian,
    /// ∂r/∂p of the parameters p that are asked for, `[nv × np]`.
    ForceByParameter,
    /// ∂g/∂p, of constraints on velocities that of ġ, `[nc × np]`.
    ConstraintByParameter,
    /// ∂ġ/∂p, `[nc × np]`.
    ConstraintRateByParameter,
    /// ∂g̈/∂p, `[nc × np]`.
    ConstraintAccelerationByParameter,
    /// ∂/∂p of the gaps, one row a contact, `[contacts × np]`.
    GapByParameter,
    /// ∂/∂p of the contacts' relative velocities, one row a normal or tangent, `[… × np]`.
    ContactRateByParameter,
    /// ∂/∂p of the restitution of normals and of tangents, `[… × np]`.
    RestitutionByParameter,
    /// ∂μ/∂p, one row a contact, `[contacts × np]`.
    FrictionByParameter,
    /// ∂y/∂p, `[outputs × np]`.
    OutputByParameter,
    /// ∂c/∂p of initial conditions on coordinates, `[n × np]`.
    InitialPositionByParameter,
    /// ∂c/∂p of initial conditions on velocities, `[n × np]`.
    InitialVelocityByParameter,
    /// (∂c/∂q) N of initial conditions on velocities, `[n × nv]`.
    InitialVelocityByPosition,
    /// ∂q/∂p of the configuration from which assembly starts, `[nq × np]`.
    ReferenceByParameter,
    /// Positive where a joint is assembled the right way round, negative half a turn away; zero for constraints that do not
    /// vanish there, `[nc]`.
    AssemblySide,
    /// Switching functions s, `[n]`.
    Switch,
    /// ṡ where a = 0, `[n]`.
    SwitchRate,
    /// (∂s/∂q) N, `[n × nv]`.
    SwitchByPosition,
    /// ∂s/∂v, `[n × nv]`.
    SwitchByVelocity,
    /// ∂s/∂p, `[n × np]`.
    SwitchByParameter,
}

/// A use of a kernel: local index → index in the model.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Index into [`Equations::kernels`].
    pub kernel: usize,
    /// Name of the member, for documentation.
    pub name: String,
    /// Values of the kernel's parameters, in [`Equations::parameter_graph`].
    pub parameters: Vec<ExprId>,
    /// Inputs of the model.
    pub inputs: Vec<usize>,
    /// Places in [`Layout::differentiated`] of the components on which the kernel's parameters depend.
    pub differentiated: Vec<usize>,
    /// Coordinates of which the kernel gives how their reference depends on parameters.
    pub reference: Vec<usize>,
    /// Coordinates.
    pub q: Vec<usize>,
    /// Velocities (and accelerations).
    pub v: Vec<usize>,
    /// Constraints (and multipliers).
    pub lambda: Vec<usize>,
    /// Contacts.
    pub contacts: Vec<usize>,
    /// Rows of Wᵀ.
    pub contact_rows: Vec<usize>,
    /// Rows of the model's outputs.
    pub outputs: Vec<usize>,
    /// Rows of the model's switching functions.
    pub switches: Vec<usize>,
    /// Rows of the initial conditions on coordinates.
    pub initial_position: Vec<usize>,
    /// Rows of the initial conditions on velocities.
    pub initial_velocity: Vec<usize>,
}
