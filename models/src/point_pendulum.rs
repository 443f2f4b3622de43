//! A point on a circle: the smallest system whose constraint on coordinates is truly nonlinear.

use hamel_macros::multibody;

multibody! {
    /// A mass on a massless rod, by its position in the plane; it has no reason to turn.
    pub model PointPendulum {
        planar;
        coordinates absolute;
        param mass = 1.0 kg;
        param length = 1.0 m;
        param angle = 1.0 rad;
        param speed = 0.5 rad/s;

        gravity [0.0, -9.81] m/s^2;
        body bob { mass: mass, inertia: 1.0 kg m^2 }
        constraint rod: (bob.position.x^2 + bob.position.y^2 - length^2) / 2 == 0;

        initial bob.position.x = length * sin(angle);
        initial bob.position.y = -length * cos(angle);
        initial bob.velocity.x = length * speed * cos(angle);
        initial bob.angular_velocity = 0;
        initial bob.angle = 0;
        output bob = bob.position;
    }
}
