//! A line of carriages in coordinates relative to each other, whose mass matrix is full and whose accelerations are known.

use std::sync::LazyLock;

use hamel::{Block, Energy, Model, ModelInfo, State};

use super::{fill, full_info, without_initial_conditions};

/// Carriages of one kilogram on a line, each with its distance from the one before as coordinate. Each is drawn to where the
/// sine of its place vanishes, by `stiffness` times that, and braked by the cube of its velocity.
pub struct Train {
    pub stiffness: f64,
}

impl Train {
    pub const CARRIAGES: usize = 90;

    /// With distances and velocities that alternate.
    pub fn initial(&self) -> State {
        let mut state = State::zeros(self.dims());
        for (k, (q, v)) in state.q.iter_mut().zip(&mut state.v).enumerate() {
            (*q, *v) = (0.3 * (k as f64).cos(), 0.2 * (2.0 * k as f64).sin());
        }
        hamel::consistent_acceleration(self, &mut state).expect("a train is regular");
        state
    }

    /// Force on a carriage at a place, and its derivatives by place and velocity.
    fn force(&self, t: f64, x: f64, v: f64) -> [f64; 3] {
        [t.cos() - self.stiffness * x.sin() - v.powi(3), -self.stiffness * x.cos(), -3.0 * v * v]
    }

    /// Gives each sum of the values from the first to one of them to a function, with its index.
    fn sums(values: &[f64], mut of: impl FnMut(usize, f64)) {
        let mut sum = 0.0;
        for (k, value) in values.iter().enumerate() {
            sum += value;
            of(k, sum);
        }
    }

    /// Entries of a matrix of relative coordinates: those of carriages from the later one of two to the last.
    fn gathered(&self, of_carriage: impl Fn(usize) -> f64) -> [f64; Train::CARRIAGES] {
        let (mut gathered, mut sum) = ([0.0; Train::CARRIAGES], 0.0);
        for (k, entry) in gathered.iter_mut().enumerate().rev() {
            sum += of_carriage(k);
            *entry = sum;
        }
        gathered
    }

    /// A derivative of the forces in relative coordinates; its index among those of [`Train::force`].
    fn derivative(&self, state: &State, which: usize) -> [f64; Train::CARRIAGES] {
        let (mut places, mut velocities) = ([0.0; Train::CARRIAGES], [0.0; Train::CARRIAGES]);
        Self::sums(state.q.as_slice(), |k, x| places[k] = x);
        Self::sums(state.v.as_slice(), |k, v| velocities[k] = v);
        self.gathered(|k| -self.force(state.t, places[k], velocities[k])[which])
    }
}

impl Model for Train {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; Train::CARRIAGES] = ["distance"; Train::CARRIAGES];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            full_info("Train", &COORDINATES, &COORDINATES, &[], &[Block::Vector { size: Train::CARRIAGES }])
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        fill(&self.describe().mass_matrix, out, |row, column| (Train::CARRIAGES - row.max(column)) as f64);
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let mut velocities = [0.0; Train::CARRIAGES];
        Self::sums(v, |k, v| velocities[k] = v);
        Self::sums(q, |k, x| out[k] = self.force(t, x, velocities[k])[0]);
        let gathered = self.gathered(|k| out[k]);
        out.copy_from_slice(&gathered);
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, _q: &[f64], v: &[f64]) -> Energy {
        let mut kinetic = 0.0;
        Self::sums(v, |_, v| kinetic += 0.5 * v * v);
        Energy { kinetic, potential: 0.0 }
    }
    fn acceleration(&self, t: f64, q: &[f64], v: &[f64], a: &mut [f64]) -> bool {
        let mut velocities = [0.0; Train::CARRIAGES];
        Self::sums(v, |k, v| velocities[k] = v);
        Self::sums(q, |k, x| a[k] = self.force(t, x, velocities[k])[0]);
        (1..a.len()).rev().for_each(|k| a[k] -= a[k - 1]);
        true
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        let gathered = self.derivative(state, 2);
        fill(&self.describe().damping, out, |row, column| gathered[row.max(column)]);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let gathered = self.derivative(state, 1);
        fill(&self.describe().stiffness, out, |row, column| gathered[row.max(column)]);
    }
    fn residual(&self, state: &State, r: &mut [f64], _g: &mut [f64]) {
        let (mut force, mut velocities) = ([0.0; Train::CARRIAGES], [0.0; Train::CARRIAGES]);
        Self::sums(state.v.as_slice(), |k, v| velocities[k] = v);
        Self::sums(state.q.as_slice(), |k, x| force[k] = self.force(state.t, x, velocities[k])[0]);
        Self::sums(state.a.as_slice(), |k, a| r[k] = a - force[k]);
        let gathered = self.gathered(|k| r[k]);
        r.copy_from_slice(&gathered);
    }
    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        let (by_v, by_q) = (self.derivative(state, 2), self.derivative(state, 1));
        fill(&self.describe().iteration_matrix, values, |row, column| {
            let k = row.max(column);
            ca * (Train::CARRIAGES - k) as f64 + cv * by_v[k] + cq * by_q[k]
        });
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.fill(0.0);
    }
    fn outputs(&self, _state: &State, _out: &mut [f64]) {}
    without_initial_conditions!();
}
