//! A free rigid body, in redundant Euler parameters and on the rotation group.

use std::sync::LazyLock;

use hamel::rotation::{matrix_l, skew};
use hamel::{Attitude, Block, Channel, Energy, Model, ModelInfo, State};
use nalgebra::{DVector, Matrix3, Vector3, Vector4};

use super::{assembled_from_parts, fill, full_info, vector, without_initial_conditions};

/// Euler parameters as redundant coordinates, norm constraint `(eᵀ e − 1)/2`. [sherif, Eq. 9]
pub struct FreeBody {
    /// Principal moments of inertia, kg·m².
    pub inertia: [f64; 3],
    /// Constant moment in body axes, N·m.
    pub moment: [f64; 3],
}

impl FreeBody {
    /// Without rotation symmetry, under a moment.
    pub const TUMBLING: FreeBody = FreeBody { inertia: [1.0, 2.0, 3.5], moment: [0.4, -0.3, 0.2] };
    /// A spin about no principal axis, rad/s.
    pub const SPIN: [f64; 3] = [1.0, 2.0, -1.5];

    pub fn initial(&self, angular_velocity: [f64; 3]) -> State {
        let e = vector(&[1.0, 0.0, 0.0, 0.0]);
        let half = Vector3::from(angular_velocity) * 0.5;
        let v = vector(&[0.0, half[0], half[1], half[2]]);
        let mut state = State { t: 0.0, q: e, v, a: DVector::zeros(4), lambda: DVector::zeros(1) };
        hamel::consistent_acceleration(self, &mut state).expect("a body is regular");
        state
    }

    pub fn angular_velocity(state: &State) -> Vector3<f64> {
        2.0 * matrix_l(&vector4(state.q.as_slice())) * vector4(state.v.as_slice())
    }

    fn inertia(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal(&Vector3::from(self.inertia))
    }
}

pub fn vector4(slice: &[f64]) -> Vector4<f64> {
    Vector4::from_column_slice(slice)
}

impl Model for FreeBody {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 4] = ["e0", "e1", "e2", "e3"];
        const CONSTRAINTS: [&str; 1] = ["norm"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            full_info("FreeBody", &COORDINATES, &COORDINATES, &CONSTRAINTS, &[Block::EulerParameters])
        });
        &INFO
    }
    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        let l = matrix_l(&vector4(q));
        out.copy_from_slice((4.0 * l.transpose() * self.inertia() * l).as_slice());
    }
    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let (l, l_rate) = (matrix_l(&vector4(q)), matrix_l(&vector4(v)));
        let momentum = self.inertia() * l * vector4(v);
        out.copy_from_slice((8.0 * l.transpose() * l * l_rate.transpose() * momentum).as_slice());
    }
    fn applied_force(&self, _t: f64, q: &[f64], _v: &[f64], out: &mut [f64]) {
        let force = 2.0 * matrix_l(&vector4(q)).transpose() * Vector3::from(self.moment);
        out.copy_from_slice(force.as_slice());
    }
    fn constraint(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = 0.5 * (vector4(q).norm_squared() - 1.0);
    }
    fn constraint_jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
    }
    fn constraint_bias(&self, _t: f64, _q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate[0] = 0.0;
        acceleration[0] = vector4(v).norm_squared();
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let omega = 2.0 * matrix_l(&vector4(q)) * vector4(v);
        Energy { kinetic: 0.5 * omega.dot(&(self.inertia() * omega)), potential: 0.0 }
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        let (q, v, inertia) = (vector4(state.q.as_slice()), vector4(state.v.as_slice()), self.inertia());
        let (l, l_rate) = (matrix_l(&q), matrix_l(&v));
        for (k, out) in out.chunks_exact_mut(4).enumerate() {
            let unit = Vector4::ith(k, 1.0);
            let change = matrix_l(&unit).transpose() * inertia * l * v + l_rate.transpose() * inertia * l * unit;
            out.copy_from_slice((8.0 * l.transpose() * l * change).as_slice());
        }
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let (q, v, a) = (state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
        let (q, v, a, inertia) = (vector4(q), vector4(v), vector4(a), self.inertia());
        let (l, l_rate) = (matrix_l(&q), matrix_l(&v));
        for (k, out) in out.chunks_exact_mut(4).enumerate() {
            let unit = Vector4::ith(k, 1.0);
            let change = matrix_l(&unit);
            let inertial = change.transpose() * inertia * l * a + l.transpose() * inertia * change * a;
            let momentum = inertia * l * v;
            let bias = change.transpose() * l * l_rate.transpose() * momentum
                + l.transpose() * change * l_rate.transpose() * momentum
                + l.transpose() * l * l_rate.transpose() * inertia * change * v;
            let force = 2.0 * change.transpose() * Vector3::from(self.moment) + unit * state.lambda[0];
            out.copy_from_slice((4.0 * inertial + 8.0 * bias - force).as_slice());
        }
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
    assembled_from_parts!();
    without_initial_conditions!();
}

/// The same body on the rotation group: velocities are the angular velocity in body axes, no constraint.
pub struct Rotor(pub FreeBody);

impl Rotor {
    pub fn initial(&self, angular_velocity: [f64; 3]) -> State {
        let q = vector(&[1.0, 0.0, 0.0, 0.0]);
        let v = DVector::from_column_slice(&angular_velocity);
        let mut state = State { t: 0.0, q, v, a: DVector::zeros(3), lambda: DVector::zeros(0) };
        hamel::consistent_acceleration(self, &mut state).expect("a body is regular");
        state
    }
}

impl Model for Rotor {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 4] = ["e0", "e1", "e2", "e3"];
        const VELOCITIES: [&str; 3] = ["omega[0]", "omega[1]", "omega[2]"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            full_info("Rotor", &COORDINATES, &VELOCITIES, &[], &[Block::Rotation(Attitude::EulerParameters)])
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(self.0.inertia().as_slice());
    }
    fn bias_force(&self, _q: &[f64], v: &[f64], out: &mut [f64]) {
        let omega = Vector3::from_column_slice(v);
        out.copy_from_slice(omega.cross(&(self.0.inertia() * omega)).as_slice());
    }
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.0.moment);
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, _q: &[f64], v: &[f64]) -> Energy {
        let omega = Vector3::from_column_slice(v);
        Energy { kinetic: 0.5 * omega.dot(&(self.0.inertia() * omega)), potential: 0.0 }
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        let omega = Vector3::from_column_slice(state.v.as_slice());
        let derivative = skew(&omega) * self.0.inertia() - skew(&(self.0.inertia() * omega));
        fill(&self.describe().damping, out, |row, column| derivative[(row, column)]);
    }
    fn stiffness(&self, _state: &State, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
    assembled_from_parts!();
    without_initial_conditions!();
}
