//! A mass that an input pushes upwards, with or without a floor under it.

use std::sync::LazyLock;

use hamel::{Block, Channel, ContactInfo, ContactLaw, Energy, Model, ModelInfo, Signal, State};
use nalgebra::DVector;

use super::{assembled_from_parts, full_info, full_pattern, vector, without_initial_conditions};

/// A unit mass that moves along a line; with a floor at zero it has a weight, and stays above.
pub struct Driven {
    /// The force that pushes it, N.
    pub force: Signal,
    pub has_floor: bool,
}

impl Driven {
    pub const GRAVITY: f64 = 9.81;

    pub fn initial() -> State {
        State { t: 0.0, q: vector(&[0.0]), v: vector(&[0.0]), a: vector(&[0.0]), lambda: DVector::zeros(0) }
    }
}

impl Model for Driven {
    fn describe(&self) -> &'static ModelInfo {
        static FREE: LazyLock<ModelInfo> = LazyLock::new(|| ModelInfo {
            inputs: vec![Channel::new("force", "N")],
            coordinates: vec![Channel::new("x", "m")],
            velocities: vec![Channel::new("x", "m/s")],
            ..full_info("Driven", &["x"], &["x"], &[], &[Block::Vector { size: 1 }])
        });
        static ON_FLOOR: LazyLock<ModelInfo> = LazyLock::new(|| ModelInfo {
            contacts: vec![ContactInfo::new("floor", "m", 0)],
            contact_jacobian: full_pattern(1, 1, |_, _| true),
            coordinates: vec![Channel::new("x", "m")],
            velocities: vec![Channel::new("x", "m/s")],
            ..full_info("Driven", &["x"], &["x"], &[], &[Block::Vector { size: 1 }])
        });
        if self.has_floor { &ON_FLOOR } else { &FREE }
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn applied_force(&self, t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = self.force.value(t) - if self.has_floor { Self::GRAVITY } else { 0.0 };
    }
    fn input_values(&self, t: f64, out: &mut [f64]) {
        if let Some(first) = out.first_mut() {
            *first = self.force.value(t);
        }
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn contact_gap(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(q[0]);
    }
    fn contact_jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(1.0);
    }
    fn contact_bias(&self, _t: f64, _q: &[f64], _v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate.fill(0.0);
        acceleration.fill(0.0);
    }
    fn contact_laws(&self, out: &mut [ContactLaw]) {
        out.fill(ContactLaw::default());
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let weight = if self.has_floor { Self::GRAVITY } else { 0.0 };
        Energy { kinetic: 0.5 * v[0] * v[0], potential: weight * q[0] }
    }
    fn power(&self, t: f64, _q: &[f64], v: &[f64]) -> Option<f64> {
        Some(self.force.value(t) * v[0])
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
