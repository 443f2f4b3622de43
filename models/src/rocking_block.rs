//! A box on the ground that is let go from a tilt, rocks from corner to corner, and may fall over or jump.
//!
//! Where the corners neither slip nor bounce, a box of half widths b and h keeps 1 − 3/2 sin² α of its angular velocity
//! from corner to corner, tan α = b/h.

use hamel_macros::multibody;

multibody! {
    /// Four corners, one kernel for all.
    pub model RockingBlock {
        planar;
        coordinates absolute;
        param mass = 10 kg;
        param b = 0.1 m;
        param h = 0.4 m;
        param restitution = 0;
        param friction = 0.7;
        param tilt = 5 deg;

        gravity [0, -9.81] m/s^2;
        body block { mass: mass, inertia: mass / 3 * (b^2 + h^2) }
        for (i, sx, sy) in [(1, -1, -1), (2, 1, -1), (3, 1, 1), (4, -1, 1)] {
            contact corner[i]: point_on_line(block at [sx * b, sy * h], ground) {
                restitution: restitution, friction: friction,
            }
        }

        initial block.angle = tilt;
        initial (block at [-b, -h]).position = [0, 0];
        output angle = block.angle;
        output position = block.position;
    }
}
