//! The heavy top of [sherif, Sect. "Heavy top"] with its tip held by a constraint, on the rotation group.
//!
//! Coordinates: position of the center of mass and rotation; velocities: the position's and the angular one in body
//! axes. Coordinates, damping, stiffness and constraints all depend on the rotation.

use std::sync::LazyLock;

use hamel::rotation::{rotation_matrix, skew};
use hamel::{Attitude, Block, Channel, Energy, Model, ModelInfo, State};
use nalgebra::{Matrix3, Vector3};

use super::body::vector4;
use super::{assembled_from_parts, fill, full_info, without_initial_conditions};

pub struct HeavyTop;

const MASS: f64 = 15.0;
const GRAVITY: f64 = 9.81;
/// From the tip to the center of mass, in body axes.
const ARM: Vector3<f64> = Vector3::new(0.0, 1.0, 0.0);

impl HeavyTop {
    /// Euler parameters at t = 1 s, from an independent integration of the equations for e and ω.
    pub const END_E: [f64; 4] = [0.732_943_98, -0.278_285_72, 0.531_824_61, -0.320_176_14];
    /// Angular velocity at t = 1 s, rad/s.
    pub const END_OMEGA: [f64; 3] = [-0.822_078_1, 150.0, -5.923_291_35];

    pub fn initial() -> State {
        let mut state = State::zeros(HeavyTop.dims());
        HeavyTop.reference_configuration(state.q.as_mut_slice());
        let omega = Vector3::new(0.0, 150.0, -4.61538);
        state.v.rows_mut(0, 3).copy_from(&omega.cross(&ARM));
        state.v.rows_mut(3, 3).copy_from(&omega);
        hamel::consistent_acceleration(&HeavyTop, &mut state).expect("a top is regular");
        state
    }

    fn inertia() -> Matrix3<f64> {
        Matrix3::from_diagonal(&Vector3::new(0.234375, 0.46875, 0.234375))
    }
}

fn omega(v: &[f64]) -> Vector3<f64> {
    Vector3::from_column_slice(&v[3..])
}

fn rotation(q: &[f64]) -> Matrix3<f64> {
    rotation_matrix(&vector4(&q[3..]))
}

impl Model for HeavyTop {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 7] = ["q"; 7];
        const VELOCITIES: [&str; 6] = ["v"; 6];
        const CONSTRAINTS: [&str; 3] = ["tip"; 3];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            let blocks: &[Block] = &[Block::Vector { size: 3 }, Block::Rotation(Attitude::EulerParameters)];
            full_info("HeavyTop", &COORDINATES, &VELOCITIES, &CONSTRAINTS, blocks)
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        let inertia = HeavyTop::inertia();
        fill(&self.describe().mass_matrix, out, |row, column| match (row < 3, column < 3) {
            (true, true) if row == column => MASS,
            (false, false) => inertia[(row - 3, column - 3)],
            _ => 0.0,
        });
    }
    fn bias_force(&self, _q: &[f64], v: &[f64], out: &mut [f64]) {
        let omega = omega(v);
        out[..3].fill(0.0);
        out[3..].copy_from_slice(omega.cross(&(HeavyTop::inertia() * omega)).as_slice());
    }
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 0.0, -MASS * GRAVITY, 0.0, 0.0, 0.0]);
    }
    fn constraint(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice((Vector3::from_column_slice(&q[..3]) - rotation(q) * ARM).as_slice());
    }
    fn constraint_jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        let by_rotation = rotation(q) * skew(&ARM);
        fill(&self.describe().constraint_jacobian, out, |row, column| match column {
            0..3 => f64::from(row == column),
            _ => by_rotation[(row, column - 3)],
        });
    }
    fn constraint_bias(&self, _t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        let omega = omega(v);
        rate.fill(0.0);
        acceleration.copy_from_slice((-rotation(q) * omega.cross(&omega.cross(&ARM))).as_slice());
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let (omega, velocity) = (omega(v), Vector3::from_column_slice(&v[..3]));
        let kinetic = 0.5 * (omega.dot(&(HeavyTop::inertia() * omega)) + MASS * velocity.norm_squared());
        Energy { kinetic, potential: MASS * GRAVITY * q[2] }
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        let (omega, inertia) = (omega(state.v.as_slice()), HeavyTop::inertia());
        let derivative = skew(&omega) * inertia - skew(&(inertia * omega));
        fill(&self.describe().damping, out, |row, column| {
            if row < 3 || column < 3 { 0.0 } else { derivative[(row - 3, column - 3)] }
        });
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        // The joint's moment is −x × Aᵀ λ; a small turn φ changes Aᵀ λ by (Aᵀ λ) × φ.
        let lambda = Vector3::from_column_slice(state.lambda.as_slice());
        let derivative = skew(&ARM) * skew(&(rotation(state.q.as_slice()).transpose() * lambda));
        fill(&self.describe().stiffness, out, |row, column| {
            if row < 3 || column < 3 { 0.0 } else { derivative[(row - 3, column - 3)] }
        });
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.copy_from_slice(&[0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }
    assembled_from_parts!();
    without_initial_conditions!();
}
