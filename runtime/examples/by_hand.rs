//! A model that is written by hand, without the macro: Van der Pol's oscillator, q̈ − μ (1 − q²) q̇ + q = 0.

use hamel::{Block, Channel, Energy, Model, ModelInfo, Simulation, SparsityPattern, State, initial_state, schemes};

struct VanDerPol {
    mu: f64,
    info: ModelInfo,
}

impl VanDerPol {
    fn new(mu: f64) -> Self {
        // A matrix with one row, and one without rows.
        let one = SparsityPattern::from_entries(1, 1, [(0, 0)]);
        let none = SparsityPattern::from_entries(0, 1, []);
        let info = ModelInfo {
            name: "VanDerPol".to_owned(),
            coordinates: vec![Channel::new("q", "1")],
            velocities: vec![Channel::new("q", "1/s")],
            blocks: vec![Block::Vector { size: 1 }],
            mass_matrix: one.clone(),
            damping: one.clone(),
            stiffness: one.clone(),
            constraint_jacobian: none.clone(),
            contact_jacobian: none,
            iteration_matrix: one,
            ..ModelInfo::default()
        };
        Self { mu, info }
    }
}

impl Model for VanDerPol {
    fn describe(&self) -> &ModelInfo {
        &self.info
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn applied_force(&self, _t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        out[0] = self.mu * (1.0 - q[0] * q[0]) * v[0] - q[0];
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: 0.5 * v[0] * v[0], potential: 0.5 * q[0] * q[0] }
    }
    fn outputs(&self, _state: &State, _out: &mut [f64]) {}
    /// r = M a + h − f.
    fn residual(&self, state: &State, r: &mut [f64], _g: &mut [f64]) {
        self.applied_force(state.t, state.q.as_slice(), state.v.as_slice(), r);
        r[0] = state.a[0] - r[0];
    }
    /// ca ∂r/∂a + cv ∂r/∂v + cq ∂r/∂q.
    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        let [mut damping, mut stiffness] = [[0.0]; 2];
        self.damping(state, &mut damping);
        self.stiffness(state, &mut stiffness);
        values[0] = ca + cv * damping[0] + cq * stiffness[0];
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        out[0] = -self.mu * (1.0 - state.q[0] * state.q[0]);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        out[0] = 1.0 + 2.0 * self.mu * state.q[0] * state.v[0];
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q[0] = 0.0;
    }
    fn n_initial_conditions(&self) -> (usize, usize) {
        (0, 0)
    }
    fn initial_position(&self, _t: f64, _q: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
    fn initial_velocity(&self, _t: f64, _q: &[f64], _v: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = VanDerPol::new(1.0);
    let mut start = initial_state(&model)?;
    start.q[0] = 0.1;
    hamel::consistent_acceleration(&model, &mut start)?;
    let scheme = schemes::by_name("radau_iia5", &[])?;
    let run = Simulation::new(&model, &*scheme).step(1e-2).until(60.0).run(start);
    run.outcome?;
    let late = run.trajectory.iter().filter(|(t, _)| *t > 40.0);
    let amplitude = late.map(|(_, row)| row[1]).fold(0.0, f64::max);
    println!("the limit cycle reaches {amplitude:.5}");
    // For μ = 1 its amplitude is 2.00862.
    assert!((amplitude - 2.00862).abs() < 1e-4);
    Ok(())
}
