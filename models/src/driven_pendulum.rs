//! A pendulum on a crank that is run up to speed: prescribed motion by a law in two pieces, with a smooth speed.

formulations! {
    shared {
        planar;
        param arm = 0.3 m;
        param length = 0.5 m;
        param run_up = 0.006 s;
        param acceleration = 200.0 rad/s^2;

        gravity [0.0, -9.81] m/s^2;
        body crank { mass: 0.4 kg, inertia: 4e-3 kg m^2 }
        body rod { mass: 1.0 kg, inertia: 2e-2 kg m^2 }
        joint axle: revolute(ground, crank at [-arm / 2, 0]);
        joint hinge: revolute(crank at [arm / 2, 0], rod at [0, length]);
        drive spin: axle.angle == if time <= run_up {
            acceleration * time^2 / 2
        } else {
            acceleration * run_up * (time - run_up / 2)
        };

        initial rod.angle = 10 deg;
        initial rod.angular_velocity = 2.0 rad/s;
        output rod = rod.position;
        output crank = crank.angle;
    }

    /// Angles of the joints; the drive is the only constraint.
    pub model DrivenPendulum {
        coordinates joint;
    }

    /// Every body by its own coordinates.
    pub model DrivenPendulumAbsolute {
        coordinates absolute;
    }

    shared {
    }
}
