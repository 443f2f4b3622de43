//! The rigid slider-crank with clearance of [rezaei, Table 1] and its variant without, written by hand.

use std::sync::LazyLock;

use hamel::{Block, Channel, ContactInfo, ContactLaw, Energy, Model, ModelInfo, State};
use nalgebra::DVector;

use super::{assembled_from_parts, fill, full_info, full_pattern, vector, without_initial_conditions};

const L1: f64 = 0.153;
const L2: f64 = 0.306;
const HALF_LENGTH: f64 = 0.05;
const HALF_HEIGHT: f64 = 0.025;
const M1: f64 = 0.038;
const M2: f64 = 0.038;
const M3: f64 = 0.076;
const J1: f64 = 7.4e-5;
const J2: f64 = 5.9e-4;
const J3: f64 = 2.7e-6;
const GRAVITY: f64 = 9.81;
/// Masses that gravity pulls on at the ends of crank and rod.
const PULLED: [f64; 2] = [M1 / 2.0 + M2 + M3, M2 / 2.0 + M3];

/// Signs of the corners, two at the top and two at the bottom, in gaps and slips.
const SIDE: [f64; 4] = [-1.0, -1.0, 1.0, 1.0];
const END: [f64; 4] = [1.0, -1.0, -1.0, 1.0];
const SLIP_END: [f64; 4] = [1.0, -1.0, 1.0, -1.0];

/// Angles of crank, rod and slider; the corners of the slider in a notch with clearance on each side, or the slider
/// guided without clearance and friction.
#[derive(Clone, Copy)]
pub struct Slider {
    pub clearance: f64,
    pub torque: f64,
    pub law: ContactLaw,
    pub is_guided: bool,
}

impl Slider {
    pub const TABLE_1: Self = Self {
        clearance: 1e-3,
        torque: 0.0,
        law: ContactLaw { restitution: 0.4, tangential_restitution: 0.0, friction: 0.01 },
        is_guided: false,
    };
    pub const GUIDED: Self = Self { is_guided: true, ..Self::TABLE_1 };

    /// Stretched out, at 150 and −75 rad/s, with the accelerations of a free slider.
    pub fn initial(&self) -> State {
        let mut state = State::zeros(self.dims());
        state.v = vector(&[150.0, -75.0, 0.0]);
        let free = Self { is_guided: false, ..*self };
        let mut start = State { lambda: DVector::zeros(0), ..state.clone() };
        hamel::consistent_acceleration(&free, &mut start).expect("every body has inertia");
        state.a = start.a;
        state
    }

    fn coupling() -> f64 {
        L1 * L2 * (M2 / 2.0 + M3)
    }

    /// Rows of the normals and tangents of all corners.
    pub fn directions(q: &[f64]) -> [[f64; 3]; 8] {
        let [(s1, c1), (s2, c2), (s3, c3)] = [q[0].sin_cos(), q[1].sin_cos(), q[2].sin_cos()];
        let mut rows = [[0.0; 3]; 8];
        for i in 0..4 {
            rows[2 * i] = [SIDE[i] * L1 * c1, SIDE[i] * L2 * c2, END[i] * HALF_LENGTH * c3 + HALF_HEIGHT * s3];
            rows[2 * i + 1] = [-L1 * s1, -L2 * s2, SLIP_END[i] * HALF_LENGTH * s3 + SIDE[i] * HALF_HEIGHT * c3];
        }
        rows
    }
}

impl Model for Slider {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 3] = ["crank", "rod", "slider"];
        const CONSTRAINTS: [&str; 2] = ["height", "tilt"];
        static BLOCKS: [Block; 1] = [Block::Vector { size: 3 }];
        static GUIDED: LazyLock<ModelInfo> =
            LazyLock::new(|| full_info("GuidedSlider", &COORDINATES, &COORDINATES, &CONSTRAINTS, &BLOCKS));
        static FREE: LazyLock<ModelInfo> = LazyLock::new(|| ModelInfo {
            contacts: vec![
                ContactInfo::new("corner[1]", "m", 1),
                ContactInfo::new("corner[2]", "m", 1),
                ContactInfo::new("corner[3]", "m", 1),
                ContactInfo::new("corner[4]", "m", 1),
            ],
            contact_jacobian: full_pattern(8, 3, |_, _| true),
            ..full_info("Slider", &COORDINATES, &COORDINATES, &[], &BLOCKS)
        });
        if self.is_guided { &GUIDED } else { &FREE }
    }
    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        let mixed = Self::coupling() * (q[0] - q[1]).cos();
        let first = J1 + L1 * L1 * (M1 / 4.0 + M2 + M3);
        let second = J2 + L2 * L2 * (M2 / 4.0 + M3);
        out.copy_from_slice(&[first, mixed, 0.0, mixed, second, 0.0, 0.0, 0.0, J3]);
    }
    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let mixed = Self::coupling() * (q[0] - q[1]).sin();
        out.copy_from_slice(&[mixed * v[1] * v[1], -mixed * v[0] * v[0], 0.0]);
    }
    fn applied_force(&self, _t: f64, q: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = self.torque - GRAVITY * L1 * q[0].cos() * PULLED[0];
        out[1] = -GRAVITY * L2 * q[1].cos() * PULLED[1];
        out[2] = 0.0;
    }
    fn constraint(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        if self.is_guided {
            out.copy_from_slice(&[L1 * q[0].sin() + L2 * q[1].sin(), q[2]]);
        }
    }
    fn constraint_jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        let rows = [[L1 * q[0].cos(), L2 * q[1].cos(), 0.0], [0.0, 0.0, 1.0]];
        fill(&self.describe().constraint_jacobian, out, |row, column| rows[row][column]);
    }
    fn constraint_bias(&self, _t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        if self.is_guided {
            rate.fill(0.0);
            acceleration.copy_from_slice(&[-L1 * q[0].sin() * v[0] * v[0] - L2 * q[1].sin() * v[1] * v[1], 0.0]);
        }
    }
    fn contact_gap(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        let height = L1 * q[0].sin() + L2 * q[1].sin();
        let (sin, cos) = q[2].sin_cos();
        for (i, gap) in out.iter_mut().enumerate() {
            let tilt = END[i] * HALF_LENGTH * sin - HALF_HEIGHT * cos;
            *gap = HALF_HEIGHT + self.clearance + SIDE[i] * height + tilt;
        }
    }
    fn contact_jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        let rows = Self::directions(q);
        fill(&self.describe().contact_jacobian, out, |row, column| rows[row][column]);
    }
    fn contact_bias(&self, _t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        let [(s1, c1), (s2, c2), (s3, c3)] = [q[0].sin_cos(), q[1].sin_cos(), q[2].sin_cos()];
        let squares = [v[0] * v[0], v[1] * v[1], v[2] * v[2]];
        rate.fill(0.0);
        for i in 0..4 {
            acceleration[2 * i] = SIDE[i] * (-L1 * s1 * squares[0] - L2 * s2 * squares[1])
                + (HALF_HEIGHT * c3 - END[i] * HALF_LENGTH * s3) * squares[2];
            acceleration[2 * i + 1] = -L1 * c1 * squares[0] - L2 * c2 * squares[1]
                + (SLIP_END[i] * HALF_LENGTH * c3 - SIDE[i] * HALF_HEIGHT * s3) * squares[2];
        }
    }
    fn contact_laws(&self, out: &mut [ContactLaw]) {
        out.fill(self.law);
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        let mut mass = [0.0; 9];
        self.mass_matrix(q, &mut mass);
        let kinetic: f64 = (0..9).map(|k| 0.5 * mass[k] * v[k / 3] * v[k % 3]).sum();
        let potential = GRAVITY * (L1 * q[0].sin() * PULLED[0] + L2 * q[1].sin() * PULLED[1]);
        Energy { kinetic, potential }
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        let (q, v) = (&state.q, &state.v);
        let mixed = 2.0 * Self::coupling() * (q[0] - q[1]).sin();
        out.copy_from_slice(&[0.0, -mixed * v[0], 0.0, mixed * v[1], 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let (q, v, a) = (&state.q, &state.v, &state.a);
        let (sin, cos) = (q[0] - q[1]).sin_cos();
        let k = Self::coupling();
        let first = k * (-sin * a[1] + cos * v[1] * v[1]);
        let second = k * (-sin * a[0] - cos * v[0] * v[0]);
        out.fill(0.0);
        out[0] = first - GRAVITY * L1 * q[0].sin() * PULLED[0];
        out[1] = second;
        out[3] = -first;
        out[4] = -second - GRAVITY * L2 * q[1].sin() * PULLED[1];
        if self.is_guided {
            let lambda = state.lambda[0];
            out[0] += L1 * q[0].sin() * lambda;
            out[4] += L2 * q[1].sin() * lambda;
        }
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.fill(0.0);
    }
    assembled_from_parts!();
    without_initial_conditions!();
}
