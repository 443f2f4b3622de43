//! Chaplygin's sleigh: a body on a knife edge that slides along itself and not across, with its mass ahead of the edge.

formulations! {
    shared {
        planar;
        param mass = 2.0 kg;
        param inertia = 0.3 kg m^2;
        param ahead = 0.4 m;

        body sleigh { mass: mass, inertia: inertia, center_of_mass: [ahead, 0] }
    }

    /// The body's pose as coordinates of a free joint.
    pub model Sleigh {
        coordinates joint;
        joint ice: free(ground, sleigh);
    }

    /// The body's own coordinates.
    pub model SleighAbsolute {
        coordinates absolute;
    }

    shared {
        constraint knife:
            cos(sleigh.angle) * sleigh.velocity.y - sin(sleigh.angle) * sleigh.velocity.x == 0 as velocity;

        initial sleigh.angular_velocity = 1.5 rad/s;
        initial sleigh.velocity.x = 0;
        output speed = cos(sleigh.angle) * sleigh.velocity.x + sin(sleigh.angle) * sleigh.velocity.y;
        output turning = sleigh.angular_velocity;
        output place = sleigh.position;
    }
}
