//! A block on a moving belt, held by a spring: carried along, it sticks until the spring pulls as hard as friction can.
//!
//! From rest it slips first, by x0 (1 − cos ωt) with x0 = μ m g/k, until it has the speed v of the belt, sticks until x = x0,
//! and swings from then on by (v/ω) sin ωt about x0, just touching the speed of the belt once in a period.

use hamel_macros::multibody;

multibody! {
    /// A block that does not turn; the belt's surface is at height zero.
    pub model StickSlip {
        planar;
        coordinates joint;
        param mass = 1 kg;
        param stiffness = 100 N/m;
        param friction = 0.3;
        param belt_speed = 0.1 m/s;

        gravity [0, -9.81] m/s^2;
        body block { mass: mass, inertia: 0.01 kg m^2 }
        joint motion: free(ground, block);
        constraint level: motion.angle == 0;
        torque spring: -stiffness * motion.x on motion.x;
        contact belt { gap: motion.y, slip: motion.x.velocity - belt_speed, friction: friction }

        initial motion.x = 0;
        output displacement = motion.x;
        output relative_velocity = motion.x.velocity - belt_speed;
    }
}
