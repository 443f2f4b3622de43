//! A body that a constant moment turns about one principal axis. [sherif, Sects. 3 and 5]

use hamel_macros::multibody;

multibody! {
    /// Nothing holds the body: a moment about x keeps its rotation about x.
    pub model SingleAxisRotation {
        coordinates absolute(euler_parameters);
        param inertia = diag(0.21, 0.3, 0.4) kg m^2;
        param moment = 10.0 N m;
        param initial_speed = 0.0 rad/s;

        body rotor { mass: 1.0 kg, inertia: inertia }
        torque drive: [moment, 0.0 N m, 0.0 N m] on rotor in rotor;

        initial rotor.angular_velocity = [initial_speed, 0.0 rad/s, 0.0 rad/s] in rotor;
        output omega = rotor.angular_velocity in rotor;
    }
}
