//! A particle above a plane with friction in two directions, and a driven press that meets a wall.

use std::sync::LazyLock;

use hamel::{Block, Channel, ContactInfo, ContactLaw, Energy, Model, ModelInfo, State};
use nalgebra::DVector;

use super::{assembled_from_parts, fill, full_info, full_pattern, vector, without_initial_conditions};

/// A unit mass above a plane, z = 0 at first.
pub struct Particle {
    pub law: ContactLaw,
    /// Velocity of the plane, m/s.
    pub ground: [f64; 3],
}

impl Particle {
    pub const GRAVITY: f64 = 9.81;

    /// Above a plane at rest.
    pub fn on(law: ContactLaw) -> Self {
        Self { law, ground: [0.0; 3] }
    }

    pub fn initial(height: f64, velocity: [f64; 3]) -> State {
        let (q, a) = (vector(&[0.0, 0.0, height]), vector(&[0.0, 0.0, -Self::GRAVITY]));
        State { t: 0.0, q, v: vector(&velocity), a, lambda: DVector::zeros(0) }
    }
}

impl Model for Particle {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 3] = ["x", "y", "z"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| ModelInfo {
            contacts: vec![ContactInfo::new("ground", "m", 2)],
            contact_jacobian: full_pattern(3, 3, |_, _| true),
            ..full_info("Particle", &COORDINATES, &COORDINATES, &[], &[Block::Vector { size: 3 }])
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        fill(&self.describe().mass_matrix, out, |row, column| if row == column { 1.0 } else { 0.0 });
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 0.0, -Self::GRAVITY]);
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn contact_gap(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = q[2] - self.ground[2] * t;
    }
    fn contact_jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        let rows = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        fill(&self.describe().contact_jacobian, out, |row, column| rows[row][column]);
    }
    fn contact_bias(&self, _t: f64, _q: &[f64], _v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        let [x, y, z] = self.ground;
        rate.copy_from_slice(&[-z, -x, -y]);
        acceleration.fill(0.0);
    }
    fn contact_laws(&self, out: &mut [ContactLaw]) {
        out[0] = self.law;
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        Energy { kinetic, potential: Self::GRAVITY * q[2] }
    }
    fn damping(&self, _state: &State, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn stiffness(&self, _state: &State, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.fill(0.0);
    }
    assembled_from_parts!();
    without_initial_conditions!();
}

/// A unit mass that is driven by x = sin t, whatever stands in its way, towards a wall.
pub struct Press {
    /// Its place, m.
    pub wall: f64,
}

impl Press {
    pub fn initial() -> State {
        State { t: 0.0, q: vector(&[0.0]), v: vector(&[1.0]), a: vector(&[0.0]), lambda: vector(&[0.0]) }
    }
}

impl Model for Press {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 1] = ["x"];
        const CONSTRAINTS: [&str; 1] = ["drive"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| ModelInfo {
            contacts: vec![ContactInfo::new("wall", "m", 0)],
            contact_jacobian: full_pattern(1, 1, |_, _| true),
            ..full_info("Press", &COORDINATES, &COORDINATES, &CONSTRAINTS, &[Block::Vector { size: 1 }])
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = q[0] - t.sin();
    }
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn constraint_bias(&self, t: f64, _q: &[f64], _v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate[0] = -t.cos();
        acceleration[0] = t.sin();
    }
    fn contact_gap(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = self.wall - q[0];
    }
    fn contact_jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out[0] = -1.0;
    }
    fn contact_bias(&self, _t: f64, _q: &[f64], _v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate[0] = 0.0;
        acceleration[0] = 0.0;
    }
    fn contact_laws(&self, out: &mut [ContactLaw]) {
        out[0] = ContactLaw::default();
    }
    fn energy(&self, _t: f64, _q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: 0.5 * v[0] * v[0], potential: 0.0 }
    }
    fn damping(&self, _state: &State, out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn stiffness(&self, _state: &State, out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q[0] = 0.0;
    }
    assembled_from_parts!();
    without_initial_conditions!();
}
