//! Where the results of a kernel stand in the model's vectors and matrices.

use crate::derive::{FunctionRole, Instance, Layout, Role};

/// What the rows or columns of an output count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// Velocities.
    Velocities,
    /// Constraints.
    Constraints,
    /// Contacts.
    Contacts,
    /// Normals and tangents of the contacts.
    ContactRows,
    /// Outputs of the model.
    Outputs,
    /// Inputs.
    Inputs,
    /// Coordinates.
    Coordinates,
    /// Components of parameters with respect to which there are derivatives.
    Parameters,
    /// Initial conditions on coordinates.
    InitialPosition,
    /// Initial conditions on velocities.
    InitialVelocity,
    /// Switching functions.
    Switches,
    /// There is one.
    Single,
    /// As many as a function on request has of its own.
    Own(usize),
}

/// Rows and columns of an output of a function, which has this shape in its kernel.
pub fn axes(function: FunctionRole, role: Role, (rows, columns): (usize, usize)) -> (Axis, Axis) {
    let condition =
        if function == FunctionRole::InitialPosition { Axis::InitialPosition } else { Axis::InitialVelocity };
    match role {
        Role::MassMatrix
        | Role::Damping
        | Role::Stiffness
        | Role::ForceByPosition
        | Role::ForceByVelocity
        | Role::AccelerationByPosition
        | Role::AccelerationByVelocity
        | Role::ForceByPositions
        | Role::ForceByPositionAndVelocity
        | Role::ForceByVelocities
        | Role::ForceByPositionAndAcceleration
        | Role::InverseMassMatrix
        | Role::Lower => (Axis::Velocities, Axis::Velocities),
        Role::BiasForce
        | Role::AppliedForce
        | Role::Residual
        | Role::NonlinearEffects
        | Role::Force
        | Role::Pivots
        | Role::Acceleration => (Axis::Velocities, Axis::Single),
        Role::Constraint | Role::ConstraintRate | Role::ConstraintAcceleration | Role::AssemblySide => {
            (Axis::Constraints, Axis::Single)
        }
        Role::ConstraintJacobian
        | Role::ConstraintRateByPosition
        | Role::ConstraintAccelerationByPosition
        | Role::ConstraintAccelerationByVelocity => (Axis::Constraints, Axis::Velocities),
        Role::ContactGap => (Axis::Contacts, Axis::Single),
        Role::ContactJacobian | Role::ContactRateByPosition => (Axis::ContactRows, Axis::Velocities),
        Role::ContactRate | Role::ContactAcceleration => (Axis::ContactRows, Axis::Single),
        Role::KineticEnergy | Role::PotentialEnergy | Role::Power => (Axis::Single, Axis::Single),
        Role::Outputs => (Axis::Outputs, Axis::Single),
        Role::OutputByPosition | Role::OutputByVelocity | Role::OutputByAcceleration => {
            (Axis::Outputs, Axis::Velocities)
        }
        Role::OutputByMultiplier => (Axis::Outputs, Axis::Constraints),
        Role::ForceByParameter => (Axis::Velocities, Axis::Parameters),
        Role::ConstraintByParameter | Role::ConstraintRateByParameter | Role::ConstraintAccelerationByParameter => {
            (Axis::Constraints, Axis::Parameters)
        }
        Role::ContactRateByParameter | Role::RestitutionByParameter => (Axis::ContactRows, Axis::Parameters),
        Role::GapByParameter | Role::FrictionByParameter => (Axis::Contacts, Axis::Parameters),
        Role::OutputByParameter => (Axis::Outputs, Axis::Parameters),
        Role::InitialPositionByParameter => (Axis::InitialPosition, Axis::Parameters),
        Role::InitialVelocityByParameter => (Axis::InitialVelocity, Axis::Parameters),
        Role::ReferenceByParameter => (Axis::Coordinates, Axis::Parameters),
        Role::InitialVelocityByPosition => (Axis::InitialVelocity, Axis::Velocities),
        Role::ForceByInput => (Axis::Velocities, Axis::Inputs),
        Role::Switch | Role::SwitchRate => (Axis::Switches, Axis::Single),
        Role::SwitchByPosition | Role::SwitchByVelocity => (Axis::Switches, Axis::Velocities),
        Role::SwitchByParameter => (Axis::Switches, Axis::Parameters),
        Role::OutputByInput => (Axis::Outputs, Axis::Inputs),
        Role::InitialResidual => (condition, Axis::Single),
        Role::InitialJacobian => (condition, Axis::Velocities),
        Role::CoriolisMatrix
        | Role::GravityForces
        | Role::Regressor
        | Role::Position
        | Role::Rotation
        | Role::Angle
        | Role::Linear
        | Role::Angular
        | Role::LinearJacobian
        | Role::AngularJacobian
        | Role::LinearByPosition
        | Role::AngularByPosition
        | Role::LinearByVelocity
        | Role::AngularByVelocity
        | Role::MomentumMatrix
        | Role::MomentumRate => (Axis::Own(rows), Axis::Own(columns)),
    }
}

/// Whether an output is a matrix, even where it has a single column.
pub fn is_matrix(role: Role) -> bool {
    match role {
        Role::Rotation | Role::LinearJacobian | Role::AngularJacobian => true,
        Role::LinearByPosition | Role::AngularByPosition | Role::LinearByVelocity | Role::AngularByVelocity => true,
        Role::CoriolisMatrix | Role::Regressor | Role::MomentumMatrix => true,
        role => !matches!(axes(FunctionRole::Outputs, role, (0, 1)).1, Axis::Single | Axis::Own(_)),
    }
}

impl Axis {
    /// Index in the model of a local index.
    pub fn place(self, instance: &Instance, local: usize) -> usize {
        match self {
            Axis::Velocities => instance.v[local],
            Axis::Constraints => instance.lambda[local],
            Axis::Contacts => instance.contacts[local],
            Axis::ContactRows => instance.contact_rows[local],
            Axis::Outputs => instance.outputs[local],
            Axis::Inputs => instance.inputs[local],
            Axis::Coordinates => instance.reference[local],
            Axis::Parameters => instance.differentiated[local],
            Axis::InitialPosition => instance.initial_position[local],
            Axis::InitialVelocity => instance.initial_velocity[local],
            Axis::Switches => instance.switches[local],
            Axis::Single => 0,
            Axis::Own(_) => local,
        }
    }

    /// Number of rows or columns in the model.
    pub fn size(self, layout: &Layout) -> usize {
        match self {
            Axis::Velocities => layout.velocities.len(),
            Axis::Constraints => layout.constraints.len(),
            Axis::Contacts => layout.contacts.len(),
            Axis::ContactRows => layout.contact_rows(),
            Axis::Outputs => layout.outputs.len(),
            Axis::Inputs => layout.inputs.len(),
            Axis::Coordinates => layout.coordinates.len(),
            Axis::Parameters => layout.differentiated.len(),
            Axis::InitialPosition => layout.initial_conditions.0.len(),
            Axis::InitialVelocity => layout.initial_conditions.1.len(),
            Axis::Switches => layout.switches,
            Axis::Single => 1,
            Axis::Own(size) => size,
        }
    }
}
