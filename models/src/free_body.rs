//! A rigid body that nothing holds: three different moments of inertia, turning near the unstable axis.

formulations! {
    shared {
        param mass = 1.0 kg;
        param inertia = diag(1.0, 2.0, 3.0) kg m^2;

        body block { mass: mass, inertia: inertia }
    }

    /// Position and Euler parameters, with their norm as a constraint. [sherif, Eq. 9]
    pub model FreeBody {
        coordinates absolute(euler_parameters);
    }

    /// Position and Euler parameters, moved by the angular velocity in body axes.
    pub model FreeBodyJoint {
        coordinates joint(euler_parameters);
        joint flight: free(ground, block);
    }

    shared {
        initial block.velocity = [0.3, 0.0, -0.1] m/s;
        initial block.angular_velocity = [0.1, 2.0, 0.05] rad/s in block;
        output omega = block.angular_velocity in block;
        output angular_momentum = model.angular_momentum;
    }
}
