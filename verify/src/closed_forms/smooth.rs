//! Motions without impacts.

use hamel::{ConstraintLevel, Model, initial_state};
use hamel_macros::multibody;
use hamel_models::{FreeBody, FreeBodyJoint, Pendulum};

use super::{Law, Problem};
use crate::elliptic::{jacobi, quarter_period};

const G: f64 = 9.81;

multibody! {
    /// A wheel with spring, damper and a force of one frequency.
    pub model Oscillator {
        planar;
        coordinates joint;
        param stiffness = 4 N m;
        param damping = 0.4 N m s;
        param force = 0 N m;
        param frequency = 3 rad/s;

        body wheel { mass: 1 kg, inertia: 1 kg m^2 }
        joint axle: revolute(ground, wheel);
        torque spring: -stiffness * axle.angle on axle;
        torque bearing: -damping * axle.velocity on axle;
        torque drive: force * cos(frequency * time) on axle;

        initial axle.angle = 1 rad;
        output angle = axle.angle;
        output rate = axle.velocity;
    }
}

multibody! {
    /// A uniform rod on a hinge, by place and angle of its centre.
    pub model Swing {
        planar;
        coordinates absolute;
        param length = 1 m;

        gravity [0, -9.81] m/s^2;
        body rod { mass: 1 kg, inertia: length^2 / 12 * 1 kg }
        joint hinge: revolute(ground, rod at [-length / 2, 0]);

        initial rod.angle = -30 deg;
        output angle = rod.angle;
        output rate = rod.angular_velocity;
    }
}

multibody! {
    /// A planet under the attraction of a centre that does not move.
    pub model Planet {
        planar;
        coordinates joint;
        param attraction = 1 m^3/s^2;
        param eccentricity = 0.3;
        param half_axis = 1 m;

        body planet { mass: 1 kg, inertia: 1 kg m^2 }
        joint orbit: free(ground, planet);
        let r = planet.position;
        force gravitation: -attraction * 1 kg * r / norm(r)^3 on planet;

        initial planet.position = [half_axis * (1 - eccentricity), 0];
        initial planet.velocity = [0, sqrt(attraction / half_axis * (1 + eccentricity) / (1 - eccentricity))];
        output position = planet.position;
        output velocity = planet.velocity;
    }
}

multibody! {
    /// A mass that hangs on a spring, and a mass that hangs on that one by a rod.
    pub model SpringPendulum {
        coordinates absolute;
        param mass = 1 kg;
        param stiffness = 100 N/m;
        param free_length = 0.5 m;
        param rod_length = 0.4 m;
        param gravity_acceleration = 9.81 m/s^2;

        gravity [0, 0, -gravity_acceleration];
        body upper { mass: mass, inertia: diag(0.1, 0.2, 0.3) kg m^2 }
        body lower { mass: mass, inertia: diag(0.1, 0.2, 0.3) kg m^2 }
        force spring: spring(ground, upper) { stiffness: stiffness, free_length: free_length }
        joint rod: distance(upper, lower) { length: rod_length }

        param depth = free_length + 2 * mass * gravity_acceleration / stiffness;
        initial upper.position = [0, 0, -depth];
        initial lower.position = [0, 0, -depth - rod_length];
        output upper = upper.position;
        output lower = lower.position;
        output velocity = lower.velocity;
    }
}

multibody! {
    /// Two points on massless rods, by their places; they have no reason to turn.
    pub model DoublePendulum {
        planar;
        coordinates absolute;
        param mass = 1 kg;
        param length = 1 m;

        gravity [0, -9.81] m/s^2;
        body first { mass: mass, inertia: 1 kg m^2 }
        body second { mass: mass, inertia: 1 kg m^2 }
        joint upper: distance(ground, first) { length: length }
        joint lower: distance(first, second) { length: length }

        initial first.position = [length, 0];
        initial second.position = [2 * length, 0];
        output first = first.position;
        output second = second.position;
        output first_velocity = first.velocity;
        output second_velocity = second.velocity;
    }
}

multibody! {
    /// The symmetric top of [sherif] on its fixed tip, of which only the height is an elliptic function.
    pub model LagrangeTop {
        coordinates joint(euler_parameters);

        gravity [0, 0, -9.81] m/s^2;
        body top { mass: 15 kg, inertia: diag(0.234375, 0.46875, 0.234375) kg m^2 }
        joint pivot: spherical(ground, top at [0, -1, 0] m);

        initial top.angular_velocity = [0, 150, -4.61538] rad/s in top;
        output height = top.position.z;
    }
}

multibody! {
    /// A disc that rolls on the ground without slipping: its lowest point is at rest.
    pub model RollingDisc {
        coordinates absolute(euler_parameters);
        param mass = 1 kg;
        param radius = 0.5 m;
        param circle = 1 m;                                                     // of the disc's centre
        param lean = 20 deg;                                                    // towards the middle of the circle
        param gravity_acceleration = 9.81 m/s^2;
        // What keeps the lean: moments of the disc are m r²/2 about its axis and m r²/4 across.
        param turn = sqrt(gravity_acceleration * tan(lean) / (1.5 * circle + radius * sin(lean) / 4));
        param spin = -turn * (circle + radius * sin(lean)) / radius;

        gravity [0, 0, -gravity_acceleration];
        // The axis of the disc is its x axis.
        body disc { mass: mass, inertia: mass * radius^2 / 4 * diag(2, 1, 1) }
        let normal = [disc.rotation[0][0], disc.rotation[1][0], disc.rotation[2][0]];
        let rise = sqrt(1 - normal.z^2);
        let down = ([0, 0, -1] + normal.z * normal) / rise;
        let slip = disc.velocity + cross(disc.angular_velocity, radius * down);
        constraint touch: disc.position.z - radius * rise == 0;
        constraint along: slip.x == 0 as velocity;
        constraint across: slip.y == 0 as velocity;

        initial disc.position = [circle, 0, radius * cos(lean)];
        initial (disc at [1, 0, 0] m).position = [circle + cos(lean) * 1 m, 0, radius * cos(lean) + sin(lean) * 1 m];
        initial (disc at [0, 1, 0] m).position.x = circle;
        initial disc.velocity = [0, turn * circle, 0];
        initial disc.angular_velocity = [spin * cos(lean), 0, turn + spin * sin(lean)];
        output position = disc.position;
        output angular_velocity = disc.angular_velocity;
    }
}

fn oscillator(change: impl FnOnce(&mut OscillatorParameters)) -> Box<dyn Model> {
    let mut parameters = OscillatorParameters::default();
    change(&mut parameters);
    Box::new(Oscillator::new(parameters))
}

/// Angle from where it hangs and rate of the uniform rod of a metre, let go at 60°.
fn swing(t: f64) -> (f64, f64) {
    let (frequency, m) = ((1.5 * G).sqrt(), 0.25_f64);
    // sin(φ/2) = k sn(K + ω₀ t), φ̇ = 2 k ω₀ cn(K + ω₀ t), k = sin 30°.
    let [sn, cn, _] = jacobi(quarter_period(m) + frequency * t, m);
    (2.0 * (m.sqrt() * sn).asin(), 2.0 * m.sqrt() * frequency * cn)
}

/// Angle from the horizontal and rate of the same rod.
fn swinging_rod(t: f64) -> Vec<f64> {
    let (angle, rate) = swing(t);
    vec![angle - std::f64::consts::FRAC_PI_2, rate]
}

/// Angular velocity of the free body with moments 1, 2, 3 that starts with 0.1, 2, 0.05 rad/s in its axes, and its
/// angular momentum in ground axes, which are those of the body at first.
fn euler_top(t: f64) -> Vec<f64> {
    let (moments, start) = ([1.0, 2.0, 3.0], [0.1_f64, 2.0, 0.05]);
    let energy: f64 = moments.iter().zip(start).map(|(moment, w)| moment * w * w).sum();
    let square: f64 = moments.iter().zip(start).map(|(moment, w)| (moment * w).powi(2)).sum();
    let [a, b, c] = moments;
    // Twice the energy times the middle moment exceeds L²: the motion stays on the side of the first axis.
    let amplitudes = [
        ((c * energy - square) / (a * (c - a))).sqrt(),
        ((square - a * energy) / (b * (b - a))).sqrt(),
        ((square - a * energy) / (c * (c - a))).sqrt(),
    ];
    let rate = ((c * energy - square) * (b - a) / (a * b * c)).sqrt();
    let m = (c - b) * (square - a * energy) / ((b - a) * (c * energy - square));
    // Where on the curve it starts, from the component that changes its sign slowest there.
    let quarter = quarter_period(m);
    let (mut low, mut high) = (0.0, quarter);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if jacobi(middle, m)[1] > start[2] / amplitudes[2] { low = middle } else { high = middle }
    }
    let [sn, cn, dn] = jacobi(low + rate * t, m);
    let omega = [amplitudes[0] * dn, amplitudes[1] * sn, amplitudes[2] * cn];
    omega.into_iter().chain(moments.iter().zip(start).map(|(moment, w)| moment * w)).collect()
}

/// Position and velocity on the ellipse with axis 1 and attraction 1, from where it is nearest to the centre.
fn kepler(t: f64) -> Vec<f64> {
    let e = 0.3;
    let mut anomaly = t;
    for _ in 0..50 {
        anomaly -= (anomaly - e * anomaly.sin() - t) / (1.0 - e * anomaly.cos());
    }
    let ((sin, cos), minor) = (anomaly.sin_cos(), (1.0_f64 - e * e).sqrt());
    let rate = 1.0 / (1.0 - e * cos);
    vec![cos - e, minor * sin, -sin * rate, minor * cos * rate]
}

/// The height of the Lagrange top, u = u₁ + (u₂ − u₁) sn² of the roots of a cubic, which it starts from at u₂ = 0.
fn lagrange_top(t: f64) -> Vec<f64> {
    let moment = 0.234_375 + 15.0;
    let (a, b) = (0.468_75 * 150.0 / moment, 4.615_38);
    let beta = 2.0 * 15.0 * G / moment;
    // u̇² = (1 − u²)(b² − β u) − (b + a u)² = u (β u² − (a² + b²) u − (2 a b + β)).
    let (sum, product) = (a * a + b * b, 2.0 * a * b + beta);
    let root = (sum * sum + 4.0 * beta * product).sqrt();
    let (u1, u3) = ((sum - root) / (2.0 * beta), (sum + root) / (2.0 * beta));
    let m = -u1 / (u3 - u1);
    let [sn, ..] = jacobi(0.5 * (beta * (u3 - u1)).sqrt() * t + quarter_period(m), m);
    vec![u1 - u1 * sn * sn]
}

/// The disc on its steady circle: centre and angular velocity.
fn rolling_disc(t: f64) -> Vec<f64> {
    let (radius, circle, lean) = (0.5, 1.0, 20.0_f64.to_radians());
    let turn = (G * lean.tan() / (1.5 * circle + radius * lean.sin() / 4.0)).sqrt();
    let spin = -turn * (circle + radius * lean.sin()) / radius;
    let (sin, cos) = (turn * t).sin_cos();
    let across = spin * lean.cos();
    vec![circle * cos, circle * sin, radius * lean.cos(), across * cos, across * sin, turn + spin * lean.sin()]
}

const STEPS: [f64; 3] = [0.02, 0.01, 0.005];

pub(super) static PROBLEMS: &[Problem] = &[
    Problem {
        name: "oscillator/damped",
        what: "A wheel on a linear spring with a linear damper, let go from rest.",
        source: "q = exp(−δt) (cos ωt + δ/ω sin ωt), q̇ = −(ω₀²/ω) exp(−δt) sin ωt, ω² = ω₀² − δ².",
        steps: [0.05, 0.025, 0.0125],
        until: 2.0,
        level: None,
        model: || oscillator(|_| {}),
        start: initial_state,
        exact: |t| {
            let (square, delta) = (4.0_f64, 0.2);
            let omega = (square - delta * delta).sqrt();
            let (sin, cos) = (omega * t).sin_cos();
            let decay = (-delta * t).exp();
            vec![decay * (cos + delta / omega * sin), -square / omega * decay * sin]
        },
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "oscillator/creeping",
        what: "The same with a damper so strong that it creeps back.",
        source: "q = (s₂ exp(−s₁t) − s₁ exp(−s₂t))/(s₂ − s₁), s the roots 1 and 4 of s² − 5 s + 4.",
        steps: [0.05, 0.025, 0.0125],
        until: 2.0,
        level: None,
        model: || oscillator(|p| p.damping = 5.0),
        start: initial_state,
        exact: |t| {
            let (slow, fast) = ((-t).exp(), (-4.0 * t).exp());
            vec![(4.0 * slow - fast) / 3.0, 4.0 * (fast - slow) / 3.0]
        },
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "oscillator/forced",
        what: "The same without a damper under a force cos 3t: two frequencies.",
        source: "q = cos 2t + F (cos 2t − cos 3t)/(9 − 4).",
        steps: [0.05, 0.025, 0.0125],
        until: 2.0,
        level: None,
        model: || {
            oscillator(|p| {
                p.damping = 0.0;
                p.force = 1.0;
            })
        },
        start: initial_state,
        exact: |t| {
            let ((s2, c2), (s3, c3)) = ((2.0 * t).sin_cos(), (3.0 * t).sin_cos());
            vec![c2 + (c2 - c3) / 5.0, -2.0 * s2 + (3.0 * s3 - 2.0 * s2) / 5.0]
        },
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "pendulum/joint",
        what: "A uniform rod of a metre on a hinge, let go 60° from where it hangs, by its angle.",
        source: "sin(φ/2) = k sn(K + ω₀t, k), k = sin 30°, ω₀² = 3g/2l.",
        steps: STEPS,
        until: 1.0,
        level: None,
        model: || Box::new(Pendulum::default()),
        start: initial_state,
        exact: |t| {
            let (sin, cos) = swing(t).0.sin_cos();
            vec![sin, -cos]
        },
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "pendulum/absolute/positions",
        what: "The same by position of the centre and angle, the hinge a constraint on positions.",
        source: "As before.",
        steps: [0.005, 0.0025, 0.00125],
        until: 1.0,
        level: Some(ConstraintLevel::Position),
        model: || Box::new(Swing::default()),
        start: initial_state,
        exact: swinging_rod,
        law: Law::Smooth(1e-10),
    },
    Problem {
        name: "pendulum/absolute/velocities",
        what: "The same, the hinge a constraint on velocities.",
        source: "As before.",
        steps: [0.005, 0.0025, 0.00125],
        until: 1.0,
        level: Some(ConstraintLevel::Velocity),
        model: || Box::new(Swing::default()),
        start: initial_state,
        exact: swinging_rod,
        law: Law::Smooth(1e-10),
    },
    Problem {
        name: "pendulum/absolute/accelerations",
        what: "The same, the hinge a constraint on accelerations, and what drifts projected back.",
        source: "As before.",
        steps: [0.005, 0.0025, 0.00125],
        until: 1.0,
        level: Some(ConstraintLevel::Acceleration),
        model: || Box::new(Swing::default()),
        start: initial_state,
        exact: swinging_rod,
        law: Law::Smooth(1e-10),
    },
    Problem {
        name: "planet/ellipse",
        what: "A planet on an ellipse of eccentricity 0.3, for half a year.",
        source: "Kepler's equation E − e sin E = t.",
        steps: STEPS,
        until: 3.0,
        level: None,
        model: || Box::new(Planet::new(PlanetParameters::default())),
        start: initial_state,
        exact: kepler,
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "spring_pendulum/rest",
        what: "Two masses at rest, one on a spring and one on a rod below it.",
        source: "Nothing moves where 2 m g = c (z − l).",
        steps: STEPS,
        until: 1.0,
        level: None,
        model: || Box::new(SpringPendulum::new(SpringPendulumParameters::default())),
        start: initial_state,
        exact: |_| {
            let depth = 0.5 + 2.0 * G / 100.0;
            vec![0.0, 0.0, -depth, 0.0, 0.0, -depth - 0.4, 0.0, 0.0, 0.0]
        },
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "euler_top/joint",
        what: "A free body with moments of inertia 1, 2, 3 near its unstable axis, by angular velocities in its axes.",
        source: "ω = (a₁ dn, a₂ sn, a₃ cn)(τ(t − t₀)), L² < 2 E J₂; angular momentum is conserved.",
        steps: STEPS,
        until: 2.0,
        level: None,
        model: || Box::new(FreeBodyJoint::default()),
        start: initial_state,
        exact: euler_top,
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "euler_top/absolute",
        what: "The same by Euler parameters, whose norm is a constraint.",
        source: "As before.",
        steps: STEPS,
        until: 2.0,
        level: None,
        model: || Box::new(FreeBody::default()),
        start: initial_state,
        exact: euler_top,
        law: Law::Smooth(1e-10),
    },
    Problem {
        name: "lagrange_top/height",
        what: "The heavy top of [sherif] with 150 rad/s about its axis: the height of its centre of mass.",
        source: "z = u₁ + (u₂ − u₁) sn², u the roots of (1 − u²)(α − βu) − (b − au)².",
        steps: [1e-3, 5e-4, 2.5e-4],
        until: 0.1,
        level: None,
        model: || Box::new(LagrangeTop::default()),
        start: initial_state,
        exact: lagrange_top,
        law: Law::Smooth(1e-11),
    },
    Problem {
        name: "double_pendulum/points",
        what: "Two points on massless rods, let go horizontally, by their positions with the rods as constraints.",
        source: "An integration with 27 digits; angles and rates at 1 s.",
        steps: [0.01, 0.005, 0.0025],
        until: 1.0,
        level: None,
        model: || Box::new(DoublePendulum::default()),
        start: initial_state,
        exact: |_| {
            let (s1, c1) = (-0.625_087_699_806_390_7_f64).sin_cos();
            let (s2, c2) = (-1.034_585_085_680_012_3_f64).sin_cos();
            let (w1, w2) = (-3.922_279_572_887_976_6, -1.303_099_248_696_331);
            vec![s1, -c1, s1 + s2, -c1 - c2, w1 * c1, w1 * s1, w1 * c1 + w2 * c2, w1 * s1 + w2 * s2]
        },
        law: Law::Smooth(1e-10),
    },
    Problem {
        name: "disc/steady_circle",
        what: "A disc that leans by 20° and rolls on a circle of a metre, without slipping.",
        source: "Ω² = g tan λ/(3R/2 + r sin λ/4), from the balance of angular momentum.",
        steps: STEPS,
        until: 1.0,
        level: None,
        model: || Box::new(RollingDisc::default()),
        start: initial_state,
        exact: rolling_disc,
        law: Law::Smooth(1e-10),
    },
];
