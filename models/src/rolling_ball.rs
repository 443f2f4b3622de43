//! A ball that is set down sliding: friction slows it and makes it turn until it rolls, with 5/7 of its speed after
//! 2 v/(7 μ g) if it is solid.

formulations! {
    shared {
        param mass = 0.5 kg;
        param radius = 0.1 m;
        param friction = 0.2;
        param speed = 2 m/s;

        gravity [0, 0, -9.81] m/s^2;
        body ball { mass: mass, inertia: 2 / 5 * mass * radius^2 * diag(1, 1, 1) }
    }

    /// Position and Euler parameters, with their norm as a constraint.
    pub model RollingBall {
        coordinates absolute(euler_parameters);
        contact plane: ball_on_plane(ball, ground) { radius: radius, friction: friction }
    }

    /// Position and Euler parameters, moved by velocity and angular velocity in the axes of the ball.
    pub model RollingBallJoint {
        coordinates joint(euler_parameters);
        joint motion: free(ground, ball);
        contact plane {
            gap: ball.position.z - radius,
            slip: [
                ball.velocity.x - radius * ball.angular_velocity.y,
                ball.velocity.y + radius * ball.angular_velocity.x,
            ],
            friction: friction,
        }
    }

    shared {
        initial ball.position = [0, 0, radius];
        initial ball.velocity = speed * [0.8, 0.6, 0];
        output position = ball.position;
        output velocity = ball.velocity;
        output omega = ball.angular_velocity;
    }
}
