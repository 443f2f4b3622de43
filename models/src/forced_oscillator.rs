//! A forced wheel with a nonlinear spring and friction: an equation in which coordinate, speed and time all matter.
//!
//! Made for measuring orders: `q̈ = −sin q − 0.3 q̇ − 0.2 q̇³ + 0.5 (1 + 0.1 q) cos t` shows wrong nodes, weights and
//! signs that a linear oscillator forgives.

use hamel_macros::multibody;

multibody! {
    /// A wheel on a shaft, with a spring like gravity on a pendulum, cubic friction, and a force that time modulates.
    pub model ForcedOscillator {
        planar;
        coordinates joint;
        param inertia = 1.0 kg m^2;
        param stiffness = 1.0 N m;
        param friction = 0.3 N m s;
        param cubic_friction = 0.2 N m s^3;
        param force = 0.5 N m;
        param modulation = 0.1;
        param frequency = 1.0 rad/s;

        body wheel { mass: 1.0 kg, inertia: inertia }
        joint axle: revolute(ground, wheel);
        torque spring: -stiffness * sin(axle.angle) on axle;
        torque bearing: -friction * axle.velocity - cubic_friction * axle.velocity^3 on axle;
        torque drive: force * (1 + modulation * axle.angle) * cos(frequency * time) on axle;

        initial axle.angle = 0.7 rad;
        initial axle.velocity = 0.2 rad/s;
        output angle = axle.angle;
    }
}
