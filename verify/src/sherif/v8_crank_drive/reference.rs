//! The exact motion: with one degree of freedom, `J(θ) ω̇ + ½ J'(θ) ω² = T(t)`.
//!
//! J follows from the kinematics of eight slider-cranks by hand, independently of the model's constraints. Its solution
//! is held against values of an independent computation in quadruple precision.

use hamel_models::v8_crank_drive::V8CrankDriveParameters;

use crate::motion::Grid;

/// Longest step of the Runge-Kutta scheme, s: 0.14 of a radian of the fourth harmonic at the highest speed.
const LONGEST_STEP: f64 = 5e-5;

/// The crank drive as a single equation.
pub(super) struct Equation {
    parameters: V8CrankDriveParameters,
}

impl Equation {
    pub(super) fn new(parameters: V8CrankDriveParameters) -> Self {
        Self { parameters }
    }

    /// ω at the instants of `grid` from rest at θ = 0, rad/s.
    pub(super) fn angular_velocities(&self, grid: Grid) -> Vec<[f64; 1]> {
        let between = (grid.interval() / LONGEST_STEP).ceil().max(1.0);
        let (h, samples) = (grid.interval() / between, grid.steps / grid.every);
        let (mut angle, mut omega) = (0.0, 0.0);
        let mut values = vec![[omega]];
        for sample in 0..samples {
            for part in 0..between as usize {
                let t = sample as f64 * grid.interval() + part as f64 * h;
                (angle, omega) = self.step(t, angle, omega, h);
            }
            values.push([omega]);
        }
        values
    }

    /// The classical Runge-Kutta scheme.
    fn step(&self, t: f64, angle: f64, omega: f64, h: f64) -> (f64, f64) {
        let slope = |dt: f64, (angle, omega): (f64, f64)| (omega, self.acceleration(t + dt, angle, omega));
        let along = |(a, w): (f64, f64), dt: f64| (angle + dt * a, omega + dt * w);
        let k1 = slope(0.0, (angle, omega));
        let k2 = slope(0.5 * h, along(k1, 0.5 * h));
        let k3 = slope(0.5 * h, along(k2, 0.5 * h));
        let k4 = slope(h, along(k3, h));
        let mean = |a: f64, b: f64, c: f64, d: f64| h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
        (angle + mean(k1.0, k2.0, k3.0, k4.0), omega + mean(k1.1, k2.1, k3.1, k4.1))
    }

    fn acceleration(&self, t: f64, angle: f64, omega: f64) -> f64 {
        let (inertia, slope) = self.inertia(angle);
        (self.torque(t) - 0.5 * slope * omega * omega) / inertia
    }

    /// T, N m.
    pub(super) fn torque(&self, t: f64) -> f64 {
        let rise = (t / self.parameters.rise_time).min(1.0);
        self.parameters.final_torque * rise.powi(3) * (10.0 - 15.0 * rise + 6.0 * rise * rise)
    }

    /// J and dJ/dθ, kg m².
    fn inertia(&self, angle: f64) -> (f64, f64) {
        let p = &self.parameters;
        let cylinders = p.bank.iter().flat_map(|bank| p.throw_angle.iter().map(move |throw| throw - bank));
        cylinders
            .map(|at| self.cylinder(angle + at))
            .fold((p.crankshaft_inertia[0], 0.0), |(j, slope), (dj, dslope)| (j + dj, slope + dslope))
    }

    /// What a rod and its piston add to J and dJ/dθ where the throw stands at ψ from its cylinder: with
    /// w = √(l² − r² sin² ψ), the piston is at r cos ψ + w, the centre of the rod at r cos ψ + c w along the cylinder
    /// and (1 − c) r sin ψ across, and the rod turns by η, sin η = (r / l) sin ψ.
    fn cylinder(&self, psi: f64) -> (f64, f64) {
        let p = &self.parameters;
        let (r, l, share) = (p.throw, p.rod_length, p.rod_center / p.rod_length);
        let (sine, cosine) = psi.sin_cos();
        let w = (l * l - (r * sine).powi(2)).sqrt();
        let w1 = -r * r * sine * cosine / w;
        let w2 = -(r * r * (cosine * cosine - sine * sine) + w1 * w1) / w;
        let (piston1, piston2) = (-r * sine + w1, -r * cosine + w2);
        let (along1, along2) = (-r * sine + share * w1, -r * cosine + share * w2);
        let (across1, across2) = (r * cosine * (1.0 - share), -r * sine * (1.0 - share));
        let (swing1, swing2) = (r * cosine / w, -r * sine / w - r * cosine * w1 / (w * w));
        let twice = |mass: f64, first: f64, second: f64| (mass * first * first, 2.0 * mass * first * second);
        [
            twice(p.piston_mass, piston1, piston2),
            twice(p.rod_mass, along1, along2),
            twice(p.rod_mass, across1, across2),
            twice(p.rod_inertia[0], swing1, swing2),
        ]
        .into_iter()
        .fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    }
}

/// ω at t = 1, 2, …, 15 s, rad/s: Gragg-Bulirsch-Stoer with a tolerance of 10⁻¹⁸ in quadruple precision.
pub(super) static SAMPLES: [f64; 15] = [
    2.395_947_367_268_987_5e1,
    7.186_403_817_166_016e1,
    1.197_728_721_184_233_2e2,
    1.677_201_821_679_009e2,
    2.156_422_293_068_447e2,
    2.634_935_484_995_418e2,
    3.113_983_319_373_471_9e2,
    3.594_143_566_618_903_3e2,
    4.073_388_703_877_820_4e2,
    4.551_129_164_689_242e2,
    5.030_218_739_252_486e2,
    5.510_969_091_159_899e2,
    5.990_047_922_130_851e2,
    6.467_867_853_478_641e2,
    6.947_266_578_583_814e2,
];
