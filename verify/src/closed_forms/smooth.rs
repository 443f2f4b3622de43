//! Motions without impacts.

use hamel::initial_state;
use hamel_macros::multibody;

use super::{Law, Problem};

multibody! {
    /// A wheel with spring and damper.
    pub model DampedOscillator {
        planar;
        coordinates joint;
        param stiffness = 4 N m;
        param damping = 0.4 N m s;

        body wheel { mass: 1 kg, inertia: 1 kg m^2 }
        joint axle: revolute(ground, wheel);
        torque spring: -stiffness * axle.angle on axle;
        torque bearing: -damping * axle.velocity on axle;

        initial axle.angle = 1 rad;
        output angle = axle.angle;
        output rate = axle.velocity;
    }
}

pub(super) static PROBLEMS: &[Problem] = &[Problem {
    name: "oscillator/damped",
    what: "A wheel on a linear spring with a linear damper, let go from rest.",
    source: "q = exp(−δt) (cos ωt + δ/ω sin ωt), q̇ = −(ω₀²/ω) exp(−δt) sin ωt, ω² = ω₀² − δ².",
    steps: [0.05, 0.025, 0.0125],
    until: 2.0,
    level: None,
    model: || Box::new(DampedOscillator::new(DampedOscillatorParameters::default())),
    start: initial_state,
    exact: |t| {
        let (square, delta) = (4.0_f64, 0.2);
        let omega = (square - delta * delta).sqrt();
        let (sin, cos) = (omega * t).sin_cos();
        let decay = (-delta * t).exp();
        vec![decay * (cos + delta / omega * sin), -square / omega * decay * sin]
    },
    law: Law::Smooth(1e-11),
}];
