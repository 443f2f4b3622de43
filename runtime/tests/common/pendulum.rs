//! An oscillator with forces of every kind, a pendulum in Cartesian coordinates, and a chain of pendulums.

use std::sync::LazyLock;

use hamel::{Block, Channel, Energy, Model, ModelInfo, State};
use nalgebra::DVector;

use super::{assembled_from_parts, fill, full_info, full_pattern, vector, without_initial_conditions};

/// `q̈ = −sin q − 0.3 q̇ − 0.2 q̇³ + 0.5 (1 + 0.1 q) cos t`: velocity, coordinate and time all matter.
pub struct Oscillator;

impl Oscillator {
    /// q and q̇ at t = 2 s, from a computation with many digits.
    pub const END: [f64; 2] = [0.485_476_809_496_230_5, -0.553_338_801_127_998_7];

    pub fn initial() -> State {
        let (q, v) = (0.7_f64, 0.2_f64);
        let a = -q.sin() - 0.3 * v - 0.2 * v * v * v + 0.5 * (1.0 + 0.1 * q);
        State { t: 0.0, q: vector(&[q]), v: vector(&[v]), a: vector(&[a]), lambda: DVector::zeros(0) }
    }
}

impl Model for Oscillator {
    fn describe(&self) -> &'static ModelInfo {
        const CHANNELS: [&str; 1] = ["x"];
        static INFO: LazyLock<ModelInfo> =
            LazyLock::new(|| full_info("Oscillator", &CHANNELS, &CHANNELS, &[], &[Block::Vector { size: 1 }]));
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        out[0] = -q[0].sin() - 0.3 * v[0] - 0.2 * v[0].powi(3) + 0.5 * (1.0 + 0.1 * q[0]) * t.cos();
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: 0.5 * v[0] * v[0], potential: 1.0 - q[0].cos() }
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        out[0] = 0.3 + 0.6 * state.v[0] * state.v[0];
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        out[0] = state.q[0].cos() - 0.05 * state.t.cos();
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q[0] = 0.0;
    }
    assembled_from_parts!();
    without_initial_conditions!();
}

/// `q̈ + 2 ζ ω q̇ + ω² q = 0`.
pub struct LinearOscillator {
    /// ω, rad/s.
    pub omega: f64,
    /// ζ.
    pub damping: f64,
    /// From this time on there is no force, s.
    pub ends_at: f64,
}

impl LinearOscillator {
    pub fn initial(&self) -> State {
        let (q, v) = (0.7, 0.2 * self.omega);
        let a = -self.omega * (self.omega * q + 2.0 * self.damping * v);
        State { t: 0.0, q: vector(&[q]), v: vector(&[v]), a: vector(&[a]), lambda: DVector::zeros(0) }
    }
}

impl Model for LinearOscillator {
    fn describe(&self) -> &'static ModelInfo {
        Oscillator.describe()
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let force = -self.omega * (self.omega * q[0] + 2.0 * self.damping * v[0]);
        out[0] = if t < self.ends_at { force } else { f64::NAN };
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: 0.5 * v[0] * v[0], potential: 0.5 * (self.omega * q[0]).powi(2) }
    }
    fn power(&self, _t: f64, _q: &[f64], v: &[f64]) -> Option<f64> {
        Some(-2.0 * self.damping * self.omega * v[0] * v[0])
    }
    fn damping(&self, _state: &State, out: &mut [f64]) {
        out[0] = 2.0 * self.damping * self.omega;
    }
    fn stiffness(&self, _state: &State, out: &mut [f64]) {
        out[0] = self.omega * self.omega;
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q[0] = 0.0;
    }
    assembled_from_parts!();
    without_initial_conditions!();
}

/// A mass on a spring, of any size.
pub struct Heavy {
    /// kg.
    pub mass: f64,
    /// N/m.
    pub stiffness: f64,
}

impl Model for Heavy {
    fn describe(&self) -> &'static ModelInfo {
        Oscillator.describe()
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out[0] = self.mass;
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn applied_force(&self, _t: f64, q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = -self.stiffness * q[0];
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: 0.5 * self.mass * v[0] * v[0], potential: 0.5 * self.stiffness * q[0] * q[0] }
    }
    fn damping(&self, _state: &State, out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn stiffness(&self, _state: &State, out: &mut [f64]) {
        out[0] = self.stiffness;
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q[0] = 0.0;
    }
    assembled_from_parts!();
    without_initial_conditions!();
}

/// A unit mass on a massless rod of one metre, `g = (x² + y² − 1)/2`.
pub struct Pendulum;

impl Pendulum {
    /// x, y at t = 1 s.
    pub const END_Q: [f64; 2] = [-0.809_397_958_366_630_1, -0.587_260_542_682_658_9];
    /// Their velocities at t = 1 s.
    pub const END_V: [f64; 2] = [-0.635_577_791_986_100_3, 0.875_991_710_368_848];
    /// The multiplier at t = 1 s; negative, because a positive one pushes outwards.
    pub const END_LAMBDA: f64 = -6.932_346_530_017_75;

    pub const GRAVITY: f64 = 9.81;

    /// One radian from rest position, at half a radian per second.
    pub fn initial() -> State {
        let (sin, cos) = 1.0_f64.sin_cos();
        let mut state = State::zeros(Pendulum.dims());
        state.q = vector(&[sin, -cos]);
        state.v = vector(&[0.5 * cos, 0.5 * sin]);
        hamel::consistent_acceleration(&Pendulum, &mut state).expect("a pendulum is regular");
        state
    }
}

impl Model for Pendulum {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 2] = ["x", "y"];
        const CONSTRAINTS: [&str; 1] = ["rod"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            full_info("Pendulum", &COORDINATES, &COORDINATES, &CONSTRAINTS, &[Block::Vector { size: 2 }])
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, -Pendulum::GRAVITY]);
    }
    fn constraint(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    }
    fn constraint_jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
    }
    fn constraint_bias(&self, _t: f64, _q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate[0] = 0.0;
        acceleration[0] = v[0] * v[0] + v[1] * v[1];
    }
    fn power(&self, _t: f64, _q: &[f64], _v: &[f64]) -> Option<f64> {
        Some(0.0)
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: 0.5 * (v[0] * v[0] + v[1] * v[1]), potential: Pendulum::GRAVITY * q[1] }
    }
    fn damping(&self, _state: &State, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let lambda = state.lambda[0];
        out.copy_from_slice(&[-lambda, 0.0, 0.0, -lambda]);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.copy_from_slice(&[0.0, -1.0]);
    }
    assembled_from_parts!();

    /// x = 0.6, and ẋ = 0.4.
    fn n_initial_conditions(&self) -> (usize, usize) {
        (1, 1)
    }
    fn initial_position(&self, _t: f64, q: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        residual[0] = q[0] - 0.6;
        jacobian.copy_from_slice(&[1.0, 0.0]);
    }
    fn initial_velocity(&self, _t: f64, _q: &[f64], v: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        residual[0] = v[0] - 0.4;
        jacobian.copy_from_slice(&[1.0, 0.0]);
    }
}

/// Thirty unit masses joined by rods of one metre, large enough for the sparse solver.
pub struct Chain;

impl Chain {
    pub const LINKS: usize = 30;

    /// A little to the side of hanging straight down, at rest.
    pub fn initial() -> State {
        let mut state = State::zeros(Chain.dims());
        Chain.reference_configuration(state.q.as_mut_slice());
        hamel::consistent_acceleration(&Chain, &mut state).expect("a chain is regular");
        state
    }

    /// Position of a mass; mass −1 is the fixed point.
    fn difference(q: &[f64], link: usize, axis: usize) -> f64 {
        q[2 * link + axis] - if link > 0 { q[2 * link - 2 + axis] } else { 0.0 }
    }
}

impl Model for Chain {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 2 * Chain::LINKS] = ["x"; 2 * Chain::LINKS];
        const CONSTRAINTS: [&str; Chain::LINKS] = ["rod"; Chain::LINKS];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            let (nv, nc) = (2 * Chain::LINKS, Chain::LINKS);
            let is_jacobian = |row: usize, column: usize| column / 2 == row || column / 2 + 1 == row;
            let is_stiffness = |row: usize, column: usize| row % 2 == column % 2 && (row / 2).abs_diff(column / 2) <= 1;
            let blocks: &[Block] = &[Block::Vector { size: 2 * Chain::LINKS }];
            ModelInfo {
                mass_matrix: full_pattern(nv, nv, |row, column| row == column),
                damping: full_pattern(nv, nv, |_, _| false),
                stiffness: full_pattern(nv, nv, is_stiffness),
                constraint_jacobian: full_pattern(nc, nv, is_jacobian),
                iteration_matrix: full_pattern(nv + nc, nv + nc, |row, column| match (row < nv, column < nv) {
                    (true, true) => is_stiffness(row, column),
                    (true, false) => is_jacobian(column - nv, row),
                    (false, true) => is_jacobian(row - nv, column),
                    (false, false) => false,
                }),
                ..full_info("Chain", &COORDINATES, &COORDINATES, &CONSTRAINTS, blocks)
            }
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        out.fill(1.0);
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        for (index, force) in out.iter_mut().enumerate() {
            *force = if index % 2 == 1 { -9.81 } else { 0.0 };
        }
    }
    fn constraint(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        for (link, gap) in out.iter_mut().enumerate() {
            let (x, y) = (Chain::difference(q, link, 0), Chain::difference(q, link, 1));
            *gap = 0.5 * (x * x + y * y - 1.0);
        }
    }
    fn constraint_jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        fill(&self.describe().constraint_jacobian, out, |link, column| {
            let difference = Chain::difference(q, link, column % 2);
            if column / 2 == link { difference } else { -difference }
        });
    }
    fn constraint_bias(&self, _t: f64, _q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate.fill(0.0);
        for (link, bias) in acceleration.iter_mut().enumerate() {
            let (x, y) = (Chain::difference(v, link, 0), Chain::difference(v, link, 1));
            *bias = x * x + y * y;
        }
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let height: f64 = q.iter().skip(1).step_by(2).sum();
        Energy { kinetic: 0.5 * v.iter().map(|v| v * v).sum::<f64>(), potential: 9.81 * height }
    }
    fn damping(&self, _state: &State, _out: &mut [f64]) {}
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let lambda = |link: usize| if link < Chain::LINKS { state.lambda[link] } else { 0.0 };
        fill(&self.describe().stiffness, out, |row, column| {
            let (row, column) = (row / 2, column / 2);
            if row == column { -lambda(row) - lambda(row + 1) } else { lambda(row.max(column)) }
        });
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        let (sin, cos) = 0.3_f64.sin_cos();
        for link in 0..Chain::LINKS {
            q[2 * link] = sin * (link + 1) as f64;
            q[2 * link + 1] = -cos * (link + 1) as f64;
        }
    }
    assembled_from_parts!();
    without_initial_conditions!();
}
