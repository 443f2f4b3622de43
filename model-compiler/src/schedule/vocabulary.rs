//! The words for functions and results: in code, in formulas, in documentation.

use crate::derive::{FunctionRole, Role};

/// Every function of a model, in order.
pub const FUNCTIONS: [FunctionRole; 21] = [
    FunctionRole::MassMatrix,
    FunctionRole::BiasForce,
    FunctionRole::AppliedForce,
    FunctionRole::Constraint,
    FunctionRole::ConstraintJacobian,
    FunctionRole::ConstraintBias,
    FunctionRole::ContactGap,
    FunctionRole::ContactJacobian,
    FunctionRole::ContactBias,
    FunctionRole::Energy,
    FunctionRole::Power,
    FunctionRole::Residual,
    FunctionRole::Linearization,
    FunctionRole::Outputs,
    FunctionRole::InitialPosition,
    FunctionRole::InitialVelocity,
    FunctionRole::NonlinearEffects,
    FunctionRole::InverseDynamics,
    FunctionRole::ForwardDynamics,
    FunctionRole::InverseDynamicsDerivatives,
    FunctionRole::ForwardDynamicsDerivatives,
];

/// Name of a function in generated code and on the command line.
pub fn function_name(role: FunctionRole) -> &'static str {
    match role {
        FunctionRole::MassMatrix => "mass_matrix",
        FunctionRole::BiasForce => "bias_force",
        FunctionRole::AppliedForce => "applied_force",
        FunctionRole::Constraint => "constraint",
        FunctionRole::ConstraintJacobian => "constraint_jacobian",
        FunctionRole::ConstraintBias => "constraint_bias",
        FunctionRole::ContactGap => "contact_gap",
        FunctionRole::ContactJacobian => "contact_jacobian",
        FunctionRole::ContactBias => "contact_bias",
        FunctionRole::Energy => "energy",
        FunctionRole::Power => "power",
        FunctionRole::Residual => "residual",
        FunctionRole::Linearization => "linearization",
        FunctionRole::Outputs => "outputs",
        FunctionRole::InitialPosition => "initial_position",
        FunctionRole::InitialVelocity => "initial_velocity",
        FunctionRole::NonlinearEffects => "nonlinear_effects",
        FunctionRole::InverseDynamics => "inverse_dynamics",
        FunctionRole::ForwardDynamics => "forward_dynamics",
        FunctionRole::InverseDynamicsDerivatives => "inverse_dynamics_derivatives",
        FunctionRole::ForwardDynamicsDerivatives => "forward_dynamics_derivatives",
    }
}

/// What a function is, for documentation.
pub(crate) fn function_doc(role: FunctionRole) -> &'static str {
    match role {
        FunctionRole::MassMatrix => "Mass matrix M(q), of which ½ vᵀ M v is the kinetic energy.",
        FunctionRole::BiasForce => "Bias force h(q, v): what of the inertial forces is left where a = 0.",
        FunctionRole::AppliedForce => "Applied force f(t, q, v).",
        FunctionRole::Constraint => "Constraint g(t, q).",
        FunctionRole::ConstraintJacobian => "Constraint Jacobian G(t, q) = (∂g/∂q) N.",
        FunctionRole::ConstraintBias => "Parts of ġ and g̈ that are known before v and a: ∂g/∂t and g̈ − G a.",
        FunctionRole::ContactGap => "Gaps of the contacts, open where positive.",
        FunctionRole::ContactJacobian => {
            "Directions of the contacts W(t, q)ᵀ: gradients of gaps and slips along the velocities."
        }
        FunctionRole::ContactBias => {
            "Parts of the contacts' relative velocities and accelerations that are known before v and a."
        }
        FunctionRole::Energy => "Kinetic and potential energy, J.",
        FunctionRole::Power => "Power of what changes the energy beside constraints and contacts, W.",
        FunctionRole::Residual => "Residual r = M a + h − f − Gᵀ λ of the equations of motion, and constraint g.",
        FunctionRole::Linearization => {
            "Linearization of the residual: M = ∂r/∂a, D = ∂r/∂v, K = (∂r/∂q) N and G = (∂g/∂q) N."
        }
        FunctionRole::Outputs => "Outputs of the model.",
        FunctionRole::InitialPosition => "Initial conditions on coordinates: residuals and their derivatives.",
        FunctionRole::InitialVelocity => "Initial conditions on velocities: residuals and their derivatives.",
        FunctionRole::NonlinearEffects => "h − f, the force that keeps the accelerations at zero.",
        FunctionRole::InverseDynamics => "Inverse dynamics τ = M a + h − f.",
        FunctionRole::ForwardDynamics => "Forward dynamics a = M⁻¹ (τ − h + f).",
        FunctionRole::InverseDynamicsDerivatives => "Derivatives of τ = M a + h − f: (∂τ/∂q) N, ∂τ/∂v and ∂τ/∂a = M.",
        FunctionRole::ForwardDynamicsDerivatives => {
            "Derivatives of a = M⁻¹ (τ − h + f): (∂a/∂q) N, ∂a/∂v and ∂a/∂τ = M⁻¹."
        }
    }
}

/// Name of a result in generated code.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::MassMatrix => "mass_matrix",
        Role::BiasForce => "bias_force",
        Role::AppliedForce => "applied_force",
        Role::Constraint => "constraint",
        Role::ConstraintJacobian => "constraint_jacobian",
        Role::ConstraintRate => "rate",
        Role::ConstraintAcceleration => "acceleration",
        Role::ContactGap => "gap",
        Role::ContactJacobian => "contact_jacobian",
        Role::ContactRate => "rate",
        Role::ContactAcceleration => "acceleration",
        Role::KineticEnergy => "kinetic",
        Role::PotentialEnergy => "potential",
        Role::Power => "power",
        Role::Residual => "residual",
        Role::Damping => "damping",
        Role::Stiffness => "stiffness",
        Role::Outputs => "outputs",
        Role::InitialResidual => "residual",
        Role::InitialJacobian => "jacobian",
        Role::NonlinearEffects => "nonlinear_effects",
        Role::Force => "tau",
        Role::ForceByPosition => "tau_by_q",
        Role::ForceByVelocity => "tau_by_v",
        Role::Acceleration => "a",
        Role::AccelerationByPosition => "a_by_q",
        Role::AccelerationByVelocity => "a_by_v",
        Role::InverseMassMatrix => "inverse_mass_matrix",
    }
}

/// Symbol of a result in plain text and in LaTeX.
pub(crate) fn role_symbol(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::MassMatrix => ("M", "M"),
        Role::BiasForce => ("h", "h"),
        Role::AppliedForce => ("f", "f"),
        Role::Constraint => ("g", "g"),
        Role::ConstraintJacobian => ("G", "G"),
        Role::ConstraintRate => ("dg/dt", "\\dot{g}^{t}"),
        Role::ConstraintAcceleration => ("gamma", "\\gamma"),
        Role::ContactGap => ("g_N", "g_{N}"),
        Role::ContactJacobian => ("W^T", "W^{T}"),
        Role::ContactRate => ("chi", "\\chi"),
        Role::ContactAcceleration => ("zeta", "\\zeta"),
        Role::KineticEnergy => ("T", "T"),
        Role::PotentialEnergy => ("V", "V"),
        Role::Power => ("P", "P"),
        Role::Residual => ("r", "r"),
        Role::Damping => ("D", "D"),
        Role::Stiffness => ("K", "K"),
        Role::Outputs => ("y", "y"),
        Role::InitialResidual => ("c", "c"),
        Role::InitialJacobian => ("dc", "J_{c}"),
        Role::NonlinearEffects => ("(h - f)", "(h - f)"),
        Role::Force => ("tau", "\\tau"),
        Role::ForceByPosition => ("dtau/dq", "\\tau_{q}"),
        Role::ForceByVelocity => ("dtau/dv", "\\tau_{v}"),
        Role::Acceleration => ("a", "a"),
        Role::AccelerationByPosition => ("da/dq", "a_{q}"),
        Role::AccelerationByVelocity => ("da/dv", "a_{v}"),
        Role::InverseMassMatrix => ("M^-1", "M^{-1}"),
    }
}

/// Unit of a result after its shape, in SI units; rows that belong to angles have another than those of lengths.
pub(crate) fn role_unit(role: Role) -> &'static str {
    match role {
        Role::MassMatrix => ", in kg, kg m or kg m²",
        Role::BiasForce | Role::AppliedForce | Role::Residual | Role::NonlinearEffects | Role::Force => ", in N or N m",
        Role::KineticEnergy | Role::PotentialEnergy => ", in J",
        Role::Power => ", in W",
        Role::Damping | Role::ForceByVelocity => ", in N s/m, N s or N m s",
        Role::Stiffness | Role::ForceByPosition => ", in N/m, N or N m",
        Role::Acceleration => ", in m/s² or rad/s²",
        Role::AccelerationByVelocity => ", in 1/s, m/s or 1/(m s)",
        Role::AccelerationByPosition => ", in 1/s², m/s² or 1/(m s²)",
        Role::InverseMassMatrix => ", in 1/kg, 1/(kg m) or 1/(kg m²)",
        Role::Constraint
        | Role::ConstraintJacobian
        | Role::ConstraintRate
        | Role::ConstraintAcceleration
        | Role::ContactGap
        | Role::ContactJacobian
        | Role::ContactRate
        | Role::ContactAcceleration
        | Role::Outputs
        | Role::InitialResidual
        | Role::InitialJacobian => "",
    }
}

/// Name of one entry of a result in generated code, with row and column or row alone.
pub(crate) fn role_letter(role: Role) -> &'static str {
    match role {
        Role::MassMatrix => "m",
        Role::BiasForce => "h",
        Role::AppliedForce => "f",
        Role::Constraint | Role::ConstraintJacobian => "g",
        Role::ConstraintRate | Role::ContactRate => "rate",
        Role::ConstraintAcceleration | Role::ContactAcceleration => "acceleration",
        Role::ContactGap => "gap",
        Role::ContactJacobian => "w",
        Role::KineticEnergy => "kinetic",
        Role::PotentialEnergy => "potential",
        Role::Power => "power",
        Role::Residual => "r",
        Role::Damping => "d",
        Role::Stiffness => "k",
        Role::Outputs => "y",
        Role::InitialResidual | Role::InitialJacobian => "c",
        Role::NonlinearEffects => "effect",
        Role::Force => "tau",
        Role::ForceByPosition => "tau_q",
        Role::ForceByVelocity => "tau_v",
        Role::Acceleration => "a",
        Role::AccelerationByPosition => "a_q",
        Role::AccelerationByVelocity => "a_v",
        Role::InverseMassMatrix => "w",
    }
}
