//! A chain of masses and springs with a guided end and a wall.

use std::sync::LazyLock;

use hamel::{Block, Channel, ContactInfo, ContactLaw, Energy, Model, ModelInfo, State};
use nalgebra::DVector;

use super::{assembled_from_parts, fill, full_info, full_pattern, vector, without_initial_conditions};

/// Masses of 2, 1, 1, 1 and 3 kg in a line, with springs of 1 N/m between them and dampers of a tenth; those of 1 kg are the
/// nodes of `rod`. The first one is driven by `x = 0.1 sin t`; a force of cos t pulls at the middle one; the last one meets
/// a wall that swings about 0.3 m.
pub struct Springs;

impl Springs {
    pub const MASSES: [f64; 5] = [2.0, 1.0, 1.0, 1.0, 3.0];

    pub fn initial() -> State {
        State {
            t: 0.0,
            q: DVector::zeros(5),
            v: vector(&[0.1, 0.0, 0.2, 0.0, 0.3]),
            a: DVector::zeros(5),
            lambda: vector(&[0.0]),
        }
    }

    /// Entries of the stiffness matrix.
    fn stiffness(row: usize, column: usize) -> f64 {
        match row.abs_diff(column) {
            0 if row == 0 || row == 4 => 1.0,
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        }
    }

    fn pull(values: &[f64], row: usize) -> f64 {
        (0..5).map(|column| Self::stiffness(row, column) * values[column]).sum()
    }
}

impl Model for Springs {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 5] = ["drive", "rod[0].x", "rod[1].x", "rod[2].x", "end"];
        const CONSTRAINTS: [&str; 1] = ["crank"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| ModelInfo {
            contacts: vec![ContactInfo::new("wall", "m", 0)],
            contact_jacobian: full_pattern(1, 5, |_, _| true),
            ..full_info("Springs", &COORDINATES, &COORDINATES, &CONSTRAINTS, &[Block::Vector { size: 5 }])
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        let mass = |row: usize, column: usize| if row == column { Self::MASSES[row] } else { 0.0 };
        fill(&self.describe().mass_matrix, out, mass);
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        for (row, out) in out.iter_mut().enumerate() {
            *out = -Self::pull(q, row) - 0.1 * Self::pull(v, row) + if row == 2 { t.cos() } else { 0.0 };
        }
    }
    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = q[0] - 0.1 * t.sin();
    }
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        fill(&self.describe().constraint_jacobian, out, |_, column| if column == 0 { 1.0 } else { 0.0 });
    }
    fn constraint_bias(&self, t: f64, _q: &[f64], _v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate[0] = -0.1 * t.cos();
        acceleration[0] = 0.1 * t.sin();
    }
    fn contact_gap(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = 0.3 + 0.05 * (2.0 * t).sin() - q[4];
    }
    fn contact_jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        fill(&self.describe().contact_jacobian, out, |_, column| if column == 4 { -1.0 } else { 0.0 });
    }
    fn contact_bias(&self, t: f64, _q: &[f64], _v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate[0] = 0.1 * (2.0 * t).cos();
        acceleration[0] = -0.2 * (2.0 * t).sin();
    }
    fn contact_laws(&self, out: &mut [ContactLaw]) {
        out[0] = ContactLaw { restitution: 0.5, ..ContactLaw::default() };
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let kinetic = v.iter().zip(Self::MASSES).map(|(v, mass)| 0.5 * mass * v * v).sum();
        let potential = (0..5).map(|row| 0.5 * q[row] * Self::pull(q, row)).sum();
        Energy { kinetic, potential }
    }
    fn power(&self, t: f64, _q: &[f64], v: &[f64]) -> Option<f64> {
        Some(v[2] * t.cos() - 0.1 * (0..5).map(|row| v[row] * Self::pull(v, row)).sum::<f64>())
    }
    fn damping(&self, _state: &State, out: &mut [f64]) {
        fill(&self.describe().damping, out, |row, column| 0.1 * Self::stiffness(row, column));
    }
    fn stiffness(&self, _state: &State, out: &mut [f64]) {
        fill(&self.describe().stiffness, out, Self::stiffness);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.fill(0.0);
    }
    assembled_from_parts!();
    without_initial_conditions!();
}
