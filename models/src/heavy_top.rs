//! Heavy top of Brüls and Cardona: a symmetric top on a fixed tip. [sherif, "Heavy top", Fig. 1]
//!
//! The source prints the third moment of inertia as 0.234275; its initial angular velocity is that of a symmetric top,
//! so 0.234375 is used. See SOURCES.md.

formulations! {
    shared {
        param mass = 15.0 kg;
        param inertia = diag(0.234375, 0.46875, 0.234375) kg m^2;
        param tip = [0.0, -1.0, 0.0] m;

        gravity [0.0, 0.0, -9.81] m/s^2;
        body top { mass: mass, inertia: inertia }
        joint pivot: spherical(ground, top at tip);

        initial top.angular_velocity = [0.0, 150.0, -4.61538] rad/s in top;
        output omega = top.angular_velocity in top;
        output position = top.position;
        output velocity = top.velocity;
    }

    /// Position and Euler parameters; the tip is held by a spherical joint.
    pub model HeavyTop {
        coordinates absolute(euler_parameters);
    }

    /// The same top by the rotation about its tip: Euler parameters, moved by the angular velocity in body axes.
    pub model HeavyTopJoint {
        coordinates joint(euler_parameters);
    }

    shared {
    }
}
