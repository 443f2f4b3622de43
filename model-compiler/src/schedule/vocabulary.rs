//! The words for functions and results: in code, in formulas, in documentation.

use super::name::identifier;
use crate::derive::{FunctionRole, OfFrame, Role};
use crate::resolve::FrameFunction;

/// The functions that there are once in a model, in order.
pub const FUNCTIONS: [FunctionRole; 41] = [
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
    FunctionRole::AssemblySides,
    FunctionRole::ConstraintDerivatives,
    FunctionRole::ContactDerivatives,
    FunctionRole::InputDerivatives,
    FunctionRole::OutputDerivatives,
    FunctionRole::ParameterDerivatives,
    FunctionRole::ContactParameterDerivatives,
    FunctionRole::OutputParameterDerivatives,
    FunctionRole::InitialDerivatives,
    FunctionRole::SwitchingFunctions,
    FunctionRole::NonlinearEffects,
    FunctionRole::InverseDynamics,
    FunctionRole::ForwardDynamics,
    FunctionRole::InverseDynamicsDerivatives,
    FunctionRole::ForwardDynamicsDerivatives,
    FunctionRole::InverseDynamicsSecondDerivatives,
    FunctionRole::InverseMassMatrix,
    FunctionRole::MassMatrixFactors,
    FunctionRole::CoriolisMatrix,
    FunctionRole::GravityForces,
    FunctionRole::Regressor,
    FunctionRole::CenterOfMass,
    FunctionRole::CentroidalMomentumMatrix,
    FunctionRole::CentroidalMomentumBias,
    FunctionRole::ConstraintAccelerationDerivatives,
];

/// Name of a function in generated code and on the command line; of one of a frame without the frame.
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
        FunctionRole::AssemblySides => "assembly_sides",
        FunctionRole::ConstraintDerivatives => "constraint_derivatives",
        FunctionRole::ContactDerivatives => "contact_derivatives",
        FunctionRole::InputDerivatives => "input_derivatives",
        FunctionRole::OutputDerivatives => "output_derivatives",
        FunctionRole::ParameterDerivatives => "parameter_derivatives",
        FunctionRole::ContactParameterDerivatives => "contact_parameter_derivatives",
        FunctionRole::OutputParameterDerivatives => "output_parameter_derivatives",
        FunctionRole::InitialDerivatives => "initial_derivatives",
        FunctionRole::SwitchingFunctions => "switching_functions",
        FunctionRole::NonlinearEffects => "nonlinear_effects",
        FunctionRole::InverseDynamics => "inverse_dynamics",
        FunctionRole::ForwardDynamics => "forward_dynamics",
        FunctionRole::InverseDynamicsDerivatives => "inverse_dynamics_derivatives",
        FunctionRole::ForwardDynamicsDerivatives => "forward_dynamics_derivatives",
        FunctionRole::InverseDynamicsSecondDerivatives => "inverse_dynamics_second_derivatives",
        FunctionRole::InverseMassMatrix => "inverse_mass_matrix",
        FunctionRole::MassMatrixFactors => "mass_matrix_factors",
        FunctionRole::CoriolisMatrix => "coriolis_matrix",
        FunctionRole::GravityForces => "gravity_forces",
        FunctionRole::Regressor => "regressor",
        FunctionRole::CenterOfMass => "center_of_mass",
        FunctionRole::CentroidalMomentumMatrix => "centroidal_momentum_matrix",
        FunctionRole::CentroidalMomentumBias => "centroidal_momentum_bias",
        FunctionRole::ConstraintAccelerationDerivatives => "constraint_acceleration_derivatives",
        FunctionRole::OfFrame(OfFrame { function, .. }) => function.keyword(),
    }
}

/// Name of a function with that of its frame, if it has one: `jacobian_of_tool`, `jacobian_of_tool_in_own_axes`.
pub fn full_name(role: FunctionRole, frame: Option<&str>) -> String {
    let function = function_name(role);
    let Some(frame) = frame else { return function.to_owned() };
    let in_own_axes = matches!(role, FunctionRole::OfFrame(OfFrame { in_own_axes: true, .. }));
    identifier(&format!("{function} of {frame}{}", if in_own_axes { " in own axes" } else { "" }))
}

/// What a function is, for documentation.
pub fn function_doc(role: FunctionRole) -> &'static str {
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
        FunctionRole::AssemblySides => {
            "For each constraint a number that is positive where its joint is assembled the right way round, and negative where it also vanishes, half a turn away."
        }
        FunctionRole::ConstraintDerivatives => {
            "Derivatives of the constraints' rates ġ = G v + ∂g/∂t, and of their accelerations g̈ = G a + γ: (∂ġ/∂q) N, (∂g̈/∂q) N and ∂g̈/∂v. A constraint on velocities counts as ġ."
        }
        FunctionRole::ContactDerivatives => {
            "Derivatives of the contacts' relative velocities along the directions of the velocities, (∂/∂q) N."
        }
        FunctionRole::InputDerivatives => "Derivatives of the residual with respect to the inputs.",
        FunctionRole::OutputDerivatives => {
            "Derivatives of the outputs: (∂y/∂q) N, ∂y/∂v, ∂y/∂a, and those with respect to the inputs."
        }
        FunctionRole::ParameterDerivatives => {
            "Derivatives with respect to the parameters that are asked for: ∂r/∂p, ∂g/∂p, ∂ġ/∂p and ∂g̈/∂p. A constraint on velocities counts as ġ."
        }
        FunctionRole::ContactParameterDerivatives => {
            "Derivatives of the contacts' gaps, of their relative velocities, of restitution and of friction with respect to the parameters that are asked for."
        }
        FunctionRole::OutputParameterDerivatives => "Derivatives of the outputs with respect to parameters.",
        FunctionRole::InitialDerivatives => {
            "Derivatives of the initial conditions with respect to parameters, and of those on velocities along the coordinates."
        }
        FunctionRole::SwitchingFunctions => {
            "Switching functions s, whose signs choose between formulas; ṡ without the accelerations; (∂s/∂q) N, ∂s/∂v, and those with respect to the parameters that are asked for."
        }
        FunctionRole::NonlinearEffects => "h − f, the force that keeps the accelerations at zero.",
        FunctionRole::InverseDynamics => "Inverse dynamics τ = M a + h − f.",
        FunctionRole::ForwardDynamics => "Forward dynamics a = M⁻¹ (τ − h + f).",
        FunctionRole::InverseDynamicsDerivatives => "Derivatives of τ = M a + h − f: (∂τ/∂q) N, ∂τ/∂v and ∂τ/∂a = M.",
        FunctionRole::ForwardDynamicsDerivatives => {
            "Derivatives of a = M⁻¹ (τ − h + f): (∂a/∂q) N, ∂a/∂v and ∂a/∂τ = M⁻¹."
        }
        FunctionRole::InverseDynamicsSecondDerivatives => {
            "Second derivatives of wᵀ τ with τ = M a + h − f: by the coordinates twice, along the directions of the velocities, by coordinates and velocities, by the velocities twice, by coordinates and accelerations. Rows are the variable that is named first."
        }
        FunctionRole::InverseMassMatrix => "Inverse M⁻¹(q) of the mass matrix.",
        FunctionRole::MassMatrixFactors => {
            "Factors of the mass matrix, M = Lᵀ D L: L is lower triangular, with ones on its diagonal and zeros where neither of two joints carries the other; D is diagonal."
        }
        FunctionRole::CoriolisMatrix => "Coriolis matrix C(q, v): h = C v, and Ṁ = C + Cᵀ.",
        FunctionRole::GravityForces => "The forces on the velocities' directions that hold the weight of all bodies.",
        FunctionRole::Regressor => {
            "Derivative of inverse dynamics by the inertial parameters of the bodies, in which it is linear: for each body in the order of the model m, m c_x, m c_y, m c_z, J_xx, J_xy, J_yy, J_xz, J_yz, J_zz about its origin, in the plane m, m c_x, m c_y, J."
        }
        FunctionRole::CenterOfMass => "Centre of mass of all bodies and its Jacobian, in ground axes.",
        FunctionRole::CentroidalMomentumMatrix => {
            "Momentum and angular momentum about the centre of mass, in ground axes, by the velocities."
        }
        FunctionRole::CentroidalMomentumBias => {
            "Rate of momentum and of angular momentum about the centre of mass where a = 0, in ground axes."
        }
        FunctionRole::ConstraintAccelerationDerivatives => {
            "Derivatives of the accelerations g̈ = G a + γ of the constraints, ġ of those on velocities: (∂g̈/∂q) N and ∂g̈/∂v."
        }
        FunctionRole::OfFrame(OfFrame { function, in_own_axes, .. }) => match (function, in_own_axes) {
            (FrameFunction::Pose, _) => {
                "Origin of a frame, and its axes as columns of a rotation matrix, seen from the ground."
            }
            (FrameFunction::Velocity, false) => "Velocity and angular velocity of a frame, in ground axes.",
            (FrameFunction::Velocity, true) => "Velocity and angular velocity of a frame, in its own axes.",
            (FrameFunction::Acceleration, false) => "Acceleration and angular acceleration of a frame, in ground axes.",
            (FrameFunction::Acceleration, true) => {
                "Acceleration and angular acceleration of a frame, as components in its own axes."
            }
            (FrameFunction::Jacobian, false) => {
                "Jacobians of a frame: its velocity and angular velocity by the velocities of the model, in ground axes."
            }
            (FrameFunction::Jacobian, true) => {
                "Jacobians of a frame: its velocity and angular velocity by the velocities of the model, in its own axes."
            }
            (FrameFunction::JacobianBias, false) => {
                "Acceleration and angular acceleration of a frame where a = 0, in ground axes: the rate of the Jacobians times v."
            }
            (FrameFunction::JacobianBias, true) => {
                "Acceleration and angular acceleration of a frame where a = 0, as components in its own axes."
            }
            (FrameFunction::VelocityDerivatives, false) => {
                "Derivatives of velocity and angular velocity of a frame, in ground axes, by the coordinates along the directions of the velocities; by the velocities they are the Jacobians."
            }
            (FrameFunction::VelocityDerivatives, true) => {
                "Derivatives of velocity and angular velocity of a frame, as components in its own axes, by the coordinates along the directions of the velocities; by the velocities they are the Jacobians."
            }
            (FrameFunction::AccelerationDerivatives, false) => {
                "Derivatives of acceleration and angular acceleration of a frame, in ground axes, by the coordinates along the directions of the velocities, and by the velocities; by the accelerations they are the Jacobians."
            }
            (FrameFunction::AccelerationDerivatives, true) => {
                "Derivatives of acceleration and angular acceleration of a frame, as components in its own axes, by the coordinates along the directions of the velocities, and by the velocities; by the accelerations they are the Jacobians."
            }
        },
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
        Role::ForceByPositions => "tau_by_qq",
        Role::ForceByPositionAndVelocity => "tau_by_qv",
        Role::ForceByVelocities => "tau_by_vv",
        Role::ForceByPositionAndAcceleration => "tau_by_qa",
        Role::InverseMassMatrix => "inverse_mass_matrix",
        Role::Lower => "lower",
        Role::Pivots => "pivots",
        Role::CoriolisMatrix => "coriolis_matrix",
        Role::GravityForces => "tau",
        Role::Regressor => "regressor",
        Role::Position => "position",
        Role::Rotation => "rotation",
        Role::Angle => "angle",
        Role::Linear => "linear",
        Role::Angular => "angular",
        Role::LinearJacobian => "linear",
        Role::AngularJacobian => "angular",
        Role::LinearByPosition => "linear_by_q",
        Role::AngularByPosition => "angular_by_q",
        Role::LinearByVelocity => "linear_by_v",
        Role::AngularByVelocity => "angular_by_v",
        Role::MomentumMatrix => "momentum",
        Role::MomentumRate => "rate",
        Role::ConstraintRateByPosition => "rate_by_q",
        Role::ContactRateByPosition => "rate_by_q",
        Role::ForceByInput => "force_by_u",
        Role::OutputByPosition => "output_by_q",
        Role::OutputByVelocity => "output_by_v",
        Role::OutputByAcceleration => "output_by_a",
        Role::OutputByMultiplier => "output_by_lambda",
        Role::OutputByInput => "output_by_u",
        Role::ForceByParameter => "force_by_p",
        Role::ConstraintByParameter => "constraint_by_p",
        Role::ConstraintRateByParameter => "rate_by_p",
        Role::ConstraintAccelerationByParameter => "acceleration_by_p",
        Role::GapByParameter => "gap_by_p",
        Role::ContactRateByParameter => "rate_by_p",
        Role::RestitutionByParameter => "restitution_by_p",
        Role::FrictionByParameter => "friction_by_p",
        Role::OutputByParameter => "output_by_p",
        Role::InitialPositionByParameter => "position_by_p",
        Role::InitialVelocityByParameter => "velocity_by_p",
        Role::InitialVelocityByPosition => "velocity_by_q",
        Role::ReferenceByParameter => "reference_by_p",
        Role::AssemblySide => "side",
        Role::Switch => "switching",
        Role::SwitchRate => "switching_rate",
        Role::SwitchByPosition => "switching_by_q",
        Role::SwitchByVelocity => "switching_by_v",
        Role::SwitchByParameter => "switching_by_p",
        Role::ConstraintAccelerationByPosition => "acceleration_by_q",
        Role::ConstraintAccelerationByVelocity => "acceleration_by_v",
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
        Role::ForceByPositions => ("d2tau/dqdq", "\\tau_{qq}"),
        Role::ForceByPositionAndVelocity => ("d2tau/dqdv", "\\tau_{qv}"),
        Role::ForceByVelocities => ("d2tau/dvdv", "\\tau_{vv}"),
        Role::ForceByPositionAndAcceleration => ("d2tau/dqda", "\\tau_{qa}"),
        Role::InverseMassMatrix => ("M^-1", "M^{-1}"),
        Role::Lower => ("L", "L"),
        Role::Pivots => ("D", "D"),
        Role::CoriolisMatrix => ("C", "C"),
        Role::GravityForces => ("tau", "\\tau"),
        Role::Regressor => ("Y", "Y"),
        Role::Position => ("p", "p"),
        Role::Rotation => ("R", "R"),
        Role::Angle => ("phi", "\\varphi"),
        Role::Linear => ("u", "u"),
        Role::Angular => ("w", "w"),
        Role::LinearJacobian => ("J_u", "J_{u}"),
        Role::AngularJacobian => ("J_w", "J_{w}"),
        Role::LinearByPosition => ("du/dq", "u_{q}"),
        Role::AngularByPosition => ("dw/dq", "w_{q}"),
        Role::LinearByVelocity => ("du/dv", "u_{v}"),
        Role::AngularByVelocity => ("dw/dv", "w_{v}"),
        Role::MomentumMatrix => ("A", "A"),
        Role::MomentumRate => ("b", "b"),
        Role::ConstraintRateByPosition => ("dg'/dq", "\\dot{g}_{q}"),
        Role::ContactRateByPosition => ("dxi/dq", "\\xi_{q}"),
        Role::ForceByInput => ("dr/du", "r_{u}"),
        Role::OutputByPosition => ("dy/dq", "y_{q}"),
        Role::OutputByVelocity => ("dy/dv", "y_{v}"),
        Role::OutputByAcceleration => ("dy/da", "y_{a}"),
        Role::OutputByMultiplier => ("dy/dlambda", "y_{\\lambda}"),
        Role::OutputByInput => ("dy/du", "y_{u}"),
        Role::ForceByParameter => ("dr/dp", "r_{p}"),
        Role::ConstraintByParameter => ("dg/dp", "g_{p}"),
        Role::ConstraintRateByParameter => ("dg'/dp", "\\dot{g}_{p}"),
        Role::ConstraintAccelerationByParameter => ("dg''/dp", "\\ddot{g}_{p}"),
        Role::GapByParameter => ("dg_N/dp", "g_{N,p}"),
        Role::ContactRateByParameter => ("dxi/dp", "\\xi_{p}"),
        Role::RestitutionByParameter => ("de/dp", "e_{p}"),
        Role::FrictionByParameter => ("dmu/dp", "\\mu_{p}"),
        Role::OutputByParameter => ("dy/dp", "y_{p}"),
        Role::InitialPositionByParameter => ("dc/dp", "c_{p}"),
        Role::InitialVelocityByParameter => ("dc/dp", "c_{p}"),
        Role::InitialVelocityByPosition => ("dc/dq", "c_{q}"),
        Role::ReferenceByParameter => ("dq/dp", "q_{p}"),
        Role::AssemblySide => ("c", "c"),
        Role::Switch => ("s", "s"),
        Role::SwitchRate => ("s'", "\\dot{s}"),
        Role::SwitchByPosition => ("ds/dq", "s_{q}"),
        Role::SwitchByVelocity => ("ds/dv", "s_{v}"),
        Role::SwitchByParameter => ("ds/dp", "s_{p}"),
        Role::ConstraintAccelerationByPosition => ("dg/dq", "\\ddot{g}_{q}"),
        Role::ConstraintAccelerationByVelocity => ("dg/dv", "\\ddot{g}_{v}"),
    }
}

/// Unit of a result after its shape, in SI units; rows that belong to angles have another than those of lengths.
pub(crate) fn role_unit(role: Role) -> &'static str {
    match role {
        Role::MassMatrix => ", in kg, kg m or kg m²",
        Role::BiasForce
        | Role::AppliedForce
        | Role::Residual
        | Role::NonlinearEffects
        | Role::Force
        | Role::GravityForces => ", in N or N m",
        Role::KineticEnergy | Role::PotentialEnergy => ", in J",
        Role::Power => ", in W",
        Role::Damping | Role::ForceByVelocity | Role::CoriolisMatrix => ", in N s/m, N s or N m s",
        Role::Stiffness | Role::ForceByPosition => ", in N/m, N or N m",
        Role::Acceleration => ", in m/s² or rad/s²",
        Role::AccelerationByVelocity => ", in 1/s, m/s or 1/(m s)",
        Role::AccelerationByPosition => ", in 1/s², m/s² or 1/(m s²)",
        Role::InverseMassMatrix => ", in 1/kg, 1/(kg m) or 1/(kg m²)",
        Role::Pivots => ", in kg or kg m²",
        Role::Position => ", in m",
        Role::Angle => ", in rad",
        Role::MomentumRate => ", in N, then N m",
        Role::MomentumMatrix => ", in kg or kg m, then kg m or kg m²",
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
        | Role::InitialJacobian
        | Role::ConstraintRateByPosition
        | Role::ContactRateByPosition
        | Role::GapByParameter
        | Role::ContactRateByParameter
        | Role::RestitutionByParameter
        | Role::FrictionByParameter
        | Role::ForceByInput
        | Role::OutputByPosition
        | Role::OutputByVelocity
        | Role::OutputByAcceleration
        | Role::OutputByMultiplier
        | Role::OutputByInput
        | Role::ForceByParameter
        | Role::ConstraintByParameter
        | Role::ConstraintRateByParameter
        | Role::ConstraintAccelerationByParameter
        | Role::OutputByParameter
        | Role::InitialPositionByParameter
        | Role::InitialVelocityByParameter
        | Role::InitialVelocityByPosition
        | Role::ReferenceByParameter
        | Role::AssemblySide
        | Role::Switch
        | Role::SwitchRate
        | Role::SwitchByPosition
        | Role::SwitchByVelocity
        | Role::SwitchByParameter
        | Role::ConstraintAccelerationByPosition
        | Role::ConstraintAccelerationByVelocity
        | Role::ForceByPositions
        | Role::ForceByPositionAndVelocity
        | Role::ForceByVelocities
        | Role::ForceByPositionAndAcceleration
        | Role::Lower
        | Role::Regressor
        | Role::Rotation
        | Role::Linear
        | Role::Angular
        | Role::LinearJacobian
        | Role::AngularJacobian
        | Role::LinearByPosition
        | Role::AngularByPosition
        | Role::LinearByVelocity
        | Role::AngularByVelocity => "",
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
        Role::ForceByPositions => "tau_qq",
        Role::ForceByPositionAndVelocity => "tau_qv",
        Role::ForceByVelocities => "tau_vv",
        Role::ForceByPositionAndAcceleration => "tau_qa",
        Role::InverseMassMatrix => "w",
        Role::Lower => "l",
        Role::Pivots => "d",
        Role::CoriolisMatrix => "c",
        Role::GravityForces => "tau",
        Role::Regressor => "y",
        Role::Position => "p",
        Role::Rotation => "r",
        Role::Angle => "phi",
        Role::Linear => "u",
        Role::Angular => "w",
        Role::LinearJacobian => "j_u",
        Role::AngularJacobian => "j_w",
        Role::LinearByPosition => "u_q",
        Role::AngularByPosition => "w_q",
        Role::LinearByVelocity => "u_v",
        Role::AngularByVelocity => "w_v",
        Role::MomentumMatrix => "momentum",
        Role::MomentumRate => "rate",
        Role::ConstraintRateByPosition => "rate_q",
        Role::ContactRateByPosition => "xi_q",
        Role::ForceByInput => "r_u",
        Role::OutputByPosition => "y_q",
        Role::OutputByVelocity => "y_v",
        Role::OutputByAcceleration => "y_a",
        Role::OutputByMultiplier => "y_lambda",
        Role::OutputByInput => "y_u",
        Role::ForceByParameter => "r_p",
        Role::ConstraintByParameter => "g_p",
        Role::ConstraintRateByParameter => "rate_p",
        Role::ConstraintAccelerationByParameter => "acceleration_p",
        Role::GapByParameter => "gap_p",
        Role::ContactRateByParameter => "xi_p",
        Role::RestitutionByParameter => "restitution_p",
        Role::FrictionByParameter => "friction_p",
        Role::OutputByParameter => "y_p",
        Role::InitialPositionByParameter => "position_p",
        Role::InitialVelocityByParameter => "velocity_p",
        Role::InitialVelocityByPosition => "velocity_q",
        Role::ReferenceByParameter => "q_p",
        Role::AssemblySide => "side",
        Role::Switch => "s",
        Role::SwitchRate => "s_rate",
        Role::SwitchByPosition => "s_q",
        Role::SwitchByVelocity => "s_v",
        Role::SwitchByParameter => "s_p",
        Role::ConstraintAccelerationByPosition => "g_q",
        Role::ConstraintAccelerationByVelocity => "g_v",
    }
}
