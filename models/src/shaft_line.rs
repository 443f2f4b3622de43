//! A shaft that slides and turns, a second one on a universal joint, a nut on its thread, and a puck that a rod drags
//! over a table: the joints of space that no other model has.

formulations! {
    shared {
        param pitch = 1.0 m;
        param rod = 1.0 m;

        gravity [0.3, 0.2, -9.81] m/s^2;
        body shaft { mass: 1.0 kg, inertia: diag(0.1, 0.12, 0.02) kg m^2, center_of_mass: [0.05, 0.0, 0.5] m }
        body propeller { mass: 0.8 kg, inertia: diag(0.04, 0.05, 0.01) kg m^2, center_of_mass: [0.0, 0.1, 0.3] m }
        body nut { mass: 0.3 kg, inertia: diag(0.002, 0.003, 0.004) kg m^2, center_of_mass: [0.02, 0.01, 0.0] m }
        body puck { mass: 0.5 kg, inertia: diag(0.01, 0.01, 0.02) kg m^2, center_of_mass: [0.03, 0.0, 0.0] m }
        joint bearing: cylindrical(ground, shaft);
        joint cardan: universal(shaft at [0, 0, 1] m, propeller);
        joint thread: screw(propeller at [0, 0, 0.5] m, nut) { pitch: pitch }
        joint table: planar(ground at [1, 0, 1.5] m, puck);
        joint drag: distance(nut, puck at [0, 0.1, 0] m) { length: rod * sqrt(1.01) }

        initial shaft.velocity.z = 0.4 m/s;
        initial shaft.angular_velocity.z = 2.0 rad/s;
        initial propeller.angular_velocity.x = 0.7 rad/s;
        initial propeller.angular_velocity.y = -0.5 rad/s;
        initial nut.angular_velocity.z = 5.0 rad/s;
        initial puck.velocity.y = 0.3 m/s;
        initial puck.angular_velocity.z = 1.0 rad/s;
        output nut = nut.position;
        output puck = puck.position;
        output spin = nut.angular_velocity;
    }

    /// Coordinates of the joints; the rod is the only constraint.
    pub model ShaftLine {
        coordinates joint;
    }

    /// The same bodies, each by its own coordinates.
    pub model ShaftLineAbsolute {
        coordinates absolute;
    }

    shared {
    }
}
