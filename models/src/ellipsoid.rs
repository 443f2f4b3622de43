//! An ellipsoid of neutral buoyancy in an unbounded ideal fluid: Kirchhoff's equations.
//!
//! Its added mass is Lamb's, from the three integrals α₁ + α₂ + α₃ = 2 that its axes give:
//! A₁₁ = m α₁/(2 − α₁) and A₄₄ = m/5 (b² − c²)² (α₃ − α₂)/(2 (b² − c²) + (b² + c²) (α₂ − α₃)), cyclic.

formulations! {
    shared {
        param axes = [3, 2, 1] m;
        param density = 1000 kg/m^3;
        param alpha = [0.3126013976585420, 0.5343080805240090, 1.153090521817449];
        param current = [0, 0, 0] m/s;

        let mass = 4/3 * pi * density * axes.x * axes.y * axes.z;
        let squares = [axes.x^2, axes.y^2, axes.z^2];
        for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            let solid[i] = mass / 5 * (squares[j] + squares[k]);
            let along[i] = mass * alpha[i] / (2 - alpha[i]);
            let difference[i] = squares[j] - squares[k];
            let turning[i] = if abs(difference[i]) > 0 m^2 {
                mass / 5 * difference[i]^2 * (alpha[k] - alpha[j])
                    / (2 * difference[i] + (squares[j] + squares[k]) * (alpha[j] - alpha[k]))
            } else { 0 kg m^2 };
        }
        body hull {
            mass: mass, inertia: diag(solid[0], solid[1], solid[2]),
            added_mass: {
                force: diag(along[0], along[1], along[2]), moment: diag(turning[0], turning[1], turning[2]), current: current,
            },
        }
    }

    /// Velocities in the axes of the body: M is constant, h is Kirchhoff's. [simo, Eqs. 8, 13]
    pub model Ellipsoid {
        coordinates joint;
        joint swim: free(ground, hull);
    }

    /// Position and Euler parameters, with their norm as a constraint.
    pub model EllipsoidAbsolute {
        coordinates absolute(euler_parameters);
    }

    shared {
        initial hull.velocity = [1, 0.1, -0.05] m/s in hull;
        initial hull.angular_velocity = [0.02, 0.05, 0.1] rad/s in hull;
        output velocity = hull.velocity in hull;
        output omega = hull.angular_velocity in hull;
        output momentum = model.momentum;
        output angular_momentum = model.angular_momentum;
    }
}
