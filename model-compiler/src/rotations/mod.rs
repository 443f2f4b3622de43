//! Registry of coordinates for a free rotation in space: rotation matrix, angular velocity, and how the coordinates
//! move.

mod euler_parameters;
mod euler_zyx;
pub(crate) mod rotation_vector;

use crate::expr::{ExprId, Graph};
use crate::space::Coordinate;
use crate::spatial::Matrix3;

pub use euler_parameters::{
    angular_velocity_matrix as euler_parameter_matrix, rotation_matrix as euler_parameter_rotation,
};
pub use euler_zyx::subspace as euler_zyx_subspace;

/// Names and units of an angular velocity in body axes.
pub(crate) static ANGULAR_VELOCITY: [Coordinate; 3] = [
    Coordinate { name: "omega_x", unit: "rad/s" },
    Coordinate { name: "omega_y", unit: "rad/s" },
    Coordinate { name: "omega_z", unit: "rad/s" },
];

/// Coordinates of a free rotation. In joint coordinates the velocities are the angular velocity in body axes, in
/// absolute coordinates the rates of the coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RotationKind {
    /// Four Euler parameters e0…e3.
    EulerParameters,
    /// Three angles ψ, θ, φ about z, the new y and the new x, stored as (φ, θ, ψ); singular at θ = ±90°.
    EulerZyx,
}

impl RotationKind {
    /// The word in the language.
    pub fn keyword(self) -> &'static str {
        match self {
            RotationKind::EulerParameters => "euler_parameters",
            RotationKind::EulerZyx => "euler_zyx",
        }
    }

    /// Every kind.
    pub const ALL: [RotationKind; 2] = [RotationKind::EulerParameters, RotationKind::EulerZyx];

    /// The kind with this keyword.
    pub fn find(keyword: &str) -> Option<RotationKind> {
        Self::ALL.into_iter().find(|kind| kind.keyword() == keyword)
    }

    /// Names and units of the coordinates.
    pub fn coordinates(self) -> &'static [Coordinate] {
        match self {
            RotationKind::EulerParameters => &euler_parameters::COORDINATES,
            RotationKind::EulerZyx => &euler_zyx::COORDINATES,
        }
    }

    /// R(q): axes of the rotated frame as columns.
    pub fn matrix(self, graph: &mut Graph, q: &[ExprId]) -> Matrix3 {
        match self {
            RotationKind::EulerParameters => euler_parameters::rotation_matrix(graph, q),
            RotationKind::EulerZyx => euler_zyx::rotation_matrix(graph, q),
        }
    }

    /// q̇ = N(q) ω with the angular velocity in the rotated frame, row by row.
    pub fn velocity_map(self, graph: &mut Graph, q: &[ExprId]) -> Vec<Vec<ExprId>> {
        match self {
            RotationKind::EulerParameters => euler_parameters::velocity_map(graph, q),
            RotationKind::EulerZyx => euler_zyx::velocity_map(graph, q),
        }
    }
}
