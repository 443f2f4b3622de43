//! A ball that falls on the ground: with restitution ε the heights of its bounces fall by ε², their times by ε, so that
//! it has come to rest after √(2 h/g) (1 + ε)/(1 − ε).

use hamel_macros::multibody;

multibody! {
    /// The height as the only coordinate.
    pub model BouncingBall {
        planar;
        coordinates joint;
        param mass = 1 kg;
        param radius = 0.1 m;
        param drop = 1 m;
        param restitution = 0.5;

        gravity [0, -9.81] m/s^2;
        body ball { mass: mass, inertia: mass * radius^2 / 2 }
        joint fall: prismatic(ground rotated 90 deg, ball rotated 90 deg) { coordinate: height }
        contact floor: disc_on_line(ball, ground) { radius: radius, restitution: restitution }

        initial height = radius + drop;
        output height_above_floor = height - radius;
    }
}
