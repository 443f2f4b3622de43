//! A free rigid body whose velocities are those of its own frame, in its own axes.

use std::sync::LazyLock;

use hamel::rotation::skew;
use hamel::{Attitude, Block, Channel, Energy, Model, ModelInfo, State};
use nalgebra::{DVector, Matrix3, Vector3};

use super::{assembled_from_parts, fill, full_info, without_initial_conditions};

/// Position and angles (φ, θ, ψ) in q; velocity and angular velocity in body axes in v; the frame is at the centre.
pub struct Craft {
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia, kg·m².
    pub inertia: [f64; 3],
    /// Force along the z axis of the ground, N.
    pub force: f64,
}

impl Craft {
    /// With the same moment of inertia about every axis: the angular velocity of free flight is constant.
    pub const BALL: Craft = Craft { mass: 3.0, inertia: [2.0; 3], force: 0.0 };
    /// Without symmetry, and pulled along z.
    pub const PULLED: Craft = Craft { mass: 1.5, inertia: [1.0, 2.0, 3.5], force: -7.0 };

    /// At the origin with all angles zero.
    pub fn initial(&self, velocity: [f64; 3], angular_velocity: [f64; 3]) -> State {
        let v = DVector::from_iterator(6, velocity.into_iter().chain(angular_velocity));
        let mut state = State { t: 0.0, q: DVector::zeros(6), v, a: DVector::zeros(6), lambda: DVector::zeros(0) };
        hamel::consistent_acceleration(self, &mut state).expect("a body is regular");
        state
    }

    /// The rotation matrix of a state.
    pub fn attitude(state: &State) -> Matrix3<f64> {
        Self::rotation(state.q.as_slice())
    }

    fn rotation(q: &[f64]) -> Matrix3<f64> {
        let [x, y, z] = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()];
        let about = |axis, angle| *nalgebra::Rotation3::from_axis_angle(&axis, angle).matrix();
        about(z, q[5]) * about(y, q[4]) * about(x, q[3])
    }

    /// What pulls, in body axes.
    fn pull(&self, q: &[f64]) -> Vector3<f64> {
        Self::rotation(q).transpose() * Vector3::new(0.0, 0.0, self.force)
    }

    fn inertia(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal(&Vector3::from(self.inertia))
    }
}

fn parts(v: &[f64]) -> [Vector3<f64>; 2] {
    [Vector3::from_column_slice(&v[..3]), Vector3::from_column_slice(&v[3..])]
}

impl Model for Craft {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 6] = ["x", "y", "z", "phi", "theta", "psi"];
        const VELOCITIES: [&str; 6] = ["u", "v", "w", "p", "q", "r"];
        static INFO: LazyLock<ModelInfo> =
            LazyLock::new(|| full_info("Craft", &COORDINATES, &VELOCITIES, &[], &[Block::Pose(Attitude::EulerAngles)]));
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        fill(&self.describe().mass_matrix, out, |row, column| match (row == column, row) {
            (false, _) => 0.0,
            (true, 0..3) => self.mass,
            (true, _) => self.inertia[row - 3],
        });
    }
    fn bias_force(&self, _q: &[f64], v: &[f64], out: &mut [f64]) {
        let [velocity, omega] = parts(v);
        out[..3].copy_from_slice((self.mass * omega.cross(&velocity)).as_slice());
        out[3..].copy_from_slice(omega.cross(&(self.inertia() * omega)).as_slice());
    }
    fn applied_force(&self, _t: f64, q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[..3].copy_from_slice(self.pull(q).as_slice());
        out[3..].fill(0.0);
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let [velocity, omega] = parts(v);
        let kinetic = 0.5 * (self.mass * velocity.norm_squared() + omega.dot(&(self.inertia() * omega)));
        Energy { kinetic, potential: -self.force * q[2] }
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        let [velocity, omega] = parts(state.v.as_slice());
        let by_velocity = self.mass * skew(&omega);
        let by_turn = -self.mass * skew(&velocity);
        let turning = skew(&omega) * self.inertia() - skew(&(self.inertia() * omega));
        fill(&self.describe().damping, out, |row, column| match (row, column) {
            (0..3, 0..3) => by_velocity[(row, column)],
            (0..3, _) => by_turn[(row, column - 3)],
            (_, 0..3) => 0.0,
            _ => turning[(row - 3, column - 3)],
        });
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let by_turn = -skew(&self.pull(state.q.as_slice()));
        fill(&self.describe().stiffness, out, |row, column| match (row, column) {
            (0..3, 3..) => by_turn[(row, column - 3)],
            _ => 0.0,
        });
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.fill(0.0);
    }
    fn singular_angles(&self) -> &'static [usize] {
        &[4]
    }
    assembled_from_parts!();
    without_initial_conditions!();
}
