//! A rod that swings about a fixed hinge, in joint and in absolute coordinates.

formulations! {
    shared {
        planar;
        param mass = 1.0 kg;
        param length = 1.0 m;

        gravity [0.0, -9.81] m/s^2;
        body rod { mass: mass, inertia: mass * length^2 / 12 }
        joint hinge: revolute(ground, rod at [-length / 2, 0.0 m]);
    }

    /// A uniform rod on a hinge, by its angle from the x axis.
    pub model Pendulum {
        coordinates joint;
        initial hinge.angle = -30 deg;
    }

    /// The same rod, by the position and the angle of its centre; the hinge is a constraint.
    pub model PendulumAbsolute {
        coordinates absolute;
        initial rod.angle = -30 deg;
    }

    shared {
        output tip = (rod at [length / 2, 0.0 m]).position;
    }
}
