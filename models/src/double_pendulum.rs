//! Two rods in a row, with friction in the second hinge and a spring to the ground, in joint and absolute coordinates.

formulations! {
    shared {
        planar;
        param m1 = 1.0 kg;
        param m2 = 0.6 kg;
        param l1 = 1.0 m;
        param l2 = 0.7 m;
        param friction = 0.02 N m s/rad;
        param stiffness = 4.0 N/m;
        param free_length = 0.5 m;

        gravity [0.0, -9.81] m/s^2;
        body upper { mass: m1, inertia: m1 * l1^2 / 12 }
        body lower { mass: m2, inertia: m2 * l2^2 / 12 }
        joint shoulder: revolute(ground, upper at [-l1 / 2, 0.0 m]);
        joint elbow: revolute(upper at [l1 / 2, 0.0 m], lower at [-l2 / 2, 0.0 m]);
        torque bearing: -friction * (lower.angular_velocity - upper.angular_velocity) on lower from upper;
        force band: spring(ground at [1.0, 0.5] m, lower at [l2 / 2, 0.0 m]) {
            stiffness: stiffness,
            free_length: free_length,
        }
    }

    /// Two rods by their angles: the first against the ground, the second against the first.
    pub model DoublePendulum {
        coordinates joint;
        initial shoulder.angle = -30 deg;
        initial elbow.angle = 20 deg;
        initial elbow.velocity = 1.0 rad/s;
        provide nonlinear_effects, inverse_dynamics, forward_dynamics;
        provide inverse_dynamics_derivatives, forward_dynamics_derivatives;
    }

    /// The same two rods by positions and angles of their centres.
    pub model DoublePendulumAbsolute {
        coordinates absolute;
        initial upper.angle = -30 deg;
        initial lower.angle = -10 deg;
        initial upper.angular_velocity = 0.0 rad/s;
        initial lower.angular_velocity = 1.0 rad/s;
    }

    shared {
        output tip = (lower at [l2 / 2, 0.0 m]).position;
    }
}
